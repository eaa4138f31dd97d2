// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Both ends of a sub-buffer's life cost as much as it has living siblings, on drivers that walk their list:
// so no chunk has thousands of them, however many small blocks there are. Siblings are counted, not time.
#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <random>
#include <vector>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

/// Siblings that are walked for each of so many blocks, from the first to the last of them. The pool has so
/// much else that all of them are little.
double siblings_a_block(std::size_t live) {
  stub_configure("nvidia=1,align=512,poison=0");
  Scene scene;
  const AllocatorHandle allocator = immediate_allocator(scene.cl.queue);
  const PoolHandle pool = make_pool(allocator.get(), CLPOOL_POOL_OPTIONS_INIT);
  std::mt19937_64 random(1);
  clpool_mem* large = nullptr;
  EXPECT_OK(clpool_pool_allocate(pool.get(), std::size_t{1} << 30, &large));
  std::vector<clpool_mem*> blocks(live);
  const std::uint64_t before = stub_count("siblings_walked");
  for (clpool_mem*& block : blocks) {
    EXPECT_OK(clpool_pool_allocate(pool.get(), 512 * (1 + random() % 8), &block));
  }
  const std::uint64_t walked = stub_count("siblings_walked") - before;
  for (clpool_mem* const block : blocks) {
    EXPECT_OK(clpool_mem_release(block));
  }
  EXPECT_OK(clpool_mem_release(large));
  stub_run_all();
  return static_cast<double>(walked) / static_cast<double>(live);
}

TEST(PoolSiblings, OfTwentyThousandSmallBlocksAreAboutThoseOfTwoHundred) {
  const double of_few = siblings_a_block(200);
  const double of_many = siblings_a_block(20'000);
  RecordProperty("of_few", std::to_string(of_few));
  RecordProperty("of_many", std::to_string(of_many));
  EXPECT_LE(of_many, 2.5 * of_few) << of_few << " of 200";
}

/// Once so many handles have been released, and while the driver takes its time for the next, another thread asks for a place where
/// one of them was.
struct AskedInBetween {
  explicit AskedInBetween(clpool_pool* asked) : pool(asked) { stub_set_hook(look, this); }
  AskedInBetween(const AskedInBetween&) = delete;
  AskedInBetween& operator=(const AskedInBetween&) = delete;
  ~AskedInBetween() { stub_set_hook(nullptr, nullptr); }
  static void look(const char* entry_point, void* user) {
    auto& self = *static_cast<AskedInBetween*>(user);
    if (std::strcmp(entry_point, "clReleaseMemObject") != 0 || ++self.releases != 40) {
      return;
    }
    self.answer = std::async(std::launch::async, [&self] {
      clpool_mem* mem = nullptr;
      EXPECT_OK(clpool_pool_allocate(self.pool, 512, &mem));
      return mem;
    });
    self.was_served = self.answer.wait_for(std::chrono::seconds(5)) == std::future_status::ready;
  }

  clpool_pool* const pool;
  std::atomic<int> releases{0};
  bool was_served = false;
  std::future<clpool_mem*> answer{};
};

TEST(PoolSiblings, ThatGoAreNotWaitedForUntilTheLastHasGone) {
  stub_configure("align=512,poison=0,mode=immediate");
  Scene scene;
  Gate gate(scene.cl.context);
  const AllocatorHandle allocator = immediate_allocator(scene.cl.queue);
  const PoolHandle pool = make_pool(allocator.get(), CLPOOL_POOL_OPTIONS_INIT);
  // A chunk: all but 64 of their handles go when they come free at once.
  std::vector<clpool_mem*> blocks(256);
  for (clpool_mem*& block : blocks) {
    ASSERT_OK(clpool_pool_allocate(pool.get(), 1024, &block));
  }
  for (clpool_mem* const block : blocks) {
    EXPECT_OK(clpool_mem_release_after(block, 1, gate.list()));
    EXPECT_OK(clpool_mem_release(block));
  }
  gate.open();
  AskedInBetween asked(pool.get());
  for (int i = 0; i < 1000 && asked.releases <= 100; ++i) {  // each asks for a millisecond
    EXPECT_OK(clpool_pool_tick(pool.get()));
  }
  ASSERT_GT(asked.releases, 100);
  EXPECT_TRUE(asked.was_served);
  EXPECT_OK(clpool_mem_release(asked.answer.get()));
}

}  // namespace
}  // namespace clpool::test
