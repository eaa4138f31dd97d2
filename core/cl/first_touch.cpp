// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Copies of one byte.
#include "cl/first_touch.hpp"

#include "cl/handle.hpp"

namespace clpool::core::cl {

FirstTouch::~FirstTouch() {
  Memory::adopt(target_.load(std::memory_order_relaxed));
}

Status FirstTouch::make_target() noexcept {
  cl_int code = CL_SUCCESS;
  Memory made = Memory::adopt(clCreateBuffer(context_, CL_MEM_READ_WRITE, 1, nullptr, &code));
  if (code != CL_SUCCESS) {
    return fail_cl(code, "clCreateBuffer", "1 byte that new memory is copied to");
  }
  cl_mem none = nullptr;
  if (target_.compare_exchange_strong(none, made.get())) {  // else another thread was faster
    static_cast<void>(made.detach());
  }
  return Status::success;
}

Status FirstTouch::touch(cl_command_queue queue, cl_mem buffer, cl_event* event) noexcept {
  if (target_ == nullptr) {
    CLPOOL_TRY(make_target());
  }
  const cl_int code = clEnqueueCopyBuffer(queue, buffer, target_, 0, 0, 1, 0, nullptr, event);
  return code == CL_SUCCESS
             ? Status::success
             : fail_cl(code, "clEnqueueCopyBuffer", "a buffer cannot be made resident on queue %p",
                       static_cast<void*>(queue));
}

}  // namespace clpool::core::cl
