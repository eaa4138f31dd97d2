/* SPDX-FileCopyrightText: The libclpool authors
 * SPDX-License-Identifier: Apache-2.0 */
/* Samplers, in both forms of OpenCL. A sampler is a plain cl_sampler: pass it to clSetKernelArg, ask it by
 * clGetSamplerInfo, give it back by clReleaseSampler.
 *
 * Thread safety: any functions, from any threads, at the same time. Since 1.0. Unless a function says
 * otherwise, it does not block.
 */
#ifndef CLPOOL_SAMPLER_H
#define CLPOOL_SAMPLER_H

#include "clpool/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Makes a sampler.
 * @param context where it is made
 * @param normalized not 0: coordinates go from 0 to 1
 * @param addressing CL_ADDRESS_CLAMP, …
 * @param filter CL_FILTER_NEAREST or CL_FILTER_LINEAR
 * @param out receives the sampler; the caller releases it with clReleaseSampler(). NULL on failure
 * @return CLPOOL_ERROR_INVALID_VALUE for a NULL argument, an addressing mode or filter that does not exist,
 * or a repeating mode without normalized coordinates; CLPOOL_ERROR_OUT_OF_MEMORY; CLPOOL_ERROR_OPENCL.
 * OpenCL calls: clGetContextInfo, clGetDeviceInfo, clCreateSamplerWithProperties, before OpenCL 2.0
 * clCreateSampler.
 */
CLPOOL_API clpool_status clpool_sampler_create(cl_context context, int32_t normalized,
                                               cl_addressing_mode addressing, cl_filter_mode filter,
                                               cl_sampler* out) CLPOOL_NOEXCEPT;

/**
 * Makes a sampler from properties.
 * @param context where it is made
 * @param properties_or_null pairs of name (CL_SAMPLER_…) and value, ended by 0; NULL: the defaults
 * @param out receives the sampler; the caller releases it with clReleaseSampler(). NULL on failure
 * @return CLPOOL_ERROR_NOT_SUPPORTED, before OpenCL 2.0, for other properties than coordinates, addressing
 * and filter; CLPOOL_ERROR_INVALID_VALUE for a NULL argument, an addressing mode or filter that does not
 * exist, or a repeating mode without normalized coordinates; CLPOOL_ERROR_OUT_OF_MEMORY; CLPOOL_ERROR_OPENCL.
 * OpenCL calls: clGetContextInfo, clGetDeviceInfo, clCreateSamplerWithProperties, before OpenCL 2.0
 * clCreateSampler.
 */
CLPOOL_API clpool_status clpool_sampler_create_with_properties(cl_context context,
                                                               const cl_bitfield* properties_or_null,
                                                               cl_sampler* out) CLPOOL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif
