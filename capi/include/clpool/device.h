/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Choosing a device, by preference or as the environment says, and a default context on it.
 *
 * What decides, in this order; the first that is set decides alone:
 *   1. the options' selector
 *   2. CLPOOL_DEVICE: as the selector
 *   3. CLPOOL_TEST, then PYOPENCL_TEST: entries separated by ';', the first entry's first device
 *   4. PYOPENCL_CTX: answers separated by ':': a platform, then devices separated by ','
 *   5. CUDA_DEVICE, then the first line of ~/.cuda-device or ~/.cuda_device: a number, counting NVIDIA's
 * devices where there are any, else all devices in the order of preference
 *   6. preference: GPUs with memory of their own, other GPUs, accelerators, CPUs; in the loader's order
 * An entry is PLATFORM or PLATFORM:DEVICE[,DEVICE...] (or with '=' for ':'). Each is an index, negative ones
 * counting from the end, or a part of "name vendor" in any case; the first match wins. A selector may also be
 * "gpu", "accelerator" or "cpu", or a part of a device's name alone. Variables that are empty count as not
 * set; in set-uid programs all are ignored.
 *
 * Thread safety: any functions, from any threads, at the same time; but they read the environment, which
 * nobody may change meanwhile. Since 1.0. Unless a function says otherwise, it may block as long as the
 * drivers take to load.
 */
#ifndef CLPOOL_DEVICE_H
#define CLPOOL_DEVICE_H

#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Bits of clpool_device_options.flags. */
enum {
  /** Neither variables nor files are looked at. */
  CLPOOL_DEVICE_IGNORE_ENVIRONMENT = 1,
  /**
   * Processes of one cluster node take different devices: the launcher's local rank
   * (OMPI_COMM_WORLD_LOCAL_RANK, SLURM_LOCALID, MPI_LOCALRANKID) counts round the devices that are as good as
   * the best, or round those that the environment names.
   */
  CLPOOL_DEVICE_BY_RANK = 2
};

/** What device is wanted. Every field that is 0 or NULL means the default. */
typedef struct clpool_device_options {
  /** sizeof(clpool_device_options) of the caller. */
  uint32_t struct_size;
  /** Set of CLPOOL_DEVICE_… bits. */
  uint32_t flags;
  /** Set of CL_DEVICE_TYPE_… bits that the device must have one of; 0: any. */
  cl_device_type types;
  /** For a program's own option, what the variable CLPOOL_DEVICE may say: PLATFORM:DEVICE, a part of a
   * device's name, "gpu", "accelerator" or "cpu"; NULL or "": the environment decides. */
  const char* selector;
} clpool_device_options;

/** Initial value of a clpool_device_options: all defaults. */
#define CLPOOL_DEVICE_OPTIONS_INIT \
  { sizeof(clpool_device_options), 0u, 0u, NULL }

/**
 * Sets a struct to CLPOOL_DEVICE_OPTIONS_INIT, for languages without macros.
 * @param options receives the initial value; NULL is ignored.
 * Does not block. OpenCL calls: none.
 */
CLPOOL_API void clpool_device_options_init(clpool_device_options* options) CLPOOL_NOEXCEPT;

/**
 * Chooses a device, and sends a trace message with what decided.
 * @param options_or_null what is wanted; NULL for all defaults
 * @param out receives the device; no reference is added
 * @return CLPOOL_ERROR_NOT_FOUND if there is no platform or nothing matches: the message says what was tried
 * and what there is; CLPOOL_ERROR_BAD_FORMAT if a selector, variable or file is malformed;
 * CLPOOL_ERROR_INVALID_VALUE for a NULL result, a wrong struct_size or unknown flags;
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL if the platforms cannot be listed.
 * OpenCL calls: clGetPlatformIDs, clGetDeviceIDs, clGetPlatformInfo, clGetDeviceInfo.
 */
CLPOOL_API clpool_status clpool_device_choose(const clpool_device_options* options_or_null,
                                              cl_device_id* out) CLPOOL_NOEXCEPT;

/**
 * Lists all devices that clpool_device_choose() would consider, the chosen one first.
 * @param options_or_null as for clpool_device_choose()
 * @param devices receives up to `capacity` devices, to which no references are added; may be NULL if that is
 * 0
 * @param capacity number of devices that `devices` has room for
 * @param count receives the number of devices there are
 * @return CLPOOL_ERROR_NOT_FOUND if there is no platform or nothing matches: the message says what was tried
 * and what there is; CLPOOL_ERROR_BAD_FORMAT if a selector, variable or file is malformed;
 * CLPOOL_ERROR_INVALID_VALUE for a NULL result, a wrong struct_size or unknown flags;
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL if the platforms cannot be listed.
 * OpenCL calls: clGetPlatformIDs, clGetDeviceIDs, clGetPlatformInfo, clGetDeviceInfo.
 */
CLPOOL_API clpool_status clpool_device_list(const clpool_device_options* options_or_null,
                                            cl_device_id* devices, size_t capacity,
                                            size_t* count) CLPOOL_NOEXCEPT;

/**
 * Lists the devices that tests are to run on: all that CLPOOL_TEST names, or, where it is not set,
 * PYOPENCL_TEST; without either every device of every platform.
 * @param devices receives up to `capacity` devices, to which no references are added; may be NULL if that is
 * 0
 * @param capacity number of devices that `devices` has room for
 * @param count receives the number of devices there are; 0 is no error
 * @return CLPOOL_ERROR_NOT_FOUND where a variable names what there is not; CLPOOL_ERROR_BAD_FORMAT where it
 * is malformed; CLPOOL_ERROR_INVALID_VALUE for a NULL result; CLPOOL_ERROR_OUT_OF_MEMORY and
 * CLPOOL_ERROR_OPENCL if the platforms cannot be listed.
 * OpenCL calls: clGetPlatformIDs, clGetDeviceIDs, clGetPlatformInfo, clGetDeviceInfo.
 */
CLPOOL_API clpool_status clpool_device_list_for_tests(cl_device_id* devices, size_t capacity,
                                                      size_t* count) CLPOOL_NOEXCEPT;

/**
 * Names a device for people: "name [platform]", without addresses, so that it is the same in every process.
 * @param device the device
 * @param text receives the text, cut to `capacity` and always ended by a zero; may be NULL if that is 0
 * @param capacity bytes that `text` has room for
 * @param needed receives the bytes of the whole text with its zero
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL device or result; CLPOOL_ERROR_OPENCL if it is no device.
 * Does not block. OpenCL calls: clGetDeviceInfo, clGetPlatformInfo.
 */
CLPOOL_API clpool_status clpool_device_describe(cl_device_id device, char* text, size_t capacity,
                                                size_t* needed) CLPOOL_NOEXCEPT;

/** What a device is called and has. Texts are cut to their fields, and always end with a zero. */
typedef struct clpool_device_facts {
  /** sizeof(clpool_device_facts) of the caller. */
  uint32_t struct_size;
  /** Number of its platform, from 0, in the loader's order; UINT32_MAX for a sub-device. */
  uint32_t platform_index;
  /** Its number among its platform's devices, from 0; UINT32_MAX for a sub-device. */
  uint32_t device_index;
  /** Compute units (multiprocessors). */
  uint32_t compute_units;
  /** Set of CL_DEVICE_TYPE_… bits. */
  cl_device_type type;
  /** Bytes of global memory. */
  uint64_t memory_bytes;
  /** Bytes of the largest buffer. */
  uint64_t largest_allocation_bytes;
  /** Bytes of local memory that a work group may have. */
  uint64_t local_memory_bytes;
  /** Bytes: where parts of buffers may begin. */
  uint64_t alignment;
  /** Set of CL_DEVICE_SVM_… bits; 0 before OpenCL 2.0. */
  uint64_t svm_capabilities;
  /** OpenCL's version: 3 of 3.0. */
  uint32_t version_major;
  /** 0 of 3.0. */
  uint32_t version_minor;
  /** 1: it shares its memory with the host. */
  uint32_t has_unified_memory;
  /** 1: it has queues out of order. */
  uint32_t has_out_of_order_queues;
  /** CL_DEVICE_NAME. */
  char name[256];
  /** CL_DEVICE_VENDOR. */
  char vendor[128];
  /** CL_PLATFORM_NAME. */
  char platform[128];
  /** CL_DEVICE_VERSION. */
  char version[128];
  /** CL_DRIVER_VERSION. */
  char driver_version[128];
} clpool_device_facts;

/** Initial value of a clpool_device_facts. */
#define CLPOOL_DEVICE_FACTS_INIT                                                                           \
  {                                                                                                        \
    sizeof(clpool_device_facts), 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, {0}, {0}, {0}, {0}, { \
      0                                                                                                    \
    }                                                                                                      \
  }

/**
 * Sets a struct to CLPOOL_DEVICE_FACTS_INIT, for languages without macros.
 * @param facts receives the initial value; NULL is ignored.
 * Does not block. OpenCL calls: none.
 */
CLPOOL_API void clpool_device_facts_init(clpool_device_facts* facts) CLPOOL_NOEXCEPT;

/**
 * Tells what a device is called and has.
 * @param device the device
 * @param facts receives it; initialized by its _INIT macro. What the driver does not answer is 0 or "".
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument or a wrong struct_size; CLPOOL_ERROR_OPENCL if it is
 * no device.
 * OpenCL calls: clGetDeviceInfo, clGetPlatformInfo, clGetPlatformIDs, clGetDeviceIDs.
 */
CLPOOL_API clpool_status clpool_device_read_facts(cl_device_id device,
                                                  clpool_device_facts* facts) CLPOOL_NOEXCEPT;

/**
 * Makes a context and an in-order queue for a device that it chooses. The context has this device alone.
 * Where the choice leaves several devices, the first that gives a context is taken.
 * @param options_or_null as for clpool_device_choose()
 * @param device receives the device, to which no reference is added; may be NULL
 * @param context receives the context; the caller releases it with clReleaseContext()
 * @param queue receives the queue; the caller releases it with clReleaseCommandQueue()
 * @return CLPOOL_ERROR_NOT_FOUND if there is no platform or nothing matches: the message says what was tried
 * and what there is; CLPOOL_ERROR_BAD_FORMAT if a selector, variable or file is malformed;
 * CLPOOL_ERROR_INVALID_VALUE for a NULL result, a wrong struct_size or unknown flags;
 * CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL if the platforms cannot be listed, or if no device gives
 * a context: the message lists each with its error.
 * OpenCL calls: clGetPlatformIDs, clGetDeviceIDs, clGetPlatformInfo, clGetDeviceInfo, clCreateContext,
 * clCreateCommandQueue, clReleaseContext.
 */
CLPOOL_API clpool_status clpool_context_create_default(const clpool_device_options* options_or_null,
                                                       cl_device_id* device, cl_context* context,
                                                       cl_command_queue* queue) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
