// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The platforms and devices that OpenCL offers, with what choosing among them needs.
#pragma once

#include <CL/cl.h>

#include <string>
#include <vector>

#include "base/status.hpp"

namespace clpool::core::device {

struct DeviceEntry {
  cl_device_id id = nullptr;
  std::string name;
  std::string vendor;
  std::string platform;  ///< name of its platform
  cl_device_type type = 0;
  cl_uint vendor_id = 0;
  bool available = true;
  bool shares_host_memory = false;
};

struct PlatformEntry {
  std::string name;
  std::string vendor;
  std::vector<DeviceEntry> devices;
};

using Catalog = std::vector<PlatformEntry>;

/// Adds all platforms in the loader's order, each with all its devices. None at all is no error.
Status read_catalog(Catalog& catalog);

/// One device's entry.
void read_device(cl_device_id id, DeviceEntry& entry);

/// "name [platform]" for messages and reports.
std::string describe(const DeviceEntry& entry);

}  // namespace clpool::core::device
