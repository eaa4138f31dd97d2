/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* What one must know of a device to use its memory well. Every answer has its source: see answer.h.
 *
 * Vendors are known by their exact ids, and vendors' own queries are asked only of devices that list the
 * extension. A kernel that is built to ask about it takes clCreateContext (where none is given, else
 * clRetainContext), clCreateProgramWithSource, clBuildProgram, clCreateKernel, clGetKernelWorkGroupInfo or
 * clGetKernelInfo, clReleaseKernel, clReleaseProgram and clReleaseContext.
 *
 * Thread safety: any functions, from any threads, at the same time. Since 1.0. Unless a function says
 * otherwise, it does not block.
 */
#ifndef CLPOOL_CHARACTERIZE_H
#define CLPOOL_CHARACTERIZE_H

#include "clpool/answer.h"
#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Build options for fast and inaccurate arithmetic, separated by blanks.
 * @param device the device
 * @param model one of CLPOOL_MODEL_…; PyOpenCL's adds the deprecated -cl-strict-aliasing on AMD and NVIDIA
 * @param text receives the options, cut to `capacity` and always ended by a zero; may be NULL if that is 0
 * @param capacity bytes that `text` has room for
 * @param needed receives the bytes of the whole text with its zero
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument or an unknown model; CLPOOL_ERROR_OPENCL if it is no
 * device.
 * OpenCL calls: clGetDeviceInfo, clGetPlatformInfo.
 */
CLPOOL_API clpool_status clpool_characterize_fast_build_options(cl_device_id device, uint32_t model,
                                                                char* text, size_t capacity,
                                                                size_t* needed) CLPOOL_NOEXCEPT;

/**
 * Whether kernels can use double by AMD's old extension cl_amd_fp64 (1) or not (0).
 * @param device the device
 * @param answer receives the answer; initialized by its _INIT macro
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument or a wrong struct_size; CLPOOL_ERROR_OPENCL if it is
 * no device.
 * OpenCL calls: clGetDeviceInfo, clGetPlatformInfo.
 */
CLPOOL_API clpool_status clpool_characterize_amd_double_support(cl_device_id device,
                                                                clpool_answer* answer) CLPOOL_NOEXCEPT;

/**
 * Whether kernels can use double (1) or not (0): cl_khr_fp64, the device's double abilities, or cl_amd_fp64;
 * PyOpenCL's model looks for cl_khr_fp64 alone.
 * @param device the device
 * @param model one of CLPOOL_MODEL_…
 * @param answer receives the answer; initialized by its _INIT macro
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, an unknown model or a wrong struct_size;
 * CLPOOL_ERROR_OPENCL if it is no device.
 * OpenCL calls: clGetDeviceInfo, clGetPlatformInfo.
 */
CLPOOL_API clpool_status clpool_characterize_double_support(cl_device_id device, uint32_t model,
                                                            clpool_answer* answer) CLPOOL_NOEXCEPT;

/**
 * Bytes that one bank of local memory gives at a time. CLPOOL_SOURCE_NOT_APPLICABLE, value 0, where local
 * memory is ordinary cached memory; PyOpenCL's model always says 4.
 * @param device the device
 * @param model one of CLPOOL_MODEL_…
 * @param answer receives the answer; initialized by its _INIT macro
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, an unknown model or a wrong struct_size;
 * CLPOOL_ERROR_OPENCL if it is no device.
 * OpenCL calls: clGetDeviceInfo, clGetPlatformInfo.
 */
CLPOOL_API clpool_status clpool_characterize_local_access_granularity(cl_device_id device, uint32_t model,
                                                                      clpool_answer* answer) CLPOOL_NOEXCEPT;

/**
 * Work items whose accesses to local memory are served together. CLPOOL_SOURCE_NOT_APPLICABLE, value 0, where
 * local memory is ordinary cached memory.
 * @param device the device
 * @param model one of CLPOOL_MODEL_…
 * @param answer receives the answer; initialized by its _INIT macro
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, an unknown model or a wrong struct_size;
 * CLPOOL_ERROR_OPENCL if it is no device.
 * OpenCL calls: clGetDeviceInfo, clGetPlatformInfo.
 */
CLPOOL_API clpool_status clpool_characterize_local_access_work_items(cl_device_id device, uint32_t model,
                                                                     clpool_answer* answer) CLPOOL_NOEXCEPT;

/**
 * Banks of local memory. CLPOOL_SOURCE_NOT_APPLICABLE, value 0, where it is ordinary cached memory.
 * @param device the device
 * @param model one of CLPOOL_MODEL_…
 * @param answer receives the answer; initialized by its _INIT macro
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, an unknown model or a wrong struct_size;
 * CLPOOL_ERROR_OPENCL if it is no device; CLPOOL_ERROR_NOT_SUPPORTED where PyOpenCL's model raises: a CPU
 * with such memory.
 * OpenCL calls: clGetDeviceInfo, clGetPlatformInfo.
 */
CLPOOL_API clpool_status clpool_characterize_local_bank_count(cl_device_id device, uint32_t model,
                                                              clpool_answer* answer) CLPOOL_NOEXCEPT;

/**
 * Work items that run in step by default: a warp, wavefront, sub-group. Today's model asks the vendor's
 * query, the OpenCL 3.0 query, a kernel, a table, in this order, and always has a number. PyOpenCL's model
 * has CLPOOL_SOURCE_NONE for devices that it does not know.
 * @param device the device
 * @param model one of CLPOOL_MODEL_…
 * @param answer receives the answer; initialized by its _INIT macro
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, an unknown model or a wrong struct_size;
 * CLPOOL_ERROR_OPENCL if it is no device; CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL also where
 * PyOpenCL's model has to build a kernel and it cannot be built; CLPOOL_ERROR_NOT_SUPPORTED where PyOpenCL's
 * model raises: a device of AMD that is neither a CPU nor a GPU.
 * May block as long as the compiler takes, where a kernel is built. OpenCL calls: clGetDeviceInfo,
 * clGetPlatformInfo, and those of building a kernel.
 */
CLPOOL_API clpool_status clpool_characterize_simd_group_size(cl_device_id device, uint32_t model,
                                                             clpool_answer* answer) CLPOOL_NOEXCEPT;

/**
 * Whether the driver keeps programs that were built from source (1), does not (0), or nobody knows (-1, with
 * CLPOOL_SOURCE_NONE).
 * @param device the device
 * @param answer receives the answer; initialized by its _INIT macro
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument or a wrong struct_size; CLPOOL_ERROR_OPENCL if it is
 * no device.
 * OpenCL calls: clGetDeviceInfo, clGetPlatformInfo.
 */
CLPOOL_API clpool_status clpool_characterize_source_build_cache(cl_device_id device,
                                                                clpool_answer* answer) CLPOOL_NOEXCEPT;

/**
 * Most sub-groups that a work-group can have, 0 if the device has none. Before OpenCL 2.1 nobody tells how
 * many: 1, with a note, if an extension for them is listed.
 * @param device the device
 * @param answer receives the answer; initialized by its _INIT macro
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument or a wrong struct_size; CLPOOL_ERROR_OPENCL if it is
 * no device.
 * OpenCL calls: clGetDeviceInfo, clGetPlatformInfo.
 */
CLPOOL_API clpool_status clpool_characterize_sub_groups(cl_device_id device,
                                                        clpool_answer* answer) CLPOOL_NOEXCEPT;

/**
 * All SIMD widths that the compiler may choose for a kernel, ascending: several on Intel and on AMD RDNA.
 * @param device the device
 * @param sizes receives up to `capacity` widths in work items; may be NULL if that is 0
 * @param capacity number of widths that `sizes` has room for
 * @param count receives the number of widths there are, at least 1
 * @param answer receives the default width, as clpool_characterize_simd_group_size()
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument or a wrong struct_size; CLPOOL_ERROR_OPENCL if it is
 * no device.
 * May block as long as the compiler takes, where a kernel is built. OpenCL calls: clGetDeviceInfo,
 * clGetPlatformInfo, and those of building a kernel.
 */
CLPOOL_API clpool_status clpool_characterize_simd_group_sizes(cl_device_id device, uint32_t* sizes,
                                                              size_t capacity, size_t* count,
                                                              clpool_answer* answer) CLPOOL_NOEXCEPT;

/**
 * SIMD width that the compiler chose for a kernel.
 * @param device the device
 * @param kernel a kernel built for it; the reference stays the caller's
 * @param answer receives the width in work items
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument or a wrong struct_size; CLPOOL_ERROR_OPENCL if it is
 * no device, or no kernel, or not one for the device.
 * OpenCL calls: clGetDeviceInfo, clGetPlatformInfo, clGetKernelWorkGroupInfo, clGetKernelSubGroupInfo.
 */
CLPOOL_API clpool_status clpool_characterize_simd_group_size_of_kernel(cl_device_id device, cl_kernel kernel,
                                                                       clpool_answer* answer) CLPOOL_NOEXCEPT;

/**
 * What work-group sizes should be a multiple of.
 * @param device the device
 * @param context_or_null where a kernel is built if need be; NULL: in a context made for it
 * @param model one of CLPOOL_MODEL_…
 * @param answer receives the answer
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, an unknown model or a wrong struct_size;
 * CLPOOL_ERROR_OPENCL if it is no device; CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL also where
 * PyOpenCL's model has to build a kernel and it cannot be built.
 * May block as long as the compiler takes, where a kernel is built. OpenCL calls: clGetDeviceInfo,
 * clGetPlatformInfo, and those of building a kernel.
 */
CLPOOL_API clpool_status clpool_characterize_work_group_size_multiple(cl_device_id device,
                                                                      cl_context context_or_null,
                                                                      uint32_t model,
                                                                      clpool_answer* answer) CLPOOL_NOEXCEPT;

/** Whether a driver counts the members of a struct argument as arguments. */
enum {
  /** It does not. */
  CLPOOL_STRUCT_ARGUMENT_BUG_NONE = 0,
  /** As Apple's CPU driver did. */
  CLPOOL_STRUCT_ARGUMENT_BUG_APPLE = 1,
  /** As PoCL 0.13 and older did. */
  CLPOOL_STRUCT_ARGUMENT_BUG_POCL = 2
};

/**
 * Whether the driver counts the members of a struct argument as arguments: one of
 * CLPOOL_STRUCT_ARGUMENT_BUG_….
 * @param device the device
 * @param context_or_null where a kernel is built if need be (PoCL 0.14 only); NULL: in a context made for it
 * @param answer receives the answer
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument or a wrong struct_size; CLPOOL_ERROR_OPENCL if it is
 * no device; CLPOOL_ERROR_OUT_OF_MEMORY and CLPOOL_ERROR_OPENCL also where PoCL 0.14 has to build a kernel
 * and it cannot be built.
 * May block as long as the compiler takes, where a kernel is built. OpenCL calls: clGetDeviceInfo,
 * clGetPlatformInfo, and those of building a kernel.
 */
CLPOOL_API clpool_status clpool_characterize_struct_argument_bug(cl_device_id device,
                                                                 cl_context context_or_null,
                                                                 clpool_answer* answer) CLPOOL_NOEXCEPT;

/**
 * NVIDIA's compute capability.
 * @param device the device
 * @param major receives the first number; 0 for devices that have none
 * @param minor receives the second
 * @param answer receives major * 100 + minor; CLPOOL_SOURCE_NOT_APPLICABLE, value 0, for devices that have
 * none
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument or a wrong struct_size; CLPOOL_ERROR_OPENCL if it is
 * no device.
 * OpenCL calls: clGetDeviceInfo, clGetPlatformInfo.
 */
CLPOOL_API clpool_status clpool_characterize_compute_capability(cl_device_id device, uint32_t* major,
                                                                uint32_t* minor,
                                                                clpool_answer* answer) CLPOOL_NOEXCEPT;

/**
 * Version of PoCL.
 * @param platform the platform
 * @param major receives the first number; 0 where there is none
 * @param minor receives the second
 * @param answer receives major * 100 + minor; CLPOOL_SOURCE_NOT_APPLICABLE for other platforms;
 * CLPOOL_SOURCE_NONE where PoCL's version cannot be read
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument or a wrong struct_size; CLPOOL_ERROR_OPENCL if it is
 * no platform.
 * OpenCL calls: clGetPlatformInfo.
 */
CLPOOL_API clpool_status clpool_characterize_pocl_version(cl_platform_id platform, uint32_t* major,
                                                          uint32_t* minor,
                                                          clpool_answer* answer) CLPOOL_NOEXCEPT;

/** Kinds of shared virtual memory. */
enum {
  /** Coarse grain: must be mapped while the host uses it. */
  CLPOOL_SVM_KIND_COARSE_BUFFER = 1,
  /** Fine grain: need not be mapped. */
  CLPOOL_SVM_KIND_FINE_BUFFER = 2,
  /** All of the host's memory. */
  CLPOOL_SVM_KIND_FINE_SYSTEM = 3,
  /** Fine grain, with atomics between host and device. */
  CLPOOL_SVM_KIND_FINE_BUFFER_ATOMICS = 4,
  /** All of the host's memory, with atomics. */
  CLPOOL_SVM_KIND_FINE_SYSTEM_ATOMICS = 5
};

/**
 * Whether the device has a kind of shared virtual memory (1) or not (0). A device that does not know the
 * question has none; PyOpenCL's model also wants a platform of OpenCL 2.0 (PoCL 1.0).
 * @param device the device
 * @param kind one of CLPOOL_SVM_KIND_…
 * @param model one of CLPOOL_MODEL_…
 * @param answer receives the answer
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, an unknown model or kind or a wrong struct_size;
 * CLPOOL_ERROR_OPENCL if it is no device.
 * OpenCL calls: clGetDeviceInfo, clGetPlatformInfo.
 */
CLPOOL_API clpool_status clpool_characterize_svm(cl_device_id device, uint32_t kind, uint32_t model,
                                                 clpool_answer* answer) CLPOOL_NOEXCEPT;

/**
 * Bytes of local memory that a work-group can use: the device's, less the arguments that NVIDIA's devices
 * before compute capability 2.0 keep there.
 * @param device the device
 * @param argument_count number of arguments of the kernel, up to 65536; -1: unknown
 * @param answer receives the bytes
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL, a wrong struct_size and another number of arguments;
 * CLPOOL_ERROR_OPENCL if it is no device.
 * OpenCL calls: clGetDeviceInfo, clGetPlatformInfo.
 */
CLPOOL_API clpool_status clpool_characterize_usable_local_memory(cl_device_id device, int32_t argument_count,
                                                                 clpool_answer* answer) CLPOOL_NOEXCEPT;

/**
 * Bytes of local memory that a kernel leaves for its dynamic local arguments.
 * @param device the device
 * @param kernel a kernel built for it
 * @param answer receives the bytes
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument or a wrong struct_size; CLPOOL_ERROR_OPENCL if it is
 * no device, or no kernel, or not one for the device.
 * OpenCL calls: clGetDeviceInfo, clGetPlatformInfo, clGetKernelInfo, clGetKernelWorkGroupInfo.
 */
CLPOOL_API clpool_status clpool_characterize_usable_local_memory_of_kernel(
    cl_device_id device, cl_kernel kernel, clpool_answer* answer) CLPOOL_NOEXCEPT;

/**
 * Worst bank conflict of accesses to an array in local memory: clpool_bank_conflicts() with the device's
 * figures.
 * @param device the device
 * @param model one of CLPOOL_MODEL_…
 * @param item_size bytes of an item, 1 to 65,536
 * @param shape extents that are accessed, fastest axis last
 * @param rank number of extents in `shape`, at most 32
 * @param stored_shape_or_null extents that are laid out; NULL: as `shape`
 * @param stored_rank number of extents in `stored_shape_or_null`; must be `rank`
 * @param answer receives the multiplicity, 1 for none; 1 with CLPOOL_SOURCE_NOT_APPLICABLE where there are no
 * banks
 * @param text receives why, "" for no conflict, cut to `capacity` and ended by a zero; may be NULL if that is
 * 0
 * @param capacity bytes that `text` has room for
 * @param needed_or_null receives the bytes of the whole text with its zero
 * @return as clpool_bank_conflicts() and clpool_characterize_local_bank_count().
 * OpenCL calls: clGetDeviceInfo, clGetPlatformInfo.
 */
CLPOOL_API clpool_status clpool_characterize_local_access_conflicts(
    cl_device_id device, uint32_t model, size_t item_size, const size_t* shape, size_t rank,
    const size_t* stored_shape_or_null, size_t stored_rank, clpool_answer* answer, char* text,
    size_t capacity, size_t* needed_or_null) CLPOOL_NOEXCEPT;

/** How the speed of a device is to be measured. Every field that is 0 means the default. */
typedef struct clpool_performance_options {
  /** sizeof(clpool_performance_options) of the caller. */
  uint32_t struct_size;
  /** Measurements of which the median is taken, at most 10,000; 0: 7. */
  uint32_t repetitions;
  /** Measurements that are thrown away before, at most 10,000; 0: 3. */
  uint32_t warm_ups;
  /** Must be 0. */
  uint32_t reserved;
  /** Bytes of the transfers whose bandwidth is measured; 0: 64 MiB, or a quarter of the device's largest
   * buffer. */
  uint64_t transfer_bytes;
  /** Nanoseconds that one measurement is to take at least, 60 s at most: its calls are repeated until it
   * does; 0: 10 ms. */
  uint64_t least_ns;
} clpool_performance_options;

/** Initial value of a clpool_performance_options: all defaults. */
#define CLPOOL_PERFORMANCE_OPTIONS_INIT \
  { sizeof(clpool_performance_options), 0u, 0u, 0u, 0u, 0u }

/**
 * Sets a struct to CLPOOL_PERFORMANCE_OPTIONS_INIT, for languages without macros.
 * @param options receives the initial value; NULL is ignored.
 * OpenCL calls: none.
 */
CLPOOL_API void clpool_performance_options_init(clpool_performance_options* options) CLPOOL_NOEXCEPT;

/** Speed of a device: medians. */
typedef struct clpool_performance {
  /** sizeof(clpool_performance) of the caller. */
  uint32_t struct_size;
  /** Must be 0. */
  uint32_t reserved;
  /** Nanoseconds of a blocking write of one byte. */
  uint64_t write_latency_ns;
  /** Nanoseconds of a blocking read of one byte. */
  uint64_t read_latency_ns;
  /** Nanoseconds of a copy of one byte on the device, waited for. */
  uint64_t copy_latency_ns;
  /** Bytes per second from host to device. */
  uint64_t write_bandwidth;
  /** Bytes per second from device to host. */
  uint64_t read_bandwidth;
  /** Bytes per second copied on the device (each byte read and written once counts once). */
  uint64_t copy_bandwidth;
  /** Nanoseconds of an empty kernel of one work item: enqueued many times, waited for once. */
  uint64_t empty_kernel_ns;
  /** Nanoseconds of an empty kernel that is waited for. */
  uint64_t kernel_round_trip_ns;
  /** Nanoseconds that a queue with profiling adds to an empty kernel; negative where the noise is greater. */
  int64_t profiling_overhead_ns;
  /** Bytes of the transfers behind the bandwidths. */
  uint64_t transfer_bytes;
} clpool_performance;

/** Initial value of a clpool_performance. */
#define CLPOOL_PERFORMANCE_INIT \
  { sizeof(clpool_performance), 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0, 0u }

/**
 * Sets a struct to CLPOOL_PERFORMANCE_INIT, for languages without macros.
 * @param performance receives the initial value; NULL is ignored.
 * OpenCL calls: none.
 */
CLPOOL_API void clpool_performance_init(clpool_performance* performance) CLPOOL_NOEXCEPT;

/**
 * Measures transfers and launches, with warm-up and medians. The device should be idle.
 * @param context where to measure; the reference stays the caller's
 * @param device a device of it
 * @param options_or_null NULL for all defaults
 * @param performance receives the figures; initialized by its _INIT macro
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, a wrong struct_size, or transfers of more bytes
 * than the device's largest buffer has; CLPOOL_ERROR_OUT_OF_MEMORY; CLPOOL_ERROR_OPENCL, also if a kernel
 * cannot be built.
 * Blocks for about a second with the defaults. OpenCL calls: clGetDeviceInfo, clCreateCommandQueue,
 * clCreateBuffer, clEnqueueWriteBuffer, clEnqueueReadBuffer, clEnqueueCopyBuffer, clEnqueueNDRangeKernel,
 * clFinish, clReleaseMemObject, clReleaseCommandQueue, and those of building a kernel.
 */
CLPOOL_API clpool_status clpool_characterize_performance(cl_context context, cl_device_id device,
                                                         const clpool_performance_options* options_or_null,
                                                         clpool_performance* performance) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
