// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of the replays of clpool/trace.h. A replay goes through the public functions, so that it measures
// what a C program pays.
#include <cstddef>

#include "clpool/trace.h"
#include "handles.hpp"
#include "shim.hpp"
#include "trace/replay.hpp"

using clpool::capi::guarded;
using clpool::capi::read_options;
using clpool::capi::require;
using clpool::capi::to_core;
using clpool::capi::write_result;
using clpool::core::Replay;
using clpool::core::ReplayFigures;
using clpool::core::ReplayProgress;
using clpool::core::Status;

namespace {

constexpr std::uint64_t default_progress_interval = 4096;

struct PoolTarget {
  using Block = clpool_mem*;
  Status allocate(std::uint64_t size, Block& block) noexcept {
    return static_cast<Status>(clpool_pool_allocate(pool, size, &block));
  }
  void release(Block block) noexcept { clpool_mem_release(block); }
  clpool_pool* pool;
};

struct AllocatorTarget {
  using Block = clpool_mem*;
  Status allocate(std::uint64_t size, Block& block) noexcept {
    const auto status = static_cast<Status>(clpool_allocator_allocate(allocator, size, &block));
    driver_allocations += block != nullptr ? 1 : 0;
    return status;
  }
  void release(Block block) noexcept { clpool_mem_release(block); }
  clpool_allocator* allocator;
  std::uint64_t driver_allocations = 0;
};

/// `numerator` / `denominator` * 10^6, 0 for a denominator of 0.
std::uint64_t parts_per_million(std::uint64_t numerator, std::uint64_t denominator) noexcept {
  return denominator == 0 ? 0
                          : static_cast<std::uint64_t>(static_cast<long double>(numerator) * 1e6L /
                                                       static_cast<long double>(denominator));
}

Status begin(clpool_trace_replay_result* result, const char* function) noexcept {
  const clpool_trace_replay_result empty = CLPOOL_TRACE_REPLAY_RESULT_INIT;
  return clpool::capi::begin_result(empty, result, function, "result");
}

/// Checks what both replays are given, runs one, and lets `count_driver` add the driver's part.
template <typename Target, typename CountDriver>
Status replay(const clpool_trace* trace, Target& target, const clpool_trace_replay_options* options_or_null,
              clpool_trace_replay_result* result, const char* function, CountDriver&& count_driver) {
  CLPOOL_TRY(require(trace, function, "trace"));
  clpool_trace_replay_options options = CLPOOL_TRACE_REPLAY_OPTIONS_INIT;
  if (options_or_null != nullptr) {
    CLPOOL_TRY(read_options(options_or_null, options, function));
    CLPOOL_TRY(clpool::capi::require_zero(options.reserved, function));
  }
  clpool_trace_replay_result found = CLPOOL_TRACE_REPLAY_RESULT_INIT;
  const ReplayProgress progress = {
      options.progress, options.user,
      options.progress_interval == 0 ? default_progress_interval : options.progress_interval};
  ReplayFigures figures;
  CLPOOL_TRY(Replay<Target>(*to_core(trace), target).run(progress, figures));
  found.allocations = figures.allocations;
  found.releases = figures.releases;
  found.out_of_memory = figures.out_of_memory;
  found.elapsed_ns = figures.elapsed_ns;
  found.allocation_ps = parts_per_million(figures.elapsed_ns, figures.allocations) / 1000;
  found.peak_live_bytes = figures.peak_live_bytes;
  CLPOOL_TRY(count_driver(found));
  found.ratio_ppm = parts_per_million(found.peak_driver_bytes, found.peak_live_bytes);
  return write_result(found, result, function);
}

}  // namespace

void clpool_trace_replay_options_init(clpool_trace_replay_options* options) noexcept {
  clpool::capi::initialize<clpool_trace_replay_options>(options, CLPOOL_TRACE_REPLAY_OPTIONS_INIT);
}

void clpool_trace_replay_result_init(clpool_trace_replay_result* result) noexcept {
  clpool::capi::initialize<clpool_trace_replay_result>(result, CLPOOL_TRACE_REPLAY_RESULT_INIT);
}

clpool_status clpool_trace_replay_pool(const clpool_trace* trace, clpool_pool* pool,
                                       const clpool_trace_replay_options* options_or_null,
                                       clpool_trace_replay_result* result) noexcept {
  constexpr const char* function = __func__;
  return guarded([&]() -> Status {
    CLPOOL_TRY(begin(result, function));
    CLPOOL_TRY(require(pool, function, "pool"));
    clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
    CLPOOL_TRY(static_cast<Status>(clpool_pool_statistics(pool, &stats)));
    const std::uint64_t former_driver_allocations = stats.driver_allocations;
    PoolTarget target{pool};
    return replay(trace, target, options_or_null, result, function, [&](clpool_trace_replay_result& found) {
      const auto status = static_cast<Status>(clpool_pool_statistics(pool, &stats));
      found.driver_allocations = stats.driver_allocations - former_driver_allocations;
      found.peak_driver_bytes = stats.peak_managed_bytes;
      return status;
    });
  });
}

clpool_status clpool_trace_replay_allocator(const clpool_trace* trace, clpool_allocator* allocator,
                                            const clpool_trace_replay_options* options_or_null,
                                            clpool_trace_replay_result* result) noexcept {
  constexpr const char* function = __func__;
  return guarded([&]() -> Status {
    CLPOOL_TRY(begin(result, function));
    CLPOOL_TRY(require(allocator, function, "allocator"));
    AllocatorTarget target{allocator};
    return replay(trace, target, options_or_null, result, function, [&](clpool_trace_replay_result& found) {
      found.driver_allocations = target.driver_allocations;
      found.peak_driver_bytes = found.peak_live_bytes;
      return Status::success;
    });
  });
}
