// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What queues of every language do to wait.
#ifndef CLPOOL_WRAPPERS_COMMON_FINISH_HPP
#define CLPOOL_WRAPPERS_COMMON_FINISH_HPP

#include <CL/cl.h>

// Waits for all commands of a queue: clFinish, behind a marker, as rusticl (22.3) waits for nothing where all was flushed
// before, by a pool, say. A marker that cannot be made changes nothing.
inline cl_int clpool_finish_queue(cl_command_queue queue) {
  cl_event marker = nullptr;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // the only form that OpenCL 1.1 devices have
  if (clEnqueueMarker(queue, &marker) == CL_SUCCESS) clReleaseEvent(marker);
#pragma GCC diagnostic pop
  return clFinish(queue);
}

#endif
