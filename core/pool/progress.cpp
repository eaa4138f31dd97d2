// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// How far the queues are: what has ended is polled, and waited for only where memory is otherwise out, never
// on one event alone. Called with the mutex held; queues and events are asked, and whoever waits sleeps, without it.
#include <algorithm>
#include <chrono>
#include <thread>

#include "base/given_back.hpp"
#include "cl/marker.hpp"
#include "pool/pool.hpp"

namespace clpool::core {
namespace {

/// Releases that one marker serves, unless memory is needed before; and the share of the slack that they may
/// have.
constexpr std::uint64_t releases_per_marker = 64;
constexpr std::uint64_t part_of_slack_per_marker = 4;

/// Blocks with events that an ordinary look asks about; those that were waited for in vain before, when a
/// request lets the queues settle; and how many are taken in hand at a time.
constexpr std::uint64_t events_per_look = 8;
constexpr std::uint64_t late_events_per_look = 64;
constexpr std::uint64_t events_at_a_time = 512;

/// Who waits polls at once a few times, then sleeps ever longer in between; any change wakes it.
constexpr unsigned polls_without_sleep = 4;
constexpr unsigned naps_between_looks_elsewhere = 8;

/// Requests that wait look for each other, at so many events each time.
constexpr std::uint64_t between_looks_of_waiters_ns = 500'000;
constexpr std::uint64_t events_per_look_of_waiters = 1024;
constexpr std::chrono::nanoseconds shortest_nap{20'000};
constexpr std::chrono::nanoseconds longest_nap{1'000'000};

/// After a wait for events in which none of them ended nobody waits for new ones for a multiple of the time that it took,
/// twice as much each time: a busy device costs requests a small share of their time.
constexpr std::uint64_t shortest_pause = 4;
constexpr std::uint64_t longest_pause = 64;
constexpr std::uint64_t longest_pause_ns = 1'000'000'000;

/// How often what was let go may need another look.
constexpr int most_settlings = 64;

}  // namespace

bool Pool::is_due(const QueueSet& set, Close close) const noexcept {
  return set.open_blocks != 0 && (close == Close::all || set.open_blocks >= releases_per_marker ||
                                  set.open_bytes >= books_.slack() / part_of_slack_per_marker);
}

/// The epoch in which a block that waited for `set`, which may be null, counts as released: whether the
/// pool's own queue, by whose order it may have been handed out, is through with it, the wait has not told.
std::uint64_t Pool::stamp_behind(const QueueSet* set) const noexcept {
  return set == own_ || (set != nullptr && holds_back()) ? 0 : own_->epochs.open();
}

void Pool::look(Visit& visit, Close close, std::uint64_t most_late, std::uint64_t most_events) noexcept {
  visit.finish_later_releases();
  for (QueueSet* set = sets_.first(); set != nullptr;) {
    ++set->users;  // so that it stays in the list
    look_at_set(visit, *set, close);
    QueueSet* next = set->next;
    --set->users;
    sets_.drop_if_unused(*set, retired_sets_);
    set = next;
  }
  const std::uint64_t most = close == Close::all ? most_events : events_per_look;
  look_at_events(visit, events_, most);
  look_at_events(visit, late_events_, std::min(most, most_late));
  work_on_guard(visit);
}

void Pool::look_at_set(Visit& visit, QueueSet& set, Close close) noexcept {
  if (!set.epochs.has_queues() || (set.first == nullptr && &set != own_)) {
    return;
  }
  const bool due = is_due(set, close);
  const std::uint64_t blocks = due ? std::exchange(set.open_blocks, 0) : 0;
  const std::uint64_t bytes = due ? std::exchange(set.open_bytes, 0) : 0;
  const bool is_told = set.is_unmarked;
  Status status = Status::success;
  visit.out([&] {
    status = due ? set.epochs.close() : Status::success;
    set.epochs.poll();
    if (status != Status::success && !is_told) {  // once, not with each try
      send_message(sink(), Severity::error, "%s", last_error_message());
    }
  });
  set.is_unmarked = due ? status != Status::success : set.is_unmarked;
  if (status != Status::success) {
    set.open_blocks += blocks;
    set.open_bytes += bytes;
  }
  books_.free_completed(set, set.epochs.completed(), stamp_behind(&set));
}

void Pool::look_at_events(Visit& visit, UsesList& list, std::uint64_t most) noexcept {
  for (std::uint64_t left = std::min(most, list.count); left > 0 && !list.empty();) {
    left -= look_at_some_events(visit, list, std::min(left, events_at_a_time));
  }
}

std::uint64_t Pool::look_at_some_events(Visit& visit, UsesList& list, std::uint64_t most) noexcept {
  UsesList asked;
  while (asked.count < most && !list.empty()) {
    asked.add(*list.take());
  }
  const std::uint64_t in_hand = asked.count;
  list.in_hand += in_hand;
  visit.out([&] {
    for (Uses* uses = asked.first; uses != nullptr; uses = uses->next) {
      // Not beyond the first that has not: a look asks about a number of blocks, however many events each has.
      while (uses->waits_for_events() && cl::has_ended(uses->events[uses->ended].get())) {
        uses->events[uses->ended++].reset();
      }
    }
  });
  list.in_hand -= in_hand;
  while (Uses* uses = asked.take()) {
    if (uses->waits_for_events()) {
      list.add(*uses);
      continue;
    }
    ++event_ends_;
    event_pause_ = 0;
    pauses_for_events_until_ns_ = 0;
    PoolBlock& block = *uses->block;
    books_.end_pending(block);
    QueueSet* const set = uses->set;
    if (set != nullptr && set->epochs.completed() < uses->stamp) {
      books_.hold_back(*set, block, uses->stamp);
    } else {
      books_.free(block, stamp_behind(set));
    }
    retire(*uses);
  }
  return in_hand;
}

bool Pool::is_awaited(const QueueSet& set, std::uint64_t nanoseconds) const noexcept {
  return set.epochs.has_queues() && (&set == own_ || set.first != nullptr) && !set.is_late(nanoseconds);
}

bool Pool::awaits_events(std::uint64_t nanoseconds) const noexcept {
  return late_events_.has_waited_less(nanoseconds) ||
         (!events_.empty() && now_ns() >= pauses_for_events_until_ns_);
}

bool Pool::may_settle(std::uint64_t nanoseconds) const noexcept {
  const QueueSet* set = sets_.first();
  while (set != nullptr && !is_awaited(*set, nanoseconds)) {
    set = set->next;
  }
  return set != nullptr || awaits_events(nanoseconds);
}

bool Pool::is_settled(std::uint64_t nanoseconds, bool with_events) const noexcept {
  for (const QueueSet* set = sets_.first(); set != nullptr; set = set->next) {
    if (is_awaited(*set, nanoseconds) && set->awaited > set->epochs.completed()) {
      return false;
    }
  }
  return (!with_events || (events_.empty() && events_.in_hand == 0)) && (rest_enders_ == 0 || !rests());
}

void Pool::want_marker() noexcept {
  // A chunk is idle when the epoch in which its last block was freed is complete. Where nothing was freed in
  // the open one, the markers that are under way will show all there is to know.
  if (own_->epochs.has_queues() && books_.newest_stamp() >= own_->epochs.open()) {
    own_->open_blocks = std::max<std::uint64_t>(own_->open_blocks, 1);
  }
}

void Pool::look_closely(Visit& visit, std::uint64_t most_late, std::uint64_t most_events) noexcept {
  want_marker();
  look(visit, Close::all, most_late, most_events);
  for (const QueueSet* set = sets_.first(); set != nullptr; set = set->next) {
    if (set->is_unmarked) {
      // Once more: a driver may refuse a marker now and take it then.
      look(visit, Close::all, most_late, most_events);
      return;
    }
  }
}

void Pool::settle(Visit& visit, std::uint64_t nanoseconds) noexcept {
  const std::uint64_t start = now_ns();
  const std::uint64_t deadline = start + std::min(nanoseconds, UINT64_MAX - start);
  const bool with_events = awaits_events(nanoseconds);
  const std::uint64_t event_ends = event_ends_;
  if (with_events) {
    late_events_.move_waited_less(nanoseconds, events_);
  }
  // Blocks whose events have ended may then wait for queues: where there are such, all is done again.
  int rounds = with_events && !events_.empty() ? 2 : 1;
  do {
    look_closely(visit, late_events_per_look, with_events ? UINT64_MAX : late_events_per_look);
    for (QueueSet* set = sets_.first(); set != nullptr; set = set->next) {
      if (is_awaited(*set, nanoseconds)) {
        // Nothing would tell when an epoch without markers is complete.
        set->awaited = set->is_unmarked ? set->epochs.completed() : set->epochs.open() - 1;
      }
    }
    // At least three looks: a thread may have been kept from running for longer than that, and a query may
    // fail once, in place of which there is a new marker to ask about.
    for (unsigned naps = 0;
         !is_settled(nanoseconds, with_events) && nanoseconds != 0 && (naps < 2 || now_ns() < deadline);) {
      nap(visit, naps, deadline);
      look(visit, Close::due);
    }
  } while (--rounds != 0 && is_settled(nanoseconds, with_events));
  if (with_events && !events_.empty()) {
    const bool in_vain = nanoseconds != 0 && event_ends_ == event_ends;  // a mere look says nothing
    note_late_events(nanoseconds, in_vain ? now_ns() - start : 0);
  }
  note_late_sets(nanoseconds);
}

void Pool::settle_all(Visit& visit, std::uint64_t nanoseconds) noexcept {
  const std::uint64_t start = now_ns();
  std::uint64_t left = nanoseconds;
  for (int i = 0; i < most_settlings; ++i) {
    const std::uint64_t before = books_.turn();
    settle(visit, left);
    const std::uint64_t took = now_ns() - start;
    if (books_.turn() == before || (!has_pending() && !books_.has_busy_chunk()) ||
        (nanoseconds != 0 && took >= nanoseconds)) {
      return;
    }
    left = nanoseconds == 0 ? 0 : nanoseconds - took;
  }
}

/// What was waited for in vain for so long, nobody tries as long again.
void Pool::note_late_sets(std::uint64_t nanoseconds) noexcept {
  for (QueueSet* set = sets_.first(); set != nullptr; set = set->next) {
    if (is_awaited(*set, nanoseconds) && set->awaited > set->epochs.completed()) {
      const bool was_late = set->overdue > set->epochs.completed();
      set->waited_ns = std::max(nanoseconds, was_late ? set->waited_ns : 0);
      set->overdue = set->awaited;
    }
  }
}

void Pool::note_late_events(std::uint64_t nanoseconds, std::uint64_t vain_ns) noexcept {
  while (Uses* uses = events_.take()) {
    uses->waited_ns = std::max(uses->waited_ns, nanoseconds);
    late_events_.add(*uses);
  }
  if (vain_ns != 0) {
    event_pause_ = event_pause_ == 0 ? shortest_pause : std::min(2 * event_pause_, longest_pause);
    pauses_for_events_until_ns_ = now_ns() + std::min(event_pause_ * vain_ns, longest_pause_ns);
  }
}

Waited Pool::wait(Visit& visit, const Request& request, const OnQueue* on,
                  std::uint64_t nanoseconds) noexcept {
  const std::uint64_t help = books_.help_for(request);
  const std::uint64_t start = now_ns();
  const std::uint64_t deadline = start + std::min(nanoseconds, UINT64_MAX - start);
  Waited result = Waited::in_vain;
  ++waiters_;
  share_limits();                  // nothing is cached while somebody waits
  if (request.block != nullptr) {  // for a handle that another thread is about to release
    for (unsigned naps = 0; books_.help_for(request) == help && now_ns() < deadline;) {
      nap(visit, naps, deadline);
    }
    result = Waited::helped;
  } else {
    result = wait_for_memory(visit, request, on, help, deadline);
  }
  --waiters_;
  share_limits();
  return result;
}

Waited Pool::wait_for_memory(Visit& visit, const Request& request, const OnQueue* on, std::uint64_t help,
                             std::uint64_t deadline) noexcept {
  const QueueSet* const own = own_;
  const std::uint64_t start = now_ns();
  std::uint64_t awaited = UINT64_MAX;
  // At least three looks, as in settle().
  for (unsigned naps = 0; naps < 3 || now_ns() < deadline;) {
    empty_caches(visit, Empty::to_the_last);  // what other threads release to a cache comes without the mutex
    if (naps == 0) {
      look_closely(visit);
      awaited = !request.waits_for_queues ? UINT64_MAX
                : own->is_unmarked        ? own->epochs.completed()
                                          : own->epochs.open() - 1;
    } else if (const std::uint64_t now = now_ns();
               naps <= polls_without_sleep || now - waiters_looked_ns_ >= between_looks_of_waiters_ns) {
      waiters_looked_ns_ = now;  // one looks for all
      look(visit, Close::all, UINT64_MAX, events_per_look_of_waiters);
    }
    const QueueSet* const lends = lending_set(on);
    if (books_.help_for(request) != help ||
        (lends != nullptr && Books::has_held_back(*lends, request.rounded))) {
      return Waited::helped;
    }
    if (own->epochs.completed() >= awaited) {
      return Waited::through;
    }
    if (!request.waits_for_queues && !books_.help_is_under_way(request)) {
      return Waited::over;
    }
    if (naps % naps_between_looks_elsewhere == 0) {
      visit.out([] {
        core::finish_later_releases();
        end_ended(ended_at_a_time);
      });
      if (request.driver_refused && given_back() != request.given_back) {
        books_.others_gave_back();
        return Waited::helped;
      }
    }
    nap(visit, naps, deadline);
  }
  if (request.driver_refused) {
    note_ended_pools_late(start);
  }
  return Waited::in_vain;
}

void Pool::nap(Visit& visit, unsigned& naps, std::uint64_t deadline) noexcept {
  if (naps++ < polls_without_sleep) {
    visit.out([] { std::this_thread::yield(); });
    return;
  }
  const unsigned doublings = std::min(naps - polls_without_sleep, 16U);
  const std::uint64_t now = now_ns();
  const std::chrono::nanoseconds left(deadline > now ? std::min<std::uint64_t>(deadline - now, 1'000'000'000)
                                                     : 0);
  ++waiters_;
  changed_.wait_for(visit.lock(), std::min({shortest_nap * (1U << doublings), longest_nap, left}));
  --waiters_;
}

}  // namespace clpool::core
