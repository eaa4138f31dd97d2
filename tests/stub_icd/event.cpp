// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Events: user events, waits, queries, callbacks.
#include "api.hpp"
#include "info.hpp"
#include "schedule.hpp"

namespace stub {
namespace {

cl_ulong profiled(const Event& event, cl_profiling_info name) {
  switch (name) {
    case CL_PROFILING_COMMAND_QUEUED:
      return event.queued;
    case CL_PROFILING_COMMAND_SUBMIT:
      return event.submitted;
    case CL_PROFILING_COMMAND_START:
      return event.started;
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE:
      return event.ended;
    default:
      refuse(CL_INVALID_VALUE);
  }
}

}  // namespace

namespace api {

cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int* code) {
  return make(Entry::clCreateUserEvent, code, [&](Call&) {
    Context& c = checked(context, CL_INVALID_CONTEXT);
    auto* const event = new Event;
    enlist(*event, STUB_EVENT);
    event->context = Ref<Context>(&c);
    event->type = CL_COMMAND_USER;
    event->status = CL_SUBMITTED;
    return event;
  });
}

cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int status) {
  return run(Entry::clSetUserEventStatus, [&](Call& call) {
    Event& e = checked(event, CL_INVALID_EVENT);
    require(e.type == CL_COMMAND_USER, CL_INVALID_EVENT);
    require(status <= CL_COMPLETE, CL_INVALID_VALUE);
    require(!e.is_done(), CL_INVALID_OPERATION);
    set_status(call, e, status);
  });
}

cl_int CL_API_CALL clRetainEvent(cl_event event) {
  return run(Entry::clRetainEvent, [&](Call&) { add_reference(checked(event, CL_INVALID_EVENT)); });
}

cl_int CL_API_CALL clReleaseEvent(cl_event event) {
  return run(Entry::clReleaseEvent, [&](Call&) { drop_reference(checked(event, CL_INVALID_EVENT)); });
}

cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event* events) {
  return run(Entry::clWaitForEvents, [&](Call& call) {
    require(count > 0 && events != nullptr, CL_INVALID_VALUE);
    std::vector<Ref<Event>> list;
    for (cl_uint i = 0; i < count; ++i) {
      list.emplace_back(&checked(events[i], CL_INVALID_EVENT));
      require(list[i]->context.get() == list[0]->context.get(), CL_INVALID_CONTEXT);
    }
    for (const Ref<Event>& event : list) {
      if (event->queue) {
        flush(*event->queue);
      }
    }
    bool failed = false;
    for (const Ref<Event>& event : list) {
      wait_for(call, *event);
      failed = failed || event->status < 0;
    }
    require(!failed, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  });
}

cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info name, size_t size, void* value,
                                  size_t* needed) {
  return run(Entry::clGetEventInfo, [&](Call&) {
    const Event& e = checked(event, CL_INVALID_EVENT);
    const Answer answer(size, value, needed);
    switch (name) {
      case CL_EVENT_COMMAND_QUEUE:
        return answer.value(e.queue.get());
      case CL_EVENT_CONTEXT:
        require(state().options.version >= Version{1, 1}, CL_INVALID_VALUE);
        return answer.value(e.context.get());
      case CL_EVENT_COMMAND_TYPE:
        return answer.value(e.type);
      case CL_EVENT_COMMAND_EXECUTION_STATUS:
        return answer.value(e.status);
      case CL_EVENT_REFERENCE_COUNT:
        return answer.value(static_cast<cl_uint>(e.references));
      default:
        refuse(CL_INVALID_VALUE);
    }
  });
}

cl_int CL_API_CALL clSetEventCallback(cl_event event, cl_int when,
                                      void(CL_CALLBACK* notify)(cl_event, cl_int, void*), void* user) {
  return run(Entry::clSetEventCallback, [&](Call&) {
    Event& e = checked(event, CL_INVALID_EVENT);
    require(notify != nullptr && (when == CL_SUBMITTED || when == CL_RUNNING || when == CL_COMPLETE),
            CL_INVALID_VALUE);
    const auto before = std::move(e.callbacks);
    e.callbacks = {{when, notify, user}};
    if (e.status <= when) {  // reached already
      call_back(e, e.status < 0 ? e.status : when);
      e.callbacks.clear();
    }
    e.callbacks.insert(e.callbacks.begin(), before.begin(), before.end());
  });
}

cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t size, void* value,
                                           size_t* needed) {
  return run(Entry::clGetEventProfilingInfo, [&](Call&) {
    const Event& e = checked(event, CL_INVALID_EVENT);
    require(e.queue && (e.queue->properties & CL_QUEUE_PROFILING_ENABLE) != 0 && e.status == CL_COMPLETE,
            CL_PROFILING_INFO_NOT_AVAILABLE);
    Answer(size, value, needed).value(profiled(e, name));
  });
}

}  // namespace api
}  // namespace stub
