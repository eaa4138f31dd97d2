// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/pool.h for blocks: their uses, tags and late releases.
#include "clpool/pool.h"
#include "handles.hpp"
#include "shim.hpp"

using clpool::capi::guarded;
using clpool::capi::pool_of;
using clpool::capi::require;
using clpool::capi::to_core;
using clpool::core::Mem;
using clpool::core::Pool;
using clpool::core::Status;

namespace {

/// Runs an action on a live block of a pool.
template <typename Action>
clpool_status on_block(clpool_mem* mem, const char* function, Action&& action) noexcept {
  return guarded([&] {
    CLPOOL_TRY(require(mem, function, "mem"));
    Mem& block = *to_core(mem);
    CLPOOL_TRY(require_live(block));
    Pool* pool = pool_of(block);
    return pool != nullptr ? action(*pool, block)
                           : fail(Status::invalid_operation, "%s: memory %p is of no pool", function,
                                  static_cast<void*>(mem));
  });
}

}  // namespace

clpool_status clpool_mem_set_tag(clpool_mem* mem, uint64_t tag) noexcept {
  return on_block(mem, "clpool_mem_set_tag", [=](Pool& pool, Mem& block) {
    pool.set_tag(block, tag);
    return Status::success;
  });
}

clpool_status clpool_mem_release_after(clpool_mem* mem, uint32_t count, const cl_event* events) noexcept {
  return on_block(mem, "clpool_mem_release_after",
                  [=](Pool& pool, Mem& block) { return pool.release_after(block, count, events); });
}

clpool_status clpool_mem_used_on(clpool_mem* mem, cl_command_queue queue) noexcept {
  return on_block(mem, "clpool_mem_used_on", [=](Pool& pool, Mem& block) {
    CLPOOL_TRY(require(queue, "clpool_mem_used_on", "queue"));
    return pool.used_on(block, queue);
  });
}

clpool_status clpool_mem_release_later(clpool_mem* mem) noexcept {
  return mem == nullptr ? CLPOOL_SUCCESS : static_cast<clpool_status>(release_mem_later(*to_core(mem)));
}
