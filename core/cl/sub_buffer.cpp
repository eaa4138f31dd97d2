// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The one place that calls clCreateSubBuffer.
#include "cl/sub_buffer.hpp"

#include <cstddef>
#include <new>
#include <utility>

#include "base/status.hpp"
#include "cl/info.hpp"
#include "cl/marker.hpp"
#include "cl/order.hpp"
#include "cl/quirks.hpp"
#include "cl/turn.hpp"

namespace clpool::core::cl {
Status make_sub_buffer(cl_mem root, std::uint64_t origin, std::uint64_t size, cl_mem_flags flags,
                       cl_mem* out) noexcept {
  constexpr cl_mem_flags host_pointer_flags =
      CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
  const cl_buffer_region region = {static_cast<std::size_t>(origin), static_cast<std::size_t>(size)};
  cl_int code = CL_SUCCESS;
  *out = clCreateSubBuffer(root, flags & ~host_pointer_flags, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  if (code != CL_SUCCESS) {
    *out = nullptr;
    return fail_cl(code, "clCreateSubBuffer", "%llu bytes at offset %llu of the buffer %p, flags 0x%llx",
                   static_cast<unsigned long long>(size), static_cast<unsigned long long>(origin),
                   static_cast<void*>(root), static_cast<unsigned long long>(flags));
  }
  return Status::success;
}

SubBuffers::SubBuffers(cl_context context, std::shared_ptr<OwnQueue> own_queue) noexcept
    : allocators_(std::move(own_queue)), first_touch_(context) {}

Status SubBuffers::needs_of(cl_command_queue queue, Needs& needs) {
  cl_device_id device = nullptr;
  CLPOOL_TRY(queue_device(queue, device));
  CLPOOL_TRY(mixes_up_parts(device, needs.turns));
  if (needs.turns) {
    cl_context context = nullptr;
    CLPOOL_TRY(query(queue, CL_QUEUE_CONTEXT, context));
    cl_uint devices = 1;
    CLPOOL_TRY(query(context, CL_CONTEXT_NUM_DEVICES, devices));
    needs.several_devices = devices > 1;
    needs.own_queue = std::make_shared<OwnQueue>(device);
  }
  return Queue::share(queue, needs.queue);
}

void SubBuffers::follow(Needs& needs) noexcept {
  if (follows_) {
    return;
  }
  queue_ = std::move(needs.queue);
  if (needs.turns) {
    const bool is_allocators = allocators_ != nullptr && allocators_->device() == needs.own_queue->device();
    own_queue_ = is_allocators ? allocators_ : std::move(needs.own_queue);
  }
  waits_for_first_uses_ = needs.several_devices;
  in_turn_ = needs.turns;  // the last one: whoever sees it reads the others
  follows_ = true;
}

Status SubBuffers::touch(cl_command_queue queue, cl_mem root, bool others_follow,
                         SharedEvent* event) noexcept {
  try {
    const Turn turn(in_turn_);
    cl_command_queue toucher = queue;
    const bool is_elsewhere = in_turn_ && own_queue_->is_needed();
    if (is_elsewhere) {
      CLPOOL_TRY(own_queue_->like(queue, toucher));
    }
    const bool follows = is_elsewhere && others_follow;
    const auto touched = follows || event != nullptr ? std::make_shared<Event>() : nullptr;
    CLPOOL_TRY(first_touch_.touch(toucher, root, touched != nullptr ? touched->receive() : nullptr));
    if (touched != nullptr || is_elsewhere) {  // else it goes with what the program enqueues
      CLPOOL_TRY(flush_and_tell(toucher));
    }
    CLPOOL_TRY(follows ? come_after(touched->get(), queue) : Status::success);
    if (event != nullptr && is_elsewhere) {
      CLPOOL_TRY(mark_so_far({queue}, *touched));
    }
    if (event != nullptr) {
      *event = touched;
    }
    return Status::success;
  } catch (const std::bad_alloc&) {
    return fail(Status::out_of_host_memory, "no host memory for the event of a chunk's first touch");
  }
}

Status SubBuffers::make(cl_mem root, std::uint64_t origin, std::uint64_t size, cl_mem* out,
                        bool& used_once) noexcept {
  used_once = false;
  if (!in_turn_) {
    return make_sub_buffer(root, origin, size, 0, out);
  }
  Event used;
  Status status = Status::success;
  {
    const Turn turn(true);
    CLPOOL_TRY(make_sub_buffer(root, origin, size, 0, out));
    used_once = uses_once();
    status = used_once ? use_once(*out, waits_for_first_uses_ ? used.receive() : nullptr) : Status::success;
  }
  if (used) {
    status = status == Status::success ? wait_for(used.get(), "a part of a buffer cannot be used") : status;
    const Turn turn(true);
    used.reset();
  }
  if (status != Status::success) {
    const KeptError kept;
    static_cast<void>(release(std::exchange(*out, nullptr)));  // whose failure is told of as the first one
  }
  return status;
}

cl_int SubBuffers::release(cl_mem part) noexcept {
  const Turn turn(in_turn_);
  return clReleaseMemObject(part);
}

void SubBuffers::note_other_thread() noexcept {
  own_queue_->threads().note_others();
  if (allocators_ != nullptr) {
    allocators_->threads().note_others();
  }
}

Status SubBuffers::use_once(cl_mem part, cl_event* event) noexcept {
  cl_command_queue queue = nullptr;
  CLPOOL_TRY(own_queue_->like(queue_.get(), queue));
  CLPOOL_TRY(first_touch_.touch(queue, part, event));
  return flush_and_tell(queue);  // what waits unsubmitted keeps the memory
}

}  // namespace clpool::core::cl
