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
#define CLPOOL_STATISTIC(name) std::uint64_t name = 0;
#include "pool/statistics.inc"
};

}  // namespace clpool::core
