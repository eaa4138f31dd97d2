/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* How many work-groups a multiprocessor holds at a time, and what limits them. Pure arithmetic on device
 * data: no device is needed.
 *
 * Thread safety: any functions, from any threads, at the same time. Since 1.0. Unless a function says
 * otherwise, it does not block and makes no OpenCL calls.
 */
#ifndef CLPOOL_OCCUPANCY_H
#define CLPOOL_OCCUPANCY_H

#include "clpool/device_data.h"
#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bits of clpool_occupancy_request.flags. */
enum {
  /** A group gets no more than the default local memory, as without CUDA's opt-in. */
  CLPOOL_OCCUPANCY_NO_OPT_IN = 1,
  /** Global loads are cached by halves of the multiprocessor (NVIDIA 5.2, 5.3, 6.1, 6.2; ignored elsewhere).
   */
  CLPOOL_OCCUPANCY_PARTITIONED_CACHE = 2
};

/** What limits the number of groups on a multiprocessor. */
enum {
  /** Warps, that is, threads. */
  CLPOOL_LIMITED_BY_WARPS = 1,
  /** Registers. */
  CLPOOL_LIMITED_BY_REGISTERS = 2,
  /** Local memory. */
  CLPOOL_LIMITED_BY_LOCAL_MEMORY = 4,
  /** The number of groups itself. */
  CLPOOL_LIMITED_BY_GROUPS = 8,
  /** Named barriers. */
  CLPOOL_LIMITED_BY_BARRIERS = 16
};

/** A limit that does not bind. */
#define CLPOOL_OCCUPANCY_UNLIMITED UINT32_MAX

/** A kernel. The numbers are signed so that a mistake of sign is told as such. */
typedef struct clpool_occupancy_request {
  /** sizeof(clpool_occupancy_request) of the caller. */
  uint32_t struct_size;
  /** Set of CLPOOL_OCCUPANCY_… bits. */
  uint32_t flags;
  /** Threads (work items) per group, 1 to the device's limit. */
  int64_t threads;
  /** Registers per thread; 0: not counted. Intel: of a hardware thread, up to 256. */
  int64_t registers_per_thread;
  /** Bytes of local memory per group, static and dynamic together. */
  int64_t local_bytes;
  /** Bytes of local memory that the multiprocessor is to be set to, rounded up to what it can; 0: the most.
   */
  int64_t carve_out_bytes;
  /** Named barriers per group; 0: not counted. */
  int64_t barriers;
} clpool_occupancy_request;

/** Initial value of a clpool_occupancy_request. */
#define CLPOOL_OCCUPANCY_REQUEST_INIT \
  { sizeof(clpool_occupancy_request), 0u, 0, 0, 0, 0, 0 }

/**
 * Sets a struct to CLPOOL_OCCUPANCY_REQUEST_INIT, for languages without macros.
 * @param request receives the initial value; NULL is ignored
 */
CLPOOL_API void clpool_occupancy_request_init(clpool_occupancy_request* request) CLPOOL_NOEXCEPT;

/** An answer. */
typedef struct clpool_occupancy {
  /** sizeof(clpool_occupancy) of the caller. */
  uint32_t struct_size;
  /** Groups that a multiprocessor holds; 0: the kernel cannot run, and the factors say why. */
  uint32_t groups_per_mp;
  /** Warps of a group. */
  uint32_t warps_per_group;
  /** Warps of all these groups. */
  uint32_t warps_per_mp;
  /** Warps that a multiprocessor can hold. */
  uint32_t max_warps_per_mp;
  /** Set of CLPOOL_LIMITED_BY_… bits: every limit that groups_per_mp reaches. PyCUDA's models: one of them.
   */
  uint32_t limiting_factors;
  /** Groups by warps alone, or CLPOOL_OCCUPANCY_UNLIMITED. */
  uint32_t limit_warps;
  /** Groups by registers alone, or CLPOOL_OCCUPANCY_UNLIMITED. */
  uint32_t limit_registers;
  /** Groups by local memory alone, or CLPOOL_OCCUPANCY_UNLIMITED. */
  uint32_t limit_local_memory;
  /** Groups by the limit of groups alone, or CLPOOL_OCCUPANCY_UNLIMITED. */
  uint32_t limit_groups;
  /** Groups by barriers alone, or CLPOOL_OCCUPANCY_UNLIMITED. */
  uint32_t limit_barriers;
  /** Must be 0. */
  uint32_t reserved;
  /** Registers of a group, as given out. */
  uint64_t registers_per_group;
  /** Bytes of local memory of a group, as given out, with what the system takes. */
  uint64_t local_per_group;
  /** Bytes of local memory that the multiprocessor is assumed to be set to. */
  uint64_t local_per_mp;
  /** warps_per_mp / max_warps_per_mp, 0 to 1. */
  cl_double occupancy;
} clpool_occupancy;

/** Initial value of a clpool_occupancy. */
#define CLPOOL_OCCUPANCY_INIT \
  { sizeof(clpool_occupancy), 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0.0 }

/**
 * Sets a struct to CLPOOL_OCCUPANCY_INIT, for languages without macros.
 * @param occupancy receives the initial value; NULL is ignored
 */
CLPOOL_API void clpool_occupancy_init(clpool_occupancy* occupancy) CLPOOL_NOEXCEPT;

/**
 * Answers for one kernel. Today's model follows NVIDIA's own calculator; what does not fit gives 0 groups.
 * PyCUDA's models follow PyCUDA's OccupancyRecord; what does not fit is CLPOOL_ERROR_INVALID_VALUE.
 * @param data the device; its reference stays the caller's
 * @param request the kernel
 * @param occupancy receives the answer; initialized by its _INIT macro
 * @return CLPOOL_ERROR_INVALID_VALUE for threads outside 1 to the device's limit, negative or absurd figures,
 * unknown flags, a wrong struct_size, a NULL argument
 */
CLPOOL_API clpool_status clpool_occupancy_compute(const clpool_device_data* data,
                                                  const clpool_occupancy_request* request,
                                                  clpool_occupancy* occupancy) CLPOOL_NOEXCEPT;

/**
 * The group sizes, multiples of the warp size, that reach the highest occupancy with the request's registers
 * and local memory. Its threads are ignored.
 * @param data the device
 * @param request the kernel
 * @param sizes receives up to `capacity` group sizes in threads, ascending; may be NULL if that is 0
 * @param capacity number of sizes that `sizes` has room for
 * @param count number of sizes there are
 * @param best_or_null receives the answer for the smallest of them; initialized by its _INIT macro
 * @return CLPOOL_ERROR_NOT_FOUND if no size can run; CLPOOL_ERROR_INVALID_VALUE as
 * clpool_occupancy_compute(); CLPOOL_ERROR_OUT_OF_HOST_MEMORY
 */
CLPOOL_API clpool_status clpool_occupancy_suggest(const clpool_device_data* data,
                                                  const clpool_occupancy_request* request, uint32_t* sizes,
                                                  size_t capacity, size_t* count,
                                                  clpool_occupancy* best_or_null) CLPOOL_NOEXCEPT;

/**
 * Name of a limiting factor.
 * @param factor one CLPOOL_LIMITED_BY_… bit
 * @param model one of CLPOOL_MODEL_…
 * @return "warps", "registers", "local memory", "groups", "barriers"; PyCUDA's models: "warps", "regs",
 * "smem", "device", "barriers"; "unknown" for anything else; static, never NULL
 */
CLPOOL_API const char* clpool_occupancy_factor_name(uint32_t factor, uint32_t model) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
