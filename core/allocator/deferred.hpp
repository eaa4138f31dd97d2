// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Deferred allocator: plain buffers, whose memory the driver may find missing at their first use.
#pragma once

#include <CL/cl.h>

#include "allocator/allocator.hpp"

namespace clpool::core {

/// `flags` 0 means CL_MEM_READ_WRITE.
Status make_deferred_allocator(cl_context context, cl_mem_flags flags, Reference<Allocator>& result);

}  // namespace clpool::core
