/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* status.h as first pinned, without its comments: see ../../README.md. Never changed. */
#ifndef CLPOOL_STATUS_H
#define CLPOOL_STATUS_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#include <stddef.h>
#include <stdint.h>

#if defined(CLPOOL_BUILDING_LIBRARY)
#define CLPOOL_API __attribute__((visibility("default")))
#else
#define CLPOOL_API
#endif

#ifdef __cplusplus
#define CLPOOL_NOEXCEPT noexcept
extern "C" {
#else
#define CLPOOL_NOEXCEPT
#endif

typedef int32_t clpool_status;

enum {
  CLPOOL_SUCCESS = 0,

  CLPOOL_ERROR_INVALID_VALUE = 1,

  CLPOOL_ERROR_INVALID_OPERATION = 2,

  CLPOOL_ERROR_OUT_OF_MEMORY = 3,

  CLPOOL_ERROR_OUT_OF_HOST_MEMORY = 4,

  CLPOOL_ERROR_NOT_SUPPORTED = 5,

  CLPOOL_ERROR_OPENCL = 6,

  CLPOOL_ERROR_CALLBACK = 7,

  CLPOOL_ERROR_IO = 8,

  CLPOOL_ERROR_BAD_FORMAT = 9,

  CLPOOL_ERROR_NOT_FOUND = 10,

  CLPOOL_ERROR_WOULD_BLOCK = 11,

  CLPOOL_ERROR_INTERNAL = 12
};

CLPOOL_API const char* clpool_status_string(clpool_status status) CLPOOL_NOEXCEPT;

CLPOOL_API const char* clpool_last_error_message(void) CLPOOL_NOEXCEPT;

CLPOOL_API cl_int clpool_last_cl_error(void) CLPOOL_NOEXCEPT;

CLPOOL_API const char* clpool_cl_error_name(cl_int code) CLPOOL_NOEXCEPT;

#define CLPOOL_VERSION_MAJOR 1
#define CLPOOL_VERSION_MINOR 0
#define CLPOOL_VERSION_PATCH 0

CLPOOL_API const char* clpool_version_string(void) CLPOOL_NOEXCEPT;

CLPOOL_API uint32_t clpool_version_number(void) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
