/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pool.h: a pool with a limit, whose program drops a cache of its own when memory is out, and its figures. */
#include "opened.h"

typedef struct cache {
  clpool_mem* block; /* could be computed again */
  int dropped;
} cache;

static void drop(void* user) { /* clpool_pool_callbacks.collect: may release, without any lock held */
  cache* mine = (cache*)user;
  mine->dropped += mine->block != NULL;
  CLPOOL_CHECK(clpool_mem_release(mine->block));
  mine->block = NULL;
}

int main(void) {
  const size_t mib = 1 << 20;
  cache mine = {NULL, 0};
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
  example_device device = {NULL, NULL, NULL};
  clpool_pool* pool = NULL;
  clpool_mem* large = NULL;

  callbacks.collect = drop;
  options.name = "example";
  options.max_bytes = 16 * mib;
  options.callbacks = &callbacks;
  options.user = &mine;
  need_device(clpool_pool_create_default(NULL, CLPOOL_MEMORY_BUFFER, &options, &pool, &device.id,
                                         &device.context, &device.queue));

  CLPOOL_CHECK(clpool_pool_allocate(pool, 10 * mib, &mine.block));
  CLPOOL_CHECK(clpool_pool_allocate(pool, 12 * mib, &large)); /* both do not fit */
  EXPECT(mine.dropped == 1 && mine.block == NULL);
  CLPOOL_CHECK(clpool_mem_release(large));
  CLPOOL_CHECK(clpool_pool_trim(pool, 0)); /* before somebody else needs the device's memory */
  CLPOOL_CHECK(clpool_pool_statistics(pool, &stats));
  EXPECT(stats.active_blocks == 0 && stats.managed_bytes == 0 &&
         stats.peak_managed_bytes <= options.max_bytes);
  printf("cache dropped %d time, peak %llu MiB of %llu MiB, %llu MiB left\n", mine.dropped,
         (unsigned long long)(stats.peak_managed_bytes >> 20), (unsigned long long)(options.max_bytes >> 20),
         (unsigned long long)(stats.managed_bytes >> 20));
  CLPOOL_CHECK(clpool_pool_release(pool));
  example_close(&device);
  return 0;
}
