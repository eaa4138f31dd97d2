// Driver bugs that the library works around (W-35). One question each, with the driver that has it.
#pragma once

#include <CL/cl.h>

#include "base/status.hpp"

namespace clpool::core::cl {

/// PoCL (3.1 seen) crashes in clEnqueueCopyBufferRect when either side is a sub-buffer.
Status crashes_on_boxes_of_sub_buffers(cl_command_queue queue, bool& result);

/// Mesa's rusticl (22.3 seen) does not join a 1-D image over a sub-buffer, even at offset 0, with its memory:
/// reads give zeros, writes are lost, and every call succeeds. Over a whole buffer it is right.
Status loses_images_over_sub_buffers(cl_device_id device, bool& result);

}  // namespace clpool::core::cl
