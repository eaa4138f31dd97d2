// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Reading, writing, copying, filling and migrating buffers.
#include <bit>
#include <cstring>

#include "api.hpp"
#include "commands.hpp"
#include "device_profile.hpp"
#include "nvidia.hpp"

namespace stub {
namespace {

bool overlap(const Mem& a, std::size_t a_offset, const Mem& b, std::size_t b_offset, std::size_t size) {
  const unsigned char* const first = a.data + a_offset;
  const unsigned char* const second = b.data + b_offset;
  return first < second + size && second < first + size;
}

void enqueue_copy(Call& call, Queue& queue, Mem& from, Mem& to, std::size_t source_offset,
                  std::size_t target_offset, std::size_t size, const Order& order) {
  require_range(from, source_offset, size);
  require_range(to, target_offset, size);
  check_order(queue, order);
  require(!overlap(from, source_offset, to, target_offset, size), CL_MEM_COPY_OVERLAP);
  use(call, from);
  use(call, to);
  enqueue(call, queue, CL_COMMAND_COPY_BUFFER, order, [=, s = Ref<Mem>(&from), t = Ref<Mem>(&to)] {
    std::memcpy(bytes_of(t) + target_offset, bytes_of(s) + source_offset, size);
  });
}

}  // namespace

namespace api {

cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                                       size_t size, void* pointer, cl_uint count, const cl_event* waits,
                                       cl_event* event) {
  return run(Entry::clEnqueueReadBuffer, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    Mem& source = buffer_operand(q, buffer);
    require_range(source, offset, size);
    require(pointer != nullptr, CL_INVALID_VALUE);
    require_host_can(source, CL_MEM_HOST_WRITE_ONLY);
    const Order order{blocking, count, waits, event};
    check_order(q, order);
    use(call, source);
    enqueue(call, q, CL_COMMAND_READ_BUFFER, order, [=, s = Ref<Mem>(&source), host = place_at(pointer)] {
      std::memmove(host.bytes(), bytes_of(s) + offset, size);  // may be the same: CL_MEM_USE_HOST_PTR
    });
  });
}

cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking,
                                        size_t offset, size_t size, const void* pointer, cl_uint count,
                                        const cl_event* waits, cl_event* event) {
  return run(Entry::clEnqueueWriteBuffer, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    Mem& target = buffer_operand(q, buffer);
    require_range(target, offset, size);
    require(pointer != nullptr, CL_INVALID_VALUE);
    require_host_can(target, CL_MEM_HOST_READ_ONLY);
    const Order order{blocking, count, waits, event};
    check_order(q, order);
    use(call, target);
    enqueue(call, q, CL_COMMAND_WRITE_BUFFER, order, [=, t = Ref<Mem>(&target), host = place_at(pointer)] {
      std::memmove(bytes_of(t) + offset, host.bytes(), size);
    });
  });
}

cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem source, cl_mem target,
                                       size_t source_offset, size_t target_offset, size_t size, cl_uint count,
                                       const cl_event* waits, cl_event* event) {
  return run(Entry::clEnqueueCopyBuffer, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    enqueue_copy(call, q, buffer_operand(q, source), buffer_operand(q, target), source_offset, target_offset,
                 size, {CL_FALSE, count, waits, event});
  });
}

/// AMD's copy between devices: source and target may belong to different contexts.
cl_int CL_API_CALL clEnqueueCopyBufferP2PAMD(cl_command_queue queue, cl_mem source, cl_mem target,
                                             size_t source_offset, size_t target_offset, size_t size,
                                             cl_uint count, const cl_event* waits, cl_event* event) {
  return run(Entry::clEnqueueCopyBufferP2PAMD, [&](Call& call) {
    require(has_extension("cl_amd_copy_buffer_p2p"), CL_INVALID_OPERATION);
    enqueue_copy(call, checked(queue, CL_INVALID_COMMAND_QUEUE), checked(source, CL_INVALID_MEM_OBJECT),
                 checked(target, CL_INVALID_MEM_OBJECT), source_offset, target_offset, size,
                 {CL_FALSE, count, waits, event});
  });
}

cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void* pattern,
                                       size_t pattern_size, size_t offset, size_t size, cl_uint count,
                                       const cl_event* waits, cl_event* event) {
  return run(Entry::clEnqueueFillBuffer, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    Mem& target = buffer_operand(q, buffer);
    require_range(target, offset, size);
    require(pattern != nullptr && std::has_single_bit(pattern_size) && pattern_size <= 128 &&
                offset % pattern_size == 0 && size % pattern_size == 0,
            CL_INVALID_VALUE);
    const Order order{CL_FALSE, count, waits, event};
    check_order(q, order);
    use(call, target);
    const auto* const first = static_cast<const unsigned char*>(pattern);
    enqueue(call, q, CL_COMMAND_FILL_BUFFER, order,
            [=, t = Ref<Mem>(&target), bytes = std::vector<unsigned char>(first, first + pattern_size)] {
              repeat(bytes, bytes_of(t) + offset, size);
            });
  });
}

cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint object_count,
                                              const cl_mem* objects, cl_mem_migration_flags flags,
                                              cl_uint count, const cl_event* waits, cl_event* event) {
  return run(Entry::clEnqueueMigrateMemObjects, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    constexpr cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    require(object_count != 0 && objects != nullptr && (flags & ~known) == 0, CL_INVALID_VALUE);
    const Order order{CL_FALSE, count, waits, event};
    check_order(q, order);
    std::vector<Ref<Mem>> mems;
    for (cl_uint i = 0; i < object_count; ++i) {
      mems.emplace_back(&operand(q, objects[i]));
      note_migration(*mems.back());
    }
    for (const Ref<Mem>& mem : mems) {
      use(call, *mem);
    }
    const bool is_undefined = (flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) != 0;
    enqueue(call, q, CL_COMMAND_MIGRATE_MEM_OBJECTS, order, [=] {
      for (const Ref<Mem>& mem : mems) {
        unsigned char* const bytes = bytes_of(mem);
        if (is_undefined && state().options.poison && mem->block.data != nullptr) {
          std::memset(bytes, 0xA5, std::min<std::size_t>(mem->size, 1 << 20));
        }
      }
    });
  });
}

}  // namespace api
}  // namespace stub
