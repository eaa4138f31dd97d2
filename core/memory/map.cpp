// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Mapping and unmapping.
#include "memory/map.hpp"

#include <utility>
#include <vector>

#include "base/message.hpp"
#include "base/recycler.hpp"
#include "cl/marker.hpp"
#include "cl/pattern.hpp"
#include "memory/image.hpp"
#include "memory/object.hpp"
#include "memory/range.hpp"

namespace clpool::core {
namespace {

constinit Recycler<Map> spare_maps;

/// A live, still unmapped descriptor that holds memory and queue.
Status begin_map(const cl::Order& order, Mem& mem, Map*& result) {
  finish_later_releases();
  CLPOOL_TRY(begin_use(order, {&mem}));
  cl::Queue queue;
  CLPOOL_TRY(cl::Queue::share(order.queue, queue));
  Map& map = spare_maps.take();
  if (const Status status = keep_mem(mem); status != Status::success) {
    spare_maps.give_back(map);
    return status;
  }
  map.state = MemState::live;
  map.queue = std::move(queue);
  map.mem = &mem;
  result = &map;
  return Status::success;
}

/// The order of a mapping whose event the map keeps, unless it blocks.
cl::Order keeping_event(cl::Order order, bool blocking, cl_event& event) noexcept {
  order.event = blocking ? order.event : &event;
  return order;
}

/// What was enqueued with keeping_event(): gives the event to the map and to whoever wants it.
Status keep_event(const cl::Order& order, cl_event event, Map& map) noexcept {
  if (event == nullptr) {
    return Status::success;
  }
  map.mapped = cl::Event::adopt(event);
  if (order.event == nullptr) {
    return Status::success;
  }
  cl::Event told;
  CLPOOL_TRY(cl::Event::share(event, told));
  *order.event = told.detach();
  return Status::success;
}

/// Drivers take any flags, none too, and ignore those that they do not know.
Status check_map_flags(cl_map_flags flags) noexcept {
  constexpr cl_map_flags plain = CL_MAP_READ | CL_MAP_WRITE;
  const bool is_known = flags != 0 && (flags & ~(plain | CL_MAP_WRITE_INVALIDATE_REGION)) == 0;
  if (!is_known || (flags > plain && (flags & plain) != 0)) {
    return fail(
        Status::invalid_value,
        "map flags are 0x%llX, valid are CL_MAP_READ (0x1) and CL_MAP_WRITE (0x2), together or alone, or "
        "CL_MAP_WRITE_INVALIDATE_REGION (0x4) alone",
        static_cast<unsigned long long>(flags));
  }
  return Status::success;
}

/// Ends what begin_map() began: the mapping, or the descriptor if there is no mapping.
Status end_map(Status status, Map*& result) {
  if (status == Status::success) {
    result->is_mapped = true;
    return status;
  }
  Map& map = *std::exchange(result, nullptr);
  const Status released = release_map(map);
  return released == Status::success ? status : released;
}

Status enqueue_map(const cl::Order& order, Map& map, cl_map_flags flags, std::size_t offset,
                   bool blocking) noexcept {
  const Mem& mem = *map.mem;
  cl_int code = CL_SUCCESS;
  if (mem.handle == nullptr) {
    map.pointer = static_cast<char*>(mem.pointer) + offset;
    code = clEnqueueSVMMap(order.queue, blocking ? CL_TRUE : CL_FALSE, flags, map.pointer, map.size,
                           order.wait_count, order.waits, order.event);
  } else {
    map.pointer = clEnqueueMapBuffer(order.queue, mem.handle, blocking ? CL_TRUE : CL_FALSE, flags, offset,
                                     map.size, order.wait_count, order.waits, order.event, &code);
  }
  return code == CL_SUCCESS ? Status::success
                            : fail_cl(code, "map", "%zu bytes from offset %zu on with flags 0x%llX", map.size,
                                      offset, static_cast<unsigned long long>(flags));
}

Status enqueue_map_image(const cl::Order& order, Map& map, cl_map_flags flags, const std::size_t (&origin)[3],
                         const std::size_t (&region)[3], bool blocking) noexcept {
  cl_int code = CL_SUCCESS;
  map.pointer =
      clEnqueueMapImage(order.queue, map.mem->handle, blocking ? CL_TRUE : CL_FALSE, flags, origin, region,
                        &map.row_pitch, &map.slice_pitch, order.wait_count, order.waits, order.event, &code);
  return code == CL_SUCCESS ? Status::success
                            : fail_cl(code, "clEnqueueMapImage", "%zu x %zu x %zu from (%zu, %zu, %zu) on",
                                      region[0], region[1], region[2], origin[0], origin[1], origin[2]);
}

/// A wait list; of one event it takes no host memory, without which a map must be released all the same.
struct WaitList {
  cl_event one = nullptr;
  std::vector<cl_event> several;
};

/// Has the order wait for a mapping that has not happened yet, where its queue does not see to it; drivers
/// crash otherwise. `waits` keeps the wait list. Throws std::bad_alloc only if the order had one.
Status come_after_mapping(const Map& map, cl::Order& order, WaitList& waits) {
  if (!map.mapped || cl::has_ended(map.mapped.get())) {
    return Status::success;
  }
  if (order.queue == map.queue.get()) {
    bool out_of_order = false;
    CLPOOL_TRY(cl::is_out_of_order(order.queue, out_of_order));
    if (!out_of_order) {
      return Status::success;
    }
  } else {
    cl::flush(map.queue.get());  // else the other queue might wait for ever
  }
  waits.one = map.mapped.get();
  if (order.wait_count == 0) {
    order.waits = &waits.one;
  } else {
    waits.several.reserve(order.wait_count + 1);
    waits.several.assign(order.waits, order.waits + order.wait_count);
    waits.several.push_back(waits.one);
    order.waits = waits.several.data();
  }
  ++order.wait_count;
  return Status::success;
}

}  // namespace

Status map_memory(const cl::Order& order, Mem& mem, cl_map_flags flags, std::size_t offset, std::size_t size,
                  bool blocking, Map*& result) {
  CLPOOL_TRY(cl::check_order(order));
  CLPOOL_TRY(check_map_flags(flags));
  CLPOOL_TRY(require_live(mem));
  if (nature_of(mem) == MemKind::pinned) {
    return fail(Status::invalid_operation,
                "page-locked memory is not mapped: the host uses it at clpool_mem_pointer()");
  }
  CLPOOL_TRY(require_buffer_or_svm(mem));
  CLPOOL_TRY(resolve_size(size, side_of("the memory", mem, offset)));
  if (size == 0) {
    return fail(Status::invalid_value, "0 bytes from offset %zu on cannot be mapped, the least is 1", offset);
  }
  if (mem.handle == nullptr) {
    CLPOOL_TRY(cl::require_queue_version(order.queue, {2, 0}, "mapping SVM"));
  }
  CLPOOL_TRY(begin_map(order, mem, result));
  result->size = size;
  cl_event event = nullptr;
  CLPOOL_TRY(
      end_map(enqueue_map(keeping_event(order, blocking, event), *result, flags, offset, blocking), result));
  const Status kept = keep_event(order, event, *result);
  return kept == Status::success ? kept : end_map(kept, result);
}

Status map_image(const cl::Order& order, Mem& image, cl_map_flags flags, const std::size_t (&origin)[3],
                 const std::size_t (&region)[3], bool blocking, Map*& result) {
  CLPOOL_TRY(cl::check_order(order));
  CLPOOL_TRY(check_map_flags(flags));
  CLPOOL_TRY(check_image_region(image, origin, region));
  if (region[0] == 0 || region[1] == 0 || region[2] == 0) {
    return fail(Status::invalid_value, "%zu x %zu x %zu pixels cannot be mapped, the least is 1 x 1 x 1",
                region[0], region[1], region[2]);
  }
  ImageShape shape;
  CLPOOL_TRY(image_shape(image, shape));
  std::size_t item_size = 0;
  CLPOOL_TRY(image_item_size(image, item_size));
  CLPOOL_TRY(begin_map(order, image, result));
  cl_event event = nullptr;
  CLPOOL_TRY(end_map(
      enqueue_map_image(keeping_event(order, blocking, event), *result, flags, origin, region, blocking),
      result));
  if (const Status kept = keep_event(order, event, *result); kept != Status::success) {
    return end_map(kept, result);
  }
  std::size_t row_pitch = result->row_pitch;
  std::size_t slice_pitch = result->slice_pitch;
  const Status laid_out = lay_out_image(shape.type, region, item_size, row_pitch, slice_pitch, result->size);
  if (laid_out != Status::success && order.event != nullptr) {
    cl::Event::adopt(std::exchange(*order.event, nullptr)).reset();
  }
  return laid_out == Status::success ? laid_out : end_map(laid_out, result);
}

Status require_live(const Map& map) noexcept {
  if (map.state != MemState::live) {
    return fail(Status::invalid_operation, "map %p was released already", static_cast<const void*>(&map));
  }
  return require_own_process(*map.mem, "the map");
}

Status unmap(Map& map, cl::Order order) {
  CLPOOL_TRY(require_live(map));
  if (order.queue == nullptr) {
    order.queue = map.queue.get();
  }
  CLPOOL_TRY(cl::check_order(order));
  if (!map.is_mapped) {
    return cl::do_nothing(order);
  }
  CLPOOL_TRY(begin_use(order, {map.mem}));
  WaitList waits;
  CLPOOL_TRY(come_after_mapping(map, order, waits));
  cl_int code = CL_SUCCESS;
  if (map.mem->handle == nullptr) {
    code = clEnqueueSVMUnmap(order.queue, map.pointer, order.wait_count, order.waits, order.event);
  } else {
    code = clEnqueueUnmapMemObject(order.queue, map.mem->handle, map.pointer, order.wait_count, order.waits,
                                   order.event);
  }
  if (code != CL_SUCCESS) {
    return fail_cl(code, "unmap", "the mapping at %p", map.pointer);
  }
  map.is_mapped = false;
  map.pointer = nullptr;
  map.mapped.reset();
  return Status::success;
}

Map::Map() noexcept
    : LateRelease([](LateRelease& object) noexcept {
        auto& map = static_cast<Map&>(object);
        map.state = MemState::live;
        if (map.is_mapped) {
          map.mem->owner->note_put_off_use(*map.mem);
        }
        if (release_map(map) != Status::success) {
          send_message({}, Severity::error, "a map whose release was put off: %s", last_error_message());
        }
      }) {}

Status release_map_later(Map& map) noexcept {
  CLPOOL_TRY(require_live(map));
  map.state = MemState::released;
  map.put_off();
  return Status::success;
}

Status release_map(Map& map) {
  CLPOOL_TRY(require_live(map));
  const Status unmapped = map.is_mapped ? unmap(map, {}) : Status::success;
  const cl::Queue queue = std::move(map.queue);
  map.mapped.reset();
  Mem* const mem = std::exchange(map.mem, nullptr);
  map.state = MemState::released;
  map.is_mapped = false;
  map.pointer = nullptr;
  map.size = 0;
  map.row_pitch = 0;
  map.slice_pitch = 0;
  spare_maps.give_back(map);
  const Status released = let_go_of_mem(*mem) ? mem->owner->take_back(*mem) : Status::success;
  finish_later_releases();
  return unmapped == Status::success ? released : unmapped;
}

}  // namespace clpool::core
