/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* A program of the first header, as if it had been compiled then: what its structs lack is behind them, where
 * nothing of the library may read or write. It needs no device: its memory comes from malloc(). */
#include <clpool/clpool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                                  \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);             \
      fprintf(stderr, "  the library's last message: %s\n", clpool_last_error_message()); \
      ++failures;                                                                         \
    }                                                                                     \
  } while (0)

/* Bytes behind a struct, which would be fields of the library's own, newer one: invalid as each of these. */
struct fence {
  unsigned char bytes[256];
};

static void close_fence(struct fence* fence) {
  memset(fence->bytes, 0xFF, sizeof fence->bytes);
}

static int is_untouched(const struct fence* fence) {
  for (size_t i = 0; i < sizeof fence->bytes; ++i) {
    if (fence->bytes[i] != 0xFF) return 0;
  }
  return 1;
}

static struct { int made, returned, ended, collected, asked, messages; } seen;

static clpool_status make_chunk(void* user, uint64_t size, uint64_t alignment, uint64_t* chunk) {
  (void)user;
  *chunk =
      (uint64_t)(uintptr_t)aligned_alloc(alignment, (size_t)((size + alignment - 1) / alignment * alignment));
  seen.made += 1;
  return *chunk != 0 ? CLPOOL_SUCCESS : CLPOOL_ERROR_OUT_OF_MEMORY;
}

static void return_chunk(void* user, uint64_t chunk, uint64_t size) {
  (void)user;
  (void)size;
  free((void*)(uintptr_t)chunk);
  seen.returned += 1;
}

static void end_allocator(void* user) {
  (void)user;
  seen.ended += 1;
}

static void collect(void* user) {
  (void)user;
  seen.collected += 1;
}

static int32_t out_of_memory(void* user, uint64_t size, uint32_t attempt) {
  (void)user;
  (void)size;
  (void)attempt;
  seen.asked += 1;
  return 0;
}

static void receive(void* user, int32_t severity, const char* text) {
  (void)user;
  (void)severity;
  (void)text;
  seen.messages += 1;
}

static clpool_allocator* make_allocator(void) {
  struct {
    clpool_allocator_ops ops;
    struct fence behind;
  } given = {CLPOOL_ALLOCATOR_OPS_INIT, {{0}}};
  clpool_allocator* allocator = NULL;
  close_fence(&given.behind);
  given.ops.allocate = make_chunk;
  given.ops.deallocate = return_chunk;
  given.ops.destroy = end_allocator;
  CHECK(clpool_allocator_create_custom(&given.ops, NULL, &allocator) == CLPOOL_SUCCESS);
  CHECK(is_untouched(&given.behind));
  return allocator;
}

static clpool_pool* make_pool(clpool_allocator* allocator, uint32_t strategy) {
  struct {
    clpool_pool_callbacks callbacks;
    struct fence behind;
  } functions = {CLPOOL_POOL_CALLBACKS_INIT, {{0}}};
  struct {
    clpool_pool_options options;
    struct fence behind;
  } given = {CLPOOL_POOL_OPTIONS_INIT, {{0}}};
  clpool_pool* pool = NULL;
  close_fence(&functions.behind);
  close_fence(&given.behind);
  functions.callbacks.collect = collect;
  functions.callbacks.out_of_memory = out_of_memory;
  functions.callbacks.message = receive;
  given.options.strategy = strategy;
  given.options.max_bytes = 1 << 20;
  given.options.alignment = 64;
  given.options.callbacks = &functions.callbacks;
  given.options.name = "first";
  CHECK(clpool_pool_create(allocator, &given.options, &pool) == CLPOOL_SUCCESS);
  CHECK(is_untouched(&functions.behind) && is_untouched(&given.behind));
  return pool;
}

static clpool_pool_stats figures_of(clpool_pool* pool) {
  struct {
    clpool_pool_stats stats;
    struct fence behind;
  } taken = {CLPOOL_POOL_STATS_INIT, {{0}}};
  close_fence(&taken.behind);
  CHECK(clpool_pool_statistics(pool, &taken.stats) == CLPOOL_SUCCESS);
  CHECK(taken.stats.struct_size == sizeof(clpool_pool_stats));
  CHECK(is_untouched(&taken.behind));
  return taken.stats;
}

static void use_pool(clpool_pool* pool) {
  clpool_mem* block = NULL;
  for (int step = 0; step < 10; ++step) {
    CHECK(clpool_pool_allocate(pool, 1000, &block) == CLPOOL_SUCCESS);
    CHECK(clpool_mem_size(block) == 1000 && clpool_mem_capacity(block) >= 1000);
    CHECK(clpool_mem_kind(block) == CLPOOL_MEM_KIND_CUSTOM && clpool_mem_is_pooled(block) == 1);
    memset(clpool_mem_pointer(block), step, 1000);
    CHECK(clpool_mem_release(block) == CLPOOL_SUCCESS);
  }
  CHECK(clpool_pool_allocate(pool, 2 << 20, &block) == CLPOOL_ERROR_OUT_OF_MEMORY && block == NULL);
  CHECK(seen.asked == 1);
  clpool_pool_stats stats = figures_of(pool);
  CHECK(stats.allocations == 10 && stats.active_blocks == 0 && stats.driver_allocations >= 1);
  CHECK(stats.out_of_memory_events >= 1);
  CHECK(clpool_pool_tick(pool) == CLPOOL_SUCCESS);
  CHECK(clpool_pool_trim(pool, 0) == CLPOOL_SUCCESS && clpool_pool_free_held(pool) == CLPOOL_SUCCESS);
  CHECK(figures_of(pool).managed_bytes == 0);
}

int main(void) {
  uint64_t bin = 0;
  clpool_set_message_callback(receive, NULL);
  CHECK(clpool_version_number() >= 0x010000 && clpool_version_string()[0] == '1');
  CHECK(strcmp(clpool_cl_error_name(-5), "CL_OUT_OF_RESOURCES") == 0);
  CHECK(clpool_bin_number(1000, 4, &bin) == CLPOOL_SUCCESS && bin != 0 && clpool_bitlog2(1000) == 9);
  for (uint32_t strategy = CLPOOL_STRATEGY_DEFAULT; strategy <= CLPOOL_STRATEGY_BINNED; ++strategy) {
    memset(&seen, 0, sizeof seen);
    clpool_allocator* allocator = make_allocator();
    clpool_pool* pool = make_pool(allocator, strategy);
    use_pool(pool);
    CHECK(clpool_pool_release(pool) == CLPOOL_SUCCESS);
    CHECK(clpool_allocator_release(allocator) == CLPOOL_SUCCESS);
    CHECK(seen.made == seen.returned && seen.ended == 1);
  }
  printf("%d failures with libclpool %s\n", failures, clpool_version_string());
  return failures == 0 ? 0 : 1;
}
