// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The queues that are there, of all the process.
#include "cl/own_queue.hpp"

#include <memory>
#include <new>

#include "cl/info.hpp"
#include "cl/order.hpp"
#include "cl/turn.hpp"

namespace clpool::core::cl {

struct OwnQueue::Shared {
  cl_context context;  ///< kept by the queue
  cl_device_id device;
  Queue queue = {};
  unsigned users = 0;
  Shared* next = nullptr;
};

constinit OwnQueue::Shared* OwnQueue::first_ = nullptr;

Status OwnQueue::find_or_make(cl_command_queue like) noexcept {
  cl_context context = nullptr;
  CLPOOL_TRY(query(like, CL_QUEUE_CONTEXT, context));
  Shared* shared = first_;
  while (shared != nullptr && (shared->context != context || shared->device != device_)) {
    shared = shared->next;
  }
  if (shared == nullptr) {
    std::unique_ptr<Shared> made(new (std::nothrow) Shared{context, device_});
    if (made == nullptr) {
      return fail(Status::out_of_host_memory, "no host memory for a queue of the library's own");
    }
    CLPOOL_TRY(make_queue(context, device_, made->queue));
    made->next = first_;
    shared = first_ = made.release();
  }
  ++shared->users;
  shared_ = shared;
  return Status::success;
}

Status OwnQueue::like(cl_command_queue queue, cl_command_queue& own) noexcept {
  if (shared_ == nullptr) {
    CLPOOL_TRY(find_or_make(queue));
  }
  own = shared_->queue.get();
  return Status::success;
}

OwnQueue::~OwnQueue() {
  if (shared_ == nullptr) {
    return;
  }
  const Turn turn(true);
  if (--shared_->users == 0) {
    Shared** place = &first_;
    while (*place != shared_) {
      place = &(*place)->next;
    }
    *place = shared_->next;
    delete shared_;
  }
}

}  // namespace clpool::core::cl
