// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Intel: hardware threads per execution unit and shared local memory of a sub-slice (dual sub-slice, Xe
// core).
#include <algorithm>

#include "device/architectures.hpp"

namespace clpool::core::device {
namespace {

struct Architecture {
  std::string_view name;
  std::uint32_t units;      ///< execution units (vector engines) per sub-slice
  std::uint32_t threads;    ///< hardware threads per unit
  std::uint32_t groups;     ///< work-groups per sub-slice: its barriers
  std::uint32_t local_kib;  ///< shared local memory per sub-slice
  std::uint32_t local_group_kib;
  std::uint32_t most_registers;  ///< per hardware thread: 256 halves the threads where the large file exists
};

constexpr Architecture architectures[] = {
    {"gen9", 8, 7, 16, 64, 64, 128},     {"gen11", 8, 7, 16, 64, 64, 128},
    {"xe-lp", 16, 7, 32, 128, 64, 128},  {"xe-hpg", 16, 8, 32, 128, 64, 256},
    {"xe-hpc", 8, 8, 64, 128, 128, 256}, {"xe2", 8, 8, 64, 128, 128, 256},
};

constexpr std::uint32_t registers_of_thread = 128;

}  // namespace

Status intel_limits(std::string_view architecture, std::uint32_t simd, Limits& limits) noexcept {
  const Architecture* known =
      std::find_if(std::begin(architectures), std::end(architectures),
                   [&](const Architecture& each) { return each.name == architecture; });
  if (known == std::end(architectures)) {
    return fail(Status::not_found,
                "'%.*s' is not a known Intel architecture: gen9, gen11, xe-lp, xe-hpg, xe-hpc, xe2",
                static_cast<int>(std::min<std::size_t>(architecture.size(), 64)), architecture.data());
  }
  const std::uint32_t width = simd != 0 ? simd : 16;
  if (width != 8 && width != 16 && width != 32) {
    return fail(Status::invalid_value, "a sub-group of %u is asked for, Intel has 8, 16 and 32", width);
  }
  limits = {};
  limits.vendor = Vendor::intel;
  limits.warp_size = width;
  limits.max_threads_per_group = std::min<std::uint32_t>(1024, known->units * known->threads * width);
  limits.max_warps_per_mp = known->units * known->threads;
  limits.max_groups_per_mp = known->groups;
  limits.max_lone_warp_groups_per_mp = limits.max_warps_per_mp;  // no barrier needed
  // Registers are those of a hardware thread, 128 each; what needs more takes the file of two threads.
  limits.register_lanes = 1;
  limits.register_unit = registers_of_thread;
  limits.sub_partitions = known->units;
  limits.registers_per_mp = registers_of_thread * known->threads * known->units;
  limits.registers_per_group = limits.registers_per_mp;
  limits.max_registers_per_thread = known->most_registers;
  limits.local_per_mp = std::uint64_t{known->local_kib} * 1024;
  limits.local_per_group = std::uint64_t{known->local_group_kib} * 1024;
  limits.local_unit = 1024;
  limits.local_access_threads = 16;
  limits.source = Source::table;
  limits.note = "public figures of the architecture; registers are those of a hardware thread (128, or 256)";
  return Status::success;
}

const char* intel_architecture(std::uint32_t ip_version) noexcept {
  const std::uint32_t major = ip_version >> 22;
  const std::uint32_t minor = ip_version >> 14 & 0xFF;
  switch (major) {
    case 9:
      return "gen9";
    case 11:
      return "gen11";
    case 12:
      if (minor < 50) {
        return "xe-lp";
      }
      // 12.60 and 12.61 are Ponte Vecchio; 12.55 … 12.57, 12.70, 12.71 and 12.74 have Xe-HPG's cores.
      return minor == 60 || minor == 61 ? "xe-hpc" : "xe-hpg";
    case 20:
      return "xe2";
    default:
      return nullptr;
  }
}

}  // namespace clpool::core::device
