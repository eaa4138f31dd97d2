// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What guard mode costs: one allocation and release, without and with a guard, over every kind of memory and
// some sizes. The queue is waited for at the end of each run, as a guarded release leaves commands on it.
#include <chrono>
#include <cstdio>

#include "pools.hpp"

namespace {

using namespace clpool::benchmarks;

double nanoseconds_a_pair(Kind kind, std::uint32_t guard, std::size_t size, int pairs) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.guard = guard;
  options.queues = &device().queue;
  options.queue_count = kind == Kind::numbers ? 0 : 1;
  const PoolHandle pool = make_pool(kind, &options);
  const auto run = [&](int count) {
    for (int i = 0; i < count; ++i) {
      clpool_mem* block = nullptr;
      require(clpool_pool_allocate(pool.get(), size, &block), "allocation");
      require(clpool_mem_release_idle(block), "release");
    }
    clFinish(device().queue);
  };
  run(pairs / 4);  // until as much rests as may
  const auto begin = std::chrono::steady_clock::now();
  run(pairs);
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
  return time.count() / pairs;
}

}  // namespace

int main() {
  std::printf("%s\n%-8s %10s %14s %14s %8s\n", device().name().c_str(), "memory", "bytes", "without [ns]",
              "guarded [ns]", "ratio");
  const struct {
    Kind kind;
    const char* name;
  } kinds[] = {
      {Kind::numbers, "custom"}, {Kind::buffer, "buffer"}, {Kind::svm, "svm"}, {Kind::pinned, "pinned"}};
  for (const auto& [kind, name] : kinds) {
    for (const std::size_t size : {std::size_t{4096}, std::size_t{1} << 20, std::size_t{16} << 20}) {
      const int pairs = size > (1 << 20) ? 200 : 2000;
      const double without = nanoseconds_a_pair(kind, CLPOOL_GUARD_OFF, size, 100 * pairs);
      const double guarded = nanoseconds_a_pair(kind, CLPOOL_GUARD_ON, size, pairs);
      std::printf("%-8s %10zu %14.1f %14.1f %8.0f\n", name, size, without, guarded, guarded / without);
    }
  }
}
