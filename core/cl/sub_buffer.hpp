// Sub-buffers, the buffer objects of parts of chunks and of sub-regions, and the chunk's first touch.
#pragma once

#include <CL/cl.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/status.hpp"
#include "cl/handle.hpp"

namespace clpool::core::cl {

/// clCreateSubBuffer of [origin, origin + size) of `root`, which must not be a sub-buffer itself. `flags` 0
/// inherits the root's access; host-pointer flags are illegal for sub-buffers and left out (D-22).
Status make_sub_buffer(cl_mem root, std::uint64_t origin, std::uint64_t size, cl_mem_flags flags,
                       cl_mem* out) noexcept;

/// Makes a buffer exist on the queue's device, with undefined content, by a fill of one byte. Not by a
/// migration: NVIDIA's driver (580.159 seen) crashes where one is enqueued while another thread enqueues
/// anything on the same queue (tests/gpu/driver_threads.cpp). `event` as in OpenCL. Needs OpenCL 1.2.
Status touch(cl_command_queue queue, cl_mem buffer, cl_event* event) noexcept;

/// The parts of one pool's chunks. Functions may be called by several threads at once. A lock is held
/// across their driver calls where the driver needs that (mixes_up_parts()), and nowhere else; within it
/// nothing waits, and nobody is called back but by clReleaseMemObject.
class SubBuffers {
 public:
  SubBuffers() = default;
  SubBuffers(const SubBuffers&) = delete;
  SubBuffers& operator=(const SubBuffers&) = delete;

  /// What the driver of a queue needs.
  struct Needs {
    cl_command_queue queue = nullptr;
    bool turns = false;      ///< mixes_up_parts()
    bool can_touch = false;  ///< OpenCL 1.2
  };
  static Status needs_of(cl_command_queue queue, Needs& needs);
  /// For parts that are used on the device of that queue, which must live as long; once.
  void follow(const Needs& needs) noexcept;

  /// A chunk, before parts of it are made: NVIDIA's driver lets the first use of a part, and its release,
  /// wait for running kernels where its buffer never was used as a whole. Does nothing before OpenCL 1.2.
  Status touch(cl_command_queue queue, cl_mem root) noexcept;
  Status make(cl_mem root, std::uint64_t origin, std::uint64_t size, cl_mem* out) noexcept;
  /// clReleaseMemObject; the code of a failure, which leaves nothing to do.
  cl_int release(cl_mem part) noexcept;

 private:
  void note_thread() noexcept;
  Status use_once(cl_command_queue queue, cl_mem part) noexcept;

  std::atomic<bool> can_touch_{false};
  /// Where parts are first used, by one thread at a time; null where the driver does not need that.
  std::atomic<cl_command_queue> in_turn_on_{nullptr};
  /// Guards what follows. Recursive: a release may call a program's callback, which may ask the pool for
  /// more.
  std::recursive_mutex turn_;
  const void* last_thread_ = nullptr;
  bool several_threads_ = false;
  Memory scratch_;
};

}  // namespace clpool::core::cl
