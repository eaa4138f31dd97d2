// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// ObjectMem: memory that neither an allocator nor a pool made: buffers, images and pipes created here or
// given as plain cl_mem, sub-regions of any memory, foreign SVM.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <initializer_list>

#include "base/mem.hpp"
#include "base/status.hpp"
#include "cl/handle.hpp"
#include "cl/order.hpp"

namespace clpool::core {

struct ObjectMem : Mem {
  MemKind nature = MemKind::buffer;  ///< what a sub-region is a part of
  Mem* parent = nullptr;             ///< holds a reference
  std::size_t origin = 0;            ///< bytes, of a sub-region in its parent
  cl::Context context;
  bool of_any_context = false;  ///< ordinary host memory as SVM
};

/// What a new descriptor is to be; `handle` or `pointer` is set.
struct ObjectParts {
  MemKind kind = MemKind::buffer;
  MemKind nature = MemKind::buffer;
  cl::Memory handle;
  void* pointer = nullptr;
  std::size_t size = 0;
  std::size_t origin = 0;
  cl_context context = nullptr;  ///< null only for custom memory
  bool of_any_context = false;
  Mem* parent = nullptr;  ///< retained
};
Status make_object(ObjectParts&& parts, Mem*& result);

/// A descriptor of a plain cl_mem of any type. With `retain` it gets a reference of its own, else it takes
/// over the caller's (on success).
Status wrap_object(cl_mem handle, bool retain, Mem*& result);

/// buffer, image, pipe, svm, pinned or custom: the kind, and for a sub-region the kind of what it is a part
/// of.
MemKind nature_of(const Mem& mem) noexcept;

/// Tells the owners of `mems` that a command on the order's queue is about to use them; to be called when
/// nothing but the driver can refuse the command any more.
Status begin_use(const cl::Order& order, std::initializer_list<Mem*> mems) noexcept;

/// INVALID_OPERATION unless `mem` is live and a buffer or a part of one.
Status require_buffer(const Mem& mem) noexcept;

/// The same, or unless it is shared virtual memory.
Status require_buffer_or_svm(const Mem& mem) noexcept;

/// INVALID_OPERATION unless `mem` is a live image.
Status require_image(const Mem& mem) noexcept;

}  // namespace clpool::core
