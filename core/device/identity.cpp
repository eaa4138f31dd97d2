// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Reading of a device's identity and the guarded vendor queries.
#include "device/identity.hpp"

#include <strings.h>

#include <cstdio>
#include <cstring>

namespace clpool::core::device {

bool Identity::has(std::string_view extension_name) const noexcept {
  for (std::size_t at = extensions.find(extension_name); at != std::string::npos;
       at = extensions.find(extension_name, at + 1)) {
    const std::size_t end = at + extension_name.size();
    if ((at == 0 || extensions[at - 1] == ' ') && (end == extensions.size() || extensions[end] == ' ')) {
      return true;
    }
  }
  return false;
}

Status identify(cl_device_id device, Identity& identity) {
  identity.id = device;
  CLPOOL_TRY(cl::query(device, CL_DEVICE_TYPE, identity.type));
  CLPOOL_TRY(cl::query(device, CL_DEVICE_PLATFORM, identity.platform));
  identity.name = cl::text_or_empty(device, CL_DEVICE_NAME);
  identity.vendor = cl::text_or_empty(device, CL_DEVICE_VENDOR);
  identity.extensions = cl::text_or_empty(device, CL_DEVICE_EXTENSIONS);
  identity.platform_name = cl::text_or_empty(identity.platform, CL_PLATFORM_NAME);
  identity.platform_vendor = cl::text_or_empty(identity.platform, CL_PLATFORM_VENDOR);
  identity.platform_version = cl::text_or_empty(identity.platform, CL_PLATFORM_VERSION);
  identity.maker = maker_of(static_cast<cl_uint>(ask(identity, CL_DEVICE_VENDOR_ID)), identity.vendor);
  // A version that cannot be read stays 0.0: nothing of a later version is asked.
  static_cast<void>(cl::parse_version(cl::text_or_empty(device, CL_DEVICE_VERSION), identity.version));
  return Status::success;
}

cl_ulong ask(const Identity& device, const char* extension_name, cl_uint name) {
  return device.has(extension_name) ? ask(device, name) : 0;
}

cl_ulong ask(const Identity& device, cl_uint name) {
  std::size_t size = 0;
  if (clGetDeviceInfo(device.id, name, 0, nullptr, &size) != CL_SUCCESS ||
      (size != sizeof(cl_uint) && size != sizeof(cl_ulong))) {
    return 0;
  }
  if (size == sizeof(cl_uint)) {
    cl_uint value = 0;
    return clGetDeviceInfo(device.id, name, sizeof value, &value, nullptr) == CL_SUCCESS ? value : 0;
  }
  cl_ulong value = 0;
  return clGetDeviceInfo(device.id, name, sizeof value, &value, nullptr) == CL_SUCCESS ? value : 0;
}

bool compute_capability(const Identity& device, cl_uint& major, cl_uint& minor) {
  major = static_cast<cl_uint>(ask(device, extension::nv_attributes, token::nv_compute_capability_major));
  minor = static_cast<cl_uint>(ask(device, extension::nv_attributes, token::nv_compute_capability_minor));
  return major != 0;
}

PoclVersion pocl_version(std::string_view platform_name, const std::string& platform_version) noexcept {
  PoclVersion result;
  result.is_pocl = platform_name == "Portable Computing Language";
  if (!result.is_pocl) {
    return result;
  }
  // Old versions wrote "pocl"; the case of the letters is all that may differ.
  const char* text = platform_version.c_str();
  int begin = 0;
  if (::strncasecmp(text, "OpenCL ", 7) != 0 || std::sscanf(text + 7, "%*d.%*d %n", &begin) != 0 ||
      begin == 0) {
    return result;
  }
  const char* rest = text + 7 + begin;
  result.is_known = ::strncasecmp(rest, "PoCL ", 5) == 0 &&
                    std::sscanf(rest + 5, "%d.%d", &result.version.major, &result.version.minor) == 2;
  return result;
}

}  // namespace clpool::core::device
