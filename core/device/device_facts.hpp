// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a device is called and has, for people to choose from.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <string>

#include "base/status.hpp"

namespace clpool::core::device {

/// Numbers are 0 and texts empty where the driver does not answer.
struct DeviceFacts {
  std::uint32_t platform_index = UINT32_MAX;  ///< in the loader's order; UINT32_MAX for a sub-device
  std::uint32_t device_index = UINT32_MAX;    ///< among its platform's
  std::uint32_t compute_units = 0;
  cl_device_type type = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t largest_allocation_bytes = 0;
  std::uint64_t local_memory_bytes = 0;
  std::uint64_t alignment = 0;  ///< bytes
  std::uint64_t svm_capabilities = 0;
  std::uint32_t version_major = 0;
  std::uint32_t version_minor = 0;
  bool has_unified_memory = false;
  bool has_out_of_order_queues = false;
  std::string name;
  std::string vendor;
  std::string platform;
  std::string version;
  std::string driver_version;
};

/// OPENCL if it is no device.
Status read_device_facts(cl_device_id device, DeviceFacts& facts);

}  // namespace clpool::core::device
