// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clSVMAlloc and the two ways to free.
#include "allocator/svm.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "allocator/facts.hpp"
#include "cl/info.hpp"
#include "cl/svm.hpp"

namespace clpool::core {
namespace {

/// The largest basic type, long16 (OpenCL 3.0, clSVMAlloc): what alignment 0 gives on a full profile.
constexpr cl_uint basic_alignment = 128;

class SvmAllocator final : public Allocator {
 public:
  SvmAllocator(const AllocatorTraits& traits, cl::Context context, cl::Queue queue, cl_svm_mem_flags flags,
               cl_uint alignment)
      : Allocator(traits),
        context_(std::move(context)),
        queue_(std::move(queue)),
        flags_(flags),
        alignment_(alignment) {}

  Status allocate(std::uint64_t size, std::uint64_t alignment, Chunk& chunk) noexcept override {
    CLPOOL_TRY(check_request(size, alignment, traits_));
    if (size > traits_.max_chunk_bytes) {
      // clSVMAlloc has no codes; this is the one that a buffer of that size gives.
      return fail_cl(CL_INVALID_BUFFER_SIZE, "clSVMAlloc", "%llu bytes, the device allows %llu",
                     static_cast<unsigned long long>(size),
                     static_cast<unsigned long long>(traits_.max_chunk_bytes));
    }
    void* const pointer = clSVMAlloc(context_.get(), flags_, static_cast<std::size_t>(size), alignment_);
    if (pointer == nullptr) {
      return fail_cl(CL_MEM_OBJECT_ALLOCATION_FAILURE, "clSVMAlloc",
                     "%llu bytes with flags 0x%llX and alignment %u", static_cast<unsigned long long>(size),
                     static_cast<unsigned long long>(flags_), alignment_);
    }
    chunk = Chunk{reinterpret_cast<std::uintptr_t>(pointer), size, nullptr};
    return Status::success;
  }

  void deallocate(const Chunk& chunk) noexcept override {
    if (!queue_) {
      clSVMFree(context_.get(), pointer_of(chunk));
      return;
    }
    cl::Order order;
    order.queue = queue_.get();
    if (deallocate_on(chunk, order) != Status::success && wait_to_free(chunk, order)) {
      clSVMFree(context_.get(), pointer_of(chunk));
    }
  }

  Status deallocate_on(const Chunk& chunk, const cl::Order& order) noexcept override {
    void* pointer = pointer_of(chunk);
    const cl_int code = clEnqueueSVMFree(order.queue, 1, &pointer, nullptr, nullptr, order.wait_count,
                                         order.waits, order.event);
    if (code != CL_SUCCESS) {
      return fail_cl(code, "clEnqueueSVMFree", "%p", pointer);
    }
    flush_behind("clEnqueueSVMFree", order.queue);
    return Status::success;
  }

 private:
  static void* pointer_of(const Chunk& chunk) noexcept {
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(chunk.value));
  }

  cl::Context context_;
  cl::Queue queue_;
  cl_svm_mem_flags flags_;
  cl_uint alignment_;
};

Status check_svm_flags(cl_svm_mem_flags flags, cl_uint alignment) noexcept {
  CLPOOL_TRY(check_allocator_flags(flags));
  if ((flags & CL_MEM_SVM_ATOMICS) != 0 && (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) == 0) {
    return fail(Status::invalid_value,
                "flags are 0x%llX; CL_MEM_SVM_ATOMICS is valid only with CL_MEM_SVM_FINE_GRAIN_BUFFER",
                static_cast<unsigned long long>(flags));
  }
  if (alignment != 0 && !std::has_single_bit(alignment)) {
    return fail(Status::invalid_value, "alignment is %u, it must be a power of two", alignment);
  }
  return Status::success;
}

/// What a device allows above the basic alignment, and beside the flags that clSVMAlloc names, cannot be asked,
/// only tried; a refusal must not be taken for out of memory later.
Status probe(cl_context context, cl_svm_mem_flags flags, cl_uint alignment) noexcept {
  constexpr cl_svm_mem_flags usual_flags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY |
                                           CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;
  const bool is_unusual = (flags & ~usual_flags) != 0;
  if (alignment <= basic_alignment && !is_unusual) {
    return Status::success;
  }
  void* const pointer = clSVMAlloc(context, flags, std::max(alignment, basic_alignment), alignment);
  if (pointer == nullptr && is_unusual) {
    return fail(Status::invalid_value,
                "flags are 0x%llX, which the driver refuses; those of 0x%llX are usual",
                static_cast<unsigned long long>(flags), static_cast<unsigned long long>(usual_flags));
  }
  if (pointer == nullptr) {
    return fail(Status::invalid_value, "alignment is %u, the device allows less; %u is allowed everywhere",
                alignment, basic_alignment);
  }
  clSVMFree(context, pointer);
  return Status::success;
}

}  // namespace

Status make_svm_allocator(cl_context context, cl_svm_mem_flags flags, cl_uint alignment,
                          cl_command_queue queue_or_null, Reference<Allocator>& result) {
  CLPOOL_TRY(check_svm_flags(flags, alignment));
  ContextFacts facts;
  CLPOOL_TRY(read_context_facts(context, facts));
  cl::Context retained;
  CLPOOL_TRY(cl::Context::share(context, retained));
  cl::Queue queue;
  std::vector<cl_device_id> devices = facts.devices;  // where it is used
  if (queue_or_null != nullptr) {
    QueueFacts queue_facts;
    CLPOOL_TRY(read_queue_facts(queue_or_null, queue_facts));
    if (queue_facts.context.get() != context) {
      return fail(Status::invalid_value, "the queue belongs to context %p, not to %p",
                  static_cast<void*>(queue_facts.context.get()), static_cast<void*>(context));
    }
    bool out_of_order = false;
    CLPOOL_TRY(cl::is_out_of_order(queue_or_null, out_of_order));
    if (out_of_order) {
      return fail(Status::invalid_value,
                  "the queue of an SVM allocator must be in order: it frees behind the commands before");
    }
    devices = {queue_facts.device};
    queue = std::move(queue_facts.queue);
  }
  const cl_svm_mem_flags access = flags == 0 ? CL_MEM_READ_WRITE : flags;
  CLPOOL_TRY(cl::require_svm(devices, cl::svm_capabilities_for(access), "shared virtual memory"));
  CLPOOL_TRY(probe(context, access, alignment));
  AllocatorTraits traits;
  traits.kind = MemKind::svm;
  traits.host_writes = (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) != 0;
  traits.granularity = std::max(alignment, basic_alignment);
  traits.max_chunk_bytes = facts.max_alloc_bytes;
  traits.context = context;
  traits.sources.assign(facts.devices.begin(), facts.devices.end());
  traits.queue = queue_or_null;
  const cl_uint driver_alignment = alignment == 0 ? 0 : std::max(alignment, basic_alignment);
  result = Reference<Allocator>::adopt(
      new SvmAllocator(traits, std::move(retained), std::move(queue), access, driver_alignment));
  return Status::success;
}

}  // namespace clpool::core
