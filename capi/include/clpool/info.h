/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Questions about memory, and its use as a kernel argument.
 *
 * Thread safety: any thread, one at a time for the same memory. Since 1.0. Unless a function says otherwise,
 * it does not block.
 */
#ifndef CLPOOL_INFO_H
#define CLPOOL_INFO_H

#include "clpool/mem.h"
#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A CL_MEM_… property. CL_MEM_SIZE is clpool_mem_size(), also for pooled buffers, whose OpenCL object may be
 * larger. Memory without a cl_mem knows that, CL_MEM_CONTEXT, CL_MEM_HOST_PTR (its address) and
 * CL_MEM_OFFSET.
 * @param mem the memory
 * @param name the property, of any OpenCL version
 * @param size bytes of room at `value`
 * @param value receives the answer; NULL to ask for its size only
 * @param needed_or_null receives the bytes of the answer, also where the room is too little; 0 on other
 * failures
 * @return CLPOOL_ERROR_INVALID_VALUE for NULL and for too little room; CLPOOL_ERROR_OPENCL with
 * CL_INVALID_VALUE (-30) for a property that does not exist; CLPOOL_ERROR_INVALID_OPERATION for released
 * memory and for what memory without a cl_mem does not know; CLPOOL_ERROR_NOT_SUPPORTED, with the needed
 * version, for a property that came later than the driver.
 * OpenCL calls: clGetMemObjectInfo where the driver answers, else none; to explain a refusal
 * clGetContextInfo and clGetDeviceInfo.
 */
CLPOOL_API clpool_status clpool_mem_info(const clpool_mem* mem, cl_mem_info name, size_t size, void* value,
                                         size_t* needed_or_null) CLPOOL_NOEXCEPT;

/**
 * A CL_IMAGE_… property of an image.
 * @param image the image
 * @param name the property, of any OpenCL version
 * @param size bytes of room at `value`
 * @param value receives the answer; NULL to ask for its size only
 * @param needed_or_null receives the bytes of the answer, as for clpool_mem_info()
 * @return as clpool_mem_info(); CLPOOL_ERROR_INVALID_OPERATION also for other memory than images.
 * OpenCL calls: clGetImageInfo; to explain a refusal clGetMemObjectInfo, clGetContextInfo and
 * clGetDeviceInfo.
 */
CLPOOL_API clpool_status clpool_image_info(const clpool_mem* image, cl_image_info name, size_t size,
                                           void* value, size_t* needed_or_null) CLPOOL_NOEXCEPT;

/**
 * A CL_PIPE_… property of a pipe.
 * @param pipe the pipe
 * @param name the property, of any OpenCL version
 * @param size bytes of room at `value`
 * @param value receives the answer; NULL to ask for its size only
 * @param needed_or_null receives the bytes of the answer, as for clpool_mem_info()
 * @return as clpool_mem_info(); CLPOOL_ERROR_INVALID_OPERATION also for other memory than pipes.
 * OpenCL calls: clGetPipeInfo; to explain a refusal clGetMemObjectInfo, clGetContextInfo and
 * clGetDeviceInfo.
 */
CLPOOL_API clpool_status clpool_pipe_info(const clpool_mem* pipe, cl_uint name, size_t size, void* value,
                                          size_t* needed_or_null) CLPOOL_NOEXCEPT;

/**
 * A CL_MEM_…, CL_IMAGE_… or CL_PIPE_… property that is one number, handle or address, for languages in which
 * raw bytes are awkward.
 * @param mem the memory
 * @param name the property
 * @param value receives the answer; handles and addresses as their 64-bit values
 * @return as clpool_mem_info(); CLPOOL_ERROR_INVALID_VALUE also for properties that are not one number.
 * OpenCL calls: clGetMemObjectInfo, clGetImageInfo or clGetPipeInfo; to explain a refusal
 * clGetContextInfo and clGetDeviceInfo.
 */
CLPOOL_API clpool_status clpool_mem_info_number(const clpool_mem* mem, cl_uint name,
                                                uint64_t* value) CLPOOL_NOEXCEPT;

/**
 * The context in which the memory lives.
 * @param mem the memory
 * @param context receives the context without a reference; NULL for custom memory
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument; CLPOOL_ERROR_INVALID_OPERATION for released memory.
 * OpenCL calls: none.
 */
CLPOOL_API clpool_status clpool_mem_context(const clpool_mem* mem, cl_context* context) CLPOOL_NOEXCEPT;

/**
 * The host memory that a buffer or image made with CL_MEM_USE_HOST_PTR lies in. To see what devices wrote,
 * map it first.
 * @param mem the memory
 * @param pointer receives the address; the memory stays whose it was
 * @param size receives the bytes
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument; CLPOOL_ERROR_INVALID_OPERATION for memory that was
 * not made so, and for released memory.
 * OpenCL calls: clGetMemObjectInfo.
 */
CLPOOL_API clpool_status clpool_mem_host_memory(const clpool_mem* mem, void** pointer,
                                                size_t* size) CLPOOL_NOEXCEPT;

/**
 * Whether two are the same object: the same cl_mem, or without one the same address.
 * @param a memory or NULL
 * @param b memory or NULL
 * @return 1 if so, else 0; 0 where either is NULL or released.
 * OpenCL calls: none.
 */
CLPOOL_API int32_t clpool_mem_equal(const clpool_mem* a, const clpool_mem* b) CLPOOL_NOEXCEPT;

/**
 * Passes memory to a kernel, buffers and images by their cl_mem, SVM by its address.
 * @param mem the memory
 * @param kernel the kernel
 * @param index number of the argument, from 0
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument; CLPOOL_ERROR_INVALID_OPERATION for page-locked,
 * custom and released memory; CLPOOL_ERROR_OUT_OF_MEMORY; CLPOOL_ERROR_OPENCL.
 * OpenCL calls: clSetKernelArg, for SVM clSetKernelArgSVMPointer.
 */
CLPOOL_API clpool_status clpool_mem_set_kernel_arg(const clpool_mem* mem, cl_kernel kernel,
                                                   cl_uint index) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
