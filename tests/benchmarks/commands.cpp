// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool_commands [buffer|svm]: the recorded logs with a command on every block (a fill of at most 256 bytes, on one
// in-order queue). Prints the host's time for a request and its release beyond that of the commands alone, the
// sub-buffers or views made, and the longest that one request with its command took (one that waits for
// another block's command shows there). Each log runs twice through one pool: first with the chunks that the
// driver makes, then with those that are there.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "logs.hpp"
#include "pools.hpp"

namespace {

using namespace clpool::benchmarks;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t largest_fill = 256;  // bytes

double nanoseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::nano>(duration).count();
}

void fill(cl_mem memory, std::uint64_t size) {
  const unsigned char value = 1;
  const cl_int code = clEnqueueFillBuffer(device().queue, memory, &value, 1, 0, std::min(size, largest_fill),
                                          0, nullptr, nullptr);
  if (code != CL_SUCCESS) {
    std::fprintf(stderr, "clEnqueueFillBuffer: %s\n", clpool_cl_error_name(code));
    std::exit(1);
  }
}

std::uint64_t count_requests(const Log& log) {
  return static_cast<std::uint64_t>(std::count_if(log.events.begin(), log.events.end(),
                                                  [](const LogEvent& event) { return event.is_allocation; }));
}

/// Nanoseconds of the host for one command on memory that is kept, with the clock read as in run().
double measure_commands(std::uint64_t count) {
  cl_int code = CL_SUCCESS;
  cl_mem kept = clCreateBuffer(device().context, CL_MEM_READ_WRITE, largest_fill, nullptr, &code);
  fill(kept, largest_fill);
  clFinish(device().queue);
  double longest = 0;
  const auto begin = Clock::now();
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto asked = Clock::now();
    fill(kept, largest_fill);
    longest = std::max(longest, nanoseconds(Clock::now() - asked));
  }
  const auto time = Clock::now() - begin;
  clFinish(device().queue);
  clReleaseMemObject(kept);
  std::printf("%8.0f %5.0f us", nanoseconds(time) / static_cast<double>(count), longest / 1000);
  return nanoseconds(time) / static_cast<double>(count);
}

struct Pass {
  double host = 0;     ///< ns for a request, its command and its release
  double longest = 0;  ///< ns of one request and its command
  double handles = 0;  ///< made, in per cent of the requests
};

Pass run(const Log& log, clpool_pool* pool) {
  std::vector<clpool_mem*> blocks(log.slots);
  const clpool_pool_stats before = statistics(pool);
  Pass pass;
  const auto begin = Clock::now();
  for (const LogEvent& event : log.events) {
    if (!event.is_allocation) {
      require(clpool_mem_release(blocks[event.slot]), "release");
      blocks[event.slot] = nullptr;
      continue;
    }
    const auto asked = Clock::now();
    require(clpool_pool_allocate(pool, event.size, &blocks[event.slot]), "allocate");
    if (event.size != 0) {
      fill(clpool_mem_handle(blocks[event.slot]), event.size);
    }
    pass.longest = std::max(pass.longest, nanoseconds(Clock::now() - asked));
  }
  const double requests = static_cast<double>(count_requests(log));
  pass.host = nanoseconds(Clock::now() - begin) / requests;
  pass.handles = 100.0 *
                 static_cast<double>(statistics(pool).sub_buffers_created - before.sub_buffers_created) /
                 requests;
  clFinish(device().queue);
  for (clpool_mem* block : blocks) {
    if (block != nullptr) {
      require(clpool_mem_release(block), "release");
    }
  }
  return pass;
}

}  // namespace

int main(int count, char** arguments) {
  const char* const kind = count == 2 ? arguments[1] : "buffer";
  if (count > 2 || (std::strcmp(kind, "buffer") != 0 && std::strcmp(kind, "svm") != 0)) {
    std::fprintf(stderr, "usage: clpool_commands [buffer|svm]\n");
    return 2;
  }
  std::printf("%s, %s\n%-22s %8s %8s | first: %7s %8s %8s | again: %7s %8s %8s\n", device().name().c_str(),
              kind, "log; ns a pair", "commands", "longest", "beyond", "handles", "longest", "beyond",
              "handles", "longest");
  for (const char* name : recorded_logs) {
    const Log log = read_log(name);
    std::printf("%-22s", name);
    const double commands = measure_commands(count_requests(log));
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.alignment = 512;
    const PoolHandle pool = make_pool(std::strcmp(kind, "svm") == 0 ? Kind::svm : Kind::buffer, &options);
    for (int i = 0; i < 2; ++i) {
      const Pass pass = run(log, pool.get());
      std::printf(" |        %7.0f %6.1f %% %5.0f us", pass.host - commands, pass.handles,
                  pass.longest / 1000);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
}
