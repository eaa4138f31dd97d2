// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Sub-buffers, the buffer objects of parts of chunks and of sub-regions, and the chunk's first touch.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/several_threads.hpp"
#include "base/status.hpp"
#include "cl/first_touch.hpp"
#include "cl/handle.hpp"
#include "cl/own_queue.hpp"

namespace clpool::core::cl {

/// clCreateSubBuffer of [origin, origin + size) of `root`, which must not be a sub-buffer itself. `flags` 0
/// inherits the root's access; host-pointer flags are illegal for sub-buffers and left out.
Status make_sub_buffer(cl_mem root, std::uint64_t origin, std::uint64_t size, cl_mem_flags flags,
                       cl_mem* out) noexcept;

/// The parts of one pool's chunks. Functions may be called by several threads at once. Their driver calls are made in
/// turn where the driver needs that (mixes_up_parts()).
class SubBuffers {
 public:
  /// The thread that makes them counts: where others use a pool from its beginning, no part is made too early
  /// to be used in turn.
  /// `own_queue` is the allocator's, or null.
  SubBuffers(cl_context context, std::shared_ptr<OwnQueue> own_queue) noexcept;
  SubBuffers(const SubBuffers&) = delete;
  SubBuffers& operator=(const SubBuffers&) = delete;

  /// What the driver of a queue needs.
  struct Needs {
    Queue queue;
    bool turns = false;                        ///< mixes_up_parts()
    bool several_devices = false;              ///< in its context
    std::shared_ptr<OwnQueue> own_queue = {};  ///< with turns
  };
  static Status needs_of(cl_command_queue queue, Needs& needs);
  /// For parts that are used on the device of that queue, which is taken from `needs`; once, the first
  /// counts. By one thread at a time.
  void follow(Needs& needs) noexcept;
  bool follows() const noexcept { return follows_; }

  /// Says that the calling thread asks for parts or gives some up.
  void note_thread() noexcept {
    if (in_turn_ && threads_.note()) [[unlikely]] {
      note_other_thread();
    }
  }
  /// Whether parts are used once when they are made: where the driver needs turns, and several threads came.
  /// One thread alone needs no first use, which takes longer than all the rest.
  bool uses_once() const noexcept { return threads_.came(); }

  /// A chunk, before parts of it are made: NVIDIA's driver lets the first use of a part, and its release,
  /// wait for running kernels where its buffer never was used as a whole. On `queue`, behind what made the chunk there; where
  /// turns are needed, and several threads came, on a queue that nobody else enqueues on, as parts that are used once. Nobody has
  /// to come after it, unless the driver may move what they write meanwhile: `others_follow`, which the commands of `queue` do then.
  /// `event`, unless null, receives one that is complete when it is, and what made the chunk: on a queue that nobody else enqueues
  /// on that is a marker's on `queue`, behind all else there. It is flushed.
  Status touch(cl_command_queue queue, cl_mem root, bool others_follow,
               SharedEvent* event = nullptr) noexcept;
  /// Does not wait, but in a context of several devices for a copy of a byte where `used_once`.
  Status make(cl_mem root, std::uint64_t origin, std::uint64_t size, cl_mem* out, bool& used_once) noexcept;
  /// clReleaseMemObject; the code of a failure, which leaves nothing to do.
  cl_int release(cl_mem part) noexcept;

 private:
  void note_other_thread() noexcept;
  Status use_once(cl_mem part, cl_event* event) noexcept;

  Queue queue_;                           ///< the one that is followed
  std::shared_ptr<OwnQueue> allocators_;  ///< of its device, or null
  /// Of the device of the queue that is followed, where the driver needs turns: the allocator's, if that is.
  std::shared_ptr<OwnQueue> own_queue_;
  FirstTouch first_touch_;
  // What each request reads of a pool whose parts need handles: last, before what it reads of the pool.
  std::atomic<bool> follows_{false};
  std::atomic<bool> in_turn_{false};  ///< the driver needs that
  /// It may move to the device of the first use what others write to a part meanwhile.
  std::atomic<bool> waits_for_first_uses_{false};
  SeveralThreads threads_;
};

}  // namespace clpool::core::cl
