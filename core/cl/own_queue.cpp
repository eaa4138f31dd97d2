// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The queues that are there, of all the process.
#include "cl/own_queue.hpp"

#include <new>
#include <vector>

#include "cl/info.hpp"
#include "cl/order.hpp"

namespace clpool::core::cl {
namespace {

struct Made {
  cl_context context;  ///< kept by the queue, while that is there
  cl_device_id device;
  std::weak_ptr<const Queue> queue;
};

/// Never destroyed: threads outlive main(). In a Turn.
std::vector<Made>& all() {
  static std::vector<Made>& made = *new std::vector<Made>;
  return made;
}

Status find_or_make(cl_command_queue like, std::shared_ptr<const Queue>& result) noexcept try {
  cl_context context = nullptr;
  cl_device_id device = nullptr;
  CLPOOL_TRY(query(like, CL_QUEUE_CONTEXT, context));
  CLPOOL_TRY(query(like, CL_QUEUE_DEVICE, device));
  std::erase_if(all(), [](const Made& made) { return made.queue.expired(); });
  for (const Made& made : all()) {
    if (made.context == context && made.device == device) {
      result = made.queue.lock();
    }
  }
  if (result == nullptr) {
    const auto made = std::make_shared<Queue>();
    CLPOOL_TRY(make_queue_like(like, *made));
    all().push_back({context, device, made});
    result = made;
  }
  return Status::success;
} catch (const std::bad_alloc&) {
  return fail(Status::out_of_host_memory, "no host memory for a queue of the library's own");
}

}  // namespace

Status OwnQueue::like(cl_command_queue queue, cl_command_queue& own) noexcept {
  if (queue_ == nullptr) {
    CLPOOL_TRY(find_or_make(queue, queue_));
  }
  own = queue_->get();
  return Status::success;
}

}  // namespace clpool::core::cl
