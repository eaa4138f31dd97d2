// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The names of OpenCL's types that stand in signatures, for headers that need no more of OpenCL than these.
// They are declared as <CL/cl.h> declares them, which may be included before or after.
#pragma once

#include <cstdint>

// NOLINTBEGIN(bugprone-reserved-identifier): OpenCL's own names
struct _cl_mem;
struct _cl_context;
struct _cl_command_queue;
// NOLINTEND(bugprone-reserved-identifier)
typedef struct _cl_mem* cl_mem;
typedef struct _cl_context* cl_context;
typedef struct _cl_command_queue* cl_command_queue;
typedef std::int32_t cl_int;
