// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Epochs: how far a set of queues is. What is released is counted into the open epoch; closing it enqueues
// one marker on every queue, and when the markers are complete, so is every command that was enqueued before
// the releases of that epoch. One marker serves many releases. Progress is polled, never waited for.
// Thread-safe; markers are enqueued and events asked without any lock held.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <vector>

#include "base/status.hpp"
#include "cl/handle.hpp"

namespace clpool::core::cl {

class Epochs {
 public:
  Epochs() = default;
  Epochs(const Epochs&) = delete;
  Epochs& operator=(const Epochs&) = delete;
  ~Epochs();

  /// Adds a queue before the first use; one that is there already is not added again. INVALID_VALUE for one
  /// that cannot be retained.
  Status add_queue(cl_command_queue queue);

  bool has_queues() const noexcept { return !queues_.empty(); }
  std::size_t queue_count() const noexcept { return queues_.size(); }
  cl_command_queue queue(std::size_t index) const noexcept { return queues_[index].get(); }
  /// One of the queues, or null.
  cl_command_queue first_queue() const noexcept { return queues_.empty() ? nullptr : queues_.front().get(); }
  bool has(cl_command_queue queue) const noexcept;
  /// True if the queues are exactly those of `others`, each of which is there once.
  bool is_over(const std::vector<cl_command_queue>& others) const noexcept;
  std::vector<cl_command_queue> queues() const;

  /// Whether commands of some queue may overtake each other.
  bool out_of_order() const noexcept { return out_of_order_; }

  /// The queue whose order protects what is reused on it; null if there are several, or one that is out of
  /// order, or none.
  cl_command_queue only_queue() const noexcept {
    return queues_.size() == 1 && !out_of_order_ ? queues_.front().get() : nullptr;
  }

  /// Number of the open epoch: the stamp for what is released now.
  std::uint64_t open() const noexcept { return open_.load(std::memory_order_acquire); }

  /// Highest epoch all of whose markers were seen complete.
  std::uint64_t completed() const noexcept { return completed_.load(std::memory_order_acquire); }

  /// Closes the open epoch. On failure it counts as not complete until a later one is.
  Status close() noexcept;

  /// Takes note of what has completed.
  void poll() noexcept;

 private:
  struct Closed {
    std::uint64_t number;
    std::vector<Event> events;  ///< one for each queue
    std::vector<int> refused;   ///< how often each took no marker in place of one that failed
  };

  /// Whether all queues are through with what was before its markers. A marker that failed says nothing of
  /// that and is enqueued again, as often as it fails: PoCL fails it with any command before it, while others
  /// of the queue still run. Queues that take none any more, time and again, are dead; those that lack the
  /// memory for one are not.
  /// `covers` receives the number up to which such a new marker covers all epochs on its queue, and `on` that queue.
  bool are_through(Closed& closed, std::uint64_t& covers, std::size_t& on) noexcept;
  /// Has `closed`, whose queue `on` is marked anew, stand for all closed epochs up to `covers`, which are put into `covered`:
  /// each would need a new marker of its own. mutex_ is held.
  void stand_for_later(Closed& closed, std::uint64_t covers, std::size_t on,
                       std::list<Closed>& covered) noexcept;

  /// Moves the one element of `closed` to its place in closed_. mutex_ is held.
  void put_in_order(std::list<Closed>& closed) noexcept;

  std::vector<Queue> queues_;
  bool out_of_order_ = false;
  bool has_old_ = false;  ///< the device of some queue is older than OpenCL 1.2
  bool in_turn_ = false;  ///< markers are enqueued, asked and given up in turn: mixes_up_parts()
  std::atomic<std::uint64_t> open_{1};
  std::atomic<std::uint64_t> completed_{0};
  std::mutex mutex_;          ///< guards closed_
  std::list<Closed> closed_;  ///< in ascending order; a list, as poll() must not need memory
};

}  // namespace clpool::core::cl
