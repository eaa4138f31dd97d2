// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The table of NVIDIA's multiprocessors, and PyCUDA's rules of 2014 for the same.
#include "device/nvidia.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <initializer_list>

namespace clpool::core::device {
namespace {

constexpr std::uint32_t ki = 1024;

/// Limits of one compute capability (NVIDIA's CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability"); local memory in KiB.
struct Row {
  std::uint32_t major, minor;
  std::uint32_t warps, groups;
  std::uint32_t registers_per_mp, registers_per_group, registers_per_thread;
  std::uint32_t local_per_mp, local_per_group_opt_in;
};

// Rows 1.x are not documented as well as the others. 5.2: NVIDIA's old spreadsheet has 32 Ki registers per
// group, guide and device query 64 Ki. 12.0: the tuning guide has 32 groups and 128 KiB, the guide's table
// and the devices 24 and 100.
constexpr Row rows[] = {
    {1, 0, 24, 8, 8 * ki, 8 * ki, 124, 16, 16},       {1, 1, 24, 8, 8 * ki, 8 * ki, 124, 16, 16},
    {1, 2, 32, 8, 16 * ki, 16 * ki, 124, 16, 16},     {1, 3, 32, 8, 16 * ki, 16 * ki, 124, 16, 16},
    {2, 0, 48, 8, 32 * ki, 32 * ki, 63, 48, 48},      {2, 1, 48, 8, 32 * ki, 32 * ki, 63, 48, 48},
    {3, 0, 64, 16, 64 * ki, 64 * ki, 63, 48, 48},     {3, 2, 64, 16, 64 * ki, 32 * ki, 255, 48, 48},
    {3, 5, 64, 16, 64 * ki, 64 * ki, 255, 48, 48},    {3, 7, 64, 16, 128 * ki, 64 * ki, 255, 112, 48},
    {5, 0, 64, 32, 64 * ki, 64 * ki, 255, 64, 48},    {5, 2, 64, 32, 64 * ki, 64 * ki, 255, 96, 48},
    {5, 3, 64, 32, 64 * ki, 32 * ki, 255, 64, 48},    {6, 0, 64, 32, 64 * ki, 64 * ki, 255, 64, 48},
    {6, 1, 64, 32, 64 * ki, 64 * ki, 255, 96, 48},    {6, 2, 64, 32, 64 * ki, 32 * ki, 255, 64, 48},
    {7, 0, 64, 32, 64 * ki, 64 * ki, 255, 96, 96},    {7, 2, 64, 32, 64 * ki, 64 * ki, 255, 96, 96},
    {7, 5, 32, 16, 64 * ki, 64 * ki, 255, 64, 64},    {8, 0, 64, 32, 64 * ki, 64 * ki, 255, 164, 163},
    {8, 6, 48, 16, 64 * ki, 64 * ki, 255, 100, 99},   {8, 7, 48, 16, 64 * ki, 64 * ki, 255, 164, 163},
    {8, 8, 48, 16, 64 * ki, 64 * ki, 255, 100, 99},   {8, 9, 48, 24, 64 * ki, 64 * ki, 255, 100, 99},
    {9, 0, 64, 32, 64 * ki, 64 * ki, 255, 228, 227},  {10, 0, 64, 32, 64 * ki, 64 * ki, 255, 228, 227},
    {10, 1, 48, 24, 64 * ki, 64 * ki, 255, 228, 227},  // the first name of 11.0
    {10, 3, 64, 32, 64 * ki, 64 * ki, 255, 228, 227}, {11, 0, 48, 24, 64 * ki, 64 * ki, 255, 228, 227},
    {12, 0, 48, 24, 64 * ki, 64 * ki, 255, 100, 99},  {12, 1, 48, 24, 64 * ki, 64 * ki, 255, 100, 99},
};

void set_carve_outs(Limits& limits, std::initializer_list<std::uint32_t> sizes_in_kib) noexcept {
  limits.carve_out_count = 0;
  for (const std::uint32_t size : sizes_in_kib) {
    limits.carve_outs[limits.carve_out_count++] = std::uint64_t{size} * ki;
  }
}

void set_carve_outs(Limits& limits, const Row& row) noexcept {
  switch (row.major) {
    case 1:
      return set_carve_outs(limits, {16});
    case 2:
      return set_carve_outs(limits, {16, 48});
    case 3:
      return row.minor == 7 ? set_carve_outs(limits, {80, 96, 112}) : set_carve_outs(limits, {16, 32, 48});
    case 5:
    case 6:
      return set_carve_outs(limits, {row.local_per_mp});
    case 7:
      return row.minor == 5 ? set_carve_outs(limits, {32, 64})
                            : set_carve_outs(limits, {0, 8, 16, 32, 64, 96});
    default:
      break;
  }
  switch (row.local_per_mp) {
    case 100:
      return set_carve_outs(limits, {0, 8, 16, 32, 64, 100});
    case 164:
      return set_carve_outs(limits, {0, 8, 16, 32, 64, 100, 132, 164});
    default:
      return set_carve_outs(limits, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228});
  }
}

std::uint32_t barriers_per_mp(const Row& row) noexcept {
  if (row.major >= 9) {
    return 2 * row.groups;
  }
  return row.major == 8 && row.minor != 0 ? row.groups : 0;
}

void set_register_rules(Limits& limits, const Row& row) noexcept {
  if (row.major == 1) {
    limits.register_allocation = RegisterAllocation::group;
    limits.register_unit = row.minor < 2 ? 256 : 512;
    limits.warp_granularity = 2;
    return;
  }
  limits.register_unit = row.major == 2 ? 64 : 256;
  limits.sub_partitions = row.major == 2 || (row.major == 6 && row.minor == 0) ? 2 : 4;
  limits.warp_granularity = limits.sub_partitions;
  limits.min_sub_partitions_check = row.major == 6 && row.minor == 0 ? 4 : 0;
}

std::uint64_t local_unit(std::uint32_t major) noexcept {
  if (major == 1) {
    return 512;
  }
  return major >= 3 && major < 8 ? 256 : 128;
}

Limits limits_of(const Row& row, Model model) noexcept {
  Limits limits;
  limits.model = model;
  limits.vendor = Vendor::nvidia;
  limits.compute_major = row.major;
  limits.compute_minor = row.minor;
  limits.warp_size = 32;
  limits.max_threads_per_group = row.major == 1 ? 512 : 1024;
  limits.max_warps_per_mp = row.warps;
  limits.max_groups_per_mp = row.groups;
  limits.registers_per_mp = row.registers_per_mp;
  limits.registers_per_group = row.registers_per_group;
  limits.max_registers_per_thread = row.registers_per_thread;
  limits.register_lanes = limits.warp_size;
  set_register_rules(limits, row);
  limits.barriers_per_mp = barriers_per_mp(row);
  limits.partitioned_cache = (row.major == 5 && row.minor != 0) || (row.major == 6 && row.minor != 0);
  limits.local_per_mp = std::uint64_t{row.local_per_mp} * ki;
  limits.local_per_group = std::uint64_t{row.major == 1 ? 16u : 48u} * ki;
  limits.local_per_group_opt_in = std::uint64_t{row.local_per_group_opt_in} * ki;
  limits.local_unit = local_unit(row.major);
  limits.local_reserved = row.major >= 8 ? 1024 : 0;
  limits.local_access_threads = row.major == 1 ? 16 : 32;
  set_carve_outs(limits, row);
  limits.source = Source::table;
  limits.note = row.major == 1 ? "compute capabilities 1.x: from general knowledge, not from a document" : "";
  if (model != Model::current) {
    limits.registers_per_mp = limits.registers_per_group;
    limits.local_per_mp = limits.local_per_group;
    apply_pycuda_rules(limits);
  }
  return limits;
}

const Row* find_row(std::int64_t major, std::int64_t minor) noexcept {
  const Row* found = std::find_if(std::begin(rows), std::end(rows),
                                  [&](const Row& row) { return row.major == major && row.minor == minor; });
  return found == std::end(rows) ? nullptr : found;
}

}  // namespace

Status nvidia_limits(std::int64_t major, std::int64_t minor, Model model, Limits& limits) noexcept {
  const Row* row = find_row(major, minor);
  if (row == nullptr) {
    char known[256];
    std::size_t length = 0;
    for (const Row& each : rows) {
      length += static_cast<std::size_t>(
          std::snprintf(known + length, sizeof known - length, " %u.%u", each.major, each.minor));
    }
    return fail(Status::not_found, "compute capability %" PRId64 ".%" PRId64 " is not known; known are%s",
                major, minor, known);
  }
  limits = limits_of(*row, model);
  return Status::success;
}

Status nearest_nvidia_limits(std::int64_t major, std::int64_t minor, Model model, Limits& limits) noexcept {
  const Row* nearest = nullptr;
  for (const Row& row : rows) {
    if (row.major < major || (row.major == major && row.minor <= minor)) {
      nearest = &row;
    }
  }
  if (nearest == nullptr) {
    return fail(Status::not_found,
                "compute capability %" PRId64 ".%" PRId64 " is older than the oldest known, 1.0", major,
                minor);
  }
  limits = limits_of(*nearest, model);
  if (nearest->major != major || nearest->minor != minor) {
    limits.source = Source::guess;
    limits.note = "this compute capability is not in the table: figures of the closest older one";
  }
  return Status::success;
}

void apply_pycuda_rules(Limits& limits) noexcept {
  const bool fermi_or_later = limits.compute_major >= 2;
  const bool kepler_or_later = limits.compute_major >= 3;
  const bool first_two = limits.compute_major == 1 && limits.compute_minor < 2;
  limits.max_warps_per_mp = first_two ? 24 : 32;
  if (fermi_or_later) {
    limits.max_warps_per_mp = kepler_or_later && limits.model == Model::pyopencl ? 64 : 48;
  }
  limits.max_groups_per_mp = 8;
  limits.local_unit = fermi_or_later ? 128 : 512;
  limits.local_access_threads = fermi_or_later ? 32 : 16;
  limits.local_reserved = 0;
  limits.note = "PyCUDA's figures: some are outdated since compute capability 3.0";
}

std::uint32_t fermi_register_unit(std::uint64_t registers_per_thread) noexcept {
  constexpr std::uint64_t wide[] = {21, 22, 29, 30, 37, 38, 45, 46};
  return std::find(std::begin(wide), std::end(wide), registers_per_thread) != std::end(wide) ? 128 : 64;
}

}  // namespace clpool::core::device
