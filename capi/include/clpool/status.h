/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Status numbers of the C ABI, the calling thread's last error, the library's version, and the export macro.
 *
 * Every function of libclpool that can fail returns a clpool_status, and names those that it fails with.
 * Results come through the last parameters, which are set to NULL or 0 on failure. What the comments of
 * functions do not repeat:
 * - Where an OpenCL call fails: CLPOOL_ERROR_OUT_OF_MEMORY for its codes -4, -5 and -6, else
 *   CLPOOL_ERROR_OPENCL.
 * - CLPOOL_ERROR_OUT_OF_HOST_MEMORY may come from every function that returns a status, CLPOOL_ERROR_INTERNAL
 *   from any in which an exception arises that should not.
 * - CLPOOL_ERROR_INVALID_VALUE where `struct_size` is not set, over 65536, or no multiple of the struct's
 *   alignment, and where a field `reserved` is not 0; CLPOOL_ERROR_NOT_SUPPORTED where a struct that is given
 *   is longer than the library knows, and something is set there.
 * - A function clpool_…_init() writes a struct as version 1.0 has it, and its struct_size, in all later
 *   versions: who knows more sets struct_size, and the rest, which is 0 unless its field says otherwise.
 * - CLPOOL_ERROR_INVALID_OPERATION for pools, allocators, memory and caches in a child of fork() of the
 *   process that made them.
 *
 * Thread safety: any functions of this header, from any threads, at the same time. Since 1.0. Unless a
 * function says otherwise, it does not block, does not allocate and makes no OpenCL calls.
 */
#ifndef CLPOOL_STATUS_H
#define CLPOOL_STATUS_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>
#include <stddef.h>
#include <stdint.h>

/* Types of newer OpenCL versions that these headers name, for programs written for an older one. */
#ifndef CL_VERSION_1_2
typedef cl_bitfield cl_mem_migration_flags;
#endif
#ifndef CL_VERSION_2_0
typedef cl_bitfield cl_svm_mem_flags;
#endif

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

/** Result of every call that can fail: one of the CLPOOL_SUCCESS / CLPOOL_ERROR_… numbers below. */
typedef int32_t clpool_status;

/** What a call came to. The numbers are pinned: they never change meaning. New ones may be added in later 1.x
 * versions. */
enum {
  /** The call did what it says. */
  CLPOOL_SUCCESS = 0,
  /** An argument is outside its range; the message names the value and the limit. */
  CLPOOL_ERROR_INVALID_VALUE = 1,
  /** The object is in a state that does not allow the call, such as a block released twice. */
  CLPOOL_ERROR_INVALID_OPERATION = 2,
  /** Device memory or a limit of the pool is exhausted, and everything that could help was tried. */
  CLPOOL_ERROR_OUT_OF_MEMORY = 3,
  /** Host memory for the library's own bookkeeping is exhausted. */
  CLPOOL_ERROR_OUT_OF_HOST_MEMORY = 4,
  /** The device, platform or OpenCL version lacks the feature; the message names what is needed. */
  CLPOOL_ERROR_NOT_SUPPORTED = 5,
  /** An OpenCL call failed; clpool_last_cl_error() has its code. */
  CLPOOL_ERROR_OPENCL = 6,
  /** A user's callback reported a failure or an impossible result. */
  CLPOOL_ERROR_CALLBACK = 7,
  /** A file could not be opened, read or written. */
  CLPOOL_ERROR_IO = 8,
  /** Input is malformed; the message names the place. */
  CLPOOL_ERROR_BAD_FORMAT = 9,
  /** No such device, entry or object. */
  CLPOOL_ERROR_NOT_FOUND = 10,
  /** A non-blocking call would have had to block or to call the driver. */
  CLPOOL_ERROR_WOULD_BLOCK = 11,
  /** A broken invariant of the library itself: please report it. */
  CLPOOL_ERROR_INTERNAL = 12
};

/**
 * Short English text for a status number.
 * @param status any number
 * @return a static string, "unknown status" for numbers not in the list; never NULL
 */
CLPOOL_API const char* clpool_status_string(clpool_status status) CLPOOL_NOEXCEPT;

/**
 * What went wrong in the calling thread's last failed call, with the values and limits that matter.
 * @return a string that is valid until the same thread's next call of the library, which may change it also
 * when it succeeds; "" before the first; never NULL
 */
CLPOOL_API const char* clpool_last_error_message(void) CLPOOL_NOEXCEPT;

/**
 * OpenCL error code behind the calling thread's last failed call.
 * @return the code; CL_SUCCESS (0) if that failure did not come from an OpenCL call. Where a pool is out of
 * memory it is the driver's, or CL_MEM_OBJECT_ALLOCATION_FAILURE (-4) if a limit, the pool's or an
 * allocator's, was the reason, as PyOpenCL has it; the message tells which. CL_INVALID_BUFFER_SIZE (-61)
 * where more memory was asked for than the device's largest allocation, whoever found out
 */
CLPOOL_API cl_int clpool_last_cl_error(void) CLPOOL_NOEXCEPT;

/**
 * Name of an OpenCL error code, such as "CL_INVALID_VALUE" for -30.
 * @param code any number
 * @return a static string, "CL_<unknown>" for codes not in the specification; never NULL
 */
CLPOOL_API const char* clpool_cl_error_name(cl_int code) CLPOOL_NOEXCEPT;

/** Version of these headers. */
#define CLPOOL_VERSION_MAJOR 1
#define CLPOOL_VERSION_MINOR 0
#define CLPOOL_VERSION_PATCH 0

/**
 * Version of the library that the program runs with.
 * @return a static string such as "1.0.0"; never NULL
 */
CLPOOL_API const char* clpool_version_string(void) CLPOOL_NOEXCEPT;

/**
 * Version of the library that the program runs with, as one number.
 * @return major * 1000000 + minor * 1000 + patch
 */
CLPOOL_API uint32_t clpool_version_number(void) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
