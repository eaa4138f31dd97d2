// The threads' caches of a pool: who has one, what they may hold, and what they count.
#include "pool/caches.hpp"

#include <algorithm>
#include <utility>

namespace clpool::core {
namespace {

/// Threads beyond this many do without a cache.
constexpr std::uint64_t most_caches = 256;

/// The caches of all threads together hold at most this share of what the pool has, or a single block each.
constexpr std::uint64_t cache_percent = 1;

}  // namespace

Caches::~Caches() {
  while (first_ != nullptr) {
    delete std::exchange(first_, first_->next);
  }
}

void Caches::share_limits(bool may_cache, std::uint64_t managed_bytes) noexcept {
  for_each([&](ThreadCache& cache) {
    const std::uint64_t limit = managed_bytes / 100 * cache_percent / count_;
    cache.limit.store(may_cache ? std::max<std::uint64_t>(limit, 1) : 0, std::memory_order_relaxed);
  });
}

ThreadCache& Caches::of_this_thread(bool may_cache, std::uint64_t managed_bytes) {
  ThreadRecord* record = this_thread_record;
  if (record == nullptr) {
    return central_;
  }
  ThreadRecord::Slot& slot = record->slots[pool_id_ % ThreadRecord::slot_count];
  if (slot.pool_id == pool_id_) {
    return *slot.cache;
  }
  if (!may_cache) {
    return central_;
  }
  ThreadCache* own = nullptr;
  ThreadCache* abandoned = nullptr;
  for_each([&](ThreadCache& cache) {
    const ThreadRecord* owner = cache.owner.load(std::memory_order_relaxed);
    own = owner == record ? &cache : own;
    abandoned = owner == ThreadCache::nobody() ? &cache : abandoned;
  });
  ThreadCache* cache = own != nullptr ? own : abandoned;
  if (cache == nullptr) {
    if (count_ == most_caches) {
      return central_;
    }
    cache = new ThreadCache;
    cache->granule_shift = granule_shift_;
    cache->next = first_;
    first_ = cache;
    ++count_;
    share_limits(may_cache, managed_bytes);
  }
  cache->owner.store(record, std::memory_order_relaxed);
  slot = {pool_id_, cache};
  return *cache;
}

bool Caches::is_own(const ThreadCache& cache) const noexcept {
  return &cache == &central_ ||
         (this_thread_record != nullptr && cache.owner.load(std::memory_order_relaxed) == this_thread_record);
}

bool Caches::count_handed_out(ThreadCache& cache, std::size_t size) noexcept {
  cache.active_bytes += size;
  cache.count_one();
  return cache.active_bytes > cache.active_watermark;
}

void Caches::raise_peak() noexcept {
  // What every cache may add before that can happen again is shared out evenly, so that the sum of all can
  // never pass the recorded peak unseen.
  std::uint64_t total = central_.active_bytes;
  for_each([&](const ThreadCache& cache) { total += cache.active_bytes; });
  peak_active_bytes_ = std::max(peak_active_bytes_, total);
  const std::uint64_t unused = peak_active_bytes_ - total;
  const std::uint64_t share = unused / (count_ + 1);
  central_.active_watermark = central_.active_bytes + (count_ == 0 ? unused : share);
  for_each([&](ThreadCache& cache) {
    cache.active_watermark = cache.active_bytes + (count_ == 1 ? unused : share);
  });
}

std::uint64_t Caches::requests() const noexcept {
  std::uint64_t requests = central_.handed_out.load(std::memory_order_relaxed);
  for_each([&](const ThreadCache& cache) { requests += cache.handed_out.load(std::memory_order_relaxed); });
  return requests;
}

std::uint64_t Caches::active_blocks() const noexcept {
  std::uint64_t blocks = central_.active_blocks();
  for_each([&](const ThreadCache& cache) { blocks += cache.active_blocks(); });
  return blocks;
}

void Caches::add_to(PoolStats& stats) const noexcept {
  stats.active_blocks = active_blocks();
  stats.allocations = requests();
  stats.peak_active_bytes = peak_active_bytes_;
  stats.active_bytes = central_.active_bytes;
  for_each([&](const ThreadCache& cache) {
    stats.active_bytes += cache.active_bytes;
    stats.cached_bytes += cache.cached_bytes;
  });
}

void Caches::disown_all() noexcept {
  for_each([](ThreadCache& cache) { cache.owner.store(ThreadCache::nobody(), std::memory_order_relaxed); });
}

void Caches::disown(const ThreadRecord& record) noexcept {
  for_each([&](ThreadCache& cache) {
    if (cache.owner.load(std::memory_order_relaxed) == &record) {
      cache.owner.store(ThreadCache::nobody(), std::memory_order_relaxed);
    }
  });
}

Borrowed::Borrowed(const Caches& caches) noexcept : caches_(caches) {
  bool any = false;
  for_each_foreign([&](ThreadCache& cache) {
    cache.lock.revoke();
    any = true;
  });
  if (any) {
    OwnerLock::barrier();
    for_each_foreign([](ThreadCache& cache) { cache.lock.wait(); });
  }
}

Borrowed::~Borrowed() {
  for_each_foreign([](ThreadCache& cache) { cache.lock.restore(); });
}

}  // namespace clpool::core
