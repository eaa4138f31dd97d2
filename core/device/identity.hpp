// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What every question about a device begins with: who made it, its versions and extensions, and the vendors'
// own queries, which are asked only of devices that list the extension.
#pragma once

#include <CL/cl.h>

#include <string>

#include "base/status.hpp"
#include "cl/info.hpp"
#include "device/vendor.hpp"

namespace clpool::core::device {

/// Query numbers that the headers may lack.
namespace token {
inline constexpr cl_uint nv_compute_capability_major = 0x4000;
inline constexpr cl_uint nv_compute_capability_minor = 0x4001;
inline constexpr cl_uint nv_registers_per_block = 0x4002;
inline constexpr cl_uint nv_warp_size = 0x4003;
inline constexpr cl_uint amd_wavefront_width = 0x4043;
inline constexpr cl_uint amd_local_mem_banks = 0x4048;
inline constexpr cl_uint intel_sub_group_sizes = 0x4108;
inline constexpr cl_uint intel_compile_sub_group_size = 0x410A;
inline constexpr cl_uint intel_ip_version = 0x4250;
inline constexpr cl_uint intel_eus_per_sub_slice = 0x4254;
inline constexpr cl_uint intel_threads_per_eu = 0x4255;
inline constexpr cl_uint preferred_work_group_size_multiple = 0x1067;  // OpenCL 3.0
inline constexpr cl_uint max_num_sub_groups = 0x105C;                  // OpenCL 2.1
}  // namespace token

namespace extension {
inline constexpr const char* nv_attributes = "cl_nv_device_attribute_query";
inline constexpr const char* amd_attributes = "cl_amd_device_attribute_query";
inline constexpr const char* intel_attributes = "cl_intel_device_attribute_query";
inline constexpr const char* intel_sub_group_size = "cl_intel_required_subgroup_size";
}  // namespace extension

struct Identity {
  cl_device_id id = nullptr;
  cl_platform_id platform = nullptr;
  cl_device_type type = 0;
  Maker maker = Maker::unknown;
  cl::Version version;
  std::string name, vendor, extensions;
  std::string platform_name, platform_vendor, platform_version;

  bool is_cpu() const noexcept { return (type & CL_DEVICE_TYPE_CPU) != 0; }
  bool is_gpu() const noexcept { return !is_cpu() && (type & CL_DEVICE_TYPE_GPU) != 0; }
  /// True if the extension list has exactly this word.
  bool has(std::string_view extension_name) const noexcept;
};

/// OPENCL if `device` is no device; texts that it does not answer stay empty.
Status identify(cl_device_id device, Identity& identity);

/// A number that the device answers; 0 where it does not, or does not list `extension_name`. Drivers that
/// answer 0 to what they do not know mean the same.
cl_ulong ask(const Identity& device, const char* extension_name, cl_uint name);

/// The same for core queries, which need no extension.
cl_ulong ask(const Identity& device, cl_uint name);

/// NVIDIA's compute capability; false for devices that have none.
bool compute_capability(const Identity& device, cl_uint& major, cl_uint& minor);

/// "OpenCL x.y PoCL a.b…" of a platform named exactly "Portable Computing Language".
struct PoclVersion {
  bool is_pocl = false;
  bool is_known = false;  ///< the version text could be read
  cl::Version version;
};
PoclVersion pocl_version(std::string_view platform_name, const std::string& platform_version) noexcept;

}  // namespace clpool::core::device
