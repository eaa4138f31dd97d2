// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/pool.h.
#include "clpool/pool.h"

#include <cstddef>
#include <type_traits>

#include "base/finding.hpp"
#include "engine/bins.hpp"
#include "handles.hpp"
#include "pool/pool.hpp"
#include "shim.hpp"

using clpool::capi::begin_object;
using clpool::capi::clear_result;
using clpool::capi::guarded;
using clpool::capi::read_options;
using clpool::capi::release_later;
using clpool::capi::require;
using clpool::capi::to_core;
using clpool::capi::to_handle;
using clpool::capi::write_result;
using clpool::core::Mem;
using clpool::core::Pool;
using clpool::core::PoolOptions;
using clpool::core::PoolStats;
using clpool::core::Reference;
using clpool::core::Status;
using clpool::core::StrategyKind;

namespace {

constexpr std::uint32_t callbacks_version = 1;

std::uint64_t or_unlimited(std::uint64_t limit) noexcept {
  return limit != 0 ? limit : UINT64_MAX;
}

Status read_strategy(std::uint32_t number, StrategyKind& strategy) noexcept {
  switch (number) {
    case CLPOOL_STRATEGY_DEFAULT:
    case CLPOOL_STRATEGY_COALESCING:
      strategy = StrategyKind::coalescing;
      return Status::success;
    case CLPOOL_STRATEGY_BINNED:
      strategy = StrategyKind::binned;
      return Status::success;
    default:
      return fail(Status::invalid_value, "clpool_pool_create: strategy is %u, valid are 0 to %d", number,
                  CLPOOL_STRATEGY_BINNED);
  }
}

/// `also`: what else is valid.
Status require_leading_bits(std::uint32_t bits, const char* parameter, const char* also = "") noexcept {
  return bits <= clpool::core::max_leading_bits ? Status::success
                                                : fail(Status::invalid_value, "%s is %u, valid are 0 to %u%s",
                                                       parameter, bits, clpool::core::max_leading_bits, also);
}

Status read_leading_bits(std::uint32_t number, std::uint32_t& bits) noexcept {
  if (number == CLPOOL_LEADING_BITS_NONE) {
    bits = 0;
    return Status::success;
  }
  CLPOOL_TRY(require_leading_bits(number, "clpool_pool_create: leading_bits_in_bin_id",
                                  " and CLPOOL_LEADING_BITS_NONE"));
  bits = number != 0 ? number : clpool::core::default_leading_bits;
  return Status::success;
}

Status read_callbacks(const clpool_pool_options& given, clpool::core::PoolCallbacks& callbacks) noexcept {
  clpool_pool_callbacks ours = CLPOOL_POOL_CALLBACKS_INIT;
  if (given.callbacks != nullptr) {
    CLPOOL_TRY(read_options(given.callbacks, ours, "clpool_pool_create (callbacks)"));
    if (ours.version != callbacks_version) {
      return fail(Status::invalid_value,
                  "clpool_pool_create: the version of the callbacks is %u, this library knows %u",
                  ours.version, callbacks_version);
    }
  }
  callbacks = {ours.collect, ours.out_of_memory, ours.message, ours.destroy, given.user};
  return Status::success;
}

Status read_guard(std::uint32_t number, bool& guard) noexcept {
  if (number > CLPOOL_GUARD_OFF) {
    return fail(Status::invalid_value, "clpool_pool_create: guard is %u, valid are 0 to %d", number,
                CLPOOL_GUARD_OFF);
  }
  guard = number == CLPOOL_GUARD_DEFAULT
              ? clpool::core::guard_mode_of_environment() != clpool::core::GuardMode::off
              : number == CLPOOL_GUARD_ON;
  return Status::success;
}

Status convert(const clpool_pool_options& given, PoolOptions& options) {
  CLPOOL_TRY(read_guard(given.guard, options.guard));
  CLPOOL_TRY(read_strategy(given.strategy, options.strategy));
  CLPOOL_TRY(read_leading_bits(given.leading_bits_in_bin_id, options.leading_bits));
  CLPOOL_TRY(read_callbacks(given, options.callbacks));
  if (given.reserved != 0 || given.reserved_2 != 0) {
    return fail(Status::invalid_value, "clpool_pool_create: reserved is %u and reserved_2 %u, both must be 0",
                given.reserved, given.reserved_2);
  }
  if (given.queue_count != 0 && given.queues == nullptr) {
    return fail(Status::invalid_value, "clpool_pool_create: queue_count is %u, but queues is NULL",
                given.queue_count);
  }
  if (given.queue_count == 0 && given.queues != nullptr) {
    return fail(Status::invalid_value, "clpool_pool_create: queues are given, but queue_count is 0");
  }
  for (std::uint32_t i = 0; i < given.queue_count; ++i) {
    if (given.queues[i] == nullptr) {
      return fail(Status::invalid_value, "clpool_pool_create: queues[%u] is NULL", i);
    }
  }
  options.trace_messages = given.trace_messages != 0;
  options.max_bytes = or_unlimited(given.max_bytes);
  options.max_held_bytes = or_unlimited(given.max_held_bytes);
  options.min_chunk_bytes = given.min_chunk_bytes;
  options.alignment = given.alignment;
  options.release_threshold = given.release_threshold;
  options.decay_ns = given.decay_ns;
  options.wait_ns = given.wait_ns != 0 ? given.wait_ns : options.wait_ns;
  options.queues.assign(given.queues, given.queues + given.queue_count);
  options.name = given.name != nullptr ? given.name : "";
  return Status::success;
}

static_assert(sizeof(clpool_pool_stats) == sizeof(PoolStats) + offsetof(clpool_pool_stats, held_blocks),
              "pool/statistics.inc lacks a field of clpool_pool_stats, or has one more");

clpool_pool_stats convert(const PoolStats& stats) noexcept {
  clpool_pool_stats result = CLPOOL_POOL_STATS_INIT;
#define CLPOOL_STATISTIC(name) result.name = stats.name;
#include "pool/statistics.inc"
  return result;
}

/// Runs an action on a pool of this process; it returns a Status, or nothing where it cannot fail.
template <typename Action>
clpool_status on_pool(clpool_pool* pool, const char* function, Action&& action) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(require(pool, function, "pool"));
    CLPOOL_TRY(to_core(pool)->require_own_process("the pool"));
    if constexpr (std::is_void_v<decltype(action(*to_core(pool)))>) {
      action(*to_core(pool));
      return Status::success;
    } else {
      return action(*to_core(pool));
    }
  });
}

/// `*out`: what `allocate(mem)` gives, null where that fails.
template <typename Allocate>
Status hand_out(clpool_mem** out, Allocate&& allocate) {
  *out = nullptr;
  Mem* mem = nullptr;
  const Status status = allocate(mem);
  *out = status == Status::success ? to_handle(mem) : nullptr;
  return status;
}

/// What is left of clpool_pool_allocate() when there is no hit; apart, so that a hit saves no registers.
[[gnu::noinline]] clpool_status allocate_slowly(Pool& pool, size_t size, clpool_mem** out) noexcept {
  return guarded([&] { return hand_out(out, [&](Mem*& mem) { return pool.allocate_slowly(size, mem); }); });
}

[[gnu::cold, gnu::noinline]] clpool_status refuse_to_allocate(const clpool_pool* pool,
                                                              clpool_mem** out) noexcept {
  return guarded([&] {
    CLPOOL_TRY(clear_result(out, "clpool_pool_allocate", "out"));
    return require(pool, "clpool_pool_allocate", "pool");
  });
}

}  // namespace

void clpool_pool_callbacks_init(clpool_pool_callbacks* callbacks) noexcept {
  clpool::capi::initialize<clpool_pool_callbacks>(callbacks, CLPOOL_POOL_CALLBACKS_INIT);
}

void clpool_pool_options_init(clpool_pool_options* options) noexcept {
  clpool::capi::initialize<clpool_pool_options>(options, CLPOOL_POOL_OPTIONS_INIT);
}

void clpool_pool_stats_init(clpool_pool_stats* stats) noexcept {
  clpool::capi::initialize<clpool_pool_stats>(stats, CLPOOL_POOL_STATS_INIT);
}

clpool_status clpool_pool_create(clpool_allocator* allocator, const clpool_pool_options* options_or_null,
                                 clpool_pool** out) noexcept {
  return guarded([&] {
    CLPOOL_TRY(begin_object(out, "clpool_pool_create"));
    CLPOOL_TRY(require(allocator, "clpool_pool_create", "allocator"));
    clpool_pool_options given = CLPOOL_POOL_OPTIONS_INIT;
    if (options_or_null != nullptr) {
      CLPOOL_TRY(read_options(options_or_null, given, "clpool_pool_create"));
    }
    PoolOptions options;
    CLPOOL_TRY(convert(given, options));
    Reference<Pool> pool;
    CLPOOL_TRY(Pool::create(*to_core(allocator), options, pool));
    *out = to_handle(pool.detach());
    return Status::success;
  });
}

clpool_status clpool_pool_allocate(clpool_pool* pool, size_t size, clpool_mem** out) noexcept {
  if (out != nullptr && pool != nullptr) [[likely]] {
    // The hit path does nothing that could throw, and needs no guard.
    if (Mem* mem = to_core(pool)->try_hit(size); mem != nullptr) [[likely]] {
      *out = to_handle(mem);
      return CLPOOL_SUCCESS;
    }
    return allocate_slowly(*to_core(pool), size, out);
  }
  return refuse_to_allocate(pool, out);
}

clpool_status clpool_pool_try_allocate(clpool_pool* pool, size_t size, clpool_mem** out) noexcept {
  return guarded([&] {
    CLPOOL_TRY(clear_result(out, "clpool_pool_try_allocate", "out"));
    CLPOOL_TRY(require(pool, "clpool_pool_try_allocate", "pool"));
    return hand_out(out, [&](Mem*& mem) { return to_core(pool)->try_allocate(size, mem); });
  });
}

clpool_status clpool_pool_allocate_on(clpool_pool* pool, cl_command_queue queue, size_t size,
                                      clpool_mem** out) noexcept {
  return guarded([&] {
    CLPOOL_TRY(clear_result(out, "clpool_pool_allocate_on", "out"));
    CLPOOL_TRY(require(pool, "clpool_pool_allocate_on", "pool"));
    CLPOOL_TRY(require(queue, "clpool_pool_allocate_on", "queue"));
    return hand_out(out, [&](Mem*& mem) { return to_core(pool)->allocate_on(queue, size, mem); });
  });
}

clpool_status clpool_pool_statistics(clpool_pool* pool, clpool_pool_stats* stats) noexcept {
  return guarded([&] {
    const clpool_pool_stats empty = CLPOOL_POOL_STATS_INIT;
    CLPOOL_TRY(clpool::capi::begin_result(empty, stats, "clpool_pool_statistics", "stats"));
    CLPOOL_TRY(require(pool, "clpool_pool_statistics", "pool"));
    CLPOOL_TRY(to_core(pool)->require_own_process("the pool"));
    return write_result(convert(to_core(pool)->statistics()), stats, "clpool_pool_statistics");
  });
}

clpool_status clpool_pool_free_held(clpool_pool* pool) noexcept {
  return on_pool(pool, "clpool_pool_free_held", [](Pool& object) { object.free_held(); });
}

clpool_status clpool_pool_stop_holding(clpool_pool* pool) noexcept {
  return on_pool(pool, "clpool_pool_stop_holding", [](Pool& object) { object.stop_holding(); });
}

clpool_status clpool_pool_trim(clpool_pool* pool, uint64_t keep_bytes) noexcept {
  return on_pool(pool, "clpool_pool_trim", [=](Pool& object) { object.trim(keep_bytes); });
}

clpool_status clpool_pool_tick(clpool_pool* pool) noexcept {
  return on_pool(pool, "clpool_pool_tick", [](Pool& object) { object.tick(); });
}

clpool_status clpool_pool_retain(clpool_pool* pool) noexcept {
  return on_pool(pool, "clpool_pool_retain", [](Pool& object) { object.retain(); });
}

clpool_status clpool_pool_release(clpool_pool* pool) noexcept {
  if (pool == nullptr) {
    return CLPOOL_SUCCESS;
  }
  return on_pool(pool, "clpool_pool_release", [](Pool& object) {
    object.release();
    clpool::core::finish_later_releases();
  });
}

clpool_status clpool_pool_release_later(clpool_pool* pool) noexcept {
  return release_later(pool, "the pool");
}

clpool_status clpool_pool_resume_holding(clpool_pool* pool) noexcept {
  return on_pool(pool, "clpool_pool_resume_holding", [](Pool& object) { object.resume_holding(); });
}

clpool_status clpool_pool_check(clpool_pool* pool) noexcept {
  return on_pool(pool, "clpool_pool_check", [](Pool& object) {
    const char* wrong = object.check();
    return wrong == nullptr ? Status::success : fail(Status::internal, "clpool_pool_check: %s", wrong);
  });
}

clpool_status clpool_bin_number(uint64_t size, uint32_t leading_bits, uint64_t* bin) noexcept {
  return guarded([&] {
    CLPOOL_TRY(clear_result(bin, "clpool_bin_number", "bin"));
    CLPOOL_TRY(require_leading_bits(leading_bits, "clpool_bin_number: leading_bits"));
    *bin = clpool::core::bin_number(size, leading_bits);
    return Status::success;
  });
}

clpool_status clpool_bin_alloc_size(uint64_t bin, uint32_t leading_bits, uint64_t* size) noexcept {
  return guarded([&] {
    CLPOOL_TRY(clear_result(size, "clpool_bin_alloc_size", "size"));
    CLPOOL_TRY(require_leading_bits(leading_bits, "clpool_bin_alloc_size: leading_bits"));
    if (bin >= std::uint64_t{64} << leading_bits) {
      return fail(Status::invalid_value, "clpool_bin_alloc_size: bin is %llu, the largest is %llu",
                  static_cast<unsigned long long>(bin),
                  static_cast<unsigned long long>((std::uint64_t{64} << leading_bits) - 1));
    }
    *size = clpool::core::bin_alloc_size(bin, leading_bits);
    return Status::success;
  });
}

uint32_t clpool_bitlog2(uint64_t value) noexcept {
  return clpool::core::bitlog2(value);
}
