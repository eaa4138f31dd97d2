// Markers on queues and questions to events.
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS  // clEnqueueMarker, for devices of OpenCL 1.1
#include "cl/marker.hpp"

#include <vector>

#include "cl/info.hpp"

namespace clpool::core::cl {
namespace {

Status flush(cl_command_queue queue) noexcept {
  const cl_int code = clFlush(queue);
  return code == CL_SUCCESS
             ? Status::success
             : fail_cl(code, "clFlush", "queue %p cannot be flushed", static_cast<void*>(queue));
}

Status marker_failed(cl_int code, cl_command_queue queue) noexcept {
  return fail_cl(code, "clEnqueueMarkerWithWaitList", "no marker on queue %p", static_cast<void*>(queue));
}

}  // namespace

bool has_ended(cl_event event) noexcept {
  cl_int state = CL_QUEUED;
  // A negative state is an error code: the command ended without completing.
  return clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr) ==
             CL_SUCCESS &&
         state <= CL_COMPLETE;
}

Status enqueue_old_marker(cl_command_queue queue, Event& event) noexcept {
  const cl_int code = clEnqueueMarker(queue, event.receive());
  return code == CL_SUCCESS
             ? flush(queue)
             : fail_cl(code, "clEnqueueMarker", "no marker on queue %p", static_cast<void*>(queue));
}

Status enqueue_marker(cl_command_queue queue, Event& event) noexcept {
  // Without a wait list a marker completes after all commands enqueued before it, out of order or not
  // (OpenCL 1.2, section 5.10).
  if (const cl_int code = clEnqueueMarkerWithWaitList(queue, 0, nullptr, event.receive());
      code != CL_SUCCESS) {
    return marker_failed(code, queue);
  }
  return flush(queue);
}

Status mark_everything(const Order& order) {
  Event so_far;  // a marker with a wait list waits for nothing else on a queue that is out of order
  CLPOOL_TRY(enqueue_marker(order.queue, so_far));
  std::vector<cl_event> waits(order.waits, order.waits + order.wait_count);
  waits.push_back(so_far.get());
  if (const cl_int code = clEnqueueMarkerWithWaitList(order.queue, static_cast<cl_uint>(waits.size()),
                                                      waits.data(), order.event);
      code != CL_SUCCESS) {
    return marker_failed(code, order.queue);
  }
  return flush(order.queue);
}

Status finish(cl_command_queue queue) noexcept {
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
