// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// PyOpenCL's and PyCUDA's bins, bit for bit: which bin a size belongs to, and the size
// that all blocks of a bin have. Pure functions.
#pragma once

#include <bit>
#include <cstdint>

namespace clpool::core {

/// Most leading bits for which 64-bit sizes have valid bins.
inline constexpr std::uint32_t max_leading_bits = 26;
inline constexpr std::uint32_t default_leading_bits = 4;

/// Index of the highest set bit; 0 for 0.
constexpr std::uint32_t bitlog2(std::uint64_t value) noexcept {
  return value == 0 ? 0 : static_cast<std::uint32_t>(std::bit_width(value)) - 1;
}

/// value * 2^shift, rounded down for negative shifts; 0 where every bit is shifted out.
constexpr std::uint64_t signed_shift(std::uint64_t value, int shift) noexcept {
  if (shift >= 64 || shift <= -64) {
    return 0;
  }
  return shift >= 0 ? value << shift : value >> -shift;
}

/// Bin of `size`: its highest bit's index, followed by the `bits` bits after that one. bits <=
/// max_leading_bits.
constexpr std::uint64_t bin_number(std::uint64_t size, std::uint32_t bits) noexcept {
  const std::uint32_t exponent = bitlog2(size);
  const std::uint64_t mantissa = signed_shift(size, static_cast<int>(bits) - static_cast<int>(exponent)) &
                                 ((std::uint64_t{1} << bits) - 1);
  return (std::uint64_t{exponent} << bits) | mantissa;
}

/// Largest size that belongs to `bin`: the size that every block in it has. bits <= max_leading_bits.
constexpr std::uint64_t bin_alloc_size(std::uint64_t bin, std::uint32_t bits) noexcept {
  const int shift = static_cast<int>(bin >> bits) - static_cast<int>(bits);
  const std::uint64_t mantissa = bin & ((std::uint64_t{1} << bits) - 1);
  const std::uint64_t head = signed_shift((std::uint64_t{1} << bits) + mantissa, shift);
  const std::uint64_t lowest = signed_shift(1, shift);
  return head | (lowest == 0 ? 0 : lowest - 1);
}

}  // namespace clpool::core
