/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Buffers made directly, sub-regions of any memory, and plain cl_mem objects as clpool_mem.
 *
 * Thread safety: any thread, one at a time for the same memory. Since 1.0. Unless a function says otherwise,
 * it does not block.
 */
#ifndef CLPOOL_BUFFER_H
#define CLPOOL_BUFFER_H

#include "clpool/mem.h"
#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** As a size: all that is left, or as much as both sides of a transfer have. */
#define CLPOOL_WHOLE_SIZE SIZE_MAX

/**
 * Makes a buffer by clCreateBuffer. Its memory may be found missing at its first use: clpool_mem_migrate(), a
 * small transfer or an immediate allocator makes sure.
 * @param context where it is made; retained
 * @param flags cl_mem_flags, 0 means CL_MEM_READ_WRITE; unknown ones go to the driver as they are
 * @param size bytes; 0 with host memory means all of that
 * @param host_or_null host memory, together with CL_MEM_USE_HOST_PTR (must outlive the buffer) or
 * CL_MEM_COPY_HOST_PTR (copied by the call)
 * @param host_size bytes of the host memory; at least size
 * @param out receives the buffer; the caller releases it with clpool_mem_release(). NULL on failure
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, 0 bytes, too little host memory, host memory
 * without one of those flags or the flags without it, and for accesses that exclude each other;
 * CLPOOL_ERROR_OUT_OF_MEMORY; CLPOOL_ERROR_OPENCL, with
 * CL_INVALID_BUFFER_SIZE for a size over the device's largest buffer. Drivers that take memory only at a
 * buffer's first use may make one of any size (NVIDIA's 580.159 does) and refuse that use.
 * Blocks as long as the driver copies. OpenCL calls: clCreateBuffer, clRetainContext, and
 * clReleaseMemObject on failure; to explain too large a size clGetContextInfo, clGetDeviceInfo; those of
 * releases that were put off.
 */
CLPOOL_API clpool_status clpool_buffer_create(cl_context context, cl_mem_flags flags, size_t size,
                                              void* host_or_null, size_t host_size,
                                              clpool_mem** out) CLPOOL_NOEXCEPT;

/**
 * A part of other memory, which it keeps alive. Of buffers, pooled ones and sub-regions themselves: a
 * sub-buffer of the root buffer. Of SVM, page-locked and custom memory: a pointer.
 * NVIDIA's driver (580.159 seen) crashes where of two overlapping sub-buffers that were both used the older
 * one is released first: release what overlaps in the reverse order there.
 * @param parent the memory
 * @param origin bytes from its start; for buffers the sum with the parent's own offset in the root buffer
 * must be a multiple of the device's base address alignment (CL_DEVICE_MEM_BASE_ADDR_ALIGN, in bits)
 * @param size bytes; CLPOOL_WHOLE_SIZE means all that is left
 * @param flags cl_mem_flags, no more than the parent's; 0 means those of the parent; host pointer flags are
 * left out
 * @param out receives the part; the caller releases it with clpool_mem_release(). NULL on failure
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, 0 bytes, a part that ends beyond the parent, flags
 * that parts do not have or that exclude each other, or that a parent which is a part does not allow;
 * CLPOOL_ERROR_OPENCL with CL_INVALID_VALUE (-30) where another one does not, with
 * CL_MISALIGNED_SUB_BUFFER_OFFSET (-13) for a wrong origin; CLPOOL_ERROR_INVALID_OPERATION for images,
 * pipes and released memory; CLPOOL_ERROR_OUT_OF_MEMORY.
 * OpenCL calls: for buffers clCreateSubBuffer, and clGetMemObjectInfo where one was wrapped or is a part;
 * clRetainContext, and clReleaseMemObject on failure; to explain a wrong origin clGetContextInfo,
 * clGetDeviceInfo; those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_mem_sub_region(clpool_mem* parent, size_t origin, size_t size,
                                               cl_mem_flags flags, clpool_mem** out) CLPOOL_NOEXCEPT;

/**
 * A clpool_mem for a plain cl_mem of any type. Of a pool's block, the cl_mem alone is kept: the block goes
 * back to its pool as if nothing had wrapped it, and others get its bytes. clpool_mem_retain() keeps a block.
 * @param handle the object; of a sub-buffer, the buffer that it is part of must keep a reference as long
 * @param retain not 0: it is retained; 0: the caller's reference is taken over if the call succeeds
 * @param out receives the memory; the caller releases it with clpool_mem_release(). NULL on failure. Its kind
 * is that of the object
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument; CLPOOL_ERROR_OPENCL for an invalid handle.
 * OpenCL calls: clGetMemObjectInfo, clRetainMemObject, clReleaseMemObject, clRetainContext; those of
 * releases that were put off.
 */
CLPOOL_API clpool_status clpool_mem_wrap(cl_mem handle, int32_t retain, clpool_mem** out) CLPOOL_NOEXCEPT;

/**
 * The buffer object that a piece of memory lies in, and where: for kernels that take a buffer and an offset.
 * @param mem a buffer or a part of one
 * @param root receives the buffer object, which is no sub-buffer; the reference stays with `mem`
 * @param offset receives the bytes from its start
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument; CLPOOL_ERROR_INVALID_OPERATION for memory without a
 * cl_mem and for released memory.
 * OpenCL calls: clGetMemObjectInfo for wrapped sub-buffers, else none.
 */
CLPOOL_API clpool_status clpool_mem_root(const clpool_mem* mem, cl_mem* root, size_t* offset) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
