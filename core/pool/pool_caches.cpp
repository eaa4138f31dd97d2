// The threads' caches of a pool: who has one, what they may hold, and how they are emptied.
#include <algorithm>

#include "pool/borrowed.hpp"
#include "pool/uses.hpp"

namespace clpool {
namespace {

/// Threads beyond this many do without a cache.
constexpr std::uint64_t most_caches = 256;

/// The caches of all threads together hold at most this share of what the pool has, or a single block each.
constexpr std::uint64_t cache_percent = 3;

}  // namespace

void Pool::drain_remote(ThreadCache& cache) noexcept {
  if (cache.remote.load(std::memory_order_relaxed) == nullptr ||
      cache.remote.load(std::memory_order_relaxed) == ThreadCache::closed_list()) {
    return;
  }
  Mem* mem = cache.remote.exchange(nullptr, std::memory_order_acquire);
  while (mem != nullptr) {
    Mem* next = mem->next;
    return_block(pool_block(*mem));
    mem = next;
  }
}

void Pool::flush_part(ThreadCache& cache, std::uint64_t needed) noexcept {
  const std::uint64_t limit = cache.limit.load(std::memory_order_relaxed);
  if (cache.cached_bytes + needed <= limit) {
    return;
  }
  for (std::size_t i = 0; i < ThreadCache::bucket_count && cache.cached_bytes > limit / 2; ++i) {
    empty_bucket(cache, cache.next_flushed);
    cache.next_flushed = (cache.next_flushed + 1) % ThreadCache::bucket_count;
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
  if (record == nullptr || !caches_blocks()) {
    return central_;
  }
  ThreadRecord::Slot& slot = record->slots[id_ % ThreadRecord::slot_count];
  if (slot.pool_id == id_) {
    return *slot.cache;
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
    cache->pool = this;
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

}  // namespace clpool
