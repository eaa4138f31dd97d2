// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/heap.h.
#include "clpool/heap.h"

#include <bit>
#include <memory>

#include "engine/space_heap.hpp"
#include "shim.hpp"

using clpool::capi::clear_result;
using clpool::capi::guarded;
using clpool::capi::require;
using clpool::core::Block;
using clpool::core::SpaceHeap;
using clpool::core::Status;

namespace {

SpaceHeap* to_core(clpool_heap* heap) noexcept {
  return reinterpret_cast<SpaceHeap*>(heap);
}
const SpaceHeap* to_core(const clpool_heap* heap) noexcept {
  return reinterpret_cast<const SpaceHeap*>(heap);
}
const Block* to_core(const clpool_heap_range* range) noexcept {
  return reinterpret_cast<const Block*>(range);
}

}  // namespace

void clpool_heap_stats_init(clpool_heap_stats* stats) noexcept {
  clpool::capi::initialize<clpool_heap_stats>(stats, CLPOOL_HEAP_STATS_INIT);
}

clpool_status clpool_heap_create(uint64_t granule, clpool_heap** out) noexcept {
  return guarded([&] {
    CLPOOL_TRY(clear_result(out, "clpool_heap_create", "out"));
    if (granule != 0 && !std::has_single_bit(granule)) {
      return fail(Status::invalid_value, "clpool_heap_create: granule is %llu, it must be a power of two",
                  static_cast<unsigned long long>(granule));
    }
    *out = reinterpret_cast<clpool_heap*>(std::make_unique<SpaceHeap>(granule != 0 ? granule : 1).release());
    return Status::success;
  });
}

clpool_status clpool_heap_add_space(clpool_heap* heap, uint64_t size, uint64_t* space) noexcept {
  return guarded([&] {
    CLPOOL_TRY(clear_result(space, "clpool_heap_add_space", "space"));
    CLPOOL_TRY(require(heap, "clpool_heap_add_space", "heap"));
    return to_core(heap)->add_space(size, *space);
  });
}

clpool_status clpool_heap_remove_space(clpool_heap* heap, uint64_t space) noexcept {
  return guarded([&] {
    CLPOOL_TRY(require(heap, "clpool_heap_remove_space", "heap"));
    return to_core(heap)->remove_space(space);
  });
}

clpool_status clpool_heap_allocate(clpool_heap* heap, uint64_t size, clpool_heap_range** out) noexcept {
  return guarded([&] {
    CLPOOL_TRY(clear_result(out, "clpool_heap_allocate", "out"));
    CLPOOL_TRY(require(heap, "clpool_heap_allocate", "heap"));
    Block* range = nullptr;
    CLPOOL_TRY(to_core(heap)->allocate(size, range));
    *out = reinterpret_cast<clpool_heap_range*>(range);
    return Status::success;
  });
}

clpool_status clpool_heap_free(clpool_heap* heap, clpool_heap_range* range) noexcept {
  return guarded([&] {
    CLPOOL_TRY(require(heap, "clpool_heap_free", "heap"));
    return range == nullptr ? Status::success : to_core(heap)->free(*reinterpret_cast<Block*>(range));
  });
}

uint64_t clpool_heap_range_space(const clpool_heap_range* range) noexcept {
  const Block* block = range != nullptr ? to_core(range) : nullptr;
  return block != nullptr && block->chunk != nullptr
             ? static_cast<const SpaceHeap::Space*>(block->chunk)->number
             : 0;
}

uint64_t clpool_heap_range_offset(const clpool_heap_range* range) noexcept {
  return range != nullptr ? to_core(range)->offset : 0;
}

uint64_t clpool_heap_range_size(const clpool_heap_range* range) noexcept {
  return range != nullptr ? to_core(range)->size : 0;
}

clpool_status clpool_heap_statistics(const clpool_heap* heap, clpool_heap_stats* stats) noexcept {
  return guarded([&] {
    clpool_heap_stats result = CLPOOL_HEAP_STATS_INIT;
    CLPOOL_TRY(clpool::capi::begin_result(result, stats, "clpool_heap_statistics", "stats"));
    CLPOOL_TRY(require(heap, "clpool_heap_statistics", "heap"));
    const SpaceHeap& object = *to_core(heap);
    result.managed = object.heap().managed_bytes();
    result.free = object.heap().free_bytes();
    result.largest_free = object.heap().largest_free();
    result.active_ranges = object.active_ranges();
    result.spaces = object.heap().chunks().count;
    return clpool::capi::write_result(result, stats, "clpool_heap_statistics");
  });
}

clpool_status clpool_heap_check(const clpool_heap* heap) noexcept {
  return guarded([&] {
    CLPOOL_TRY(require(heap, "clpool_heap_check", "heap"));
    const char* wrong = to_core(heap)->heap().check();
    return wrong == nullptr ? Status::success : fail(Status::internal, "clpool_heap_check: %s", wrong);
  });
}

void clpool_heap_destroy(clpool_heap* heap) noexcept {
  delete to_core(heap);
}
