// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Allocator: the source of raw memory under the pools. It hands out chunks; what a chunk's value means is
// known to the allocator alone, except that a pool over it adds offsets to addresses and makes sub-buffers of
// buffers.
#pragma once

#include <CL/cl.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/chunk.hpp"
#include "base/mem.hpp"
#include "base/reference.hpp"
#include "base/status.hpp"
#include "cl/order.hpp"
#include "cl/own_queue.hpp"

namespace clpool::core {

/// What an allocator promises about all its chunks; fixed when it is created.
struct AllocatorTraits {
  MemKind kind = MemKind::custom;  ///< buffer, svm, pinned or custom
  bool deferred = false;           ///< memory may turn out missing at its first use
  bool host_writes = false;        ///< the host writes to it without a command: page-locked, fine-grain SVM
  std::uint64_t granularity = 1;  ///< bytes, a power of two: chunks start at a multiple, parts of chunks must
  std::uint64_t max_chunk_bytes = 0;  ///< CL_DEVICE_MAX_MEM_ALLOC_SIZE, the least of the devices; 0 = unknown
  cl_context context = nullptr;       ///< null for custom memory
  cl_command_queue queue = nullptr;   ///< where the memory is used, if the allocator was made over a queue
  /// What the memory is taken from: devices, or a custom allocator. Pools that have one in common can help each other.
  std::vector<const void*> sources = {};
  /// What makes a chunk's memory is enqueued, and loses its content or may move it to another device: others come after it.
  bool made_behind_queue = false;
  /// A command of the allocator's may still use a new chunk, on its queue, when the chunk is there.
  bool is_under_way = false;
  /// Where new memory is used for the first time; null where the driver does not mind others' commands on a queue meanwhile.
  std::shared_ptr<cl::OwnQueue> own_queue = {};
};

class Allocator : public Shared {
 public:
  /// Makes a chunk of exactly `size` bytes (> 0), aligned to `alignment` (a power of two; at most the
  /// granularity unless the memory is custom). OUT_OF_MEMORY may be answered by giving memory back and trying
  /// again; every other failure is final. A failed call leaves nothing behind.
  virtual Status allocate(std::uint64_t size, std::uint64_t alignment, Chunk& chunk) noexcept = 0;

  /// Gives a chunk back. What goes wrong is reported by a message.
  virtual void deallocate(const Chunk& chunk) noexcept = 0;

  /// Gives a chunk back behind the events of `order`, and SVM behind the commands of its queue, too. SVM and
  /// page-locked memory only; NOT_SUPPORTED, with nothing done, for others.
  virtual Status deallocate_on(const Chunk& chunk, const cl::Order& order) noexcept;

  const AllocatorTraits& traits() const noexcept { return traits_; }

 protected:
  explicit Allocator(const AllocatorTraits& traits) : traits_(traits) {}
  Allocator() = default;
  AllocatorTraits traits_;
};

}  // namespace clpool::core
