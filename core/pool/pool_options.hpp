// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a pool is made with and the figures that it reports; as clpool/pool.h documents them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cl_names.hpp"
#include "base/message.hpp"
#include "engine/bins.hpp"

namespace clpool::core {

enum class StrategyKind : std::uint32_t { coalescing = 1, binned = 2 };

struct PoolCallbacks {
  void (*collect)(void* user) = nullptr;
  std::int32_t (*out_of_memory)(void* user, std::uint64_t size, std::uint32_t attempt) = nullptr;
  MessageCallback message = nullptr;
  void (*destroy)(void* user) = nullptr;
  void* user = nullptr;
};

struct PoolOptions {
  StrategyKind strategy = StrategyKind::coalescing;
  std::uint32_t leading_bits = default_leading_bits;  ///< at most max_leading_bits
  bool trace_messages = false;
  std::uint64_t max_bytes = UINT64_MAX;
  std::uint64_t max_held_bytes = UINT64_MAX;
  std::uint64_t min_chunk_bytes = 0;    ///< 0: the strategy's default
  std::uint64_t alignment = 0;          ///< 0: the allocator's granularity
  std::uint64_t release_threshold = 0;  ///< bytes
  std::uint64_t decay_ns = 0;           ///< 0: never by age
  std::uint64_t wait_ns =
      10'000'000'000;  ///< how long a request without memory waits while nothing comes free
  bool guard = false;
  PoolCallbacks callbacks;
  std::vector<cl_command_queue> queues;
  std::string name;
};

struct PoolStats {
  std::uint64_t held_blocks = 0;
  std::uint64_t active_blocks = 0;
  std::uint64_t managed_bytes = 0;
  std::uint64_t active_bytes = 0;
  std::uint64_t held_bytes = 0;
  std::uint64_t peak_managed_bytes = 0;
  std::uint64_t peak_active_bytes = 0;
  std::uint64_t driver_allocations = 0;
  std::uint64_t driver_releases = 0;
  std::uint64_t largest_free_bytes = 0;
  std::uint64_t allocations = 0;
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t out_of_memory_events = 0;
  std::uint64_t reserved_bytes = 0;
  std::uint64_t cached_bytes = 0;
  std::uint64_t pending_bytes = 0;
  std::uint64_t chunks = 0;
  std::uint64_t fragmentation_ppm = 0;
  std::uint64_t sub_buffers_created = 0;
};

}  // namespace clpool::core
