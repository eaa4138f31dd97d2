// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pipes.
#pragma once

#include <CL/cl.h>

#include "base/mem.hpp"

namespace clpool::core {

/// NOT_SUPPORTED where no device of the context has pipes.
Status create_pipe(cl_context context, cl_mem_flags flags, cl_uint packet_size, cl_uint max_packets,
                   Mem*& result);

}  // namespace clpool::core
