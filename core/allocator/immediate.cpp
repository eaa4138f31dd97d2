// Forcing by a touch, which costs no transfer, or by a small write before OpenCL 1.2.
#include "allocator/immediate.hpp"

#include <algorithm>
#include <utility>

#include "allocator/facts.hpp"
#include "cl/info.hpp"
#include "cl/marker.hpp"
#include "cl/sub_buffer.hpp"

namespace clpool::core {
namespace {

class ImmediateAllocator final : public Allocator {
 public:
  ImmediateAllocator(const AllocatorTraits& traits, QueueFacts facts, cl_mem_flags flags,
                     std::uint64_t global_bytes, bool can_touch, bool out_of_order)
      : Allocator(traits),
        facts_(std::move(facts)),
        flags_(flags),
        global_bytes_(global_bytes),
        can_touch_(can_touch),
        out_of_order_(out_of_order) {}

  Status allocate(std::uint64_t size, std::uint64_t alignment, Chunk& chunk) noexcept override {
    CLPOOL_TRY(check_request(size, alignment, traits_));
    cl::Memory buffer;  // released again when forcing fails
    CLPOOL_TRY(create_buffer(facts_.context.get(), flags_, size, global_bytes_, buffer));
    CLPOOL_TRY(force(buffer.get(), size));
    chunk = chunk_of(std::move(buffer), size);
    return Status::success;
  }

  void deallocate(const Chunk& chunk) noexcept override { cl::Memory::adopt(buffer_of(chunk)); }

 private:
  Status force(cl_mem buffer, std::uint64_t size) noexcept {
    if (can_touch_) {
      cl::Event resident;
      CLPOOL_TRY(cl::touch(facts_.queue.get(), buffer, out_of_order_ ? resident.receive() : nullptr));
      if (!out_of_order_) {
        return Status::success;
      }
      // What comes after it might run before it, and lose what it wrote.
      return cl::come_after(resident.get(), facts_.queue.get());
    }
    const cl_uint zero = 0;  // the write blocks: it must not outlive this variable
    const std::size_t bytes = static_cast<std::size_t>(std::min<std::uint64_t>(size, sizeof zero));
    const cl_int code =
        clEnqueueWriteBuffer(facts_.queue.get(), buffer, CL_TRUE, 0, bytes, &zero, 0, nullptr, nullptr);
    return code == CL_SUCCESS ? Status::success
                              : fail_cl(code, "clEnqueueWriteBuffer", "%llu bytes cannot be made resident",
                                        static_cast<unsigned long long>(size));
  }

  QueueFacts facts_;
  cl_mem_flags flags_;
  std::uint64_t global_bytes_;
  bool can_touch_;
  bool out_of_order_;
};

}  // namespace

Status make_immediate_allocator(cl_command_queue queue, cl_mem_flags flags, Reference<Allocator>& result) {
  CLPOOL_TRY(check_allocator_flags(flags));
  QueueFacts facts;
  CLPOOL_TRY(read_queue_facts(queue, facts));
  ContextFacts context_facts;
  CLPOOL_TRY(read_context_facts(facts.context.get(), context_facts));
  cl::Version version;
  CLPOOL_TRY(cl::device_version(facts.device, version));
  AllocatorTraits traits;
  traits.kind = MemKind::buffer;
  traits.granularity = context_facts.base_alignment;
  traits.max_chunk_bytes = context_facts.max_alloc_bytes;
  traits.context = facts.context.get();
  traits.queue = queue;
  const cl_mem_flags access = flags == 0 ? CL_MEM_READ_WRITE : flags;
  bool out_of_order = false;
  CLPOOL_TRY(cl::is_out_of_order(queue, out_of_order));
  result = Reference<Allocator>::adopt(new ImmediateAllocator(traits, std::move(facts), access,
                                                              context_facts.global_bytes,
                                                              version >= cl::Version{1, 2}, out_of_order));
  return Status::success;
}

}  // namespace clpool::core
