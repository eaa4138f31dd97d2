// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Questions about memory: everything that clGetMemObjectInfo, clGetImageInfo and clGetPipeInfo know, and what
// memory without a cl_mem can answer.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>

#include "base/mem.hpp"

namespace clpool::core {

/// Where an answer goes: `size` bytes at `value` (both may be 0/null to ask for the size), bytes of the
/// answer in `*needed` unless null.
struct Answer {
  std::size_t size = 0;
  void* value = nullptr;
  std::size_t* needed = nullptr;
};

/// A CL_MEM_… property. CL_MEM_SIZE is what was asked for. Memory without a cl_mem knows that,
/// CL_MEM_CONTEXT, CL_MEM_HOST_PTR and CL_MEM_OFFSET.
Status mem_info(const Mem& mem, cl_mem_info name, const Answer& answer);
/// A CL_IMAGE_… property.
Status image_info(const Mem& mem, cl_image_info name, const Answer& answer);
/// A CL_PIPE_… property.
Status pipe_info(const Mem& mem, cl_uint name, const Answer& answer);

/// Any of the three where the answer is one number, handle or address.
Status info_number(const Mem& mem, cl_uint name, std::uint64_t& value);

/// The host memory behind a buffer that was made with CL_MEM_USE_HOST_PTR; INVALID_OPERATION for others.
Status host_memory(const Mem& mem, void*& pointer, std::size_t& size);

/// Same object: the same cl_mem, or the same address without one.
bool same_memory(const Mem& a, const Mem& b) noexcept;

/// clSetKernelArg or clSetKernelArgSVMPointer.
Status set_kernel_argument(const Mem& mem, cl_kernel kernel, cl_uint index);

}  // namespace clpool::core
