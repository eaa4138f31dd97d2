// Sub-buffers, the buffer objects of parts of chunks and of sub-regions, and the chunk's first touch.
#pragma once

#include <CL/cl.h>

#include <cstdint>

#include "base/status.hpp"

namespace clpool::core::cl {

/// clCreateSubBuffer of [origin, origin + size) of `root`, which must not be a sub-buffer itself. `flags` 0
/// inherits the root's access; host-pointer flags are illegal for sub-buffers and left out (D-22).
Status make_sub_buffer(cl_mem root, std::uint64_t origin, std::uint64_t size, cl_mem_flags flags,
                       cl_mem* out) noexcept;

/// clReleaseMemObject; the code of a failure, which leaves nothing to do.
cl_int release_sub_buffer(cl_mem part) noexcept;

/// Makes a buffer exist on the queue's device, with undefined content: NVIDIA's driver lets the first use of
/// a part, and its release, wait for running kernels where its buffer never was used as a whole. Needs
/// OpenCL 1.2; does nothing before.
Status touch(cl_command_queue queue, cl_mem buffer) noexcept;

}  // namespace clpool::core::cl
