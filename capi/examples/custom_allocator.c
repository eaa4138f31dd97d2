/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* A pool over memory of one's own: here a budget of ordinary host memory, so that no OpenCL device is needed.
 * Shows what a custom allocator has to do, how it says that it is out of memory, and that it gets everything
 * back. */
#define _POSIX_C_SOURCE 200112L
#include "example.h"

#include <string.h>

/* Thread-safety: this program has one thread; with more, these figures would have to be atomic. */
typedef struct arena {
  uint64_t budget;
  uint64_t used;
  int chunks;
  int refusals;
  int destroyed;
} arena;

static clpool_status arena_allocate(void* user, uint64_t size, uint64_t alignment, uint64_t* chunk) {
  arena* self = user;
  void* memory = NULL;
  if (size > self->budget - self->used ||
      posix_memalign(&memory, alignment < sizeof(void*) ? sizeof(void*) : (size_t)alignment, (size_t)size) !=
          0) {
    ++self->refusals;
    return CLPOOL_ERROR_OUT_OF_MEMORY;
  }
  self->used += size;
  ++self->chunks;
  *chunk = (uint64_t)(uintptr_t)memory;
  return CLPOOL_SUCCESS;
}

static void arena_deallocate(void* user, uint64_t chunk, uint64_t size) {
  arena* self = user;
  free((void*)(uintptr_t)chunk);
  self->used -= size;
  --self->chunks;
}

static void arena_destroy(void* user) {
  ((arena*)user)->destroyed = 1;
}

enum { block_count = 64, block_size = 5000, budget = 1 << 20 };

/* Blocks do not overlap: each keeps what was written to it. */
static void use_blocks(clpool_pool* pool) {
  clpool_mem* blocks[block_count];
  int i;
  for (i = 0; i < block_count; ++i) {
    CLPOOL_CHECK(clpool_pool_allocate(pool, block_size, &blocks[i]));
    memset(clpool_mem_pointer(blocks[i]), i, block_size);
  }
  for (i = 0; i < block_count; ++i) {
    const unsigned char* bytes = clpool_mem_pointer(blocks[i]);
    EXPECT(clpool_mem_size(blocks[i]) == block_size && clpool_mem_capacity(blocks[i]) >= block_size);
    EXPECT(bytes[0] == i && bytes[block_size / 2] == i && bytes[block_size - 1] == i);
  }
  for (i = 0; i < block_count; ++i) {
    CLPOOL_CHECK(clpool_mem_release(blocks[i]));
  }
}

/* What no effort can serve is an error with figures, and changes nothing. */
static void ask_too_much(clpool_pool* pool, const arena* memory) {
  clpool_mem* block = NULL;
  EXPECT(clpool_pool_allocate(pool, 2 * (size_t)budget, &block) == CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT(block == NULL && memory->refusals > 0);
  printf("as it should: %s\n", clpool_last_error_message());
  use_blocks(pool);
}

int main(void) {
  arena memory = {budget, 0, 0, 0, 0};
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  clpool_allocator* allocator = NULL;
  clpool_pool* pool = NULL;
  ops.allocate = arena_allocate;
  ops.deallocate = arena_deallocate;
  ops.destroy = arena_destroy;
  CLPOOL_CHECK(clpool_allocator_create_custom(&ops, &memory, &allocator));
  CLPOOL_CHECK(clpool_pool_create(allocator, NULL, &pool));
  CLPOOL_CHECK(clpool_allocator_release(allocator)); /* the pool has its own reference */

  use_blocks(pool);
  EXPECT(memory.used <= budget);
  ask_too_much(pool, &memory);
  CLPOOL_CHECK(clpool_pool_free_held(pool));
  EXPECT(memory.used == 0 && memory.chunks == 0);

  EXPECT(memory.destroyed == 0);
  CLPOOL_CHECK(clpool_pool_release(pool));
  EXPECT(memory.destroyed == 1);
  return 0;
}
