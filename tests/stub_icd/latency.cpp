// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A command begins when it is enqueued, its queue is free and what it waits for has ended; it takes what the
// option time.KIND says.
#include "latency.hpp"

#include <algorithm>

namespace stub {

const char* command_name(cl_command_type type) {
  switch (type) {
    case CL_COMMAND_NDRANGE_KERNEL:
    case CL_COMMAND_TASK:
    case CL_COMMAND_NATIVE_KERNEL:
      return "kernel";
    case CL_COMMAND_READ_BUFFER:
    case CL_COMMAND_READ_BUFFER_RECT:
    case CL_COMMAND_READ_IMAGE:
      return "read";
    case CL_COMMAND_WRITE_BUFFER:
    case CL_COMMAND_WRITE_BUFFER_RECT:
    case CL_COMMAND_WRITE_IMAGE:
      return "write";
    case CL_COMMAND_COPY_BUFFER:
    case CL_COMMAND_COPY_BUFFER_RECT:
    case CL_COMMAND_COPY_IMAGE:
    case CL_COMMAND_COPY_IMAGE_TO_BUFFER:
    case CL_COMMAND_COPY_BUFFER_TO_IMAGE:
    case CL_COMMAND_SVM_MEMCPY:
      return "copy";
    case CL_COMMAND_FILL_BUFFER:
    case CL_COMMAND_FILL_IMAGE:
    case CL_COMMAND_SVM_MEMFILL:
      return "fill";
    case CL_COMMAND_MAP_BUFFER:
    case CL_COMMAND_MAP_IMAGE:
    case CL_COMMAND_SVM_MAP:
      return "map";
    case CL_COMMAND_UNMAP_MEM_OBJECT:
    case CL_COMMAND_SVM_UNMAP:
      return "unmap";
    case CL_COMMAND_MIGRATE_MEM_OBJECTS:
    case CL_COMMAND_SVM_MIGRATE_MEM:
      return "migrate";
    case CL_COMMAND_SVM_FREE:
      return "free";
    case CL_COMMAND_BARRIER:
      return "barrier";
    default:
      return "marker";
  }
}

std::uint64_t duration_of(const Event& event) {
  const auto& times = state().options.device_ns;
  const auto found = times.find(command_name(event.type));
  return found == times.end() ? 0 : found->second;
}

void take_time(Event& event) {
  Queue& queue = *event.queue;
  // What ended before this was enqueued is part of `submitted`; what ended later has moved `started`.
  event.started =
      std::max({event.submitted, queue.is_out_of_order() ? 0 : queue.busy_until, event.started}) + 1;
  event.ended = event.started + duration_of(event);
  queue.busy_until = std::max<std::uint64_t>(queue.busy_until, event.ended);
  for (const Event::Dependent& dependent : event.dependents) {
    dependent.event->started = std::max(dependent.event->started, event.ended);
  }
}

}  // namespace stub
