// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Immediate allocator: buffers whose memory is forced to exist when they are made, so that out-of-memory is
// reported where it can be answered.
#pragma once

#include <CL/cl.h>

#include "allocator/allocator.hpp"

namespace clpool::core {

/// The command that forces a buffer to exist; the numbers are those of clpool/allocator.h.
enum class Touch : std::uint32_t {
  byte = 0,     ///< a fill of its first byte; before OpenCL 1.2 a write
  migrate = 1,  ///< a migration with undefined content
  write = 2,    ///< a small write that blocks
  whole = 3,    ///< a fill of all of it
};

/// `flags` 0 means CL_MEM_READ_WRITE; `waits`: an allocation ends when that command has.
Status make_immediate_allocator(cl_command_queue queue, cl_mem_flags flags, Reference<Allocator>& result,
                                Touch touch = Touch::byte, bool waits = false);

}  // namespace clpool::core
