// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Forcing, by one of four commands.
#include "allocator/immediate.hpp"

#include <algorithm>
#include <utility>

#include "allocator/facts.hpp"
#include "cl/first_touch.hpp"
#include "cl/info.hpp"
#include "cl/marker.hpp"
#include "cl/own_queue.hpp"
#include "cl/pattern.hpp"
#include "cl/quirks.hpp"
#include "cl/turn.hpp"

namespace clpool::core {
namespace {

class ImmediateAllocator final : public Allocator {
 public:
  ImmediateAllocator(const AllocatorTraits& traits, QueueFacts facts, cl_mem_flags flags,
                     std::uint64_t global_bytes, Touch touch, bool waits, bool out_of_order)
      : Allocator(traits),
        facts_(std::move(facts)),
        flags_(flags),
        global_bytes_(global_bytes),
        touch_(touch),
        waits_(waits),
        out_of_order_(out_of_order),
        first_touch_(facts_.context.get()) {}

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
    cl::Event resident;
    const bool is_elsewhere = traits_.own_queue != nullptr && needs_own_queue();
    // On such a queue, or beside it, what comes after it might run before it, and lose what it wrote.
    const bool must_be_first = (out_of_order_ || is_elsewhere) && traits_.made_behind_queue;
    CLPOOL_TRY(enqueue(buffer, static_cast<std::size_t>(size), is_elsewhere,
                       waits_ || must_be_first ? resident.receive() : nullptr));
    if (must_be_first) {
      CLPOOL_TRY(cl::come_after(resident.get(), facts_.queue.get()));
    }
    const Status status =
        waits_ ? cl::wait_for(resident.get(), "a buffer cannot be made resident") : Status::success;
    const cl::Turn turn(traits_.own_queue != nullptr && resident);
    resident.reset();
    return status;
  }

  bool needs_own_queue() const noexcept {
    traits_.own_queue->threads().note();
    return traits_.own_queue->is_needed();
  }

  Status enqueue(cl_mem buffer, std::size_t size, bool is_elsewhere, cl_event* event) noexcept {
    const cl::Turn turn(traits_.own_queue != nullptr);
    if (!is_elsewhere) {
      return enqueue_on(facts_.queue.get(), buffer, size, event);
    }
    cl_command_queue queue = nullptr;
    CLPOOL_TRY(traits_.own_queue->like(facts_.queue.get(), queue));
    CLPOOL_TRY(enqueue_on(queue, buffer, size, event));
    return cl::flush_and_tell(queue);  // nobody else does
  }

  Status enqueue_on(cl_command_queue queue, cl_mem buffer, std::size_t size, cl_event* event) noexcept {
    static constexpr cl_uint zero = 0;  // it outlives every command
    switch (touch_) {
      case Touch::byte:
        return first_touch_.touch(queue, buffer, event);
      case Touch::whole:
        return told(clEnqueueFillBuffer(queue, buffer, &cl::pattern_byte, sizeof cl::pattern_byte, 0, size, 0,
                                        nullptr, event),
                    "clEnqueueFillBuffer", size);
      case Touch::migrate:
        return told(clEnqueueMigrateMemObjects(queue, 1, &buffer, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0,
                                               nullptr, event),
                    "clEnqueueMigrateMemObjects", size);
      case Touch::write:
        break;
    }
    return told(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, std::min(size, sizeof zero), &zero, 0,
                                     nullptr, event),
                "clEnqueueWriteBuffer", size);
  }

  static Status told(cl_int code, const char* call, std::uint64_t size) noexcept {
    return code == CL_SUCCESS ? Status::success
                              : fail_cl(code, call, "%llu bytes cannot be made resident",
                                        static_cast<unsigned long long>(size));
  }

  QueueFacts facts_;
  cl_mem_flags flags_;
  std::uint64_t global_bytes_;
  Touch touch_;
  bool waits_;
  bool out_of_order_;
  cl::FirstTouch first_touch_;
};

}  // namespace

Status make_immediate_allocator(cl_command_queue queue, cl_mem_flags flags, Reference<Allocator>& result,
                                Touch touch, bool waits) {
  CLPOOL_TRY(check_allocator_flags(flags));
  waits = waits || touch == Touch::write;
  QueueFacts facts;
  CLPOOL_TRY(read_queue_facts(queue, facts));
  ContextFacts context_facts;
  CLPOOL_TRY(read_context_facts(facts.context.get(), context_facts));
  if (touch == Touch::migrate) {
    bool breaks = false;
    CLPOOL_TRY(cl::breaks_at_migrations(facts.device, breaks));
    if (breaks) {
      return fail(Status::not_supported,
                  "this device's driver crashes in migrations while other threads use the queue: "
                  "CLPOOL_TOUCH_MIGRATE is not to be had on it");
    }
  }
  if (touch == Touch::migrate || touch == Touch::whole) {
    CLPOOL_TRY(cl::require_version(facts.device, {1, 2}, "this way of touching memory"));
  }
  AllocatorTraits traits;
  traits.kind = MemKind::buffer;
  traits.granularity = context_facts.base_alignment;
  traits.max_chunk_bytes = context_facts.max_alloc_bytes;
  traits.context = facts.context.get();
  traits.sources = {facts.device};
  traits.queue = queue;
  // A copy out of it changes nothing, but a driver with several memories may move what others write meanwhile.
  traits.made_behind_queue = !waits && (touch != Touch::byte || context_facts.devices.size() > 1);
  traits.is_under_way = !waits;
  const cl_mem_flags access = flags == 0 ? CL_MEM_READ_WRITE : flags;
  bool out_of_order = false;
  CLPOOL_TRY(cl::is_out_of_order(queue, out_of_order));
  bool in_turn = false;
  CLPOOL_TRY(cl::mixes_up_parts(facts.device, in_turn));
  if (in_turn) {
    traits.own_queue = std::make_shared<cl::OwnQueue>(facts.device);
  }
  result = Reference<Allocator>::adopt(new ImmediateAllocator(
      traits, std::move(facts), access, context_facts.global_bytes, touch, waits, out_of_order));
  return Status::success;
}

}  // namespace clpool::core
