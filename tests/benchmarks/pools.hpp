// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pools to measure, over every kind of allocator, and the device that they are on.
#pragma once

#include <clpool/clpool.h>

#include <memory>
#include <string>

namespace clpool::benchmarks {

/// Ends the program with the library's message unless the call succeeded.
void require(clpool_status status, const char* what);
/// … with the driver's code.
void require_driver(cl_int code, const char* what);

/// Device, context and in-order queue: a GPU before anything else.
struct Device {
  Device();
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  std::string name() const;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
};
Device& device();

struct Release {
  void operator()(clpool_pool* pool) const { clpool_pool_release(pool); }
  void operator()(clpool_allocator* allocator) const { clpool_allocator_release(allocator); }
};
using PoolHandle = std::unique_ptr<clpool_pool, Release>;
using AllocatorHandle = std::unique_ptr<clpool_allocator, Release>;

enum class Kind { numbers, buffer, svm, pinned };

/// Numbers: addresses from a counter, no memory behind them.
AllocatorHandle make_allocator(Kind kind);
PoolHandle make_pool(Kind kind, const clpool_pool_options* options = nullptr);
/// A pool of numbers with default options.
PoolHandle make_pool();

clpool_pool_stats statistics(clpool_pool* pool);

}  // namespace clpool::benchmarks
