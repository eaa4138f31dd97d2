// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Speed of a device: transfers and launches, measured with warm-up and medians.
#pragma once

#include <CL/cl.h>

#include <cstdint>

#include "base/status.hpp"

namespace clpool::core::device {

/// 0 means the default.
struct PerformanceOptions {
  std::uint32_t repetitions = 0;     ///< 7
  std::uint32_t warm_ups = 0;        ///< 3
  std::uint64_t transfer_bytes = 0;  ///< 64 MiB, or a quarter of the largest buffer
  std::uint64_t least_ns = 0;        ///< of one measurement: 10 ms
};

/// Nanoseconds, and bytes per second.
struct Performance {
  std::uint64_t write_latency_ns = 0;
  std::uint64_t read_latency_ns = 0;
  std::uint64_t copy_latency_ns = 0;
  std::uint64_t write_bandwidth = 0;
  std::uint64_t read_bandwidth = 0;
  std::uint64_t copy_bandwidth = 0;
  std::uint64_t empty_kernel_ns = 0;       ///< enqueued many times, waited for once
  std::uint64_t kernel_round_trip_ns = 0;  ///< each waited for
  std::int64_t profiling_overhead_ns = 0;
  std::uint64_t transfer_bytes = 0;
};

/// Blocks for about a second with the defaults. The device should be idle.
Status measure_performance(cl_context context, cl_device_id device, const PerformanceOptions& options,
                           Performance& performance);

}  // namespace clpool::core::device
