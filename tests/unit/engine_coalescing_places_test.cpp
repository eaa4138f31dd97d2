// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Where in a chunk the coalescing strategy puts blocks, and what sizes its chunks have.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>
#include <vector>

#include "engine_driven.hpp"

namespace clpool::core {
namespace {

/// A hole of 30 MB, and one of 11 MB.
struct CoalescingWithTwoHoles : testing::Test {
  CoalescingWithTwoHoles() {
    HeapChunk& chunk = driven.chunks.emplace_back();
    chunk.size = 100'000'000 / 256 * 256;
    Block* const first = driven.strategy.add_chunk(chunk, driven.strategy.rounded(30'000'000));
    take(driven.strategy, 256);
    Block* const second = take(driven.strategy, driven.strategy.rounded(11'000'000));
    take(driven.strategy, 256);
    for (std::uint64_t left = 6; left > 0; --left) {
      take(driven.strategy, (chunk.size - chunk.used) / left / 256 * 256);
    }
    driven.strategy.give_back(*second, 0);
    driven.strategy.give_back(*first, 0);
    hole = first;
  }
  Block* take_at_end(std::uint64_t bytes) {
    return driven.strategy.take_at(*hole, hole->offset + hole->size - bytes, bytes, driven.limits);
  }
  Driven driven;
  Block* hole;
};

TEST_F(CoalescingWithTwoHoles, ALargeRequestDoesNotLeaveItsBestFitForAHandle) {
  EXPECT_EQ(take_at_end(driven.strategy.rounded(10'000'000)), nullptr);
  EXPECT_NE(take_at_end(driven.strategy.rounded(20'000'000)), nullptr) << "nothing fits better";
  EXPECT_STREQ(driven.strategy.check(), nullptr);
}

TEST_F(CoalescingWithTwoHoles, OfMoreThanAHundredthIsALargeRequest) {
  const std::uint64_t hundredth = driven.strategy.managed_bytes() / 100;
  EXPECT_EQ(driven.strategy.take_at(*hole, hole->offset, hundredth + 1, driven.limits), nullptr);
  EXPECT_NE(driven.strategy.take_at(*hole, hole->offset, hundredth, driven.limits), nullptr);
}

TEST_F(CoalescingWithTwoHoles, ASmallRequestDoesNotGoBesideLargeBlocksForAHandle) {
  EXPECT_EQ(take_at_end(driven.strategy.rounded(100'000)), nullptr);
}

TEST_F(CoalescingWithTwoHoles, ASmallRequestGoesWhereItsHandleIs) {
  const std::uint64_t bytes = driven.strategy.rounded(700'000);
  const std::uint64_t end = hole->offset + hole->size;
  Block* const block = take_at_end(bytes);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block->offset + block->size, end);
  EXPECT_STREQ(driven.strategy.check(), nullptr);
}

TEST(Coalescing, AWholeChunkIsCutUpForAHandleAsForAnyRequest) {
  Driven driven;
  Block* const whole = driven.allocate(100'000'000);
  driven.release(whole);
  const std::uint64_t little = driven.strategy.rounded(10'000);
  EXPECT_EQ(driven.strategy.choose(little, driven.limits), nullptr);
  EXPECT_EQ(driven.strategy.take_at(*whole, 0, little, driven.limits), nullptr);
  const std::uint64_t most = driven.strategy.rounded(90'000'000);
  EXPECT_EQ(driven.strategy.choose(most, driven.limits), whole);
  EXPECT_NE(driven.strategy.take_at(*whole, 0, most, driven.limits), nullptr);
}

TEST(Coalescing, SmallBlocksThatStayLeaveTheRestOfTheirChunkInOnePiece) {
  CountedBlocks blocks;
  Coalescing strategy(256, 0, blocks);
  HeapChunk chunk;
  chunk.size = 1024 * 256;
  std::vector<Block*> large;
  std::vector<Block*> small;
  large.push_back(strategy.add_chunk(chunk, 600 * 256));
  for (int i = 0; i < 4; ++i) {
    small.push_back(take(strategy, 10 * 256));
    strategy.give_back(*large.back(), 0);
    large.push_back(take(strategy, static_cast<std::uint64_t>(610 + 10 * i) * 256));
    ASSERT_NE(large.back(), nullptr);
    EXPECT_EQ(large.back()->offset, 0u);
  }
  strategy.give_back(*large.back(), 0);
  EXPECT_EQ(strategy.largest_free(), (1024 - 40) * 256u);
  EXPECT_EQ(strategy.check(), nullptr) << strategy.check();
}

TEST(Coalescing, BlocksAtTheEndOfAChunkOfAnOddSizeAreAligned) {
  CountedBlocks blocks;
  Coalescing strategy(256, 0, blocks);
  HeapChunk chunk;
  chunk.size = 1024 * 256 + 100;
  Block* const first = strategy.add_chunk(chunk, 10 * 256);
  Block* const second = take(strategy, 10 * 256);
  EXPECT_EQ(first->offset % 256, 0u);
  EXPECT_EQ(second->offset % 256, 0u);
  EXPECT_EQ(strategy.check(), nullptr) << strategy.check();
}

TEST(Coalescing, TakesChunksOfAtLeastTheSizeAskedFor) {
  Driven driven(8'000'000);
  driven.allocate(100);
  EXPECT_EQ(driven.chunks.back().size, 8'000'000u / 256 * 256 + (8'000'000 % 256 == 0 ? 0 : 256));
}

/// The chunks before may have had any size.
TEST(Coalescing, FillsThePeakSoFarWithWholeGranules) {
  CountedBlocks blocks;
  Coalescing strategy(256, 0, blocks);
  GrowthLimits limits;
  limits.peak_managed_bytes = 500'050;
  const std::uint64_t rounded = 100'096;
  EXPECT_EQ(strategy.plan_growth(rounded, limits, all_idle).chunk_bytes, 500'050u / 256 * 256);
}

TEST(Coalescing, CutsANewChunkWhereBlocksMayBeginWhateverTheSize) {
  Driven driven;
  Block* const block = driven.take_new(1024, 300);
  EXPECT_EQ(block->size, 512u);
  EXPECT_STREQ(driven.strategy.check(), nullptr) << driven.strategy.check();
  EXPECT_EQ(driven.take_new(1000, 999)->size, 1000u) << "all of it";
  EXPECT_STREQ(driven.strategy.check(), nullptr) << driven.strategy.check();
}

TEST(Coalescing, KeepsABlockOfAnExactSizeAtTheEndOfItsChunk) {
  CountedBlocks blocks;
  Coalescing strategy(256, 0, blocks);
  HeapChunk chunk;
  chunk.size = 1000;
  Block* block = strategy.add_chunk(chunk, 1000);
  EXPECT_EQ(block->size, 1000u);
  EXPECT_EQ(strategy.give_back(*block, 3), &chunk);
  EXPECT_EQ(chunk.last_release, 3u);
  EXPECT_EQ(take(strategy, 1024), nullptr);
  block = take(strategy, 1000);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(block->size, 1000u);
  strategy.give_back(*block, 3);
  EXPECT_EQ(strategy.check(), nullptr);
}

TEST(Coalescing, ForgetsANewChunkThatItHasNoDescriptorsFor) {
  CountedBlocks blocks;
  Coalescing strategy(256, 0, blocks);
  HeapChunk chunk;
  chunk.size = 1024;
  for (blocks.most = 0; blocks.most < 2; ++blocks.most) {
    EXPECT_THROW(strategy.add_chunk(chunk, 512), std::bad_alloc);
    EXPECT_EQ(strategy.chunks().count, 0u) << "the caller gives it back";
    EXPECT_EQ(strategy.managed_bytes(), 0u);
    EXPECT_EQ(blocks.in_use(), 0u);
    EXPECT_EQ(strategy.check(), nullptr) << strategy.check();
  }
  Block* block = strategy.add_chunk(chunk, 512);
  EXPECT_EQ(block->size, 512u);
  EXPECT_EQ(strategy.check(), nullptr) << strategy.check();
}

TEST(Coalescing, GivesSeveralChunksBackForOneAndForgetsNoOther) {
  Driven driven(1'000'000);
  std::vector<Block*> blocks;
  for (int i = 0; i < 8; ++i) {
    blocks.push_back(driven.allocate(1'000'000));
  }
  for (Block* block : blocks) {
    driven.release(block);
  }
  const std::uint64_t before = driven.strategy.chunks().count;
  driven.allocate(5'000'000);
  EXPECT_GE(driven.released, 2u);
  EXPECT_EQ(driven.strategy.chunks().count, before - driven.released + 1);
  EXPECT_STREQ(driven.strategy.check(), nullptr) << driven.strategy.check();
}

}  // namespace
}  // namespace clpool::core
