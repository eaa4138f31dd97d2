// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Today's occupancy rules, the checks of what is asked, and the search for good group
// sizes.
#include "device/occupancy.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "device/nvidia.hpp"
#include "device/pycuda_occupancy.hpp"

namespace clpool::core::device {
namespace {

// Above these a figure is a mistake, and arithmetic in 64 bits could overflow.
constexpr std::int64_t most_registers = 65536;
constexpr std::int64_t most_local_bytes = std::int64_t{1} << 40;
constexpr std::int64_t most_barriers = 65536;

Status check_range(const char* what, std::int64_t value, std::int64_t least, std::int64_t most) noexcept {
  if (value < least || value > most) {
    return fail(Status::invalid_value, "%s is %" PRId64 ", valid are %" PRId64 " to %" PRId64, what, value,
                least, most);
  }
  return Status::success;
}

Status check_request(const Limits& limits, const OccupancyRequest& request) noexcept {
  if (request.threads > limits.max_threads_per_group) {
    return fail(Status::invalid_value, "too many threads: %" PRId64 " per group, at most %u are possible",
                request.threads, limits.max_threads_per_group);
  }
  CLPOOL_TRY(check_range("threads per group", request.threads, 1, limits.max_threads_per_group));
  CLPOOL_TRY(check_range("registers per thread", request.registers_per_thread, 0, most_registers));
  CLPOOL_TRY(check_range("local memory per group in bytes", request.local_bytes, 0, most_local_bytes));
  CLPOOL_TRY(check_range("barriers per group", request.barriers, 0, most_barriers));
  return check_range("carve-out of local memory in bytes", request.carve_out_bytes, 0,
                     static_cast<std::int64_t>(limits.local_per_mp));
}

std::uint32_t warps_limit(const Limits& limits, std::uint32_t warps, bool halves) noexcept {
  return halves ? limits.max_warps_per_mp / 2 / warps * 2 : limits.max_warps_per_mp / warps;
}

/// Registers per warp as allocated, for limits that allocate by warp.
std::uint64_t registers_of_warp(const Limits& limits, std::uint64_t per_thread) noexcept {
  const bool fermi = limits.vendor == Vendor::nvidia && limits.compute_major == 2;
  const std::uint64_t lanes = limits.register_lanes != 0 ? limits.register_lanes : limits.warp_size;
  return round_up(per_thread * lanes, fermi ? fermi_register_unit(per_thread) : limits.register_unit);
}

std::uint64_t registers_a_group_may_have(const Limits& limits) noexcept {
  return limits.registers_per_group != 0 ? limits.registers_per_group : limits.registers_per_mp;
}

/// Groups by registers where they are given to whole groups (NVIDIA 1.x).
std::uint32_t group_registers_limit(const Limits& limits, std::uint32_t warps, std::uint64_t per_thread,
                                    std::uint64_t& allocated) noexcept {
  allocated = round_up(round_up(warps, limits.warp_granularity) * limits.warp_size * per_thread,
                       limits.register_unit);
  if (allocated > registers_a_group_may_have(limits)) {
    return 0;
  }
  return static_cast<std::uint32_t>(limits.registers_per_mp / allocated);
}

/// Groups by registers where they are given to warps, each within one of `partitions` parts. `halves`: a
/// group is kept in one half (partitioned caching); turned off where a half is too small, as the hardware
/// does.
std::uint32_t warp_registers_limit(const Limits& limits, std::uint32_t warps, std::uint64_t of_warp,
                                   std::uint32_t partitions, bool& halves) noexcept {
  // The hardware's check of one group assumes that registers are taken in all partitions at once.
  const std::uint64_t granularity = std::max(limits.warp_granularity, partitions);
  if (of_warp * round_up(warps, granularity) > registers_a_group_may_have(limits)) {
    return 0;
  }
  const std::uint64_t warps_per_partition = limits.registers_per_mp / partitions / of_warp;
  if (halves) {
    const std::uint64_t groups = warps_per_partition * (partitions / 2) / warps * 2;
    if (groups > 0) {
      return static_cast<std::uint32_t>(groups);
    }
    halves = false;
  }
  return static_cast<std::uint32_t>(warps_per_partition * partitions / warps);
}

std::uint32_t registers_limit(const Limits& limits, const OccupancyRequest& request, OccupancyResult& result,
                              bool& halves) noexcept {
  const auto per_thread = static_cast<std::uint64_t>(request.registers_per_thread);
  const std::uint32_t warps = result.warps_per_group;
  if (per_thread == 0 || limits.registers_per_mp == 0) {  // not asked for, or not known
    return unlimited;
  }
  if (limits.max_registers_per_thread != 0 && per_thread > limits.max_registers_per_thread) {
    return 0;
  }
  if (limits.register_allocation == RegisterAllocation::group) {
    return group_registers_limit(limits, warps, per_thread, result.registers_per_group);
  }
  const std::uint64_t of_warp = registers_of_warp(limits, per_thread);
  result.registers_per_group = of_warp * warps;
  const std::uint32_t groups = warp_registers_limit(limits, warps, of_warp, limits.sub_partitions, halves);
  if (limits.min_sub_partitions_check != 0) {
    bool unused = false;
    if (warp_registers_limit(limits, warps, of_warp, limits.min_sub_partitions_check, unused) == 0) {
      return 0;
    }
  }
  return groups;
}

/// The smallest carve-out of at least `bytes`; the largest there is for 0 and where no list is known.
std::uint64_t carve_out(const Limits& limits, std::uint64_t bytes) noexcept {
  if (bytes == 0) {
    return limits.local_per_mp;
  }
  for (std::uint32_t i = 0; i < limits.carve_out_count; ++i) {
    if (limits.carve_outs[i] >= bytes) {
      return limits.carve_outs[i];
    }
  }
  return limits.carve_out_count == 0 ? bytes : limits.local_per_mp;
}

std::uint32_t local_limit(const Limits& limits, const OccupancyRequest& request,
                          OccupancyResult& result) noexcept {
  const auto asked = static_cast<std::uint64_t>(request.local_bytes);
  const std::uint64_t most = request.opt_in ? std::max(limits.local_per_group, limits.local_per_group_opt_in)
                                            : limits.local_per_group;
  result.local_per_group = round_up(asked + limits.local_reserved, limits.local_unit);
  result.local_per_mp = carve_out(limits, static_cast<std::uint64_t>(request.carve_out_bytes));
  if (asked > most) {
    return 0;
  }
  if (result.local_per_group == 0) {
    return unlimited;
  }
  // A carve-out that cannot hold one group gives way.
  if (result.local_per_mp < result.local_per_group) {
    result.local_per_mp = carve_out(limits, result.local_per_group);
  }
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(result.local_per_mp / result.local_per_group, unlimited));
}

std::uint32_t groups_limit(const Limits& limits, std::uint32_t warps) noexcept {
  return warps == 1 && limits.max_lone_warp_groups_per_mp != 0 ? limits.max_lone_warp_groups_per_mp
                                                               : limits.max_groups_per_mp;
}

void finish(const Limits& limits, OccupancyResult& result) noexcept {
  result.groups_per_mp = std::min({result.limit_warps, result.limit_registers, result.limit_local,
                                   result.limit_groups, result.limit_barriers});
  const auto name_if_reached = [&](std::uint32_t limit, std::uint32_t name) {
    result.limiting_factors |= limit == result.groups_per_mp ? name : 0;
  };
  name_if_reached(result.limit_warps, factor::warps);
  name_if_reached(result.limit_registers, factor::registers);
  name_if_reached(result.limit_local, factor::local);
  name_if_reached(result.limit_groups, factor::groups);
  name_if_reached(result.limit_barriers, factor::barriers);
  result.warps_per_mp = result.groups_per_mp * result.warps_per_group;
  result.max_warps_per_mp = limits.max_warps_per_mp;
  result.occupancy = static_cast<double>(result.warps_per_mp) / static_cast<double>(limits.max_warps_per_mp);
}

}  // namespace

Status compute_occupancy(const Limits& limits, const OccupancyRequest& request,
                         OccupancyResult& result) noexcept {
  result = {};
  CLPOOL_TRY(check_request(limits, request));
  if (limits.model != Model::current) {
    return compute_pycuda_occupancy(limits, request, result);
  }
  const auto threads = static_cast<std::uint32_t>(request.threads);
  result.warps_per_group = (threads + limits.warp_size - 1) / limits.warp_size;
  bool halves = request.partitioned_cache && limits.partitioned_cache;
  result.limit_registers = registers_limit(limits, request, result, halves);
  result.limit_warps = warps_limit(limits, result.warps_per_group, halves);
  result.limit_local = local_limit(limits, request, result);
  result.limit_groups = groups_limit(limits, result.warps_per_group);
  if (request.barriers > 0 && limits.barriers_per_mp != 0) {
    result.limit_barriers = limits.barriers_per_mp / static_cast<std::uint32_t>(request.barriers);
  }
  finish(limits, result);
  return Status::success;
}

Status suggest_group_sizes(const Limits& limits, const OccupancyRequest& request,
                           std::vector<std::uint32_t>& sizes, OccupancyResult& best) {
  sizes.clear();
  best = {};
  OccupancyRequest attempt = request;
  const std::uint32_t least = std::min(limits.warp_size, limits.max_threads_per_group);
  attempt.threads = least;
  CLPOOL_TRY(check_request(limits, attempt));
  for (std::uint32_t size = least; size <= limits.max_threads_per_group; size += limits.warp_size) {
    OccupancyResult result;
    attempt.threads = size;
    // PyCUDA's model fails where today's answers 0; neither is a size to suggest.
    if (compute_occupancy(limits, attempt, result) != Status::success || result.groups_per_mp == 0) {
      continue;
    }
    if (result.warps_per_mp > best.warps_per_mp) {
      sizes.clear();
      best = result;
    }
    if (result.warps_per_mp == best.warps_per_mp) {
      sizes.push_back(size);
    }
  }
  if (sizes.empty()) {
    return fail(Status::not_found,
                "no group size can run with %" PRId64 " registers per thread and %" PRId64
                " bytes of local memory per group",
                request.registers_per_thread, request.local_bytes);
  }
  return Status::success;
}

Status check_limits(const Limits& limits) noexcept {
  const auto check = [](const char* field, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
    return value >= least && value <= most
               ? Status::success
               : fail(Status::invalid_value, "%s is %" PRIu64 ", valid are %" PRIu64 " to %" PRIu64, field,
                      value, least, most);
  };
  constexpr std::uint64_t many = std::uint64_t{1} << 28;
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;
  CLPOOL_TRY(check("warp_size", limits.warp_size, 1, 65536));
  CLPOOL_TRY(check("max_threads_per_group", limits.max_threads_per_group, 1, 1u << 20));
  CLPOOL_TRY(check("max_warps_per_mp", limits.max_warps_per_mp, 1, many));
  CLPOOL_TRY(check("max_groups_per_mp", limits.max_groups_per_mp, 1, many));
  CLPOOL_TRY(check("max_lone_warp_groups_per_mp", limits.max_lone_warp_groups_per_mp, 0, many));
  CLPOOL_TRY(check("register_unit", limits.register_unit, 1, many));
  CLPOOL_TRY(check("register_lanes", limits.register_lanes, 0, 65536));
  CLPOOL_TRY(check("warp_granularity", limits.warp_granularity, 1, 65536));
  CLPOOL_TRY(check("sub_partitions", limits.sub_partitions, 1, 65536));
  CLPOOL_TRY(check("local_per_mp", limits.local_per_mp, 0, most_bytes));
  CLPOOL_TRY(check("local_per_group", limits.local_per_group, 0, most_bytes));
  CLPOOL_TRY(check("local_per_group_opt_in", limits.local_per_group_opt_in, 0, most_bytes));
  CLPOOL_TRY(check("local_unit", limits.local_unit, 1, many));
  CLPOOL_TRY(check("local_reserved", limits.local_reserved, 0, most_bytes));
  CLPOOL_TRY(check("carve-outs of local memory", limits.carve_out_count, 0, max_carve_outs));
  for (std::uint32_t i = 0; i < limits.carve_out_count; ++i) {
    char field[64];
    std::snprintf(field, sizeof field, "local_carve_outs[%u]", i);
    CLPOOL_TRY(check(field, limits.carve_outs[i], i == 0 ? 0 : limits.carve_outs[i - 1],
                     limits.local_per_mp == 0 ? most_bytes : limits.local_per_mp));
  }
  return limits.local_per_mp == 0 ? Status::success
                                  : check("local_per_group", limits.local_per_group, 0, limits.local_per_mp);
}

}  // namespace clpool::core::device
