// Descriptors of direct memory and their way back.
#include "allocator/direct.hpp"

#include <utility>

#include "allocator/facts.hpp"
#include "memory/recycler.hpp"

namespace clpool {
namespace {

struct DirectMem : Mem {
  Allocator* allocator = nullptr;  ///< holds a reference while live
  Chunk chunk;
};

constinit Recycler<DirectMem> recycler;

class DirectOwner final : public MemOwner {
 public:
  constexpr DirectOwner() = default;

  Status take_back(Mem& mem) noexcept override {
    auto& direct = static_cast<DirectMem&>(mem);
    const auto allocator = Reference<Allocator>::adopt(std::exchange(direct.allocator, nullptr));
    const Chunk chunk = std::exchange(direct.chunk, {});
    clear_mem(mem);
    recycler.give_back(direct);
    allocator->deallocate(chunk);
    return Status::success;
  }

  cl_context context_of(const Mem& mem) const noexcept override {
    return static_cast<const DirectMem&>(mem).allocator->traits().context;
  }

  Status root_of(const Mem& mem, cl_mem& root, std::size_t& offset) const noexcept override {
    root = mem.handle;
    offset = 0;
    return require_handle(mem);
  }
};

constinit DirectOwner owner;

/// The driver alone knows whether it takes more than the device says; its refusal is the caller's mistake.
Status explain(Status status, const AllocatorTraits& traits, std::size_t size) noexcept {
  const bool too_large =
      (status == Status::opencl && last_cl_error() == CL_INVALID_BUFFER_SIZE) ||
      (status == Status::out_of_memory && traits.max_chunk_bytes != 0 && size > traits.max_chunk_bytes);
  return too_large
             ? fail(Status::invalid_value, "%zu bytes asked for, the device's largest allocation is %llu",
                    size, static_cast<unsigned long long>(traits.max_chunk_bytes))
             : status;
}

}  // namespace

Status allocate_direct(Allocator& allocator, std::size_t size, Mem*& result) {
  result = nullptr;
  if (size == 0) {
    return Status::success;
  }
  DirectMem& mem = recycler.take();
  const AllocatorTraits& traits = allocator.traits();
  if (const Status status = allocator.allocate(size, traits.granularity, mem.chunk);
      status != Status::success) {
    recycler.give_back(mem);
    return explain(status, traits, size);
  }
  allocator.retain();
  mem.allocator = &allocator;
  mem.owner = &owner;
  mem.size = size;
  mem.capacity = size;
  mem.kind = traits.kind;
  if (traits.kind == MemKind::buffer) {
    mem.handle = buffer_of(mem.chunk);
  } else {
    mem.pointer = reinterpret_cast<void*>(static_cast<std::uintptr_t>(mem.chunk.value));
  }
  mem.references.store(1, std::memory_order_relaxed);
  mem.state = MemState::live;
  result = &mem;
  return Status::success;
}

}  // namespace clpool
