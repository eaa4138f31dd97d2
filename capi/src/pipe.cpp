// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/pipe.h.
#include "clpool/pipe.h"

#include "memory/pipe.hpp"

#include "command.hpp"

clpool_status clpool_pipe_create(cl_context context, cl_mem_flags flags, cl_uint packet_size,
                                 cl_uint max_packets, clpool_mem** out) noexcept {
  return clpool::capi::create_mem(out, __func__, [&](clpool::core::Mem*& mem) -> clpool::core::Status {
    CLPOOL_TRY(clpool::capi::require(context, "clpool_pipe_create", "context"));
    return clpool::core::create_pipe(context, flags, packet_size, max_packets, mem);
  });
}
