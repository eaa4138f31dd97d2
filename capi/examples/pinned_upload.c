/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Uploads through page-locked host memory, which is what makes transfers run at full speed, from a pool,
 * because making such memory costs the driver milliseconds. Two staging blocks take turns: one is filled
 * while the other is sent. */
#include "example.h"

#include <string.h>

enum { piece = 1 << 18, pieces = 32 };

static void fill(unsigned char* to, int number) {
  int i;
  for (i = 0; i < piece; ++i) {
    to[i] = (unsigned char)(number * 31 + i * 7);
  }
}

/* Sends piece after piece, each from a staging block that is asked for and released like any host memory; the
 * event says when it has been read. */
static void upload(clpool_pool* staging, cl_command_queue queue, cl_mem target) {
  clpool_mem* blocks[2] = {NULL, NULL};
  cl_event sent[2] = {NULL, NULL};
  int number;
  for (number = 0; number < pieces + 2; ++number) {
    const int turn = number % 2;
    if (sent[turn] != NULL) {
      CL_CHECK(clWaitForEvents(1, &sent[turn]));
      CL_CHECK(clReleaseEvent(sent[turn]));
      CLPOOL_CHECK(clpool_mem_release_idle(blocks[turn])); /* its command has ended, as we know */
      sent[turn] = NULL;
    }
    if (number < pieces) {
      CLPOOL_CHECK(clpool_pool_allocate(staging, piece, &blocks[turn]));
      EXPECT(clpool_mem_kind(blocks[turn]) == CLPOOL_MEM_KIND_PINNED);
      fill(clpool_mem_pointer(blocks[turn]), number);
      CL_CHECK(clEnqueueWriteBuffer(queue, target, CL_FALSE, (size_t)number * piece, piece,
                                    clpool_mem_pointer(blocks[turn]), 0, NULL, &sent[turn]));
      CL_CHECK(clFlush(queue));
    }
  }
}

static void verify(cl_command_queue queue, cl_mem target) {
  static unsigned char expected[piece];
  static unsigned char found[piece];
  int number;
  for (number = 0; number < pieces; ++number) {
    fill(expected, number);
    CL_CHECK(
        clEnqueueReadBuffer(queue, target, CL_TRUE, (size_t)number * piece, piece, found, 0, NULL, NULL));
    EXPECT(memcmp(expected, found, piece) == 0);
  }
}

int main(void) {
  example_device device = example_open();
  clpool_allocator* pinned = NULL;
  clpool_allocator* immediate = NULL;
  clpool_pool* staging = NULL;
  clpool_mem* target = NULL;
  clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
  CLPOOL_CHECK(clpool_allocator_create_pinned(device.queue, 0, &pinned));
  CLPOOL_CHECK(clpool_pool_create(pinned, NULL, &staging));
  CLPOOL_CHECK(clpool_allocator_create_immediate(device.queue, 0, &immediate));
  CLPOOL_CHECK(clpool_allocator_allocate(immediate, (size_t)piece * pieces, &target));

  upload(staging, device.queue, clpool_mem_handle(target));
  verify(device.queue, clpool_mem_handle(target));

  CLPOOL_CHECK(clpool_pool_statistics(staging, &stats));
  printf("%d pieces sent through %llu bytes of page-locked memory, %llu allocations of the driver\n", pieces,
         (unsigned long long)stats.peak_active_bytes, (unsigned long long)stats.driver_allocations);
  EXPECT(stats.peak_active_bytes == 2 * piece);
  EXPECT(stats.allocations == pieces && stats.active_blocks == 0);
  EXPECT(stats.driver_allocations <= 2);

  CLPOOL_CHECK(clpool_mem_release(target));
  CLPOOL_CHECK(clpool_pool_release(staging));
  CLPOOL_CHECK(clpool_allocator_release(pinned));
  CLPOOL_CHECK(clpool_allocator_release(immediate));
  example_close(&device);
  return 0;
}
