// ThreadCache: the fast path in front of a pool. One per thread and pool: recently released blocks by size,
// and the thread's share of the pool's counters. Its owner uses it without a lock; others borrow it through
// OwnerLock, always with the pool's mutex held. Blocks that other threads release come back through a
// lock-free list.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/mem.hpp"
#include "base/owner_lock.hpp"
#include "pool/thread_record.hpp"

namespace clpool::core {

struct alignas(64) ThreadCache {
  static constexpr unsigned bucket_bits = 8;
  static constexpr std::size_t bucket_count = std::size_t{1} << bucket_bits;

  OwnerLock lock;
  std::uint64_t active_bytes =
      0;  ///< requested bytes of blocks handed out from here and not yet returned here
  std::uint64_t active_watermark = 0;        ///< active_bytes may rise to this without a new peak of the pool
  std::atomic<std::uint64_t> handed_out{0};  ///< blocks, ever; written by the owner only, read by anyone
  std::uint64_t returned = 0;                ///< blocks of those that came back
  std::uint64_t cached_bytes = 0;            ///< capacity of the blocks in the buckets
  std::atomic<std::uint64_t> limit{0};       ///< most cached_bytes, unless it is a single block
  std::atomic<ThreadRecord*> owner{nobody()};  ///< kept; changed with the pool's mutex held
  std::uint32_t granule_shift = 0;             ///< base-2 logarithm of the pool's granule
  ThreadCache* next = nullptr;                 ///< all caches of the pool
  std::size_t next_flushed = 0;                ///< the bucket at which the next flush begins
  Mem* buckets[bucket_count] = {};

  /// Blocks of this cache that other threads released; closed_list() once the pool has ended for its users.
  alignas(64) std::atomic<Mem*> remote{nullptr};

  /// No thread's record, and not null, which is the record of threads that have none.
  static ThreadRecord* nobody() noexcept { return reinterpret_cast<ThreadRecord*>(std::uintptr_t{1}); }
  static Mem* closed_list() noexcept { return reinterpret_cast<Mem*>(std::uintptr_t{1}); }

  /// Small sizes, which differ by granules, have buckets of their own; larger ones are spread.
  Mem*& bucket(std::uint64_t capacity) noexcept {
    const std::uint64_t granules = capacity >> granule_shift;
    return buckets[(granules ^ (granules >> bucket_bits) ^ (granules >> 2 * bucket_bits)) % bucket_count];
  }

  /// Hands out a cached block of exactly `capacity` bytes for a request of `size`; null if there is none at
  /// hand, or if it would raise the pool's peak.
  Mem* pop(std::uint64_t capacity, std::size_t size) noexcept {
    const std::uint64_t active = active_bytes + size;
    Mem* mem = active <= active_watermark ? take_cached(capacity) : nullptr;
    if (mem != nullptr) {
      active_bytes = active;
      count_one();
      mem->size = size;
      mem->state = MemState::live;
    }
    return mem;
  }

  /// Takes a block of exactly `capacity` bytes out of its bucket without counting it.
  Mem* take_cached(std::uint64_t capacity) noexcept {
    Mem*& head = bucket(capacity);
    Mem* mem = head;
    if (mem == nullptr || mem->capacity != capacity) {
      return nullptr;
    }
    head = mem->next;
    cached_bytes -= capacity;
    return mem;
  }

  /// Takes a live block of this cache back into its bucket; false, with nothing changed, if the limit forbids
  /// it.
  bool push(Mem& mem) noexcept {
    const std::uint64_t cached = cached_bytes + mem.capacity;
    if (cached > limit.load(std::memory_order_relaxed) && !fits_alone()) {
      return false;
    }
    cached_bytes = cached;
    active_bytes -= mem.size;
    ++returned;
    mem.state = MemState::released;
    Mem*& head = bucket(mem.capacity);
    mem.next = head;
    head = &mem;
    return true;
  }

  /// True if other threads have released blocks of this cache. The list of a pool that has ended is closed
  /// for good.
  bool has_remote() const noexcept {
    const Mem* head = remote.load(std::memory_order_relaxed);
    return head != nullptr && head != closed_list();
  }

  /// True if no thread will use the cache as its own any more: another may take it over.
  bool is_abandoned() const noexcept {
    const ThreadRecord* record = owner.load(std::memory_order_relaxed);
    return record == nobody() || record->has_ended();
  }

  /// Makes the cache that of a thread, or nobody()'s.
  void set_owner(ThreadRecord* record) noexcept {
    if (record != nobody()) {
      record->retain();
    }
    ThreadRecord* const former = owner.exchange(record, std::memory_order_relaxed);
    if (former != nobody()) {
      former->release();
    }
  }

  /// Puts a block of this cache on its list; false if the pool has ended. For other threads than the owner.
  bool push_remote(Mem& mem) noexcept {
    Mem* head = remote.load(std::memory_order_relaxed);
    while (head != closed_list()) {
      mem.next = head;
      if (remote.compare_exchange_weak(head, &mem, std::memory_order_release, std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  /// Takes all blocks out of one bucket, linked by next.
  Mem* take_bucket(std::size_t index) noexcept {
    Mem* const first = buckets[index];
    buckets[index] = nullptr;
    for (const Mem* mem = first; mem != nullptr; mem = mem->next) {
      cached_bytes -= mem->capacity;
    }
    return first;
  }

  /// Counts a block as handed out.
  void count_one() noexcept {
    handed_out.store(handed_out.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  std::uint64_t active_blocks() const noexcept {
    return handed_out.load(std::memory_order_relaxed) - returned;
  }

 private:
  /// A single block of any size may be cached, unless nothing may.
  bool fits_alone() const noexcept { return cached_bytes == 0 && limit.load(std::memory_order_relaxed) != 0; }
};

}  // namespace clpool::core
