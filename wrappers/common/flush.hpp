// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What queues of Java and C# do to hand their commands to the device.
#ifndef CLPOOL_WRAPPERS_COMMON_FLUSH_HPP
#define CLPOOL_WRAPPERS_COMMON_FLUSH_HPP

#include <CL/cl.h>

// Again where the driver lacked something for a moment: who flushes on the way has no later chance.
template <typename Call>
cl_int clpool_try_often(Call&& call) {
  constexpr int most_tries = 3;
  cl_int code = call();
  for (int tries = 1; code != CL_SUCCESS && tries < most_tries; ++tries) {
    code = call();
  }
  return code;
}

inline cl_int clpool_flush_queue(cl_command_queue queue) {
  return clpool_try_often([&] { return clFlush(queue); });
}

// The same for an event's queue, which the caller knows to be alive; a program's own events have none. What it fails of, the
// command fails of too.
inline void clpool_flush_queue_of(cl_event event) {
  cl_command_queue queue = nullptr;
  const cl_int code = clpool_try_often(
      [&] { return clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, nullptr); });
  if (code == CL_SUCCESS && queue != nullptr) {
    static_cast<void>(clpool_flush_queue(queue));
  }
}

#endif
