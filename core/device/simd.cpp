// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// SIMD width by today's order of queries, and PyOpenCL's.
#include "device/simd.hpp"

#include <algorithm>
#include <cctype>
#include <string>

#include "device/probe.hpp"

namespace clpool::core::device {
namespace {

constexpr const char* per_kernel = "the compiler chooses for each kernel: ask the kernel, or see all sizes";

/// CL_DEVICE_SUB_GROUP_SIZES_INTEL, a list whose length must be asked first; empty without the extension.
std::vector<std::size_t> intel_sizes(const Identity& device) {
  std::vector<std::size_t> sizes;
  if (!device.has(extension::intel_sub_group_size) ||
      cl::query_list(device.id, token::intel_sub_group_sizes, sizes) != Status::success) {
    return {};
  }
  std::erase(sizes, std::size_t{0});
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

bool ask_vendor(const Identity& device, Answer& answer) {
  if (const cl_ulong warp = ask(device, extension::nv_attributes, token::nv_warp_size)) {
    answer = {static_cast<std::int64_t>(warp), Source::query, "CL_DEVICE_WARP_SIZE_NV", ""};
    return true;
  }
  if (const cl_ulong wave = ask(device, extension::amd_attributes, token::amd_wavefront_width)) {
    answer = {static_cast<std::int64_t>(wave), Source::query, "CL_DEVICE_WAVEFRONT_WIDTH_AMD",
              wave == 32 ? "kernels may also be compiled for 64" : ""};
    return true;
  }
  return false;
}

bool ask_intel(const Identity& device, Answer& answer) {
  const auto sizes = intel_sizes(device);
  if (sizes.empty()) {
    return false;
  }
  const bool has_16 = std::find(sizes.begin(), sizes.end(), 16u) != sizes.end();
  answer = {static_cast<std::int64_t>(has_16 ? 16 : sizes.front()), Source::query,
            "CL_DEVICE_SUB_GROUP_SIZES_INTEL", sizes.size() > 1 ? per_kernel : ""};
  return true;
}

bool ask_multiple(const Identity& device, cl_context context_or_null, Answer& answer) {
  if (device.version >= cl::Version{3, 0}) {
    if (const cl_ulong multiple = ask(device, token::preferred_work_group_size_multiple)) {
      answer = {static_cast<std::int64_t>(multiple), Source::query,
                "CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE", ""};
      return true;
    }
  }
  std::size_t multiple = 0;
  if (probe_group_size_multiple(device.id, context_or_null, multiple) != Status::success || multiple == 0) {
    return false;
  }
  answer = {static_cast<std::int64_t>(multiple), Source::kernel_query,
            "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE", ""};
  return true;
}

Answer width_by_table(const Identity& device) noexcept {
  if (device.is_cpu()) {
    return {1, Source::table, "CPU", "vector units are the compiler's business"};
  }
  switch (device.maker) {
    case Maker::nvidia:
      return {32, Source::table, "NVIDIA", ""};
    case Maker::amd:
      return {64, Source::table, "AMD", "RDNA devices have 32"};
    case Maker::intel:
      return {16, Source::table, "Intel", per_kernel};
    case Maker::arm:
      return {16, Source::table, "ARM Mali", "4 or 8 before Valhall"};
    case Maker::qualcomm:
      return {64, Source::table, "Qualcomm Adreno", "64 or 128, chosen for each kernel"};
    case Maker::apple:
      return {32, Source::table, "Apple", ""};
    default:
      return {1, Source::guess, "", "nothing is known of this device"};
  }
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Status pyopencl_group_size_multiple(const Identity& device, cl_context context_or_null, Answer& answer) {
  if (const cl_ulong warp = ask(device, extension::nv_attributes, token::nv_warp_size)) {
    answer = {static_cast<std::int64_t>(warp), Source::query, "CL_DEVICE_WARP_SIZE_NV", ""};
    return Status::success;
  }
  std::size_t multiple = 0;
  CLPOOL_TRY(probe_group_size_multiple(device.id, context_or_null, multiple));
  answer = {static_cast<std::int64_t>(multiple), Source::kernel_query,
            "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE", ""};
  return Status::success;
}

/// PyOpenCL's order, with its search for "ati" in vendor texts, which "Corporation" contains.
Status pyopencl_simd_group_size(const Identity& device, Answer& answer) {
  if (const cl_ulong warp = ask(device, extension::nv_attributes, token::nv_warp_size)) {
    answer = {static_cast<std::int64_t>(warp), Source::query, "CL_DEVICE_WARP_SIZE_NV", ""};
    return Status::success;
  }
  const std::string vendors = lower_case(device.platform_vendor) + '\n' + lower_case(device.vendor);
  const auto names = [&](const char* part) { return vendors.find(part) != std::string::npos; };
  if (names("nvidia")) {
    answer = {32, Source::table, "vendor text", ""};
    return Status::success;
  }
  if (names("advanced micro") || names("ati")) {
    if ((device.type & CL_DEVICE_TYPE_CPU) != 0) {
      answer = {1, Source::table, "vendor text", ""};
      return Status::success;
    }
    if ((device.type & CL_DEVICE_TYPE_GPU) != 0) {
      return pyopencl_group_size_multiple(device, nullptr, answer);
    }
    return fail(Status::not_supported, "PyOpenCL's model: unexpected AMD device type 0x%llX of '%s'",
                static_cast<unsigned long long>(device.type), device.name.c_str());
  }
  if ((device.type & CL_DEVICE_TYPE_CPU) != 0) {
    answer = {1, Source::table, "CPU", ""};
    return Status::success;
  }
  answer = {0, Source::none, "", "PyOpenCL's model has no answer for this device"};
  return Status::success;
}

}  // namespace

Status simd_group_size(const Identity& device, Model model, Answer& answer) {
  if (model != Model::current) {
    return pyopencl_simd_group_size(device, answer);
  }
  if (!ask_vendor(device, answer) && !ask_intel(device, answer) && !ask_multiple(device, nullptr, answer)) {
    answer = width_by_table(device);
  }
  return Status::success;
}

Status simd_group_sizes(const Identity& device, std::vector<std::uint32_t>& sizes, Answer& answer) {
  CLPOOL_TRY(simd_group_size(device, Model::current, answer));
  sizes.clear();
  if (answer.source == Source::query &&
      ask(device, extension::amd_attributes, token::amd_wavefront_width) == 32) {
    sizes = {32, 64};
    return Status::success;
  }
  for (const std::size_t size : intel_sizes(device)) {
    sizes.push_back(static_cast<std::uint32_t>(size));
  }
  if (sizes.empty()) {
    sizes = {static_cast<std::uint32_t>(answer.value)};
  }
  return Status::success;
}

Status group_size_multiple(const Identity& device, cl_context context_or_null, Model model, Answer& answer) {
  if (model != Model::current) {
    return pyopencl_group_size_multiple(device, context_or_null, answer);
  }
  if (!ask_vendor(device, answer) && !ask_multiple(device, context_or_null, answer)) {
    answer = width_by_table(device);
  }
  return Status::success;
}

Status simd_group_size_of_kernel(const Identity& device, cl_kernel kernel, Answer& answer) {
  const auto work_group_info = [&](cl_uint name) {
    std::size_t value = 0;
    const cl_int code = clGetKernelWorkGroupInfo(kernel, device.id, name, sizeof value, &value, nullptr);
    return code == CL_SUCCESS ? value : 0;
  };
  std::size_t multiple = 0;
  const cl_int code = clGetKernelWorkGroupInfo(
      kernel, device.id, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, sizeof multiple, &multiple, nullptr);
  if (code != CL_SUCCESS) {
    return fail_cl(code, "clGetKernelWorkGroupInfo", "the kernel is not one for '%s'", device.name.c_str());
  }
  if (device.has(extension::intel_sub_group_size)) {
    if (const std::size_t compiled = work_group_info(token::intel_compile_sub_group_size)) {
      answer = {static_cast<std::int64_t>(compiled), Source::kernel_query,
                "CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL", ""};
      return Status::success;
    }
  }
  if (device.version >= cl::Version{2, 1} && ask(device, token::max_num_sub_groups) != 0) {
    const std::size_t group = work_group_info(CL_KERNEL_WORK_GROUP_SIZE);
    std::size_t width = 0;
    if (clGetKernelSubGroupInfo(kernel, device.id, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof group,
                                &group, sizeof width, &width, nullptr) == CL_SUCCESS &&
        width != 0) {
      answer = {static_cast<std::int64_t>(width), Source::kernel_query,
                "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE", ""};
      return Status::success;
    }
  }
  answer = {static_cast<std::int64_t>(multiple), Source::kernel_query,
            "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE", ""};
  return Status::success;
}

Status sub_groups(const Identity& device, Answer& answer) {
  const bool core = device.version >= cl::Version{2, 1};
  const cl_ulong most = core ? ask(device, token::max_num_sub_groups) : 0;
  if (core) {
    answer = {static_cast<std::int64_t>(most), Source::query, "CL_DEVICE_MAX_NUM_SUB_GROUPS", ""};
    return Status::success;
  }
  const bool listed = device.has("cl_khr_subgroups") || device.has("cl_intel_subgroups");
  answer = {listed ? 1 : 0, Source::query, "CL_DEVICE_EXTENSIONS",
            listed ? "the device has sub-groups but does not say how many" : ""};
  return Status::success;
}

}  // namespace clpool::core::device
