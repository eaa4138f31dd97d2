// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Queries of memory objects and the use of memory as a kernel argument.
#include "memory/info.hpp"

#include <cstring>

#include "allocator/facts.hpp"
#include "cl/info.hpp"
#include "memory/object.hpp"

namespace clpool::core {
namespace {

/// Properties that came after OpenCL 1.0, so that a driver that does not know them is too old.
struct Newer {
  cl_uint name;
  cl::Version version;
};
constexpr Newer newer_properties[] = {
    {CL_MEM_ASSOCIATED_MEMOBJECT, {1, 1}}, {CL_MEM_OFFSET, {1, 1}},        {CL_MEM_USES_SVM_POINTER, {2, 0}},
    {CL_MEM_PROPERTIES, {3, 0}},           {CL_IMAGE_ARRAY_SIZE, {1, 2}},  {CL_IMAGE_BUFFER, {1, 2}},
    {CL_IMAGE_NUM_MIP_LEVELS, {1, 2}},     {CL_IMAGE_NUM_SAMPLES, {1, 2}}, {CL_PIPE_PACKET_SIZE, {2, 0}},
    {CL_PIPE_MAX_PACKETS, {2, 0}},         {CL_PIPE_PROPERTIES, {3, 0}},
};

/// The newest version that a device of the object's context has.
Status read_version(cl_mem handle, cl::Version& version) {
  cl_context context = nullptr;
  CLPOOL_TRY(cl::query(handle, CL_MEM_CONTEXT, context));
  ContextFacts facts;
  CLPOOL_TRY(read_context_facts(context, facts));
  version = facts.newest;
  return Status::success;
}

Status refuse_room(std::size_t needed, std::size_t room) noexcept {
  return fail(Status::invalid_value, "the value has %zu bytes, there is room for %zu", needed, room);
}

/// Asks `query`, one of clGet…Info, and explains a refusal.
template <typename Query>
Status ask(Query query, const char* routine, cl_mem handle, cl_uint name, const Answer& answer) {
  const cl_int code = query(handle, name, answer.size, answer.value, answer.needed);
  if (code == CL_SUCCESS) {
    return Status::success;
  }
  std::size_t needed = 0;
  if (answer.value != nullptr && query(handle, name, 0, nullptr, &needed) == CL_SUCCESS &&
      needed > answer.size) {
    if (answer.needed != nullptr) {
      *answer.needed = needed;
    }
    return refuse_room(needed, answer.size);
  }
  for (const Newer& property : newer_properties) {
    cl::Version version;
    if (property.name == name && read_version(handle, version) == Status::success &&
        version < property.version) {
      return fail(Status::not_supported, "%s: property 0x%X needs OpenCL %d.%d, the devices have %d.%d",
                  routine, name, property.version.major, property.version.minor, version.major,
                  version.minor);
    }
  }
  return fail_cl(code, routine, "property 0x%X", name);
}

template <typename T>
Status answer_with(const T& value, const Answer& answer) noexcept {
  if (answer.needed != nullptr) {
    *answer.needed = sizeof value;
  }
  if (answer.value == nullptr) {
    return Status::success;
  }
  if (answer.size < sizeof value) {
    return refuse_room(sizeof value, answer.size);
  }
  std::memcpy(answer.value, &value, sizeof value);
  return Status::success;
}

Status info_without_handle(const Mem& mem, cl_mem_info name, const Answer& answer) noexcept {
  switch (name) {
    case CL_MEM_SIZE:
      return answer_with(mem.size, answer);
    case CL_MEM_CONTEXT:
      return answer_with(mem.owner->context_of(mem), answer);
    case CL_MEM_HOST_PTR:
      return answer_with(mem.pointer, answer);
    case CL_MEM_OFFSET:
      return answer_with(
          mem.kind == MemKind::sub_region ? static_cast<const ObjectMem&>(mem).origin : std::size_t{0},
          answer);
    default:
      return fail(Status::invalid_operation, "%s has no cl_mem that knows property 0x%X",
                  kind_name(nature_of(mem)), name);
  }
}

}  // namespace

Status mem_info(const Mem& mem, cl_mem_info name, const Answer& answer) {
  CLPOOL_TRY(require_live(mem));
  if (mem.handle == nullptr) {
    return info_without_handle(mem, name, answer);
  }
  if (name == CL_MEM_SIZE) {  // a pooled block's object may be larger
    return answer_with(mem.size, answer);
  }
  return ask(clGetMemObjectInfo, "clGetMemObjectInfo", mem.handle, name, answer);
}

Status image_info(const Mem& mem, cl_image_info name, const Answer& answer) {
  CLPOOL_TRY(require_image(mem));
  return ask(clGetImageInfo, "clGetImageInfo", mem.handle, name, answer);
}

Status pipe_info(const Mem& mem, cl_uint name, const Answer& answer) {
  CLPOOL_TRY(require_live(mem));
  if (mem.kind != MemKind::pipe) {
    return fail(Status::invalid_operation, "a pipe is needed, this is %s", kind_name(nature_of(mem)));
  }
  return ask(clGetPipeInfo, "clGetPipeInfo", mem.handle, name, answer);
}

Status info_number(const Mem& mem, cl_uint name, std::uint64_t& value) {
  if (name == CL_IMAGE_FORMAT) {
    return fail(Status::invalid_value,
                "property 0x%X, CL_IMAGE_FORMAT, is two numbers; ask for it as an image", name);
  }
  unsigned char bytes[8] = {};
  std::size_t size = 0;
  const Answer answer{sizeof bytes, bytes, &size};
  // The three families have ranges of their own: 0x110x, 0x111x, 0x112x.
  switch (name & 0xFFF0u) {
    case 0x1110u:
      CLPOOL_TRY(image_info(mem, name, answer));
      break;
    case 0x1120u:
      CLPOOL_TRY(pipe_info(mem, name, answer));
      break;
    default:
      CLPOOL_TRY(mem_info(mem, name, answer));
  }
  if (size == sizeof(cl_uint)) {
    cl_uint number = 0;
    std::memcpy(&number, bytes, sizeof number);
    value = number;
    return Status::success;
  }
  if (size != sizeof value) {
    return fail(Status::invalid_value, "property 0x%X has %zu bytes and is not one number", name, size);
  }
  std::memcpy(&value, bytes, sizeof value);
  return Status::success;
}

Status host_memory(const Mem& mem, void*& pointer, std::size_t& size) {
  CLPOOL_TRY(require_live(mem));
  CLPOOL_TRY(require_handle(mem));
  std::uint64_t flags = 0;
  CLPOOL_TRY(info_number(mem, CL_MEM_FLAGS, flags));
  if ((flags & CL_MEM_USE_HOST_PTR) == 0) {
    return fail(Status::invalid_operation,
                "only memory made with CL_MEM_USE_HOST_PTR lies in host memory, the flags are 0x%llX",
                static_cast<unsigned long long>(flags));
  }
  CLPOOL_TRY(mem_info(mem, CL_MEM_HOST_PTR, {sizeof pointer, &pointer, nullptr}));
  size = mem.size;
  return Status::success;
}

bool same_memory(const Mem& a, const Mem& b) noexcept {
  if (a.state != MemState::live || b.state != MemState::live) {
    return false;
  }
  return a.handle == b.handle && (a.handle != nullptr || a.pointer == b.pointer);
}

Status set_kernel_argument(const Mem& mem, cl_kernel kernel, cl_uint index) {
  CLPOOL_TRY(require_live(mem));
  if (mem.handle != nullptr) {
    const cl_int code = clSetKernelArg(kernel, index, sizeof(cl_mem), &mem.handle);
    return code == CL_SUCCESS ? Status::success
                              : fail_cl(code, "clSetKernelArg", "memory as argument %u", index);
  }
  if (nature_of(mem) != MemKind::svm) {
    return fail(Status::invalid_operation, "%s cannot be argument %u of a kernel", kind_name(nature_of(mem)),
                index);
  }
  const cl_int code = clSetKernelArgSVMPointer(kernel, index, mem.pointer);
  return code == CL_SUCCESS
             ? Status::success
             : fail_cl(code, "clSetKernelArgSVMPointer", "SVM at %p as argument %u", mem.pointer, index);
}

}  // namespace clpool::core
