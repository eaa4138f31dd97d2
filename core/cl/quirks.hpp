// Driver bugs that the library works around (W-35). One question each, with the driver that has it.
#pragma once

#include <CL/cl.h>

#include "base/status.hpp"

namespace clpool::core::cl {

/// PoCL (3.1 seen) crashes in clEnqueueCopyBufferRect when either side is a sub-buffer.
Status crashes_on_boxes_of_sub_buffers(cl_command_queue queue, bool& result);

}  // namespace clpool::core::cl
