// ThreadRecord: what a thread knows of its caches, and what they know of the thread: whether it lives. No
// pool is told when a thread ends: whoever finds a cache whose owner has ended may take it over.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace clpool::core {

struct ThreadCache;

class ThreadRecord {
 public:
  static constexpr std::size_t slot_count = 16;
  /// A pool's id is never used twice, so that a slot can outlive its pool.
  struct Slot {
    std::uint64_t pool_id = 0;
    ThreadCache* cache = nullptr;
  };
  Slot slots[slot_count];

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
  ~ThreadRecord() = default;

  std::atomic<std::uint64_t> references_{1};
  std::atomic<bool> ended_{false};
};

/// The calling thread's record; null before its first slow path and after its end began.
extern constinit thread_local ThreadRecord* this_thread_record
#if defined(__ELF__)
    __attribute__((tls_model("initial-exec")))
#endif
    ;

/// The same, made if need be; null where the thread is ending. Throws std::bad_alloc.
ThreadRecord* ensure_thread_record();

}  // namespace clpool::core
