// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/svm.h.
#include "clpool/svm.h"

#include "cl/svm.hpp"
#include "command.hpp"
#include "memory/svm.hpp"

using clpool::capi::create_mem;
using clpool::capi::guarded;
using clpool::capi::require;
using clpool::capi::to_core;
using clpool::core::Mem;
using clpool::core::Status;

clpool_status clpool_svm_create(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment,
                                cl_command_queue queue_or_null, clpool_mem** out) noexcept {
  return create_mem(out, __func__, [&](Mem*& mem) -> Status {
    CLPOOL_TRY(require(context, "clpool_svm_create", "context"));
    return clpool::core::create_svm(context, flags, size, alignment, queue_or_null, mem);
  });
}

clpool_status clpool_svm_wrap(cl_context context, void* pointer, size_t size, int32_t system,
                              clpool_mem** out) noexcept {
  return create_mem(out, __func__, [&](Mem*& mem) -> Status {
    CLPOOL_TRY(require(context, "clpool_svm_wrap", "context"));
    CLPOOL_TRY(require(pointer, "clpool_svm_wrap", "pointer"));
    return clpool::core::wrap_svm(context, pointer, size, system != 0, mem);
  });
}

clpool_status clpool_svm_as_buffer(clpool_mem* svm, cl_mem_flags flags, size_t size,
                                   clpool_mem** out) noexcept {
  return create_mem(out, __func__, [&](Mem*& mem) -> Status {
    CLPOOL_TRY(require(svm, "clpool_svm_as_buffer", "svm"));
    return clpool::core::view_svm_as_buffer(*to_core(svm), flags, size, mem);
  });
}

cl_uint clpool_svm_alignment_for(size_t item_size) noexcept {
  return clpool::core::svm_alignment_for(item_size);
}

clpool_status clpool_svm_capabilities(cl_device_id device, cl_bitfield* capabilities) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(clpool::capi::clear_result(capabilities, "clpool_svm_capabilities", "capabilities"));
    CLPOOL_TRY(require(device, "clpool_svm_capabilities", "device"));
    return clpool::core::cl::svm_capabilities(device, *capabilities);
  });
}
