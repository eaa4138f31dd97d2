// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Ranges of bytes: what part of which memory a command touches, checked before any driver or memcpy sees it.
// What may be touched is what was asked for: bytes that a pool reserved beyond it belong to nobody.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/mem.hpp"
#include "base/status.hpp"

namespace clpool::core {

/// As a size: all that is left from the offset on; for two sides, the smaller of both. As the size of
/// a Mem: unknown (foreign SVM).
inline constexpr std::size_t whole_size = SIZE_MAX;

/// One side of a transfer.
struct Side {
  const char* name = "";   ///< for messages
  std::size_t size = 0;    ///< bytes that may be touched; whole_size if unknown
  std::size_t offset = 0;  ///< bytes
};

/// A buffer object, and where in it memory begins.
struct PlaceInBuffer {
  cl_mem buffer = nullptr;
  std::size_t offset = 0;  ///< bytes
};

/// A box or a part of an image of which nothing is to be touched.
inline bool is_empty(const std::size_t (&region)[3]) noexcept {
  return region[0] == 0 || region[1] == 0 || region[2] == 0;
}

inline Side side_of(const char* name, const Mem& mem, std::size_t offset) noexcept {
  return {name, mem.size, offset};
}
inline Side side_of_host(std::size_t bytes) noexcept {
  return {"the host memory", bytes, 0};
}

/// Fills in a size that is whole_size and checks that it fits. INVALID_VALUE names the side, what was asked
/// and what there is.
Status resolve_size(std::size_t& size, const Side& side) noexcept;
/// The same for a transfer between two sides.
Status resolve_size(std::size_t& size, const Side& first, const Side& second) noexcept;

/// a * b and a + b; false if they overflow.
[[nodiscard]] inline bool multiply(std::size_t a, std::size_t b, std::size_t& result) noexcept {
  return !__builtin_mul_overflow(a, b, &result);
}
[[nodiscard]] inline bool add(std::size_t a, std::size_t b, std::size_t& result) noexcept {
  return !__builtin_add_overflow(a, b, &result);
}

}  // namespace clpool::core
