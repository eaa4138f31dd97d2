// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The timing loop, and what is timed.
#include "device/performance.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "cl/handle.hpp"
#include "cl/info.hpp"
#include "device/probe.hpp"

namespace clpool::core::device {
namespace {

constexpr std::uint64_t default_transfer_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t most_calls = 1u << 20;

/// Everything that is used on the device, made once.
struct Bench {
  cl::Queue queue;
  cl::Queue profiling_queue;
  cl::Memory source;
  cl::Memory target;
  Probe probe;
  std::vector<unsigned char> host;
};

/// More than anybody means.
constexpr std::uint32_t most_repetitions = 10'000;
constexpr std::uint64_t most_least_ns = 60'000'000'000;

Status check(const PerformanceOptions& options) noexcept {
  if (options.repetitions > most_repetitions || options.warm_ups > most_repetitions) {
    return fail(Status::invalid_value,
                "%u repetitions and %u before them were asked for, at most %u are allowed",
                options.repetitions, options.warm_ups, most_repetitions);
  }
  return options.least_ns <= most_least_ns
             ? Status::success
             : fail(Status::invalid_value, "a measurement is to take %llu ns, at most %llu are allowed",
                    static_cast<unsigned long long>(options.least_ns),
                    static_cast<unsigned long long>(most_least_ns));
}

PerformanceOptions with_defaults(cl_device_id device, PerformanceOptions options) {
  options.repetitions = options.repetitions != 0 ? options.repetitions : 7;
  options.warm_ups = options.warm_ups != 0 ? options.warm_ups : 3;
  options.least_ns = options.least_ns != 0 ? options.least_ns : 10'000'000;
  if (options.transfer_bytes == 0) {
    cl_ulong largest = 0;
    const bool known =
        cl::query(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, largest) == Status::success && largest >= 4;
    options.transfer_bytes = known ? std::min<std::uint64_t>(default_transfer_bytes, largest / 4) : 4096;
  }
  return options;
}

Status make_queue(cl_context context, cl_device_id device, cl_command_queue_properties properties,
                  cl::Queue& queue) {
  cl_int code = CL_SUCCESS;
  queue = cl::Queue::adopt(clCreateCommandQueue(context, device, properties, &code));
  return code == CL_SUCCESS ? Status::success
                            : fail_cl(code, "clCreateCommandQueue", "no queue to measure on");
}

Status make_buffer(cl_context context, std::uint64_t bytes, cl::Memory& memory) {
  cl_int code = CL_SUCCESS;
  memory = cl::Memory::adopt(
      clCreateBuffer(context, CL_MEM_READ_WRITE, static_cast<std::size_t>(bytes), nullptr, &code));
  return code == CL_SUCCESS ? Status::success
                            : fail_cl(code, "clCreateBuffer", "no buffer of %llu bytes to measure with",
                                      static_cast<unsigned long long>(bytes));
}

Status prepare(cl_context context, cl_device_id device, std::uint64_t bytes, Bench& bench) {
  CLPOOL_TRY(make_queue(context, device, 0, bench.queue));
  CLPOOL_TRY(make_queue(context, device, CL_QUEUE_PROFILING_ENABLE, bench.profiling_queue));
  CLPOOL_TRY(make_buffer(context, bytes, bench.source));
  CLPOOL_TRY(make_buffer(context, bytes, bench.target));
  CLPOOL_TRY(build_probe(device, context, "__kernel void probe(void) { }", bench.probe));
  bench.host.assign(static_cast<std::size_t>(bytes), 1);
  return Status::success;
}

/// Median nanoseconds of one call. `run(calls)` makes so many calls and returns an OpenCL code; the number is
/// doubled until a measurement takes options.least_ns.
template <typename Run>
Status time_calls(const PerformanceOptions& options, const char* what, Run&& run, double& nanoseconds) {
  using Clock = std::chrono::steady_clock;
  std::uint64_t calls = 1;
  cl_int code = CL_SUCCESS;
  const auto measure = [&]() -> double {
    const auto begin = Clock::now();
    code = run(calls);
    const std::chrono::duration<double, std::nano> duration = Clock::now() - begin;
    return duration.count();
  };
  for (std::uint32_t i = 0; i < options.warm_ups && code == CL_SUCCESS; ++i) {
    measure();
  }
  while (code == CL_SUCCESS && calls < most_calls && measure() < static_cast<double>(options.least_ns)) {
    calls *= 2;
  }
  std::vector<double> times;
  for (std::uint32_t i = 0; i < options.repetitions && code == CL_SUCCESS; ++i) {
    times.push_back(measure() / static_cast<double>(calls));
  }
  if (code != CL_SUCCESS) {
    return fail_cl(code, "clEnqueue…", "the speed of %s cannot be measured", what);
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  nanoseconds = times[times.size() / 2];
  return Status::success;
}

/// `call()` so many times, until one fails.
template <typename Call>
cl_int repeat(std::uint64_t calls, Call&& call) {
  cl_int code = CL_SUCCESS;
  for (std::uint64_t i = 0; i < calls && code == CL_SUCCESS; ++i) {
    code = call();
  }
  return code;
}

cl_int write(Bench& bench, std::size_t bytes) {
  return clEnqueueWriteBuffer(bench.queue.get(), bench.source.get(), CL_TRUE, 0, bytes, bench.host.data(), 0,
                              nullptr, nullptr);
}

cl_int read(Bench& bench, std::size_t bytes) {
  return clEnqueueReadBuffer(bench.queue.get(), bench.source.get(), CL_TRUE, 0, bytes, bench.host.data(), 0,
                             nullptr, nullptr);
}

cl_int copy(Bench& bench, std::size_t bytes) {
  const cl_int code = clEnqueueCopyBuffer(bench.queue.get(), bench.source.get(), bench.target.get(), 0, 0,
                                          bytes, 0, nullptr, nullptr);
  return code == CL_SUCCESS ? clFinish(bench.queue.get()) : code;
}

cl_int launch(const Bench& bench, cl_command_queue queue) {
  const std::size_t one = 1;
  return clEnqueueNDRangeKernel(queue, bench.probe.kernel.get(), 1, nullptr, &one, &one, 0, nullptr, nullptr);
}

Status measure_transfers(const PerformanceOptions& options, Bench& bench, Performance& performance) {
  using Transfer = cl_int (*)(Bench&, std::size_t);
  const auto bytes = static_cast<std::size_t>(options.transfer_bytes);
  const auto measure = [&](const char* what, Transfer transfer, std::uint64_t& latency,
                           std::uint64_t& bandwidth) {
    double nanoseconds = 0;
    CLPOOL_TRY(time_calls(
        options, what, [&](std::uint64_t calls) { return repeat(calls, [&] { return transfer(bench, 1); }); },
        nanoseconds));
    latency = static_cast<std::uint64_t>(nanoseconds);
    CLPOOL_TRY(time_calls(
        options, what,
        [&](std::uint64_t calls) { return repeat(calls, [&] { return transfer(bench, bytes); }); },
        nanoseconds));
    bandwidth = static_cast<std::uint64_t>(static_cast<double>(bytes) * 1e9 / std::max(nanoseconds, 1.0));
    return Status::success;
  };
  CLPOOL_TRY(measure("writes", write, performance.write_latency_ns, performance.write_bandwidth));
  CLPOOL_TRY(measure("reads", read, performance.read_latency_ns, performance.read_bandwidth));
  return measure("copies", copy, performance.copy_latency_ns, performance.copy_bandwidth);
}

Status measure_launches(const PerformanceOptions& options, Bench& bench, Performance& performance) {
  const auto many = [&](cl_command_queue queue) {
    return [&bench, queue](std::uint64_t calls) {
      const cl_int code = repeat(calls, [&] { return launch(bench, queue); });
      return code == CL_SUCCESS ? clFinish(queue) : code;
    };
  };
  double plain = 0;
  double profiled = 0;
  double round_trip = 0;
  CLPOOL_TRY(time_calls(options, "kernels", many(bench.queue.get()), plain));
  CLPOOL_TRY(time_calls(options, "kernels with profiling", many(bench.profiling_queue.get()), profiled));
  CLPOOL_TRY(time_calls(
      options, "kernels that are waited for",
      [&](std::uint64_t calls) {
        return repeat(calls, [&] {
          const cl_int code = launch(bench, bench.queue.get());
          return code == CL_SUCCESS ? clFinish(bench.queue.get()) : code;
        });
      },
      round_trip));
  performance.empty_kernel_ns = static_cast<std::uint64_t>(plain);
  performance.kernel_round_trip_ns = static_cast<std::uint64_t>(round_trip);
  performance.profiling_overhead_ns = static_cast<std::int64_t>(profiled - plain);
  return Status::success;
}

}  // namespace

Status measure_performance(cl_context context, cl_device_id device, const PerformanceOptions& asked,
                           Performance& performance) {
  performance = {};
  CLPOOL_TRY(check(asked));
  const PerformanceOptions options = with_defaults(device, asked);
  cl_ulong largest = 0;
  CLPOOL_TRY(cl::query(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, largest));
  if (options.transfer_bytes > largest) {
    return fail(Status::invalid_value, "transfer_bytes is %llu, the device's largest buffer has %llu",
                static_cast<unsigned long long>(options.transfer_bytes),
                static_cast<unsigned long long>(largest));
  }
  Bench bench;
  CLPOOL_TRY(prepare(context, device, options.transfer_bytes, bench));
  CLPOOL_TRY(measure_transfers(options, bench, performance));
  CLPOOL_TRY(measure_launches(options, bench, performance));
  performance.transfer_bytes = options.transfer_bytes;
  return Status::success;
}

}  // namespace clpool::core::device
