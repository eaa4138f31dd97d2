// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shared virtual memory made directly or given by others, and its view as a buffer.
#pragma once

#include <CL/cl.h>

#include <cstddef>

#include "base/mem.hpp"

namespace clpool::core {

/// clSVMAlloc. `alignment` 0 is the device's default; the queue, which may be null, is the one that the
/// memory is freed behind. 0 bytes: success and null.
Status create_svm(cl_context context, cl_svm_mem_flags flags, std::size_t size, cl_uint alignment,
                  cl_command_queue queue_or_null, Mem*& result);

/// Describes memory of others. `size` may be whole_size: unknown. Ordinary host memory (`system`) needs
/// devices with fine-grain system SVM; other memory must come from clSVMAlloc of the context.
Status wrap_svm(cl_context context, void* pointer, std::size_t size, bool system, Mem*& result);

/// A buffer over the same bytes (CL_MEM_USE_HOST_PTR), which keeps `svm` alive.
Status view_svm_as_buffer(Mem& svm, cl_mem_flags flags, std::size_t size, Mem*& result);

/// The alignment to ask for when items of `item_size` bytes are stored: the next power of two, at most 128.
cl_uint svm_alignment_for(std::size_t item_size) noexcept;

}  // namespace clpool::core
