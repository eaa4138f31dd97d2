// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// How many groups a multiprocessor holds at a time, and what limits them. Pure arithmetic on Limits.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.hpp"
#include "device/limits.hpp"

namespace clpool::core::device {

/// Limiting factors: a set of bits, those of NVIDIA's calculator.
namespace factor {
inline constexpr std::uint32_t warps = 1;
inline constexpr std::uint32_t registers = 2;
inline constexpr std::uint32_t local = 4;
inline constexpr std::uint32_t groups = 8;
inline constexpr std::uint32_t barriers = 16;
}  // namespace factor

/// A limit that does not bind.
inline constexpr std::uint32_t unlimited = UINT32_MAX;

struct OccupancyRequest {
  std::int64_t threads = 0;               ///< per group
  std::int64_t registers_per_thread = 0;  ///< 0: none, no limit
  std::int64_t local_bytes = 0;           ///< per group, static and dynamic together
  std::int64_t carve_out_bytes = 0;       ///< local memory per multiprocessor asked for; 0: the most
  std::int64_t barriers = 0;              ///< named barriers per group; 0: not counted
  bool opt_in = true;                     ///< more local memory than the default per group is allowed
  bool partitioned_cache = false;         ///< NVIDIA 5.2, 5.3, 6.1, 6.2: global loads are cached by halves
};

struct OccupancyResult {
  std::uint32_t groups_per_mp = 0;
  std::uint32_t warps_per_group = 0;
  std::uint32_t warps_per_mp = 0;
  std::uint32_t max_warps_per_mp = 0;
  std::uint32_t limiting_factors = 0;  ///< PyCUDA's rule: exactly one bit
  std::uint32_t limit_warps = unlimited;
  std::uint32_t limit_registers = unlimited;
  std::uint32_t limit_local = unlimited;
  std::uint32_t limit_groups = unlimited;
  std::uint32_t limit_barriers = unlimited;
  std::uint64_t registers_per_group = 0;  ///< as allocated
  std::uint64_t local_per_group = 0;      ///< bytes, as allocated
  std::uint64_t local_per_mp = 0;         ///< bytes: the carve-out that the answer assumes
  double occupancy = 0;                   ///< warps_per_mp / max_warps_per_mp
};

/// Answers by `limits.model`. Current: what does not fit gives 0 groups and the factors
/// that say why. PyCUDA: what does not fit is INVALID_VALUE. Both: INVALID_VALUE for threads
/// outside 1…max_threads_per_group and for negative or absurd figures.
Status compute_occupancy(const Limits& limits, const OccupancyRequest& request,
                         OccupancyResult& result) noexcept;

/// The group sizes (multiples of the warp size, ascending) with the highest occupancy for the request's
/// registers and local memory, and the answer for the first of them. NOT_FOUND if no size runs at all.
Status suggest_group_sizes(const Limits& limits, const OccupancyRequest& request,
                           std::vector<std::uint32_t>& sizes, OccupancyResult& best);

/// INVALID_VALUE naming the field if the numbers cannot describe a device.
Status check_limits(const Limits& limits) noexcept;

/// Rounds up to a multiple of `unit` (> 0).
constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) noexcept {
  return (value + unit - 1) / unit * unit;
}

}  // namespace clpool::core::device
