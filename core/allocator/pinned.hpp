// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pinned allocator: page-locked host memory, by buffers that stay mapped as long as they live.
#pragma once

#include <CL/cl.h>

#include "allocator/allocator.hpp"

namespace clpool::core {

/// CL_MEM_ALLOC_HOST_PTR is added to `flags`; 0 means CL_MEM_READ_WRITE.
Status make_pinned_allocator(cl_command_queue queue, cl_mem_flags flags, Reference<Allocator>& result);

}  // namespace clpool::core
