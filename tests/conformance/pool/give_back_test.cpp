// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Giving back: what nothing uses goes, to the last byte, however it came free.
#include <thread>
#include <vector>

#include "conformance/pool/backends.hpp"
#include "support/guard.hpp"

namespace clpool::test {
namespace {

using GiveBack = clpool_status (*)(clpool_pool*);

struct Way {
  const char* name;
  GiveBack run;
};

class GivingBack : public testing::TestWithParam<Way> {
 protected:
  OpenCl cl;
};
std::vector<Way> ways() {
  return {{"free_held", clpool_pool_free_held},
          {"stop_holding", clpool_pool_stop_holding},
          {"trim", [](clpool_pool* pool) { return clpool_pool_trim(pool, 0); }}};
}
INSTANTIATE_TEST_SUITE_P(, GivingBack, testing::ValuesIn(ways()),
                         [](const testing::TestParamInfo<Way>& tested) { return tested.param.name; });

/// More blocks of one chunk than handles are kept unused, the last of them in the thread's cache: with it one
/// handle too many comes back, and its chunk is to go at the same time.
TEST_P(GivingBack, LeavesNothingWhereHandlesGoWithTheirChunk) {
  clpool_allocator* made = nullptr;
  ASSERT_EQ(clpool_allocator_create_immediate(cl.queue, 0, &made), CLPOOL_SUCCESS);
  const AllocatorHandle allocator(made);
  for (std::size_t count = 60; count < 72; ++count) {
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.min_chunk_bytes = 4 << 20;
    const PoolHandle pool = make_pool(made, options);
    std::vector<MemHandle> blocks;
    for (std::size_t i = 0; i < count; ++i) {
      blocks.push_back(allocate(pool, 4096 * (1 + i % 3)));
    }
    blocks.clear();
    ASSERT_EQ(GetParam().run(pool.get()), CLPOOL_SUCCESS);
    EXPECT_EQ(stats_of(pool).managed_bytes, 0U) << count << " blocks";
  }
}

/// Blocks that nobody keeps, whichever thread releases them.
TEST(StopHolding, IsForWhatOtherThreadsReleaseToo) {
  NumberSource source;
  const PoolHandle pool = make_pool(source.allocator().get());
  MemHandle mem = allocate(pool, 64 << 20);
  ASSERT_EQ(clpool_pool_stop_holding(pool.get()), CLPOOL_SUCCESS);
  std::thread([&] { mem.reset(); }).join();
  EXPECT_EQ(source.live_bytes(), 0U);
  mem = allocate(pool, 1000);
  mem.reset();
  EXPECT_EQ(source.live_bytes(), 0U);
  ASSERT_EQ(clpool_pool_resume_holding(pool.get()), CLPOOL_SUCCESS);
  allocate(pool, 1000).reset();
  EXPECT_GT(source.live_bytes(), 0U);
}

/// The most that several threads had at different times is not what they had together.
/// In whichever order they lie in the cache.
TEST(LargestFreeBytes, AreWhatThereWouldBeWithAllCachesEmptied) {
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.guard = CLPOOL_GUARD_OFF;  // guarded pools have no caches
  const PoolHandle pool = make_pool(allocator.get(), options);
  for (const std::vector<std::size_t>& sizes :
       {std::vector<std::size_t>{1024, 2048, 4096}, std::vector<std::size_t>{4096, 2048, 1024}}) {
    std::vector<MemHandle> blocks;
    for (const std::size_t size : sizes) {
      blocks.push_back(allocate(pool, size));
    }
    blocks.clear();
    const clpool_pool_stats stats = stats_of(pool);
    ASSERT_EQ(stats.chunks, 1U);
    ASSERT_NE(stats.cached_bytes, 0U);
    EXPECT_EQ(stats.largest_free_bytes, stats.managed_bytes);
    EXPECT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS);
  }
}

TEST(PeakActiveBytes, AreNoMoreThanThePoolHad) {
  NumberSource source;
  const PoolHandle pool = make_pool(source.allocator().get());
  const auto use_all = [&] {
    std::vector<MemHandle> blocks;
    for (int i = 0; i < 1000; ++i) {
      blocks.push_back(allocate(pool, 4096));
    }
  };
  for (int i = 0; i < 3; ++i) {
    use_all();
    std::thread(use_all).join();
  }
  const clpool_pool_stats stats = stats_of(pool);
  EXPECT_GE(stats.peak_active_bytes, 4'096'000U);
  EXPECT_LE(stats.peak_active_bytes, stats.peak_managed_bytes);
}

}  // namespace
}  // namespace clpool::test
