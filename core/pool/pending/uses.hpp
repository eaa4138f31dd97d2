// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Uses: what was declared about the commands that use one block, or what the library enqueued on it itself.
// Made while the block is handed out; travels with it while it waits for events after its release. Read and changed
// with the pool's mutex held; what retains, releases or asks queues and events is done without it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/fifo.hpp"
#include "cl/handle.hpp"
#include "pool/blocks/pool_block.hpp"
#include "pool/pending/queue_sets.hpp"

namespace clpool::core {

/// Puts a queue into a sorted list, unless it is there.
inline void insert_queue(std::vector<cl_command_queue>& queues, cl_command_queue queue) {
  const auto place = std::lower_bound(queues.begin(), queues.end(), queue);
  if (place == queues.end() || *place != queue) {
    queues.insert(place, queue);
  }
}

/// The queues that use a block. Those of the set that follows from it are retained by that set.
struct DeclaredQueues {
  std::vector<cl_command_queue> queues;  ///< sorted
  /// Those whose commands come after what used the memory before it was handed out, sorted: not one that a reference
  /// was given up on, unless it was used there, too.
  std::vector<cl_command_queue> ordered;
  cl_command_queue bound = nullptr;  ///< the queue that the user bound the block to
  /// The queue whose earlier commands still used the memory when it was handed out to that queue again.
  cl_command_queue former = nullptr;
  /// The pool's own queues do not use it, unless they are among them; and these come after all that used the memory before.
  bool only_these = false;

  /// A use whose commands come after the memory's former life. That the block is bound to the queue is none: it may end.
  void add_use_of(cl_command_queue queue) {
    insert_queue(ordered, queue);
    insert_queue(queues, queue);
  }
  bool has_use_of(cl_command_queue queue) const noexcept {
    return std::binary_search(ordered.begin(), ordered.end(), queue);
  }
};

struct Uses {
  /// So many events of a block are kept without asking whether they have ended.
  static constexpr std::size_t least_events = 64;

  PoolBlock* block = nullptr;
  std::vector<cl::Event> events;  ///< that must have ended
  /// While the block lives: beyond so many events, those that have ended are looked for. None, while somebody does.
  std::size_t most_events = least_events;
  std::size_t ended = 0;  ///< so many of these have, from the first one on, and are gone
  DeclaredQueues declared;
  /// The queues that must be through; counted among its users. The block's stamp is the epoch of these in which it was released.
  QueueSet* set = nullptr;
  std::uint64_t waited_ns = 0;  ///< for how long its events were waited for in vain
  Uses* next = nullptr;         ///< link of a list

  bool waits_for_events() const noexcept { return ended < events.size(); }
};

/// Events more for a living block, and a look at those from before, when there are twice as many as the last one left: a
/// block that lives long and is used in a loop keeps few that have ended, and each costs a bounded number of questions.
/// add() and end() are called with the mutex, ask() without it, where this goes as well.
class MoreEvents {
 public:
  explicit MoreEvents(std::vector<cl::Event>&& events) noexcept : added_(std::move(events)) {}
  /// Adds them. True if there is something to ask, and then to end.
  bool add(Uses& uses);
  void ask() noexcept;
  void end(Uses& uses) noexcept;

 private:
  std::vector<cl::Event> added_;
  std::vector<cl_event> asked_;  ///< the block's first ones, which keeps them; null: has ended
  std::vector<cl::Event> ended_;
};

/// What is noted of a block's uses, or null.
inline Uses* uses_if_any(const PoolBlock& block) noexcept {
  return static_cast<Uses*>(block.attachment);
}

/// A request for one queue, which may have what it released itself although its commands still use it.
struct OnQueue {
  /// Declares just that queue. Of a block that the queue still uses, that must not get lost, whatever fails:
  /// it is made before such a block is taken, which has it then.
  std::unique_ptr<Uses> uses;
  bool is_behind = false;  ///< the queue comes after all that used the block's memory before
};

/// A list of uses in the order in which they came.
struct UsesList : Fifo<Uses> {
  std::uint64_t in_hand = 0;                   ///< more of them, that some thread looks at
  std::uint64_t least_waited_ns = UINT64_MAX;  ///< none was waited for in vain for less

  bool has_waited_less(std::uint64_t nanoseconds) const noexcept { return least_waited_ns < nanoseconds; }
  /// Moves those that were waited for less to another list: a walk only where there are such.
  void move_waited_less(std::uint64_t nanoseconds, UsesList& others) noexcept {
    if (!has_waited_less(nanoseconds)) {
      return;
    }
    least_waited_ns = UINT64_MAX;
    for (std::uint64_t left = count; left > 0; --left) {
      Uses& uses = *take();
      (uses.waited_ns < nanoseconds ? others : *this).add(uses);
    }
  }
  void add(Uses& uses) noexcept {
    Fifo::add(uses);
    least_waited_ns = std::min(least_waited_ns, uses.waited_ns);
  }
  void add_before(UsesList& others) noexcept {
    least_waited_ns = std::min(least_waited_ns, others.least_waited_ns);
    Fifo::add_before(others);
  }
  Uses* take() noexcept {
    Uses* const uses = Fifo::take();
    least_waited_ns = empty() ? UINT64_MAX : least_waited_ns;
    return uses;
  }
};

/// Blocks of one account that wait for events: that nobody has asked about yet, that were asked about, and that were waited
/// for in vain. So those which do not end do not stand before the others.
struct EventLists {
  UsesList fresh;
  UsesList asked;
  UsesList late;

  bool any() const noexcept { return !fresh.empty() || !asked.empty() || !late.empty(); }
  /// Whether there are such that nobody has waited for in vain.
  bool any_in_time() const noexcept {
    return !fresh.empty() || !asked.empty() || fresh.in_hand + asked.in_hand != 0;
  }
};

}  // namespace clpool::core
