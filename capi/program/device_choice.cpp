// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Enumeration of OpenCL's platforms and devices.
#include "device_choice.hpp"

#include <clpool/device.h>

#include <algorithm>
#include <string_view>

#include "failure.hpp"

namespace clpool::program {
namespace {

Device describe(cl_platform_id platform, cl_device_id id) {
  clpool_device_facts facts = CLPOOL_DEVICE_FACTS_INIT;
  check(clpool_device_read_facts(id, &facts));
  Device device;
  device.platform = platform;
  device.id = id;
  device.type = facts.type;
  device.name = facts.name;
  device.vendor = facts.vendor;
  device.version = facts.version;
  device.platform_name = facts.platform;
  device.memory = facts.memory_bytes;
  device.largest = facts.largest_allocation_bytes;
  device.platform_index = facts.platform_index;
  device.index_in_platform = facts.device_index;
  return device;
}

std::vector<cl_device_id> devices_of(cl_platform_id platform) {
  cl_uint count = 0;
  const cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (code != CL_SUCCESS || count == 0) {
    return {};  // a platform whose devices are absent or broken must not hide the others
  }
  std::vector<cl_device_id> ids(count);
  check_cl(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr), "clGetDeviceIDs");
  return ids;
}

/// The library's last error, which calls what the program calls --device its selector.
std::string why_not_chosen() {
  const std::string message = clpool_last_error_message();
  constexpr std::string_view selector = "selector: ";
  return message.starts_with(selector) ? "--device: " + message.substr(selector.size()) : message;
}

}  // namespace

std::vector<Device> list_devices() {
  cl_uint count = 0;
  if (clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS || count == 0) {
    return {};
  }
  std::vector<cl_platform_id> platforms(count);
  check_cl(clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs");
  std::vector<Device> devices;
  for (const cl_platform_id platform : platforms) {
    for (const cl_device_id id : devices_of(platform)) {
      devices.push_back(describe(platform, id));
    }
  }
  return devices;
}

std::size_t choose_device(const std::vector<Device>& devices, const std::string& selector) {
  if (devices.empty()) {
    throw Failure(ExitCode::device_failed, "no OpenCL device found (is a driver or PoCL installed?)");
  }
  clpool_device_options options = CLPOOL_DEVICE_OPTIONS_INIT;
  options.selector = selector.c_str();
  cl_device_id chosen = nullptr;
  const clpool_status status = clpool_device_choose(&options, &chosen);
  if (status == CLPOOL_ERROR_NOT_FOUND || status == CLPOOL_ERROR_BAD_FORMAT) {
    throw Failure(ExitCode::bad_input, why_not_chosen());
  }
  check(status);
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [chosen](const Device& device) { return device.id == chosen; });
  if (found == devices.end()) {
    throw Failure(ExitCode::device_failed, "the chosen device is gone from OpenCL's list");
  }
  return static_cast<std::size_t>(found - devices.begin());
}

const char* type_name(const Device& device) {
  if ((device.type & CL_DEVICE_TYPE_GPU) != 0) {
    return "GPU";
  }
  if ((device.type & CL_DEVICE_TYPE_ACCELERATOR) != 0) {
    return "accelerator";
  }
  return (device.type & CL_DEVICE_TYPE_CPU) != 0 ? "CPU" : "other";
}

}  // namespace clpool::program
