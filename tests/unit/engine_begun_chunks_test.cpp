// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Chunks that were begun of late: behind more holes that do not suit than a search looks at, requests share them all the same.
#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

#include "engine_driven.hpp"

namespace clpool::core {
namespace {

/// A chunk of 100 MB of which nearly all is free, in holes of a few kilobytes: it is to drain, as long as the pool had more before.
struct BehindManySmallHoles : testing::Test {
  BehindManySmallHoles() {
    std::vector<Block*> holes{driven.take_new(100'000'000 / 256 * 256, 256 * 100)};
    const HeapChunk& chunk = *holes.front()->chunk;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      take(driven.strategy, 256);
      holes.push_back(take(driven.strategy, 256 * (4 + i % 30)));
    }
    take(driven.strategy, chunk.size - chunk.used);
    for (Block* const hole : holes) {
      driven.strategy.give_back(*hole, 0);
    }
    driven.driver_calls = 0;
    driven.limits.peak_managed_bytes = peak;
  }
  void TearDown() override { EXPECT_STREQ(driven.strategy.check(), nullptr); }
  static constexpr std::uint64_t peak = std::uint64_t{1} << 40;
  Driven driven;
};

TEST_F(BehindManySmallHoles, SmallRequestsFillTheChunkThatOneBegan) {
  for (int i = 0; i < 3 * 256; ++i) {
    driven.allocate(700);
  }
  EXPECT_EQ(driven.driver_calls, 3u);
}

TEST_F(BehindManySmallHoles, RequestsOfSixteenSizesInTurnFillAChunkEach) {
  std::vector<Block*> before;
  for (std::uint64_t i = 0; i < 16; ++i) {
    before.push_back(driven.take_new(512 * 256 + i * 256, 512 + i * 256));
  }
  for (int i = 0; i < 40; ++i) {
    for (const Block* const block : before) {
      driven.allocate(block->size);
    }
  }
  EXPECT_EQ(driven.driver_calls, 16u);
}

TEST_F(BehindManySmallHoles, ChunksOfRequestsThatTakeAllOfTheirsAreNone) {
  for (int i = 0; i < 32; ++i) {
    driven.allocate(700);
    driven.take_new(5'120'000, 5'120'000);
  }
  EXPECT_EQ(driven.driver_calls, 32u + 1);
}

TEST_F(BehindManySmallHoles, RequestsOfManySizesTakeNoMoreThanIsLeft) {
  std::mt19937 random(7);
  std::vector<Block*> live;
  for (int i = 0; i < 5000; ++i) {
    live.push_back(driven.allocate(300 + random() % 3000));
    if (i % 3 == 0) {
      std::swap(live[random() % live.size()], live.back());
      driven.release(live.back());
      live.pop_back();
    }
  }
  EXPECT_LE(driven.driver_calls, 60u);
}

TEST_F(BehindManySmallHoles, AChunkThatHasTooMuchFreeIsNotForSmallerRequests) {
  const HeapChunk* const chunk = driven.allocate(700)->chunk;
  EXPECT_NE(driven.allocate(256)->chunk, chunk) << "it would have a thousand of these";
}

TEST_F(BehindManySmallHoles, AChunkThatHasComeFreeIsWeighedAsAnyThatIs) {
  Block* const block = driven.allocate(100'000);
  HeapChunk* const chunk = block->chunk;
  ASSERT_GT(chunk->size, 10 * block->size);
  driven.release(block);
  driven.limits.calls_left = CallBudget::most;
  EXPECT_EQ(driven.strategy.choose(driven.strategy.rounded(100'000), driven.limits), nullptr)
      << "it is much larger";
}

TEST_F(BehindManySmallHoles, AChunkThatWentIsNotLookedAt) {
  Block* const block = driven.allocate(700);
  HeapChunk* const chunk = block->chunk;
  driven.release(block);
  driven.strategy.remove_chunk(*chunk);
  EXPECT_NE(driven.allocate(700)->chunk, chunk);
}

TEST_F(BehindManySmallHoles, AChunkThatWentForALargerOneIsNotLookedAt) {
  Block* const block = driven.allocate(700);
  const HeapChunk* const chunk = block->chunk;
  driven.release(block);
  driven.limits.peak_managed_bytes = driven.strategy.managed_bytes();
  driven.allocate(chunk->size + 1000);
  ASSERT_EQ(driven.released, 1u);
  driven.limits.peak_managed_bytes = peak;
  EXPECT_NE(driven.allocate(700)->chunk, chunk);
}

}  // namespace
}  // namespace clpool::core
