// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Owning handles of OpenCL objects. Releases never throw: a failing release is reported by a message.
#pragma once

#include <CL/cl.h>

#include <memory>
#include <utility>

#include "base/message.hpp"
#include "base/status.hpp"

namespace clpool::core::cl {

/// clRetain… / clRelease… of one handle type.
template <typename Handle>
struct HandleTraits;

#define CLPOOL_HANDLE_TRAITS(type, suffix)                                            \
  template <>                                                                         \
  struct HandleTraits<type> {                                                         \
    static constexpr const char* retain_name = "clRetain" #suffix;                    \
    static constexpr const char* release_name = "clRelease" #suffix;                  \
    static cl_int retain(type handle) noexcept { return clRetain##suffix(handle); }   \
    static cl_int release(type handle) noexcept { return clRelease##suffix(handle); } \
  };
CLPOOL_HANDLE_TRAITS(cl_context, Context)
CLPOOL_HANDLE_TRAITS(cl_command_queue, CommandQueue)
CLPOOL_HANDLE_TRAITS(cl_mem, MemObject)
CLPOOL_HANDLE_TRAITS(cl_event, Event)
CLPOOL_HANDLE_TRAITS(cl_program, Program)
CLPOOL_HANDLE_TRAITS(cl_kernel, Kernel)
CLPOOL_HANDLE_TRAITS(cl_sampler, Sampler)
#undef CLPOOL_HANDLE_TRAITS

/// Owns one reference on an OpenCL object.
template <typename T>
class Handle {
 public:
  Handle() = default;
  /// Takes over the caller's reference.
  static Handle adopt(T handle) noexcept {
    Handle result;
    result.handle_ = handle;
    return result;
  }
  /// Adds a reference of its own; `result` stays empty when the driver refuses the handle.
  static Status share(T handle, Handle& result) noexcept {
    if (handle != nullptr) {
      if (const cl_int code = HandleTraits<T>::retain(handle); code != CL_SUCCESS) {
        return fail_cl(code, HandleTraits<T>::retain_name, "the handle %p cannot be retained",
                       static_cast<void*>(handle));
      }
    }
    result = adopt(handle);
    return Status::success;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Handle() { reset(); }

  void reset() noexcept {
    if (handle_ != nullptr) {
      if (const cl_int code = HandleTraits<T>::release(handle_); code != CL_SUCCESS) {
        send_message({}, Severity::error, "%s failed: %s (%d)", HandleTraits<T>::release_name,
                     cl_error_name(code), code);
      }
      handle_ = nullptr;
    }
  }
  T get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  T detach() noexcept { return std::exchange(handle_, nullptr); }
  /// For OpenCL calls that write a new handle; what was owned is released first.
  T* receive() noexcept {
    reset();
    return &handle_;
  }

 private:
  T handle_ = nullptr;
};

using Context = Handle<cl_context>;
using Queue = Handle<cl_command_queue>;
using Memory = Handle<cl_mem>;
using Event = Handle<cl_event>;
/// An event that several have.
using SharedEvent = std::shared_ptr<const Event>;
using Program = Handle<cl_program>;
using Kernel = Handle<cl_kernel>;
using Sampler = Handle<cl_sampler>;

}  // namespace clpool::core::cl
