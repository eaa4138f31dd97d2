// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the options make of the device.
#pragma once

#include <CL/cl.h>

#include <string>

namespace stub {

cl_device_type device_type();
std::string version_text();  ///< "OpenCL 3.0"
cl_version numeric_version();
std::string extension_list();
bool has_extension(const std::string& name);
cl_device_svm_capabilities svm_capabilities();

}  // namespace stub
