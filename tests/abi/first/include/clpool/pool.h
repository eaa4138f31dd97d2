/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* pool.h as first pinned, without its comments: see ../../README.md. Never changed. */
#ifndef CLPOOL_POOL_H
#define CLPOOL_POOL_H

#include "clpool/allocator.h"
#include "clpool/mem.h"
#include "clpool/message.h"
#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clpool_pool clpool_pool;

enum {
  CLPOOL_STRATEGY_DEFAULT = 0,

  CLPOOL_STRATEGY_COALESCING = 1,

  CLPOOL_STRATEGY_BINNED = 2
};

#define CLPOOL_LEADING_BITS_NONE UINT32_MAX

typedef struct clpool_pool_callbacks {
  uint32_t struct_size;

  uint32_t version;

  void (*collect)(void* user);

  int32_t (*out_of_memory)(void* user, uint64_t size, uint32_t attempt);

  clpool_message_callback message;
} clpool_pool_callbacks;

#define CLPOOL_POOL_CALLBACKS_INIT \
  { (uint32_t)sizeof(clpool_pool_callbacks), 1u, NULL, NULL, NULL }

CLPOOL_API void clpool_pool_callbacks_init(clpool_pool_callbacks* callbacks) CLPOOL_NOEXCEPT;

typedef struct clpool_pool_options {
  uint32_t struct_size;

  uint32_t strategy;

  uint32_t leading_bits_in_bin_id;

  uint32_t trace_messages;

  uint64_t max_bytes;

  uint64_t max_held_bytes;

  uint64_t min_chunk_bytes;

  uint64_t alignment;

  uint64_t release_threshold;

  uint64_t decay_ns;

  const clpool_pool_callbacks* callbacks;

  void* user;

  const cl_command_queue* queues;

  uint32_t queue_count;

  uint32_t reserved;

  const char* name;
} clpool_pool_options;

#define CLPOOL_POOL_OPTIONS_INIT                                                                         \
  {                                                                                                      \
    (uint32_t)sizeof(clpool_pool_options), 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, NULL, NULL, NULL, 0u, 0u, \
        NULL                                                                                             \
  }

CLPOOL_API void clpool_pool_options_init(clpool_pool_options* options) CLPOOL_NOEXCEPT;

typedef struct clpool_pool_stats {
  uint32_t struct_size;

  uint32_t reserved;

  uint64_t held_blocks;

  uint64_t active_blocks;

  uint64_t managed_bytes;

  uint64_t active_bytes;

  uint64_t held_bytes;

  uint64_t peak_managed_bytes;

  uint64_t peak_active_bytes;

  uint64_t driver_allocations;

  uint64_t driver_releases;

  uint64_t largest_free_bytes;

  uint64_t allocations;

  uint64_t hits;

  uint64_t misses;

  uint64_t out_of_memory_events;

  uint64_t reserved_bytes;

  uint64_t cached_bytes;

  uint64_t pending_bytes;

  uint64_t chunks;

  uint64_t fragmentation_ppm;

  uint64_t sub_buffers_created;
} clpool_pool_stats;

#define CLPOOL_POOL_STATS_INIT                                                                               \
  {                                                                                                          \
    (uint32_t)sizeof(clpool_pool_stats), 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, \
        0u, 0u, 0u, 0u                                                                                       \
  }

CLPOOL_API void clpool_pool_stats_init(clpool_pool_stats* stats) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_pool_create(clpool_allocator* allocator,
                                            const clpool_pool_options* options_or_null,
                                            clpool_pool** out) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_pool_allocate(clpool_pool* pool, size_t size,
                                              clpool_mem** out) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_pool_try_allocate(clpool_pool* pool, size_t size,
                                                  clpool_mem** out) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_pool_statistics(clpool_pool* pool, clpool_pool_stats* stats) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_pool_free_held(clpool_pool* pool) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_pool_stop_holding(clpool_pool* pool) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_pool_trim(clpool_pool* pool, uint64_t keep_bytes) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_pool_tick(clpool_pool* pool) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_pool_retain(clpool_pool* pool) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_pool_release(clpool_pool* pool) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_bin_number(uint64_t size, uint32_t leading_bits,
                                           uint64_t* bin) CLPOOL_NOEXCEPT;

CLPOOL_API clpool_status clpool_bin_alloc_size(uint64_t bin, uint32_t leading_bits,
                                               uint64_t* size) CLPOOL_NOEXCEPT;

CLPOOL_API uint32_t clpool_bitlog2(uint64_t value) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
