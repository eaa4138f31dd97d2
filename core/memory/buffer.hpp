// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Buffers made directly, with or without host memory, and sub-regions of any memory.
#pragma once

#include <CL/cl.h>

#include <cstddef>

#include "base/mem.hpp"

namespace clpool::core {

/// clCreateBuffer. `host_size` is the size of `host` in bytes; `size` 0 with host memory means all of it.
Status create_buffer_object(cl_context context, cl_mem_flags flags, std::size_t size, void* host,
                            std::size_t host_size, Mem*& result);

/// [origin, origin + size) of `parent`, which it keeps alive. Of buffers: a sub-buffer of the root;
/// of SVM, pinned and custom memory: a pointer. `size` whole_size means all from the origin on.
Status make_sub_region(Mem& parent, std::size_t origin, std::size_t size, cl_mem_flags flags, Mem*& result);

}  // namespace clpool::core
