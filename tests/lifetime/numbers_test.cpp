// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Many pools and many threads: nothing is left of them, and the memory that the library keeps for the next
// ones has a bound.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "memory_in_use.hpp"
#include "support/opencl.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

constexpr std::uint64_t kilobyte = 1024;

/// Memory as it is after the first of them may grow by this much with all others: 25 bytes for each thread or
/// pool.
constexpr std::uint64_t margin = 256 * kilobyte;
/// Where threads run at once, chance has it how much they have at once.
constexpr std::uint64_t margin_at_once = 2048 * kilobyte;

/// Over numbers, where all memory is the library's, or over buffers, where drivers keep some as they like.
class ManyOf : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!GetParam()) {
      allocator = numbers.allocator();
      return;
    }
    if (cl.queue == nullptr) {
      GTEST_SKIP() << "no OpenCL device";
    }
    clpool_allocator* made = nullptr;
    ASSERT_EQ(clpool_allocator_create_immediate(cl.queue, 0, &made), CLPOOL_SUCCESS);
    allocator.reset(made);
  }
  static void use(const PoolHandle& pool, std::size_t size) {
    const MemHandle first = allocate(pool, size);
    const MemHandle second = allocate(pool, 2 * size);
  }
  void remember_memory() { early_ = memory_in_use(); }
  void expect_no_more_memory(std::uint64_t than) const {
    if (!GetParam()) {
      EXPECT_LE(memory_in_use(), early_ + than);
    }
  }
  static void expect_idle(const PoolHandle& pool, std::uint64_t allocations) {
    expect_sound(pool);
    const clpool_pool_stats stats = stats_of(pool);
    EXPECT_EQ(stats.active_blocks, 0u);
    EXPECT_EQ(stats.active_bytes, 0u);
    EXPECT_EQ(stats.held_bytes, stats.managed_bytes);
    EXPECT_EQ(stats.allocations, allocations);
    EXPECT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS);
    EXPECT_EQ(stats_of(pool).managed_bytes, 0u);
  }

  OpenCl cl;
  NumberSource numbers;
  AllocatorHandle allocator;

 private:
  std::uint64_t early_ = 0;
};

INSTANTIATE_TEST_SUITE_P(, ManyOf, testing::Bool(), [](const testing::TestParamInfo<bool>& kind) {
  return kind.param ? "Buffers" : "Numbers";
});

TEST_P(ManyOf, FiveThousandPoolsLeaveNothingButWhatTheNextFiveThousandUse) {
  constexpr std::size_t count = 5000;
  for (int round = 0; round < 3; ++round) {
    std::vector<PoolHandle> pools;
    std::vector<MemHandle> blocks;
    for (std::size_t i = 0; i < count; ++i) {
      pools.push_back(make_pool(allocator.get()));
      blocks.push_back(allocate(pools.back(), 1000));
    }
    for (const PoolHandle& pool : pools) {
      const clpool_pool_stats stats = stats_of(pool);
      ASSERT_EQ(stats.active_blocks, 1u);
      ASSERT_EQ(stats.chunks, 1u);
    }
    blocks.clear();
    pools.clear();
    ASSERT_EQ(numbers.live_chunks(), 0u);
    if (round == 0) {
      remember_memory();
    }
  }
  expect_no_more_memory(margin);
}

TEST_P(ManyOf, TenThousandThreadsOneAfterAnotherLeaveNothing) {
  constexpr unsigned count = 10000;
  const PoolHandle pool = make_pool(allocator.get());
  for (unsigned i = 0; i < count; ++i) {
    std::thread([&] { use(pool, 1024 * (1 + i % 7)); }).join();
    if (i == 500) {
      remember_memory();
    }
  }
  expect_no_more_memory(margin);
  expect_idle(pool, 2 * count);
}

TEST_P(ManyOf, FiveHundredThreadsAtATimeLeaveNothing) {
  constexpr unsigned at_a_time = 500;
  constexpr unsigned rounds = 20;
  const PoolHandle pool = make_pool(allocator.get());
  for (unsigned round = 0; round < rounds; ++round) {
    std::barrier all_have_used(at_a_time);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < at_a_time; ++i) {
      threads.emplace_back([&, i] {
        use(pool, 1024 * (1 + i % 7));
        all_have_used.arrive_and_wait();  // so that all have their caches at once
        use(pool, 1024 * (1 + i % 3));
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    if (round == 1) {
      remember_memory();
    }
  }
  expect_no_more_memory(margin_at_once);
  expect_idle(pool, std::uint64_t{4} * at_a_time * rounds);
}

}  // namespace
}  // namespace clpool::test
