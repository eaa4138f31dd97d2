// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/map.h.
#include "clpool/map.h"

#include "base/process.hpp"
#include "memory/map.hpp"

#include "command.hpp"

using clpool::capi::clear_result;
using clpool::capi::command;
using clpool::capi::guarded;
using clpool::capi::require;
using clpool::capi::to_core;
using clpool::capi::to_handle;
using clpool::core::Map;
using clpool::core::MemState;
using clpool::core::Status;
using clpool::core::cl::Order;

namespace {

const Map* live(const clpool_map* map) noexcept {
  const Map* object = to_core(map);
  return object != nullptr && object->state == MemState::live &&
                 object->mem->made_in == static_cast<std::uint8_t>(clpool::core::process_generation())
             ? object
             : nullptr;
}

}  // namespace

clpool_status clpool_mem_map(cl_command_queue queue, clpool_mem* mem, cl_map_flags flags, size_t offset,
                             size_t size, int32_t blocking, cl_uint wait_count, const cl_event* wait_list,
                             cl_event* event_or_null, clpool_map** out) noexcept {
  return command(queue, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    CLPOOL_TRY(clear_result(out, "clpool_mem_map", "out"));
    CLPOOL_TRY(require(mem, "clpool_mem_map", "mem"));
    Map* map = nullptr;
    CLPOOL_TRY(clpool::core::map_memory(order, *to_core(mem), flags, offset, size, blocking != 0, map));
    *out = to_handle(map);
    return Status::success;
  });
}

clpool_status clpool_image_map(cl_command_queue queue, clpool_mem* image, cl_map_flags flags,
                               const size_t* origin, const size_t* region, int32_t blocking,
                               cl_uint wait_count, const cl_event* wait_list, cl_event* event_or_null,
                               clpool_map** out) noexcept {
  return command(queue, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    CLPOOL_TRY(clear_result(out, "clpool_image_map", "out"));
    CLPOOL_TRY(require(image, "clpool_image_map", "image"));
    CLPOOL_TRY(require(region, "clpool_image_map", "region"));
    std::size_t from[3] = {};
    std::size_t pixels[3] = {};
    clpool::capi::read_triple(origin, from);
    clpool::capi::read_triple(region, pixels);
    Map* map = nullptr;
    CLPOOL_TRY(clpool::core::map_image(order, *to_core(image), flags, from, pixels, blocking != 0, map));
    *out = to_handle(map);
    return Status::success;
  });
}

void* clpool_map_pointer(const clpool_map* map) noexcept {
  const Map* object = live(map);
  return object != nullptr ? object->pointer : nullptr;
}

size_t clpool_map_size(const clpool_map* map) noexcept {
  const Map* object = live(map);
  return object != nullptr ? object->size : 0;
}

size_t clpool_map_row_pitch(const clpool_map* map) noexcept {
  const Map* object = live(map);
  return object != nullptr ? object->row_pitch : 0;
}

size_t clpool_map_slice_pitch(const clpool_map* map) noexcept {
  const Map* object = live(map);
  return object != nullptr ? object->slice_pitch : 0;
}

clpool_status clpool_map_unmap(clpool_map* map, cl_command_queue queue_or_null, cl_uint wait_count,
                               const cl_event* wait_list, cl_event* event_or_null) noexcept {
  return command(queue_or_null, wait_count, wait_list, event_or_null, [&](const Order& order) -> Status {
    CLPOOL_TRY(require(map, "clpool_map_unmap", "map"));
    return clpool::core::unmap(*to_core(map), order);
  });
}

clpool_status clpool_map_release(clpool_map* map) noexcept {
  return guarded([&]() -> Status {
    return map == nullptr ? Status::success : clpool::core::release_map(*to_core(map));
  });
}

clpool_status clpool_map_release_later(clpool_map* map) noexcept {
  return map == nullptr ? CLPOOL_SUCCESS
                        : static_cast<clpool_status>(clpool::core::release_map_later(*to_core(map)));
}
