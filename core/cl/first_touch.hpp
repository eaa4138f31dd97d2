// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// FirstTouch: makes buffers exist on a queue's device, by a copy of one byte out of each. That changes nothing that anybody
// sees, so that no command of that device has to come after it, on whichever queue; and is allowed whatever the flags are. Not by
// a migration: NVIDIA's driver (580.159 seen) crashes where one is enqueued while another thread enqueues anything on the
// same queue (tests/gpu/driver_threads.cpp).
#pragma once

#include <CL/cl.h>

#include <atomic>

#include "base/status.hpp"

namespace clpool::core::cl {

/// Its functions may be called by several threads at once, where the driver allows that (mixes_up_parts()).
class FirstTouch {
 public:
  /// In `context`, which whoever has this keeps; null where nothing will be touched.
  explicit FirstTouch(cl_context context) noexcept : context_(context) {}
  FirstTouch(const FirstTouch&) = delete;
  FirstTouch& operator=(const FirstTouch&) = delete;
  ~FirstTouch();

  /// `event` as in OpenCL.
  Status touch(cl_command_queue queue, cl_mem buffer, cl_event* event = nullptr) noexcept;

 private:
  Status make_target() noexcept;

  cl_context context_;
  std::atomic<cl_mem> target_{nullptr};  ///< the byte that all of them are copied to; made when it is needed
};

}  // namespace clpool::core::cl
