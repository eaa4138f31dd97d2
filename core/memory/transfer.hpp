// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Fills, copies, reads, writes and migration of buffers and SVM, pooled or not. Sizes are bytes; whole_size
// takes what both sides have. 0 bytes do nothing and give a completed event.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>

#include "base/mem.hpp"
#include "cl/order.hpp"

namespace clpool::core {

/// Host memory that a command reads or writes, and its size: nothing beyond it is touched.
struct HostSource {
  const void* data = nullptr;
  std::size_t size = 0;
};
struct HostTarget {
  void* data = nullptr;
  std::size_t size = 0;
};

struct Pattern {
  const void* data = nullptr;
  std::size_t size = 0;
};

/// Fills larger than this are split: NVIDIA's driver hung on 2 GiB and more.
inline constexpr std::size_t largest_fill = std::size_t{1} << 30;

Status fill(const cl::Order& order, Mem& target, const Pattern& pattern, std::size_t offset, std::size_t size,
            std::size_t largest_piece = largest_fill);

Status copy(const cl::Order& order, Mem& target, std::size_t target_offset, Mem& source,
            std::size_t source_offset, std::size_t size);
Status read(const cl::Order& order, Mem& source, std::size_t offset, const HostTarget& host, std::size_t size,
            bool blocking);
Status write(const cl::Order& order, Mem& target, std::size_t offset, const HostSource& host,
             std::size_t size, bool blocking);

/// Buffers and SVM may be mixed. `flags`: CL_MIGRATE_MEM_OBJECT_HOST, …_CONTENT_UNDEFINED.
Status migrate(const cl::Order& order, Mem* const* mems, std::size_t count, cl_mem_migration_flags flags);

/// clEnqueueCopyBufferP2PAMD, between contexts, where the driver has it.
Status copy_p2p(const cl::Order& order, Mem& target, std::size_t target_offset, Mem& source,
                std::size_t source_offset, std::size_t size);

}  // namespace clpool::core
