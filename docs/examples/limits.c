/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* A pool that may take 16 MiB: what it does before it fails, what the error says, and how memory goes back. */
#include "example.h"

enum { mib = 1 << 20 };

typedef struct cache {
  clpool_mem* block; /* could be computed again */
} cache;

/* Asked first: give up what can be had again. */
static void drop_cache(void* user) {
  cache* mine = user;
  CLPOOL_CHECK(clpool_mem_release(mine->block));
  mine->block = NULL;
}

/* Asked last: nothing has helped. Not 0 would mean: try once more. */
static int32_t nothing_left(void* user, uint64_t size, uint32_t attempt) {
  (void)user;
  printf("no %llu MiB, attempt %u\n", (unsigned long long)(size / mib), attempt);
  return 0;
}

static clpool_pool* limited_pool(clpool_allocator* allocator, cache* mine) {
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  clpool_pool* pool = NULL;
  callbacks.collect = drop_cache;
  callbacks.out_of_memory = nothing_left;
  options.max_bytes = 16 * mib;     /* most that the pool may have */
  options.max_held_bytes = 8 * mib; /* most that it may keep unused */
  options.wait_ns = 1000000000;     /* 1 s for releases in flight; 0: 10 s */
  options.callbacks = &callbacks;
  options.user = mine;
  options.name = "images";
  CLPOOL_CHECK(clpool_pool_create(allocator, &options, &pool));
  return pool;
}

int main(void) {
  example_device device = example_open();
  clpool_allocator* allocator = NULL;
  clpool_mem* large = NULL;
  clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
  cache mine = {NULL};
  clpool_pool* pool;
  CLPOOL_CHECK(clpool_allocator_create_immediate(device.queue, 0, &allocator));
  pool = limited_pool(allocator, &mine);

  CLPOOL_CHECK(clpool_pool_allocate(pool, 10 * mib, &mine.block));
  /* Both do not fit: the cache goes. */
  CLPOOL_CHECK(clpool_pool_allocate(pool, 12 * mib, &large));
  EXPECT(mine.block == NULL);

  EXPECT(clpool_pool_allocate(pool, 20 * mib, &mine.block) ==
         CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT(mine.block == NULL);

  CLPOOL_CHECK(clpool_mem_release(large));
  CLPOOL_CHECK(clpool_pool_trim(pool, 0)); /* gives all back */
  CLPOOL_CHECK(clpool_pool_statistics(pool, &stats));
  printf("peak %llu MiB, %llu MiB left\n",
         (unsigned long long)(stats.peak_managed_bytes / mib),
         (unsigned long long)(stats.managed_bytes / mib));
  EXPECT(stats.managed_bytes == 0);
  EXPECT(stats.out_of_memory_events > 0); /* how many, the device's pace tells */
  CLPOOL_CHECK(clpool_pool_release(pool));
  CLPOOL_CHECK(clpool_allocator_release(allocator));
  example_close(&device);
  return 0;
}
