// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// How far the queues are: what has ended is polled, and waited for where memory is out or the pool would grow, never
// on one event alone. Called with the mutex held; queues and events are asked, and whoever waits sleeps, without it.
#include <algorithm>
#include <chrono>
#include <thread>

#include "pool/pool.hpp"

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

/// How long a request waits, for each that does, where the device has brought what it needs within such a time; and asks about
/// all events however much has come free.
constexpr std::uint64_t settling_of_one_ns = 100'000'000;

/// How often what was let go may need another look.
constexpr int most_settlings = 64;

}  // namespace

void Pool::look(Visit& visit, Close close, const Events& events, const Request* request) noexcept {
  visit.finish_later_releases();
  if (close != Close::due) {
    returns_.want_marker_for_waiting();
  }
  QueueSet* set = nullptr;
  while ((set = pending_.next_to_look_at(set)) != nullptr) {
    look_at_set(visit, *set, close);
  }
  if (pending_.has_events()) {
    look_at_events(visit, events, request);
  }
  work_on_guard(visit);
}

void Pool::look_at_events(Visit& visit, const Events& events, const Request* request) noexcept {
  const std::uint64_t soon = now_ns() + longest_look_ns;
  EventLists* const own = request != nullptr ? &pending_.events_of(*request) : nullptr;
  if (own != nullptr) {
    look_at_lists(visit, *own, events, soon);
  }
  if (events.of_all) {
    look_at_others(visit, own, events, soon);
  } else if (EventLists* const others = pending_.next_events(own); others != nullptr) {
    look_at_lists(visit, *others, few_events, soon);
  }
}

void Pool::look_at_others(Visit& visit, const EventLists* own, const Events& events,
                          std::uint64_t soon_ns) noexcept {
  for (EventLists& others : pending_.events()) {
    if (&others != own && others.any()) {
      look_at_lists(visit, others, events, soon_ns);
    }
  }
}

template <typename GoesOn>
void Pool::look_at_list(Visit& visit, EventLists& lists, UsesList& list, std::uint64_t left,
                        std::uint64_t portion, GoesOn&& goes_on) noexcept {
  while (portion != 0 && left != 0 && !list.empty()) {
    UsesList taken = Pending::take(list, std::min({left, portion, events_at_a_time}));
    std::uint64_t asked = 0;
    visit.out([&] { asked = Pending::ask(taken, now_ns() + longest_in_hand_ns); });
    const std::uint64_t ended = pending_.put_back(lists, list, taken, asked);
    left -= asked;
    portion -= asked;
    if (portion == 0 && 2 * ended >= asked) {
      portion = 2 * asked;  // most of them have ended: there may be more
    }
    portion = goes_on(2 * ended >= asked) ? portion : 0;
  }
}

void Pool::look_at_lists(Visit& visit, EventLists& lists, const Events& events,
                         std::uint64_t soon_ns) noexcept {
  const auto is_served = [&](std::uint64_t now) {
    if (events.waiter == nullptr || now < soon_ns + settling_of_one_ns) {
      return false;
    }
    returns_.bring_some_home();
    return books_.has_any_for(*events.waiter);
  };
  const auto goes_on = [&](bool brings) {
    const std::uint64_t now = now_ns();
    return now < soon_ns || (now < events.deadline_ns && (brings || !is_served(now)));
  };
  // Behind these come the fresh ones that have not ended.
  const std::uint64_t asked_before = lists.asked.count;
  look_at_list(visit, lists, lists.fresh, lists.fresh.count, events.most, goes_on);
  look_at_list(visit, lists, lists.asked, asked_before, events.most, goes_on);
  look_at_list(visit, lists, lists.late, lists.late.count, events.most_late, goes_on);
}

void Pool::look_at_set(Visit& visit, QueueSet& set, Close close) noexcept {
  Pending::Look look = pending_.begin(set, close);
  visit.out([&] {
    look.ask();
    if (look.status != Status::success && !look.was_refused) {  // once, not with each try
      send_message(sink_, Severity::error, "%s", last_error_message());
    }
  });
  pending_.end(look);
  returns_.free_completed(visit, set);
}

void Pool::look_closely(Visit& visit, const Events& events, const Request* request) noexcept {
  pending_.want_marker();
  look(visit, Close::all, events, request);
  if (pending_.is_unmarked()) {  // once more: a driver may refuse a marker now and take it then
    look(visit, Close::all, events, request);
  }
}

void Pool::look_before_growth(Visit& visit) noexcept {
  // A device that is far behind would else get a marker from each request.
  look(visit, Close::due);
  pending_.want_marker();
  look(visit, Close::next);
}

void Pool::look_at_all(Visit& visit, const Request& request) noexcept {
  const std::uint64_t start = now_ns();
  const std::uint64_t before = books_.freed_bytes();
  const auto in_vain = [&] { return books_.freed_bytes() - before < request.rounded; };
  // A device that is far behind would else get a marker each time.
  look(visit, Close::next, {UINT64_MAX, UINT64_MAX, 0, false}, &request);
  if (in_vain()) {
    look_at_others(visit, &pending_.events_of(request), {}, now_ns() + longest_look_ns);
  }
  pending_.end_look(start, now_ns(), in_vain());
}

Pool::Events Pool::events_of_waiter() noexcept {
  const std::uint64_t now = now_ns();
  if (now - waiters_looked_ns_ < between_looks_of_waiters_ns) {
    return few_events;  // one looks for all
  }
  waiters_looked_ns_ = now;
  return {events_per_look_of_waiters, events_per_look_of_waiters};
}

std::uint64_t Pool::settling_ns(std::uint64_t needed, std::uint64_t least) const noexcept {
  // What comes free is for all that wait.
  return pending_.brings(needed, now_ns()) ? settling_of_one_ns * (returns_.settling + 1) : least;
}

void Pool::settle(Visit& visit, std::uint64_t nanoseconds, const Request* request) noexcept {
  const std::uint64_t start = now_ns();
  const std::uint64_t deadline = start + std::min(nanoseconds, UINT64_MAX - start);
  const Pending::Settling settling = pending_.begin_settling(nanoseconds, request, start);
  const auto has_enough = [&] {
    return request != nullptr &&
           (pending_.came_free_since(settling) >= request->rounded || books_.may_serve(*request));
  };
  const auto is_settled = [&] {
    returns_.bring_some_home();  // what other threads release need not have been waited for
    returns_.free_completed(visit, pending_.own());  // they may have asked the queues
    return has_enough() || (pending_.is_settled(settling) && (rest_enders_ == 0 || !rests()));
  };
  // What events and other queues let go may then wait for the pool's own: where there is such, all is done again.
  int rounds = pending_.awaits_others(settling) ? 2 : 1;
  const Events events{late_events_per_look, settling.with_events ? UINT64_MAX : late_events_per_look,
                      deadline, settling.of_all};
  do {
    look_closely(visit, events, request);
    pending_.await(settling);
    // At least three looks: a thread may have been kept from running for longer than that, and a query may
    // fail once, in place of which there is a new marker to ask about.
    for (Naps naps(start); !is_settled() && nanoseconds != 0 && (naps.count() < 2 || now_ns() < deadline);) {
      nap(visit, naps, deadline);
      look(visit, Close::due, {few_events.most_late, events_of_waiter().most, 0, settling.of_all}, request);
    }
  } while (--rounds != 0 && is_settled() && !has_enough());
  if (!has_enough()) {  // else what has not ended yet is no later than it should be
    pending_.end_settling(settling, now_ns());
  }
}

void Pool::settle_for(Visit& visit, Request& request, const Step& step) noexcept {
  const std::uint64_t start = now_ns();
  pending_.note_time(start);
  const std::uint64_t without_room = books_.lacks_room(request) ? 1 : 0;
  ++returns_.settling;
  returns_.waiters += without_room;
  settle(visit, step.amount, step.needed != 0 ? &request : nullptr);
  returns_.waiters -= without_room;
  --returns_.settling;
  if (without_room != 0) {
    returns_
        .share_limits();  // which may have been shared out meanwhile, as of a pool in which nothing is cached
  }
  const std::uint64_t end = now_ns();
  request.settled_ns += end - start;
  if (step.needed != 0) {
    books_.note_wait(start, end);
  }
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

Waited Pool::wait(Visit& visit, const Request& request, const OnQueue* on,
                  std::uint64_t nanoseconds) noexcept {
  const std::uint64_t help = books_.help_for(request);
  const std::uint64_t start = now_ns();
  const std::uint64_t deadline = start + std::min(nanoseconds, UINT64_MAX - start);
  Waited result = Waited::helped;
  ++returns_.waiters;
  returns_.share_limits();         // nothing is cached while somebody waits
  if (request.block != nullptr) {  // for a handle that another thread is about to release
    for (Naps naps(start); books_.help_for(request) == help && now_ns() < deadline;) {
      nap(visit, naps, deadline);
    }
  } else {
    result = wait_for_memory(visit, request, on, help, deadline);
  }
  --returns_.waiters;
  returns_.share_limits();
  return result;
}

Waited Pool::wait_for_memory(Visit& visit, const Request& request, const OnQueue* on, std::uint64_t help,
                             std::uint64_t deadline) noexcept {
  const QueueSet* const own = &pending_.own();
  const std::uint64_t start = now_ns();
  std::uint64_t awaited = UINT64_MAX;
  // At least three looks, as in settle().
  for (Naps naps(start); naps.count() < 3 || now_ns() < deadline;) {
    returns_.empty_caches(
        visit, Returns::Empty::to_the_last);  // what other threads release to a cache comes without the mutex
    if (naps.count() == 0) {
      // Nothing that has ended is missed, unless asking takes long, mostly in vain, and it is not needed: who has more to
      // choose from is less in others' way, and leaves less between blocks.
      look_closely(visit, {UINT64_MAX, UINT64_MAX, UINT64_MAX, true, &request});
      awaited = !request.waits_for_queues ? UINT64_MAX
                : own->is_unmarked        ? own->epochs.completed()
                                          : own->epochs.open() - 1;
    } else if (const Events events = events_of_waiter();
               naps.were_without_sleep() || events.most != few_events.most) {
      look(visit, Close::all, events);
    }
    returns_.free_completed(visit, pending_.own());  // other threads may have asked the queues
    const QueueSet* const lends = lending_set(on);
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
    ended_pools.note_late(allocator_->traits().sources, start, now_ns());
  }
  return Waited::in_vain;
}

void Pool::nap(Visit& visit, Naps& naps, std::uint64_t deadline) noexcept {
  const std::uint64_t nap = naps.next(now_ns(), deadline);
  if (nap == 0) {
    visit.out([] { std::this_thread::yield(); });
    return;
  }
  ++sleepers_;
  changed_.wait_for(mutex_, std::chrono::nanoseconds(nap));
  --sleepers_;
}

}  // namespace clpool::core
