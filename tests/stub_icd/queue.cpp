// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Queues, and the commands that concern a queue as a whole.
#include "api.hpp"
#include "info.hpp"
#include "schedule.hpp"

namespace stub {
namespace {

Queue* make_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                  std::vector<cl_queue_properties> list) {
  Context& c = checked(context, CL_INVALID_CONTEXT);
  Device& d = checked(device, CL_INVALID_DEVICE);
  require(std::find(c.devices.begin(), c.devices.end(), &d) != c.devices.end(), CL_INVALID_DEVICE);
  constexpr cl_command_queue_properties known = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE |
                                                CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_ON_DEVICE |
                                                CL_QUEUE_ON_DEVICE_DEFAULT;
  require((properties & ~known) == 0, CL_INVALID_VALUE);
  const bool out_of_order = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
  require((!out_of_order || state().options.out_of_order) &&
              (properties & (CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT)) == 0,
          CL_INVALID_QUEUE_PROPERTIES);
  auto* const queue = new Queue;
  enlist(*queue, STUB_QUEUE);
  queue->context = Ref<Context>(&c);
  queue->device = &d;
  queue->properties = properties;
  queue->property_list = std::move(list);
  return queue;
}

}  // namespace

namespace api {

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue_properties properties, cl_int* code) {
  return make(Entry::clCreateCommandQueue, code,
              [&](Call&) { return make_queue(context, device, properties, {}); });
}

cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                                const cl_queue_properties* properties,
                                                                cl_int* code) {
  return make(Entry::clCreateCommandQueueWithProperties, code, [&](Call&) {
    const auto list = property_list(properties);
    cl_command_queue_properties bits = 0;
    for (std::size_t i = 0; i + 1 < list.size(); i += 2) {
      require(list[i] == CL_QUEUE_PROPERTIES || list[i] == CL_QUEUE_SIZE, CL_INVALID_VALUE);
      bits = list[i] == CL_QUEUE_PROPERTIES ? list[i + 1] : bits;
    }
    return make_queue(context, device, bits, list);
  });
}

cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue queue) {
  return run(Entry::clRetainCommandQueue,
             [&](Call&) { add_reference(checked(queue, CL_INVALID_COMMAND_QUEUE)); });
}

cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue) {
  return run(Entry::clReleaseCommandQueue, [&](Call&) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    const Ref<Queue> alive(&q);
    flush(q);
    drop_reference(q);
    settle();
  });
}

cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name, size_t size,
                                         void* value, size_t* needed) {
  return run(Entry::clGetCommandQueueInfo, [&](Call&) {
    const Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    const Version version = state().options.version;
    const Answer answer(size, value, needed);
    switch (name) {
      case CL_QUEUE_CONTEXT:
        return answer.value(q.context.get());
      case CL_QUEUE_DEVICE:
        return answer.value(q.device);
      case CL_QUEUE_REFERENCE_COUNT:
        return answer.value(static_cast<cl_uint>(q.references));
      case CL_QUEUE_PROPERTIES:
        return answer.value(q.properties);
      case CL_QUEUE_PROPERTIES_ARRAY:
        require(version >= Version{3, 0}, CL_INVALID_VALUE);
        return answer.list(q.property_list);
      case CL_QUEUE_DEVICE_DEFAULT:
        require(version >= Version{2, 1}, CL_INVALID_VALUE);
        return answer.value<cl_command_queue>(nullptr);
      case CL_QUEUE_SIZE:
        refuse(version >= Version{2, 0} ? CL_INVALID_COMMAND_QUEUE : CL_INVALID_VALUE);
      default:
        refuse(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue queue) {
  return run(Entry::clSetDefaultDeviceCommandQueue, [&](Call&) {
    checked(context, CL_INVALID_CONTEXT);
    checked(device, CL_INVALID_DEVICE);
    checked(queue, CL_INVALID_COMMAND_QUEUE);
    refuse(CL_INVALID_OPERATION);
  });
}

cl_int CL_API_CALL clFlush(cl_command_queue queue) {
  return run(Entry::clFlush, [&](Call&) {
    flush(checked(queue, CL_INVALID_COMMAND_QUEUE));
    settle();
  });
}

cl_int CL_API_CALL clFinish(cl_command_queue queue) {
  return run(Entry::clFinish, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    if (q.has_unflushed || !state().options.finish_forgets) {
      wait_for_all(call, q);
    }
  });
}

namespace {

/// Commands that only order others. A list makes a marker or barrier wait for that alone.
cl_int enqueue_order(Entry entry, cl_command_queue queue, cl_command_type type, const Order& order) {
  return run(entry, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    check_order(q, order);
    const After after = order.wait_count == 0 ? After::all_before : After::what_the_queue_says;
    enqueue(call, q, type, order, {}, after, type == CL_COMMAND_BARRIER);
  });
}

}  // namespace

cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event* waits,
                                               cl_event* event) {
  return enqueue_order(Entry::clEnqueueMarkerWithWaitList, queue, CL_COMMAND_MARKER,
                       {CL_FALSE, count, waits, event});
}

cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count, const cl_event* waits,
                                                cl_event* event) {
  return enqueue_order(Entry::clEnqueueBarrierWithWaitList, queue, CL_COMMAND_BARRIER,
                       {CL_FALSE, count, waits, event});
}

cl_int CL_API_CALL clEnqueueMarker(cl_command_queue queue, cl_event* event) {
  return event == nullptr
             ? CL_INVALID_VALUE
             : enqueue_order(Entry::clEnqueueMarker, queue, CL_COMMAND_MARKER, {CL_FALSE, 0, nullptr, event});
}

cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue queue) {
  return enqueue_order(Entry::clEnqueueBarrier, queue, CL_COMMAND_BARRIER, {});
}

cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count, const cl_event* events) {
  return count == 0 || events == nullptr
             ? CL_INVALID_VALUE
             : enqueue_order(Entry::clEnqueueWaitForEvents, queue, CL_COMMAND_BARRIER,
                             {CL_FALSE, count, events, nullptr});
}

}  // namespace api
}  // namespace stub
