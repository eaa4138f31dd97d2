// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The program that allocates a temporary for every step, enqueues a kernel on it and releases it, without a
// pool and with one. On drivers that wait in clReleaseMemObject until a kernel has ended with the object, the
// first runs in lock-step with its device. Prints host time per step, total time, and the share of it in
// which the device was idle.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "pools.hpp"

namespace {

using clpool::benchmarks::device;
using clpool::benchmarks::require;
using clpool::benchmarks::require_driver;
using Clock = std::chrono::steady_clock;

constexpr int steps = 1000;
const std::size_t sizes[] = {256 << 10, 1 << 20, 4 << 20, 512 << 10, 2 << 20};

// Work that takes as long as `rounds` says, whatever the buffer's size is.
const char* const source = R"(
kernel void work(global float* data, int rounds) {
  float x = data[get_global_id(0)];
  for (int i = 0; i < rounds; ++i) x = x * 1.0001f + 0.5f;
  data[get_global_id(0)] = x;
})";

double microseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

struct Program {
  cl_command_queue queue;
  cl_kernel kernel;
  cl_int rounds = 1000;

  Program() {
    const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_int code = CL_SUCCESS;
    queue = clCreateCommandQueueWithProperties(device().context, device().device, properties, &code);
    require_driver(code, "queue");
    const char* text = source;
    cl_program program = clCreateProgramWithSource(device().context, 1, &text, nullptr, &code);
    require_driver(code, "program");
    require_driver(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), "build");
    kernel = clCreateKernel(program, "work", &code);
    require_driver(code, "kernel");
    clReleaseProgram(program);
    calibrate();
  }

  /// Device time of one kernel in microseconds.
  double run(cl_mem buffer) {
    cl_event event = nullptr;
    enqueue(buffer, &event);
    require_driver(clWaitForEvents(1, &event), "wait");
    const double time = device_time(event);
    clReleaseEvent(event);
    return time;
  }

  void enqueue(cl_mem buffer, cl_event* event) {
    const std::size_t items = 4096;
    require_driver(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "argument");
    require_driver(clSetKernelArg(kernel, 1, sizeof rounds, &rounds), "argument");
    require_driver(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, event),
                   "kernel");
  }

  static double device_time(cl_event event) {
    cl_ulong begin = 0;
    cl_ulong end = 0;
    require_driver(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin, nullptr),
                   "profile");
    require_driver(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr),
                   "profile");
    return static_cast<double>(end - begin) / 1000.0;
  }

  /// Finds the number of rounds that takes about 100 microseconds.
  void calibrate() {
    cl_mem buffer = clCreateBuffer(device().context, CL_MEM_READ_WRITE, sizes[0], nullptr, nullptr);
    run(buffer);
    for (int i = 0; i < 8; ++i) {
      const double time = run(buffer);
      rounds = static_cast<cl_int>(static_cast<double>(rounds) * 100.0 / time) + 1;
    }
    std::printf("kernel: %.1f us\n", run(buffer));
    clReleaseMemObject(buffer);
  }
};

template <typename Allocate, typename Free>
void measure(const char* name, Program& program, Allocate&& allocate, Free&& free) {
  std::vector<cl_event> events(steps);
  const auto begin = Clock::now();
  for (int step = 0; step < steps; ++step) {
    auto temporary = allocate(sizes[static_cast<std::size_t>(step) % std::size(sizes)]);
    program.enqueue(temporary.handle, &events[static_cast<std::size_t>(step)]);
    require_driver(clFlush(program.queue), "flush");
    free(temporary);
  }
  const auto enqueued = Clock::now();
  require_driver(clFinish(program.queue), "finish");
  const auto end = Clock::now();
  double busy = 0;
  for (cl_event event : events) {
    busy += Program::device_time(event);
    clReleaseEvent(event);
  }
  const double total = microseconds(end - begin);
  std::printf("%-7s host %8.1f us a step, total %9.1f us a step, device idle %5.1f %%\n", name,
              microseconds(enqueued - begin) / steps, total / steps, 100.0 * (1.0 - busy / total));
}

}  // namespace

int main() {
  std::printf("device: %s\n", device().name().c_str());
  Program program;
  clpool_allocator* allocator = nullptr;
  clpool_pool* pool = nullptr;
  require(clpool_allocator_create_immediate(program.queue, 0, &allocator), "allocator");
  require(clpool_pool_create(allocator, nullptr, &pool), "pool");

  struct Direct {
    cl_mem handle;
  };
  struct Pooled {
    cl_mem handle;
    clpool_mem* block;
  };
  for (int round = 0; round < 3; ++round) {
    measure(
        "direct", program,
        [](std::size_t size) {
          cl_int code = CL_SUCCESS;
          Direct temporary{clCreateBuffer(device().context, CL_MEM_READ_WRITE, size, nullptr, &code)};
          require_driver(code, "buffer");
          return temporary;
        },
        [](Direct temporary) { clReleaseMemObject(temporary.handle); });
    measure(
        "pooled", program,
        [&](std::size_t size) {
          Pooled temporary{};
          require(clpool_pool_allocate(pool, size, &temporary.block), "allocate");
          temporary.handle = clpool_mem_handle(temporary.block);
          return temporary;
        },
        [](Pooled temporary) { require(clpool_mem_release(temporary.block), "release"); });
  }
  clpool_pool_release(pool);
  clpool_allocator_release(allocator);
  clReleaseKernel(program.kernel);
  clReleaseCommandQueue(program.queue);
}
