// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Blocks that are held back. With the pool's mutex held, but for ask() and Retired::release(), which call
// drivers, and for the first set and the end.
#include "pool/pending/pending.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "cl/marker.hpp"

namespace clpool::core {
namespace {

/// Bytes that the releases may have that one marker serves: what the marker comes behind that was enqueued after them keeps
/// them, too.
constexpr std::uint64_t bytes_per_marker = std::uint64_t{16} << 20;

/// In such periods it is noted how much comes free; of one that was longer than that nothing is known.
constexpr std::uint64_t period_ns = 100'000'000;
constexpr std::uint64_t longest_period_ns = 1'000'000'000;

/// So many questions are asked between two looks at the clock.
constexpr unsigned questions_at_a_time = 4;

}  // namespace

void Retired::release() noexcept {
  while (uses != nullptr) {
    delete std::exchange(uses, uses->next);
  }
  while (sets != nullptr) {
    delete std::exchange(sets, sets->next);
  }
}

Pending::Pending(Books& books, std::unique_ptr<QueueSet> own, bool host_writes) noexcept
    : books_(books), host_writes_(host_writes), own_(nullptr) {
  set_own(std::move(own));
}

void Pending::set_own(std::unique_ptr<QueueSet> own) noexcept {
  own->users = 1;
  own_ = &sets_.add(std::move(own));
  holds_back_ = own_->epochs.has_queues() && (own_->epochs.only_queue() == nullptr || host_writes_);
}

bool Pending::adopt(std::unique_ptr<QueueSet>& own, std::vector<std::unique_ptr<QueueSet>>& made,
                    std::vector<std::vector<cl_command_queue>>& missing, std::vector<QueueSet*>& held) {
  struct Joined {
    QueueSet* set;
    std::vector<cl_command_queue> queues;
  };
  const auto find_made = [&](const std::vector<cl_command_queue>& queues) {
    return std::find_if(made.begin(), made.end(), [&](const std::unique_ptr<QueueSet>& set) {
      return set != nullptr && set->epochs.is_over(queues);
    });
  };
  const cl_command_queue queue = own->epochs.first_queue();
  std::vector<Joined> all;
  missing.clear();
  // Where the host does not write, the order of the pool's queue is all that it needs.
  for (QueueSet* set = host_writes_ ? sets_.first() : nullptr; set != nullptr; set = set->next) {
    if (set->epochs.has_queues() && !set->epochs.has(queue)) {
      std::vector<cl_command_queue> queues = set->epochs.queues();
      insert_queue(queues, queue);
      if (sets_.find(queues) == nullptr && find_made(queues) == made.end()) {
        missing.push_back(queues);
      }
      all.push_back({set, std::move(queues)});
    }
  }
  if (!missing.empty()) {
    held.reserve(all.size());
    for (const Joined& joined : all) {
      held.push_back(joined.set);
      hold(*joined.set);
    }
    return false;
  }
  for (const Joined& joined : all) {
    QueueSet* const known = sets_.find(joined.queues);
    QueueSet& with_own = known != nullptr ? *known : add_set(std::move(*find_made(joined.queues)));
    hold(with_own);
    joined.set->with_own = &with_own;
  }
  set_own(std::move(own));
  return true;
}

// Declared uses.

/// All queues that must be through before the block may be reused, sorted.
std::vector<cl_command_queue> Pending::queues_of(const DeclaredQueues& declared) const {
  std::vector<cl_command_queue> queues = declared.queues;
  if (declared.bound != nullptr) {
    insert_queue(queues, declared.bound);
  }
  if (!declared.only_these && holds_back()) {
    for (cl_command_queue queue : own_->epochs.queues()) {
      insert_queue(queues, queue);
    }
  }
  return queues;
}

/// The set that the block of `uses` waits for if it is released now, or null.
QueueSet* Pending::set_of(const Uses& uses) const noexcept {
  if (uses.set == nullptr) {
    return holds_back() ? own_ : nullptr;
  }
  return uses.set->with_own != nullptr && !uses.declared.only_these ? uses.set->with_own : uses.set;
}

bool Pending::declare(Uses& uses, DeclaredQueues&& declared, std::unique_ptr<QueueSet>& made,
                      std::vector<cl_command_queue>& missing) {
  std::vector<cl_command_queue> queues = queues_of(declared);
  QueueSet* set = queues.empty() ? nullptr : sets_.find(queues);
  if (set == nullptr && made != nullptr && made->epochs.is_over(queues)) {
    set = &add_set(std::move(made));
  }
  if (set == nullptr && !queues.empty()) {
    missing = std::move(queues);
    return false;
  }
  refer(uses, set);
  uses.declared = std::move(declared);
  return true;
}

/// From now on `uses` refers to `set`, which may be null.
void Pending::refer(Uses& uses, QueueSet* set) noexcept {
  if (set != nullptr) {
    hold(*set);
  }
  if (QueueSet* former = std::exchange(uses.set, set); former != nullptr) {
    let_go(*former);
  }
}

void Pending::retire(Uses& uses) noexcept {
  refer(uses, nullptr);
  uses.next = retired_uses_;
  retired_uses_ = &uses;
}

// Blocks that come and go.

void Pending::add(PoolBlock& block, Uses* uses) noexcept {
  if (uses == nullptr) {
    return books_.hold_back(*own_, block, own_->epochs.open());
  }
  QueueSet* const set = set_of(*uses);
  if (!uses->events.empty()) {
    refer(*uses, set);
    // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): a set that is not null is an object
    set_stamp(block, set != nullptr ? set->epochs.open() : 0);
    books_.count_pending(block);
    events_[block.account].fresh.add(*uses);
    ++blocks_with_events_;
    return;
  }
  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): what waits for no event waits for queues
  books_.hold_back(*set, block, set->epochs.open());
  retire(*uses);
}

void Pending::end_all() noexcept {
  for (QueueSet* set = sets_.first(); set != nullptr; set = set->next) {
    books_.free_completed(*set, UINT64_MAX, 0);
  }
  for (EventLists& lists : events_) {
    for (UsesList* list : {&lists.fresh, &lists.asked, &lists.late}) {
      while (Uses* uses = list->take()) {
        --blocks_with_events_;
        books_.end_pending(*uses->block);
        books_.free(*uses->block, 0);
        retire(*uses);
      }
    }
  }
}

/// The epoch in which a block that waited for `set`, which may be null, counts as released: whether the
/// pool's own queue, by whose order it may have been handed out, is through with it, the wait has not told.
std::uint64_t Pending::stamp_behind(const QueueSet* set) const noexcept {
  return set == own_ || (set != nullptr && holds_back()) ? 0 : own_->epochs.open();
}

// Looks at queues.

QueueSet* Pending::lending_set(const OnQueue* on) const noexcept {
  if (on == nullptr || on->uses == nullptr || !lends()) {
    return nullptr;
  }
  const std::vector<cl_command_queue>& queues = on->uses->declared.queues;
  QueueSet* const set = find(queues);
  return set != nullptr && set->epochs.only_queue() == queues.front() ? set : nullptr;
}

bool Pending::is_due(const QueueSet& set, Close close) const noexcept {
  const bool has_markers = !set.is_unmarked && set.epochs.completed() + 1 < set.epochs.open();
  return set.open_blocks != 0 &&
         (close == Close::all || (close == Close::next && !has_markers) ||
          set.open_blocks >= releases_per_marker || set.open_bytes >= bytes_per_marker);
}

QueueSet* Pending::next_to_look_at(QueueSet* set) noexcept {
  QueueSet* next = set == nullptr ? sets_.first() : set->next;
  while (next != nullptr && (!next->epochs.has_queues() || (next->empty() && next != own_))) {
    QueueSet* const unneeded = std::exchange(next, next->next);
    sets_.drop_if_unused(*unneeded, retired_sets_);
  }
  if (next != nullptr) {
    hold(*next);
  }
  if (set != nullptr) {
    let_go(*set);
  }
  return next;
}

bool Pending::is_marker_cheap() const noexcept {
  return !own_->is_unmarked &&
         (own_->open_blocks >= releases_per_cheap_marker ||
          (own_->open_blocks >= releases_per_marker && own_->open_bytes >= bytes_per_marker));
}

bool Pending::has_unmarked() const noexcept {
  return sets_.any(
      [this](const QueueSet& set) { return set.epochs.has_queues() && is_due(set, Close::all); });
}

bool Pending::is_unmarked() const noexcept {
  return sets_.any([](const QueueSet& set) { return set.is_unmarked; });
}

void Pending::want_marker() noexcept {
  // A chunk is idle when the epoch in which its last block was freed is complete. Where nothing was freed in
  // the open one, the markers that are under way will show all there is to know.
  if (own_->epochs.has_queues() && books_.newest_stamp() >= own_->epochs.open()) {
    own_->want_marker();
  }
}

// Looks at events.

EventLists* Pending::next_events(const EventLists* own) noexcept {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    looked_at_ = (looked_at_ + 1) % events_.size();
    if (EventLists& lists = events_[looked_at_]; &lists != own && lists.any()) {
      return &lists;
    }
  }
  return nullptr;
}

bool Pending::has_late_events() const noexcept {
  return std::ranges::any_of(lists_of(nullptr), [](const EventLists& lists) { return !lists.late.empty(); });
}

UsesList Pending::take(UsesList& list, std::uint64_t most) noexcept {
  UsesList asked;
  while (asked.count < most && !list.empty()) {
    asked.add(*list.take());
  }
  list.in_hand += asked.count;
  return asked;
}

std::uint64_t Pending::ask(UsesList& taken, std::uint64_t until_ns) noexcept {
  std::uint64_t asked = 0;
  unsigned questions = 0;
  const auto has_time = [&] { return ++questions % questions_at_a_time != 0 || clock_ns() < until_ns; };
  for (Uses* uses = taken.first; uses != nullptr; uses = uses->next) {
    // Not beyond the first that has not.
    while (uses->waits_for_events() && cl::has_ended(uses->events[uses->ended].get())) {
      uses->events[uses->ended++].reset();
      if (uses->waits_for_events() && !has_time()) {
        return asked;
      }
    }
    ++asked;
    if (!has_time()) {
      return asked;
    }
  }
  return asked;
}

std::uint64_t Pending::put_back(EventLists& lists, UsesList& list, UsesList& taken,
                                std::uint64_t asked) noexcept {
  std::uint64_t ended = 0;
  list.in_hand -= taken.count;
  UsesList& rest = &list == &lists.fresh ? lists.asked : list;
  for (; asked != 0; --asked) {
    Uses* const uses = taken.take();
    if (uses->waits_for_events()) {
      rest.add(*uses);
      continue;
    }
    ++ended;
    --blocks_with_events_;
    PoolBlock& block = *uses->block;
    books_.end_pending(block);
    QueueSet* const set = uses->set;
    if (set != nullptr && set->epochs.completed() < stamp_of(block)) {
      books_.hold_back(*set, block, stamp_of(block));
    } else {
      books_.free_completed(block, stamp_behind(set));
    }
    retire(*uses);
  }
  list.add_before(taken);
  return ended;
}

void Pending::end_look(std::uint64_t start_ns, std::uint64_t now_ns, bool in_vain) noexcept {
  if (in_vain) {
    look_pause_.begin(now_ns - start_ns, now_ns);
  } else {
    look_pause_.end();
  }
}

// What it makes sense to wait for.

bool Pending::is_awaited(const QueueSet& set, std::uint64_t nanoseconds) const noexcept {
  return set.epochs.has_queues() && (&set == own_ || !set.empty()) && !set.is_late(nanoseconds);
}

bool Pending::awaits_events(const Request* request, std::uint64_t nanoseconds) const noexcept {
  const auto has_waited_less = [&](const EventLists& lists) {
    return lists.late.has_waited_less(nanoseconds);
  };
  return has_events_in_time(awaits_all(request) ? nullptr : request) ||
         std::ranges::any_of(lists_of(request), has_waited_less);
}

bool Pending::has_events_in_time(const Request* request) const noexcept {
  return std::ranges::any_of(lists_of(request), [](const EventLists& lists) { return lists.any_in_time(); });
}

bool Pending::may_settle(const Request* request, std::uint64_t nanoseconds,
                         std::uint64_t now_ns) const noexcept {
  const auto any_awaited = [&] {
    return sets_.any([&](const QueueSet& set) { return is_awaited(set, nanoseconds); });
  };
  // Nor is a pause for any number of requests: nobody sees then whether the stream gets on.
  const Account* const account = request != nullptr ? &books_.account_of(*request) : nullptr;
  if (account != nullptr && account->pause().is_on(now_ns) && !books_.is_beyond_tolerated(*account)) {
    return false;
  }
  return any_awaited() || awaits_events(request, nanoseconds);
}

Pending::Settling Pending::begin_settling(std::uint64_t nanoseconds, const Request* request,
                                          std::uint64_t now_ns) noexcept {
  const bool with_events = awaits_events(request, nanoseconds);
  for (EventLists& lists : lists_of(request)) {
    lists.late.move_waited_less(nanoseconds, lists.asked);
  }
  return {nanoseconds,         now_ns,     request, came_free_for(request), books_.freed_bytes(),
          awaits_all(request), with_events};
}

bool Pending::awaits_others(const Settling& settling) const noexcept {
  const auto is_of_others = [&](const QueueSet& set) {
    return &set != own_ && is_awaited(set, settling.nanoseconds);
  };
  return sets_.any(is_of_others) || has_events_in_time(settling);
}

void Pending::await(const Settling& settling) noexcept {
  for (QueueSet* set = sets_.first(); set != nullptr; set = set->next) {
    if (is_awaited(*set, settling.nanoseconds)) {
      // Nothing would tell when an epoch without markers is complete.
      set->awaited = set->is_unmarked ? set->epochs.completed() : set->epochs.open() - 1;
    }
  }
}

bool Pending::is_settled(const Settling& settling) const noexcept {
  const auto is_incomplete = [&](const QueueSet& set) {
    return is_awaited(set, settling.nanoseconds) &&
           (set.awaited > set.epochs.completed() || has_completed(set));
  };
  return !sets_.any(is_incomplete) && !has_events_in_time(settling);
}

void Pending::end_settling(const Settling& settling, std::uint64_t now_ns) noexcept {
  const std::uint64_t took = now_ns - settling.start_ns;
  const std::uint64_t needed = settling.request != nullptr ? settling.request->rounded : 1;
  const bool in_vain = settling.nanoseconds != 0 && took != 0 && came_free_since(settling) < needed;
  if (settling.request != nullptr) {
    // Who needs memory waits again, unless its stream does not get on for long: as nothing does, or as all that may have been
    // before it did.
    Account& account = books_.account_of(*settling.request);
    if (in_vain && account.note_vain_wait(took, settling.came_free, needed, settling.freed) &&
        (books_.freed_bytes() - account.freed_at_first() < needed || books_.stands_still(account))) {
      note_late_events(settling);
      account.pause().begin(took, now_ns);
    }
    return;
  }
  if (in_vain && has_events_in_time(settling)) {
    note_late_events(settling);
  }
  // What was waited for in vain for so long, nobody tries as long again.
  for (QueueSet* set = sets_.first(); set != nullptr; set = set->next) {
    if (is_awaited(*set, settling.nanoseconds) && set->awaited > set->epochs.completed()) {
      const bool was_late = set->overdue > set->epochs.completed();
      set->waited_ns = std::max(settling.nanoseconds, was_late ? set->waited_ns : 0);
      set->overdue = set->awaited;
    }
  }
}

void Pending::note_time(std::uint64_t now_ns) noexcept {
  const std::uint64_t elapsed = now_ns - period_start_ns_;
  if (elapsed >= period_ns) {
    brought_before_ = elapsed < longest_period_ns ? books_.freed_bytes() - came_free_at_start_ : 0;
    came_free_at_start_ = books_.freed_bytes();
    period_start_ns_ = now_ns;
  }
}

bool Pending::brings(std::uint64_t bytes, std::uint64_t now_ns) const noexcept {
  return now_ns - period_start_ns_ < longest_period_ns &&
         std::max(brought_before_, books_.freed_bytes() - came_free_at_start_) >= bytes;
}

void Pending::note_late_events(const Settling& settling) noexcept {
  for (EventLists& lists : lists_of(settling.request)) {
    for (UsesList* const list : {&lists.asked, &lists.fresh}) {
      while (Uses* uses = list->take()) {
        uses->waited_ns = std::max(uses->waited_ns, settling.nanoseconds);
        lists.late.add(*uses);
      }
    }
  }
}

}  // namespace clpool::core
