// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/mem.h.
#include "clpool/mem.h"

#include "clpool/pool.h"

#include "allocator/direct.hpp"
#include "base/mem.hpp"
#include "command.hpp"
#include "handles.hpp"
#include "pool/pool.hpp"
#include "shim.hpp"

using clpool::capi::command;
using clpool::capi::guarded;
using clpool::capi::pool_of;
using clpool::capi::require;
using clpool::capi::to_core;
using clpool::core::Mem;
using clpool::core::MemKind;
using clpool::core::MemState;
using clpool::core::Status;
using clpool::core::cl::Order;

static_assert(CLPOOL_MEM_KIND_BUFFER == static_cast<int>(MemKind::buffer));
static_assert(CLPOOL_MEM_KIND_SUB_REGION == static_cast<int>(MemKind::sub_region));
static_assert(CLPOOL_MEM_KIND_IMAGE == static_cast<int>(MemKind::image));
static_assert(CLPOOL_MEM_KIND_PIPE == static_cast<int>(MemKind::pipe));
static_assert(CLPOOL_MEM_KIND_SVM == static_cast<int>(MemKind::svm));
static_assert(CLPOOL_MEM_KIND_PINNED == static_cast<int>(MemKind::pinned));
static_assert(CLPOOL_MEM_KIND_CUSTOM == static_cast<int>(MemKind::custom));

namespace {

/// What there is to say of memory that is not live: that of guarded pools is a finding.
[[gnu::cold, gnu::noinline]] const Mem* not_live(const Mem* mem) noexcept {
  if (mem != nullptr && mem->state == MemState::resting) {
    static_cast<void>(require_live(*mem));
  }
  return nullptr;
}

const Mem* live(const clpool_mem* mem) noexcept {
  const Mem* object = to_core(mem);
  return object != nullptr && object->state == MemState::live &&
                 object->made_in == static_cast<std::uint8_t>(clpool::core::process_generation())
             ? object
             : not_live(object);
}

/// A pooled block that is given back now.
bool is_last_of_pooled(const Mem& mem) noexcept {
  return mem.state == MemState::live && mem.pooled() && mem.references.load(std::memory_order_acquire) == 1;
}

/// The hit path: a pooled block whose last reference goes back to this thread's cache.
bool kept_at_once(Mem& mem) noexcept {
  return is_last_of_pooled(mem) && clpool::core::Pool::try_release(mem);
}

/// … which may be used only when its queues are through with it.
bool left_to_wait(Mem& mem) noexcept {
  return clpool::core::Pool::may_wait_in_cache(mem) && is_last_of_pooled(mem) &&
         clpool::core::Pool::let_wait_in_own_cache(mem);
}

/// What is left of clpool_mem_release() when a pool's cache does not simply take the block; apart, so that
/// the hit path saves no registers.
[[gnu::noinline]] clpool_status release_slowly(Mem& mem) noexcept {
  return left_to_wait(mem) ? CLPOOL_SUCCESS : static_cast<clpool_status>(release_mem(mem));
}

}  // namespace

clpool_status clpool_mem_release(clpool_mem* mem) noexcept {
  if (mem == nullptr || kept_at_once(*to_core(mem))) [[likely]] {
    return CLPOOL_SUCCESS;
  }
  return release_slowly(*to_core(mem));
}

clpool_status clpool_mem_try_release(clpool_mem* mem) noexcept {
  if (mem == nullptr || kept_at_once(*to_core(mem)) || left_to_wait(*to_core(mem))) {
    return CLPOOL_SUCCESS;
  }
  clpool::core::clear_last_error();
  return CLPOOL_ERROR_WOULD_BLOCK;
}

clpool_status clpool_mem_release_idle(clpool_mem* mem) noexcept {
  if (mem == nullptr) {
    return CLPOOL_SUCCESS;
  }
  Mem& object = *to_core(mem);
  if (is_last_of_pooled(object) && clpool::core::Pool::try_release_idle(object)) {
    return CLPOOL_SUCCESS;
  }
  if (clpool::core::Pool* const pool = clpool::capi::pool_of(object); pool != nullptr) {
    return static_cast<clpool_status>(pool->release_idle(object));
  }
  return release_slowly(object);
}

clpool_status clpool_mem_retain(clpool_mem* mem) noexcept {
  if (mem == nullptr) {
    return static_cast<clpool_status>(fail(Status::invalid_value, "clpool_mem_retain: mem is NULL"));
  }
  return static_cast<clpool_status>(retain_mem(*to_core(mem)));
}

cl_mem clpool_mem_handle(const clpool_mem* mem) noexcept {
  const Mem* object = live(mem);
  return object != nullptr ? object->handle : nullptr;
}

void* clpool_mem_pointer(const clpool_mem* mem) noexcept {
  const Mem* object = live(mem);
  return object != nullptr && object->handle == nullptr ? object->pointer : nullptr;
}

size_t clpool_mem_size(const clpool_mem* mem) noexcept {
  const Mem* object = live(mem);
  return object != nullptr ? object->size : 0;
}

size_t clpool_mem_capacity(const clpool_mem* mem) noexcept {
  const Mem* object = live(mem);
  return object != nullptr ? object->capacity : 0;
}

clpool_mem_kind_t clpool_mem_kind(const clpool_mem* mem) noexcept {
  const Mem* object = live(mem);
  return object != nullptr ? static_cast<clpool_mem_kind_t>(object->kind) : 0;
}

int32_t clpool_mem_is_pooled(const clpool_mem* mem) noexcept {
  const Mem* object = live(mem);
  return object != nullptr && object->pooled() ? 1 : 0;
}

clpool_status clpool_mem_bind_queue(clpool_mem* mem, cl_command_queue queue) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(require(mem, "clpool_mem_bind_queue", "mem"));
    CLPOOL_TRY(require(queue, "clpool_mem_bind_queue", "queue"));
    clpool::core::Pool* const pool = pool_of(*to_core(mem));
    return pool != nullptr ? pool->bind_to_queue(*to_core(mem), queue)
                           : clpool::core::bind_direct_svm(*to_core(mem), queue);
  });
}

clpool_status clpool_mem_unbind_queue(clpool_mem* mem) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(require(mem, "clpool_mem_unbind_queue", "mem"));
    clpool::core::Pool* const pool = pool_of(*to_core(mem));
    return pool != nullptr ? pool->unbind_from_queue(*to_core(mem))
                           : clpool::core::unbind_direct_svm(*to_core(mem));
  });
}

clpool_status clpool_mem_release_on(clpool_mem* mem, cl_command_queue queue_or_null, cl_uint wait_count,
                                    const cl_event* wait_list, cl_event* event_or_null) noexcept {
  return command(queue_or_null, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    CLPOOL_TRY(require(mem, "clpool_mem_release_on", "mem"));
    clpool::core::Pool* const pool = pool_of(*to_core(mem));
    return pool != nullptr ? pool->release_on(*to_core(mem), order)
                           : clpool::core::release_direct_svm(*to_core(mem), order);
  });
}
