// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The threads' caches of a pool: who has one, what they may hold, and what they count.
#include "pool/caches.hpp"

#include <algorithm>
#include <utility>

namespace clpool::core {
namespace {

/// Threads beyond this many do without a cache.
constexpr std::uint64_t most_caches = 256;

/// The caches of all threads together hold at most one part in so many of what the pool has, or a single block
/// each.
constexpr std::uint64_t cached_part = 100;

/// A pool may grow by a chunk rather than take back what is worth no system call.
constexpr std::uint64_t least_allowance = 1 << 20;

/// Limits are shared out anew when the pool has grown by an eighth or become smaller, and after so many
/// visits: threads may have ended, which tell nobody.
constexpr std::uint64_t visits_between_shares = 256;

}  // namespace

Caches::~Caches() {
  disown_all();
  while (first_ != nullptr) {
    delete std::exchange(first_, first_->next);
  }
}

std::uint64_t Caches::allowance(std::uint64_t managed_bytes) noexcept {
  return std::max(managed_bytes / cached_part, least_allowance);
}

void Caches::share_limits(bool may_cache, std::uint64_t managed_bytes) noexcept {
  visits_ = 0;
  shared_bytes_ = managed_bytes;
  std::uint64_t in_use = 0;
  for_each([&](const ThreadCache& cache) { in_use += cache.is_abandoned() ? 0 : 1; });
  const std::uint64_t share = managed_bytes / cached_part / std::max<std::uint64_t>(in_use, 1);
  for_each([&](ThreadCache& cache) {
    const std::uint64_t limit = may_cache && !cache.is_abandoned() ? std::max<std::uint64_t>(share, 1) : 0;
    if (cache.limit.load(std::memory_order_relaxed) != limit) {
      cache.limit.store(limit, std::memory_order_relaxed);
    }
  });
}

ThreadCache& Caches::of_this_thread(bool may_cache, std::uint64_t managed_bytes) {
  ThreadRecord* record = this_thread_record;
  if (record == nullptr) {
    return central_;
  }
  ThreadCache* cache = record->cache_of(key_);
  if (cache == nullptr) {
    cache = find_own();
    if (cache != nullptr) {
      record->grow();  // two pools in turn in one place
    } else if (!may_cache) {
      return central_;
    } else if (cache = find_abandoned(); cache != nullptr) {
      cache->set_owner(record);
      share_limits(may_cache, managed_bytes);
    } else if (count_ == most_caches) {
      return central_;
    } else {
      cache = new ThreadCache;
      cache->granule_shift = granule_shift_;
      cache->next = first_;
      cache->set_owner(record);
      first_ = cache;
      ++count_;
      share_limits(may_cache, managed_bytes);
    }
    record->set_cache(key_, *cache);
  }
  if (++visits_ == visits_between_shares || managed_bytes < shared_bytes_ ||
      managed_bytes > shared_bytes_ + shared_bytes_ / 8) {
    share_limits(may_cache, managed_bytes);
  }
  return *cache;
}

ThreadCache* Caches::find_own() const noexcept {
  ThreadCache* cache = first_;
  while (cache != nullptr && !is_own(*cache)) {
    cache = cache->next;
  }
  return cache;
}

ThreadCache* Caches::find_abandoned() const noexcept {
  ThreadCache* cache = first_;
  while (cache != nullptr && !cache->is_abandoned()) {
    cache = cache->next;
  }
  return cache;
}

bool Caches::is_own(const ThreadCache& cache) const noexcept {
  return &cache == &central_ ||
         (this_thread_record != nullptr && cache.owner.load(std::memory_order_relaxed) == this_thread_record);
}

// Counting.

bool Caches::count_handed_out(ThreadCache& cache, std::size_t size) noexcept {
  take_in(cache);
  cache.count_handed_out(size);
  ++cache.blocks;
  ++known_requests_;
  ++cache.known_requests;
  cache.known_bytes += static_cast<std::int64_t>(size);
  known_bytes_ += static_cast<std::int64_t>(size);
  return known_bytes_ > peak_active_bytes_;
}

void Caches::count_returned(ThreadCache& cache, std::size_t size) noexcept {
  if (is_own(cache) || cache.is_borrowed) {
    take_in(cache);
    cache.active_bytes -= size;
    cache.highest_bytes -= size;
    --cache.blocks;
  } else {
    cache.bytes_returned_elsewhere += size;
    ++cache.returned_elsewhere;
  }
  cache.known_bytes -= static_cast<std::int64_t>(size);
  known_bytes_ -= static_cast<std::int64_t>(size);
}

void Caches::raise_peak() noexcept {
  peak_active_bytes_ = std::max(peak_active_bytes_, known_bytes_);
}

void Caches::take_in(ThreadCache& cache) noexcept {
  const std::uint64_t elsewhere = std::exchange(cache.bytes_returned_elsewhere, 0);
  cache.active_bytes -= elsewhere;
  cache.highest_bytes -= elsewhere;
  cache.blocks -= std::exchange(cache.returned_elsewhere, 0);
  const std::int64_t others = known_bytes_ - cache.known_bytes;
  peak_active_bytes_ = std::max(peak_active_bytes_, others + static_cast<std::int64_t>(cache.highest_bytes));
  know(cache);
}

void Caches::know(ThreadCache& cache) noexcept {
  const auto active = static_cast<std::int64_t>(cache.active_bytes);
  known_bytes_ += active - std::exchange(cache.known_bytes, active);
  known_requests_ += cache.handed_out - std::exchange(cache.known_requests, cache.handed_out);
  cache.highest_bytes = cache.active_bytes;
}

std::uint64_t Caches::active_blocks() const noexcept {
  std::uint64_t blocks = central_.active_blocks();
  for_each([&](const ThreadCache& cache) { blocks += cache.active_blocks(); });
  return blocks;
}

void Caches::add_to(PoolStats& stats) noexcept {
  take_in(central_);
  for_each([&](ThreadCache& cache) {
    take_in(cache);
    stats.cached_bytes += cache.cached();
    stats.held_blocks += cache.cached_blocks;
  });
  stats.active_blocks = active_blocks();
  stats.allocations = known_requests_;
  stats.peak_active_bytes = static_cast<std::uint64_t>(peak_active_bytes_);
  stats.active_bytes = static_cast<std::uint64_t>(known_bytes_);
}

void Caches::disown_all() noexcept {
  for_each([](ThreadCache& cache) { cache.set_owner(ThreadCache::nobody()); });
}

// Borrowing.

Borrowed::Borrowed(const Caches& caches, Which which) noexcept : caches_(caches) {
  bool any = false;
  caches_.for_each([&](ThreadCache& cache) {
    if (!caches_.is_own(cache) && (which == Which::all || cache.cached() != 0)) {
      cache.lock.revoke();
      cache.is_borrowed = true;
      any = true;
    }
  });
  if (any) {
    OwnerLock::barrier();
    caches_.for_each([](ThreadCache& cache) {
      if (cache.is_borrowed) {
        cache.lock.wait();
      }
    });
  }
}

Borrowed::~Borrowed() {
  caches_.for_each([](ThreadCache& cache) {
    if (cache.is_borrowed) {
      cache.is_borrowed = false;
      cache.lock.restore();
    }
  });
}

}  // namespace clpool::core
