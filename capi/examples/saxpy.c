/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* y = a*x + y, over and over, with new buffers from a pool each time, as array libraries do it. The driver is
 * asked for memory in the first round only; the pool's figures prove it. */
#include "example.h"

static const char* const source =
    "kernel void saxpy(const float a, global const float* x, global float* y) {\n"
    "  const size_t i = get_global_id(0);\n"
    "  y[i] = a * x[i] + y[i];\n"
    "}\n";

enum { count = 1 << 16, rounds = 200 };

static clpool_mem* upload(clpool_pool* pool, cl_command_queue queue, const float* values) {
  clpool_mem* block = NULL;
  CLPOOL_CHECK(clpool_pool_allocate(pool, count * sizeof *values, &block));
  CL_CHECK(clEnqueueWriteBuffer(queue, clpool_mem_handle(block), CL_TRUE, 0, count * sizeof *values, values,
                                0, NULL, NULL));
  return block;
}

/* One round: both operands in fresh blocks, which are released when the work is enqueued. On an in-order
 * queue that is safe: who gets the memory next enqueues behind this. */
static void run_saxpy(clpool_pool* pool, const example_device* device, cl_kernel kernel, float a,
                      const float* x, float* y) {
  const size_t size = count;
  clpool_mem* x_block = upload(pool, device->queue, x);
  clpool_mem* y_block = upload(pool, device->queue, y);
  cl_mem x_buffer = clpool_mem_handle(x_block);
  cl_mem y_buffer = clpool_mem_handle(y_block);
  CL_CHECK(clSetKernelArg(kernel, 0, sizeof a, &a));
  CL_CHECK(clSetKernelArg(kernel, 1, sizeof x_buffer, &x_buffer));
  CL_CHECK(clSetKernelArg(kernel, 2, sizeof y_buffer, &y_buffer));
  CL_CHECK(clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
  CLPOOL_CHECK(clpool_mem_release(x_block));
  CL_CHECK(clEnqueueReadBuffer(device->queue, y_buffer, CL_TRUE, 0, count * sizeof *y, y, 0, NULL, NULL));
  CLPOOL_CHECK(clpool_mem_release(y_block));
}

int main(void) {
  example_device device = example_open();
  cl_kernel kernel = example_kernel(&device, source, "saxpy");
  clpool_allocator* allocator = NULL;
  clpool_pool* pool = NULL;
  clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
  static float x[count];
  static float y[count];
  int round;
  int i;
  CLPOOL_CHECK(clpool_allocator_create_immediate(device.queue, 0, &allocator));
  CLPOOL_CHECK(clpool_pool_create(allocator, NULL, &pool));

  for (i = 0; i < count; ++i) {
    x[i] = (float)(i % 1000);
    y[i] = 1.0f;
  }
  for (round = 0; round < rounds; ++round) {
    run_saxpy(pool, &device, kernel, 2.0f, x, y);
  }
  for (i = 0; i < count; ++i) { /* whole numbers below 2^24: exact in float */
    EXPECT(y[i] == 1.0f + 2.0f * (float)rounds * x[i]);
  }

  CLPOOL_CHECK(clpool_pool_statistics(pool, &stats));
  printf("%d rounds, %llu blocks, %llu allocations of the driver, %llu bytes at most\n", rounds,
         (unsigned long long)stats.allocations, (unsigned long long)stats.driver_allocations,
         (unsigned long long)stats.peak_managed_bytes);
  EXPECT(stats.allocations == 2 * rounds);
  EXPECT(stats.driver_allocations <= 2);
  EXPECT(stats.active_blocks == 0 && stats.active_bytes == 0);
  EXPECT(stats.peak_active_bytes == 2 * sizeof x);

  CLPOOL_CHECK(clpool_pool_release(pool));
  CLPOOL_CHECK(clpool_allocator_release(allocator));
  CL_CHECK(clReleaseKernel(kernel));
  example_close(&device);
  return 0;
}
