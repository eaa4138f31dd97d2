/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Answers about devices: a value, where it comes from, and how far to trust it. For a valid device no
 * question fails for want of an answer: it says so in the source.
 *
 * Thread safety: any functions, from any threads, at the same time. Since 1.0. Unless a function says
 * otherwise, it does not block and makes no OpenCL calls.
 */
#ifndef CLPOOL_ANSWER_H
#define CLPOOL_ANSWER_H

#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where an answer comes from. */
enum {
  /** There is no answer. */
  CLPOOL_SOURCE_NONE = 0,
  /** The device was asked. */
  CLPOOL_SOURCE_QUERY = 1,
  /** A kernel was built and the driver asked about it. */
  CLPOOL_SOURCE_KERNEL_QUERY = 2,
  /** What is published of such devices. */
  CLPOOL_SOURCE_TABLE = 3,
  /** Nothing is known: a cautious figure. */
  CLPOOL_SOURCE_GUESS = 4,
  /** The device has no such thing. */
  CLPOOL_SOURCE_NOT_APPLICABLE = 5
};

/** Whose rules answer. */
enum {
  /** Today's. */
  CLPOOL_MODEL_CURRENT = 0,
  /** PyOpenCL's, and PyCUDA's where PyOpenCL has no such question (occupancy, device data); for comparison.
   */
  CLPOOL_MODEL_PYOPENCL = 1,
  /** PyCUDA 2014.1's, which differs in the warps of compute capabilities 3.0 and later; else the same. */
  CLPOOL_MODEL_PYCUDA_2014 = 2
};

/** An answer. Its texts are static: they are never freed and never change. */
typedef struct clpool_answer {
  /** sizeof(clpool_answer) of the caller. */
  uint32_t struct_size;
  /** One of CLPOOL_SOURCE_…. */
  uint32_t source;
  /** The answer in the unit of the question; yes is 1, no is 0, unknown -1. */
  int64_t value;
  /** The query or the table's row behind it, such as "CL_DEVICE_WARP_SIZE_NV"; "" for none; never NULL. */
  const char* basis;
  /** What to beware of; "" for nothing; never NULL. */
  const char* note;
} clpool_answer;

/** Initial value of a clpool_answer. */
#define CLPOOL_ANSWER_INIT \
  { sizeof(clpool_answer), 0u, 0, "", "" }

/**
 * Sets a struct to CLPOOL_ANSWER_INIT, for languages without macros.
 * @param answer receives the initial value; NULL is ignored
 */
CLPOOL_API void clpool_answer_init(clpool_answer* answer) CLPOOL_NOEXCEPT;

/**
 * Name of a source.
 * @param source one of CLPOOL_SOURCE_…
 * @return "none", "query", "kernel query", "table", "guess", "not applicable", or "unknown"; static, never
 * NULL.
 * OpenCL calls: none.
 */
CLPOOL_API const char* clpool_source_name(uint32_t source) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
