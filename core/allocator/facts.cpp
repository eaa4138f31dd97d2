// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Context limits, request checks, and the one place where allocators create buffers.
#include "allocator/facts.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/message.hpp"
#include "cl/marker.hpp"

namespace clpool::core {

Status read_context_facts(cl_context context, ContextFacts& facts) {
  CLPOOL_TRY(cl::query_list(context, CL_CONTEXT_DEVICES, facts.devices));
  facts.max_alloc_bytes = std::numeric_limits<std::uint64_t>::max();
  for (cl_device_id device : facts.devices) {
    cl_uint alignment_bits = 0;
    CLPOOL_TRY(cl::query(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, alignment_bits));
    cl_ulong max_alloc = 0;
    CLPOOL_TRY(cl::query(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, max_alloc));
    cl_ulong global_bytes = 0;
    CLPOOL_TRY(cl::query(device, CL_DEVICE_GLOBAL_MEM_SIZE, global_bytes));
    facts.global_bytes = std::max<std::uint64_t>(facts.global_bytes, global_bytes);
    cl::Version version;
    CLPOOL_TRY(cl::device_version(device, version));
    if (version < cl::Version{1, 1}) {
      return fail(Status::not_supported, "memory needs OpenCL 1.1, a device of the context has %d.%d",
                  version.major, version.minor);
    }
    facts.newest = std::max(facts.newest, version);
    facts.base_alignment = std::max<std::uint64_t>(facts.base_alignment, alignment_bits / 8);
    facts.max_alloc_bytes = std::min<std::uint64_t>(facts.max_alloc_bytes, max_alloc);
  }
  return Status::success;
}

Status read_queue_facts(cl_command_queue queue, QueueFacts& facts) {
  cl_context context = nullptr;
  CLPOOL_TRY(cl::query(queue, CL_QUEUE_CONTEXT, context));
  CLPOOL_TRY(cl::query(queue, CL_QUEUE_DEVICE, facts.device));
  CLPOOL_TRY(cl::Context::share(context, facts.context));
  return cl::Queue::share(queue, facts.queue);
}

Status check_allocator_flags(cl_mem_flags flags) noexcept {
  if ((flags & host_memory_flags) != 0) {
    return fail(Status::invalid_value,
                "flags are 0x%llX; an allocator takes neither CL_MEM_USE_HOST_PTR nor CL_MEM_COPY_HOST_PTR",
                static_cast<unsigned long long>(flags));
  }
  return check_access_flags(flags);
}

Status check_host_memory_flags(cl_mem_flags flags, const void* host) noexcept {
  if (((flags & host_memory_flags) != 0) == (host != nullptr)) {
    return Status::success;
  }
  return fail(Status::invalid_value,
              "host memory is %s but flags are 0x%llX: host memory goes with CL_MEM_USE_HOST_PTR or "
              "CL_MEM_COPY_HOST_PTR",
              host == nullptr ? "NULL" : "given", static_cast<unsigned long long>(flags));
}

Status check_access_flags(cl_mem_flags flags) noexcept {
  const cl_mem_flags access = flags & access_flags;
  if ((access & (access - 1)) != 0) {
    return fail(
        Status::invalid_value,
        "flags are 0x%llX; of CL_MEM_READ_WRITE, CL_MEM_WRITE_ONLY and CL_MEM_READ_ONLY only one is valid",
        static_cast<unsigned long long>(flags));
  }
  const cl_mem_flags host = flags & host_access_flags;
  if ((host & (host - 1)) != 0) {
    return fail(Status::invalid_value,
                "flags are 0x%llX; of CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY and "
                "CL_MEM_HOST_NO_ACCESS only one is valid",
                static_cast<unsigned long long>(flags));
  }
  return Status::success;
}

Status check_request(std::uint64_t size, std::uint64_t alignment, const AllocatorTraits& traits) noexcept {
  if (size == 0) {
    return fail(Status::invalid_value, "a chunk of 0 bytes was asked for, the least is 1");
  }
  if (size > std::numeric_limits<std::size_t>::max()) {
    return fail(Status::invalid_value, "%llu bytes were asked for, the address space ends at %zu",
                static_cast<unsigned long long>(size), std::numeric_limits<std::size_t>::max());
  }
  if (alignment > traits.granularity) {
    return fail(Status::invalid_value, "an alignment of %llu bytes was asked for, the allocator has %llu",
                static_cast<unsigned long long>(alignment),
                static_cast<unsigned long long>(traits.granularity));
  }
  return Status::success;
}

Status create_buffer(cl_context context, cl_mem_flags flags, std::uint64_t size, std::uint64_t global_bytes,
                     cl::Memory& buffer) noexcept {
  if (size > global_bytes) {
    return fail_cl(CL_INVALID_BUFFER_SIZE, "clCreateBuffer", "%llu bytes, the device's whole memory has %llu",
                   static_cast<unsigned long long>(size), static_cast<unsigned long long>(global_bytes));
  }
  cl_int code = CL_SUCCESS;
  const cl_mem handle = clCreateBuffer(context, flags, static_cast<std::size_t>(size), nullptr, &code);
  if (code != CL_SUCCESS) {
    return fail_cl(code, "clCreateBuffer", "%llu bytes with flags 0x%llX",
                   static_cast<unsigned long long>(size), static_cast<unsigned long long>(flags));
  }
  buffer = cl::Memory::adopt(handle);
  return Status::success;
}

bool wait_to_free(const Chunk& chunk, const cl::Order& order) noexcept {
  const cl_int waited = order.wait_count != 0 ? clWaitForEvents(order.wait_count, order.waits) : CL_SUCCESS;
  const bool have_ended = waited == CL_SUCCESS || waited == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  if (have_ended && (order.queue == nullptr || cl::finish(order.queue) == Status::success)) {
    return true;
  }
  send_message({}, Severity::error, "%llu bytes of memory at %p stay allocated: %s",
               static_cast<unsigned long long>(chunk.size),
               reinterpret_cast<void*>(static_cast<std::uintptr_t>(chunk.value)), last_error_message());
  return false;
}

void flush_behind(const char* command, cl_command_queue queue) noexcept {
  if (const cl_int code = clFlush(queue); code != CL_SUCCESS) {
    send_message({}, Severity::error, "clFlush after %s failed: %s (%d)", command, cl_error_name(code), code);
  }
}

Chunk chunk_of(cl::Memory&& buffer, std::uint64_t size) noexcept {
  Chunk chunk;
  chunk.value = reinterpret_cast<std::uintptr_t>(buffer.detach());
  chunk.size = size;
  return chunk;
}

}  // namespace clpool::core
