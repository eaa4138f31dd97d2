/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* A guarded pool finds a write beyond a block's end, and a second release. */
#include "example.h"

static void show_message(void* user, int32_t severity, const char* text) {
  (void)user;
  (void)severity;
  printf("%s\n", text);
}

int main(void) {
  example_device device = example_open();
  const cl_uchar one = 1;
  clpool_allocator* allocator = NULL;
  clpool_pool* pool = NULL;
  clpool_mem* block = NULL;
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  callbacks.message = show_message;
  clpool_set_message_callback(show_message,
                              NULL); /* for what belongs to no pool any more */
  options.callbacks = &callbacks;
  options.guard =
      CLPOOL_GUARD_ON; /* or, without a change to the program, CLPOOL_GUARD=1 */
  CLPOOL_CHECK(clpool_allocator_create_immediate(device.queue, 0, &allocator));
  CLPOOL_CHECK(clpool_pool_create(allocator, &options, &pool));

  CLPOOL_CHECK(clpool_pool_allocate(pool, 1000, &block));
  CLPOOL_CHECK(clpool_mem_set_tag(block, 7));
  CL_CHECK(clEnqueueFillBuffer(device.queue, clpool_mem_handle(block), &one, 1, 0,
                               1001, 0, NULL, NULL));
  CLPOOL_CHECK(clpool_mem_release(block));
  CLPOOL_CHECK(clpool_pool_free_held(pool)); /* waits until it was looked at */

  EXPECT(clpool_mem_release(block) == CLPOOL_ERROR_INVALID_OPERATION);
  CLPOOL_CHECK(clpool_pool_release(pool));
  CLPOOL_CHECK(clpool_allocator_release(allocator));
  example_close(&device);
  return 0;
}
