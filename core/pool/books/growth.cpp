// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The stages of a request that nothing free serves: what is waited for, and what goes back, before the pool takes a new
// chunk. With the pool's mutex held.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "pool/books/books.hpp"

namespace clpool::core {
namespace {

/// How long a request polls the queues, at least, where it is about to let what is held back grow beyond the slack.
constexpr std::uint64_t settling_before_growth_ns = 10'000'000;

/// … and where it is about to take more than the pool ever had, although chunks might go back instead: a little less, so that
/// what was waited for in vain like that is still waited for like this.
constexpr std::uint64_t settling_before_peak_ns = 9'000'000;

/// After a vain wait before growth nobody waits so long for that in a pause, until one was not in vain, but for a moment, as
/// markers of a device that has nothing to do take that.
constexpr std::uint64_t settling_in_pause_ns = 100'000;

/// Bytes of chunks that requests may share however much is held back.
constexpr std::uint64_t least_growth = std::uint64_t{1} << 20;

}  // namespace

std::uint64_t Books::most_held_back() const noexcept {
  const std::uint64_t times = waited_slack_.times();
  return slack() > UINT64_MAX / times ? UINT64_MAX : times * slack();
}

Books::Awaited Books::awaited(const Account& own) const noexcept {
  Awaited all;
  for (const Account& account : accounts_) {
    if (&account == &own || !stands_still(account)) {
      all.bytes += account.awaited();
      all.accounts += account.is_active(held_back_so_far_, most_held_back()) ? 1 : 0;
    }
  }
  return all;
}

bool Books::is_much_pending(const Request& request) const noexcept {
  const Account& own = account_of(request);
  const bool has_room = request.rounded <= room();
  if (has_room && pending_bytes_ + request.rounded <= most_held_back()) {
    return false;
  }
  const Awaited all = awaited(own);
  if (!has_room) {
    return all.bytes > own.tolerated();
  }
  if (own.awaited() == 0) {  // it has nothing to wait for but what the others have
    return all.bytes >= 2 * most_held_back() && request.rounded > share_of(all);
  }
  return own.awaited() > own.tolerated() && all.bytes + request.rounded > most_held_back() &&
         (all.accounts == 1 || own.awaited() + request.rounded > share_of(all));
}

bool Books::waits_for_own(const Request& request) const noexcept {
  const Account& own = account_of(request);
  if (own.awaited() == 0 || request.rounded > room()) {
    return false;
  }
  const Awaited all = awaited(own);
  // Whoever has more than its share has less by and by.
  const bool has_more = own.awaited() > std::max(share_of(all), 2 * request.rounded);
  const std::uint64_t needed = has_more ? 2 * request.rounded : request.rounded;
  return all.accounts > 1 && own.came_free() - request.came_free < needed &&
         strategy_->free_bytes() < all.accounts * request.rounded + most_held_back();
}

bool Books::may_serve(const Request& request) noexcept {
  return !is_much_pending(request) ||
         (!waits_for_own(request) && strategy_->choose(request.rounded, patient_limits()) != nullptr);
}

GrowthLimits Books::patient_limits() noexcept {
  GrowthLimits limits = growth_limits();
  limits.calls_left = CallBudget::most;
  limits.room = UINT64_MAX;
  return limits;
}

std::uint64_t Books::settling_left(const Request& request) const noexcept {
  // What shares chunks with others is not worth a longer wait, as long as there is room for more.
  const std::uint64_t longest = request.rounded < least_growth && request.rounded <= room()
                                    ? settling_before_growth_ns
                                    : surroundings_.settling_ns(request.rounded, settling_before_growth_ns);
  return longest - std::min(longest, request.settled_ns);
}

bool Books::may_wait(const Request& request) const noexcept {
  return !request.inside && surroundings_.may_settle(request, settling_before_growth_ns) &&
         settling_left(request) != 0;
}

bool Books::look_at_all(Request& request, Step& step) {
  step = {Step::Kind::look_at_all};
  return is_much_pending(request) && surroundings_.may_look_at_all() && once(request, looked_at_all);
}

bool Books::settle_pending(Request& request, Step& step) {
  if (!is_much_pending(request) || !may_wait(request)) {
    return false;
  }
  // Others may take what comes free meanwhile: once more, then.
  step = {Step::Kind::settle, settling_left(request), request.rounded};
  return once(request, pending_settled);
}

bool Books::exchanges(const Request& request) const noexcept {
  return strategy_->exchanges_chunks() && managed_bytes() + request.rounded > peak_managed_bytes_;
}

bool Books::awaits_chunks() const noexcept {
  bool any = false;
  for_each_free_chunk([&](const HeapChunk& chunk) {
    any = !is_idle(chunk);
    return !any;
  });
  return any;
}

std::uint64_t Books::wait_before_growth_ns() const noexcept {
  return growth_pause_.is_on(surroundings_.now_ns()) ? settling_in_pause_ns : settling_before_peak_ns;
}

bool Books::look_before_growth(Request& request, Step& step) {
  step = {Step::Kind::look_before_growth};
  if (strategy_->largest_free_chunk() == nullptr || !surroundings_.has_queues()) {
    return false;
  }
  // What was waited for in vain may be through by now; chunks that go by their age are not worth a wait.
  const bool is_due =
      exchanges(request) ? !surroundings_.may_settle(wait_before_growth_ns()) : options_.decay_ns != 0;
  return is_due && once(request, looked_before_growth);
}

bool Books::settle_before_peak(Request& request, Step& step) {
  if (!exchanges(request) || !awaits_chunks()) {
    return false;
  }
  const std::uint64_t longest = wait_before_growth_ns();
  if (!surroundings_.may_settle(longest) || !once(request, settled_before_peak)) {
    return false;
  }
  // A few looks, however long it has waited by now.
  step = {Step::Kind::settle, std::max<std::uint64_t>(longest - std::min(longest, request.settled_ns), 1)};
  request.waited_before_growth_ns = longest;
  return true;
}

bool Books::grow(Request& request, Step&) {
  if (!once(request, grown)) {
    return false;
  }
  give_back_aged();
  if (!may_fit(request.rounded)) {
    note_look(request);
    ++out_of_memory_events_;
    return false;
  }
  const Growth growth = strategy_->plan_growth(
      request.rounded, growth_limits(),
      [this](const HeapChunk& chunk) { return is_idle(chunk) && may_give_back(chunk); });
  for (HeapChunk* chunk : growth.released) {
    enter_garbage(*chunk);
  }
  const std::uint64_t waited_ns = std::exchange(request.waited_before_growth_ns, 0);
  if (!growth.released.empty()) {
    growth_pause_.end();
  } else if (waited_ns == settling_before_peak_ns) {
    growth_pause_.begin(waited_ns, surroundings_.now_ns());  // in vain
  }
  if (growth.chunk_bytes == 0) {
    return false;
  }
  // What is held back only for a while must not make the pool larger than that allows, but for so much that small requests
  // do not take a chunk each.
  const Awaited all = awaited(account_of(request));
  const std::uint64_t share = share_of(all);
  const std::uint64_t left = std::max({most_held_back() - std::min(most_held_back(), all.bytes),
                                       share - std::min(share, account_of(request).awaited()), least_growth});
  request.planned = pending_blocks_ == 0 ? growth.chunk_bytes
                                         : std::min(growth.chunk_bytes,
                                                    std::max(request.rounded, left & ~(rules_.granule - 1)));
  return want(request, request.planned);
}

bool Books::grow_exactly(Request& request, Step&) {
  return request.planned > request.rounded && once(request, grown_exactly) && want(request, request.rounded);
}

}  // namespace clpool::core
