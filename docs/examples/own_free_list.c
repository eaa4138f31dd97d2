/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* What stands behind the two functions of a free list of one's own once a pool does its work. */
#include "example.h"

typedef struct buffer_cache {
  clpool_allocator* allocator;
  clpool_pool* pool;
} buffer_cache;

static buffer_cache cache_create(cl_command_queue queue) {
  buffer_cache cache = {NULL, NULL};
  CLPOOL_CHECK(clpool_allocator_create_immediate(queue, 0, &cache.allocator));
  CLPOOL_CHECK(clpool_pool_create(cache.allocator, NULL, &cache.pool));
  return cache;
}

/* Before: look for a buffer of that size in a list, else clCreateBuffer(). */
static clpool_mem* cache_get(buffer_cache* cache, size_t size) {
  clpool_mem* block = NULL;
  CLPOOL_CHECK(clpool_pool_allocate(cache->pool, size, &block));
  return block; /* clpool_mem_handle(block) is the cl_mem */
}

/* Before: put it back into the list, or clReleaseMemObject() when the list is long. */
static void cache_put(clpool_mem* block) {
  CLPOOL_CHECK(clpool_mem_release(block));
}

static void cache_destroy(buffer_cache* cache) {
  CLPOOL_CHECK(clpool_pool_release(cache->pool));
  CLPOOL_CHECK(clpool_allocator_release(cache->allocator));
}

int main(void) {
  example_device device = example_open();
  buffer_cache cache = cache_create(device.queue);
  clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
  size_t size;
  /* A size that grows: a list by size would never hit, and keep 50 MB. */
  for (size = 10000; size <= 1000000; size += 10000) {
    cache_put(cache_get(&cache, size));
  }
  CLPOOL_CHECK(clpool_pool_statistics(cache.pool, &stats));
  EXPECT(stats.peak_active_bytes == 1000000);
  printf("100 sizes, %s 4 MiB taken\n",
         stats.peak_managed_bytes < (4u << 20) ? "less than" : "more than");
  cache_destroy(&cache);
  example_close(&device);
  return 0;
}
