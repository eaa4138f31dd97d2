// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A pool over several in-order queues, where a released block waits until all of them are through with what they had:
//   clpool_queues [THREADS [fill|on]]  THREADS (1) threads, each with a queue of its own, two at least: what a block and its
//                                      release take of the processor's time, how many parts of buffers they make, and the most
//                                      that the pool has; with `fill` behind a command on each block; with `on` each block is
//                                      asked for by the queue that it is for; with one thread also
//                                      in a pool over just that queue, and in one over another.
#include <CL/cl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <thread>
#include <vector>

#include "pools.hpp"

namespace {

using clpool::benchmarks::device;
using clpool::benchmarks::Kind;
using clpool::benchmarks::make_pool;
using clpool::benchmarks::PoolHandle;
using clpool::benchmarks::require;
using clpool::benchmarks::require_driver;
using clpool::benchmarks::statistics;

struct Program {
  const char* name;
  Kind kind;
  std::size_t size;  ///< of the smallest block
  unsigned sizes;    ///< its multiples
  int at_once;       ///< blocks
};

constexpr Program programs[] = {
    {"buffers of 4 KiB", Kind::buffer, 4096, 1, 1},
    {"buffers of 4 KiB, ten at once", Kind::buffer, 4096, 1, 10},
    {"buffers of 4 to 32 KiB", Kind::buffer, 4096, 8, 1},
    {"buffers of 64 to 512 KiB, four at once", Kind::buffer, 65536, 8, 4},
    {"page-locked, 4 KiB", Kind::pinned, 4096, 1, 1},
};

double processor_ns() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

enum class Way { plain, fill, on };

void use(clpool_pool* pool, const Program& program, cl_command_queue queue, Way way, unsigned seed,
         int rounds) {
  std::minstd_rand random(seed);
  std::vector<clpool_mem*> blocks(static_cast<std::size_t>(program.at_once));
  for (int i = 0; i < rounds; ++i) {
    for (clpool_mem*& block : blocks) {
      const std::size_t size = program.size * (1 + random() % program.sizes);
      require(way == Way::on ? clpool_pool_allocate_on(pool, queue, size, &block)
                             : clpool_pool_allocate(pool, size, &block),
              "block");
      if (way == Way::fill) {
        const unsigned char value = 1;
        require(clpool_mem_fill(queue, block, &value, 1, 0, 64, 0, nullptr, nullptr), "fill");
      }
    }
    for (clpool_mem* const block : blocks) {
      clpool_mem_release(block);
    }
  }
}

/// A pool over `own`, used on `queues`, one for each thread.
void show(const Program& program, const std::vector<cl_command_queue>& own,
          const std::vector<cl_command_queue>& queues, std::size_t threads, Way way) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = own.data();
  options.queue_count = static_cast<std::uint32_t>(own.size());
  const PoolHandle pool = make_pool(program.kind, &options);
  const int rounds = (way == Way::fill ? 20'000
                      : way == Way::on ? 200'000
                                       : 2'000'000) /
                     program.at_once / static_cast<int>(threads);
  for (int run = 0; run < 3; ++run) {  // the last one counts
    const clpool_pool_stats before = statistics(pool.get());
    const double begin = processor_ns();
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < threads; ++i) {
      others.emplace_back(
          [&, i] { use(pool.get(), program, queues[i], way, static_cast<unsigned>(i + 1), rounds); });
    }
    use(pool.get(), program, queues[0], way, 1, rounds);
    for (std::thread& other : others) {
      other.join();
    }
    const double took = processor_ns() - begin;
    const clpool_pool_stats after = statistics(pool.get());
    const auto pairs = static_cast<double>(after.allocations - before.allocations);
    if (run == 2) {
      std::printf("%-40s %7.0f ns a pair, parts made %5.1f %%, %6.1f MiB at most\n", program.name,
                  took / pairs,
                  100 * static_cast<double>(after.sub_buffers_created - before.sub_buffers_created) / pairs,
                  static_cast<double>(after.peak_managed_bytes) / 0x1p20);
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  const int threads = count > 1 ? std::atoi(arguments[1]) : 1;
  const bool fills = count > 2 && std::strcmp(arguments[2], "fill") == 0;
  const bool asks_on = count > 2 && std::strcmp(arguments[2], "on") == 0;
  if (threads < 1 || count > 3 || (count > 2 && !fills && !asks_on)) {
    std::fprintf(stderr, "usage: clpool_queues [THREADS [fill|on]]\n");
    return 2;
  }
  std::vector<cl_command_queue> queues;
  for (int i = 0; i < std::max(threads, 2); ++i) {
    cl_int code = CL_SUCCESS;
    queues.push_back(
        i == 0 ? device().queue
               : clCreateCommandQueueWithProperties(device().context, device().device, nullptr, &code));
    require_driver(code, "queue");
  }
  std::printf("%s, %zu queues, %d threads%s\n", device().name().c_str(), queues.size(), threads,
              fills ? ", a fill of each block" : "");
  const auto show_all = [&](const char* pools, const std::vector<cl_command_queue>& own, Way way) {
    std::printf("%s\n", pools);
    for (const Program& program : programs) {
      if (!fills || program.kind == Kind::buffer) {  // page-locked memory is not filled
        show(program, own, queues, static_cast<std::size_t>(threads), way);
      }
    }
  };
  if (!asks_on) {
    show_all("pools over all of them", queues, fills ? Way::fill : Way::plain);
  } else {
    show_all("pools over all of them, blocks for the thread's", queues, Way::on);
    if (threads == 1) {
      show_all("pools over the first, blocks for that", {queues[0]}, Way::on);
      std::swap(queues[0], queues[1]);
      show_all("pools over the first, blocks for the second", {queues[1]}, Way::on);
      std::swap(queues[0], queues[1]);
    }
  }
  for (std::size_t i = 1; i < queues.size(); ++i) {
    clFinish(queues[i]);
    clReleaseCommandQueue(queues[i]);
  }
}
