// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Before a pool takes more than it ever had, wholly free chunks go back, but none for a request that next to nothing would do for:
// programs that come to the same requests again and again would have the two change places each time.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engine_driven.hpp"

namespace clpool::core {
namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;

/// Two large blocks, and when they have gone others.
struct Rounds : testing::Test {
  static constexpr std::uint64_t large = 64 * mib;
  static constexpr std::uint64_t most_beyond = 2 * large / 100;

  void TearDown() override { EXPECT_STREQ(driven.strategy.check(), nullptr); }
  void allocate_and_release_large() {
    Block* const one = driven.allocate(large);
    Block* const other = driven.allocate(large);
    driven.release(one);
    driven.release(other);
    driven.budget = {};
  }
  std::uint64_t beyond_peak() const { return driven.limits.peak_managed_bytes - 2 * large; }

  Driven driven;
};

class RoundsWith : public Rounds, public testing::WithParamInterface<std::uint64_t> {};

TEST_P(RoundsWith, ASmallBlockMakeTheirChunksOnce) {
  for (int i = 0; i < 20; ++i) {
    allocate_and_release_large();
    driven.release(driven.allocate(GetParam()));
  }
  EXPECT_EQ(driven.driver_calls, 3u);
  EXPECT_EQ(driven.released, 0u);
  EXPECT_LE(beyond_peak(), most_beyond);
}

INSTANTIATE_TEST_SUITE_P(Of, RoundsWith, testing::Values(4 * kib, 100 * kib, 1 * mib),
                         [](const auto& tested) { return std::to_string(tested.param / kib) + "KiB"; });

TEST_F(Rounds, TakeAsLittleMoreThanTheyHadAsTheyCan) {
  allocate_and_release_large();
  driven.allocate(100 * kib);
  EXPECT_EQ(driven.released, 0u);
  EXPECT_LE(beyond_peak(), 2 * large * 4 / 1000);
  EXPECT_EQ(beyond_peak() % (100 * kib), 0u);
}

TEST_F(Rounds, TakeAHundredthMoreInAll) {
  allocate_and_release_large();
  for (int i = 0; i < 20; ++i) {
    driven.allocate(300 * kib);  // stays
  }
  EXPECT_GT(driven.released, 0u);
  EXPECT_LE(beyond_peak(), most_beyond);
}

TEST_F(Rounds, StayBelowThePeakWhereTheRequestHasRoomThere) {
  allocate_and_release_large();
  driven.limits.peak_managed_bytes += 3 * mib / 2;
  driven.allocate(1 * mib);
  EXPECT_EQ(driven.released, 0u);
  EXPECT_EQ(driven.strategy.managed_bytes(), 2 * large + 3 * mib / 2);
}

TEST_F(Rounds, TakeNoMoreThanTheyHadWhereALimitLeavesLittleRoom) {
  allocate_and_release_large();
  driven.limits.room = 2 * large / 32;
  driven.allocate(1200 * kib);
  EXPECT_EQ(driven.released, 1u);
}

TEST_F(Rounds, OfManyBlocksGiveAChunkBackForAPartThatIsNotNextToNothing) {
  std::vector<Block*> blocks;
  for (int i = 0; i < 16; ++i) {
    blocks.push_back(driven.allocate(8 * mib));
  }
  for (Block* block : blocks) {
    driven.release(block);
  }
  driven.budget = {};
  driven.allocate(300 * kib);
  EXPECT_EQ(driven.released, 0u);
  driven.allocate(8 * mib / 24 + 20 * kib);
  EXPECT_EQ(driven.released, 1u);
}

TEST(ChunksOfAtLeastSoMuch, AreNotSmallerToSpareOthers) {
  Driven driven(600 * kib);
  Block* const one = driven.allocate(64 * mib);
  Block* const other = driven.allocate(64 * mib);
  driven.release(one);
  driven.release(other);
  EXPECT_GE(driven.allocate(4 * kib)->chunk->size, 600 * kib);
  EXPECT_EQ(driven.released, 0u);
}

}  // namespace
}  // namespace clpool::core
