// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Typed queries of OpenCL objects, versions and extensions. Queries never throw except std::bad_alloc from
// the string and list forms; a failing query is a Status with the code in last_cl_error().
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace clpool::core::cl {

/// An OpenCL version such as 1.2; compared as a number.
struct Version {
  int major = 0;
  int minor = 0;
  friend constexpr auto operator<=>(const Version&,
                                    const Version&) = default;  // NOLINT(modernize-use-nullptr)
};

/// Reads "OpenCL <major>.<minor>…" (CL_DEVICE_VERSION, CL_PLATFORM_VERSION).
Status parse_version(const std::string& text, Version& version) noexcept;

inline cl_int get_info(cl_platform_id object, cl_uint name, std::size_t size, void* value,
                       std::size_t* needed) {
  return clGetPlatformInfo(object, name, size, value, needed);
}
inline cl_int get_info(cl_device_id object, cl_uint name, std::size_t size, void* value,
                       std::size_t* needed) {
  return clGetDeviceInfo(object, name, size, value, needed);
}
inline cl_int get_info(cl_context object, cl_uint name, std::size_t size, void* value, std::size_t* needed) {
  return clGetContextInfo(object, name, size, value, needed);
}
inline cl_int get_info(cl_command_queue object, cl_uint name, std::size_t size, void* value,
                       std::size_t* needed) {
  return clGetCommandQueueInfo(object, name, size, value, needed);
}
inline cl_int get_info(cl_mem object, cl_uint name, std::size_t size, void* value, std::size_t* needed) {
  return clGetMemObjectInfo(object, name, size, value, needed);
}

inline const char* info_routine(cl_platform_id) {
  return "clGetPlatformInfo";
}
inline const char* info_routine(cl_device_id) {
  return "clGetDeviceInfo";
}
inline const char* info_routine(cl_context) {
  return "clGetContextInfo";
}
inline const char* info_routine(cl_command_queue) {
  return "clGetCommandQueueInfo";
}
inline const char* info_routine(cl_mem) {
  return "clGetMemObjectInfo";
}

/// The failure of a query, with the property's name.
[[gnu::cold]] Status fail_query(cl_int code, const char* routine, cl_uint name, const void* object) noexcept;

/// Reads a property of fixed size.
template <typename Object, typename T>
Status query(Object object, cl_uint name, T& value) noexcept {
  if (const cl_int code = get_info(object, name, sizeof value, &value, nullptr); code != CL_SUCCESS) {
    return fail_query(code, info_routine(object), name, object);
  }
  return Status::success;
}

/// The same; `otherwise` where it cannot be read.
template <typename T, typename Object>
T query_or(Object object, cl_uint name, T otherwise) noexcept {
  T value{};
  return query(object, name, value) == Status::success ? value : otherwise;
}

/// Reads a property that is a list of T.
template <typename Object, typename T>
Status query_list(Object object, cl_uint name, std::vector<T>& values) {
  std::size_t bytes = 0;
  cl_int code = get_info(object, name, 0, nullptr, &bytes);
  if (code == CL_SUCCESS) {
    values.resize(bytes / sizeof(T));
    code = values.empty() ? CL_SUCCESS
                          : get_info(object, name, values.size() * sizeof(T), values.data(), nullptr);
  }
  if (code != CL_SUCCESS) {
    return fail_query(code, info_routine(object), name, object);
  }
  return Status::success;
}

/// Reads a text property, without its terminating zero.
template <typename Object>
Status query_text(Object object, cl_uint name, std::string& text) {
  std::vector<char> bytes;
  CLPOOL_TRY(query_list(object, name, bytes));
  while (!bytes.empty() && bytes.back() == '\0') {
    bytes.pop_back();
  }
  text.assign(bytes.begin(), bytes.end());
  return Status::success;
}

/// Reads a text property; "" where it cannot be read.
template <typename Object>
std::string text_or_empty(Object object, cl_uint name) {
  std::string text;
  return query_text(object, name, text) == Status::success ? text : std::string();
}

/// OpenCL version that the device itself supports (not its platform).
Status device_version(cl_device_id device, Version& version);

/// True if the device's extension list has exactly this word. A failing query means no.
Status has_extension(cl_device_id device, const char* extension, bool& result);

/// NOT_SUPPORTED, naming what was found and what is needed, if the device is older than `needed`.
Status require_version(cl_device_id device, Version needed, const char* feature);

/// True if the queue was created with out-of-order execution.
Status is_out_of_order(cl_command_queue queue, bool& result) noexcept;

}  // namespace clpool::core::cl
