// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Queries of versions, extensions and queue properties.
#include "cl/info.hpp"

#include <cstdio>
#include <cstring>

namespace clpool::core::cl {

Status parse_version(const std::string& text, Version& version) noexcept {
  if (std::sscanf(text.c_str(), "OpenCL %d.%d", &version.major, &version.minor) != 2) {
    return fail(Status::opencl, "malformed OpenCL version text: '%s'", text.c_str());
  }
  return Status::success;
}

Status device_version(cl_device_id device, Version& version) {
  std::string text;
  CLPOOL_TRY(query_text(device, CL_DEVICE_VERSION, text));
  return parse_version(text, version);
}

Status has_extension(cl_device_id device, const char* extension, bool& result) {
  result = false;
  std::string text;
  CLPOOL_TRY(query_text(device, CL_DEVICE_EXTENSIONS, text));
  const std::size_t length = std::strlen(extension);
  for (std::size_t at = text.find(extension); at != std::string::npos; at = text.find(extension, at + 1)) {
    const bool begins = at == 0 || text[at - 1] == ' ';
    const bool ends = at + length == text.size() || text[at + length] == ' ';
    result = result || (begins && ends);
  }
  return Status::success;
}

Status require_version(cl_device_id device, Version needed, const char* feature) {
  Version version;
  CLPOOL_TRY(device_version(device, version));
  if (version < needed) {
    return fail(Status::not_supported, "%s needs OpenCL %d.%d, the device has %d.%d", feature, needed.major,
                needed.minor, version.major, version.minor);
  }
  return Status::success;
}

Status is_out_of_order(cl_command_queue queue, bool& result) noexcept {
  cl_command_queue_properties properties = 0;
  CLPOOL_TRY(query(queue, CL_QUEUE_PROPERTIES, properties));
  result = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
  return Status::success;
}

}  // namespace clpool::core::cl
