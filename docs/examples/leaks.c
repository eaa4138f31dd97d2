/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Finding blocks that are never released: tags, a picture of the pool, and what its end says. */
#include "example.h"

enum { weights = 1, images = 2 };

static void show_message(void* user, int32_t severity, const char* text) {
  (void)user;
  printf("%s: %s\n", severity == CLPOOL_MESSAGE_WARNING ? "warning" : "message",
         text);
}

static int32_t show_active(void* user, const clpool_pool_stretch* stretch) {
  (void)user;
  if (stretch->state == CLPOOL_STRETCH_ACTIVE) {
    printf("tag %llu still has %llu bytes\n", (unsigned long long)stretch->tag,
           (unsigned long long)stretch->requested);
  }
  return 0; /* go on */
}

static clpool_mem* tagged(clpool_pool* pool, size_t size, uint64_t tag) {
  clpool_mem* block = NULL;
  CLPOOL_CHECK(clpool_pool_allocate(pool, size, &block));
  CLPOOL_CHECK(clpool_mem_set_tag(block, tag));
  return block;
}

int main(void) {
  example_device device = example_open();
  clpool_allocator* allocator = NULL;
  clpool_pool* pool = NULL;
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  clpool_mem* kept;
  clpool_mem* forgotten;
  callbacks.message = show_message;
  options.callbacks = &callbacks;
  options.name = "example";
  CLPOOL_CHECK(clpool_allocator_create_immediate(device.queue, 0, &allocator));
  CLPOOL_CHECK(clpool_pool_create(allocator, &options, &pool));

  kept = tagged(pool, 3000, weights);
  forgotten = tagged(pool, 5000, images);
  CLPOOL_CHECK(clpool_mem_release(kept));

  CLPOOL_CHECK(clpool_pool_visit(pool, show_active, NULL)); /* at any moment */
  CLPOOL_CHECK(clpool_pool_release(pool));                  /* says what is left */

  CLPOOL_CHECK(clpool_mem_release(forgotten));
  CLPOOL_CHECK(clpool_allocator_release(allocator));
  example_close(&device);
  return 0;
}
