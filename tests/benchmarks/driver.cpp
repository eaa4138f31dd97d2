// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a program pays without a pool and with one, on the best device present: allocation, first use and
// release of buffers, SVM and pinned memory.
#include <benchmark/benchmark.h>

#include "pools.hpp"

namespace {

using clpool::benchmarks::device;
using clpool::benchmarks::Kind;
using clpool::benchmarks::make_pool;
using clpool::benchmarks::require;

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(4 << 10)->Arg(1 << 20)->Arg(64 << 20)->Unit(benchmark::kNanosecond);
}

/// clCreateBuffer, made resident by a migration with undefined content, clReleaseMemObject.
void direct_buffer(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    cl_mem buffer = clCreateBuffer(device().context, CL_MEM_READ_WRITE, bytes, nullptr, nullptr);
    clEnqueueMigrateMemObjects(device().queue, 1, &buffer, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0,
                               nullptr, nullptr);
    clFinish(device().queue);
    clReleaseMemObject(buffer);
  }
}
BENCHMARK(direct_buffer)->Apply(sizes);

void direct_svm(benchmark::State& state) {
  for (auto _ : state) {
    void* memory =
        clSVMAlloc(device().context, CL_MEM_READ_WRITE, static_cast<std::size_t>(state.range(0)), 0);
    if (memory == nullptr) {
      state.SkipWithError("no SVM");
      return;
    }
    clSVMFree(device().context, memory);
  }
}
BENCHMARK(direct_svm)->Apply(sizes);

void direct_pinned(benchmark::State& state) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    cl_mem buffer =
        clCreateBuffer(device().context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, nullptr, nullptr);
    void* mapped = clEnqueueMapBuffer(device().queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes,
                                      0, nullptr, nullptr, nullptr);
    clEnqueueUnmapMemObject(device().queue, buffer, mapped, 0, nullptr, nullptr);
    clFinish(device().queue);
    clReleaseMemObject(buffer);
  }
}
BENCHMARK(direct_pinned)->Apply(sizes);

void pooled(benchmark::State& state, Kind kind) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const auto pool = make_pool(kind);
  clpool_mem* block = nullptr;
  require(clpool_pool_allocate(pool.get(), bytes, &block), "allocate");
  clpool_mem_release(block);
  for (auto _ : state) {
    clpool_pool_allocate(pool.get(), bytes, &block);
    benchmark::DoNotOptimize(block);
    clpool_mem_release(block);
  }
}
BENCHMARK_CAPTURE(pooled, buffer, Kind::buffer)->Apply(sizes);
BENCHMARK_CAPTURE(pooled, svm, Kind::svm)->Apply(sizes);
BENCHMARK_CAPTURE(pooled, pinned, Kind::pinned)->Apply(sizes);

}  // namespace
