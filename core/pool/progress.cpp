// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// How far the queues are: what has ended is polled, and waited for where memory is out or the pool would grow, never
// on one event alone. Called with the mutex held; queues and events are asked, and whoever waits sleeps, without it.
#include "pool/progress.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/given_back.hpp"
#include "base/late_release.hpp"
#include "pool/ended_pools.hpp"

namespace clpool::core {
namespace {

/// Blocks whose events were waited for in vain before that a request asks about when it lets the queues settle; how many are
/// taken in hand at a time, and for how long, as nobody else finds them meanwhile; and for how long a look goes on that
/// finds some which have ended, or that is to find all.
constexpr std::uint64_t late_events_per_look = 64;
constexpr std::uint64_t events_at_a_time = 512;
constexpr std::uint64_t longest_in_hand_ns = 100'000;
constexpr std::uint64_t longest_look_ns = 1'000'000;

constexpr unsigned naps_between_looks_elsewhere = 8;

/// Requests that wait look for each other, at so many events each time.
constexpr std::uint64_t between_looks_of_waiters_ns = 500'000;
constexpr std::uint64_t events_per_look_of_waiters = 1024;

/// How often what was let go may need another look.
constexpr int most_settlings = 64;

}  // namespace

void Progress::look(Way& way, Close close, const Events& events, const Request* request) noexcept {
  way.finish_later_releases();
  if (close != Close::due) {
    returns_.want_marker_for_waiting();
  }
  QueueSet* set = nullptr;
  while ((set = pending_.next_to_look_at(set)) != nullptr) {
    look_at_set(way, *set, close);
  }
  if (pending_.has_events()) {
    look_at_events(way, events, request);
  }
  rests_.work(way);
}

void Progress::look_at_events(Way& way, const Events& events, const Request* request) noexcept {
  const std::uint64_t soon = clock_ns() + longest_look_ns;
  EventLists* const own = request != nullptr ? &pending_.events_of(*request) : nullptr;
  if (own != nullptr) {
    look_at_lists(way, *own, events, soon);
  }
  if (events.of_all) {
    look_at_others(way, own, events, soon);
  } else if (EventLists* const others = pending_.next_events(own); others != nullptr) {
    look_at_lists(way, *others, few_events, soon);
  }
}

void Progress::look_at_others(Way& way, const EventLists* own, const Events& events,
                              std::uint64_t soon_ns) noexcept {
  for (EventLists& others : pending_.events()) {
    if (&others != own && others.any()) {
      look_at_lists(way, others, events, soon_ns);
    }
  }
}

template <typename GoesOn>
void Progress::look_at_list(Way& way, EventLists& lists, UsesList& list, std::uint64_t left,
                            std::uint64_t portion, GoesOn&& goes_on) noexcept {
  while (portion != 0 && left != 0 && !list.empty()) {
    UsesList taken = Pending::take(list, std::min({left, portion, events_at_a_time}));
    std::uint64_t asked = 0;
    way.out([&] { asked = Pending::ask(taken, clock_ns() + longest_in_hand_ns); });
    const std::uint64_t ended = pending_.put_back(lists, list, taken, asked);
    left -= asked;
    portion -= asked;
    if (portion == 0 && 2 * ended >= asked) {
      portion = 2 * asked;  // most of them have ended: there may be more
    }
    portion = goes_on(2 * ended >= asked) ? portion : 0;
  }
}

void Progress::look_at_lists(Way& way, EventLists& lists, const Events& events,
                             std::uint64_t soon_ns) noexcept {
  const auto is_served = [&](std::uint64_t now) {
    if (events.waiter == nullptr || now < soon_ns + Pending::settling_of_one_ns) {
      return false;
    }
    returns_.bring_some_home();
    return books_.has_any_for(*events.waiter);
  };
  const auto goes_on = [&](bool brings) {
    const std::uint64_t now = clock_ns();
    return now < soon_ns || (now < events.deadline_ns && (brings || !is_served(now)));
  };
  // Behind these come the fresh ones that have not ended.
  const std::uint64_t asked_before = lists.asked.count;
  look_at_list(way, lists, lists.fresh, lists.fresh.count, events.most, goes_on);
  look_at_list(way, lists, lists.asked, asked_before, events.most, goes_on);
  look_at_list(way, lists, lists.late, lists.late.count, events.most_late, goes_on);
}

void Progress::look_at_set(Way& way, QueueSet& set, Close close) noexcept {
  const bool closes = pending_.is_due(set, close);
  const bool was_refused = set.is_unmarked;
  const std::uint64_t blocks = closes ? std::exchange(set.open_blocks, 0) : 0;
  const std::uint64_t bytes = closes ? std::exchange(set.open_bytes, 0) : 0;
  Status status = Status::success;
  way.out([&] {
    status = closes ? set.epochs.close() : Status::success;
    set.epochs.poll();
    if (status != Status::success && !was_refused) {  // once, not with each try
      send_message(sink_, Severity::error, "%s", last_error_message());
    }
  });
  set.is_unmarked = closes ? status != Status::success : set.is_unmarked;
  if (status != Status::success) {
    set.open_blocks += blocks;
    set.open_bytes += bytes;
  }
  returns_.free_completed(way, set);
}

void Progress::look_closely(Way& way, const Events& events, const Request* request) noexcept {
  pending_.want_marker();
  look(way, Close::all, events, request);
  if (pending_.is_unmarked()) {  // once more: a driver may refuse a marker now and take it then
    look(way, Close::all, events, request);
  }
}

void Progress::look_before_growth(Way& way) noexcept {
  // A device that is far behind would else get a marker from each request.
  look(way, Close::due);
  pending_.want_marker();
  look(way, Close::next);
}

void Progress::look_at_all(Way& way, const Request& request) noexcept {
  const std::uint64_t start = clock_ns();
  const std::uint64_t before = books_.freed_bytes();
  const auto in_vain = [&] { return books_.freed_bytes() - before < request.rounded; };
  // A device that is far behind would else get a marker each time.
  look(way, Close::next, {UINT64_MAX, UINT64_MAX, 0, false}, &request);
  if (in_vain()) {
    look_at_others(way, &pending_.events_of(request), {}, clock_ns() + longest_look_ns);
  }
  pending_.end_look(start, clock_ns(), in_vain());
}

Progress::Events Progress::events_of_waiter() noexcept {
  const std::uint64_t now = clock_ns();
  if (now - waiters_looked_ns_ < between_looks_of_waiters_ns) {
    return few_events;  // one looks for all
  }
  waiters_looked_ns_ = now;
  return {events_per_look_of_waiters, events_per_look_of_waiters};
}

void Progress::settle(Way& way, std::uint64_t nanoseconds, const Request* request) noexcept {
  const std::uint64_t start = clock_ns();
  const std::uint64_t deadline = start + std::min(nanoseconds, UINT64_MAX - start);
  const Pending::Settling settling = pending_.begin_settling(nanoseconds, request, start);
  const auto has_enough = [&] {
    return request != nullptr &&
           (pending_.came_free_since(settling) >= request->rounded || books_.may_serve(*request));
  };
  const auto is_settled = [&] {
    returns_.bring_some_home();                    // what other threads release need not have been waited for
    returns_.free_completed(way, pending_.own());  // they may have asked the queues
    return has_enough() || (pending_.is_settled(settling) && (rests_.enders == 0 || !rests_.any()));
  };
  // What events and other queues let go may then wait for the pool's own: where there is such, all is done again.
  int rounds = pending_.awaits_others(settling) ? 2 : 1;
  const Events events{late_events_per_look, settling.with_events ? UINT64_MAX : late_events_per_look,
                      deadline, settling.of_all};
  do {
    look_closely(way, events, request);
    pending_.await(settling);
    // At least three looks: a thread may have been kept from running for longer than that, and a query may
    // fail once, in place of which there is a new marker to ask about.
    for (Naps naps(start);
         !is_settled() && nanoseconds != 0 && (naps.count() < 2 || clock_ns() < deadline);) {
      nap(way, naps, deadline);
      look(way, Close::due, {few_events.most_late, events_of_waiter().most, 0, settling.of_all}, request);
    }
  } while (--rounds != 0 && is_settled() && !has_enough());
  if (!has_enough()) {  // else what has not ended yet is no later than it should be
    pending_.end_settling(settling, clock_ns());
  }
}

void Progress::settle_for(Way& way, Request& request, const Step& step) noexcept {
  const std::uint64_t start = clock_ns();
  pending_.note_time(start);
  const std::uint64_t without_room = books_.lacks_room(request) ? 1 : 0;
  ++returns_.settling;
  returns_.waiters += without_room;
  settle(way, step.amount, step.needed != 0 ? &request : nullptr);
  returns_.waiters -= without_room;
  --returns_.settling;
  if (without_room != 0) {
    returns_
        .share_limits();  // which may have been shared out meanwhile, as of a pool in which nothing is cached
  }
  const std::uint64_t end = clock_ns();
  request.settled_ns += end - start;
  if (step.needed != 0) {
    books_.note_wait(start, end);
  }
}

void Progress::settle_all(Way& way, std::uint64_t nanoseconds) noexcept {
  const std::uint64_t start = clock_ns();
  std::uint64_t left = nanoseconds;
  for (int i = 0; i < most_settlings; ++i) {
    const std::uint64_t before = books_.turn();
    settle(way, left);
    const std::uint64_t took = clock_ns() - start;
    if (books_.turn() == before || (books_.pending_blocks() == 0 && !books_.has_busy_chunk()) ||
        (nanoseconds != 0 && took >= nanoseconds)) {
      return;
    }
    left = nanoseconds == 0 ? 0 : nanoseconds - took;
  }
}

void Progress::end_rest(Way& way, std::uint64_t nanoseconds) noexcept {
  ++rests_.enders;
  rests_.work(way);
  if (rests_.any() && !rests_.is_late()) {
    settle(way, nanoseconds);
  }
  --rests_.enders;
  rests_.note_wait();
}

Waited Progress::wait(Way& way, const Request& request, const OnQueue* on,
                      std::uint64_t nanoseconds) noexcept {
  const std::uint64_t help = books_.help_for(request);
  const std::uint64_t start = clock_ns();
  const std::uint64_t deadline = start + std::min(nanoseconds, UINT64_MAX - start);
  Waited result = Waited::helped;
  ++returns_.waiters;
  returns_.share_limits();         // nothing is cached while somebody waits
  if (request.block != nullptr) {  // for a handle that another thread is about to release
    for (Naps naps(start); books_.help_for(request) == help && clock_ns() < deadline;) {
      nap(way, naps, deadline);
    }
  } else {
    result = wait_for_memory(way, request, on, help, deadline);
  }
  --returns_.waiters;
  returns_.share_limits();
  return result;
}

Waited Progress::wait_for_memory(Way& way, const Request& request, const OnQueue* on, std::uint64_t help,
                                 std::uint64_t deadline) noexcept {
  const QueueSet* const own = &pending_.own();
  const std::uint64_t start = clock_ns();
  std::uint64_t awaited = UINT64_MAX;
  // At least three looks, as in settle().
  for (Naps naps(start); naps.count() < 3 || clock_ns() < deadline;) {
    returns_.empty_caches(
        way, Returns::Empty::to_the_last);  // what other threads release to a cache comes without the mutex
    if (naps.count() == 0) {
      // Nothing that has ended is missed, unless asking takes long, mostly in vain, and it is not needed: who has more to
      // choose from is less in others' way, and leaves less between blocks.
      look_closely(way, {UINT64_MAX, UINT64_MAX, UINT64_MAX, true, &request});
      awaited = !request.waits_for_queues ? UINT64_MAX
                : own->is_unmarked        ? own->epochs.completed()
                                          : own->epochs.open() - 1;
    } else if (const Events events = events_of_waiter();
               naps.were_without_sleep() || events.most != few_events.most) {
      look(way, Close::all, events);
    }
    returns_.free_completed(way, pending_.own());  // other threads may have asked the queues
    const QueueSet* const lends = pending_.lending_set(on);
    if (books_.help_for(request) != help || (lends != nullptr && lends->has(request.rounded))) {
      return Waited::helped;
    }
    if (own->epochs.completed() >= awaited) {
      return Waited::through;
    }
    if (!request.waits_for_queues && !request.waits_for_users && !books_.help_is_under_way(request)) {
      return Waited::over;
    }
    if (naps.count() % naps_between_looks_elsewhere == 0) {
      way.out([] {
        core::finish_later_releases();
        ended_pools.end_some(EndedPools::few);
      });
      if (request.driver_refused && given_back() != request.given_back) {
        books_.others_gave_back();
        return Waited::helped;
      }
    }
    nap(way, naps, deadline);
  }
  if (request.driver_refused) {
    ended_pools.note_late(sources_, start, clock_ns());
  }
  return Waited::in_vain;
}

void Progress::nap(Way& way, Naps& naps, std::uint64_t deadline) noexcept {
  const std::uint64_t nap = naps.next(clock_ns(), deadline);
  if (nap == 0) {
    way.out([] { std::this_thread::yield(); });
    return;
  }
  way.sleep(nap);
}

}  // namespace clpool::core
