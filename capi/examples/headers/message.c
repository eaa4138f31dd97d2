/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* message.h: a receiver of the library's messages, here of the warning about a block that was forgotten. */
#include <string.h>
#include "opened.h"

typedef struct log {
  int warnings;
  char last[256];
} log;

static void receive(void* user, int32_t severity, const char* text) {
  log* messages = (log*)user; /* a program with threads takes a lock here */
  if (severity >= CLPOOL_MESSAGE_WARNING) {
    ++messages->warnings;
    snprintf(messages->last, sizeof messages->last, "%s", text); /* the text lives during the call only */
  }
}

int main(void) {
  log messages = {0, ""};
  example_device device = open_default();
  clpool_allocator* allocator = NULL;
  clpool_pool* pool = NULL;
  clpool_mem* forgotten = NULL;

  clpool_set_message_callback(receive, &messages);
  CLPOOL_CHECK(clpool_allocator_create_immediate(device.queue, 0, &allocator));
  CLPOOL_CHECK(clpool_pool_create(allocator, NULL, &pool));
  CLPOOL_CHECK(clpool_pool_allocate(pool, 1000, &forgotten));
  EXPECT(messages.warnings == 0);
  CLPOOL_CHECK(clpool_pool_release(pool)); /* a block is still handed out */
  EXPECT(messages.warnings == 1);
  printf("%s\n", messages.last);

  CLPOOL_CHECK(clpool_mem_release(forgotten));
  CLPOOL_CHECK(clpool_allocator_release(allocator));
  clpool_set_message_callback(NULL, NULL); /* before what it points to goes */
  example_close(&device);
  return 0;
}
