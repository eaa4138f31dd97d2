// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// OwnQueue: a queue that no program has, for what the library itself does with memory where a driver mixes that up with what
// other threads enqueue on the queue that it is done on (mixes_up_parts()).
#pragma once

#include <CL/cl.h>

#include "base/several_threads.hpp"
#include "base/status.hpp"
#include "cl/handle.hpp"

namespace clpool::core::cl {

/// Of an allocator and the pools over it on its device, or of one pool of memory that is of no device. What is enqueued there is
/// to be flushed: nobody else does.
class OwnQueue {
 public:
  /// For memory that is used on a device.
  explicit OwnQueue(cl_device_id device) noexcept : device_(device) {}
  OwnQueue(const OwnQueue&) = delete;
  OwnQueue& operator=(const OwnQueue&) = delete;
  ~OwnQueue();

  cl_device_id device() const noexcept { return device_; }
  /// Those that ask for memory. Where one thread alone does, that is first used on the program's queue, as on any driver.
  SeveralThreads& threads() noexcept { return threads_; }
  bool is_needed() const noexcept { return threads_.came(); }

  /// An in-order queue of the context of `queue` and of the device, made when it is first needed: all of the process that need one
  /// of them at a time have it together, and it goes with the last. In a Turn.
  Status like(cl_command_queue queue, cl_command_queue& own) noexcept;

 private:
  struct Shared;
  Status find_or_make(cl_command_queue like) noexcept;

  static Shared* first_;  ///< all that there are; in a Turn
  cl_device_id device_;
  SeveralThreads threads_;
  Shared* shared_ = nullptr;
};

}  // namespace clpool::core::cl
