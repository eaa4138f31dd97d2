// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Blocks that come back: into the threads' caches, and from there to the books. With the pool's mutex held; only what is given
// a Way leaves it.
#include "pool/returns.hpp"

#include <algorithm>
#include <utility>

namespace clpool::core {
namespace {

/// How many blocks that other threads released a request takes in of all caches when it needs memory, before
/// it looks for a free one again; and how many a release takes out of a cache that has no room, of which a bucket may
/// have any number.
constexpr std::size_t blocks_at_a_time = 512;

/// The latter where threads are in each other's way, so that they wait for one block at most.
constexpr std::size_t blocks_of_crowded = 1;

/// How many blocks a cache gives up for a request before that looks again.
constexpr std::size_t given_up_at_a_time = 16;
constexpr std::size_t given_up_part = 64;  ///< … or one in so many of those that it has

}  // namespace

std::size_t Returns::most_flushed_of(const ThreadCache& cache) noexcept {
  return cache.is_crowded_by(1) ? blocks_of_crowded : blocks_at_a_time;
}

void Returns::receive(PoolBlock& block, bool waited, std::size_t& most_flushed) noexcept {
  auto& cache = *static_cast<ThreadCache*>(block.home);
  caches_.count_returned(cache, block);
  if (block.marks == 0) [[likely]] {  // there is nothing that the release must know
    if (!takes_into_cache(cache, block, waited, most_flushed)) {
      books_.free(block, pending_.own().epochs.open());
    }
    return;
  }
  receive_marked(cache, block, waited, most_flushed);
}

[[gnu::noinline]] void Returns::receive_marked(ThreadCache& cache, PoolBlock& block, bool waited,
                                               std::size_t& most_flushed) noexcept {
  Uses* const uses = uses_if_any(block);
  const bool is_used = uses != nullptr && (uses->set != nullptr || !uses->events.empty());
  // That no command uses it any more nobody can say of commands from before it was handed out.
  const bool is_idle =
      (block.marks & idle_mark) != 0 && (uses == nullptr || uses->declared.former == nullptr);
  const bool is_known = is_idle || is_used || (block.marks & known_mark) != 0;
  const bool must_wait = !is_idle && (is_used || pending_.holds_back());
  const bool is_alone = must_wait && uses != nullptr && uses->declared.only_these;
  clear_use(block);
  block.marks = static_cast<std::uint8_t>(rules_.usual_marks | (is_alone ? alone_mark : 0));
  if (uses != nullptr && !must_wait) {
    pending_.retire(*uses);
  }
  if (!must_wait && books_.rules().uses_are_known && takes_into_cache(cache, block, waited, most_flushed)) {
    return;
  }
  if (!is_known && !books_.rules().uses_are_known) {
    pool_chunk(*block.chunk).unknown_uses = true;
  }
  if (must_wait) {
    if (uses != nullptr || !waits_in_cache(cache, block, most_flushed)) {
      pending_.add(block, uses);
    }
  } else {
    // By the order of its one queue a block is handed out while earlier commands still use it.
    books_.free(block, is_idle && pending_.holds_back() ? 0 : pending_.own().epochs.open());
  }
}

bool Returns::takes_into_cache(ThreadCache& cache, PoolBlock& block, bool waited,
                               std::size_t& most_flushed) noexcept {
  if (!may_cache_in(cache)) {
    return false;
  }
  if (waited) {
    caches_.widen(cache, block.capacity, books_.managed_bytes());
  }
  make_room(cache, block.capacity, most_flushed);
  return cache.deposit(block);
}

bool Returns::keep(PoolBlock& block) noexcept {
  // Who waits finds it in the books.
  auto& cache = *static_cast<ThreadCache*>(block.home);
  if (keeps_for_ == nullptr || keeps_for_ != this_thread_record || settling != 0 ||
      !books_.rules().uses_are_known || !may_cache() || !books_.has_little_held_back() ||
      !caches_.is_own(cache) || !cache.may_wait(block)) {
    return false;
  }
  clear_use(block);
  block.marks = rules_.usual_marks;
  block.account =
      static_cast<std::uint16_t>(account_of_this_thread());  // it may have been another thread's cache
  return cache.deposit(block);
}

void Returns::make_room(ThreadCache& cache, std::uint64_t needed, std::size_t& most) noexcept {
  const std::uint64_t limit = cache.limit.load(std::memory_order_relaxed);
  if (cache.cached() > limit) {
    // A single block that is larger than the limit makes way for whatever is released after it.
    empty(cache, most);
  } else if (cache.is_small(needed)) {
    cache.next_flushed = empty_to(cache, limit - limit / 4 - needed, cache.next_flushed, most);
  }
}

std::size_t Returns::bring_home(ThreadCache& cache, std::size_t most) noexcept {
  std::size_t brought = 0;
  std::size_t most_flushed = most_flushed_of(cache);
  for (; brought < most; ++brought) {
    Mem* const mem = cache.take_returned();
    if (mem == nullptr) {
      break;
    }
    receive(pool_block(*mem), caches_.is_own(cache) && cache.had_left_some(), most_flushed);
  }
  return brought;
}

void Returns::bring_some_home() noexcept {
  if (!has_backlog_ && !come_home_.load(std::memory_order_relaxed)) {
    return;
  }
  come_home_.exchange(false, std::memory_order_seq_cst);
  std::size_t left = blocks_at_a_time;
  caches_.for_each([&](ThreadCache& cache) { left -= bring_home(cache, left); });
  has_backlog_ = left == 0;
}

void Returns::bring_all_home(Way& way) noexcept {
  bring_some_home();
  while (has_backlog_) {
    way.give_way();
    bring_some_home();
  }
}

std::size_t Returns::empty_to(ThreadCache& cache, std::uint64_t bytes, std::size_t bucket,
                              std::size_t& most) noexcept {
  while (cache.cached() > bytes && most != 0) {
    for (Mem* mem = cache.buckets[bucket] != nullptr ? cache.withdraw_bucket(bucket, most) : nullptr;
         mem != nullptr;) {
      Mem* next = std::exchange(mem->next, nullptr);
      books_.free(pool_block(*mem), stamp_of_cached());
      mem = next;
    }
    if (most != 0) {  // else there may be more in it, which goes with later releases
      bucket = (bucket + 1) % ThreadCache::bucket_count;
    }
  }
  return bucket;
}

void Returns::empty_caches(Way& way, Empty how, std::uint64_t waited) noexcept {
  if (how == Empty::to_the_last) {
    keeps_for_ = nullptr;  // else a look that has begun would keep some
    bring_all_home(way);
  } else if (bring_some_home(); has_backlog_) {
    return way.give_way();
  }
  // What still waits elsewhere is free for nobody.
  const std::uint64_t waited_elsewhere =
      how == Empty::to_the_last ? UINT64_MAX : pending_.own().epochs.completed();
  std::uint64_t left = 0;
  std::uint64_t worth = 0;
  std::size_t most = blocks_at_a_time;
  caches_.for_each([&](ThreadCache& cache) {
    if (how == Empty::to_the_last) {
      caches_.narrow(cache);
    }
    while ((caches_.is_own(cache) || cache.is_abandoned()) &&
           (cache.cached() != 0 || cache.has_waited(waited))) {
      if (most == 0) {
        way.give_way();
        most = blocks_at_a_time;
      } else {
        hand_over_waiting(cache, waited, most);
        empty(cache, most);
      }
    }
    const std::uint64_t taken = cache.taken(waited_elsewhere);
    left += taken;
    worth += taken - std::min(taken, cache.earned.load(std::memory_order_relaxed));
  });
  if (worth > (how == Empty::to_the_last ? 0 : caches_.allowance(books_.managed_bytes()))) {
    while (empty_others(waited_elsewhere, left)) {
      way.give_way();
    }
  }
}

bool Returns::leaves_cached(const Request& request) noexcept {
  const std::uint64_t managed = books_.managed_bytes();
  const std::uint64_t kept = caches_.keeper().is_one() ? caches_.kept_bytes(managed) : 0;
  if (request.rounded > kept / ThreadCache::small_part ||
      !Keeper::may_grow(managed, caches_.peak_active_bytes(), kept) || has_backlog_ ||
      come_home_.load(std::memory_order_relaxed)) {
    return false;
  }
  std::uint64_t cached = 0;
  caches_.for_each([&](const ThreadCache& cache) { cached += cache.cached(); });
  return cached <= kept;
}

void Returns::empty_caches_for(Way& way, Request& request) noexcept {
  ThreadCache* const own = caches_.at_hand();
  if (own == nullptr || !caches_.is_own(*own)) {
    return empty_caches(way, Empty::what_is_worth_it);
  }
  if (!pending_.holds_back()) {
    return leaves_cached(request) ? void() : empty_caches(way, Empty::what_is_worth_it);
  }
  const std::uint64_t completed = pending_.own().epochs.completed();
  own->end_waits(completed, given_up_at_a_time);
  if (own->cached() == 0) {
    // Where the pool may grow, what still waits need not be waited for.
    const bool may_grow = books_.is_little_pending(request, own->waiting.bytes());
    return empty_caches(way, Empty::what_is_worth_it, may_grow ? completed : UINT64_MAX);
  }
  give_up_some(*own, request);
  Books::look_into_caches_again(request);
  way.give_way();
}

void Returns::give_up_some(ThreadCache& cache, const Request& request) noexcept {
  std::size_t most = std::max<std::size_t>(given_up_at_a_time, cache.cached_blocks / given_up_part);
  empty_to(cache, 0, cache.place_of(request.rounded), most);
}

bool Returns::empty_others(std::uint64_t waited, std::uint64_t& left) noexcept {
  std::size_t most = blocks_at_a_time;
  const Borrowed borrowed(caches_, Borrowed::Which::with_blocks);
  caches_.for_each([&](ThreadCache& cache) {
    if (cache.is_borrowed) {
      const std::uint64_t before = cache.taken(waited);
      hand_over_waiting(cache, waited, most);
      empty(cache, most);
      left -= std::min(left, before - cache.taken(waited));
    }
  });
  return most == 0 && left != 0;
}

bool Returns::waits_in_cache(ThreadCache& cache, PoolBlock& block, std::size_t& most_flushed) noexcept {
  if (rules_.waits_behind == nullptr || !may_cache_in(cache)) {
    return false;
  }
  make_room(cache, block.capacity, most_flushed);
  return cache.deposit_waiting(block, rules_.waits_behind->epochs.open());
}

void Returns::count_unmarked(ThreadCache& cache) noexcept {
  if (rules_.waits_behind != nullptr && cache.waiting.newest_epoch() == rules_.waits_behind->epochs.open()) {
    const WaitingList::Unmarked unmarked = std::exchange(cache.waiting.unmarked, {});
    rules_.waits_behind->open_blocks += unmarked.blocks;
    rules_.waits_behind->open_bytes += unmarked.bytes;
  }
}

void Returns::want_marker_for_waiting() noexcept {
  if (rules_.waits_behind == nullptr || rules_.waits_behind->open_blocks != 0) {
    return;
  }
  caches_.for_each([&](const ThreadCache& cache) {
    if (cache.waiting.newest_epoch() == rules_.waits_behind->epochs.open()) {
      rules_.waits_behind->want_marker();
    }
  });
}

void Returns::hand_over_waiting(ThreadCache& cache, std::uint64_t last, std::size_t& most) noexcept {
  count_unmarked(cache);
  for (; most != 0 && cache.has_waited(last); --most) {
    PoolBlock& block = pool_block(*cache.withdraw_waiting());
    if (const std::uint64_t epoch = WaitingList::epoch_of(block); epoch > pending_.own().epochs.completed()) {
      books_.hold_back(cache.handed_over, block, epoch);
      ++handed_over_;
    } else {
      books_.free_completed(block, 0);
    }
  }
}

void Returns::free_completed(Way& way, QueueSet& set) noexcept {
  while (pending_.free_some(set)) {
    way.give_way();
  }
  if (&set == rules_.waits_behind && handed_over_ != 0) {
    caches_.for_each([&](ThreadCache& cache) {
      while (const std::size_t freed = pending_.free_some(cache.handed_over, set)) {
        handed_over_ -= freed;
        way.give_way();
      }
    });
  }
}

}  // namespace clpool::core
