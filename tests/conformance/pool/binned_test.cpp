// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The binned strategy is PyOpenCL's pool, exactly.
#include "support/pools.hpp"

namespace clpool::test {
namespace {

class BinnedPool : public testing::Test {
 protected:
  PoolHandle make(std::uint32_t bits = 4) {
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.strategy = CLPOOL_STRATEGY_BINNED;
    options.leading_bits_in_bin_id = bits;
    return make_pool(allocator.get(), options);
  }
  /// Allocates all sizes, then releases them in order.
  static void hold(const PoolHandle& pool, std::initializer_list<std::size_t> sizes) {
    std::vector<MemHandle> blocks;
    for (const std::size_t size : sizes) {
      blocks.push_back(allocate(pool, size));
    }
    for (MemHandle& block : blocks) {
      block.reset();
    }
  }
  using Events = std::vector<std::string>;

  NumberSource numbers;
  AllocatorHandle allocator = numbers.allocator();
};

TEST_F(BinnedPool, ReproducesTheWorkedExampleOfRunningOutOfMemory) {
  numbers.capacity = 1 << 20;
  const PoolHandle pool = make();
  hold(pool, {0, 100'000, 200'000, 200'000, 300'000});
  ASSERT_EQ(stats_of(pool).managed_bytes, 1u + 102'399 + 2 * 204'799 + 311'295);
  numbers.forget_events();
  const MemHandle mem = allocate(pool, 700'000);
  ASSERT_NE(mem, nullptr);
  EXPECT_EQ(numbers.events(), (Events{"refused 720895", "gave back 311295", "refused 720895",
                                      "gave back 204799", "took 720895"}));
  const clpool_pool_stats stats = stats_of(pool);
  EXPECT_EQ(stats.held_blocks, 3u);
  EXPECT_EQ(stats.active_blocks, 1u);
  EXPECT_EQ(stats.active_bytes, 700'000u);
  EXPECT_EQ(stats.managed_bytes, 1u + 102'399 + 204'799 + 720'895);
}

TEST_F(BinnedPool, HandsOutTheMostRecentlyReturnedBlockOfABin) {
  const PoolHandle pool = make();
  MemHandle first = allocate(pool, 1024);
  MemHandle second = allocate(pool, 1024);
  const void* first_place = clpool_mem_pointer(first.get());
  const void* second_place = clpool_mem_pointer(second.get());
  first.reset();
  second.reset();
  const MemHandle again = allocate(pool, 1087);
  EXPECT_EQ(clpool_mem_pointer(again.get()), second_place) << "1024 and 1087 share a bin";
  const MemHandle and_again = allocate(pool, 1030);
  EXPECT_EQ(clpool_mem_pointer(and_again.get()), first_place);
  EXPECT_EQ(numbers.calls(), 2u);
}

TEST_F(BinnedPool, NeverServesFromALargerBinWhileTheDriverHasMemory) {
  const PoolHandle pool = make();
  hold(pool, {1088});
  const MemHandle mem = allocate(pool, 1024);
  EXPECT_EQ(numbers.calls(), 2u);
  EXPECT_EQ(stats_of(pool).held_blocks, 1u);
}

TEST_F(BinnedPool, GivesHeldBlocksBackFromTheSmallestBinOn) {
  const PoolHandle pool = make();
  hold(pool, {5000, 100, 1'000'000, 5001, 20});
  numbers.forget_events();
  ASSERT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS);
  EXPECT_EQ(numbers.events(), (Events{"gave back 20", "gave back 103", "gave back 5119", "gave back 5119",
                                      "gave back 1015807"}));
}

TEST_F(BinnedPool, KeepsFreshBlocksRoundedAfterStopHolding) {
  const PoolHandle pool = make();
  const MemHandle before = allocate(pool, 5000);
  ASSERT_EQ(clpool_pool_stop_holding(pool.get()), CLPOOL_SUCCESS);
  const MemHandle after = allocate(pool, 1024);
  EXPECT_EQ(stats_of(pool).managed_bytes, 5119u + 1087);
  EXPECT_EQ(clpool_mem_capacity(after.get()), 1087u);
}

TEST_F(BinnedPool, TakesSizesAroundPowersOfTwoOver1GiB) {  // PyOpenCL's test_mempool_32bit_issues
  const PoolHandle pool = make();
  std::uint64_t active = 0;
  std::vector<MemHandle> blocks;
  for (int k = 30; k <= 34; ++k) {
    for (int d = -5; d <= 4; ++d) {
      const std::uint64_t size = (std::uint64_t{1} << k) + static_cast<std::uint64_t>(d);
      blocks.push_back(allocate(pool, size));
      ASSERT_NE(blocks.back(), nullptr);
      ASSERT_GE(clpool_mem_capacity(blocks.back().get()), size);
      active += size;
    }
  }
  EXPECT_EQ(stats_of(pool).active_bytes, active);
  blocks.clear();
  ASSERT_EQ(clpool_pool_stop_holding(pool.get()), CLPOOL_SUCCESS);
  EXPECT_EQ(stats_of(pool).managed_bytes, 0u);
}

TEST_F(BinnedPool, TakesFrom0To26LeadingBits) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.strategy = CLPOOL_STRATEGY_BINNED;
  clpool_pool* pool = nullptr;
  for (const std::uint32_t bits : {27u, 31u, 64u, CLPOOL_LEADING_BITS_NONE - 1}) {
    options.leading_bits_in_bin_id = bits;
    EXPECT_EQ(clpool_pool_create(allocator.get(), &options, &pool), CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_NE(std::string(clpool_last_error_message()).find(std::to_string(bits)), std::string::npos);
  }
  for (std::uint32_t bits = 1; bits <= 26; ++bits) {
    const PoolHandle valid = make(bits);
    const MemHandle mem = allocate(valid, 100'000);
    std::uint64_t bin = 0;
    std::uint64_t bytes = 0;
    ASSERT_EQ(clpool_bin_number(100'000, bits, &bin), CLPOOL_SUCCESS);
    ASSERT_EQ(clpool_bin_alloc_size(bin, bits, &bytes), CLPOOL_SUCCESS);
    EXPECT_EQ(clpool_mem_capacity(mem.get()), bytes);
  }
  const PoolHandle coarse = make(CLPOOL_LEADING_BITS_NONE);
  EXPECT_EQ(clpool_mem_capacity(allocate(coarse, 100'000).get()), 131'071u);
}

TEST_F(BinnedPool, FunctionsOfBinsRefuseWhatHasNone) {
  std::uint64_t number = 1;
  EXPECT_EQ(clpool_bin_number(1, 27, &number), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(number, 0u);
  EXPECT_EQ(clpool_bin_number(1, 4, nullptr), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_bin_alloc_size(64 << 4, 4, &number), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_bin_alloc_size((64 << 4) - 1, 4, &number), CLPOOL_SUCCESS);
  EXPECT_EQ(number, UINT64_MAX);
  EXPECT_EQ(clpool_bitlog2(0xAFFE), 15u);
}

}  // namespace
}  // namespace clpool::test
