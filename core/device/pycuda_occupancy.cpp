// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// PyCUDA's OccupancyRecord, in its order of evaluation.
#include "device/pycuda_occupancy.hpp"

#include <cinttypes>

namespace clpool::core::device {
namespace {

/// Registers that a group takes; the constants 32, 4 and 16 are PyCUDA's own.
std::uint64_t registers_of_group(const Limits& limits, std::uint64_t warps,
                                 std::uint64_t per_thread) noexcept {
  return limits.register_allocation == RegisterAllocation::warp ? warps * 32 * per_thread
                                                                : round_up(2 * warps, 4) * 16 * per_thread;
}

}  // namespace

Status compute_pycuda_occupancy(const Limits& limits, const OccupancyRequest& request,
                                OccupancyResult& result) noexcept {
  const auto threads = static_cast<std::uint64_t>(request.threads);
  const auto registers = static_cast<std::uint64_t>(request.registers_per_thread);
  const std::uint64_t warps = (threads + limits.warp_size - 1) / limits.warp_size;
  const std::uint64_t local = round_up(static_cast<std::uint64_t>(request.local_bytes), limits.local_unit);
  const std::uint64_t group_registers = registers_of_group(limits, warps, registers);
  if (group_registers > limits.registers_per_mp) {
    return fail(Status::invalid_value, "too many registers: the group needs %" PRIu64 ", there are %u",
                group_registers, limits.registers_per_mp);
  }
  if (local > limits.local_per_mp) {
    return fail(Status::invalid_value,
                "too much local memory: the group needs %" PRIu64 " bytes, there are %" PRIu64, local,
                limits.local_per_mp);
  }
  result.limit_groups = limits.max_groups_per_mp;
  result.limit_warps = static_cast<std::uint32_t>(limits.max_warps_per_mp / warps);
  if (registers > 0) {
    result.limit_registers = static_cast<std::uint32_t>(limits.registers_per_mp / group_registers);
  }
  if (request.local_bytes > 0) {
    result.limit_local = static_cast<std::uint32_t>(limits.local_per_mp / local);
  }
  // The smallest (count, name) pair; ties fall to the first name of the alphabet: device, regs, smem, warps.
  result.groups_per_mp = result.limit_groups;
  result.limiting_factors = factor::groups;
  const auto lower = [&](std::uint32_t limit, std::uint32_t name) {
    if (limit < result.groups_per_mp) {
      result.groups_per_mp = limit;
      result.limiting_factors = name;
    }
  };
  lower(result.limit_registers, factor::registers);
  lower(result.limit_local, factor::local);
  lower(result.limit_warps, factor::warps);
  result.warps_per_group = static_cast<std::uint32_t>(warps);
  result.warps_per_mp = result.groups_per_mp * result.warps_per_group;
  result.max_warps_per_mp = limits.max_warps_per_mp;
  result.registers_per_group = group_registers;
  result.local_per_group = local;
  result.local_per_mp = limits.local_per_mp;
  result.occupancy = static_cast<double>(result.warps_per_mp) / static_cast<double>(limits.max_warps_per_mp);
  return Status::success;
}

}  // namespace clpool::core::device
