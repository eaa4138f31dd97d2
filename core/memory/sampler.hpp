// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Samplers, in both forms.
#pragma once

#include <CL/cl.h>

#include "base/status.hpp"

namespace clpool::core {

Status create_sampler(cl_context context, bool normalized, cl_addressing_mode addressing,
                      cl_filter_mode filter, cl_sampler& result);

/// `properties`: pairs of name and value, ended by 0; null for the defaults. Before OpenCL 2.0 the three
/// classic properties work, others are NOT_SUPPORTED.
Status create_sampler(cl_context context, const cl_bitfield* properties, cl_sampler& result);

}  // namespace clpool::core
