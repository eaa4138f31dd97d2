// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A block for every step of the device, which fills all of it, and which is released behind that command's event:
//   clpool_fills MIB [QUEUES [SECONDS [LIMIT]]]
// So the block comes back when the device is through. Prints what a step takes where one buffer is filled again and again
// without a wait, and with blocks of a pool: in the first second, in SECONDS (3) more and in the second after that; then the
// pool's memory. The steps go to QUEUES (1) in turn; LIMIT is the pool's, in MiB.
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

class Fills {
 public:
  Fills(std::size_t bytes, std::size_t queues) : bytes_(bytes) {
    for (std::size_t i = 0; i < queues; ++i) {
      cl_int code = CL_SUCCESS;
      queues_.push_back(
          clCreateCommandQueueWithProperties(device().context, device().device, nullptr, &code));
      require_driver(code, "queue");
    }
  }
  Fills(const Fills&) = delete;
  Fills& operator=(const Fills&) = delete;
  ~Fills() {
    for (cl_command_queue queue : queues_) {
      clReleaseCommandQueue(queue);
    }
  }

  /// Microseconds a step, of one buffer.
  double alone() const {
    cl_int code = CL_SUCCESS;
    const cl_mem buffer = clCreateBuffer(device().context, 0, bytes_, nullptr, &code);
    require_driver(code, "buffer");
    double took = 0;
    for (const int steps : {1, 200}) {
      const Clock::time_point start = Clock::now();
      for (int i = 0; i < steps; ++i) {
        fill(buffer, i, nullptr);
      }
      finish();
      took = microseconds(start) / steps;
    }
    clReleaseMemObject(buffer);
    return took;
  }
  /// … with a pool.
  double pooled(clpool_pool* pool, double seconds) const {
    const Clock::time_point start = Clock::now();
    long steps = 0;
    for (; microseconds(start) < seconds * 1e6; ++steps) {
      clpool_mem* block = nullptr;
      require(clpool_pool_allocate(pool, bytes_, &block), "a block");
      cl_event event = nullptr;
      fill(clpool_mem_handle(block), steps, &event);
      require(clpool_mem_release_after(block, 1, &event), "an event");
      clReleaseEvent(event);
      require(clpool_mem_release(block), "a release");
    }
    finish();
    return microseconds(start) / static_cast<double>(steps);
  }

 private:
  static double microseconds(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  }
  void fill(cl_mem buffer, long step, cl_event* event) const {
    const cl_command_queue queue = queues_[static_cast<std::size_t>(step) % queues_.size()];
    const cl_uint value = 1;
    require_driver(clEnqueueFillBuffer(queue, buffer, &value, sizeof value, 0, bytes_, 0, nullptr, event),
                   "fill");
    require_driver(clFlush(queue), "flush");
  }
  void finish() const {
    for (cl_command_queue queue : queues_) {
      require_driver(clFinish(queue), "finish");
    }
  }

  const std::size_t bytes_;
  std::vector<cl_command_queue> queues_;
};

}  // namespace

int main(int count, char** arguments) {
  const auto number = [&](int index, double otherwise) {
    return index < count ? std::strtod(arguments[index], nullptr) : otherwise;
  };
  const double mib = number(1, 0);
  const double queues = number(2, 1);
  const double seconds = number(3, 3);
  const double limit = number(4, 1 << 30);
  if (count > 5 || !(mib > 0) || !(queues >= 1 && queues <= 64) || !(seconds > 0) || !(limit > 0)) {
    std::fprintf(stderr, "usage: clpool_fills MIB [QUEUES [SECONDS [LIMIT]]]\n");
    return 2;
  }
  const Fills fills(static_cast<std::size_t>(mib * (1 << 20)) & ~std::size_t{15},
                    static_cast<std::size_t>(queues));
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  if (count > 4) {
    options.max_bytes = static_cast<std::uint64_t>(limit * (1 << 20));
  }
  const auto pool = clpool::benchmarks::make_pool(clpool::benchmarks::Kind::buffer, &options);
  const double alone = fills.alone();
  const double first = fills.pooled(pool.get(), 1);
  const double then = fills.pooled(pool.get(), seconds);
  const double last = fills.pooled(pool.get(), 1);
  const clpool_pool_stats stats = clpool::benchmarks::statistics(pool.get());
  std::printf(
      "%s, %.0f MiB, %.0f queues: alone %.0f us a step; first second %.0f, then %.0f, in the end %.0f\n"
      "the pool had %.0f MiB at most, %.0f in the end, %llu chunks made\n",
      device().name().c_str(), mib, queues, alone, first, then, last,
      static_cast<double>(stats.peak_managed_bytes) / (1 << 20),
      static_cast<double>(stats.managed_bytes) / (1 << 20),
      static_cast<unsigned long long>(stats.driver_allocations));
}
