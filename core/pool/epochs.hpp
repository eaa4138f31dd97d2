// Epochs: what a pool knows about the progress of the queues that use its memory. Releases are counted into
// the open epoch; closing it enqueues one marker on every queue, and when the markers are complete, so is
// every command that was enqueued before the releases of that epoch. One marker serves many releases.
// Progress is polled; nothing waits but wait(). Markers are enqueued and events asked without any lock held.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <vector>

#include "base/status.hpp"
#include "cl/handle.hpp"

namespace clpool::core {

class Epochs {
 public:
  /// Adds a queue before the first use. INVALID_VALUE for one that cannot be retained.
  Status add_queue(cl_command_queue queue);

  bool has_queues() const noexcept { return !queues_.empty(); }

  /// True if releases must be held back: several queues, or one that is out of order. One in-order queue
  /// protects what is reused on it by its order.
  bool must_hold_back() const noexcept { return must_hold_back_; }

  /// The queue whose order protects what is reused on it; null if releases must be held back or there is no
  /// queue.
  cl_command_queue only_queue() const noexcept {
    return queues_.size() == 1 && !must_hold_back_ ? queues_.front().get() : nullptr;
  }

  /// Number of the open epoch: the stamp for what is released now.
  std::uint64_t open() const noexcept { return open_.load(std::memory_order_acquire); }

  /// Highest epoch all of whose markers were seen complete.
  std::uint64_t completed() const noexcept { return completed_.load(std::memory_order_acquire); }

  /// True if some epoch is closed and not yet seen complete.
  bool in_flight() const noexcept { return open() - 1 > completed(); }

  /// Closes the open epoch. On failure it counts as not complete until a later one is.
  Status close() noexcept;

  /// Takes note of what has completed.
  void poll() noexcept;

  /// Waits until `epoch` is complete, closing it first if it is open.
  Status wait(std::uint64_t epoch) noexcept;

  /// Closes the open epoch and polls for up to `nanoseconds`; true if everything so far is complete.
  bool settle(std::uint64_t nanoseconds) noexcept;

 private:
  struct Closed {
    std::uint64_t number;
    std::vector<cl::Event> events;
  };

  /// Moves the one element of `closed` to its place in closed_. mutex_ is held.
  void put_in_order(std::list<Closed>& closed) noexcept;
  Status share_oldest(std::vector<cl::Event>& events) noexcept;

  std::vector<cl::Queue> queues_;
  bool must_hold_back_ = false;
  std::atomic<std::uint64_t> open_{1};
  std::atomic<std::uint64_t> completed_{0};
  std::mutex mutex_;          ///< guards closed_
  std::list<Closed> closed_;  ///< in ascending order; a list, as poll() must not need memory
};

/// True if the event's command is complete or failed, so that it uses no memory any more.
bool has_ended(cl_event event) noexcept;

/// Enqueues a marker behind everything on `queue` and flushes it, so that others may wait for it (D-12).
Status enqueue_marker(cl_command_queue queue, cl::Event& event) noexcept;

}  // namespace clpool::core
