// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Fills of buffers and SVM.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "memory/object.hpp"
#include "memory/range.hpp"
#include "memory/transfer.hpp"

namespace clpool::core {
namespace {

constexpr std::size_t largest_pattern = 128;  ///< bytes: long16

Status check_pattern(const Pattern& pattern, std::size_t offset, std::size_t size) noexcept {
  if (pattern.data == nullptr) {
    return fail(Status::invalid_value, "pattern is NULL");
  }
  if (!std::has_single_bit(pattern.size) || pattern.size > largest_pattern) {
    return fail(Status::invalid_value, "pattern has %zu bytes, valid are 1, 2, 4, … %zu", pattern.size,
                largest_pattern);
  }
  if (offset % pattern.size != 0 || size % pattern.size != 0) {
    return fail(Status::invalid_value, "offset %zu and size %zu must be multiples of the pattern's %zu bytes",
                offset, size, pattern.size);
  }
  return Status::success;
}

Status fill_piece(const cl::Order& order, Mem& target, const Pattern& pattern, std::size_t offset,
                  std::size_t size, cl_event* event) noexcept {
  cl_int code = CL_SUCCESS;
  if (nature_of(target) == MemKind::svm) {
    code = clEnqueueSVMMemFill(order.queue, static_cast<char*>(target.pointer) + offset, pattern.data,
                               pattern.size, size, order.wait_count, order.waits, event);
  } else {
    code = clEnqueueFillBuffer(order.queue, target.handle, pattern.data, pattern.size, offset, size,
                               order.wait_count, order.waits, event);
  }
  return code == CL_SUCCESS ? Status::success
                            : fail_cl(code, "fill", "%zu bytes from offset %zu on", size, offset);
}

/// What clEnqueueSVMMemFill demands.
Status check_address(const void* address, std::size_t pattern_size) noexcept {
  return reinterpret_cast<std::uintptr_t>(address) % pattern_size == 0
             ? Status::success
             : fail(Status::invalid_value,
                    "the fill begins at address %p, no multiple of the pattern's %zu bytes", address,
                    pattern_size);
}

}  // namespace

Status fill(const cl::Order& order, Mem& target, const Pattern& pattern, std::size_t offset, std::size_t size,
            std::size_t largest_piece) {
  CLPOOL_TRY(cl::check_order(order));
  CLPOOL_TRY(require_buffer_or_svm(target));
  const MemKind nature = nature_of(target);
  CLPOOL_TRY(resolve_size(size, side_of("the memory", target, offset)));
  CLPOOL_TRY(check_pattern(pattern, offset, size));
  if (nature == MemKind::svm && size != 0) {
    CLPOOL_TRY(check_address(static_cast<char*>(target.pointer) + offset, pattern.size));
  }
  CLPOOL_TRY(cl::require_queue_version(
      order.queue, nature == MemKind::svm ? cl::Version{2, 0} : cl::Version{1, 2}, "filling memory"));
  if (size == 0) {
    return cl::do_nothing(order);
  }
  CLPOOL_TRY(begin_use(order, {&target}));
  cl::Batch batch(order);
  for (std::size_t done = 0; done < size;) {
    const std::size_t piece = std::min(size - done, largest_piece);
    CLPOOL_TRY(fill_piece(order, target, pattern, offset + done, piece, batch.next()));
    done += piece;
  }
  return batch.finish();
}

}  // namespace clpool::core
