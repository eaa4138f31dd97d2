// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The threads' caches of a pool: who has one, what they may hold, and what they count. With the pool's mutex held.
#include "pool/caches/caches.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <utility>

#include "engine/call_budget.hpp"

namespace clpool::core {
namespace {

/// All caches are asked what they had once in so many raises of the peak for each so many of them.
constexpr std::uint64_t caches_per_raise = 8;

/// The caches of all threads together hold at most one part in so many of what the pool has, or a single block
/// each, besides what they keep and what they have earned.
constexpr std::uint64_t cached_part = 100;

/// Small pools' caches hold so many bytes together.
constexpr std::uint64_t least_cached = 64 << 10;

/// A pool may grow by a chunk rather than take back what is worth no system call.
constexpr std::uint64_t least_allowance = 1 << 20;

/// What threads that were in each other's way may keep besides, together: so many bytes, or one part in so many of
/// what the pool has; each at most so many times what it has in use. Whenever limits are shared out, one part in
/// so many of it goes.
constexpr std::uint64_t least_earned = std::uint64_t{64} << 20;
constexpr std::uint64_t earned_part = 8;
constexpr std::uint64_t earned_by_used = 2;
constexpr std::uint64_t earned_decay = 8;

/// Blocks that are larger than they need be, so that threads stay out of each other's way, waste one part in so many of what the
/// pool has, all together; no more than the room that a limit leaves: without any, each byte may be the one that is missing.
constexpr std::uint64_t wasted_part = 16;

/// Of the requests that a cache served since its thread last came by so many earn driver calls, which makes one: hits without end
/// buy no storm, and a program that needs a chunk behind some hundred of them each time has it.
constexpr auto most_earning = static_cast<std::uint64_t>(1 / CallBudget::per_request);

/// Leaves the memory to the thread that reads it where nothing changes.
void set(std::atomic<std::uint64_t>& figure, std::uint64_t value) noexcept {
  if (figure.load(std::memory_order_relaxed) != value) {
    figure.store(value, std::memory_order_relaxed);
  }
}

/// Has the processor fetch what statistics read of a cache, which lies in its thread's processor: of all at once, as one after the
/// other takes longer than all else.
void prefetch(const ThreadCache& cache) noexcept {
  __builtin_prefetch(&cache.lock);
  __builtin_prefetch(&cache.owner);
}

}  // namespace

Caches::~Caches() {
  disown_all();
  for_each([](ThreadCache& cache) { std::destroy_at(&cache); });
}

std::uint64_t Caches::allowance(std::uint64_t managed_bytes) const noexcept {
  // What a keeper's hold is scattered, and would keep apart what lies between.
  const std::uint64_t least = keeper_.is_one() ? std::min(managed_bytes, least_cached) : least_allowance;
  return std::max(managed_bytes / cached_part, least);
}

void Caches::share_limits(bool may_cache, std::uint64_t managed_bytes) noexcept {
  keeper_.note_time(earning_requests_);
  visits_ = 0;
  shared_bytes_ = managed_bytes;
  shared_keep_ = keeper_.share();
  std::uint64_t in_use = 0;
  for_each([&](const ThreadCache& cache) { in_use += cache.is_abandoned() ? 0 : 1; });
  in_use_ = std::max<std::uint64_t>(in_use, 1);
  const std::uint64_t room = max_bytes_ - std::min(max_bytes_, managed_bytes);
  const std::uint64_t most_wasted = std::min(managed_bytes / wasted_part, room);
  const std::uint64_t share =
      std::max(managed_bytes / cached_part, std::min(managed_bytes, least_cached)) / in_use_;
  const std::uint64_t kept = kept_bytes(managed_bytes) / in_use_;
  for_each([&](ThreadCache& cache) {
    const bool is_used = may_cache && !cache.is_abandoned();
    const std::uint64_t earned = cache.earned.load(std::memory_order_relaxed);
    const std::uint64_t left =
        is_used ? std::min(earned / earned_decay * (earned_decay - 1), most_earned(managed_bytes)) : 0;
    set(cache.earned, left);
    set(cache.most_excess, most_wasted / in_use_);
    set(cache.limit, is_used ? std::max<std::uint64_t>(share, 1) + left + kept : 0);
  });
}

std::uint64_t Caches::most_earned(std::uint64_t managed_bytes) const noexcept {
  return std::max(least_earned, managed_bytes / earned_part) / in_use_;
}

void Caches::widen(ThreadCache& cache, std::uint64_t bytes, std::uint64_t managed_bytes) noexcept {
  const std::uint64_t in_use = cache.active_bytes.load(std::memory_order_relaxed) + bytes;
  const std::uint64_t before = cache.earned.load(std::memory_order_relaxed);
  const std::uint64_t earned = std::max(
      before, std::min({2 * std::max(before, bytes), earned_by_used * in_use, most_earned(managed_bytes)}));
  cache.earned.store(earned, std::memory_order_relaxed);
  cache.limit.store(cache.limit.load(std::memory_order_relaxed) + (earned - before),
                    std::memory_order_relaxed);
}

void Caches::narrow(ThreadCache& cache) noexcept {
  cache.had_left_some();
  const std::uint64_t earned = cache.earned.exchange(0, std::memory_order_relaxed);
  cache.limit.store(cache.limit.load(std::memory_order_relaxed) - earned, std::memory_order_relaxed);
}

ThreadCache& Caches::find_or_make(bool may_cache, std::uint64_t managed_bytes) {
  ThreadRecord* record = this_thread_record;
  if (record == nullptr || (in_use_ == most && record->has_none(key_))) {
    return central_;  // without a search, until the limits are shared out anew: that a thread has ended is seen then
  }
  ThreadCache* cache = find([this](const ThreadCache& any) { return is_own(any); });
  if (cache != nullptr) {
    record->grow();  // two pools in turn in one place
  } else if (!may_cache) {
    return central_;
  } else if (cache = find([](const ThreadCache& any) { return any.is_abandoned(); }); cache != nullptr) {
    cache->set_owner(record);
    share_limits(may_cache, managed_bytes);
  } else if (count_ == most) {
    record->set_cache(key_, nullptr);
    return central_;
  } else {
    if (count_ == made_) {
      make_more();
    }
    cache = std::construct_at(all_[count_]);
    ++count_;
    cache->granule_shift = granule_shift_;
    cache->set_owner(record);
    share_limits(may_cache, managed_bytes);
  }
  record->set_cache(key_, cache);
  return *cache;
}

// In pieces, as each thread has memory of its own from the host's allocator, which lies alike in all of them: what each of them made
// by itself would share a few places of the processors' caches.
void Caches::make_more() {
  const std::size_t more = std::max<std::size_t>(made_, 1);  // as many as there are
  void* const memory = ::operator new (more * sizeof(ThreadCache), std::align_val_t{alignof(ThreadCache)});
  Memory& piece = pieces_[static_cast<std::size_t>(std::bit_width(made_))];
  piece.reset(static_cast<ThreadCache*>(memory));
  for (std::size_t i = 0; i < more; ++i) {
    all_[made_++] = piece.get() + i;
  }
}

void Caches::Free::operator()(ThreadCache* caches) const noexcept {
  ::operator delete (static_cast<void*>(caches), std::align_val_t{alignof(ThreadCache)});
}

// Counting.

bool Caches::count_handed_out(ThreadCache& cache, const Mem& mem) noexcept {
  raise_peak_by(cache);
  cache.count_handed_out(mem.size);
  ++cache.blocks;
  know(cache);
  return known_bytes_ > peak_active_bytes_;
}

void Caches::count_returned(ThreadCache& cache, Mem& mem) noexcept {
  const std::uint64_t excess = (mem.marks & larger_mark) != 0 ? cache.take_excess(mem) : 0;
  if (is_own(cache) || cache.is_borrowed) [[likely]] {
    raise_peak_by(cache);
    cache.give_up_active(mem.size);
    --cache.blocks;
    cache.excess -= excess;
    know(cache);
    return;
  }
  cache.bytes_returned_elsewhere += mem.size;
  ++cache.returned_elsewhere;
  cache.excess_returned_elsewhere += excess;
  cache.known_bytes -= static_cast<std::int64_t>(mem.size);
  known_bytes_ -= static_cast<std::int64_t>(mem.size);
}

void Caches::raise_peak() noexcept {
  know_active_of_all();
  peak_active_bytes_ = std::max(peak_active_bytes_, known_bytes_);
}

void Caches::take_in(ThreadCache& cache) noexcept {
  raise_peak_by(cache);
  know(cache);
}

void Caches::raise_peak_by_changed(ThreadCache& cache) noexcept {
  if (cache.returned_elsewhere != 0) {
    const std::uint64_t bytes = std::exchange(cache.bytes_returned_elsewhere, 0);
    cache.give_up_active(bytes);
    cache.highest_bytes -= bytes;
    cache.known_highest -= std::min(cache.known_highest, bytes);
    cache.blocks -= std::exchange(cache.returned_elsewhere, 0);
    cache.excess -= std::exchange(cache.excess_returned_elsewhere, 0);
  }
  const auto highest_with_others = [&] {
    return known_bytes_ - cache.known_bytes + static_cast<std::int64_t>(cache.highest_bytes);
  };
  if (cache.highest_bytes > cache.known_highest && highest_with_others() > peak_active_bytes_) {
    know_active_of_all();
    peak_active_bytes_ = std::max(peak_active_bytes_, highest_with_others());
  }
}

void Caches::know(ThreadCache& cache) noexcept {
  know_active(cache);
  const std::uint64_t requests = cache.handed_out - std::exchange(cache.known_requests, cache.handed_out);
  known_requests_ += requests;
  earning_requests_ += std::min(requests, most_earning);
  cache.highest_bytes = cache.active_bytes.load(std::memory_order_relaxed);
  cache.known_highest = cache.highest_bytes;
}

void Caches::know_active(ThreadCache& cache) noexcept {
  const auto active = static_cast<std::int64_t>(cache.active_bytes.load(std::memory_order_relaxed) -
                                                cache.bytes_returned_elsewhere);
  known_bytes_ += active - std::exchange(cache.known_bytes, active);
}

void Caches::know_active_of_all() noexcept {
  know_active(central_);
  if (++raises_ < count_ / caches_per_raise) {
    return;
  }
  raises_ = 0;
  for_each([this](ThreadCache& cache) { know_active(cache); });
}

std::uint64_t Caches::active_blocks() const noexcept {
  std::uint64_t blocks = central_.active_blocks();
  for_each([&](const ThreadCache& cache) { blocks += cache.active_blocks(); });
  return blocks;
}

void Caches::add_to(PoolStats& stats, std::uint64_t completed) noexcept {
  for_each([&](ThreadCache& cache) {
    take_in(cache);
    stats.cached_bytes += cache.cached();
    stats.held_blocks += cache.cached_blocks;
    if (cache.has_waiting()) {
      const std::uint64_t ended = cache.waiting.bytes_up_to(completed);
      stats.cached_bytes += ended;
      stats.pending_bytes += cache.waiting.bytes() - ended;
      stats.held_blocks += cache.waiting.blocks();
    }
  });
  stats.active_blocks = active_blocks();
  stats.allocations = known_requests_;
  peak_active_bytes_ = std::max(peak_active_bytes_, known_bytes_);
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
    if (!caches_.is_own(cache) && (which == Which::all || cache.held() != 0)) {
      cache.is_borrowed = true;
      any = any || !cache.is_abandoned();  // else there is nobody to take one from
    }
  });
  if (!any) {
    return;
  }
  caches_.revocation().revoke();
  caches_.for_each([](const ThreadCache& cache) { prefetch(cache); });
  caches_.for_each([](ThreadCache& cache) {
    if (cache.is_borrowed) {
      cache.lock.wait();
    }
  });
}

Borrowed::~Borrowed() {
  caches_.for_each([](ThreadCache& cache) {
    if (cache.is_borrowed) {
      cache.is_borrowed = false;
      cache.lock.restore();
    }
  });
  if (caches_.revocation().is_on()) {
    caches_.revocation().end();
  }
}

}  // namespace clpool::core
