// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Questions to the driver, and the device's place in the loader's list.
#include "device/device_facts.hpp"

#include <algorithm>

#include "cl/info.hpp"
#include "device/catalog.hpp"

namespace clpool::core::device {
namespace {

void find_place(cl_device_id device, DeviceFacts& facts) {
  Catalog catalog;
  if (read_catalog(catalog) != Status::success) {
    return;
  }
  for (std::size_t p = 0; p < catalog.size(); ++p) {
    const auto& devices = catalog[p].devices;
    const auto place = std::find_if(devices.begin(), devices.end(),
                                    [device](const DeviceEntry& entry) { return entry.id == device; });
    if (place != devices.end()) {
      facts.platform_index = static_cast<std::uint32_t>(p);
      facts.device_index = static_cast<std::uint32_t>(place - devices.begin());
      return;
    }
  }
}

}  // namespace

Status read_device_facts(cl_device_id device, DeviceFacts& facts) {
  CLPOOL_TRY(cl::query_text(device, CL_DEVICE_NAME, facts.name));
  facts.vendor = cl::text_or_empty(device, CL_DEVICE_VENDOR);
  facts.version = cl::text_or_empty(device, CL_DEVICE_VERSION);
  facts.driver_version = cl::text_or_empty(device, CL_DRIVER_VERSION);
  facts.platform =
      cl::text_or_empty(cl::query_or<cl_platform_id>(device, CL_DEVICE_PLATFORM, nullptr), CL_PLATFORM_NAME);
  facts.type = cl::query_or<cl_device_type>(device, CL_DEVICE_TYPE, 0);
  facts.compute_units = cl::query_or<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS, 0);
  facts.memory_bytes = cl::query_or<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE, 0);
  facts.largest_allocation_bytes = cl::query_or<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, 0);
  facts.local_memory_bytes = cl::query_or<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE, 0);
  facts.alignment = cl::query_or<cl_uint>(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, 0) / 8;
  facts.has_unified_memory = cl::query_or<cl_bool>(device, CL_DEVICE_HOST_UNIFIED_MEMORY, 0) == CL_TRUE;
  facts.has_out_of_order_queues =
      (cl::query_or<cl_command_queue_properties>(device, CL_DEVICE_QUEUE_PROPERTIES, 0) &
       CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
  cl::Version version;
  if (cl::device_version(device, version) == Status::success) {
    facts.version_major = static_cast<std::uint32_t>(version.major);
    facts.version_minor = static_cast<std::uint32_t>(version.minor);
    facts.svm_capabilities =
        version.major >= 2 ? cl::query_or<cl_device_svm_capabilities>(device, CL_DEVICE_SVM_CAPABILITIES, 0)
                           : 0;
  }
  find_place(device, facts);
  clear_last_error();  // of questions without an answer
  return Status::success;
}

}  // namespace clpool::core::device
