// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Status texts, OpenCL code names and the per-thread last error.
#include "base/status.hpp"

#include <CL/cl.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "base/line.hpp"

namespace clpool::core {
namespace {

constexpr std::size_t text_size = 1024;

/// The thread's. The text is elsewhere: a library that is loaded late may have only a few bytes in a thread's own
/// storage.
struct LastError {
  char* text = nullptr;  ///< text_size bytes from the first error on
  cl_int cl_code = CL_SUCCESS;
  std::uint8_t status = 0;  ///< a Status: threads' own storage is short
  bool is_lost = false;     ///< there is an error without a text
  bool has_ended = false;   ///< the thread is ending: nothing is made any more
  std::uint8_t messages_within = 0;
  ~LastError() {
    delete[] std::exchange(text, nullptr);
    has_ended = true;
  }
  /// Room for a text; null if there is no host memory for it.
  char* room() noexcept {
    if (text == nullptr && !has_ended) {
      text = new (std::nothrow) char[text_size]();
    }
    is_lost = text == nullptr;
    return text;
  }
};
constinit thread_local LastError last_error;

}  // namespace

const char* status_text(Status status) noexcept {
  switch (status) {
    case Status::success:
      return "success";
    case Status::invalid_value:
      return "invalid value";
    case Status::invalid_operation:
      return "invalid operation for the object's state";
    case Status::out_of_memory:
      return "out of device memory";
    case Status::out_of_host_memory:
      return "out of host memory";
    case Status::not_supported:
      return "not supported by the device, platform or build";
    case Status::opencl:
      return "an OpenCL call failed";
    case Status::callback:
      return "a user callback failed";
    case Status::io:
      return "a file could not be read or written";
    case Status::bad_format:
      return "malformed input";
    case Status::not_found:
      return "not found";
    case Status::would_block:
      return "the call would have had to block";
    case Status::internal:
      return "internal error of libclpool";
  }
  return "unknown status";
}

namespace {

void record(Status status, cl_int code, const char* format, va_list arguments) noexcept {
  if (char* const text = last_error.room(); text != nullptr) {
    format_line(text, text_size, format, arguments);
  }
  last_error.cl_code = code;
  last_error.status = static_cast<std::uint8_t>(status);
}

}  // namespace

Status fail(Status status, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  record(status, CL_SUCCESS, format, arguments);
  va_end(arguments);
  return status;
}

Status fail_behind(Status status, cl_int code, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  record(status, code, format, arguments);
  va_end(arguments);
  return status;
}

Status fail_cl(cl_int code, const char* routine, const char* format, ...) noexcept {
  char what[768];
  va_list arguments;
  va_start(arguments, format);
  format_line(what, sizeof what, format, arguments);
  va_end(arguments);
  if (char* const text = last_error.room(); text != nullptr) {
    std::snprintf(text, text_size, "%s: %s (%s, %d)", routine, what, cl_error_name(code), code);
  }
  last_error.cl_code = code;
  const Status status = status_of_cl(code);
  last_error.status = static_cast<std::uint8_t>(status);
  return status;
}

const char* last_error_message() noexcept {
  if (last_error.is_lost) {
    return "an error, and no host memory for its text";
  }
  return last_error.text != nullptr ? last_error.text : "";
}
std::uint8_t& messages_within() noexcept {
  return last_error.messages_within;
}
cl_int last_cl_error() noexcept {
  return last_error.cl_code;
}

Status last_status() noexcept {
  return static_cast<Status>(last_error.status);
}

KeptError::KeptError() noexcept
    : code_(last_error.cl_code), status_(last_status()), is_lost_(last_error.is_lost) {
  static_assert(sizeof text_ == text_size);
  std::strcpy(text_, last_error.text != nullptr ? last_error.text : "");
}

KeptError::~KeptError() {
  if (char* const text = last_error.text; text != nullptr) {
    std::strcpy(text, text_);
  }
  last_error.cl_code = code_;
  last_error.status = static_cast<std::uint8_t>(status_);
  last_error.is_lost = is_lost_;
}

const void* mark_of_this_thread() noexcept {
  return &last_error;
}

void clear_last_error() noexcept {
  if (last_error.text != nullptr) {
    last_error.text[0] = '\0';
  }
  last_error.cl_code = CL_SUCCESS;
  last_error.status = 0;
  last_error.is_lost = false;
}

const char* cl_error_name(cl_int code) noexcept {
  // OpenCL 3.0 specification, "Error Codes", and the extensions that the library meets.
  switch (code) {
#define CLPOOL_CASE(name) \
  case name:              \
    return #name;
    CLPOOL_CASE(CL_SUCCESS)
    CLPOOL_CASE(CL_DEVICE_NOT_FOUND)
    CLPOOL_CASE(CL_DEVICE_NOT_AVAILABLE)
    CLPOOL_CASE(CL_COMPILER_NOT_AVAILABLE)
    CLPOOL_CASE(CL_MEM_OBJECT_ALLOCATION_FAILURE)
    CLPOOL_CASE(CL_OUT_OF_RESOURCES)
    CLPOOL_CASE(CL_OUT_OF_HOST_MEMORY)
    CLPOOL_CASE(CL_PROFILING_INFO_NOT_AVAILABLE)
    CLPOOL_CASE(CL_MEM_COPY_OVERLAP)
    CLPOOL_CASE(CL_IMAGE_FORMAT_MISMATCH)
    CLPOOL_CASE(CL_IMAGE_FORMAT_NOT_SUPPORTED)
    CLPOOL_CASE(CL_BUILD_PROGRAM_FAILURE)
    CLPOOL_CASE(CL_MAP_FAILURE)
    CLPOOL_CASE(CL_MISALIGNED_SUB_BUFFER_OFFSET)
    CLPOOL_CASE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    CLPOOL_CASE(CL_COMPILE_PROGRAM_FAILURE)
    CLPOOL_CASE(CL_LINKER_NOT_AVAILABLE)
    CLPOOL_CASE(CL_LINK_PROGRAM_FAILURE)
    CLPOOL_CASE(CL_DEVICE_PARTITION_FAILED)
    CLPOOL_CASE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
    CLPOOL_CASE(CL_INVALID_VALUE)
    CLPOOL_CASE(CL_INVALID_DEVICE_TYPE)
    CLPOOL_CASE(CL_INVALID_PLATFORM)
    CLPOOL_CASE(CL_INVALID_DEVICE)
    CLPOOL_CASE(CL_INVALID_CONTEXT)
    CLPOOL_CASE(CL_INVALID_QUEUE_PROPERTIES)
    CLPOOL_CASE(CL_INVALID_COMMAND_QUEUE)
    CLPOOL_CASE(CL_INVALID_HOST_PTR)
    CLPOOL_CASE(CL_INVALID_MEM_OBJECT)
    CLPOOL_CASE(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)
    CLPOOL_CASE(CL_INVALID_IMAGE_SIZE)
    CLPOOL_CASE(CL_INVALID_SAMPLER)
    CLPOOL_CASE(CL_INVALID_BINARY)
    CLPOOL_CASE(CL_INVALID_BUILD_OPTIONS)
    CLPOOL_CASE(CL_INVALID_PROGRAM)
    CLPOOL_CASE(CL_INVALID_PROGRAM_EXECUTABLE)
    CLPOOL_CASE(CL_INVALID_KERNEL_NAME)
    CLPOOL_CASE(CL_INVALID_KERNEL_DEFINITION)
    CLPOOL_CASE(CL_INVALID_KERNEL)
    CLPOOL_CASE(CL_INVALID_ARG_INDEX)
    CLPOOL_CASE(CL_INVALID_ARG_VALUE)
    CLPOOL_CASE(CL_INVALID_ARG_SIZE)
    CLPOOL_CASE(CL_INVALID_KERNEL_ARGS)
    CLPOOL_CASE(CL_INVALID_WORK_DIMENSION)
    CLPOOL_CASE(CL_INVALID_WORK_GROUP_SIZE)
    CLPOOL_CASE(CL_INVALID_WORK_ITEM_SIZE)
    CLPOOL_CASE(CL_INVALID_GLOBAL_OFFSET)
    CLPOOL_CASE(CL_INVALID_EVENT_WAIT_LIST)
    CLPOOL_CASE(CL_INVALID_EVENT)
    CLPOOL_CASE(CL_INVALID_OPERATION)
    CLPOOL_CASE(CL_INVALID_GL_OBJECT)
    CLPOOL_CASE(CL_INVALID_BUFFER_SIZE)
    CLPOOL_CASE(CL_INVALID_MIP_LEVEL)
    CLPOOL_CASE(CL_INVALID_GLOBAL_WORK_SIZE)
    CLPOOL_CASE(CL_INVALID_PROPERTY)
    CLPOOL_CASE(CL_INVALID_IMAGE_DESCRIPTOR)
    CLPOOL_CASE(CL_INVALID_COMPILER_OPTIONS)
    CLPOOL_CASE(CL_INVALID_LINKER_OPTIONS)
    CLPOOL_CASE(CL_INVALID_DEVICE_PARTITION_COUNT)
    CLPOOL_CASE(CL_INVALID_PIPE_SIZE)
    CLPOOL_CASE(CL_INVALID_DEVICE_QUEUE)
    CLPOOL_CASE(CL_INVALID_SPEC_ID)
    CLPOOL_CASE(CL_MAX_SIZE_RESTRICTION_EXCEEDED)
#undef CLPOOL_CASE
    case -1001:
      return "CL_PLATFORM_NOT_FOUND_KHR";
    default:
      return "CL_<unknown>";
  }
}

}  // namespace clpool::core
