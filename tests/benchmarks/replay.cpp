// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The recorded logs, replayed without a device: time per event, and what the memory ratio and the driver
// calls are.
#include <benchmark/benchmark.h>

#include "logs.hpp"
#include "pools.hpp"

namespace {

void replay(benchmark::State& state, const char* name) {
  const auto log = clpool::benchmarks::read_log(name);
  std::vector<clpool_mem*> blocks(log.slots);
  clpool_pool_stats stats{};
  for (auto _ : state) {
    const auto pool = clpool::benchmarks::make_pool();
    for (const auto& event : log.events) {
      if (event.is_allocation) {
        clpool_pool_allocate(pool.get(), event.size, &blocks[event.slot]);
      } else {
        clpool_mem_release(blocks[event.slot]);
      }
    }
    state.PauseTiming();
    stats = clpool::benchmarks::statistics(pool.get());
    state.ResumeTiming();
  }
  state.counters["per_event"] =
      benchmark::Counter(static_cast<double>(log.events.size()),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.counters["ratio"] =
      static_cast<double>(stats.peak_managed_bytes) / static_cast<double>(log.peak_live);
  state.counters["driver_percent"] =
      100.0 * static_cast<double>(stats.driver_allocations) / static_cast<double>(stats.allocations);
}
BENCHMARK_CAPTURE(replay, resnet50_train, "resnet50-train")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(replay, gpt2_train_varlen, "gpt2-train-varlen")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(replay, euler2d_rk3, "euler2d-rk3")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(replay, pyopencl_array_tests, "pyopencl-array-tests")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(replay, unet_multires, "unet-multires")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(replay, kv_concat_serving, "kv-concat-serving")->Unit(benchmark::kMicrosecond);

}  // namespace
