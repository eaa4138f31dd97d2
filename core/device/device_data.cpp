// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Limits of OpenCL devices: their own answers over the table of their architecture.
#include "device/device_data.hpp"

#include <algorithm>

#include "device/architectures.hpp"
#include "device/identity.hpp"
#include "device/nvidia.hpp"
#include "device/simd.hpp"

namespace clpool::core::device {
namespace {

std::uint32_t number(cl_ulong value) noexcept {
  return static_cast<std::uint32_t>(std::min<cl_ulong>(value, UINT32_MAX));
}

/// The device's own answer, or what the table has where it gives none.
template <typename T>
void take(T& field, cl_ulong answer) noexcept {
  if (answer != 0) {
    field = static_cast<T>(std::min<cl_ulong>(answer, static_cast<T>(-1)));
  }
}

Status limits_of_nvidia(const Identity& device, cl_uint major, cl_uint minor, Model model, Limits& limits) {
  CLPOOL_TRY(nearest_nvidia_limits(major, minor, model, limits));
  limits.compute_major = major;
  limits.compute_minor = minor;
  const cl_ulong registers = ask(device, extension::nv_attributes, token::nv_registers_per_block);
  const cl_ulong local = ask(device, CL_DEVICE_LOCAL_MEM_SIZE);
  take(limits.warp_size, ask(device, extension::nv_attributes, token::nv_warp_size));
  take(limits.max_threads_per_group, ask(device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  take(limits.registers_per_group, registers);
  take(limits.local_per_group, local);
  if (model != Model::current) {
    take(limits.registers_per_mp, registers);
    take(limits.local_per_mp, local);
    return Status::success;
  }
  limits.local_per_group_opt_in = limits.local_per_group;  // OpenCL has no way to opt in
  if (limits.source == Source::table) {
    limits.source = Source::query;
    limits.note =
        "the device's own answers per group, the table of its compute capability per multiprocessor";
  }
  return Status::success;
}

Status limits_of_amd(const Identity& device, Limits& limits) {
  const auto wave = number(ask(device, extension::amd_attributes, token::amd_wavefront_width));
  CLPOOL_TRY(amd_limits(device.name, wave, limits));
  take(limits.local_per_group, ask(device, CL_DEVICE_LOCAL_MEM_SIZE));
  return Status::success;
}

Status limits_of_intel(const Identity& device, Limits& limits) {
  const auto version = number(ask(device, extension::intel_attributes, token::intel_ip_version));
  const char* architecture = intel_architecture(version);
  CLPOOL_TRY(intel_limits(architecture != nullptr ? architecture : "xe-lp", 0, limits));
  const cl_ulong units = ask(device, extension::intel_attributes, token::intel_eus_per_sub_slice);
  const cl_ulong threads = ask(device, extension::intel_attributes, token::intel_threads_per_eu);
  if (units != 0 && threads != 0) {
    limits.max_warps_per_mp = number(units * threads);
    limits.max_lone_warp_groups_per_mp = limits.max_warps_per_mp;
    limits.sub_partitions = number(units);
    limits.registers_per_mp = number(units * threads * limits.register_unit);
    limits.registers_per_group = limits.registers_per_mp;
  }
  take(limits.max_threads_per_group, ask(device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  take(limits.local_per_group, ask(device, CL_DEVICE_LOCAL_MEM_SIZE));
  if (architecture == nullptr) {
    limits.source = Source::guess;
    limits.note = "the device does not name its architecture: local memory and groups as Xe-LP has them";
  }
  return Status::success;
}

/// What can be said of any device: one group at a time on each compute unit.
Status limits_of_any(const Identity& device, Limits& limits) {
  Answer width;
  CLPOOL_TRY(simd_group_size(device, Model::current, width));
  limits = {};
  limits.warp_size = static_cast<std::uint32_t>(std::max<std::int64_t>(width.value, 1));
  limits.max_threads_per_group = 1;
  take(limits.max_threads_per_group, ask(device, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  limits.max_warps_per_mp = (limits.max_threads_per_group + limits.warp_size - 1) / limits.warp_size;
  limits.max_groups_per_mp = 1;
  limits.local_per_group = ask(device, CL_DEVICE_LOCAL_MEM_SIZE);
  limits.local_per_mp = limits.local_per_group;
  limits.source = Source::guess;
  limits.note = device.is_cpu() ? "a CPU runs one group at a time on each compute unit"
                                : "nothing is published: one group at a time on each compute unit is assumed";
  return Status::success;
}

Status current_limits(const Identity& device, Limits& limits) {
  if (device.is_gpu() && device.maker == Maker::amd && limits_of_amd(device, limits) == Status::success) {
    return Status::success;
  }
  if (device.is_gpu() && device.maker == Maker::intel) {
    return limits_of_intel(device, limits);
  }
  return limits_of_any(device, limits);
}

}  // namespace

Status limits_of_device(cl_device_id id, Model model, Limits& limits) {
  Identity device;
  CLPOOL_TRY(identify(id, device));
  cl_uint major = 0;
  cl_uint minor = 0;
  if (compute_capability(device, major, minor)) {
    return limits_of_nvidia(device, major, minor, model, limits);
  }
  if (model != Model::current) {
    return fail(Status::not_supported,
                "PyCUDA's device data need an NVIDIA device, '%s' has no compute capability",
                device.name.c_str());
  }
  return current_limits(device, limits);
}

}  // namespace clpool::core::device
