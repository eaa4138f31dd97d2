/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* One pool, two queues: uploads on one of them, fills on the other. No block is handed out again while commands
 * still use it. */
#include "example.h"

enum { steps = 100, size = 1 << 16 };

/* A pool that is told of both queues holds every released block back until both are through with it. */
static clpool_pool* pool_over(const cl_command_queue* queues,
                              clpool_allocator* allocator) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  clpool_pool* pool = NULL;
  options.queues = queues;
  options.queue_count = 2;
  CLPOOL_CHECK(clpool_pool_create(allocator, &options, &pool));
  return pool;
}

/* A block for one of them waits for that one alone. */
static void fill_on(clpool_pool* pool, cl_command_queue queue, cl_int value,
                    cl_int* result) {
  clpool_mem* block = NULL;
  CLPOOL_CHECK(clpool_pool_allocate_on(pool, queue, size, &block));
  CL_CHECK(clEnqueueFillBuffer(queue, clpool_mem_handle(block), &value,
                               sizeof value, 0, size, 0, NULL, NULL));
  CL_CHECK(clEnqueueReadBuffer(queue, clpool_mem_handle(block), CL_FALSE,
                               size - sizeof value, sizeof value, result, 0, NULL,
                               NULL));
  CL_CHECK(clFlush(queue));
  CLPOOL_CHECK(clpool_mem_release(block)); /* at once: the read is still to come */
}

/* A block that goes from one queue to the other: the event orders the commands, and both uses are declared. */
static void hand_over(clpool_pool* pool, const cl_command_queue* queues,
                      cl_int value, cl_int* result) {
  clpool_mem* block = NULL;
  cl_event filled = NULL;
  CLPOOL_CHECK(clpool_pool_allocate_on(pool, queues[0], size, &block));
  CL_CHECK(clEnqueueFillBuffer(queues[0], clpool_mem_handle(block), &value,
                               sizeof value, 0, size, 0, NULL, &filled));
  CL_CHECK(clFlush(queues[0]));
  CLPOOL_CHECK(clpool_mem_used_on(block, queues[1]));
  CL_CHECK(clEnqueueReadBuffer(queues[1], clpool_mem_handle(block), CL_FALSE, 0,
                               sizeof value, result, 1, &filled, NULL));
  CL_CHECK(clFlush(queues[1]));
  CL_CHECK(clReleaseEvent(filled));
  CLPOOL_CHECK(clpool_mem_release(block));
}

/* The program knows better: an event says when the block is free, or it has waited itself. */
static void known_end(clpool_pool* pool, cl_command_queue queue, cl_int value,
                      cl_int* result) {
  clpool_mem* block = NULL;
  cl_event read = NULL;
  CLPOOL_CHECK(clpool_pool_allocate_on(pool, queue, size, &block));
  CL_CHECK(clEnqueueFillBuffer(queue, clpool_mem_handle(block), &value,
                               sizeof value, 0, size, 0, NULL, NULL));
  CL_CHECK(clEnqueueReadBuffer(queue, clpool_mem_handle(block), CL_FALSE, 0,
                               sizeof value, result, 0, NULL, &read));
  CL_CHECK(clWaitForEvents(1, &read));
  CL_CHECK(clReleaseEvent(read));
  CLPOOL_CHECK(clpool_mem_release_idle(block)); /* may be reused at once */
}

int main(void) {
  example_device device = example_open();
  cl_int code = CL_SUCCESS;
  const cl_command_queue queues[2] = {
      device.queue, clCreateCommandQueue(device.context, device.id, 0, &code)};
  clpool_allocator* allocator = NULL;
  clpool_pool* pool = NULL;
  clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
  cl_int results[steps] = {0};
  int i;
  CL_CHECK(code);
  CLPOOL_CHECK(clpool_allocator_create_immediate(queues[0], 0, &allocator));
  pool = pool_over(queues, allocator);

  for (i = 0; i < steps; ++i) {
    switch (i % 3) {
      case 0:
        fill_on(pool, queues[i % 2], i, &results[i]);
        break;
      case 1:
        hand_over(pool, queues, i, &results[i]);
        break;
      default:
        known_end(pool, queues[i % 2], i, &results[i]);
        break;
    }
  }
  CL_CHECK(clFinish(queues[0]));
  CL_CHECK(clFinish(queues[1]));
  for (i = 0; i < steps; ++i) {
    EXPECT(results[i] == i); /* nobody's block was given away */
  }

  CLPOOL_CHECK(clpool_pool_statistics(pool, &stats));
  EXPECT(stats.allocations == steps && stats.active_blocks == 0);
  printf("%d steps on two queues, every value right\n", steps);
  CLPOOL_CHECK(clpool_pool_release(pool));
  CLPOOL_CHECK(clpool_allocator_release(allocator));
  CL_CHECK(clReleaseCommandQueue(queues[1]));
  example_close(&device);
  return 0;
}
