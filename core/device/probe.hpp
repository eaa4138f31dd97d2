// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A kernel that is built only to ask the driver about it.
#pragma once

#include <CL/cl.h>

#include "base/status.hpp"
#include "cl/handle.hpp"

namespace clpool::core::device {

/// Keeps what the kernel needs alive.
struct Probe {
  cl::Context context;
  cl::Program program;
  cl::Kernel kernel;
};

/// Builds `source` in `context_or_null` (or in a context of its own) and takes its kernel named "probe". May
/// block as long as the compiler takes.
Status build_probe(cl_device_id device, cl_context context_or_null, const char* source, Probe& probe);

/// CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE of the simplest kernel.
Status probe_group_size_multiple(cl_device_id device, cl_context context_or_null, std::size_t& multiple);

/// CL_KERNEL_NUM_ARGS of a kernel with one argument, a struct of two members: 1 unless the driver has the
/// bug.
Status probe_struct_arguments(cl_device_id device, cl_context context_or_null, cl_uint& arguments);

}  // namespace clpool::core::device
