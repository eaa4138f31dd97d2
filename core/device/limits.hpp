// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a multiprocessor (compute unit, sub-slice) can hold, as numbers: the input of the occupancy model.
// Where the numbers come from is known by nvidia.cpp, amd.cpp, intel.cpp and device_data.cpp.
#pragma once

#include <array>
#include <cstdint>

namespace clpool::core::device {

enum class Vendor : std::uint32_t { generic = 0, nvidia = 1, amd = 2, intel = 3 };

/// Which rules are meant: today's, or PyOpenCL's and PyCUDA's, whose newest version and that of 2014 differ in
/// warps_per_mp.
enum class Model : std::uint32_t { current = 0, pyopencl = 1, pycuda_2014 = 2 };

/// What registers are given to: each warp, or the group as a whole (NVIDIA 1.x).
enum class RegisterAllocation : std::uint32_t { warp = 0, group = 1 };

/// How far the numbers can be trusted; the numbers are those of clpool/characterize.h.
enum class Source : std::uint32_t {
  none = 0,
  query = 1,
  kernel_query = 2,
  table = 3,
  guess = 4,
  not_applicable = 5,
};

inline constexpr std::size_t max_carve_outs = 16;

struct Limits {
  Model model = Model::current;
  Vendor vendor = Vendor::generic;
  std::uint32_t compute_major = 0;  ///< NVIDIA: compute capability; AMD: gfx major; else 0
  std::uint32_t compute_minor = 0;
  std::uint32_t warp_size = 0;                    ///< threads that run in step
  std::uint32_t max_threads_per_group = 0;        ///< threads
  std::uint32_t max_warps_per_mp = 0;             ///< warps
  std::uint32_t max_groups_per_mp = 0;            ///< groups
  std::uint32_t max_lone_warp_groups_per_mp = 0;  ///< groups of one warp each; 0: as max_groups_per_mp
  std::uint32_t registers_per_mp = 0;             ///< registers
  std::uint32_t registers_per_group = 0;          ///< registers; 0: as registers_per_mp
  std::uint32_t max_registers_per_thread = 0;     ///< 0: no limit of its own
  std::uint32_t register_unit = 1;                ///< registers are given out in multiples of this
  std::uint32_t register_lanes = 0;  ///< registers per warp = registers per thread * this; 0: warp_size
  RegisterAllocation register_allocation = RegisterAllocation::warp;
  std::uint32_t warp_granularity =
      1;                             ///< warps: the per-group register check rounds up to a multiple of this
  std::uint32_t sub_partitions = 1;  ///< parts of the register file; a warp's registers are in one of them
  std::uint32_t min_sub_partitions_check =
      0;                              ///< a group must also fit with so many partitions (cc 6.0); 0: none
  std::uint32_t barriers_per_mp = 0;  ///< named barriers; 0: no limit
  bool partitioned_cache = false;     ///< has NVIDIA's partitioned global caching
  std::uint64_t local_per_mp = 0;     ///< bytes
  std::uint64_t local_per_group = 0;  ///< bytes without opting in
  std::uint64_t local_per_group_opt_in = 0;  ///< bytes with opting in; 0: as local_per_group
  std::uint64_t local_unit = 1;              ///< bytes
  std::uint64_t local_reserved = 0;          ///< bytes that the system takes for each group
  std::uint32_t local_access_threads = 0;    ///< threads taking part in one access to local memory
  std::array<std::uint64_t, max_carve_outs> carve_outs{};  ///< bytes per multiprocessor, ascending
  std::uint32_t carve_out_count = 0;
  Source source = Source::none;
  const char* note = "";  ///< static text
};

}  // namespace clpool::core::device
