// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// How many work items run in step.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <vector>

#include "base/status.hpp"
#include "device/answer.hpp"
#include "device/identity.hpp"

namespace clpool::core::device {

/// Width that kernels have by default. Today's order: the vendor's query, the OpenCL 3.0 query, a kernel, the
/// table, a guess; always a number. PyOpenCL's model: its own order, with no answer (Source::none) for
/// devices that it does not know and NOT_SUPPORTED where it raises.
Status simd_group_size(const Identity& device, Model model, Answer& answer);

/// All widths that the compiler may choose for a kernel, ascending.
Status simd_group_sizes(const Identity& device, std::vector<std::uint32_t>& sizes, Answer& answer);

/// Width that the compiler chose for a kernel; OPENCL if the kernel is not built for the device.
Status simd_group_size_of_kernel(const Identity& device, cl_kernel kernel, Answer& answer);

/// What work-group sizes should be a multiple of. `context_or_null`: where a probe kernel is built if need
/// be.
Status group_size_multiple(const Identity& device, cl_context context_or_null, Model model, Answer& answer);

/// Most sub-groups of a work-group; 0: the device has none.
Status sub_groups(const Identity& device, Answer& answer);

}  // namespace clpool::core::device
