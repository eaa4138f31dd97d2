// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/status.h.
#include "clpool/status.h"

#include "base/status.hpp"

namespace {

using clpool::core::Status;
static_assert(CLPOOL_SUCCESS == static_cast<int>(Status::success));
static_assert(CLPOOL_ERROR_INVALID_VALUE == static_cast<int>(Status::invalid_value));
static_assert(CLPOOL_ERROR_INVALID_OPERATION == static_cast<int>(Status::invalid_operation));
static_assert(CLPOOL_ERROR_OUT_OF_MEMORY == static_cast<int>(Status::out_of_memory));
static_assert(CLPOOL_ERROR_OUT_OF_HOST_MEMORY == static_cast<int>(Status::out_of_host_memory));
static_assert(CLPOOL_ERROR_NOT_SUPPORTED == static_cast<int>(Status::not_supported));
static_assert(CLPOOL_ERROR_OPENCL == static_cast<int>(Status::opencl));
static_assert(CLPOOL_ERROR_CALLBACK == static_cast<int>(Status::callback));
static_assert(CLPOOL_ERROR_IO == static_cast<int>(Status::io));
static_assert(CLPOOL_ERROR_BAD_FORMAT == static_cast<int>(Status::bad_format));
static_assert(CLPOOL_ERROR_NOT_FOUND == static_cast<int>(Status::not_found));
static_assert(CLPOOL_ERROR_WOULD_BLOCK == static_cast<int>(Status::would_block));
static_assert(CLPOOL_ERROR_INTERNAL == static_cast<int>(Status::internal));

}  // namespace

const char* clpool_status_string(clpool_status status) noexcept {
  return clpool::core::status_text(static_cast<Status>(status));
}
const char* clpool_last_error_message(void) noexcept {
  return clpool::core::last_error_message();
}
cl_int clpool_last_cl_error(void) noexcept {
  return clpool::core::last_cl_error();
}
const char* clpool_cl_error_name(cl_int code) noexcept {
  return clpool::core::cl_error_name(code);
}
const char* clpool_version_string(void) noexcept {
  return CLPOOL_VERSION_STRING;
}
uint32_t clpool_version_number(void) noexcept {
  return CLPOOL_VERSION_MAJOR * 1000000u + CLPOOL_VERSION_MINOR * 1000u + CLPOOL_VERSION_PATCH;
}
