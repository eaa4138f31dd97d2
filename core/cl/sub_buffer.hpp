// Sub-buffers: the buffer objects of parts of chunks and of sub-regions.
#pragma once

#include <CL/cl.h>

#include <cstdint>

#include "base/status.hpp"

namespace clpool::core::cl {

/// clCreateSubBuffer of [origin, origin + size) of `root`, which must not be a sub-buffer itself. `flags` 0
/// inherits the root's access; host-pointer flags are illegal for sub-buffers and left out (D-22).
Status make_sub_buffer(cl_mem root, std::uint64_t origin, std::uint64_t size, cl_mem_flags flags,
                       cl_mem* out) noexcept;

}  // namespace clpool::core::cl
