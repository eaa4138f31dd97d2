/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Shared virtual memory made directly or given by others. Fills, copies and migration are in transfer.h, maps
 * in map.h; pooled SVM comes from a pool over clpool_allocator_create_svm().
 *
 * Coarse-grain SVM must be mapped while the host uses it; fine-grain SVM need not. SVM is not
 * reference-counted by OpenCL: it is freed at once, or behind the commands of a queue if one was given.
 *
 * Thread safety: any thread, one at a time for the same memory. Since 1.0. Unless a function says otherwise,
 * it does not block.
 */
#ifndef CLPOOL_SVM_H
#define CLPOOL_SVM_H

#include "clpool/buffer.h"
#include "clpool/mem.h"
#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes SVM by clSVMAlloc.
 * @param context where it is made; retained
 * @param flags cl_svm_mem_flags, 0 means CL_MEM_READ_WRITE (coarse grain); CL_MEM_SVM_FINE_GRAIN_BUFFER and
 * CL_MEM_SVM_ATOMICS for the finer kinds
 * @param size bytes; 0 succeeds and gives NULL
 * @param alignment bytes, a power of two, 0 for the device's default; see clpool_svm_alignment_for()
 * @param queue_or_null an in-order queue that the memory is freed behind; NULL: freed at once, unless
 * commands of this library still use it, which it is then freed behind
 * @param out receives the memory; the caller releases it with clpool_mem_release(). NULL on failure
 * @return CLPOOL_ERROR_NOT_SUPPORTED, naming what is needed, where the device lacks that kind;
 * CLPOOL_ERROR_INVALID_VALUE for a NULL argument, an out-of-order queue or one of another context, wrong
 * flags, a wrong alignment or a size over the device's largest allocation; CLPOOL_ERROR_OUT_OF_MEMORY;
 * CLPOOL_ERROR_OPENCL.
 * May block as long as the driver does. OpenCL calls: clSVMAlloc, and those of
 * clpool_allocator_create_svm() and clpool_allocator_allocate(); those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_svm_create(cl_context context, cl_svm_mem_flags flags, size_t size,
                                           cl_uint alignment, cl_command_queue queue_or_null,
                                           clpool_mem** out) CLPOOL_NOEXCEPT;

/**
 * Describes SVM of others. It is not freed; the caller keeps it alive.
 * @param context the context that it belongs to; retained
 * @param pointer its address
 * @param size bytes; CLPOOL_WHOLE_SIZE if unknown: then no range is checked and none can be left out
 * @param system 0: memory from clSVMAlloc of this context; not 0: ordinary host memory, which devices can use
 * only with fine-grain system SVM
 * @param out receives the memory; the caller releases it with clpool_mem_release(). NULL on failure
 * @return CLPOOL_ERROR_NOT_SUPPORTED where no device of the context has that kind; CLPOOL_ERROR_INVALID_VALUE
 * for a NULL argument or 0 bytes; CLPOOL_ERROR_OPENCL for an invalid context.
 * OpenCL calls: clGetContextInfo, clGetDeviceInfo, clRetainContext; those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_svm_wrap(cl_context context, void* pointer, size_t size, int32_t system,
                                         clpool_mem** out) CLPOOL_NOEXCEPT;

/**
 * A buffer over the same bytes (CL_MEM_USE_HOST_PTR), for functions that take buffers only. It keeps the SVM
 * alive. Not every driver allows it.
 * @param svm the memory, or a part of it
 * @param flags cl_mem_flags, 0 means CL_MEM_READ_WRITE; CL_MEM_USE_HOST_PTR is added
 * @param size bytes; CLPOOL_WHOLE_SIZE means all
 * @param out receives the buffer; the caller releases it with clpool_mem_release(). NULL on failure
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, 0 bytes, too large a size, SVM of unknown size
 * without one, or flags that exclude each other or CL_MEM_USE_HOST_PTR; CLPOOL_ERROR_INVALID_OPERATION for
 * other memory than SVM and for released memory; CLPOOL_ERROR_OUT_OF_MEMORY; CLPOOL_ERROR_OPENCL.
 * OpenCL calls: clCreateBuffer, clRetainContext, and clReleaseMemObject on failure; those of releases that
 * were put off.
 */
CLPOOL_API clpool_status clpool_svm_as_buffer(clpool_mem* svm, cl_mem_flags flags, size_t size,
                                              clpool_mem** out) CLPOOL_NOEXCEPT;

/**
 * The alignment to ask for when items of a size are stored.
 * @param item_size bytes of one item
 * @return bytes: the next power of two, at most 128, which every device allows.
 * OpenCL calls: none.
 */
CLPOOL_API cl_uint clpool_svm_alignment_for(size_t item_size) CLPOOL_NOEXCEPT;

/**
 * Which kinds of SVM a device has.
 * @param device the device
 * @param capabilities receives bits of CL_DEVICE_SVM_…; 0 before OpenCL 2.0
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument; CLPOOL_ERROR_OPENCL for an invalid device.
 * OpenCL calls: clGetDeviceInfo.
 */
CLPOOL_API clpool_status clpool_svm_capabilities(cl_device_id device,
                                                 cl_bitfield* capabilities) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
