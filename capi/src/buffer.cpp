// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/buffer.h.
#include "clpool/buffer.h"

#include "command.hpp"
#include "memory/buffer.hpp"
#include "memory/object.hpp"
#include "memory/range.hpp"

using clpool::capi::clear_result;
using clpool::capi::create_mem;
using clpool::capi::guarded;
using clpool::capi::require;
using clpool::capi::to_core;
using clpool::core::Mem;
using clpool::core::Status;

static_assert(CLPOOL_WHOLE_SIZE == clpool::core::whole_size);

clpool_status clpool_buffer_create(cl_context context, cl_mem_flags flags, size_t size, void* host_or_null,
                                   size_t host_size, clpool_mem** out) noexcept {
  return create_mem(out, __func__, [&](Mem*& mem) -> Status {
    CLPOOL_TRY(require(context, "clpool_buffer_create", "context"));
    return clpool::core::create_buffer_object(context, flags, size, host_or_null, host_size, mem);
  });
}

clpool_status clpool_mem_sub_region(clpool_mem* parent, size_t origin, size_t size, cl_mem_flags flags,
                                    clpool_mem** out) noexcept {
  return create_mem(out, __func__, [&](Mem*& mem) -> Status {
    CLPOOL_TRY(require(parent, "clpool_mem_sub_region", "parent"));
    return clpool::core::make_sub_region(*to_core(parent), origin, size, flags, mem);
  });
}

clpool_status clpool_mem_wrap(cl_mem handle, int32_t retain, clpool_mem** out) noexcept {
  return create_mem(out, __func__, [&](Mem*& mem) -> Status {
    CLPOOL_TRY(require(handle, "clpool_mem_wrap", "handle"));
    return clpool::core::wrap_object(handle, retain != 0, mem);
  });
}

clpool_status clpool_mem_root(const clpool_mem* mem, cl_mem* root, size_t* offset) noexcept {
  return guarded([&]() -> Status {
    constexpr const char* function = "clpool_mem_root";
    clpool::capi::clear(root, offset);
    CLPOOL_TRY(clear_result(root, function, "root"));
    CLPOOL_TRY(clear_result(offset, function, "offset"));
    CLPOOL_TRY(require(mem, function, "mem"));
    CLPOOL_TRY(clpool::core::require_live(*to_core(mem)));
    return to_core(mem)->owner->root_of(*to_core(mem), *root, *offset);
  });
}
