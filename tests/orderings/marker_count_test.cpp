// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// One marker serves many releases: on an idle device, in the plainest loop, and without more memory than the
// pool may hold back.
#include <algorithm>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

constexpr int pairs = 6400;
constexpr std::uint64_t releases_per_marker = 64;

struct CountedPool {
  const char* name;
  bool page_locked;
  std::uint32_t queues;
  std::uint32_t strategy;
};

class MarkerCount : public testing::TestWithParam<CountedPool> {
 protected:
  void SetUp() override {
    stub_configure("mode=immediate");
    clpool_allocator* made = nullptr;
    ASSERT_OK(GetParam().page_locked ? clpool_allocator_create_pinned(scene.cl.queue, 0, &made)
                                     : clpool_allocator_create_immediate(scene.cl.queue, 0, &made));
    allocator.reset(made);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    const cl_command_queue queues[] = {scene.cl.queue, scene.cl.another_queue()};
    options.queues = queues;
    options.queue_count = GetParam().queues;
    options.strategy = GetParam().strategy;
    pool = make_pool(allocator.get(), options);
  }
  /// Blocks of `size` bytes, one at a time; how many markers they took on each queue.
  std::uint64_t markers_of_pairs(std::size_t size) {
    const std::uint64_t before = stub_calls("clEnqueueMarkerWithWaitList");
    for (int i = 0; i < pairs; ++i) {
      clpool_mem* mem = nullptr;
      EXPECT_OK(clpool_pool_allocate(pool.get(), size, &mem));
      EXPECT_OK(clpool_mem_release(mem));
    }
    return (stub_calls("clEnqueueMarkerWithWaitList") - before) / GetParam().queues;
  }

  Scene scene;
  AllocatorHandle allocator;
  PoolHandle pool;
};
INSTANTIATE_TEST_SUITE_P(, MarkerCount,
                         testing::Values(CountedPool{"PageLocked", true, 1, CLPOOL_STRATEGY_COALESCING},
                                         CountedPool{"PageLockedBinned", true, 1, CLPOOL_STRATEGY_BINNED},
                                         CountedPool{"TwoQueues", false, 2, CLPOOL_STRATEGY_COALESCING},
                                         CountedPool{"TwoQueuesBinned", false, 2, CLPOOL_STRATEGY_BINNED}),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST_P(MarkerCount, IsOneForManyReleasesOfSmallBlocks) {
  markers_of_pairs(4096);  // until it has its chunks, which have markers of their own
  EXPECT_LE(markers_of_pairs(4096), pairs / releases_per_marker + 1);
  EXPECT_LE(stats_of(pool).managed_bytes, 8 * releases_per_marker * 4096);
}

TEST_P(MarkerCount, OfLargeBlocksKeepsTheMemoryWithinItsBound) {
  markers_of_pairs(1 << 20);
  // A quarter of the 64 MiB that may be held back is a marker's share.
  EXPECT_LE(markers_of_pairs(1 << 20), pairs / 16 + 1);
  EXPECT_LE(stats_of(pool).managed_bytes, (std::uint64_t{64} + 1) << 20);
}

/// A queue that was named twice is one: what is declared for it waits behind the pool's own markers.
TEST(MarkersOfAQueueThatWasNamedTwice, AreThePoolsOwn) {
  Scene scene;
  stub_configure("mode=immediate");
  const AllocatorHandle allocator = make_allocator(clpool_allocator_create_pinned, scene.cl.queue, 0);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  const cl_command_queue queues[] = {scene.cl.queue, scene.cl.queue};
  options.queues = queues;
  options.queue_count = 2;
  const PoolHandle pool = make_pool(allocator.get(), options);
  EXPECT_OK(clpool_mem_release(allocate(pool, 4096).release()));
  EXPECT_OK(clpool_pool_tick(pool.get()));
  const std::uint64_t before = stub_calls("clEnqueueMarkerWithWaitList");
  clpool_mem* const declared = allocate(pool, 4096).release();
  clpool_mem* const other = allocate(pool, 4096).release();
  ASSERT_OK(clpool_mem_used_on(declared, scene.cl.queue));
  EXPECT_OK(clpool_mem_release(declared));
  EXPECT_OK(clpool_mem_release(other));
  EXPECT_OK(clpool_pool_tick(pool.get()));
  EXPECT_EQ(stub_calls("clEnqueueMarkerWithWaitList") - before, 1U);
}

/// A block that waits for many events costs those who come by no more than one that waits for a few.
TEST(EventCount, OfALookIsThatOfWhatHasEndedSinceAndOneMore) {
  constexpr std::uint64_t count = 1000;
  constexpr std::uint64_t requests = 20;
  Scene scene;
  const AllocatorHandle allocator = immediate_allocator(scene.cl.queue);
  const PoolHandle pool = make_pool(allocator.get());
  std::list<Gate> gates;
  clpool_mem* const mem = allocate(pool, 1024).release();
  for (std::uint64_t i = 0; i < count; ++i) {
    ASSERT_OK(clpool_mem_release_after(mem, 1, gates.emplace_back(scene.cl.context).list()));
  }
  ASSERT_OK(clpool_mem_release(mem));
  stub_run_all();
  std::uint64_t before = stub_calls("clGetEventInfo");
  std::vector<MemHandle> blocks;
  const auto ask = [&] {
    for (std::uint64_t i = 0; i < requests; ++i) {
      blocks.push_back(
          allocate(pool, (blocks.size() + 1) << 14));  // new sizes, for which the pool looks around
      stub_run_all();
    }
  };
  ask();
  EXPECT_LE(stub_calls("clGetEventInfo") - before, 8 * requests);
  const auto half = std::next(gates.begin(), count / 2);
  std::for_each(gates.begin(), half, [](Gate& gate) { gate.open(); });
  before = stub_calls("clGetEventInfo");
  ask();
  EXPECT_LE(stub_calls("clGetEventInfo") - before, count / 2 + 8 * requests);
  EXPECT_EQ(stats_of(pool).pending_bytes, 1024U);
  std::for_each(half, gates.end(), [](Gate& gate) { gate.open(); });
  for (int i = 0; i < 100 && stats_of(pool).pending_bytes != 0; ++i) {
    EXPECT_OK(clpool_pool_tick(pool.get()));  // for a millisecond, which is little under a sanitizer
  }
  EXPECT_EQ(stats_of(pool).pending_bytes, 0U);
}

}  // namespace
}  // namespace clpool::test
