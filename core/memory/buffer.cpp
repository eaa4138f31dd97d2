// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Creation of buffers and sub-regions.
#include "memory/buffer.hpp"

#include <utility>

#include "allocator/facts.hpp"
#include "cl/info.hpp"
#include "cl/sub_buffer.hpp"
#include "memory/object.hpp"
#include "memory/range.hpp"

namespace clpool::core {
namespace {

Status check_host_memory(cl_mem_flags flags, std::size_t& size, const void* host,
                         std::size_t host_size) noexcept {
  CLPOOL_TRY(check_host_memory_flags(flags, host));
  if (host != nullptr && size == 0) {
    size = host_size;
  }
  if (host != nullptr && size > host_size) {
    return fail(Status::invalid_value, "size is %zu bytes, the host memory has %zu", size, host_size);
  }
  return size != 0 ? Status::success : fail(Status::invalid_value, "size is 0, a buffer has at least 1 byte");
}

/// Adds what the driver does not say: how large a buffer may be.
Status explain_refusal(cl_context context, cl_int code, std::size_t size, cl_mem_flags flags) {
  ContextFacts facts;
  if (code == CL_INVALID_BUFFER_SIZE && read_context_facts(context, facts) == Status::success) {
    return fail_cl(code, "clCreateBuffer", "%zu bytes were asked for, the device's largest buffer has %llu",
                   size, static_cast<unsigned long long>(facts.max_alloc_bytes));
  }
  return fail_cl(code, "clCreateBuffer", "%zu bytes with flags 0x%llX", size,
                 static_cast<unsigned long long>(flags));
}

/// Adds what the driver does not say: the alignment that it wants.
Status explain_misalignment(Status status, const Mem& parent, std::size_t root_offset) {
  if (status != Status::opencl || last_cl_error() != CL_MISALIGNED_SUB_BUFFER_OFFSET) {
    return status;
  }
  ContextFacts facts;
  CLPOOL_TRY(read_context_facts(parent.owner->context_of(parent), facts));
  return fail_cl(CL_MISALIGNED_SUB_BUFFER_OFFSET, "clCreateSubBuffer",
                 "offset %zu in the root buffer is no multiple of %llu bytes", root_offset,
                 static_cast<unsigned long long>(facts.base_alignment));
}

/// Drivers differ: PoCL takes any.
Status check_part_flags(cl_mem_flags flags) noexcept {
  constexpr cl_mem_flags host_pointers = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
  constexpr cl_mem_flags known = access_flags | host_access_flags | host_pointers;
  if ((flags & ~known) != 0) {
    return fail(Status::invalid_value, "flags of the part are 0x%llX, of these 0x%llX are none of a part",
                static_cast<unsigned long long>(flags), static_cast<unsigned long long>(flags & ~known));
  }
  return check_access_flags(flags);
}

/// Of what the flags say nothing, a part has what its parent has, and no more than that: the driver, which makes
/// all parts from the root, knows only that one.
Status complete_part_flags(const Mem& parent, cl_mem_flags& flags) {
  cl_mem_flags has = 0;
  CLPOOL_TRY(cl::query(parent.handle, CL_MEM_FLAGS, has));
  for (const cl_mem_flags kind : {access_flags, host_access_flags}) {
    const cl_mem_flags wanted = flags & kind;
    const cl_mem_flags given = has & kind;
    const bool is_all = given == 0 || given == CL_MEM_READ_WRITE;
    const bool is_none = wanted == CL_MEM_HOST_NO_ACCESS;
    if (wanted != 0 && wanted != given && !is_all && !is_none) {
      return fail(Status::invalid_value,
                  "flags of the part are 0x%llX, the parent's 0x%llX do not allow them",
                  static_cast<unsigned long long>(flags), static_cast<unsigned long long>(has));
    }
    flags |= wanted == 0 && !is_all ? given : 0;
  }
  return Status::success;
}

}  // namespace

Status create_buffer_object(cl_context context, cl_mem_flags flags, std::size_t size, void* host,
                            std::size_t host_size, Mem*& result) {
  CLPOOL_TRY(check_host_memory(flags, size, host, host_size));
  CLPOOL_TRY(check_access_flags(flags));
  cl_int code = CL_SUCCESS;
  ObjectParts parts;
  const cl_mem_flags access = flags == 0 ? CL_MEM_READ_WRITE : flags;
  parts.handle = cl::Memory::adopt(clCreateBuffer(context, access, size, host, &code));
  if (code != CL_SUCCESS) {
    return explain_refusal(context, code, size, access);
  }
  parts.size = size;
  parts.context = context;
  return make_object(std::move(parts), result);
}

Status make_sub_region(Mem& parent, std::size_t origin, std::size_t size, cl_mem_flags flags, Mem*& result) {
  CLPOOL_TRY(require_live(parent));
  if (const MemKind nature = nature_of(parent); nature == MemKind::image || nature == MemKind::pipe) {
    return fail(Status::invalid_operation, "%s has no sub-regions", kind_name(nature));
  }
  CLPOOL_TRY(resolve_size(size, side_of("the parent", parent, origin)));
  if (size == 0) {
    return fail(Status::invalid_value, "a sub-region of 0 bytes at offset %zu was asked for, the least is 1",
                origin);
  }
  CLPOOL_TRY(check_part_flags(flags));
  ObjectParts parts;
  parts.kind = MemKind::sub_region;
  parts.nature = nature_of(parent);
  parts.size = size;
  parts.origin = origin;
  // Also where that is a part: NVIDIA's driver crashes where a sub-buffer goes before one that overlaps it and is newer.
  parts.parent = &parent;
  parts.context = parent.owner->context_of(parent);
  if (parts.nature == MemKind::buffer) {
    cl_mem root = nullptr;
    std::size_t root_offset = 0;
    CLPOOL_TRY(parent.owner->root_of(parent, root, root_offset));
    if (parent.kind == MemKind::sub_region) {
      CLPOOL_TRY(complete_part_flags(parent, flags));
    }
    const Status made = cl::make_sub_buffer(root, root_offset + origin, size, flags, parts.handle.receive());
    if (made != Status::success) {
      return explain_misalignment(made, parent, root_offset + origin);
    }
  } else {
    parts.pointer = static_cast<char*>(parent.pointer) + origin;
  }
  return make_object(std::move(parts), result);
}

}  // namespace clpool::core
