// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Owning handles of what the program makes.
#pragma once

#include <clpool/clpool.h>

#include <memory>
#include <type_traits>

namespace clpool::program {

/// Releases with the function `release`, whose result does not matter when the program ends a scope.
template <auto release>
struct Releaser {
  template <typename T>
  void operator()(T* handle) const noexcept {
    static_cast<void>(release(handle));
  }
};

using Context = std::unique_ptr<std::remove_pointer_t<cl_context>, Releaser<clReleaseContext>>;
using Queue = std::unique_ptr<std::remove_pointer_t<cl_command_queue>, Releaser<clReleaseCommandQueue>>;
using Allocator = std::unique_ptr<clpool_allocator, Releaser<clpool_allocator_release>>;
using Pool = std::unique_ptr<clpool_pool, Releaser<clpool_pool_release>>;
using DeviceData = std::unique_ptr<clpool_device_data, Releaser<clpool_device_data_release>>;
using Trace = std::unique_ptr<clpool_trace, Releaser<clpool_trace_release>>;

}  // namespace clpool::program
