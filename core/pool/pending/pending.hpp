// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pending: released blocks that commands may still use: behind which queues and events, how far these are as far as
// somebody has looked, and what was waited for in vain. It waits for nothing: Progress does.
//
// Guarded by the pool's mutex, all but ask() and a Retired, which call drivers and are called without it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/pause.hpp"
#include "pool/books/books.hpp"
#include "pool/pending/queue_sets.hpp"
#include "pool/pending/uses.hpp"

namespace clpool::core {

/// Queues and events that are no more needed; to be released without the mutex.
struct Retired {
  Uses* uses;
  QueueSet* sets;
  void release() noexcept;
};

class Pending {
 public:
  /// Which open epochs a look closes: those that are large enough; of sets of which no marker is under way; or all.
  enum class Close : std::uint8_t { due, next, all };

  /// Releases that one marker serves, unless memory is needed before; and so many that a marker costs next to nothing beside
  /// them, also on drivers that take long for one.
  static constexpr std::uint64_t releases_per_marker = 64;
  static constexpr std::uint64_t releases_per_cheap_marker = 1024;
  /// How long a request waits, for each that does, where the device has brought what it needs within such a time; and asks about
  /// all events however much has come free.
  static constexpr std::uint64_t settling_of_one_ns = 100'000'000;
  static constexpr std::size_t most_at_a_time = 512;  ///< blocks that come free at once

  /// `own`: over the pool's own queues; it stays as long as the pool. `host_writes`: without a command.
  Pending(Books& books, std::unique_ptr<QueueSet> own, bool host_writes) noexcept;
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  /// The set of the pool's own queues.
  QueueSet& own() const noexcept { return *own_; }
  /// Puts a set over one queue in its place, in a pool that was told of none; the former stays. What was declared before
  /// has to wait for that queue, too, if it is released from now on. False, changing nothing, if sets for that are still to
  /// be made, over the queues `missing`, and given in `made`; the sets that have these are held, and are put into `held`.
  bool adopt(std::unique_ptr<QueueSet>& own, std::vector<std::unique_ptr<QueueSet>>& made,
             std::vector<std::vector<cl_command_queue>>& missing, std::vector<QueueSet*>& held);
  /// Released blocks must wait for the pool's own queues.
  bool holds_back() const noexcept { return holds_back_; }
  QueueSet* find(const std::vector<cl_command_queue>& queues) const noexcept { return sets_.find(queues); }
  /// Whether a queue may have blocks again that it still uses.
  bool lends() const noexcept { return !host_writes_ && !books_.rules().guarded; }
  /// A set whose blocks the request may have although they are held back, as its queue alone uses these; or null.
  QueueSet* lending_set(const OnQueue* on) const noexcept;

  /// Gives `uses` what is declared and the set of queues that follows. False, changing nothing, if that is still to be
  /// made, over the queues `missing`, and given as `made`.
  bool declare(Uses& uses, DeclaredQueues&& declared, std::unique_ptr<QueueSet>& made,
               std::vector<cl_command_queue>& missing);

  /// So many sets came since there were fewest that a look at all of them is due: those that nothing but ended commands keep go
  /// with it.
  bool has_many_sets() const noexcept { return sets_.count() > most_sets_; }
  void note_look_at_sets() noexcept { most_sets_ = more_sets(sets_.count()); }

  /// The set stays until let_go().
  static void hold(QueueSet& set) noexcept { ++set.users; }
  void let_go(QueueSet& set) noexcept {
    --set.users;
    sets_.drop_if_unused(set, retired_sets_);
  }

  /// A block that came back and must wait: for what `uses` (may be null) names, or else for the pool's own queues.
  void add(PoolBlock& block, Uses* uses) noexcept;

  /// Nobody uses the block any more of which that was noted.
  void retire(Uses& uses) noexcept;
  /// Frees blocks that need not wait for the set's queues any more, as far as somebody has seen; true if there may be more: not
  /// all at once, where these are many.
  bool free_some(QueueSet& set) noexcept { return free_some(set, set) == most_at_a_time; }
  /// The same of another list of what waits for them: how many.
  std::size_t free_some(HeldBack& list, const QueueSet& set) noexcept {
    return books_.free_completed(list, set.epochs.completed(), stamp_behind(&set), most_at_a_time);
  }
  /// Whether there are such, which another thread frees now.
  static bool has_completed(const QueueSet& set) noexcept {
    return !set.empty() && stamp_of(set.oldest()) <= set.epochs.completed();
  }
  bool has_retired() const noexcept { return retired_uses_ != nullptr || retired_sets_ != nullptr; }
  Retired take_retired() noexcept {
    return {std::exchange(retired_uses_, nullptr), std::exchange(retired_sets_, nullptr)};
  }
  /// All that is held back comes free, whatever still uses it.
  void end_all() noexcept;

  /// Whether such a look closes the set's open epoch.
  bool is_due(const QueueSet& set, Close close) const noexcept;
  /// All sets in turn that have something to look at: each stays until the next is asked for, from null on.
  QueueSet* next_to_look_at(QueueSet* set) noexcept;
  /// Whether so much was released behind the pool's own queues since their last marker that another one costs next to nothing.
  bool is_marker_cheap() const noexcept;
  /// Whether something was released since the last markers, of what is counted as such.
  bool has_unmarked() const noexcept;
  /// Whether some newest epoch has no markers.
  bool is_unmarked() const noexcept;
  /// Has the next look mark the pool's own queues if the last marker does not show which chunks are idle.
  void want_marker() noexcept;

  /// One look at events: take(), ask() without the mutex, put_back(). Each account's by themselves, so that those of one
  /// thread's stream do not stand before the others.
  std::array<EventLists, Account::most>& events() noexcept { return events_; }
  EventLists& events_of(const Request& request) noexcept { return events_[request.account]; }
  /// Those of another account than `own`, which may be null, that has some, in turn; or null.
  EventLists* next_events(const EventLists* own) noexcept;
  bool has_events() const noexcept { return blocks_with_events_ != 0; }
  bool has_late_events() const noexcept;
  static UsesList take(UsesList& list, std::uint64_t most) noexcept;
  /// Until about `until_ns`, however many events each block has. How many blocks of `taken` it has asked about, from the first on.
  static std::uint64_t ask(UsesList& taken, std::uint64_t until_ns) noexcept;
  /// How many blocks' events had ended.
  std::uint64_t put_back(EventLists& lists, UsesList& list, UsesList& taken, std::uint64_t asked) noexcept;

  /// Whether it makes sense to look at everything, and at all events for a moment: looks that brought less than they were made
  /// for take a small share of the time.
  bool may_look(std::uint64_t now_ns) const noexcept {
    return (has_events() || has_unmarked()) && !look_pause_.is_on(now_ns);
  }
  void end_look(std::uint64_t start_ns, std::uint64_t now_ns, bool in_vain) noexcept;

  /// Whether it makes sense to wait so long: for that request, or, if null, for what is done without one.
  bool may_settle(const Request* request, std::uint64_t nanoseconds, std::uint64_t now_ns) const noexcept;
  /// Who waits until all has ended that is pending: begin_settling(), looks, await(), more looks until is_settled() or the
  /// time is over; at last end_settling(), which notes what it waited for in vain, unless what was needed came free before.
  struct Settling {
    std::uint64_t nanoseconds;
    std::uint64_t start_ns;
    const Request*
        request;  ///< or null; it was in vain where less of its account's came free than it needs, or nothing
    std::uint64_t came_free;  ///< bytes of its account's, or of all
    std::uint64_t freed;      ///< bytes of all
    bool of_all;  ///< it awaits all accounts' events, but for others' that were waited for in vain
    bool with_events;
  };
  Settling begin_settling(std::uint64_t nanoseconds, const Request* request, std::uint64_t now_ns) noexcept;
  std::uint64_t came_free_since(const Settling& settling) const noexcept {
    return came_free_for(settling.request) - settling.came_free;
  }
  /// Who begins to wait tells when.
  void note_time(std::uint64_t now_ns) noexcept;
  /// Whether so many bytes came free within a tenth of a second or two.
  bool brings(std::uint64_t bytes, std::uint64_t now_ns) const noexcept;
  /// Whether it waits for others than the pool's own queues: what these let go may then wait for those.
  bool awaits_others(const Settling& settling) const noexcept;
  void await(const Settling& settling) noexcept;
  bool is_settled(const Settling& settling) const noexcept;
  void end_settling(const Settling& settling, std::uint64_t now_ns) noexcept;

 private:
  void set_own(std::unique_ptr<QueueSet> own) noexcept;
  std::vector<cl_command_queue> queues_of(const DeclaredQueues& declared) const;
  QueueSet* set_of(const Uses& uses) const noexcept;
  void refer(Uses& uses, QueueSet* set) noexcept;
  std::uint64_t stamp_behind(const QueueSet* set) const noexcept;
  bool is_awaited(const QueueSet& set, std::uint64_t nanoseconds) const noexcept;
  /// Whether what is waited for, for that request or without one, are the events of all accounts, not just of its own.
  bool awaits_all(const Request* request) const noexcept {
    return request == nullptr || books_.waits_for_others(*request);
  }
  /// Those of the account of `request`, or all if that is null; none where there are no events.
  std::span<EventLists> lists_of(const Request* request) noexcept {
    return request != nullptr ? std::span(&events_[request->account], 1)
                              : std::span(events_.data(), has_events() ? events_.size() : 0);
  }
  std::span<const EventLists> lists_of(const Request* request) const noexcept {
    return const_cast<Pending*>(this)->lists_of(request);
  }
  bool awaits_events(const Request* request, std::uint64_t nanoseconds) const noexcept;
  bool has_events_in_time(const Request* request) const noexcept;
  bool has_events_in_time(const Settling& settling) const noexcept {
    return settling.with_events && has_events_in_time(settling.of_all ? nullptr : settling.request);
  }
  void note_late_events(const Settling& settling) noexcept;
  std::uint64_t came_free_for(const Request* request) const noexcept {
    return request != nullptr ? books_.account_of(*request).came_free() : books_.freed_bytes();
  }

  Books& books_;
  const bool host_writes_;
  bool holds_back_ = false;
  /// So many are not yet looked at where there are so many: a look takes as long as there are sets.
  static constexpr std::size_t more_sets(std::size_t count) noexcept {
    return count + std::max<std::size_t>(64, count / 4);
  }
  QueueSet& add_set(std::unique_ptr<QueueSet> set) noexcept {
    most_sets_ = std::min(most_sets_, more_sets(sets_.count()));  // some may have gone
    return sets_.add(std::move(set));
  }
  Uses* retired_uses_ = nullptr;  ///< to be destroyed without the mutex
  QueueSet* retired_sets_ = nullptr;
  QueueSet* own_;  ///< one of sets_
  QueueSets sets_;
  std::size_t most_sets_ = more_sets(0);
  std::array<EventLists, Account::most> events_;  ///< released blocks that wait for events, by their account
  std::size_t looked_at_ = 0;                     ///< whose next_events() gave last
  std::uint64_t blocks_with_events_ = 0;          ///< in all of them
  std::uint64_t period_start_ns_ = 0;
  std::uint64_t came_free_at_start_ = 0;
  std::uint64_t brought_before_ = 0;  ///< bytes that came free in the period before this one
  Pause look_pause_;                  ///< in which nobody looks at everything
};

}  // namespace clpool::core
