/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* A context, a queue and a pool for each device of the first platform that has any. */
#include "example.h"

enum { most = 8, size = 1 << 20 };

typedef struct worker {
  example_device device;
  clpool_pool* pool;
} worker;

static worker begin(cl_device_id id) {
  worker made = {{id, NULL, NULL}, NULL};
  clpool_allocator* allocator = NULL;
  cl_int code = CL_SUCCESS;
  made.device.context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
  CL_CHECK(code);
  made.device.queue = clCreateCommandQueue(made.device.context, id, 0, &code);
  CL_CHECK(code);
  CLPOOL_CHECK(clpool_allocator_create_immediate(made.device.queue, 0, &allocator));
  CLPOOL_CHECK(clpool_pool_create(allocator, NULL, &made.pool));
  CLPOOL_CHECK(clpool_allocator_release(allocator)); /* the pool has its own */
  return made;
}

static void work(const worker* self) {
  const cl_int zero = 0;
  clpool_mem* block = NULL;
  CLPOOL_CHECK(clpool_pool_allocate(self->pool, size, &block));
  CLPOOL_CHECK(clpool_mem_fill(self->device.queue, block, &zero, sizeof zero, 0,
                               CLPOOL_WHOLE_SIZE, 0, NULL, NULL));
  CLPOOL_CHECK(clpool_mem_release(block));
}

int main(void) {
  cl_platform_id platforms[16];
  cl_device_id devices[most];
  worker workers[most];
  cl_uint platform_count = 0;
  cl_uint count = 0;
  cl_uint i;
  int step;
  CL_CHECK(clGetPlatformIDs(16, platforms, &platform_count));
  for (i = 0; i < platform_count && i < 16 && count == 0; ++i) {
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, most, devices, &count) !=
        CL_SUCCESS) {
      count = 0;
    }
  }
  count = count < most ? count : most;
  for (i = 0; i < count; ++i) {
    workers[i] = begin(devices[i]);
  }
  for (step = 0; step < 100; ++step) {
    for (i = 0; i < count; ++i) {
      work(&workers[i]);
    }
  }
  for (i = 0; i < count; ++i) {
    clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
    CL_CHECK(clFinish(workers[i].device.queue));
    CLPOOL_CHECK(clpool_pool_statistics(workers[i].pool, &stats));
    EXPECT(stats.allocations == 100 && stats.driver_allocations == 1);
    CLPOOL_CHECK(clpool_pool_release(workers[i].pool));
    example_close(&workers[i].device);
  }
  EXPECT(count > 0);
  printf("each device asked its driver once\n");
  return 0;
}
