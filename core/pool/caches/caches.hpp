// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Caches: the threads' caches of one pool, and with them the pool's counts of what is handed out. Everything
// here is called with the pool's mutex held. Another thread's cache is touched only while it is borrowed;
// what comes back to it otherwise is counted beside it. No driver call, no callback.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "pool/caches/keeper.hpp"
#include "pool/caches/thread_cache.hpp"
#include "pool/pool_options.hpp"

namespace clpool::core {

class Caches {
 public:
  /// `key`: ThreadRecord::key_of() a number that is never used twice. `granule_shift`: base-2 logarithm of the pool's
  /// granule. `revocation`: of the caches' locks. `max_bytes`: the most that the pool may have.
  Caches(std::uint64_t key, unsigned granule_shift, OwnerLock::Revocation& revocation,
         std::uint64_t max_bytes = UINT64_MAX)
      : key_(key), granule_shift_(granule_shift), revocation_(revocation), max_bytes_(max_bytes) {}
  Caches(const Caches&) = delete;
  Caches& operator=(const Caches&) = delete;
  ~Caches();

  /// Besides what caches hold of a pool's memory anyway they hold so much, all together, where there is room: of a pool whose blocks
  /// come back late. Of one that is a keeper as much as that may keep.
  void keep_up_to(std::uint64_t bytes) noexcept { most_kept_ = bytes; }
  Keeper& keeper() noexcept { return keeper_; }
  const Keeper& keeper() const noexcept { return keeper_; }
  /// How much that is: a part of what a limit leaves at most, as others need what would be kept.
  std::uint64_t kept_bytes(std::uint64_t managed_bytes) const noexcept {
    return std::min(std::max(most_kept_, keeper_.share()),
                    (max_bytes_ - std::min(max_bytes_, managed_bytes)) / kept_part_of_room);
  }

  /// Whether threads may have caches, and how much the pool has: decides what each cache may hold.
  void share_limits(bool may_cache, std::uint64_t managed_bytes) noexcept;

  /// The cache's owner had to wait for the mutex to release a block of so many bytes: for some time the cache may
  /// hold more, so that threads stay out of each other's way. Twice what its thread has in use at most, and all
  /// together 64 MiB or an eighth of what the pool has, beyond their shares.
  void widen(ThreadCache& cache, std::uint64_t bytes, std::uint64_t managed_bytes) noexcept;
  /// Memory is short: no more than its share again.
  void narrow(ThreadCache& cache) noexcept;

  /// The calling thread's cache; the central one, which caches nothing, where it has none. Throws
  /// std::bad_alloc. `at_hand`: cache_at_hand() of it. `may_cache()` is asked only where it matters, which is not for each request.
  template <typename MayCache>
  ThreadCache& of_this_thread(ThreadCache* at_hand, MayCache&& may_cache, std::uint64_t managed_bytes) {
    ThreadCache& cache = at_hand != nullptr ? *at_hand : find_or_make(may_cache(), managed_bytes);
    if (++visits_ >= visits_between_shares || managed_bytes < shared_bytes_ ||
        managed_bytes - shared_bytes_ > shared_bytes_ / 8 || keeps_another_share()) [[unlikely]] {
      share_limits(may_cache(), managed_bytes);
    }
    return cache;
  }

  /// The calling thread's, if it is at hand; or null.
  ThreadCache* at_hand() const noexcept { return cache_at_hand(key_); }

  /// True if `cache` may be touched by the calling thread without borrowing it.
  bool is_own(const ThreadCache& cache) const noexcept {
    return &cache == &central_ || (this_thread_record != nullptr &&
                                   cache.owner.load(std::memory_order_relaxed) == this_thread_record);
  }

  /// What the caches of all threads together may hold and keep while the pool grows, bytes.
  std::uint64_t allowance(std::uint64_t managed_bytes) const noexcept;

  // Counting. The pool's own sum of active bytes has what each thread's cache had when the thread last came
  // by: it is exact but for hits since then, which change it by no more than a cache may hold.

  /// Counts a block as handed out by a cache that may be touched. True: perhaps a new peak, and raise_peak()
  /// must follow when what threads have returned elsewhere is counted.
  bool count_handed_out(ThreadCache& cache, const Mem& mem) noexcept;
  /// Counts a block as returned to the cache it came from, and takes larger_mark from it.
  void count_returned(ThreadCache& cache, Mem& mem) noexcept;
  void raise_peak() noexcept;

  /// Counts what a cache that may be touched did by itself.
  void take_in(ThreadCache& cache) noexcept;

  /// Requests served so far, as far as they are taken in, but for what a cache served without end.
  std::uint64_t earning_requests() const noexcept { return earning_requests_; }
  /// Blocks handed out; exact while the caches are borrowed, or when no thread uses the pool.
  std::uint64_t active_blocks() const noexcept;
  /// The most bytes that were handed out, as far as it is known.
  std::uint64_t peak_active_bytes() const noexcept { return static_cast<std::uint64_t>(peak_active_bytes_); }
  /// Adds what the caches know to `stats`, while they are borrowed. `completed`: the epoch up to which nothing is waited for any more.
  void add_to(PoolStats& stats, std::uint64_t completed) noexcept;

  /// Calls `action` for each thread's cache.
  template <typename Action>
  void for_each(Action&& action) const {
    for (std::size_t i = count_; i-- > 0;) {
      action(*all_[i]);
    }
  }

  /// Of the locks of all.
  OwnerLock::Revocation& revocation() const noexcept { return revocation_; }

  /// No thread owns a cache any more; while they are borrowed.
  void disown_all() noexcept;

  ThreadCache& central() noexcept { return central_; }

 private:
  /// Threads beyond this many do without a cache.
  static constexpr std::size_t most = 256;

  /// One part in so many of the room that a limit leaves.
  static constexpr std::uint64_t kept_part_of_room = 16;

  /// Limits are shared out anew when the pool has grown by an eighth or become smaller, when other keepers leave its own another
  /// share, and after so many visits: threads may have ended, which tell nobody.
  static constexpr std::uint64_t visits_between_shares = 256;

  /// Of caches, which are made there one by one: until then their pages need not be there.
  struct Free {
    void operator()(ThreadCache* caches) const noexcept;
  };
  using Memory = std::unique_ptr<ThreadCache, Free>;

  /// As there are more keepers or fewer.
  bool keeps_another_share() noexcept {
    const std::uint64_t before = std::exchange(keepers_, Keeper::count());
    return before != keepers_ && keeper_.share() != shared_keep_;
  }
  ThreadCache& find_or_make(bool may_cache, std::uint64_t managed_bytes);
  void make_more();
  /// Part of a cache, beyond its share.
  std::uint64_t most_earned(std::uint64_t managed_bytes) const noexcept;
  /// The first half of take_in(): what other threads returned, and whether the cache's highest sum was the pool's.
  void raise_peak_by(ThreadCache& cache) noexcept {
    if (cache.returned_elsewhere != 0 || cache.highest_bytes > cache.known_highest) [[unlikely]] {
      raise_peak_by_changed(cache);
    }
  }
  void raise_peak_by_changed(ThreadCache& cache) noexcept;
  void know(ThreadCache& cache) noexcept;
  void know_active(ThreadCache& cache) noexcept;
  /// Of threads that have not come by since they changed it: of all where they are few, else of all by and by, so that
  /// threads that are idle cost the others little. What it is off by meanwhile fits into the caches.
  void know_active_of_all() noexcept;
  template <typename Question>
  ThreadCache* find(Question&& question) const noexcept {
    const auto end = all_.begin() + static_cast<std::ptrdiff_t>(count_);
    const auto found =
        std::find_if(all_.begin(), end, [&](const ThreadCache* cache) { return question(*cache); });
    return found != end ? *found : nullptr;
  }

  const std::uint64_t key_;
  const unsigned granule_shift_;
  OwnerLock::Revocation& revocation_;
  std::int64_t known_bytes_ = 0;    ///< active bytes, the sum of all caches' known_bytes
  std::uint64_t visits_ = 0;        ///< of threads, since the limits were shared out
  std::uint64_t shared_bytes_ = 0;  ///< managed bytes when limits were shared out
  std::uint64_t keepers_ = 0;       ///< of the process, when it was last asked
  Keeper keeper_;
  std::uint64_t shared_keep_ = 0;  ///< keeper_'s share when limits were shared out
  const std::uint64_t max_bytes_;
  std::uint64_t count_ = 0;
  std::uint64_t in_use_ = 1;     ///< caches that living threads had when limits were shared out
  std::uint64_t most_kept_ = 0;  ///< see keep_up_to()
  // known_requests_ and earning_requests_ lie apart: the compiler would read both in one, right after each was written by itself.
  std::uint64_t known_requests_ = 0;
  std::uint64_t raises_ = 0;  ///< of the peak, since all caches were asked
  std::uint64_t earning_requests_ = 0;
  std::int64_t peak_active_bytes_ = 0;
  std::size_t made_ = 0;  ///< caches, of which the first count_ have an owner or had one
  std::array<ThreadCache*, most> all_{};
  std::array<Memory, std::bit_width(most)> pieces_;  ///< where they are
  ThreadCache central_;  ///< last, as it is large and what is before it is what each request uses
};

/// The caches of a pool, taken from the threads that own them for as long as the object lives: all, or those
/// that hold blocks. What the calling thread may touch anyway needs no taking.
class Borrowed {
 public:
  enum class Which : bool { all, with_blocks };

  explicit Borrowed(const Caches& caches, Which which = Which::all) noexcept;
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed();

 private:
  const Caches& caches_;
};

}  // namespace clpool::core
