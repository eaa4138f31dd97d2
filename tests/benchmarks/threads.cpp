// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Several threads on one pool.
#include <benchmark/benchmark.h>

#include <atomic>
#include <thread>
#include <vector>

#include "pools.hpp"

namespace {

using clpool::benchmarks::make_pool;
using clpool::benchmarks::PoolHandle;

constexpr std::size_t block_size = 4096;

clpool_pool* shared_pool() {
  static clpool_pool* const pool = make_pool().release();
  return pool;
}

/// Each thread allocates and releases the same size from the one pool.
void one_size_shared(benchmark::State& state) {
  clpool_pool* const pool = shared_pool();
  clpool_mem* block = nullptr;
  clpool_pool_allocate(pool, block_size, &block);
  clpool_mem_release(block);
  for (auto _ : state) {
    clpool_pool_allocate(pool, block_size, &block);
    benchmark::DoNotOptimize(block);
    clpool_mem_release(block);
  }
}
BENCHMARK(one_size_shared)->ThreadRange(1, 2)->UseRealTime();

/// A ring of blocks from the allocating thread, which is measured, to one that releases them.
void released_by_another_thread(benchmark::State& state) {
  const PoolHandle pool = make_pool();
  constexpr std::size_t length = 1024;
  std::vector<std::atomic<clpool_mem*>> ring(length);
  std::atomic<bool> stop{false};
  std::thread releaser([&] {
    for (std::size_t next = 0; !stop.load(std::memory_order_relaxed);) {
      clpool_mem* block = ring[next].exchange(nullptr, std::memory_order_acquire);
      if (block == nullptr) {
        std::this_thread::yield();
        continue;
      }
      clpool_mem_release(block);
      next = (next + 1) % length;
    }
  });
  std::size_t next = 0;
  for (auto _ : state) {
    clpool_mem* block = nullptr;
    clpool_pool_allocate(pool.get(), block_size, &block);
    while (ring[next].load(std::memory_order_relaxed) != nullptr) {
      std::this_thread::yield();
    }
    ring[next].store(block, std::memory_order_release);
    next = (next + 1) % length;
  }
  stop = true;
  releaser.join();
  for (auto& slot : ring) {
    clpool_mem_release(slot.load());
  }
  const clpool_pool_stats stats = clpool::benchmarks::statistics(pool.get());
  state.counters["driver_allocations"] = static_cast<double>(stats.driver_allocations);
}
BENCHMARK(released_by_another_thread)->UseRealTime();

}  // namespace
