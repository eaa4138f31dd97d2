// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Many live blocks of mixed sizes: replacing random ones, and allocating among holes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <vector>

#include "peers.hpp"
#include "pools.hpp"

namespace {

using clpool::benchmarks::make_pool;
using clpool::benchmarks::PoolHandle;

constexpr std::size_t live_blocks = 10'000;
constexpr std::size_t largest = 64 * 1024;

/// The random numbers are made beforehand, and the same for all.
struct Choices {
  Choices() {
    std::mt19937_64 random(1);
    for (std::size_t i = 0; i < count; ++i) {
      index.push_back(static_cast<std::uint32_t>(random() % live_blocks));
      size.push_back(static_cast<std::uint32_t>(random() % largest + 1));
    }
  }
  static constexpr std::size_t count = std::size_t{1} << 16;
  std::vector<std::uint32_t> index;
  std::vector<std::uint32_t> size;
};

const Choices& choices() {
  static const auto* const the_choices = new Choices;
  return *the_choices;
}

template <typename Block, typename Allocate, typename Free>
void churn(benchmark::State& state, Allocate&& allocate, Free&& free) {
  const Choices& random = choices();
  std::vector<Block> blocks(live_blocks);
  for (std::size_t i = 0; i < live_blocks; ++i) {
    blocks[i] = allocate(random.size[i]);
  }
  std::size_t step = 0;
  for (auto _ : state) {
    Block& block = blocks[random.index[step]];
    free(block);
    block = allocate(random.size[step]);
    step = (step + 1) % Choices::count;
  }
  for (Block block : blocks) {
    free(block);
  }
}

void churn_malloc(benchmark::State& state) {
  churn<void*>(state, clpool::benchmarks::c_allocate, clpool::benchmarks::c_release);
}
BENCHMARK(churn_malloc);

void churn_mimalloc(benchmark::State& state) {
  const auto& mimalloc = clpool::benchmarks::mimalloc();
  if (mimalloc.allocate == nullptr) {
    state.SkipWithError("mimalloc is not installed");
    return;
  }
  churn<void*>(state, mimalloc.allocate, mimalloc.release);
}
BENCHMARK(churn_mimalloc);

void churn_set(benchmark::State& state) {
  churn<std::uint64_t>(state, clpool::benchmarks::set_allocate, clpool::benchmarks::set_release);
}
BENCHMARK(churn_set);

void churn_pool(benchmark::State& state) {
  const PoolHandle pool = make_pool();
  churn<clpool_mem*>(
      state,
      [&](std::size_t size) {
        clpool_mem* block = nullptr;
        clpool_pool_allocate(pool.get(), size, &block);
        return block;
      },
      [](clpool_mem* block) { clpool_mem_release(block); });
  const clpool_pool_stats stats = clpool::benchmarks::statistics(pool.get());
  state.counters["peak_ratio"] =
      static_cast<double>(stats.peak_managed_bytes) / static_cast<double>(stats.peak_active_bytes);
}
BENCHMARK(churn_pool);

/// A pool whose free memory is `holes` holes of mixed sizes, each between two live blocks; then pairs of
/// random sizes that fit such holes, released in another order than they were allocated.
void holes(benchmark::State& state) {
  const PoolHandle pool = make_pool();
  const auto count = static_cast<std::size_t>(state.range(0));
  const Choices& random = choices();
  std::vector<clpool_mem*> walls(count);
  std::vector<clpool_mem*> gaps(count);
  for (std::size_t i = 0; i < count; ++i) {
    clpool_pool_allocate(pool.get(), random.size[i % Choices::count], &gaps[i]);
    clpool_pool_allocate(pool.get(), 256, &walls[i]);
  }
  for (clpool_mem* gap : gaps) {
    clpool_mem_release(gap);
  }
  constexpr std::size_t batch = 16;
  clpool_mem* blocks[batch] = {};
  std::size_t step = 0;
  for (auto _ : state) {
    clpool_mem*& block = blocks[step % batch];
    clpool_mem_release(block);
    clpool_pool_allocate(pool.get(), random.size[step % Choices::count] / 2, &block);
    ++step;
  }
  for (clpool_mem* block : blocks) {
    clpool_mem_release(block);
  }
  for (clpool_mem* wall : walls) {
    clpool_mem_release(wall);
  }
}
BENCHMARK(holes)->RangeMultiplier(4)->Range(64, 65536);

/// The same with the engine alone, without caches in front of it: what each search, split and merge costs.
void holes_in_a_heap(benchmark::State& state) {
  clpool_heap* heap = nullptr;
  clpool::benchmarks::require(clpool_heap_create(256, &heap), "heap");
  const auto count = static_cast<std::size_t>(state.range(0));
  const Choices& random = choices();
  std::uint64_t space = 0;
  clpool::benchmarks::require(clpool_heap_add_space(heap, count * (largest + 1024), &space), "space");
  std::vector<clpool_heap_range*> gaps(count);
  clpool_heap_range* wall = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    clpool_heap_allocate(heap, random.size[i % Choices::count], &gaps[i]);
    clpool_heap_allocate(heap, 256, &wall);
  }
  for (clpool_heap_range* gap : gaps) {
    clpool_heap_free(heap, gap);
  }
  constexpr std::size_t batch = 16;
  clpool_heap_range* ranges[batch] = {};
  std::size_t step = 0;
  for (auto _ : state) {
    clpool_heap_range*& range = ranges[step % batch];
    clpool_heap_free(heap, range);
    clpool_heap_allocate(heap, random.size[step % Choices::count] / 2, &range);
    ++step;
  }
  clpool_heap_destroy(heap);
}
BENCHMARK(holes_in_a_heap)->RangeMultiplier(4)->Range(64, 65536);

}  // namespace
