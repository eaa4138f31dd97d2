// The threads' caches of a pool: who has one, what they may hold, and how they are emptied.
#include <algorithm>
#include <bit>

#include "pool/borrowed.hpp"
#include "pool/uses.hpp"

namespace clpool::core {
namespace {

/// Threads beyond this many do without a cache.
constexpr std::uint64_t most_caches = 256;

/// The caches of all threads together hold at most this share of what the pool has, or a single block each.
constexpr std::uint64_t cache_percent = 3;

/// True if other threads have released blocks of this cache. The list of a pool that has ended is closed for
/// good.
bool has_remote(const ThreadCache& cache) noexcept {
  const Mem* first = cache.remote.load(std::memory_order_relaxed);
  return first != nullptr && first != ThreadCache::closed_list();
}

}  // namespace

Mem* Pool::take_remote(std::uint64_t capacity, std::size_t size) noexcept {
  const ThreadRecord* record = this_thread_record;
  const ThreadRecord::Slot* slot =
      record != nullptr ? &record->slots[id_ % ThreadRecord::slot_count] : nullptr;
  if (slot == nullptr || slot->pool_id != id_ || !has_remote(*slot->cache) ||
      !slot->cache->lock.try_enter()) {
    return nullptr;
  }
  ThreadCache& cache = *slot->cache;
  Mem* rest = nullptr;
  for (Mem* mem = cache.remote.exchange(nullptr, std::memory_order_acquire); mem != nullptr;) {
    Mem* next = mem->next;
    if (mem->has_uses || !cache.push(*mem)) {
      mem->next = rest;
      rest = mem;
    }
    mem = next;
  }
  Mem* taken = cache.pop(capacity, size);
  cache.lock.leave();
  if (rest != nullptr) {
    std::unique_lock lock(mutex_);
    while (rest != nullptr) {
      return_block(pool_block(*std::exchange(rest, rest->next)));
    }
    unlock_and_dispose(lock);
  }
  return taken;
}

void Pool::drain_remote(ThreadCache& cache) noexcept {
  if (!has_remote(cache)) {
    return;
  }
  Mem* mem = cache.remote.exchange(nullptr, std::memory_order_acquire);
  while (mem != nullptr) {
    Mem* next = mem->next;
    return_block(pool_block(*mem));
    mem = next;
  }
}

void Pool::make_room(ThreadCache& cache, std::uint64_t needed) noexcept {
  const std::uint64_t limit = cache.limit.load(std::memory_order_relaxed);
  if (cache.cached_bytes > limit) {
    // A single block that is larger than the limit makes way for whatever is released after it.
    flush(cache);
  } else if (needed <= limit / 16) {
    const std::uint64_t most_kept = limit - limit / 4;
    for (std::size_t i = 0; i < ThreadCache::bucket_count && cache.cached_bytes + needed > most_kept; ++i) {
      empty_bucket(cache, cache.next_flushed);
      cache.next_flushed = (cache.next_flushed + 1) % ThreadCache::bucket_count;
    }
  }
}

void Pool::empty_bucket(ThreadCache& cache, std::size_t bucket) noexcept {
  Mem* mem = std::exchange(cache.buckets[bucket], nullptr);
  while (mem != nullptr) {
    Mem* next = std::exchange(mem->next, nullptr);
    cache.cached_bytes -= mem->capacity;
    give_block_back(pool_block(*mem));
    mem = next;
  }
}

void Pool::flush(ThreadCache& cache) noexcept {
  for (std::size_t i = 0; i < ThreadCache::bucket_count && cache.cached_bytes > 0; ++i) {
    empty_bucket(cache, i);
  }
}

bool Pool::flush_all() {
  if (caches_ == nullptr) {
    return false;
  }
  const Borrowed borrowed(*this);
  const std::uint64_t free_before = strategy_->free_bytes();
  for (ThreadCache* cache = caches_; cache != nullptr; cache = cache->next) {
    drain_remote(*cache);
    flush(*cache);
  }
  return strategy_->free_bytes() != free_before;
}

bool Pool::caches_blocks() const noexcept {
  return options_.strategy == StrategyKind::coalescing && holding_ && options_.max_held_bytes == UINT64_MAX &&
         options_.decay_ns == 0 && !options_.trace_messages && !epochs_.must_hold_back();
}

ThreadCache& Pool::cache_of_this_thread() {
  ThreadRecord* record = this_thread_record;
  if (record == nullptr) {
    return central_;
  }
  ThreadRecord::Slot& slot = record->slots[id_ % ThreadRecord::slot_count];
  if (slot.pool_id == id_) {
    return *slot.cache;
  }
  if (!caches_blocks()) {
    return central_;
  }
  ThreadCache* own = nullptr;
  ThreadCache* abandoned = nullptr;
  for (ThreadCache* cache = caches_; cache != nullptr; cache = cache->next) {
    const ThreadRecord* owner = cache->owner.load(std::memory_order_relaxed);
    own = owner == record ? cache : own;
    abandoned = owner == ThreadCache::nobody() ? cache : abandoned;
  }
  ThreadCache* cache = own != nullptr ? own : abandoned;
  if (cache == nullptr) {
    if (cache_count_ == most_caches) {
      return central_;
    }
    cache = new ThreadCache;
    cache->granule_shift = static_cast<std::uint32_t>(std::countr_zero(granule_));
    cache->next = caches_;
    caches_ = cache;
    ++cache_count_;
    share_limits();
  }
  cache->owner.store(record, std::memory_order_relaxed);
  slot = {id_, cache};
  return *cache;
}

void Pool::share_limits() noexcept {
  for (ThreadCache* cache = caches_; cache != nullptr; cache = cache->next) {
    const std::uint64_t limit = strategy_->managed_bytes() / 100 * cache_percent / cache_count_;
    cache->limit.store(caches_blocks() ? std::max<std::uint64_t>(limit, 1) : 0, std::memory_order_relaxed);
  }
}

void Pool::abandon_caches_of(const ThreadRecord& record) noexcept {
  const std::lock_guard lock(mutex_);
  for (ThreadCache* cache = caches_; cache != nullptr; cache = cache->next) {
    if (cache->owner.load(std::memory_order_relaxed) == &record) {
      cache->owner.store(ThreadCache::nobody(), std::memory_order_relaxed);
    }
  }
}

}  // namespace clpool::core
