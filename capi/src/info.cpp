// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/info.h.
#include "clpool/info.h"

#include "memory/info.hpp"

#include "handles.hpp"
#include "memory/object.hpp"
#include "shim.hpp"

using clpool::capi::clear_result;
using clpool::capi::guarded;
using clpool::capi::require;
using clpool::capi::to_core;
using clpool::core::Status;

clpool_status clpool_mem_info(const clpool_mem* mem, cl_mem_info name, size_t size, void* value,
                              size_t* needed_or_null) noexcept {
  return guarded([&]() -> Status {
    clpool::capi::clear(needed_or_null);
    CLPOOL_TRY(require(mem, "clpool_mem_info", "mem"));
    return clpool::core::mem_info(*to_core(mem), name, {size, value, needed_or_null});
  });
}

clpool_status clpool_image_info(const clpool_mem* image, cl_image_info name, size_t size, void* value,
                                size_t* needed_or_null) noexcept {
  return guarded([&]() -> Status {
    clpool::capi::clear(needed_or_null);
    CLPOOL_TRY(require(image, "clpool_image_info", "image"));
    return clpool::core::image_info(*to_core(image), name, {size, value, needed_or_null});
  });
}

clpool_status clpool_pipe_info(const clpool_mem* pipe, cl_uint name, size_t size, void* value,
                               size_t* needed_or_null) noexcept {
  return guarded([&]() -> Status {
    clpool::capi::clear(needed_or_null);
    CLPOOL_TRY(require(pipe, "clpool_pipe_info", "pipe"));
    return clpool::core::pipe_info(*to_core(pipe), name, {size, value, needed_or_null});
  });
}

clpool_status clpool_mem_info_number(const clpool_mem* mem, cl_uint name, uint64_t* value) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(clear_result(value, "clpool_mem_info_number", "value"));
    CLPOOL_TRY(require(mem, "clpool_mem_info_number", "mem"));
    return clpool::core::info_number(*to_core(mem), name, *value);
  });
}

clpool_status clpool_mem_context(const clpool_mem* mem, cl_context* context) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(clear_result(context, "clpool_mem_context", "context"));
    CLPOOL_TRY(require(mem, "clpool_mem_context", "mem"));
    CLPOOL_TRY(clpool::core::require_live(*to_core(mem)));
    *context = to_core(mem)->owner->context_of(*to_core(mem));
    return Status::success;
  });
}

clpool_status clpool_mem_host_memory(const clpool_mem* mem, void** pointer, size_t* size) noexcept {
  return guarded([&]() -> Status {
    clpool::capi::clear(pointer, size);
    CLPOOL_TRY(clear_result(pointer, "clpool_mem_host_memory", "pointer"));
    CLPOOL_TRY(clear_result(size, "clpool_mem_host_memory", "size"));
    CLPOOL_TRY(require(mem, "clpool_mem_host_memory", "mem"));
    return clpool::core::host_memory(*to_core(mem), *pointer, *size);
  });
}

int32_t clpool_mem_equal(const clpool_mem* a, const clpool_mem* b) noexcept {
  return a != nullptr && b != nullptr && clpool::core::same_memory(*to_core(a), *to_core(b)) ? 1 : 0;
}

clpool_status clpool_mem_set_kernel_arg(const clpool_mem* mem, cl_kernel kernel, cl_uint index) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(require(mem, "clpool_mem_set_kernel_arg", "mem"));
    CLPOOL_TRY(require(kernel, "clpool_mem_set_kernel_arg", "kernel"));
    return clpool::core::set_kernel_argument(*to_core(mem), kernel, index);
  });
}
