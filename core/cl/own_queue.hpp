// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// OwnQueue: a queue that no program has, for what the library itself does with memory where a driver mixes that up with what
// other threads enqueue on the queue that it is done on (mixes_up_parts()).
#pragma once

#include <CL/cl.h>

#include <atomic>

#include "base/status.hpp"
#include "cl/handle.hpp"

namespace clpool::core::cl {

/// Of an allocator and the pools over it on its device, or of one pool of memory that is of no device. What is enqueued there is to be flushed: nobody else does.
class OwnQueue {
 public:
  /// For memory that is used on a device. The thread that makes it counts.
  explicit OwnQueue(cl_device_id device) noexcept : device_(device), last_thread_(mark_of_this_thread()) {}
  OwnQueue(const OwnQueue&) = delete;
  OwnQueue& operator=(const OwnQueue&) = delete;
  ~OwnQueue();

  /// Says that the calling thread asks for memory, or that several do; by any thread.
  void note_thread() noexcept {
    if (last_thread_.exchange(mark_of_this_thread(), std::memory_order_relaxed) != mark_of_this_thread()) {
      note_several_threads();
    }
  }
  void note_several_threads() noexcept { is_needed_.store(true, std::memory_order_relaxed); }
  cl_device_id device() const noexcept { return device_; }
  /// Where one thread alone asks for memory, that is first used on the program's queue, as on any driver.
  bool is_needed() const noexcept { return is_needed_.load(std::memory_order_relaxed); }

  /// An in-order queue of the context of `queue` and of the device, made when it is first needed: all of the process that need one
  /// of them at a time have it together, and it goes with the last. In a Turn.
  Status like(cl_command_queue queue, cl_command_queue& own) noexcept;

 private:
  cl_device_id device_;
  std::atomic<const void*> last_thread_;
  std::atomic<bool> is_needed_{false};
  struct Shared;
  Status find_or_make(cl_command_queue like) noexcept;
  static Shared* first_;  ///< all that there are; in a Turn

  Shared* shared_ = nullptr;
};

}  // namespace clpool::core::cl
