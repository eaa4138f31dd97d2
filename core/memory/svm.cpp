// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Direct SVM by way of an allocator of its own, foreign SVM, views.
#include "memory/svm.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "allocator/direct.hpp"
#include "allocator/facts.hpp"
#include "allocator/svm.hpp"
#include "cl/svm.hpp"
#include "memory/object.hpp"
#include "memory/range.hpp"

namespace clpool::core {

Status create_svm(cl_context context, cl_svm_mem_flags flags, std::size_t size, cl_uint alignment,
                  cl_command_queue queue_or_null, Mem*& result) {
  if ((flags & host_memory_flags) != 0) {
    return fail(Status::invalid_value,
                "flags are 0x%llX; SVM takes neither CL_MEM_USE_HOST_PTR nor CL_MEM_COPY_HOST_PTR",
                static_cast<unsigned long long>(flags));
  }
  Reference<Allocator> allocator;
  CLPOOL_TRY(make_svm_allocator(context, flags, alignment, queue_or_null, allocator));
  return allocate_direct(*allocator, size, result);
}

Status wrap_svm(cl_context context, void* pointer, std::size_t size, bool system, Mem*& result) {
  if (size == 0) {
    return fail(Status::invalid_value, "size is 0; SVM of unknown size has CLPOOL_WHOLE_SIZE");
  }
  ContextFacts facts;
  CLPOOL_TRY(read_context_facts(context, facts));
  CLPOOL_TRY(cl::require_svm(facts.devices,
                             system ? CL_DEVICE_SVM_FINE_GRAIN_SYSTEM : CL_DEVICE_SVM_COARSE_GRAIN_BUFFER,
                             system ? "ordinary host memory as SVM" : "shared virtual memory"));
  ObjectParts parts;
  parts.kind = MemKind::svm;
  parts.pointer = pointer;
  parts.size = size;
  parts.context = context;
  parts.of_any_context = system;
  return make_object(std::move(parts), result);
}

Status view_svm_as_buffer(Mem& svm, cl_mem_flags flags, std::size_t size, Mem*& result) {
  CLPOOL_TRY(require_live(svm));
  if (nature_of(svm) != MemKind::svm) {
    return fail(Status::invalid_operation, "a view as a buffer needs SVM, this is %s",
                kind_name(nature_of(svm)));
  }
  CLPOOL_TRY(resolve_size(size, side_of("the SVM", svm, 0)));
  if (size == 0) {
    return fail(Status::invalid_value, "a view of 0 bytes was asked for, the least is 1");
  }
  constexpr cl_mem_flags elsewhere = CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
  if ((flags & elsewhere) != 0) {
    return fail(Status::invalid_value,
                "flags of the view are 0x%llX, of which 0x%llX exclude that it is the SVM",
                static_cast<unsigned long long>(flags), static_cast<unsigned long long>(flags & elsewhere));
  }
  CLPOOL_TRY(check_access_flags(flags));
  ObjectParts parts;
  parts.context = svm.owner->context_of(svm);
  parts.size = size;
  parts.parent = &svm;
  const cl_mem_flags access = (flags == 0 ? CL_MEM_READ_WRITE : flags) | CL_MEM_USE_HOST_PTR;
  cl_int code = CL_SUCCESS;
  parts.handle = cl::Memory::adopt(clCreateBuffer(parts.context, access, size, svm.pointer, &code));
  if (code != CL_SUCCESS) {
    return fail_cl(code, "clCreateBuffer", "a view of %zu bytes of SVM at %p with flags 0x%llX", size,
                   svm.pointer, static_cast<unsigned long long>(access));
  }
  return make_object(std::move(parts), result);
}

cl_uint svm_alignment_for(std::size_t item_size) noexcept {
  constexpr std::size_t most = 128;
  return static_cast<cl_uint>(std::bit_ceil(std::clamp<std::size_t>(item_size, 1, most)));
}

}  // namespace clpool::core
