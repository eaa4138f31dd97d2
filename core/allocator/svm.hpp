// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// SVM allocator: shared virtual memory, freed at once or behind the commands of a queue.
#pragma once

#include <CL/cl.h>

#include "allocator/allocator.hpp"

namespace clpool::core {

/// `flags` 0 means CL_MEM_READ_WRITE, `alignment` (bytes) 0 the device's default. With a queue, which must be
/// in order, memory is freed by clEnqueueSVMFree on it; without one by clSVMFree.
Status make_svm_allocator(cl_context context, cl_svm_mem_flags flags, cl_uint alignment,
                          cl_command_queue queue_or_null, Reference<Allocator>& result);

}  // namespace clpool::core
