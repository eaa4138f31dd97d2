// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/allocator.h.
#include "clpool/allocator.h"

#include "allocator/custom.hpp"
#include "allocator/deferred.hpp"
#include "allocator/direct.hpp"
#include "allocator/immediate.hpp"
#include "allocator/limit.hpp"
#include "allocator/pinned.hpp"
#include "allocator/svm.hpp"
#include "handles.hpp"
#include "shim.hpp"

using clpool::capi::begin_object;
using clpool::capi::clear_result;
using clpool::capi::guarded;
using clpool::capi::release_later;
using clpool::capi::require;
using clpool::capi::to_core;
using clpool::capi::to_handle;
using clpool::core::Allocator;
using clpool::core::Reference;
using clpool::core::Status;

namespace {

/// Runs `make` (which fills a Reference<Allocator>) and hands its result to the caller.
template <typename Make>
clpool_status create(clpool_allocator** out, const char* function, Make&& make) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(begin_object(out, function));
    Reference<Allocator> allocator;
    CLPOOL_TRY(make(allocator));
    *out = to_handle(allocator.detach());
    return Status::success;
  });
}

}  // namespace

clpool_status clpool_allocator_create_deferred(cl_context context, cl_mem_flags flags,
                                               clpool_allocator** out) noexcept {
  return create(out, __func__, [&](Reference<Allocator>& allocator) -> Status {
    CLPOOL_TRY(require(context, "clpool_allocator_create_deferred", "context"));
    return clpool::core::make_deferred_allocator(context, flags, allocator);
  });
}

clpool_status clpool_allocator_create_immediate(cl_command_queue queue, cl_mem_flags flags,
                                                clpool_allocator** out) noexcept {
  return create(out, __func__, [&](Reference<Allocator>& allocator) -> Status {
    CLPOOL_TRY(require(queue, "clpool_allocator_create_immediate", "queue"));
    return clpool::core::make_immediate_allocator(queue, flags, allocator);
  });
}

clpool_status clpool_allocator_create_touching(cl_command_queue queue, cl_mem_flags flags, uint32_t touch,
                                               clpool_allocator** out) noexcept {
  return create(out, __func__, [&](Reference<Allocator>& allocator) -> Status {
    CLPOOL_TRY(require(queue, "clpool_allocator_create_touching", "queue"));
    const std::uint32_t kind = touch & ~std::uint32_t{CLPOOL_TOUCH_WAIT};
    if (kind > CLPOOL_TOUCH_WHOLE) {
      return clpool::core::fail(Status::invalid_value,
                                "clpool_allocator_create_touching: touch is 0x%X, valid are 0 to %d, with or "
                                "without CLPOOL_TOUCH_WAIT (0x%X)",
                                touch, CLPOOL_TOUCH_WHOLE, CLPOOL_TOUCH_WAIT);
    }
    return clpool::core::make_immediate_allocator(queue, flags, allocator,
                                                  static_cast<clpool::core::Touch>(kind), kind != touch);
  });
}

clpool_status clpool_allocator_create_svm(cl_context context, cl_svm_mem_flags flags, cl_uint alignment,
                                          cl_command_queue queue_or_null, clpool_allocator** out) noexcept {
  return create(out, __func__, [&](Reference<Allocator>& allocator) -> Status {
    CLPOOL_TRY(require(context, "clpool_allocator_create_svm", "context"));
    return clpool::core::make_svm_allocator(context, flags, alignment, queue_or_null, allocator);
  });
}

clpool_status clpool_allocator_create_pinned(cl_command_queue queue, cl_mem_flags flags,
                                             clpool_allocator** out) noexcept {
  return create(out, __func__, [&](Reference<Allocator>& allocator) -> Status {
    CLPOOL_TRY(require(queue, "clpool_allocator_create_pinned", "queue"));
    return clpool::core::make_pinned_allocator(queue, flags, allocator);
  });
}

void clpool_allocator_ops_init(clpool_allocator_ops* ops) noexcept {
  clpool::capi::initialize<clpool_allocator_ops>(ops, CLPOOL_ALLOCATOR_OPS_INIT);
}

clpool_status clpool_allocator_create_custom(const clpool_allocator_ops* ops, void* user,
                                             clpool_allocator** out) noexcept {
  return create(out, __func__, [&](Reference<Allocator>& allocator) -> Status {
    constexpr const char* function = "clpool_allocator_create_custom";
    CLPOOL_TRY(require(ops, function, "ops"));
    clpool_allocator_ops known = CLPOOL_ALLOCATOR_OPS_INIT;
    CLPOOL_TRY(clpool::capi::read_options(ops, known, function));
    if (known.version != 1) {
      return fail(Status::invalid_value, "%s: version is %u, this library knows 1", function, known.version);
    }
    return clpool::core::make_custom_allocator({known.allocate, known.deallocate, known.destroy, user},
                                               allocator);
  });
}

clpool_status clpool_allocator_create_limit(clpool_allocator* inner, uint64_t max_bytes,
                                            clpool_allocator** out) noexcept {
  return create(out, __func__, [&](Reference<Allocator>& allocator) -> Status {
    CLPOOL_TRY(require(inner, "clpool_allocator_create_limit", "inner"));
    return clpool::core::make_limit_allocator(*to_core(inner), max_bytes, allocator);
  });
}

clpool_status clpool_allocator_allocate(clpool_allocator* allocator, size_t size, clpool_mem** out) noexcept {
  return guarded([&]() -> Status {
    constexpr const char* function = "clpool_allocator_allocate";
    CLPOOL_TRY(clear_result(out, function, "out"));
    CLPOOL_TRY(require(allocator, function, "allocator"));
    CLPOOL_TRY(to_core(allocator)->require_own_process("the allocator"));
    clpool::core::Mem* mem = nullptr;
    CLPOOL_TRY(clpool::core::allocate_direct(*to_core(allocator), size, mem));
    *out = to_handle(mem);
    return Status::success;
  });
}

clpool_status clpool_allocator_retain(clpool_allocator* allocator) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(require(allocator, "clpool_allocator_retain", "allocator"));
    CLPOOL_TRY(to_core(allocator)->require_own_process("the allocator"));
    to_core(allocator)->retain();
    return Status::success;
  });
}

clpool_status clpool_allocator_release(clpool_allocator* allocator) noexcept {
  return guarded([&]() -> Status {
    if (allocator != nullptr) {
      CLPOOL_TRY(to_core(allocator)->require_own_process("the allocator"));
      to_core(allocator)->release();
    }
    clpool::core::finish_later_releases();
    return Status::success;
  });
}

clpool_status clpool_allocator_release_later(clpool_allocator* allocator) noexcept {
  return release_later(allocator, "the allocator");
}
