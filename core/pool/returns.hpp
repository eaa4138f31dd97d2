// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Returns: blocks that come back to a pool: into the threads' caches, from there to the books, and back from the books' lists of what
// waited. No driver call, no callback; everything here is called with the pool's mutex held. What may take long is given a Way, by
// which others have the mutex in between.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "pool/books/books.hpp"
#include "pool/caches/caches.hpp"
#include "pool/pending/pending.hpp"
#include "pool/way.hpp"

namespace clpool::core {

/// What becomes of released blocks: set when the pool is made, and read without the mutex.
struct ReturnRules {
  bool has_caches = false;  ///< threads may keep them
  /// The pool's own queues, where released blocks wait for them in their threads' caches, or null.
  QueueSet* waits_behind = nullptr;
  std::uint8_t usual_marks = 0;  ///< of a block that nobody has said anything of
};

class Returns {
 public:
  /// `come_home`: raised without the mutex where another thread left a block in the list of its cache.
  Returns(Books& books, Pending& pending, Caches& caches, const ReturnRules& rules,
          std::atomic<bool>& come_home) noexcept
      : books_(books), pending_(pending), caches_(caches), rules_(rules), come_home_(come_home) {}
  Returns(const Returns&) = delete;
  Returns& operator=(const Returns&) = delete;

  /// Requests that need memory for which there is no room: what is released meanwhile is for them, and is not cached.
  std::uint64_t waiters = 0;
  std::uint64_t settling = 0;  ///< requests that let things settle

  // Blocks that come back.
  /// Blocks that may leave a cache for one that comes back into it.
  static std::size_t most_flushed_of(const ThreadCache& cache) noexcept;
  /// `waited`: for the mutex, with just this block. `most_flushed`: blocks that may leave its cache for it, becomes so many
  /// fewer.
  void receive(PoolBlock& block, bool waited, std::size_t& most_flushed) noexcept;
  /// Takes in what other threads released of one cache: up to `most` blocks, whose number is returned; some
  /// of all caches, or all.
  std::size_t bring_home(ThreadCache& cache, std::size_t most) noexcept;
  /// Of the calling thread's, in passing. Whether there were any.
  bool bring_few_home(ThreadCache& cache) noexcept {
    return cache.has_returned() && bring_home(cache, blocks_in_passing) != 0;
  }
  void bring_some_home() noexcept;
  void bring_all_home(Way& way) noexcept;
  /// Some did not come home the last time.
  bool has_backlog() const noexcept { return has_backlog_; }

  // Blocks that were held back.
  /// A block that nothing uses any more: keeps it for the thread that keep_for() named, if it is that one's; else false.
  bool keep(PoolBlock& block) noexcept;
  /// The thread that looks for a request that waits for nothing, or null: blocks of its own that come free meanwhile are kept.
  void keep_for(const ThreadRecord* thread) noexcept { keeps_for_ = thread; }
  /// What the set's queues are through with, as far as somebody has seen.
  void free_completed(Way& way, QueueSet& set) noexcept;
  /// What the calling thread has released since the last markers counts for the next ones.
  void count_unmarked(ThreadCache& cache) noexcept;
  /// Has the next look that closes open epochs close that of what waits in caches.
  void want_marker_for_waiting() noexcept;
  /// Has the books hold back up to `most` of those in a cache that may be touched, of epochs up to `last`; `most` becomes so many
  /// fewer.
  void hand_over_waiting(ThreadCache& cache, std::uint64_t last, std::size_t& most) noexcept;

  // Blocks that caches give up.
  /// Up to `most` of a cache that may be touched, to the books; `most` becomes so many fewer.
  void empty(ThreadCache& cache, std::size_t& most) noexcept { empty_to(cache, 0, 0, most); }
  /// Takes back what caches hold: where that needs a system call, only if it is much, or `to_the_last`.
  enum class Empty : bool { what_is_worth_it, to_the_last };
  /// Of what waits in them, what has `waited` for epochs up to that.
  void empty_caches(Way& way, Empty how, std::uint64_t waited = UINT64_MAX) noexcept;
  /// The same for a request: of its thread's cache, where that may keep much, a few blocks at a time.
  void empty_caches_for(Way& way, Request& request) noexcept;
  /// A few of the cache's blocks, for a request: those of the next larger sizes first, as far as these have buckets of their own.
  void give_up_some(ThreadCache& cache, const Request& request) noexcept;

  // Caches, and what they may hold.
  bool may_cache() const noexcept { return rules_.has_caches && books_.holding() && waiters == 0; }
  /// It is the calling thread's, too.
  bool may_cache_in(const ThreadCache& cache) const noexcept {
    return &cache != &caches_.central() && caches_.is_own(cache) && may_cache();
  }
  void share_limits() noexcept { caches_.share_limits(may_cache(), books_.managed_bytes()); }
  ThreadCache& cache_of_this_thread() { return cache_of_this_thread(caches_.at_hand()); }
  ThreadCache& cache_of_this_thread(ThreadCache* at_hand) {
    return caches_.of_this_thread(
        at_hand, [this] { return may_cache(); }, books_.managed_bytes());
  }
  void count_handed_out(ThreadCache& cache, const Mem& mem) noexcept {
    if (caches_.count_handed_out(cache, mem)) {
      bring_some_home();
      caches_.raise_peak();
    }
  }
  static std::uint32_t account_of_this_thread() noexcept {
    static_assert(ThreadRecord::numbers == Account::most);
    return this_thread_record != nullptr ? this_thread_record->number() : 0;
  }

 private:
  static constexpr std::size_t blocks_in_passing = 32;

  /// receive() with marks, which has been counted.
  void receive_marked(ThreadCache& cache, PoolBlock& block, bool waited, std::size_t& most_flushed) noexcept;
  /// Where nothing uses the block any more. False: it goes to the books.
  bool takes_into_cache(ThreadCache& cache, PoolBlock& block, bool waited,
                        std::size_t& most_flushed) noexcept;
  /// Takes a released block back into the calling thread's cache, if it is that one's. `most_flushed` as in receive().
  bool waits_in_cache(ThreadCache& cache, PoolBlock& block, std::size_t& most_flushed) noexcept;
  void make_room(ThreadCache& cache, std::uint64_t needed, std::size_t& most) noexcept;
  /// Behind which epoch what a cache has may be used no more: where releases are held back, only what nothing uses is cached.
  std::uint64_t stamp_of_cached() const noexcept {
    return pending_.holds_back() ? 0 : pending_.own().epochs.open();
  }
  /// As empty(), until it has no more than `bytes`, from that bucket on; the one where the next one goes on.
  std::size_t empty_to(ThreadCache& cache, std::uint64_t bytes, std::size_t bucket,
                       std::size_t& most) noexcept;
  /// A small request lets the pool grow rather than take what caches keep of blocks that need handles, up to a bound (Keeper): else
  /// blocks of some sizes in turn would have one place, and each of them a new handle.
  bool leaves_cached(const Request& request) noexcept;
  /// Of what other threads' caches hold, some blocks, whose bytes `left` is lowered by. True if there are more, which is not
  /// so where `left` is 0: threads may release as fast as their caches are emptied.
  bool empty_others(std::uint64_t waited, std::uint64_t& left) noexcept;

  Books& books_;
  Pending& pending_;
  Caches& caches_;
  const ReturnRules& rules_;
  std::atomic<bool>& come_home_;
  bool has_backlog_ = false;       ///< not all that other threads released came home the last time
  std::uint64_t handed_over_ = 0;  ///< blocks in ThreadCache::handed_over of all caches
  const ThreadRecord* keeps_for_ = nullptr;
};

}  // namespace clpool::core
