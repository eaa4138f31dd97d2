// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Enumeration of platforms and devices.
#include "device/catalog.hpp"

#include <atomic>

#include "cl/info.hpp"
#include "cl/turn.hpp"

namespace clpool::core::device {
namespace {

constexpr cl_int no_platform_found = -1001;  // CL_PLATFORM_NOT_FOUND_KHR of the ICD loader

/// Whether some thread has listed all devices. Drivers make them in the first calls, and a thread that comes while another
/// one is in these finds none with PoCL 3.1, or crashes.
constinit std::atomic<bool> are_made{false};

/// Devices of a platform; a platform that fails here offers none, so that one broken driver hides no other.
std::vector<cl_device_id> devices_of(cl_platform_id platform) {
  cl_uint count = 0;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS || count == 0) {
    return {};
  }
  std::vector<cl_device_id> ids(count);
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(), nullptr) != CL_SUCCESS) {
    return {};
  }
  return ids;
}

}  // namespace

void read_device(cl_device_id id, DeviceEntry& entry) {
  entry.id = id;
  entry.name = cl::text_or_empty(id, CL_DEVICE_NAME);
  entry.vendor = cl::text_or_empty(id, CL_DEVICE_VENDOR);
  entry.platform =
      cl::text_or_empty(cl::query_or<cl_platform_id>(id, CL_DEVICE_PLATFORM, nullptr), CL_PLATFORM_NAME);
  entry.type = cl::query_or<cl_device_type>(id, CL_DEVICE_TYPE, 0);
  entry.vendor_id = cl::query_or<cl_uint>(id, CL_DEVICE_VENDOR_ID, 0);
  entry.available = cl::query_or<cl_bool>(id, CL_DEVICE_AVAILABLE, CL_FALSE) == CL_TRUE;
  entry.shares_host_memory = cl::query_or<cl_bool>(id, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE) == CL_TRUE;
}

Status read_catalog(Catalog& catalog) {
  const cl::Turn first(!are_made.load(std::memory_order_acquire));
  cl_uint count = 0;
  cl_int code = clGetPlatformIDs(0, nullptr, &count);
  if (code == no_platform_found || (code == CL_SUCCESS && count == 0)) {
    return Status::success;
  }
  std::vector<cl_platform_id> ids(count);
  if (code == CL_SUCCESS) {
    code = clGetPlatformIDs(count, ids.data(), nullptr);
  }
  if (code != CL_SUCCESS) {
    return fail_cl(code, "clGetPlatformIDs", "the platforms cannot be listed");
  }
  for (const cl_platform_id id : ids) {
    PlatformEntry& platform = catalog.emplace_back();
    platform.name = cl::text_or_empty(id, CL_PLATFORM_NAME);
    platform.vendor = cl::text_or_empty(id, CL_PLATFORM_VENDOR);
    for (const cl_device_id device : devices_of(id)) {
      read_device(device, platform.devices.emplace_back());
    }
  }
  are_made.store(true, std::memory_order_release);
  return Status::success;
}

std::string describe(const DeviceEntry& entry) {
  return entry.name + " [" + entry.platform + "]";
}

}  // namespace clpool::core::device
