// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// ThreadRecord: what a thread knows of its caches, and what they know of the thread: whether it lives. No
// pool is told when a thread ends: whoever finds a cache whose owner has ended may take it over. Without a mutex:
// has_ended(), retain() and release() may be called by any thread, all else by the thread itself.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace clpool::core {

struct ThreadCache;

class ThreadRecord {
 public:
  /// The cache that the thread has of the pool with that key; null if it has none, or if another pool has
  /// taken its place.
  ThreadCache* cache_of(std::uint64_t pool_key) const noexcept {
    const Slot& slot = slot_of(pool_key);
    return slot.pool_key == pool_key ? slot.cache : nullptr;
  }
  /// `cache`: null if the thread has none of that pool, which may have more threads than caches: known as long as no other pool
  /// takes the place.
  void set_cache(std::uint64_t pool_key, ThreadCache* cache) noexcept {
    slot_of(pool_key) = {pool_key, cache};
  }
  bool has_none(std::uint64_t pool_key) const noexcept {
    const Slot& slot = slot_of(pool_key);
    return slot.pool_key == pool_key && slot.cache == nullptr;
  }
  /// Makes room where two pools take turns in one place. As it is if there is no host memory, or enough room.
  void grow() noexcept;

  /// A pool's key, of its number. Pools whose numbers follow each other have places of their own.
  static std::uint64_t key_of(std::uint64_t pool_number) noexcept { return pool_number * sizeof(Slot); }

  /// Threads that live at the same time have numbers of their own, as far as these go; the next thread has an ended one's.
  static constexpr std::uint32_t numbers = 32;
  std::uint32_t number() const noexcept { return number_; }

  /// True once the thread will touch none of its caches any more; what it wrote there is visible then.
  bool has_ended() const noexcept { return ended_.load(std::memory_order_acquire); }

  /// Whoever compares addresses of records keeps them, so that none is used twice: the thread, and each cache
  /// that has it for an owner.
  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete this;
    }
  }

 private:
  friend struct RecordHolder;
  /// A pool's number is never used twice, so that a slot can outlive its pool.
  struct Slot {
    std::uint64_t pool_key = 0;
    ThreadCache* cache = nullptr;
  };
  static constexpr std::size_t first_slots = 16;
  static constexpr std::size_t most_slots = 4096;

  ~ThreadRecord() = default;
  Slot& slot_of(std::uint64_t pool_key) const noexcept {
    return *reinterpret_cast<Slot*>(reinterpret_cast<char*>(slots_) + (pool_key & mask_));
  }

  static std::uint32_t take_number() noexcept;

  const std::uint32_t number_ = take_number();
  Slot* slots_ = few_;
  std::uint64_t mask_ = (first_slots - 1) * sizeof(Slot);  ///< of keys
  Slot few_[first_slots];
  std::unique_ptr<Slot[]> many_;
  std::atomic<std::uint64_t> references_{1};
  std::atomic<bool> ended_{false};
};

/// The calling thread's record; null before its first slow path and after its end began.
extern constinit thread_local ThreadRecord* this_thread_record
#if defined(__ELF__)
    __attribute__((tls_model("initial-exec")))
#endif
    ;

/// The calling thread's cache of the pool with that key if it is at hand, or null. Needs no mutex.
inline ThreadCache* cache_at_hand(std::uint64_t pool_key) noexcept {
  const ThreadRecord* const record = this_thread_record;
  return record != nullptr ? record->cache_of(pool_key) : nullptr;
}

/// Makes the calling thread's record, unless the thread is ending. Throws std::bad_alloc.
void make_thread_record();

/// The calling thread's record, made if need be; null where the thread is ending. Throws std::bad_alloc.
inline ThreadRecord* ensure_thread_record() {
  if (this_thread_record == nullptr) [[unlikely]] {
    make_thread_record();
  }
  return this_thread_record;
}

}  // namespace clpool::core
