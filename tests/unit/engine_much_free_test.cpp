// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Much is free, but in chunks that are to drain: before the pool takes more than it ever had, requests go into their holes.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "engine_driven.hpp"

namespace clpool::core {
namespace {

constexpr std::uint64_t unit = 256;  // bytes: the granule

/// Chunks of which fourteen are two thirds free, in holes of 32 units, and the others full. What they have free is too much
/// for requests of so many units, which would pin it.
struct ChunksThatAreToDrain : testing::Test {
  static constexpr std::uint64_t size = 8 * unit;
  static constexpr std::uint64_t chunk_size = 4096 * unit;

  void make(std::size_t chunks) {
    std::vector<Block*> blocks;
    while (driven.chunks.size() != chunks) {
      blocks.push_back(driven.take_new(chunk_size, 16 * unit));
      while (driven.strategy.free_bytes() != 0) {
        blocks.push_back(take(driven.strategy, 16 * unit));
      }
    }
    for (std::size_t i = 0; i < 14 * 256; ++i) {
      if (i % 256 % 3 != 0) {
        driven.strategy.give_back(*blocks[i], 0);
      }
    }
    driven.limits.calls_left = CallBudget::most;
  }
  void TearDown() override { EXPECT_STREQ(driven.strategy.check(), nullptr); }
  /// Has one of its own that is wholly free.
  HeapChunk* add_free(std::uint64_t bytes) {
    Block* const block = driven.take_new(bytes, bytes / 2);
    HeapChunk* const chunk = block->chunk;
    driven.strategy.give_back(*block, 0);
    driven.limits.calls_left = CallBudget::most;
    return chunk;
  }
  Block* choose(std::uint64_t bytes) const { return driven.strategy.choose(bytes, driven.limits); }

  Driven driven;
};

TEST_F(ChunksThatAreToDrain, ServeRequestsBeforeThePoolTakesMoreThanEver) {
  make(26);
  EXPECT_NE(choose(size), nullptr);
}

TEST_F(ChunksThatAreToDrain, AreLeftAloneWhereLessIsFree) {
  make(27);
  EXPECT_EQ(choose(size), nullptr);
}

TEST_F(ChunksThatAreToDrain, AreLeftAloneWhereThePoolHadMoreBefore) {
  make(26);
  driven.limits.peak_managed_bytes += size;
  EXPECT_EQ(choose(size), nullptr);
  driven.limits.peak_managed_bytes -= unit;
  EXPECT_NE(choose(size), nullptr);
}

TEST_F(ChunksThatAreToDrain, AreLeftAloneWhereOthersCanGoInstead) {
  make(26);
  add_free(5 * unit);
  EXPECT_NE(choose(size), nullptr) << "it is too small, and all that can go";
  add_free(3 * unit);
  EXPECT_EQ(choose(size), nullptr) << "both go";
}

/// A new one for them would have 2048 units, and another goes for that if it has 64 times as much at most.
TEST_F(ChunksThatAreToDrain, AreLeftAloneWhereAMuchLargerOneCanGo) {
  make(26);
  add_free(64 * 2048 * unit);
  EXPECT_EQ(choose(size), nullptr);
}

TEST_F(ChunksThatAreToDrain, ServeRequestsWhereAnotherIsTooLargeToGoForThem) {
  make(26);
  add_free(64 * 2049 * unit);
  EXPECT_NE(choose(size), nullptr);
}

TEST_F(ChunksThatAreToDrain, AreLeftAloneByWhatCanWait) {
  make(26);
  driven.limits.is_patient = true;
  EXPECT_EQ(choose(size), nullptr);
}

TEST_F(ChunksThatAreToDrain, GetNoMoreBlocksThanTheyMayHave) {
  make(26);
  driven.limits.most_blocks = 86 + 1;
  EXPECT_NE(choose(size), nullptr);
  --driven.limits.most_blocks;
  EXPECT_EQ(choose(size), nullptr);
}

/// 3 % of what the pool has.
TEST(AChunkThatIsToDrain, ServesNoneWhereItHasMoreFreeThanThoseThatRequestsShare) {
  for (const std::size_t chunks : {16U, 17U}) {
    Driven driven;
    std::vector<Block*> blocks;
    for (std::size_t i = 0; i < chunks; ++i) {
      blocks.push_back(driven.take_new(4224 * unit, 16 * unit));
      while (driven.strategy.free_bytes() != 0) {
        blocks.push_back(take(driven.strategy, 16 * unit));
      }
    }
    for (std::size_t i = 0; i < blocks.size(); i += 2) {
      driven.strategy.give_back(*blocks[i], 0);
    }
    driven.limits.calls_left = CallBudget::most;
    EXPECT_EQ(driven.strategy.choose(7 * unit, driven.limits) != nullptr, chunks == 17) << chunks;
  }
}

TEST(AChunkThatIsToDrain, ServesNoneThatIsMuchSmallerThanItsBlocks) {
  for (const std::uint64_t size : {2040 * unit, 2100 * unit}) {  // 512 KiB is little in any case
    Driven driven;
    for (int i = 0; i < 17; ++i) {
      Block* const first = driven.take_new(2 * size, size);
      take(driven.strategy, size);
      driven.strategy.give_back(*first, 0);
    }
    driven.limits.calls_left = CallBudget::most;
    EXPECT_EQ(driven.strategy.choose(7 * unit, driven.limits) != nullptr, size == 2040 * unit) << size;
  }
}

}  // namespace
}  // namespace clpool::core
