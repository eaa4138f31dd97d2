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
  cl_platform_id platform;
  cl_device_id device;
  clpool_allocator* allocator;
  clpool_pool* pool;
  clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;

  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS) {
    printf("skipped: no OpenCL device\n");
    return 77;
  }
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);

  if (clpool_allocator_create_immediate(queue, 0, &allocator) != CLPOOL_SUCCESS) return failed("allocator");
  if (clpool_pool_create(allocator, NULL, &pool) != CLPOOL_SUCCESS) return failed("pool");

  for (int step = 0; step < 1000; ++step) { /* only the first step asks the driver for memory */
    clpool_mem* block;
    if (clpool_pool_allocate(pool, 1 << 20, &block) != CLPOOL_SUCCESS) return failed("block");
    cl_mem buffer = clpool_mem_handle(block); /* for any OpenCL call */
    clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof before, &before, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof after, &after, 0, NULL, NULL);
    clpool_mem_release(block); /* back to the pool */
  }

  clpool_pool_statistics(pool, &stats);
  printf("read %u; %llu blocks from %llu allocations of the driver\n", after,
         (unsigned long long)stats.allocations, (unsigned long long)stats.driver_allocations);
  clpool_pool_release(pool);
  clpool_allocator_release(allocator);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return after == before && stats.driver_allocations == 1 ? 0 : 1;
}
