// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What commands on memory share: operands, which are checked when enqueued and used when the command runs.
#pragma once

#include "memory.hpp"
#include "memory_object.hpp"
#include "schedule.hpp"

namespace stub {

/// Memory that the program gave by address. It may be a part of a range that is over when the command runs.
struct Place {
  unsigned char* pointer = nullptr;
  Ref<Range> range;

  unsigned char* bytes() const {
    require_alive(range, pointer);
    return pointer;
  }
};
inline Place place_at(const void* pointer) {
  return {static_cast<unsigned char*>(const_cast<void*>(pointer)), Ref<Range>(find_range(pointer))};
}

/// A memory object of the queue's context.
inline Mem& operand(const Queue& queue, cl_mem mem) {
  Mem& m = checked(mem, CL_INVALID_MEM_OBJECT);
  require(m.context.get() == queue.context.get(), CL_INVALID_CONTEXT);
  return m;
}

/// The same, which must be a buffer.
inline Mem& buffer_operand(const Queue& queue, cl_mem mem) {
  Mem& m = operand(queue, mem);
  require(m.type == CL_MEM_OBJECT_BUFFER, CL_INVALID_MEM_OBJECT);
  return m;
}

inline void require_range(const Mem& mem, std::size_t offset, std::size_t size) {
  require(size != 0 && offset <= mem.size && size <= mem.size - offset, CL_INVALID_VALUE);
}

inline void require_host_can(const Mem& mem, cl_mem_flags forbidden) {
  require((mem.flags & (forbidden | CL_MEM_HOST_NO_ACCESS)) == 0, CL_INVALID_OPERATION);
}

/// First byte of a memory object, when a command runs.
inline unsigned char* bytes_of(const Ref<Mem>& mem) {
  require_alive(mem->svm, mem->data);
  return mem->data;
}

inline Triple triple(const std::size_t* values) {
  require(values != nullptr, CL_INVALID_VALUE);
  return {values[0], values[1], values[2]};
}

/// Copies region[0] bytes of region[1] rows of region[2] slices.
void copy_box(unsigned char* target, const Box& to, const unsigned char* source, const Box& from,
              const Triple& region);

}  // namespace stub
