// Immediate allocator: buffers whose memory is forced to exist when they are made, so that out-of-memory is
// reported where it can be answered.
#pragma once

#include <CL/cl.h>

#include "allocator/allocator.hpp"

namespace clpool::core {

/// `flags` 0 means CL_MEM_READ_WRITE.
Status make_immediate_allocator(cl_command_queue queue, cl_mem_flags flags, Reference<Allocator>& result);

}  // namespace clpool::core
