// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// How much a pool holds: giving it all back, or down to a limit, or what is old; and releases that were put off.
// Public functions, visit_up_to_date(), finish_later_releases() and take_back_all() are called without the mutex,
// the others with it.
#include <algorithm>
#include <utility>

#include "pool/pool.hpp"

namespace clpool::core {
namespace {

/// How long giving back polls for memory that must be idle before it goes.
constexpr std::uint64_t settling_to_give_back_ns = 2'000'000;

}  // namespace

void Pool::settle_to_give_back(Visit& visit) noexcept {
  const std::uint64_t deadline =
      clock_ns() + (guard_ != nullptr ? resting_to_give_back_ns : settling_to_give_back_ns);
  const auto left = [&] {
    const std::uint64_t now = clock_ns();
    return now < deadline ? deadline - now : 0;
  };
  books_.forget_waits();  // who asks for memory to go has a reason to think that it can
  progress_.end_rest(visit, left());
  if (pending_.has_late_events() || !world_.may_settle(nullptr, 1)) {
    progress_.look(visit, Progress::Close::all,
                   {UINT64_MAX, UINT64_MAX, deadline});  // what was waited for in vain may be through by now
  }
  if (!rules().outlives_release || has_pending()) {
    const std::uint64_t longest = std::max<std::uint64_t>(left(), 1);  // a few looks, however late it is
    progress_.settle_all(visit, world_.may_settle(nullptr, longest) ? longest : 0);
  } else {
    progress_.look(visit, Progress::Close::due);
  }
  progress_.end_rest(visit, left());  // of what came free by that
}

void Pool::give_back_all(Visit& visit) noexcept {
  returns_.empty_caches(visit, Returns::Empty::to_the_last);
  settle_to_give_back(visit);
  books_.waited_slack().reset();
  give_back_idle(visit);
}

void Pool::give_back_idle(Visit& visit) noexcept {
  do {
    visit.tidy();  // first: handles that are to go keep their chunks
    visit.give_way();
  } while (books_.give_back_some(chunks_at_a_time));
  returns_.share_limits();
}

/// Runs `action` with the mutex held, when all is carried out that was put off.
template <typename Action>
void Pool::visit_up_to_date(Action&& action) {
  core::finish_later_releases();
  Visit visit(*this);
  visit.finish_later_releases();
  action(visit);
}

void Pool::free_held() {
  visit_up_to_date([this](Visit& visit) { give_back_all(visit); });
}

/// From here on no thread keeps what it releases for itself, or keeps to it again.
void Pool::set_holding(bool holding) noexcept {
  const Borrowed borrowed(caches_);
  books_.hold(holding);
  holds_.store(holding, std::memory_order_relaxed);
  returns_.share_limits();
}

void Pool::stop_holding() {
  visit_up_to_date([this](Visit& visit) {
    set_holding(false);
    give_back_all(visit);
  });
}

void Pool::resume_holding() {
  const Visit visit(*this);
  set_holding(!closed_);
}

void Pool::trim(std::uint64_t keep_bytes) {
  visit_up_to_date([this, keep_bytes](Visit& visit) {
    returns_.empty_caches(visit, Returns::Empty::to_the_last);
    settle_to_give_back(visit);
    do {
      visit.tidy();
      visit.give_way();
    } while (books_.trim_some(keep_bytes, chunks_at_a_time));
    returns_.share_limits();
  });
}

void Pool::tick() {
  Visit visit(*this);
  visit.finish_later_releases();
  visit.out([] {
    core::finish_later_releases();
    ended_pools.end_some(UINT64_MAX);
  });
  returns_.bring_all_home(visit);
  pending_.want_marker();
  progress_.look(visit, Progress::Close::all, {});
  books_.keep_to_held_limit();
  if (!books_.holding()) {
    returns_.empty_caches(visit, Returns::Empty::to_the_last);
    give_back_idle(visit);
  } else if (options_.release_threshold != 0 || options_.decay_ns != 0) {
    returns_.empty_caches(visit, Returns::Empty::to_the_last);
    visit.tidy();
    books_.give_back_aged();
    if (options_.decay_ns == 0) {
      books_.give_back_beyond(options_.release_threshold);
    }
  }
  returns_.share_limits();
}

Status Pool::take_back_later(Mem& mem) noexcept {
  note_released(mem);
  if (!later_.add(mem)) {
    put_off_release(mem);  // nobody will call the pool any more: as for memory of no pool
  }
  return Status::success;
}

void Pool::finish_later_releases() noexcept {
  take_back_all(later_.take_all());
}

void Pool::take_back_all(Mem* mem) noexcept {
  while (mem != nullptr) {
    Mem* next = std::exchange(mem->next, nullptr);
    static_cast<void>(take_back(*mem));
    mem = next;
  }
}

}  // namespace clpool::core
