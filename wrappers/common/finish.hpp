// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What queues of every language do to wait.
#ifndef CLPOOL_WRAPPERS_COMMON_FINISH_HPP
#define CLPOOL_WRAPPERS_COMMON_FINISH_HPP

#include <CL/cl.h>

// Waits for all commands of a queue: for a marker, as clFinish of rusticl (22.3) forgets what anybody has flushed, a pool, say;
// and by clFinish, as PoCL fails a marker with any command before it, while others may still run. A marker that cannot be made
// changes nothing.
inline cl_int clpool_finish_queue(cl_command_queue queue) {
  cl_event marker = nullptr;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // the only form that OpenCL 1.1 devices have
  if (clEnqueueMarker(queue, &marker) == CL_SUCCESS) {
    clWaitForEvents(1, &marker);
    clReleaseEvent(marker);
  }
#pragma GCC diagnostic pop
  return clFinish(queue);
}

#endif
