// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Calls that fail for want of host memory, at each of their allocations, and are made again: they find everything as it was
// before.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>
#include <vector>

#include "conformance/memory.hpp"
#include "faults/host_memory.hpp"
#include "stub_icd/tests/fixture.hpp"
#include "support/pools.hpp"
#include "support/temporary_file.hpp"

namespace clpool::test {
namespace {

/// Makes a call without one of its allocations; false if it has fewer.
bool fails_without(std::uint64_t nth, const std::function<clpool_status()>& call) {
  host_memory::fail(nth, false);
  clpool_status status = CLPOOL_SUCCESS;
  {
    const host_memory::InLibrary in_library;
    status = call();
  }
  const bool failed = host_memory::failures() != 0;
  host_memory::fail_none();
  EXPECT_TRUE(failed || status == CLPOOL_SUCCESS) << last_error();
  EXPECT_TRUE(status == CLPOOL_SUCCESS || status == CLPOOL_ERROR_OUT_OF_HOST_MEMORY) << last_error();
  return failed;
}

PoolHandle pool_of_buffers(const OpenCl& cl, const clpool_pool_options& options) {
  const AllocatorHandle allocator = immediate_allocator(cl.queue);
  return make_pool(allocator.get(), options);
}

TEST(WithoutHostMemory, APoolsLimitIsFreeAgainForTheNextRequest) {
  constexpr std::uint64_t limit = 1 << 20;
  const StubWatch watch;
  const OpenCl cl;
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.max_bytes = limit;
  // Takes the descriptors that ended pools leave to others, so that each pool has to allocate its own.
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  const PoolHandle taker = make_pool(allocator.get());
  std::vector<MemHandle> taken;
  int failed = 0;
  for (bool any = true; any; failed += any ? 1 : 0) {
    for (int i = 0; i < 1000; ++i) {
      taken.push_back(allocate(taker, 512));
    }
    const PoolHandle pool = pool_of_buffers(cl, options);
    clpool_mem* mem = nullptr;
    any = fails_without(static_cast<std::uint64_t>(failed) + 1,
                        [&] { return clpool_pool_allocate(pool.get(), limit, &mem); });
    if (mem == nullptr) {
      EXPECT_OK(clpool_pool_allocate(pool.get(), limit, &mem)) << "after allocation " << failed + 1;
    }
    EXPECT_OK(clpool_mem_release(mem));
  }
  EXPECT_GT(failed, 1);
}

TEST(WithoutHostMemory, ABlockIsReleasedBehindItsQueueOrNotAtAll) {
  const StubWatch watch;
  OpenCl cl;
  const cl_command_queue other = cl.another_queue();
  int failed = 0;
  for (bool any = true; any; failed += any ? 1 : 0) {
    stub_configure("mode=manual");
    const PoolHandle pool = pool_of_buffers(cl, CLPOOL_POOL_OPTIONS_INIT);
    clpool_mem* mem = nullptr;
    ASSERT_OK(clpool_pool_allocate(pool.get(), 4096, &mem));
    Gate gate(cl.context);
    ASSERT_EQ(clEnqueueMarkerWithWaitList(other, 1, gate.list(), nullptr), CL_SUCCESS);
    clpool_status status = CLPOOL_SUCCESS;
    any = fails_without(static_cast<std::uint64_t>(failed) + 1,
                        [&] { return status = clpool_mem_release_on(mem, other, 0, nullptr, nullptr); });
    EXPECT_EQ(stats_of(pool).pending_bytes != 0, status == CLPOOL_SUCCESS)
        << "after allocation " << failed + 1;
    EXPECT_EQ(stats_of(pool).active_blocks, status == CLPOOL_SUCCESS ? 0U : 1U)
        << "after allocation " << failed + 1;
    gate.open();
    stub_run_all();
    if (status != CLPOOL_SUCCESS) {
      EXPECT_OK(clpool_mem_release(mem));
    }
    EXPECT_OK(clpool_pool_tick(pool.get()));
  }
  EXPECT_GT(failed, 1);
}

TEST(WithoutHostMemory, AHeapCountsItsSpacesAsIfNothingHadHappened) {
  clpool_heap* heap = nullptr;
  ASSERT_OK(clpool_heap_create(16, &heap));
  std::uint64_t most_failed = 0;
  for (std::uint64_t spaces = 0; spaces < 300; ++spaces) {
    std::uint64_t number = 0;
    std::uint64_t failed = 0;
    while (fails_without(failed + 1, [&] { return clpool_heap_add_space(heap, 4096, &number); })) {
      ++failed;
    }
    ASSERT_EQ(number, spaces) << "after allocation " << failed;
    most_failed = std::max(most_failed, failed);
  }
  EXPECT_GT(most_failed, 2U) << "the space, its place, what the heap knows of it";
  clpool_heap_destroy(heap);
}

/// Where there is no memory to let a block rest, nobody is blamed for what is left in it.
TEST(WithoutHostMemory, AGuardedPoolFindsNothingThatIsNotThere) {
  const StubWatch watch;
  stub_configure("mode=immediate");
  const OpenCl cl;
  const Heard heard;
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.guard = CLPOOL_GUARD_ON;
  const PoolHandle pool = pool_of_buffers(cl, options);
  const MemHandle neighbour = allocate(pool, 1000);
  int failed = 0;
  for (bool any = true; any; failed += any ? 1 : 0) {
    MemHandle whole = allocate(pool, 1024);
    const unsigned char used = 7;
    ASSERT_OK(clpool_mem_fill(cl.queue, whole.get(), &used, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
    clpool_mem* const released = whole.release();
    any = fails_without(static_cast<std::uint64_t>(failed) + 1, [&] { return clpool_mem_release(released); });
    allocate(pool, 1000).reset();  // whose end is not what was filled
    EXPECT_OK(clpool_pool_free_held(pool.get()));
    EXPECT_EQ(heard.findings(), 0U) << "without allocation " << failed + 1 << ": " << heard.text();
  }
  EXPECT_GT(failed, 0);
}

long open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

TEST(WithoutHostMemory, NoFileOfALogStaysOpen) {
  const std::string path = temporary_file();
  const long before = open_files();
  int failed = 0;
  for (bool any = true; any; failed += any ? 1 : 0) {
    clpool_trace_writer* writer = nullptr;
    any = fails_without(static_cast<std::uint64_t>(failed) + 1,
                        [&] { return clpool_trace_writer_create(path.c_str(), &writer); });
    EXPECT_EQ(open_files(), before + (writer != nullptr ? 1 : 0)) << "after allocation " << failed + 1;
    EXPECT_OK(clpool_trace_writer_release(writer));
  }
  EXPECT_GT(failed, 1);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace clpool::test
