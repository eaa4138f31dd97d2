// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Order: on which queue a command runs, what it waits for and who is told; and the pieces that every command
// of the memory runtime needs around its one OpenCL call.
#pragma once

#include <CL/cl.h>

#include <vector>

#include "base/status.hpp"
#include "cl/handle.hpp"
#include "cl/info.hpp"

namespace clpool::core::cl {

struct Order {
  cl_command_queue queue = nullptr;
  cl_uint wait_count = 0;
  const cl_event* waits = nullptr;
  cl_event* event = nullptr;  ///< receives the command's event; may be null
};

/// INVALID_VALUE for a null queue or a wait list that does not match its count.
Status check_order(const Order& order) noexcept;

/// The same for a call whose queue may be null where the memory is bound to one, which the order then gets.
Status check_order_or_bound(Order& order, cl_command_queue bound) noexcept;

/// INVALID_VALUE, naming both contexts, if the queue is of another one than `context`, which may be null.
Status require_context(cl_command_queue queue, cl_context context) noexcept;

/// A new in-order queue.
Status make_queue(cl_context context, cl_device_id device, Queue& result) noexcept;
/// One of the same context and device.
Status make_queue_like(cl_command_queue queue, Queue& result) noexcept;

/// The queue's device.
Status queue_device(cl_command_queue queue, cl_device_id& device) noexcept;

/// NOT_SUPPORTED, naming both versions, if the queue's device is older than `needed`.
Status require_queue_version(cl_command_queue queue, Version needed, const char* feature);

/// What a command of 0 bytes does: nothing, with an event that is complete as soon as the waits are.
Status do_nothing(const Order& order);

/// Events that are waited for together, a reference on each. Made where memory may be missing, used where it
/// must not be needed.
class EventList {
 public:
  EventList() = default;
  EventList(EventList&&) noexcept = default;
  EventList& operator=(EventList&&) = delete;
  ~EventList();
  /// Makes room for one more, so that the next add() cannot fail.
  void reserve() { events_.reserve(events_.size() + 1); }
  void add(Event event) noexcept { events_.push_back(event.detach()); }
  bool empty() const noexcept { return events_.empty(); }
  /// The order of a command on `queue` that waits for all of them.
  Order order(cl_command_queue queue, cl_event* event) const noexcept {
    return {queue, static_cast<cl_uint>(events_.size()), events_.data(), event};
  }

 private:
  std::vector<cl_event> events_;
};

/// Several commands that together carry out one order. Each takes its event from next(); finish() makes one
/// event of them. Needs OpenCL 1.2 when there is more than one command.
class Batch {
 public:
  explicit Batch(const Order& order) : order_(order) {}
  /// Where the next command writes its event; null when nobody wants it.
  cl_event* next();
  Status finish();

 private:
  const Order& order_;
  std::vector<Event> events_;
};

}  // namespace clpool::core::cl
