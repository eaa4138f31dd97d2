// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Markers and barriers on queues and questions to events.
#include "cl/marker.hpp"

#include <new>
#include <utility>
#include <vector>

#include "base/message.hpp"
#include "cl/info.hpp"
#include "cl/quirks.hpp"
#include "cl/turn.hpp"

namespace clpool::core::cl {
namespace {

/// Enqueues a marker behind everything on `queue`.
Status add_marker(cl_command_queue queue, bool old, Event& event) noexcept {
  // Without a wait list a marker completes after all commands enqueued before it, out of order or not
  // (OpenCL 1.2, section 5.10).
  const cl_int code = old ? clEnqueueMarker(queue, event.receive())
                          : clEnqueueMarkerWithWaitList(queue, 0, nullptr, event.receive());
  return code == CL_SUCCESS ? Status::success
                            : fail_cl(code, old ? "clEnqueueMarker" : "clEnqueueMarkerWithWaitList",
                                      "no marker on queue %p", static_cast<void*>(queue));
}

/// Makes commands enqueued on `queue` from now on wait for `events`.
Status enqueue_barrier(cl_command_queue queue, bool old, cl_uint count, const cl_event* events) noexcept {
  bool forgotten = false;
  try {
    CLPOOL_TRY(forgets_barriers(queue, forgotten));
  } catch (const std::bad_alloc&) {
    return fail(Status::out_of_host_memory, "no host memory for the name of a queue's platform");
  }
  if (forgotten && !old) {
    // A barrier without a list waits for all before it: barriers, and this marker.
    const cl_int code = clEnqueueMarkerWithWaitList(queue, count, events, nullptr);
    if (code != CL_SUCCESS) {
      return fail_cl(code, "clEnqueueMarkerWithWaitList", "queue %p cannot wait for %u events",
                     static_cast<void*>(queue), count);
    }
    count = 0;
    events = nullptr;
  }
  const cl_int code = old ? clEnqueueWaitForEvents(queue, count, events)
                          : clEnqueueBarrierWithWaitList(queue, count, events, nullptr);
  return code == CL_SUCCESS ? Status::success
                            : fail_cl(code, old ? "clEnqueueWaitForEvents" : "clEnqueueBarrierWithWaitList",
                                      "queue %p cannot wait for %u events", static_cast<void*>(queue), count);
}

}  // namespace

Status flush_and_tell(cl_command_queue queue) noexcept {
  const cl_int code = clFlush(queue);
  return code == CL_SUCCESS
             ? Status::success
             : fail_cl(code, "clFlush", "queue %p cannot be flushed", static_cast<void*>(queue));
}

bool has_ended(cl_event event) noexcept {
  return state_of(event) <= CL_COMPLETE;
}

cl_int state_of(cl_event event) noexcept {
  cl_int state = CL_QUEUED;
  const cl_int code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
  return code == CL_SUCCESS ? state : CL_QUEUED;
}

Status is_old(cl_command_queue queue, bool& old) noexcept {
  try {
    cl_device_id device = nullptr;
    CLPOOL_TRY(query(queue, CL_QUEUE_DEVICE, device));
    Version version;
    CLPOOL_TRY(device_version(device, version));
    old = version < Version{1, 2};
    return Status::success;
  } catch (const std::bad_alloc&) {
    return fail(Status::out_of_host_memory, "no host memory for the version of a queue's device");
  }
}

Status enqueue_marker(cl_command_queue queue, bool old, Event& event) noexcept {
  CLPOOL_TRY(add_marker(queue, old, event));
  return flush_and_tell(queue);
}

Status mark_so_far(const Order& order, Event& done) {
  bool in_turn = false;
  CLPOOL_TRY(mixes_up_parts(order.queue, in_turn));
  const Turn turn(in_turn);
  bool old = false;
  CLPOOL_TRY(is_old(order.queue, old));
  if (old && order.wait_count != 0) {
    CLPOOL_TRY(enqueue_barrier(order.queue, old, order.wait_count, order.waits));
  }
  Event marker;
  CLPOOL_TRY(add_marker(order.queue, old, marker));
  if (!old && order.wait_count != 0) {  // a marker with a list waits for nothing else where commands overtake
    std::vector<cl_event> waits(order.waits, order.waits + order.wait_count);
    waits.push_back(marker.get());
    Event both;
    if (const cl_int code = clEnqueueMarkerWithWaitList(order.queue, static_cast<cl_uint>(waits.size()),
                                                        waits.data(), both.receive());
        code != CL_SUCCESS) {
      return fail_cl(code, "clEnqueueMarkerWithWaitList", "no marker on queue %p",
                     static_cast<void*>(order.queue));
    }
    marker = std::move(both);
  }
  CLPOOL_TRY(flush_and_tell(order.queue));
  done = std::move(marker);
  return Status::success;
}

Status hand_over(cl_command_queue from, cl_command_queue to) noexcept {
  bool in_turn = false;
  CLPOOL_TRY(mixes_up_parts(from, in_turn));
  const Turn turn(in_turn);
  bool from_old = false;
  bool to_old = false;
  CLPOOL_TRY(is_old(from, from_old));
  CLPOOL_TRY(is_old(to, to_old));
  Event done;
  CLPOOL_TRY(enqueue_marker(from, from_old, done));
  const cl_event event = done.get();
  return enqueue_barrier(to, to_old, 1, &event);
}

Status come_after(cl_event event, cl_command_queue queue) noexcept {
  bool in_turn = false;
  CLPOOL_TRY(mixes_up_parts(queue, in_turn));
  const Turn turn(in_turn);
  bool old = false;
  CLPOOL_TRY(is_old(queue, old));
  return enqueue_barrier(queue, old, 1, &event);
}

Status wait_for(cl_event event, const char* what) noexcept {
  const cl_int code = clWaitForEvents(1, &event);
  if (code == CL_SUCCESS) {
    return Status::success;
  }
  cl_int state = CL_COMPLETE;  // the command's own error says more than that one was met
  const cl_int asked =
      clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
  return fail_cl(asked == CL_SUCCESS && state < 0 ? state : code, "clWaitForEvents", "%s", what);
}

namespace {

Status wait_for_marker(cl_command_queue queue) noexcept {
  bool in_turn = false;
  CLPOOL_TRY(mixes_up_parts(queue, in_turn));
  bool old = false;
  CLPOOL_TRY(is_old(queue, old));
  Event last;
  {
    const Turn turn(in_turn);
    CLPOOL_TRY(add_marker(queue, old, last));
  }
  const Status status = wait_for(last.get(), "the marker");
  const Turn turn(in_turn);
  last.reset();
  return status;
}

}  // namespace

Status finish(cl_command_queue queue) noexcept {
  {
    // clFinish of rusticl (22.3) forgets what anybody has flushed, which a marker's event does not. A marker alone would not
    // do where commands overtake each other: PoCL fails it with any command before it, while others still run.
    const KeptError kept;
    if (wait_for_marker(queue) != Status::success) {
      send_message({}, Severity::warning, "queue %p is waited for by clFinish alone: %s",
                   static_cast<void*>(queue), last_error_message());
    }
  }
  const cl_int code = clFinish(queue);
  return code == CL_SUCCESS
             ? Status::success
             : fail_cl(code, "clFinish", "queue %p cannot be waited for", static_cast<void*>(queue));
}

Status require_in_order(cl_command_queue queue) noexcept {
  bool out_of_order = false;
  CLPOOL_TRY(is_out_of_order(queue, out_of_order));
  return out_of_order
             ? fail(Status::invalid_value, "queue %p is out of order: memory can be bound to in-order queues",
                    static_cast<void*>(queue))
             : Status::success;
}

}  // namespace clpool::core::cl
