// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Maps of buffers and images, and unmapping. A region is memory of its own, filled when the map runs and
// written back when the unmap runs; with CL_MEM_USE_HOST_PTR it is the program's memory, as OpenCL has it.
#include <algorithm>
#include <cstring>

#include "api.hpp"
#include "commands.hpp"
#include "image.hpp"

namespace stub {
namespace {

constexpr cl_map_flags all_map_flags = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;

void check_map_flags(const Mem& mem, cl_map_flags flags) {
  require((flags & ~all_map_flags) == 0 &&
              !((flags & CL_MAP_WRITE_INVALIDATE_REGION) != 0 && (flags & (CL_MAP_READ | CL_MAP_WRITE)) != 0),
          CL_INVALID_VALUE);
  if ((flags & CL_MAP_READ) != 0) {
    require_host_can(mem, CL_MEM_HOST_WRITE_ONLY);
  }
  if ((flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0) {
    require_host_can(mem, CL_MEM_HOST_READ_ONLY);
  }
}

/// The mapped region of `size` bytes for what begins `offset` bytes into `mem`.
Ref<Range> make_region(Mem& mem, std::size_t offset, std::size_t size, cl_map_flags flags) {
  auto* const region = new Range(Kind::map);
  enlist(*region, STUB_MAP);
  const Ref<Range> held(region);
  region->size = size;
  region->flags = flags;
  if (mem.host_pointer != nullptr) {
    region->begin = mem.data + offset;
  } else {
    const std::size_t shift = offset % 4096 + state().options.map_shift;
    region->block = allocate_block(size + shift, 4096, true);
    region->begin = region->block.data + shift;
  }
  add_range(*region);
  return held;
}

/// From the memory object to a mapped region, and back. Memory of the program's own is both at once.
void load(const Ref<Mem>& mem, const Range& region) {
  if (region.block.data != nullptr && (region.flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0) {
    copy_box(region.begin, region.in_region, bytes_of(mem), region.in_memory, region.extent);
  }
}

void store(const Ref<Mem>& mem, const Range& region) {
  if (region.block.data != nullptr && (region.flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) != 0) {
    copy_box(bytes_of(mem), region.in_memory, region.begin, region.in_region, region.extent);
  }
}

void* enqueue_map(Call& call, Queue& queue, cl_command_type type, const Order& order, Mem& mem,
                  const Ref<Range>& region) {
  mem.maps.push_back(region);
  enqueue(call, queue, type, order, [held = Ref<Mem>(&mem), region] {
    require_alive(region, region->begin);
    load(held, *region);
  });
  return region->begin;
}

Ref<Range> find_map(Mem& mem, const void* pointer) {
  for (auto map = mem.maps.rbegin(); map != mem.maps.rend(); ++map) {
    if ((*map)->begin == pointer && !(*map)->is_ending) {
      return *map;
    }
  }
  refuse(CL_INVALID_VALUE);
}

}  // namespace

namespace api {

void* CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                     cl_map_flags flags, size_t offset, size_t size, cl_uint count,
                                     const cl_event* waits, cl_event* event, cl_int* code) {
  return make(Entry::clEnqueueMapBuffer, code, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    Mem& mem = buffer_operand(q, buffer);
    require_range(mem, offset, size);
    check_map_flags(mem, flags);
    const Order order{blocking, count, waits, event};
    check_order(q, order);
    use(call, mem);
    const Ref<Range> region = make_region(mem, offset, size, flags);
    region->in_memory = {offset, size, size};
    region->in_region = {0, size, size};
    region->extent = {size, 1, 1};
    return enqueue_map(call, q, CL_COMMAND_MAP_BUFFER, order, mem, region);
  });
}

void* CL_API_CALL clEnqueueMapImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                    cl_map_flags flags, const size_t* origin, const size_t* region,
                                    size_t* row_pitch, size_t* slice_pitch, cl_uint count,
                                    const cl_event* waits, cl_event* event, cl_int* code) {
  return make(Entry::clEnqueueMapImage, code, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    Mem& mem = image_operand(q, image);
    const Triple extent = triple(region);
    const Box in_memory = box_in_image(mem, triple(origin), extent);
    require(row_pitch != nullptr && (slice_pitch != nullptr || !has_slices(mem)), CL_INVALID_VALUE);
    check_map_flags(mem, flags);
    const Order order{blocking, count, waits, event};
    check_order(q, order);
    use(call, mem);
    const Triple bytes = bytes_of_region(mem, extent);
    const bool is_hosts = mem.host_pointer != nullptr;
    const Box in_region{0, is_hosts ? mem.row_pitch : bytes[0],
                        is_hosts ? mem.slice_pitch : bytes[0] * bytes[1]};
    const std::size_t size =
        in_region.slice_pitch * (bytes[2] - 1) + in_region.row_pitch * (bytes[1] - 1) + bytes[0];
    *row_pitch = state().options.short_rows ? bytes[0] - 1 : in_region.row_pitch;
    if (slice_pitch != nullptr) {
      *slice_pitch = has_slices(mem) ? in_region.slice_pitch : 0;
    }
    const Ref<Range> mapped = make_region(mem, in_memory.begin, size, flags);
    mapped->in_memory = in_memory;
    mapped->in_region = in_region;
    mapped->extent = bytes;
    return enqueue_map(call, q, CL_COMMAND_MAP_IMAGE, order, mem, mapped);
  });
}

cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue, cl_mem object, void* pointer,
                                           cl_uint count, const cl_event* waits, cl_event* event) {
  return run(Entry::clEnqueueUnmapMemObject, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    Mem& mem = operand(q, object);
    const Ref<Range> region = find_map(mem, pointer);
    const Order order{CL_FALSE, count, waits, event};
    check_order(q, order);
    region->is_ending = true;
    enqueue(call, q, CL_COMMAND_UNMAP_MEM_OBJECT, order, [held = Ref<Mem>(&mem), region] {
      store(held, *region);
      auto& maps = held->maps;
      maps.erase(
          std::find_if(maps.begin(), maps.end(), [&](const auto& map) { return map.get() == region.get(); }));
      end_range(*region, "clEnqueueUnmapMemObject");
      drop_reference(*region);
    });
  });
}

}  // namespace api
}  // namespace stub
