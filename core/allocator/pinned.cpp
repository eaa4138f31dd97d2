// CL_MEM_ALLOC_HOST_PTR and a lasting map: OpenCL's portable way to page-locked memory.
#include "allocator/pinned.hpp"

#include <algorithm>
#include <utility>

#include "allocator/facts.hpp"
#include "base/message.hpp"

namespace clpool {
namespace {

constexpr std::uint64_t least_granularity = 128;  ///< bytes: parts of a chunk share no cache line pair

class PinnedAllocator final : public Allocator {
 public:
  PinnedAllocator(const AllocatorTraits& traits, QueueFacts facts, cl_mem_flags flags)
      : Allocator(traits), facts_(std::move(facts)), flags_(flags) {}

  Status allocate(std::uint64_t size, std::uint64_t alignment, Chunk& chunk) noexcept override {
    CLPOOL_TRY(check_request(size, alignment, traits_));
    cl::Memory buffer;
    CLPOOL_TRY(create_buffer(facts_.context.get(), flags_, size, buffer));
    cl_int code = CL_SUCCESS;
    void* const pointer =
        clEnqueueMapBuffer(facts_.queue.get(), buffer.get(), CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                           static_cast<std::size_t>(size), 0, nullptr, nullptr, &code);
    if (code != CL_SUCCESS) {
      return fail_cl(code, "clEnqueueMapBuffer", "%llu bytes of page-locked memory",
                     static_cast<unsigned long long>(size));
    }
    chunk = Chunk{reinterpret_cast<std::uintptr_t>(pointer), size, buffer.detach()};
    return Status::success;
  }

  void deallocate(const Chunk& chunk) noexcept override {
    const cl::Memory buffer = cl::Memory::adopt(chunk.backing);
    void* const pointer = reinterpret_cast<void*>(static_cast<std::uintptr_t>(chunk.value));
    cl_int code = clEnqueueUnmapMemObject(facts_.queue.get(), buffer.get(), pointer, 0, nullptr, nullptr);
    if (code == CL_SUCCESS) {
      code = clFlush(facts_.queue.get());
    }
    if (code != CL_SUCCESS) {
      send_message({}, Severity::error, "clEnqueueUnmapMemObject of %llu bytes at %p failed: %s (%d)",
                   static_cast<unsigned long long>(chunk.size), pointer, cl_error_name(code), code);
    }
  }

 private:
  QueueFacts facts_;
  cl_mem_flags flags_;
};

}  // namespace

Status make_pinned_allocator(cl_command_queue queue, cl_mem_flags flags, Reference<Allocator>& result) {
  CLPOOL_TRY(check_allocator_flags(flags));
  QueueFacts facts;
  CLPOOL_TRY(read_queue_facts(queue, facts));
  ContextFacts context_facts;
  CLPOOL_TRY(read_context_facts(facts.context.get(), context_facts));
  AllocatorTraits traits;
  traits.kind = MemKind::pinned;
  traits.granularity = std::max(least_granularity, context_facts.base_alignment);
  traits.max_chunk_bytes = context_facts.max_alloc_bytes;
  traits.context = facts.context.get();
  traits.queue = queue;
  const cl_mem_flags access = (flags == 0 ? CL_MEM_READ_WRITE : flags) | CL_MEM_ALLOC_HOST_PTR;
  result = Reference<Allocator>::adopt(new PinnedAllocator(traits, std::move(facts), access));
  return Status::success;
}

}  // namespace clpool
