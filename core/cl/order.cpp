// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Checks of orders, empty commands and events of several commands.
#include "cl/order.hpp"

#include <utility>

#include "cl/quirks.hpp"
#include "cl/turn.hpp"

namespace clpool::core::cl {
namespace {

/// A marker that waits for `events`.
Status enqueue_marker(cl_command_queue queue, cl_uint count, const cl_event* events, cl_event* event) {
  bool in_turn = false;
  CLPOOL_TRY(mixes_up_parts(queue, in_turn));
  const Turn turn(in_turn);
  CLPOOL_TRY(require_queue_version(queue, {1, 2}, "waiting for several events without a command"));
  const cl_int code = clEnqueueMarkerWithWaitList(queue, count, events, event);
  return code == CL_SUCCESS ? Status::success
                            : fail_cl(code, "clEnqueueMarkerWithWaitList", "waiting for %u events", count);
}

Status complete_event(cl_command_queue queue, cl_event* event) {
  cl_context context = nullptr;
  CLPOOL_TRY(query(queue, CL_QUEUE_CONTEXT, context));
  cl_int code = CL_SUCCESS;
  Event complete = Event::adopt(clCreateUserEvent(context, &code));
  if (code == CL_SUCCESS) {
    code = clSetUserEventStatus(complete.get(), CL_COMPLETE);
  }
  if (code != CL_SUCCESS) {
    return fail_cl(code, "clCreateUserEvent", "a complete event cannot be made");
  }
  *event = complete.detach();
  return Status::success;
}

}  // namespace

Status check_order(const Order& order) noexcept {
  if (order.queue == nullptr) {
    return fail(Status::invalid_value, "queue is NULL");
  }
  if ((order.wait_count == 0) != (order.waits == nullptr)) {
    return fail(Status::invalid_value, "wait_count is %u but wait_list is %s", order.wait_count,
                order.waits == nullptr ? "NULL" : "not NULL");
  }
  for (cl_uint i = 0; i < order.wait_count; ++i) {
    if (order.waits[i] == nullptr) {
      return fail(Status::invalid_value, "event %u of %u in wait_list is NULL", i, order.wait_count);
    }
  }
  return Status::success;
}

Status check_order_or_bound(Order& order, cl_command_queue bound) noexcept {
  if (order.queue == nullptr && bound == nullptr) {
    return fail(Status::invalid_value, "no queue is given, and the memory is bound to none");
  }
  order.queue = order.queue != nullptr ? order.queue : bound;
  return check_order(order);
}

Status require_context(cl_command_queue queue, cl_context context) noexcept {
  if (context == nullptr) {
    return Status::success;
  }
  cl_context own = nullptr;
  CLPOOL_TRY(query(queue, CL_QUEUE_CONTEXT, own));
  return own == context
             ? Status::success
             : fail(Status::invalid_value, "the queue %p is of context %p, the memory is of context %p",
                    static_cast<void*>(queue), static_cast<void*>(own), static_cast<void*>(context));
}

Status make_queue_like(cl_command_queue queue, Queue& result) noexcept {
  cl_context context = nullptr;
  cl_device_id device = nullptr;
  CLPOOL_TRY(query(queue, CL_QUEUE_CONTEXT, context));
  CLPOOL_TRY(query(queue, CL_QUEUE_DEVICE, device));
  return make_queue(context, device, result);
}

Status make_queue(cl_context context, cl_device_id device, Queue& result) noexcept {
  cl_int code = CL_SUCCESS;
  result = Queue::adopt(clCreateCommandQueue(context, device, 0, &code));
  return code == CL_SUCCESS
             ? Status::success
             : fail_cl(code, "clCreateCommandQueue", "for device %p", static_cast<void*>(device));
}

Status queue_device(cl_command_queue queue, cl_device_id& device) noexcept {
  return query(queue, CL_QUEUE_DEVICE, device);
}

Status require_queue_version(cl_command_queue queue, Version needed, const char* feature) {
  cl_device_id device = nullptr;
  CLPOOL_TRY(queue_device(queue, device));
  return require_version(device, needed, feature);
}

Status do_nothing(const Order& order) {
  if (order.event == nullptr) {
    return Status::success;
  }
  if (order.wait_count == 0) {
    return complete_event(order.queue, order.event);
  }
  if (order.wait_count == 1) {  // complete exactly when that event is
    const cl_int code = clRetainEvent(order.waits[0]);
    if (code != CL_SUCCESS) {
      return fail_cl(code, "clRetainEvent", "the event to wait for");
    }
    *order.event = order.waits[0];
    return Status::success;
  }
  return enqueue_marker(order.queue, order.wait_count, order.waits, order.event);
}

EventList::~EventList() {
  for (cl_event event : events_) {
    Event::adopt(event);
  }
}

cl_event* Batch::next() {
  if (order_.event == nullptr) {
    return nullptr;
  }
  return events_.emplace_back().receive();
}

Status Batch::finish() {
  if (order_.event == nullptr) {
    return Status::success;
  }
  if (events_.size() == 1) {
    *order_.event = events_.front().detach();
    return Status::success;
  }
  std::vector<cl_event> handles;
  handles.reserve(events_.size());
  for (const Event& event : events_) {
    handles.push_back(event.get());
  }
  return enqueue_marker(order_.queue, static_cast<cl_uint>(handles.size()), handles.data(), order_.event);
}

}  // namespace clpool::core::cl
