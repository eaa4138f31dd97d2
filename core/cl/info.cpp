// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Queries of versions, extensions and queue properties.
#include "cl/info.hpp"

#include <cstdio>
#include <cstring>

namespace clpool::core::cl {
namespace {

struct Property {
  cl_uint number;
  const char* name;
};
#define CLPOOL_PROPERTY(name) \
  { name, #name }
/// Those that the library asks for.
constexpr Property known_properties[] = {CLPOOL_PROPERTY(CL_PLATFORM_VERSION),
                                         CLPOOL_PROPERTY(CL_PLATFORM_NAME),
                                         CLPOOL_PROPERTY(CL_PLATFORM_VENDOR),
                                         CLPOOL_PROPERTY(CL_DEVICE_TYPE),
                                         CLPOOL_PROPERTY(CL_DEVICE_VENDOR_ID),
                                         CLPOOL_PROPERTY(CL_DEVICE_MAX_COMPUTE_UNITS),
                                         CLPOOL_PROPERTY(CL_DEVICE_MAX_MEM_ALLOC_SIZE),
                                         CLPOOL_PROPERTY(CL_DEVICE_IMAGE_SUPPORT),
                                         CLPOOL_PROPERTY(CL_DEVICE_MEM_BASE_ADDR_ALIGN),
                                         CLPOOL_PROPERTY(CL_DEVICE_GLOBAL_MEM_SIZE),
                                         CLPOOL_PROPERTY(CL_DEVICE_LOCAL_MEM_SIZE),
                                         CLPOOL_PROPERTY(CL_DEVICE_AVAILABLE),
                                         CLPOOL_PROPERTY(CL_DEVICE_QUEUE_PROPERTIES),
                                         CLPOOL_PROPERTY(CL_DEVICE_NAME),
                                         CLPOOL_PROPERTY(CL_DEVICE_VENDOR),
                                         CLPOOL_PROPERTY(CL_DRIVER_VERSION),
                                         CLPOOL_PROPERTY(CL_DEVICE_VERSION),
                                         CLPOOL_PROPERTY(CL_DEVICE_EXTENSIONS),
                                         CLPOOL_PROPERTY(CL_DEVICE_PLATFORM),
                                         CLPOOL_PROPERTY(CL_DEVICE_HOST_UNIFIED_MEMORY),
                                         CLPOOL_PROPERTY(CL_DEVICE_SVM_CAPABILITIES),
                                         CLPOOL_PROPERTY(CL_DEVICE_MAX_PIPE_ARGS),
                                         CLPOOL_PROPERTY(CL_DEVICE_IMAGE2D_MAX_WIDTH),
                                         CLPOOL_PROPERTY(CL_DEVICE_IMAGE2D_MAX_HEIGHT),
                                         CLPOOL_PROPERTY(CL_DEVICE_IMAGE3D_MAX_WIDTH),
                                         CLPOOL_PROPERTY(CL_DEVICE_IMAGE3D_MAX_HEIGHT),
                                         CLPOOL_PROPERTY(CL_DEVICE_IMAGE3D_MAX_DEPTH),
                                         CLPOOL_PROPERTY(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE),
                                         CLPOOL_PROPERTY(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE),
                                         CLPOOL_PROPERTY(CL_CONTEXT_DEVICES),
                                         CLPOOL_PROPERTY(CL_QUEUE_CONTEXT),
                                         CLPOOL_PROPERTY(CL_QUEUE_DEVICE),
                                         CLPOOL_PROPERTY(CL_QUEUE_PROPERTIES),
                                         CLPOOL_PROPERTY(CL_MEM_TYPE),
                                         CLPOOL_PROPERTY(CL_MEM_FLAGS),
                                         CLPOOL_PROPERTY(CL_MEM_SIZE),
                                         CLPOOL_PROPERTY(CL_MEM_CONTEXT),
                                         CLPOOL_PROPERTY(CL_MEM_ASSOCIATED_MEMOBJECT),
                                         CLPOOL_PROPERTY(CL_MEM_OFFSET)};
#undef CLPOOL_PROPERTY

}  // namespace

Status fail_query(cl_int code, const char* routine, cl_uint name, const void* object) noexcept {
  for (const Property& property : known_properties) {
    if (property.number == name) {
      return fail_cl(code, routine, "%s of %p cannot be read", property.name, object);
    }
  }
  return fail_cl(code, routine, "property 0x%X of %p cannot be read", name, object);
}

Status parse_version(const std::string& text, Version& version) noexcept {
  Version parsed;
  if (std::sscanf(text.c_str(), "OpenCL %d.%d", &parsed.major, &parsed.minor) != 2) {
    return fail(Status::opencl, "malformed OpenCL version text: '%s'", text.c_str());
  }
  version = parsed;
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
