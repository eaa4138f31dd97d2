// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clCreateBuffer and clReleaseMemObject, nothing more.
#include "allocator/deferred.hpp"

#include <utility>

#include "allocator/facts.hpp"

namespace clpool::core {
namespace {

class DeferredAllocator final : public Allocator {
 public:
  DeferredAllocator(const AllocatorTraits& traits, cl::Context context, cl_mem_flags flags,
                    std::uint64_t global_bytes)
      : Allocator(traits), context_(std::move(context)), flags_(flags), global_bytes_(global_bytes) {}

  Status allocate(std::uint64_t size, std::uint64_t alignment, Chunk& chunk) noexcept override {
    CLPOOL_TRY(check_request(size, alignment, traits_));
    cl::Memory buffer;
    CLPOOL_TRY(create_buffer(context_.get(), flags_, size, global_bytes_, buffer));
    chunk = chunk_of(std::move(buffer), size);
    return Status::success;
  }

  void deallocate(const Chunk& chunk) noexcept override { cl::Memory::adopt(buffer_of(chunk)); }

 private:
  cl::Context context_;
  cl_mem_flags flags_;
  std::uint64_t global_bytes_;
};

}  // namespace

Status make_deferred_allocator(cl_context context, cl_mem_flags flags, Reference<Allocator>& result) {
  CLPOOL_TRY(check_allocator_flags(flags));
  ContextFacts facts;
  CLPOOL_TRY(read_context_facts(context, facts));
  cl::Context retained;
  CLPOOL_TRY(cl::Context::share(context, retained));
  AllocatorTraits traits;
  traits.kind = MemKind::buffer;
  traits.deferred = true;
  traits.granularity = facts.base_alignment;
  traits.max_chunk_bytes = facts.max_alloc_bytes;
  traits.context = context;
  traits.sources.assign(facts.devices.begin(), facts.devices.end());
  traits.made_behind_queue = facts.devices.size() > 1;  // where a pool touches it
  const cl_mem_flags access = flags == 0 ? CL_MEM_READ_WRITE : flags;
  result = Reference<Allocator>::adopt(
      new DeferredAllocator(traits, std::move(retained), access, facts.global_bytes));
  return Status::success;
}

}  // namespace clpool::core
