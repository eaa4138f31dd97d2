// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Default sizes and range checks.
#include "memory/range.hpp"

#include <algorithm>

namespace clpool::core {
namespace {

Status check_offset(const Side& side) noexcept {
  return side.offset <= side.size ? Status::success
                                  : fail(Status::invalid_value, "%s: offset %zu is beyond its %zu bytes",
                                         side.name, side.offset, side.size);
}

Status check_fit(std::size_t size, const Side& side) noexcept {
  return size <= side.size - side.offset
             ? Status::success
             : fail(Status::invalid_value, "%s: %zu bytes from offset %zu on were asked for, it has %zu",
                    side.name, size, side.offset, side.size);
}

/// What a default takes; whole_size if unknown.
std::size_t rest_of(const Side& side) noexcept {
  return side.size == whole_size ? whole_size : side.size - side.offset;
}

}  // namespace

Status resolve_size(std::size_t& size, const Side& side) noexcept {
  return resolve_size(size, side, {side.name, whole_size, 0});
}

Status resolve_size(std::size_t& size, const Side& first, const Side& second) noexcept {
  CLPOOL_TRY(check_offset(first));
  CLPOOL_TRY(check_offset(second));
  if (size == whole_size) {
    size = std::min(rest_of(first), rest_of(second));
    if (size == whole_size) {
      return fail(Status::invalid_value, "%s: its size is unknown, so a size must be given", first.name);
    }
  }
  CLPOOL_TRY(check_fit(size, first));
  return check_fit(size, second);
}

}  // namespace clpool::core
