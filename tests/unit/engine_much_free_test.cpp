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

/// A chunk that is full, of blocks of 10 granules, and as many as one likes of which come free.
struct AChunkThatIsToDrain : testing::Test {
  AChunkThatIsToDrain() {
    blocks.push_back(driven.take_new(100'000 * unit, size));
    while (driven.strategy.free_bytes() != 0) {
      blocks.push_back(take(driven.strategy, size));
    }
    driven.limits.calls_left = CallBudget::most;
  }
  void TearDown() override { EXPECT_STREQ(driven.strategy.check(), nullptr); }

  /// Every second one, of as many as it takes.
  void free_bytes(std::uint64_t bytes) {
    for (std::size_t i = 0; driven.strategy.free_bytes() < bytes; i += 2) {
      driven.strategy.give_back(*blocks.at(i), 0);
    }
    ASSERT_EQ(driven.strategy.free_bytes(), bytes);
  }
  const Block* choose(std::uint64_t bytes) const { return driven.strategy.choose(bytes, driven.limits); }

  static constexpr std::uint64_t size = 10 * unit;
  static constexpr std::uint64_t a_lot = 35'010 * unit;
  Driven driven;
  std::vector<Block*> blocks;
};

TEST_F(AChunkThatIsToDrain, ServesRequestsBeforeThePoolTakesMoreThanEver) {
  free_bytes(a_lot);
  EXPECT_NE(choose(unit), nullptr);
}

TEST_F(AChunkThatIsToDrain, IsLeftAloneWhereLessIsFree) {
  free_bytes(a_lot - size);
  EXPECT_EQ(choose(unit), nullptr);
}

TEST_F(AChunkThatIsToDrain, IsLeftAloneWhereThePoolHadMoreBefore) {
  free_bytes(a_lot);
  driven.limits.peak_managed_bytes += unit;
  EXPECT_EQ(choose(unit), nullptr);
  EXPECT_NE(choose(2 * unit), nullptr);
}

TEST_F(AChunkThatIsToDrain, IsLeftAloneWhereAnotherCanGoInstead) {
  Block* const other = driven.take_new(10'000 * unit, 9'000 * unit);
  driven.strategy.give_back(*other, 0);
  driven.limits.calls_left = CallBudget::most;
  free_bytes(a_lot + 20'000 * unit);
  EXPECT_EQ(choose(unit), nullptr);
  driven.strategy.remove_chunk(*other->chunk);
  driven.limits.peak_managed_bytes = driven.strategy.managed_bytes();
  EXPECT_NE(choose(unit), nullptr);
}

TEST_F(AChunkThatIsToDrain, IsLeftAloneByWhatCanWait) {
  free_bytes(a_lot);
  driven.limits.is_patient = true;
  EXPECT_EQ(choose(unit), nullptr);
}

TEST_F(AChunkThatIsToDrain, TakesNoMoreThanSoManyBlocks) {
  free_bytes(a_lot);
  driven.limits.most_blocks = blocks.front()->chunk->blocks + 1;
  const Block* const hole = choose(unit);
  ASSERT_NE(hole, nullptr);
  driven.strategy.take(*driven.strategy.choose(unit, driven.limits), unit);
  driven.limits.calls_left = CallBudget::most;
  EXPECT_EQ(choose(unit), nullptr);
}

TEST(AChunkThatIsToDrainOfLargeBlocks, TakesNothingSmallBesideThem) {
  Driven driven;
  constexpr std::uint64_t large = 10'000 * unit;
  std::vector<Block*> blocks{driven.take_new(10 * large, large)};
  while (driven.strategy.free_bytes() != 0) {
    blocks.push_back(take(driven.strategy, large));
  }
  for (std::size_t i = 0; i < blocks.size(); i += 2) {
    driven.strategy.give_back(*blocks[i], 0);
  }
  driven.limits.calls_left = CallBudget::most;
  EXPECT_EQ(driven.strategy.choose(large / 16 - unit, driven.limits), nullptr);
  EXPECT_NE(driven.strategy.choose(large / 16, driven.limits), nullptr);
}

}  // namespace
}  // namespace clpool::core
