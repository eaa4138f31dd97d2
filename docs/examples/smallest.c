// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include <clpool/clpool.h>
#include <stdio.h>

int main(void) {
  clpool_pool* pool;
  clpool_mem* block;
  cl_context context;
  cl_command_queue queue;
  if (clpool_pool_create_default(NULL, CLPOOL_MEMORY_BUFFER, NULL, &pool, NULL,
                                 &context, &queue) != CLPOOL_SUCCESS ||
      clpool_pool_allocate(pool, 1 << 20, &block) != CLPOOL_SUCCESS) {
    fprintf(stderr, "%s\n", clpool_last_error_message());
    return 1;
  }
  cl_mem buffer = clpool_mem_handle(block);  // for kernels and commands
  printf("%zu bytes, %s\n", clpool_mem_size(block), buffer ? "a cl_mem" : "none");
  clpool_mem_release(block);  // the next request takes it in nanoseconds
  clpool_pool_release(pool);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
