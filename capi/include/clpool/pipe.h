/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Pipes. Questions about them are in info.h. Since 1.0. */
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
 * @param max_packets how many packets it holds
 * @param out the pipe
 * @return CLPOOL_ERROR_NOT_SUPPORTED before OpenCL 2.0 and where no device of the context has pipes;
 *         CLPOOL_ERROR_INVALID_VALUE for a NULL argument; CLPOOL_ERROR_OUT_OF_MEMORY; CLPOOL_ERROR_OPENCL
 * Thread-safe; does not block. OpenCL calls: clCreatePipe, clGetContextInfo, clGetDeviceInfo,
 * clRetainContext.
 */
CLPOOL_API clpool_status clpool_pipe_create(cl_context context, cl_mem_flags flags, cl_uint packet_size,
                                            cl_uint max_packets, clpool_mem** out) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
