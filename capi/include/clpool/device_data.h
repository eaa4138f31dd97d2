/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* What a multiprocessor (compute unit, sub-slice) can hold: the input of the occupancy model. From an OpenCL
 * device, from the name of an architecture, or from numbers; only the first needs a device.
 *
 * Device data never change once made, and are reference-counted.
 *
 * Thread safety: any functions, from any threads, at the same time. Since 1.0. Unless a function says
 * otherwise, it does not block and makes no OpenCL calls but those of releases that were put off, which are
 * carried out where objects are made and released.
 */
#ifndef CLPOOL_DEVICE_DATA_H
#define CLPOOL_DEVICE_DATA_H

#include "clpool/answer.h"
#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Limits of a multiprocessor. */
typedef struct clpool_device_data clpool_device_data;

/** Who made the device that limits describe. */
enum {
  /** Anyone else. */
  CLPOOL_DEVICE_VENDOR_GENERIC = 0,
  /** NVIDIA. */
  CLPOOL_DEVICE_VENDOR_NVIDIA = 1,
  /** AMD. */
  CLPOOL_DEVICE_VENDOR_AMD = 2,
  /** Intel. */
  CLPOOL_DEVICE_VENDOR_INTEL = 3
};

/** What registers are given to. */
enum {
  /** To each warp. */
  CLPOOL_REGISTERS_BY_WARP = 0,
  /** To the whole group. */
  CLPOOL_REGISTERS_BY_GROUP = 1
};

/** Most entries of clpool_device_limits.local_carve_outs. */
#define CLPOOL_MAX_CARVE_OUTS 16

/** The numbers. "mp" is the multiprocessor, "group" the work-group, "warp" what runs in step, "local" the
 * memory that CUDA calls shared. */
typedef struct clpool_device_limits {
  /** sizeof(clpool_device_limits) of the caller. */
  uint32_t struct_size;
  /** One of CLPOOL_MODEL_…. */
  uint32_t model;
  /** One of CLPOOL_DEVICE_VENDOR_…. */
  uint32_t vendor;
  /** NVIDIA: compute capability; AMD: number of the target without its stepping (gfx90a: 9, 0); else 0. */
  uint32_t compute_major;
  /** Second number of the same. */
  uint32_t compute_minor;
  /** Threads, > 0. */
  uint32_t warp_size;
  /** Threads, > 0. */
  uint32_t max_threads_per_group;
  /** Warps, > 0. */
  uint32_t max_warps_per_mp;
  /** Groups, > 0. */
  uint32_t max_groups_per_mp;
  /** Groups of a single warp; 0: as max_groups_per_mp. */
  uint32_t max_lone_warp_groups_per_mp;
  /** Registers; 0: unknown (a CPU's), and then they limit nothing. */
  uint32_t registers_per_mp;
  /** Registers that one group may have; 0: as registers_per_mp. */
  uint32_t registers_per_group;
  /** Registers; 0: no limit of its own. */
  uint32_t max_registers_per_thread;
  /** Registers are given out in multiples of this, > 0. */
  uint32_t register_unit;
  /** A warp takes this many times the registers of a thread; 0: warp_size. */
  uint32_t register_lanes;
  /** One of CLPOOL_REGISTERS_BY_…. */
  uint32_t register_allocation;
  /** Warps: the check of a group's registers rounds up to a multiple of this, > 0. */
  uint32_t warp_granularity;
  /** Parts of the register file, > 0: a warp's registers are in one of them. */
  uint32_t sub_partitions;
  /** A group must also fit with so many parts (NVIDIA 6.0); 0: none. */
  uint32_t min_sub_partitions_check;
  /** Named barriers; 0: no limit. */
  uint32_t barriers_per_mp;
  /** 1: has NVIDIA's partitioned global caching. */
  uint32_t partitioned_cache;
  /** Threads that take part in one access to local memory. */
  uint32_t local_access_threads;
  /** Number of entries of local_carve_outs that count. */
  uint32_t local_carve_out_count;
  /** How good the figures are: one of CLPOOL_SOURCE_…. Ignored as input. */
  uint32_t source;
  /** Bytes. */
  uint64_t local_per_mp;
  /** Bytes that one group may have without opting in. */
  uint64_t local_per_group;
  /** Bytes with opting in; 0: as local_per_group. */
  uint64_t local_per_group_opt_in;
  /** Bytes: local memory is given out in multiples of this, > 0. */
  uint64_t local_unit;
  /** Bytes that the system takes for each group. */
  uint64_t local_reserved;
  /** Bytes of local memory that a multiprocessor can be set to, ascending, at most local_per_mp. */
  uint64_t local_carve_outs[CLPOOL_MAX_CARVE_OUTS];
  /** What to beware of, static; never NULL. Ignored as input. */
  const char* note;
} clpool_device_limits;

/** Initial value of a clpool_device_limits: all 0 but the units, which are 1. */
#define CLPOOL_DEVICE_LIMITS_INIT                                                                         \
  {                                                                                                       \
    sizeof(clpool_device_limits), 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 1u, 0u, 0u, 1u, 1u, 0u, \
        0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 1u, 0u, {0u}, ""                                                  \
  }

/**
 * Sets a struct to CLPOOL_DEVICE_LIMITS_INIT, for languages without macros.
 * @param limits receives the initial value; NULL is ignored
 */
CLPOOL_API void clpool_device_limits_init(clpool_device_limits* limits) CLPOOL_NOEXCEPT;

/**
 * Limits of an OpenCL device: its own answers, completed from the table of its architecture. Any valid device
 * has some; the limits' source says how good they are. OpenCL cannot opt in to more local memory for a group.
 * @param device the device
 * @param model one of CLPOOL_MODEL_…
 * @param out receives the device data; the caller releases them with clpool_device_data_release()
 * @return CLPOOL_ERROR_NOT_SUPPORTED for PyCUDA's models and a device that is not NVIDIA's;
 * CLPOOL_ERROR_OPENCL if it is no device; CLPOOL_ERROR_INVALID_VALUE for NULL or an unknown model.
 * May block as long as the compiler takes, where a kernel has to be built. OpenCL calls: clGetDeviceInfo,
 * clGetPlatformInfo; for a kernel clCreateContext, clCreateProgramWithSource, clBuildProgram, clCreateKernel,
 * clGetKernelWorkGroupInfo, clReleaseKernel, clReleaseProgram, clReleaseContext.
 */
CLPOOL_API clpool_status clpool_device_data_create_from_device(cl_device_id device, uint32_t model,
                                                               clpool_device_data** out) CLPOOL_NOEXCEPT;

/**
 * Limits of an NVIDIA compute capability, 1.0 to 12.1.
 * @param major the number before the point
 * @param minor the number after it
 * @param model one of CLPOOL_MODEL_…
 * @param out receives the device data; the caller releases them with clpool_device_data_release()
 * @return CLPOOL_ERROR_NOT_FOUND for one that is not known: the message lists those that are;
 * CLPOOL_ERROR_INVALID_VALUE for NULL or an unknown model
 */
CLPOOL_API clpool_status clpool_device_data_create_from_compute_capability(
    int32_t major, int32_t minor, uint32_t model, clpool_device_data** out) CLPOOL_NOEXCEPT;

/**
 * Limits of an architecture by its compiler's name: "9.0" and "sm_90" (NVIDIA), "gfx90a" and "gfx1100" (AMD,
 * waves of the architecture's own width), "gen9", "gen11", "xe-lp", "xe-hpg", "xe-hpc", "xe2" (Intel,
 * sub-groups of 16).
 * @param name the name
 * @param model one of CLPOOL_MODEL_…; PyCUDA's know NVIDIA only (CLPOOL_ERROR_NOT_SUPPORTED)
 * @param out receives the device data; the caller releases them with clpool_device_data_release()
 * @return CLPOOL_ERROR_NOT_FOUND for one that is not known; CLPOOL_ERROR_NOT_SUPPORTED for PyCUDA's models
 * and a name that is not of NVIDIA; CLPOOL_ERROR_INVALID_VALUE for NULL or an unknown model
 */
CLPOOL_API clpool_status clpool_device_data_create_from_architecture(
    const char* name, uint32_t model, clpool_device_data** out) CLPOOL_NOEXCEPT;

/**
 * Limits given as numbers.
 * @param limits the numbers; copied
 * @param out receives the device data; the caller releases them with clpool_device_data_release()
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL, a wrong struct_size, or naming the field that cannot be
 */
CLPOOL_API clpool_status clpool_device_data_create_from_limits(const clpool_device_limits* limits,
                                                               clpool_device_data** out) CLPOOL_NOEXCEPT;

/**
 * Tells the numbers of device data.
 * @param data the device data
 * @param limits receives them; initialized by its _INIT macro
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL or a wrong struct_size
 */
CLPOOL_API clpool_status clpool_device_data_limits(const clpool_device_data* data,
                                                   clpool_device_limits* limits) CLPOOL_NOEXCEPT;

/**
 * Adds one reference, to be given up by one more clpool_device_data_release().
 * @param data the device data
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL
 */
CLPOOL_API clpool_status clpool_device_data_retain(clpool_device_data* data) CLPOOL_NOEXCEPT;

/**
 * Gives up one reference; the last one ends the device data.
 * @param data the device data; NULL is allowed and does nothing
 * @return always CLPOOL_SUCCESS
 */
CLPOOL_API clpool_status clpool_device_data_release(clpool_device_data* data) CLPOOL_NOEXCEPT;

/**
 * Gives up one reference at some later time, for finalizers: neither waits, nor allocates, nor calls a
 * driver. The release is carried out by a later call that may do so, on any thread: one that makes or
 * releases an object of this library, other than a heap or NULL, unless a pool serves it from what it has.
 * @param data the device data; NULL is allowed and does nothing
 * @return always CLPOOL_SUCCESS.
 * Thread safety: any thread, also within callbacks.
 */
CLPOOL_API clpool_status clpool_device_data_release_later(clpool_device_data* data) CLPOOL_NOEXCEPT;

/**
 * Bytes that accesses of a word size are best aligned to: 64 for words of 4 bytes, 128 for 8 and 16.
 * @param word_size bytes, 4, 8 or 16
 * @param bytes receives the alignment in bytes
 * @return CLPOOL_ERROR_INVALID_VALUE for another word size or a NULL result
 */
CLPOOL_API clpool_status clpool_align_bytes(int32_t word_size, uint64_t* bytes) CLPOOL_NOEXCEPT;

/**
 * Rounds bytes up to a multiple of clpool_align_bytes().
 * @param bytes any number of bytes; 0 stays 0
 * @param word_size bytes, 4, 8 or 16
 * @param aligned receives the bytes
 * @return CLPOOL_ERROR_INVALID_VALUE for another word size or a NULL result, and where the result needs more
 * than 64 bits
 */
CLPOOL_API clpool_status clpool_align(uint64_t bytes, int32_t word_size, uint64_t* aligned) CLPOOL_NOEXCEPT;

/**
 * Words in clpool_align_bytes(): 16 for words of 4 and 8 bytes, 8 for 16.
 * @param word_size bytes, 4, 8 or 16
 * @param words receives the number
 * @return CLPOOL_ERROR_INVALID_VALUE for another word size or a NULL result
 */
CLPOOL_API clpool_status clpool_align_words(int32_t word_size, uint64_t* words) CLPOOL_NOEXCEPT;

/**
 * Rounds a number of elements up to a multiple of clpool_align_words().
 * @param elements any number
 * @param word_size bytes of an element, 4, 8 or 16
 * @param aligned receives the number
 * @return CLPOOL_ERROR_INVALID_VALUE for another word size or a NULL result, and where the result needs more
 * than 64 bits
 */
CLPOOL_API clpool_status clpool_align_elements(uint64_t elements, int32_t word_size,
                                               uint64_t* aligned) CLPOOL_NOEXCEPT;

/**
 * Rounds a number of threads up to a multiple of 16, a half-warp, whose accesses to memory are coalesced.
 * @param threads any number
 * @param rounded receives the number
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL result, and where the result needs more than 64 bits
 */
CLPOOL_API clpool_status clpool_coalesce_threads(uint64_t threads, uint64_t* rounded) CLPOOL_NOEXCEPT;

/**
 * The smallest number of texture channels, 1, 2 or 4, that is at least `size`.
 * @param size channels, up to 4; 0 and negative numbers count as 1
 * @param channels receives the number
 * @return CLPOOL_ERROR_INVALID_VALUE for more than 4 or a NULL result
 */
CLPOOL_API clpool_status clpool_valid_channel_count(int32_t size, uint32_t* channels) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
