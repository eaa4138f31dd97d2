// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// One reference of an object of OpenCL or of the library, for each copy of it.
#pragma once

#include <clpool/clpool.h>

#include <utility>

#include "report.hpp"

namespace clpool::load {

template <typename Handle, auto retain, auto release>
class Owned {
 public:
  Owned() = default;
  /// Takes over the caller's reference.
  explicit Owned(Handle handle) : handle_(handle) {}
  Owned(const Owned& other) : handle_(other.handle_) {
    if (handle_ != nullptr && retain(handle_) != 0) {
      report().wrong("a reference could not be added");
    }
  }
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() {
    if (handle_ != nullptr && release(handle_) != 0) {
      report().wrong("a reference could not be given up: %s", clpool_last_error_message());
    }
  }
  Handle get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  Handle handle_ = nullptr;
};

using Context = Owned<cl_context, clRetainContext, clReleaseContext>;
using Queue = Owned<cl_command_queue, clRetainCommandQueue, clReleaseCommandQueue>;
using Event = Owned<cl_event, clRetainEvent, clReleaseEvent>;
using Allocator = Owned<clpool_allocator*, clpool_allocator_retain, clpool_allocator_release>;
using Pool = Owned<clpool_pool*, clpool_pool_retain, clpool_pool_release>;

}  // namespace clpool::load
