// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Which OpenCL devices there are. Which one is meant by --device, or by the environment, is the library's to
// say (clpool/device.h).
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <string>
#include <vector>

namespace clpool::program {

struct Device {
  cl_platform_id platform = nullptr;
  cl_device_id id = nullptr;
  std::size_t platform_index = 0;
  std::size_t index_in_platform = 0;
  cl_device_type type = 0;
  std::string name;
  std::string vendor;
  std::string platform_name;
  std::string version;        ///< such as "OpenCL 3.0 …"
  std::uint64_t memory = 0;   ///< bytes of CL_DEVICE_GLOBAL_MEM_SIZE
  std::uint64_t largest = 0;  ///< bytes of CL_DEVICE_MAX_MEM_ALLOC_SIZE
};

/// Help of the option --device.
inline constexpr const char* device_option_help =
    "PLATFORM:DEVICE (numbers or parts of names), a part of a name, gpu, accelerator or cpu; by default "
    "what CLPOOL_DEVICE says, else the best";

/// All devices of all platforms, in the order in which OpenCL gives them.
std::vector<Device> list_devices();

/// Index of the device that clpool_device_choose() takes for this selector. Throws Failure: device_failed if
/// there are no devices, bad_input if the selector or the environment means none of them.
std::size_t choose_device(const std::vector<Device>& devices, const std::string& selector);

/// "GPU", "accelerator", "CPU" or "other".
const char* type_name(const Device& device);

}  // namespace clpool::program
