/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* mem.h: one type for all memory: what a block is, its size, its handle for OpenCL, and two owners of it. */
#include "opened.h"

/* Keeps the memory for later: it takes a reference of its own. */
typedef struct history {
  clpool_mem* last;
} history;

static void remember(history* kept, clpool_mem* mem) {
  CLPOOL_CHECK(clpool_mem_retain(mem));
  CLPOOL_CHECK(clpool_mem_release(kept->last)); /* NULL at first, which is allowed */
  kept->last = mem;
}

int main(void) {
  example_device device = open_default();
  history kept = {NULL};
  clpool_allocator* allocator = NULL;
  clpool_pool* pool = NULL;
  clpool_mem* mem = NULL;
  cl_uint answer = 0;
  const cl_uint question = 42;

  CLPOOL_CHECK(clpool_allocator_create_immediate(device.queue, 0, &allocator));
  CLPOOL_CHECK(clpool_pool_create(allocator, NULL, &pool));
  CLPOOL_CHECK(clpool_pool_allocate(pool, 1000, &mem));
  EXPECT(clpool_mem_kind(mem) == CLPOOL_MEM_KIND_BUFFER && clpool_mem_is_pooled(mem) == 1);
  EXPECT(clpool_mem_size(mem) == 1000 && clpool_mem_capacity(mem) >= 1000);
  EXPECT(clpool_mem_pointer(mem) == NULL); /* a buffer has a handle, SVM and page-locked memory a pointer */

  CL_CHECK(clEnqueueWriteBuffer(device.queue, clpool_mem_handle(mem), CL_TRUE, 0, sizeof question, &question,
                                0, NULL, NULL));
  remember(&kept, mem);
  CLPOOL_CHECK(clpool_mem_release(mem)); /* the other owner still has it */
  CL_CHECK(clEnqueueReadBuffer(device.queue, clpool_mem_handle(kept.last), CL_TRUE, 0, sizeof answer, &answer,
                               0, NULL, NULL));
  EXPECT(answer == question);
  printf("%zu bytes asked for, %zu taken; the second owner read %u\n", clpool_mem_size(kept.last),
         clpool_mem_capacity(kept.last), answer);

  CLPOOL_CHECK(clpool_mem_release(kept.last)); /* back to the pool */
  CLPOOL_CHECK(clpool_pool_release(pool));
  CLPOOL_CHECK(clpool_allocator_release(allocator));
  example_close(&device);
  return 0;
}
