// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Allocate + release of one size that was released before: the hit path, over every kind of memory.
#include <benchmark/benchmark.h>

#include "peers.hpp"
#include "pools.hpp"

namespace {

using clpool::benchmarks::Kind;
using clpool::benchmarks::make_pool;
using clpool::benchmarks::PoolHandle;

constexpr std::size_t size = 4096;

void one_size_floor(benchmark::State& state) {
  for (auto _ : state) {
    void* block = clpool::benchmarks::floor_allocate(size);
    benchmark::DoNotOptimize(block);
    clpool::benchmarks::floor_release(block, size);
  }
}
BENCHMARK(one_size_floor);

void one_size_malloc(benchmark::State& state) {
  for (auto _ : state) {
    void* block = clpool::benchmarks::c_allocate(size);
    benchmark::DoNotOptimize(block);
    clpool::benchmarks::c_release(block);
  }
}
BENCHMARK(one_size_malloc);

void one_size_mimalloc(benchmark::State& state) {
  const auto& mimalloc = clpool::benchmarks::mimalloc();
  if (mimalloc.allocate == nullptr) {
    state.SkipWithError("mimalloc is not installed");
    return;
  }
  for (auto _ : state) {
    void* block = mimalloc.allocate(size);
    benchmark::DoNotOptimize(block);
    mimalloc.release(block);
  }
}
BENCHMARK(one_size_mimalloc);

void one_size_set(benchmark::State& state) {
  for (auto _ : state) {
    const std::uint64_t block = clpool::benchmarks::set_allocate(size);
    benchmark::DoNotOptimize(block);
    clpool::benchmarks::set_release(block);
  }
}
BENCHMARK(one_size_set);

void one_size(benchmark::State& state, Kind kind, std::size_t bytes, bool part_of_a_chunk) {
  const PoolHandle pool = make_pool(kind);
  clpool_mem* neighbour = nullptr;
  clpool_mem* block = nullptr;
  if (part_of_a_chunk) {
    // A larger chunk, of which a neighbour keeps a part: the block is made from the rest.
    clpool::benchmarks::require(clpool_pool_allocate(pool.get(), 16 * bytes, &neighbour), "allocate");
    clpool_mem_release(neighbour);
    clpool::benchmarks::require(clpool_pool_allocate(pool.get(), bytes, &neighbour), "allocate");
  }
  clpool::benchmarks::require(clpool_pool_allocate(pool.get(), bytes, &block), "allocate");
  clpool_mem_release(block);
  const clpool_pool_stats before = clpool::benchmarks::statistics(pool.get());
  for (auto _ : state) {
    clpool_pool_allocate(pool.get(), bytes, &block);
    benchmark::DoNotOptimize(block);
    clpool_mem_release(block);
  }
  const clpool_pool_stats after = clpool::benchmarks::statistics(pool.get());
  state.counters["driver_calls"] =
      static_cast<double>(after.driver_allocations - before.driver_allocations + after.driver_releases -
                          before.driver_releases + after.sub_buffers_created - before.sub_buffers_created);
  clpool_mem_release(neighbour);
}
BENCHMARK_CAPTURE(one_size, pool_of_numbers, Kind::numbers, size, false);
BENCHMARK_CAPTURE(one_size, pool_of_svm, Kind::svm, size, false);
BENCHMARK_CAPTURE(one_size, pool_of_pinned, Kind::pinned, size, false);
BENCHMARK_CAPTURE(one_size, pool_of_buffers_whole_chunk, Kind::buffer, std::size_t{1} << 20, false);
BENCHMARK_CAPTURE(one_size, pool_of_buffers_sub_buffer, Kind::buffer, size, true);

}  // namespace
