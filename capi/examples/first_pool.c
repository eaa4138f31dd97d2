/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* The shortest useful program: a pool over an OpenCL device, and blocks of it as plain cl_mem handles. */
#define CL_TARGET_OPENCL_VERSION 120
#include <clpool/clpool.h>
#include <stdio.h>

static int failed(const char* what) {
  fprintf(stderr, "%s failed: %s\n", what, clpool_last_error_message());
  return 1;
}

int main(void) {
  const cl_uint before = 42;
  cl_uint after = 0;
  cl_context context;
  cl_command_queue queue;
  clpool_pool* pool;
  clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;

  /* The device that CLPOOL_DEVICE names, or the best one; a context, a queue and a pool of its buffers. */
  if (clpool_pool_create_default(NULL, CLPOOL_MEMORY_BUFFER, NULL, &pool, NULL, &context, &queue) !=
      CLPOOL_SUCCESS)
    return failed("pool");

  for (int step = 0; step < 1000; ++step) { /* only the first step asks the driver for memory */
    clpool_mem* block;
    if (clpool_pool_allocate(pool, 1 << 20, &block) != CLPOOL_SUCCESS) return failed("block");
    cl_mem buffer = clpool_mem_handle(block); /* for kernels and commands */
    clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof before, &before, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof after, &after, 0, NULL, NULL);
    clpool_mem_release(block); /* back to the pool */
  }

  clpool_pool_statistics(pool, &stats);
  printf("read %u; %llu blocks from %llu allocations of the driver\n", after,
         (unsigned long long)stats.allocations, (unsigned long long)stats.driver_allocations);
  clpool_pool_release(pool);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return after == before && stats.driver_allocations == 1 ? 0 : 1;
}
