/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* trace.h: a log of a program's allocations, its figures, and what it would cost with a pool and without. */
#include "opened.h"

int main(void) {
  const char* path = "clpool_example_header_trace.csv";
  const uint64_t sizes[4] = {1000, 250000, 4096, 1000};
  clpool_trace_stats stats = CLPOOL_TRACE_STATS_INIT;
  clpool_trace_replay_result pooled = CLPOOL_TRACE_REPLAY_RESULT_INIT;
  clpool_trace_replay_result direct = CLPOOL_TRACE_REPLAY_RESULT_INIT;
  clpool_trace_writer* writer = NULL;
  clpool_trace* trace = NULL;
  clpool_allocator* allocator = NULL;
  clpool_pool* pool = NULL;
  example_device device = open_default();

  CLPOOL_CHECK(clpool_trace_writer_create(path, &writer));
  for (uint64_t i = 0; i < 400; ++i) { /* a program's own allocator writes where it allocates and releases */
    CLPOOL_CHECK(clpool_trace_writer_write(writer, CLPOOL_TRACE_ALLOCATE, i + 1, sizes[i % 4], 0,
                                           CLPOOL_SUCCESS, i % 4 == 1 ? "picture" : NULL));
    CLPOOL_CHECK(clpool_trace_writer_write(writer, CLPOOL_TRACE_RELEASE, i + 1, sizes[i % 4], 0,
                                           CLPOOL_SUCCESS, NULL));
  }
  CLPOOL_CHECK(clpool_trace_writer_flush(writer)); /* tells what the release could not */
  CLPOOL_CHECK(clpool_trace_writer_release(writer));

  CLPOOL_CHECK(clpool_trace_open(path, &trace));
  CLPOOL_CHECK(clpool_trace_statistics(trace, &stats));
  EXPECT(stats.allocations == 400 && stats.peak_live_bytes == 250000 && stats.final_live_blocks == 0);

  CLPOOL_CHECK(clpool_allocator_create_immediate(device.queue, 0, &allocator));
  CLPOOL_CHECK(clpool_pool_create(allocator, NULL, &pool));
  CLPOOL_CHECK(clpool_trace_replay_pool(trace, pool, NULL, &pooled));
  CLPOOL_CHECK(clpool_trace_replay_allocator(trace, allocator, NULL, &direct));
  EXPECT(direct.driver_allocations == 400 && pooled.driver_allocations < 400);
  printf("%llu allocations: %llu of the driver and %llu ns each with a pool, %llu and %llu ns without\n",
         (unsigned long long)stats.allocations, (unsigned long long)pooled.driver_allocations,
         (unsigned long long)(pooled.allocation_ps / 1000), (unsigned long long)direct.driver_allocations,
         (unsigned long long)(direct.allocation_ps / 1000));
  CLPOOL_CHECK(clpool_pool_release(pool));
  CLPOOL_CHECK(clpool_allocator_release(allocator));
  CLPOOL_CHECK(clpool_trace_release(trace));
  EXPECT(remove(path) == 0);
  example_close(&device);
  return 0;
}
