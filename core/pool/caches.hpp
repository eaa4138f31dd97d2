// Caches: the threads' caches of one pool, and with them the pool's counts of what is handed out. Everything
// here is called with the pool's mutex held; a cache of another thread is touched only while it is borrowed.
// No driver call, no callback.
#pragma once

#include <cstdint>

#include "pool/pool_options.hpp"
#include "pool/thread_cache.hpp"

namespace clpool::core {

class Caches {
 public:
  /// `pool_id` is never used twice. `granule_shift`: base-2 logarithm of the pool's granule.
  Caches(std::uint64_t pool_id, unsigned granule_shift) : pool_id_(pool_id), granule_shift_(granule_shift) {}
  Caches(const Caches&) = delete;
  Caches& operator=(const Caches&) = delete;
  ~Caches();

  /// Whether threads may have caches, and how much the pool has: decides what each cache may hold.
  void share_limits(bool may_cache, std::uint64_t managed_bytes) noexcept;

  /// The calling thread's cache; the central one, which caches nothing, where it has none. Throws
  /// std::bad_alloc.
  ThreadCache& of_this_thread(bool may_cache, std::uint64_t managed_bytes);

  bool any() const noexcept { return first_ != nullptr; }
  /// True if `cache` may be touched by the calling thread without borrowing it.
  bool is_own(const ThreadCache& cache) const noexcept;

  /// Counts a block as handed out by a cache of the calling thread. True: perhaps a new peak, and
  /// raise_peak() must follow with all caches borrowed and drained.
  bool count_handed_out(ThreadCache& cache, std::size_t size) noexcept;
  void raise_peak() noexcept;

  /// Requests served so far; needs no borrowing.
  std::uint64_t requests() const noexcept;
  /// Blocks handed out; exact while the caches are borrowed, or when no thread uses the pool.
  std::uint64_t active_blocks() const noexcept;
  /// Adds what the caches know to `stats`, while they are borrowed and drained.
  void add_to(PoolStats& stats) const noexcept;

  /// Calls `action` for each thread's cache.
  template <typename Action>
  void for_each(Action&& action) const {
    for (ThreadCache* cache = first_; cache != nullptr; cache = cache->next) {
      action(*cache);
    }
  }

  /// No thread owns a cache any more; while they are borrowed.
  void disown_all() noexcept;

  ThreadCache& central() noexcept { return central_; }

 private:
  const std::uint64_t pool_id_;
  const unsigned granule_shift_;
  ThreadCache central_;
  ThreadCache* first_ = nullptr;
  std::uint64_t count_ = 0;
  std::uint64_t peak_active_bytes_ = 0;
};

/// All caches of a pool, taken from the threads that own them for as long as the object lives. The calling
/// thread's own needs no taking: its owner is here.
class Borrowed {
 public:
  explicit Borrowed(const Caches& caches) noexcept;
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed();

 private:
  template <typename Action>
  void for_each_foreign(Action&& action) noexcept {
    caches_.for_each([&](ThreadCache& cache) {
      if (!caches_.is_own(cache)) {
        action(cache);
      }
    });
  }
  const Caches& caches_;
};

}  // namespace clpool::core
