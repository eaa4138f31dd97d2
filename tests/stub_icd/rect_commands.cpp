// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Boxes of bytes in buffers and host memory.
#include <cstring>

#include "api.hpp"
#include "commands.hpp"

namespace stub {
namespace {

/// Completes the pitches, and gives the place of the box's first byte and the byte after its last.
Box lay_out(const Triple& origin, const Triple& region, std::size_t row_pitch, std::size_t slice_pitch,
            std::size_t& end) {
  require(region[0] != 0 && region[1] != 0 && region[2] != 0, CL_INVALID_VALUE);
  Box box;
  box.row_pitch = row_pitch != 0 ? row_pitch : region[0];
  require(box.row_pitch >= region[0], CL_INVALID_VALUE);
  box.slice_pitch = slice_pitch != 0 ? slice_pitch : box.row_pitch * region[1];
  require(box.slice_pitch >= box.row_pitch * region[1] && box.slice_pitch % box.row_pitch == 0,
          CL_INVALID_VALUE);
  box.begin = origin[2] * box.slice_pitch + origin[1] * box.row_pitch + origin[0];
  end = box.begin + (region[2] - 1) * box.slice_pitch + (region[1] - 1) * box.row_pitch + region[0];
  return box;
}

Box lay_out_in(const Mem& mem, const Triple& origin, const Triple& region, std::size_t row_pitch,
               std::size_t slice_pitch) {
  std::size_t end = 0;
  const Box box = lay_out(origin, region, row_pitch, slice_pitch, end);
  require(end <= mem.size, CL_INVALID_VALUE);
  return box;
}

/// True if two boxes of bytes, by rows, have one in common.
bool boxes_overlap(const unsigned char* a, const Box& in_a, const unsigned char* b, const Box& in_b,
                   const Triple& region) {
  for (std::size_t slice = 0; slice < region[2]; ++slice) {
    for (std::size_t row = 0; row < region[1]; ++row) {
      const unsigned char* const first = a + in_a.begin + slice * in_a.slice_pitch + row * in_a.row_pitch;
      for (std::size_t other_slice = 0; other_slice < region[2]; ++other_slice) {
        for (std::size_t other_row = 0; other_row < region[1]; ++other_row) {
          const unsigned char* const second =
              b + in_b.begin + other_slice * in_b.slice_pitch + other_row * in_b.row_pitch;
          if (first < second + region[0] && second < first + region[0]) {
            return true;
          }
        }
      }
    }
  }
  return false;
}

}  // namespace

void copy_box(unsigned char* target, const Box& to, const unsigned char* source, const Box& from,
              const Triple& region) {
  for (std::size_t slice = 0; slice < region[2]; ++slice) {
    for (std::size_t row = 0; row < region[1]; ++row) {
      std::memmove(target + to.begin + slice * to.slice_pitch + row * to.row_pitch,
                   source + from.begin + slice * from.slice_pitch + row * from.row_pitch, region[0]);
    }
  }
}

namespace api {

cl_int CL_API_CALL clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                           const size_t* buffer_origin, const size_t* host_origin,
                                           const size_t* region, size_t buffer_row_pitch,
                                           size_t buffer_slice_pitch, size_t host_row_pitch,
                                           size_t host_slice_pitch, void* pointer, cl_uint count,
                                           const cl_event* waits, cl_event* event) {
  return run(Entry::clEnqueueReadBufferRect, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    Mem& source = buffer_operand(q, buffer);
    const Triple extent = triple(region);
    const Box from = lay_out_in(source, triple(buffer_origin), extent, buffer_row_pitch, buffer_slice_pitch);
    std::size_t end = 0;
    const Box to = lay_out(triple(host_origin), extent, host_row_pitch, host_slice_pitch, end);
    require(pointer != nullptr, CL_INVALID_VALUE);
    require_host_can(source, CL_MEM_HOST_WRITE_ONLY);
    const Order order{blocking, count, waits, event};
    check_order(q, order);
    use(call, source);
    enqueue(call, q, CL_COMMAND_READ_BUFFER_RECT, order,
            [=, s = Ref<Mem>(&source), host = place_at(pointer)] {
              copy_box(host.bytes(), to, bytes_of(s), from, extent);
            });
  });
}

cl_int CL_API_CALL clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                            const size_t* buffer_origin, const size_t* host_origin,
                                            const size_t* region, size_t buffer_row_pitch,
                                            size_t buffer_slice_pitch, size_t host_row_pitch,
                                            size_t host_slice_pitch, const void* pointer, cl_uint count,
                                            const cl_event* waits, cl_event* event) {
  return run(Entry::clEnqueueWriteBufferRect, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    Mem& target = buffer_operand(q, buffer);
    const Triple extent = triple(region);
    const Box to = lay_out_in(target, triple(buffer_origin), extent, buffer_row_pitch, buffer_slice_pitch);
    std::size_t end = 0;
    const Box from = lay_out(triple(host_origin), extent, host_row_pitch, host_slice_pitch, end);
    require(pointer != nullptr, CL_INVALID_VALUE);
    require_host_can(target, CL_MEM_HOST_READ_ONLY);
    const Order order{blocking, count, waits, event};
    check_order(q, order);
    use(call, target);
    enqueue(call, q, CL_COMMAND_WRITE_BUFFER_RECT, order,
            [=, t = Ref<Mem>(&target), host = place_at(pointer)] {
              copy_box(bytes_of(t), to, host.bytes(), from, extent);
            });
  });
}

cl_int CL_API_CALL clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem source, cl_mem target,
                                           const size_t* source_origin, const size_t* target_origin,
                                           const size_t* region, size_t source_row_pitch,
                                           size_t source_slice_pitch, size_t target_row_pitch,
                                           size_t target_slice_pitch, cl_uint count, const cl_event* waits,
                                           cl_event* event) {
  return run(Entry::clEnqueueCopyBufferRect, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    Mem& s = buffer_operand(q, source);
    Mem& t = buffer_operand(q, target);
    const Triple extent = triple(region);
    const Box from = lay_out_in(s, triple(source_origin), extent, source_row_pitch, source_slice_pitch);
    const Box to = lay_out_in(t, triple(target_origin), extent, target_row_pitch, target_slice_pitch);
    if (&s == &t) {
      require(from.row_pitch == to.row_pitch && from.slice_pitch == to.slice_pitch, CL_INVALID_VALUE);
    }
    require(!boxes_overlap(s.data, from, t.data, to, extent), CL_MEM_COPY_OVERLAP);
    const Order order{CL_FALSE, count, waits, event};
    check_order(q, order);
    use(call, s);
    use(call, t);
    enqueue(call, q, CL_COMMAND_COPY_BUFFER_RECT, order, [=, held_s = Ref<Mem>(&s), held_t = Ref<Mem>(&t)] {
      copy_box(bytes_of(held_t), to, bytes_of(held_s), from, extent);
    });
  });
}

}  // namespace api
}  // namespace stub
