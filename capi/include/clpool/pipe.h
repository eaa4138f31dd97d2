/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Pipes. Questions about them are in info.h.
 *
 * Thread safety: any functions, from any threads, at the same time. Since 1.0. Unless a function says
 * otherwise, it does not block.
 */
#ifndef CLPOOL_PIPE_H
#define CLPOOL_PIPE_H

#include "clpool/mem.h"
#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes a pipe.
 * @param context where it is made; retained
 * @param flags cl_mem_flags, 0 means the driver's default
 * @param packet_size bytes of one packet
 * @param max_packets number of packets that it holds
 * @param out receives the pipe; the caller releases it with clpool_mem_release(). NULL on failure
 * @return CLPOOL_ERROR_NOT_SUPPORTED before OpenCL 2.0 and where no device of the context has pipes;
 * CLPOOL_ERROR_INVALID_VALUE for a NULL argument; CLPOOL_ERROR_OUT_OF_MEMORY; CLPOOL_ERROR_OPENCL.
 * OpenCL calls: clGetContextInfo, clGetDeviceInfo, clCreatePipe, clGetMemObjectInfo, clRetainContext, and
 * clReleaseMemObject on failure; those of releases that were put off.
 */
CLPOOL_API clpool_status clpool_pipe_create(cl_context context, cl_mem_flags flags, cl_uint packet_size,
                                            cl_uint max_packets, clpool_mem** out) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
