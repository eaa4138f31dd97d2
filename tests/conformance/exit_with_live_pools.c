/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* A process ends while its pools, their blocks and a thread that uses them live on, and after it gave up its
 * own context: the library does nothing at exit, so nothing can go wrong there. Exit codes: 0,
 * or 77 if there is no device. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue, which every version has */
#include <clpool/clpool.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { kinds = 3, blocks = 16, code_skipped = 77 };

static clpool_pool* pools[kinds];
static clpool_mem* held[kinds][blocks];
static atomic_int rounds;

static void require(int is_right, const char* what) {
  if (!is_right) {
    fprintf(stderr, "%s: %s\n", what, clpool_last_error_message());
    _Exit(1);
  }
}

static clpool_status take_number(void* user, uint64_t size, uint64_t alignment, uint64_t* chunk) {
  static uint64_t next = 1 << 20;
  (void)user;
  *chunk = (next + alignment - 1) / alignment * alignment;
  next = *chunk + size;
  return CLPOOL_SUCCESS;
}

static void give_number_back(void* user, uint64_t chunk, uint64_t size) {
  (void)user;
  (void)chunk;
  (void)size;
}

static cl_context first_context(cl_device_id* device) {
  cl_platform_id platforms[8];
  cl_uint count = 0;
  clGetPlatformIDs(8, platforms, &count);
  for (cl_uint i = 0; i < count && i < 8; ++i) {
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, device, NULL) == CL_SUCCESS) {
      return clCreateContext(NULL, 1, device, NULL, NULL, NULL);
    }
  }
  return NULL;
}

static void fill(int kind, clpool_allocator* allocator, cl_command_queue queue) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = queue != NULL ? &queue : NULL;
  options.queue_count = queue != NULL ? 1 : 0;
  require(clpool_pool_create(allocator, &options, &pools[kind]) == CLPOOL_SUCCESS, "create a pool");
  for (int i = 0; i < blocks; ++i) {
    require(clpool_pool_allocate(pools[kind], 1000, &held[kind][i]) == CLPOOL_SUCCESS, "allocate");
  }
  for (int i = 0; i < blocks; i += 2) {
    clpool_mem_release(held[kind][i]);  // some are held by the pool, some by the program
    held[kind][i] = NULL;
  }
}

/// Never ends by itself. What it asks for is there, so that it calls no driver, which may be gone already.
static void* use_pools(void* unused) {
  for (;; atomic_fetch_add(&rounds, 1)) {
    for (int kind = 0; kind < kinds; ++kind) {
      clpool_mem* mem = NULL;
      require(clpool_pool_allocate(pools[kind], 1000, &mem) == CLPOOL_SUCCESS, "allocate in the thread");
      clpool_mem_release(mem);
    }
  }
  return unused;
}

int main(void) {
  cl_device_id device = NULL;
  cl_context context = first_context(&device);
  if (context == NULL) {
    puts("skipped: no OpenCL device");
    return code_skipped;
  }
  cl_int code = CL_SUCCESS;
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
  require(code == CL_SUCCESS, "create a queue");

  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  ops.allocate = take_number;
  ops.deallocate = give_number_back;
  clpool_allocator* allocators[kinds] = {NULL};
  require(clpool_allocator_create_deferred(context, 0, &allocators[0]) == CLPOOL_SUCCESS, "deferred");
  require(clpool_allocator_create_pinned(queue, 0, &allocators[1]) == CLPOOL_SUCCESS, "pinned");
  require(clpool_allocator_create_custom(&ops, NULL, &allocators[2]) == CLPOOL_SUCCESS, "custom");
  for (int kind = 0; kind < kinds; ++kind) {
    fill(kind, allocators[kind], kind == 2 ? NULL : queue);
    clpool_allocator_release(allocators[kind]);
  }
  clFinish(queue);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);

  pthread_t thread;
  require(pthread_create(&thread, NULL, use_pools, NULL) == 0, "start a thread");
  while (atomic_load(&rounds) < 100) {
    sched_yield();
  }
  return 0;
}
