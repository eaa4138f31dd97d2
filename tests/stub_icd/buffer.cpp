// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Buffers, sub-buffers, and what all memory objects have: references, queries, destructor callbacks.
#include <algorithm>
#include <cstring>

#include "api.hpp"
#include "info.hpp"
#include "memory.hpp"
#include "memory_object.hpp"
#include "nvidia.hpp"

namespace stub {
namespace {

constexpr cl_mem_flags device_access = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
constexpr cl_mem_flags host_access = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
constexpr cl_mem_flags host_pointer = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

bool has_several(cl_mem_flags flags, cl_mem_flags of) {
  const cl_mem_flags set = flags & of;
  return (set & (set - 1)) != 0;
}

Mem* make_buffer(cl_context context, const cl_mem_properties* properties, cl_mem_flags flags,
                 std::size_t size, void* host) {
  Context& c = checked(context, CL_INVALID_CONTEXT);
  require(properties == nullptr || properties[0] == 0, CL_INVALID_PROPERTY);
  check_flags(flags);
  require(size != 0 && size <= state().options.largest_allocation(), CL_INVALID_BUFFER_SIZE);
  require((host != nullptr) == ((flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0),
          CL_INVALID_HOST_PTR);
  auto* const mem = new Mem;
  enlist(*mem, STUB_BUFFER);
  mem->context = Ref<Context>(&c);
  mem->flags = (flags & device_access) == 0 ? flags | CL_MEM_READ_WRITE : flags;
  mem->size = size;
  mem->properties = property_list(properties);
  set_memory(*mem, host);
  return mem;
}

Mem* make_part(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void* info) {
  Mem& root = checked(buffer, CL_INVALID_MEM_OBJECT);
  require(root.type == CL_MEM_OBJECT_BUFFER && !root.parent, CL_INVALID_MEM_OBJECT);
  require(type == CL_BUFFER_CREATE_TYPE_REGION && info != nullptr, CL_INVALID_VALUE);
  check_flags(flags);
  require((flags & host_pointer) == 0, CL_INVALID_VALUE);
  const cl_mem_flags has = flags_within(root, flags);
  const auto& region = *static_cast<const cl_buffer_region*>(info);
  require(region.size != 0, CL_INVALID_BUFFER_SIZE);
  require(region.origin <= root.size && region.size <= root.size - region.origin, CL_INVALID_VALUE);
  require(region.origin % state().options.alignment == 0, CL_MISALIGNED_SUB_BUFFER_OFFSET);
  auto* const part = new Mem;
  part->parent = Ref<Mem>(&root);
  part->context = root.context;
  part->offset = region.origin;
  part->size = region.size;
  enlist(*part, STUB_SUB_BUFFER);
  note_new_part(*part);
  root.parts.push_back(part);
  part->flags = has;
  part->data = root.data + region.origin;
  part->svm = root.svm;
  if (root.host_pointer != nullptr) {
    part->host_pointer = static_cast<char*>(root.host_pointer) + region.origin;
  }
  return part;
}

}  // namespace

cl_mem_flags flags_within(const Mem& buffer, cl_mem_flags flags) {
  const bool read_only = (buffer.flags & CL_MEM_READ_ONLY) != 0;
  const bool write_only = (buffer.flags & CL_MEM_WRITE_ONLY) != 0;
  require(!(read_only && (flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)) != 0) &&
              !(write_only && (flags & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)) != 0),
          CL_INVALID_VALUE);
  return (buffer.flags & host_pointer) |
         ((flags & device_access) != 0 ? flags & device_access : buffer.flags & device_access) |
         ((flags & host_access) != 0 ? flags & host_access : buffer.flags & host_access);
}

void check_flags(cl_mem_flags flags) {
  require((flags & ~(device_access | host_access | host_pointer)) == 0 &&
              !has_several(flags, device_access) && !has_several(flags, host_access) &&
              !((flags & CL_MEM_USE_HOST_PTR) != 0 &&
                (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0),
          CL_INVALID_VALUE);
  require((flags & host_access) == 0 || state().options.version >= Version{1, 2}, CL_INVALID_VALUE);
}

void set_memory(Mem& mem, void* host) {
  try {
    if ((mem.flags & CL_MEM_USE_HOST_PTR) != 0) {
      mem.host_pointer = host;
      mem.data = static_cast<unsigned char*>(host);
      Range* const range = find_range(host);
      if (range != nullptr && range->kind == Kind::svm) {
        mem.svm = Ref<Range>(range);
        require_alive(mem.svm, host);
        require(static_cast<unsigned char*>(host) + mem.size <= range->begin + range->size,
                CL_INVALID_BUFFER_SIZE);
        return;  // takes no memory of its own
      }
    } else {
      mem.block = allocate_block(mem.size, std::max<std::size_t>(4096, state().options.alignment), false);
      mem.data = mem.block.data;
      if ((mem.flags & CL_MEM_COPY_HOST_PTR) != 0 && !mem.is_image()) {
        std::memcpy(mem.data, host, mem.size);
      }
    }
    if (!state().options.lazy || (mem.flags & CL_MEM_COPY_HOST_PTR) != 0) {
      make_resident(mem);
    }
  } catch (const Refusal&) {
    drop_reference(mem);
    throw;
  }
}

void use(Call& call, Mem& mem) {
  if (!mem.svm) {
    make_resident(mem);
  }
  note_use(call, mem);
}

namespace api {

cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void* host,
                                  cl_int* code) {
  return make(Entry::clCreateBuffer, code,
              [&](Call&) { return make_buffer(context, nullptr, flags, size, host); });
}

cl_mem CL_API_CALL clCreateBufferWithProperties(cl_context context, const cl_mem_properties* properties,
                                                cl_mem_flags flags, size_t size, void* host, cl_int* code) {
  return make(Entry::clCreateBufferWithProperties, code,
              [&](Call&) { return make_buffer(context, properties, flags, size, host); });
}

cl_mem CL_API_CALL clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                                     const void* info, cl_int* code) {
  return make(Entry::clCreateSubBuffer, code, [&](Call&) { return make_part(buffer, flags, type, info); });
}

cl_int CL_API_CALL clRetainMemObject(cl_mem mem) {
  return run(Entry::clRetainMemObject, [&](Call&) { add_reference(checked(mem, CL_INVALID_MEM_OBJECT)); });
}

cl_int CL_API_CALL clReleaseMemObject(cl_mem mem) {
  return run(Entry::clReleaseMemObject, [&](Call& call) {
    Mem& m = checked(mem, CL_INVALID_MEM_OBJECT);
    if (m.references == 1) {
      const Ref<Mem> alive(&m);
      note_release(call, m);  // may wait
      if (m.is_sub_buffer()) {
        auto& parts = m.parent->parts;
        parts.erase(std::find(parts.begin(), parts.end(), &m));
      }
      drop_reference(m);
      return;
    }
    drop_reference(m);
  });
}

cl_int CL_API_CALL clSetMemObjectDestructorCallback(cl_mem mem, void(CL_CALLBACK* notify)(cl_mem, void*),
                                                    void* user) {
  return run(Entry::clSetMemObjectDestructorCallback, [&](Call&) {
    Mem& m = checked(mem, CL_INVALID_MEM_OBJECT);
    require(notify != nullptr, CL_INVALID_VALUE);
    m.destructors.push_back([=] { notify(mem, user); });
  });
}

cl_int CL_API_CALL clGetMemObjectInfo(cl_mem mem, cl_mem_info name, size_t size, void* value,
                                      size_t* needed) {
  return run(Entry::clGetMemObjectInfo, [&](Call&) {
    const Mem& m = checked(mem, CL_INVALID_MEM_OBJECT);
    const Version version = state().options.version;
    const Answer answer(size, value, needed);
    switch (name) {
      case CL_MEM_TYPE:
        return answer.value(m.type);
      case CL_MEM_FLAGS:
        return answer.value(m.flags);
      case CL_MEM_SIZE:
        return answer.value(m.size);
      case CL_MEM_HOST_PTR:
        return answer.value((m.flags & CL_MEM_USE_HOST_PTR) != 0 ? m.host_pointer : nullptr);
      case CL_MEM_MAP_COUNT:
        return answer.value(static_cast<cl_uint>(m.maps.size()));
      case CL_MEM_REFERENCE_COUNT:
        return answer.value(static_cast<cl_uint>(m.references));
      case CL_MEM_CONTEXT:
        return answer.value(m.context.get());
      case CL_MEM_ASSOCIATED_MEMOBJECT:
        require(version >= Version{1, 1}, CL_INVALID_VALUE);
        return answer.value(m.parent.get());
      case CL_MEM_OFFSET:
        require(version >= Version{1, 1}, CL_INVALID_VALUE);
        return answer.value(m.offset);
      case CL_MEM_USES_SVM_POINTER:
        require(version >= Version{2, 0}, CL_INVALID_VALUE);
        return answer.value<cl_bool>(m.svm ? CL_TRUE : CL_FALSE);
      case CL_MEM_PROPERTIES:
        require(version >= Version{3, 0}, CL_INVALID_VALUE);
        return answer.list(m.properties);
      default:
        refuse(CL_INVALID_VALUE);
    }
  });
}

}  // namespace api
}  // namespace stub
