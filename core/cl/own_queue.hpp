// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// OwnQueue: a queue that no program has, for what the library itself does with memory where a driver mixes that up with what
// other threads enqueue on the queue that it is done on (mixes_up_parts()).
#pragma once

#include <CL/cl.h>

#include <memory>

#include "base/status.hpp"
#include "cl/handle.hpp"

namespace clpool::core::cl {

/// It is asked in a Turn. What is enqueued there is to be flushed: nobody else does.
class OwnQueue {
 public:
  /// An in-order queue of the context and the device of `queue`, made when it is first needed: all of the process that need one
  /// of them at a time have it together, and it goes with the last.
  Status like(cl_command_queue queue, cl_command_queue& own) noexcept;

 private:
  std::shared_ptr<const Queue> queue_;
};

}  // namespace clpool::core::cl
