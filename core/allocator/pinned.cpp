// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// CL_MEM_ALLOC_HOST_PTR and a lasting map: OpenCL's portable way to page-locked memory.
#include "allocator/pinned.hpp"

#include <algorithm>
#include <utility>

#include "allocator/facts.hpp"
#include "base/message.hpp"

namespace clpool::core {
namespace {

constexpr std::uint64_t least_granularity = 128;  ///< bytes: parts of a chunk share no cache line pair

class PinnedAllocator final : public Allocator {
 public:
  PinnedAllocator(const AllocatorTraits& traits, QueueFacts facts, cl_mem_flags flags,
                  std::uint64_t global_bytes)
      : Allocator(traits), facts_(std::move(facts)), flags_(flags), global_bytes_(global_bytes) {}

  Status allocate(std::uint64_t size, std::uint64_t alignment, Chunk& chunk) noexcept override {
    CLPOOL_TRY(check_request(size, alignment, traits_));
    cl::Memory buffer;
    void* pointer = nullptr;
    CLPOOL_TRY(make_mapped(size, 0, buffer, pointer));
    if (const std::uint64_t excess = excess_of(pointer); excess != 0) {
      // OpenCL promises no alignment of maps. A larger buffer is mapped from where its memory is aligned.
      CLPOOL_TRY(unmap(buffer.get(), pointer));
      CLPOOL_TRY(make_aligned(size, buffer, pointer));
    }
    chunk = Chunk{reinterpret_cast<std::uintptr_t>(pointer), size, buffer.detach()};
    return Status::success;
  }

  void deallocate(const Chunk& chunk) noexcept override {
    const cl::Order order{facts_.queue.get()};
    if (deallocate_on(chunk, order) != Status::success) {
      send_message({}, Severity::error, "page-locked memory: %s", last_error_message());
      if (wait_to_free(chunk, order)) {
        cl::Memory::adopt(chunk.backing);
      }
    }
  }

  /// The driver keeps the buffer, and with it the memory, until it is unmapped.
  Status deallocate_on(const Chunk& chunk, const cl::Order& order) noexcept override {
    void* const pointer = reinterpret_cast<void*>(static_cast<std::uintptr_t>(chunk.value));
    CLPOOL_TRY(unmap(chunk.backing, pointer, order.wait_count, order.waits));
    cl::Memory::adopt(chunk.backing);
    return Status::success;
  }

 private:
  std::uint64_t excess_of(const void* pointer) const noexcept {
    return reinterpret_cast<std::uintptr_t>(pointer) % traits_.granularity;
  }

  Status map(cl_mem buffer, std::uint64_t offset, std::uint64_t size, void*& pointer) noexcept {
    cl_int code = CL_SUCCESS;
    pointer = clEnqueueMapBuffer(facts_.queue.get(), buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
                                 static_cast<std::size_t>(offset), static_cast<std::size_t>(size), 0, nullptr,
                                 nullptr, &code);
    return code == CL_SUCCESS ? Status::success
                              : fail_cl(code, "clEnqueueMapBuffer", "%llu bytes of page-locked memory",
                                        static_cast<unsigned long long>(size));
  }

  Status unmap(cl_mem buffer, void* pointer, cl_uint wait_count = 0,
               const cl_event* waits = nullptr) noexcept {
    const cl_int code =
        clEnqueueUnmapMemObject(facts_.queue.get(), buffer, pointer, wait_count, waits, nullptr);
    if (code != CL_SUCCESS) {
      return fail_cl(code, "clEnqueueUnmapMemObject", "mapping at %p", pointer);
    }
    flush_behind("clEnqueueUnmapMemObject", facts_.queue.get());
    return Status::success;
  }

  /// A new buffer of `size` + `spare` bytes, mapped whole.
  Status make_mapped(std::uint64_t size, std::uint64_t spare, cl::Memory& buffer, void*& pointer) noexcept {
    CLPOOL_TRY(create_buffer(facts_.context.get(), flags_, size + spare, global_bytes_, buffer));
    return map(buffer.get(), 0, size + spare, pointer);
  }

  Status make_aligned(std::uint64_t size, cl::Memory& buffer, void*& pointer) noexcept {
    CLPOOL_TRY(make_mapped(size, traits_.granularity, buffer, pointer));
    const std::uint64_t offset = traits_.granularity - excess_of(pointer);
    CLPOOL_TRY(unmap(buffer.get(), pointer));
    CLPOOL_TRY(map(buffer.get(), offset, size, pointer));
    if (excess_of(pointer) != 0) {
      CLPOOL_TRY(unmap(buffer.get(), pointer));
      return fail(Status::not_supported,
                  "the driver maps buffers at addresses such as %p, not at multiples of %llu", pointer,
                  static_cast<unsigned long long>(traits_.granularity));
    }
    return Status::success;
  }

  QueueFacts facts_;
  cl_mem_flags flags_;
  std::uint64_t global_bytes_;
};

}  // namespace

Status make_pinned_allocator(cl_command_queue queue, cl_mem_flags flags, Reference<Allocator>& result) {
  CLPOOL_TRY(check_allocator_flags(flags));
  if ((flags & host_access_flags) != 0) {
    return fail(Status::invalid_value,
                "flags are 0x%llX; page-locked memory is mapped for the host to read and write, and takes no "
                "CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY or CL_MEM_HOST_NO_ACCESS",
                static_cast<unsigned long long>(flags));
  }
  QueueFacts facts;
  CLPOOL_TRY(read_queue_facts(queue, facts));
  ContextFacts context_facts;
  CLPOOL_TRY(read_context_facts(facts.context.get(), context_facts));
  AllocatorTraits traits;
  traits.kind = MemKind::pinned;
  traits.host_writes = true;
  traits.granularity = std::max(least_granularity, context_facts.base_alignment);
  traits.max_chunk_bytes = context_facts.max_alloc_bytes;
  traits.context = facts.context.get();
  traits.sources = {facts.device};
  traits.queue = queue;
  const cl_mem_flags access = (flags == 0 ? CL_MEM_READ_WRITE : flags) | CL_MEM_ALLOC_HOST_PTR;
  result = Reference<Allocator>::adopt(
      new PinnedAllocator(traits, std::move(facts), access, context_facts.global_bytes));
  return Status::success;
}

}  // namespace clpool::core
