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

/// Requests for less wait no longer than that for a device of which nothing is known, until so many times as much more than may be
/// is held back.
constexpr std::uint64_t cheap_growths = 16;

/// A request leaves what is free, and room, to one that waits without room for a block of its size at least, for so long and
/// until so many times what the pool has came free since that one came: where its account has its part of the pool held back;
/// where the block is so many times as large, one part in so many of that.
constexpr std::uint64_t much_larger = 2;
constexpr std::uint64_t longest_in_line = 16;
constexpr std::uint64_t longest_in_line_ns = 1'000'000'000;
constexpr std::uint64_t kept_part = 8;

/// … and not so that its account has fewer blocks of its size held back: its stream works at one while the next waits. Streams
/// can keep a large block apart like that: whoever has stood in line for so long is left all, where that suffices.
constexpr std::uint64_t kept_blocks = 2;
constexpr std::uint64_t long_in_line_ns = 100'000'000;

/// So many times what may be held back all accounts may have together by taking more than their share of what is free.
constexpr std::uint64_t most_of_all = 2;

/// Chunks of at most one part in so many of a request make room for it; larger ones would be missed as soon as they went.
constexpr std::uint64_t much_smaller = 2;

}  // namespace

Books::Awaited Books::awaited(const Account& own) const noexcept {
  Awaited all;
  for (const Account& account : accounts_) {
    if (&account == &own || !stands_still(account)) {
      all.bytes += account.awaited();
      all.accounts += account.is_active(held_back_so_far_, most_held_back()) ? 1 : 0;
      all.ever += account.was_used() ? 1 : 0;
    }
  }
  return all;
}

bool Books::is_beyond_share(const Request& request, bool may_grow) const noexcept {
  const Account& own = account_of(request);
  const Awaited all = awaited(own);
  if (!may_grow) {
    return all.bytes > own.tolerated();
  }
  const std::uint64_t most = most_held_back(request);
  if (own.awaited() == 0) {  // it has nothing to wait for but what the others have
    return all.bytes >= most_of_all * most && request.rounded > share_of(all, most);
  }
  return own.awaited() > own.tolerated() && all.bytes + request.rounded > most &&
         (all.accounts == 1 || own.awaited() + request.rounded > share_of(all, most));
}

bool Books::yields_to_first(const Request& request) const noexcept {
  const std::uint64_t now = surroundings_.now_ns();
  const Line::Place* const first =
      line_.first(freed_bytes_, longest_in_line * managed_bytes(), now - std::min(now, longest_in_line_ns));
  if (first == nullptr || (request.is_in_line && first->account == request.account) ||
      request.rounded > first->needed) {
    return false;
  }
  const std::uint64_t waited = now - first->since_ns;
  const std::uint64_t free = strategy_->free_bytes() + room();
  if (waited > long_in_line_ns && waited <= longest_in_line_ns && free < first->needed &&
      first->needed <= free + pending_bytes_) {
    return true;
  }
  // Not so that its own stream has nothing to do.
  const Account& own = account_of(request);
  const std::uint64_t part = managed_bytes() / std::max<std::uint64_t>(awaited(own).accounts, 1);
  const std::uint64_t kept = request.rounded <= first->needed / much_larger ? part / kept_part : part;
  return own.awaited() > std::max(kept, kept_blocks * request.rounded);
}

void Books::join_line(Request& request) noexcept {
  if (!request.is_in_line && lacks_room(request)) {
    request.is_in_line = line_.join(request.account, request.rounded, freed_bytes_, surroundings_.now_ns());
  }
}

bool Books::waits_for_own(const Request& request) const noexcept {
  const Account& own = account_of(request);
  if (own.awaited() == 0 || !has_room(request)) {
    return false;
  }
  const Awaited all = awaited(own);
  const std::uint64_t most = most_held_back(request);
  // Whoever has more than its share has less by and by.
  const bool has_more = own.awaited() > std::max(share_of(all, most), 2 * request.rounded);
  const std::uint64_t needed = has_more ? 2 * request.rounded : request.rounded;
  // The only one may take all that is free, unless others come and go: they would need new memory each time.
  const bool is_only_one = all.accounts == 1;
  const bool is_much_free =
      (is_only_one || strategy_->free_bytes() >= all.accounts * request.rounded + most) &&
      all.bytes + request.rounded <= std::max(most_of_all * most, 2 * request.rounded);
  return all.ever > 1 && own.came_free() - request.came_free < needed && !is_much_free;
}

bool Books::may_serve(const Request& request) noexcept {
  return !is_much_pending(request) ||
         (!leaves_free(request) && (strategy_->choose(request.rounded, patient_limits()) != nullptr ||
                                    small_chunks_make_room(request)));
}

bool Books::small_chunks_make_room(const Request& request) noexcept {
  const std::uint64_t bytes = room();
  if (request.rounded <= bytes || growth_limits().calls_left < 0) {
    return false;
  }
  // What is free in other bins is of no use to it anyhow.
  const std::uint64_t largest = strategy_->exchanges_chunks() ? request.rounded / much_smaller : UINT64_MAX;
  return bytes + free_chunks(largest, request.rounded - bytes) >= request.rounded;
}

std::uint64_t Books::free_chunks(std::uint64_t largest, std::uint64_t needed,
                                 int most_chunks) const noexcept {
  std::uint64_t bytes = 0;
  for_each_free_chunk([&](const HeapChunk& chunk) {
    bytes += chunk.size <= largest && may_give_back(chunk) ? chunk.size : 0;
    return bytes < needed && --most_chunks != 0;
  });
  return bytes;
}

GrowthLimits Books::patient_limits() noexcept {
  GrowthLimits limits = growth_limits();
  limits.calls_left = CallBudget::most;
  limits.is_patient = true;
  return limits;
}

std::uint64_t Books::settling_left(const Request& request) const noexcept {
  // What shares chunks with others is not worth a longer wait, as long as there is room for more, and little more than may be
  // is held back.
  const bool is_cheap =
      request.rounded < least_growth && has_room(request) &&
      pending_bytes_ + request.rounded <= most_held_back(request) + cheap_growths * least_growth;
  const std::uint64_t longest = is_cheap
                                    ? settling_before_growth_ns
                                    : surroundings_.settling_ns(request.rounded, settling_before_growth_ns);
  return longest - std::min(longest, request.settled_ns);
}

bool Books::may_wait(const Request& request) const noexcept {
  return !request.inside && request.size <= options_.max_bytes &&
         surroundings_.may_settle(&request, settling_before_growth_ns) && settling_left(request) != 0;
}

bool Books::look_at_all(Request& request, Step& step) {
  step = {Step::Kind::look_at_all};
  return is_much_pending(request) && surroundings_.may_look_at_all() && once(request, looked_at_all);
}

bool Books::settle_pending(Request& request, Step& step) {
  if (!is_much_pending(request) || !may_wait(request) ||
      (!leaves_free(request) && small_chunks_make_room(request))) {
    return false;
  }
  join_line(request);
  // Others may take what comes free meanwhile: once more, then.
  step = {Step::Kind::settle, settling_left(request), request.rounded};
  return once(request, pending_settled);
}

bool Books::exchanges(const Request& request) const noexcept {
  return strategy_->exchanges_chunks() && managed_bytes() + request.rounded > peak_managed_bytes_;
}

bool Books::awaits_chunks() const noexcept {
  return !for_each_free_chunk([this](const HeapChunk& chunk) { return is_idle(chunk); });
}

std::uint64_t Books::wait_before_growth_ns() const noexcept {
  return growth_pause_.is_on(surroundings_.now_ns()) ? settling_in_pause_ns : settling_before_peak_ns;
}

bool Books::look_before_growth(Request& request, Step& step) {
  step = {Step::Kind::look_before_growth};
  if (strategy_->next_free_chunk() == nullptr || !surroundings_.has_queues()) {
    return false;
  }
  // What was waited for in vain may be through by now; chunks that go by their age are not worth a wait.
  const bool is_due = exchanges(request) ? !surroundings_.may_settle(nullptr, wait_before_growth_ns())
                                         : options_.decay_ns != 0;
  return is_due && once(request, looked_before_growth);
}

bool Books::settle_before_peak(Request& request, Step& step) {
  if (!exchanges(request) || !awaits_chunks()) {
    return false;
  }
  const std::uint64_t longest = wait_before_growth_ns();
  if (!surroundings_.may_settle(nullptr, longest) || !once(request, settled_before_peak)) {
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
  exchanged_chunks_ += growth.released.size();
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
  const std::uint64_t most = most_held_back(request);
  const std::uint64_t share = share_of(all, most);
  const std::uint64_t left = std::max({most - std::min(most, all.bytes),
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
