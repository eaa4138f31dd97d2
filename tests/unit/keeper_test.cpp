// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Keeper: what pools keep of blocks with handles, and when they grow rather than take that back.
#include "pool/keeper.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace clpool::core {
namespace {

TEST(Keeper, MayGrowUpToWhatItKeepsBeyondWhatWasEverNeeded) {
  EXPECT_TRUE(Keeper::may_grow(0, 0, 2000));
  EXPECT_TRUE(Keeper::may_grow(12'000, 10'000, 2000));
  EXPECT_FALSE(Keeper::may_grow(12'001, 10'000, 2000));
  EXPECT_TRUE(Keeper::may_grow(9000, 10'000, 0)) << "some was given back";
}

TEST(Keeper, MayGrowByASixteenthOfALargePool) {
  EXPECT_TRUE(Keeper::may_grow(160'000, 150'000, 2000));
  EXPECT_FALSE(Keeper::may_grow(160'000, 149'999, 2000));
}

TEST(Keeper, GrowsEachTimeWhereNothingGoesBack) {
  Keeper keeper;
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(keeper.grows(7));
  }
}

/// A program that makes a pool grow for small blocks and then give back a chunk for a large one, again and again.
TEST(Keeper, GrowsEverMoreRarelyWhereChunksGoBackAfterThat) {
  Keeper keeper;
  std::uint64_t released = 0;
  int grown = 0;
  for (int i = 0; i < 10'000; ++i) {
    if (keeper.grows(released)) {
      ++grown;
      ++released;
    }
  }
  EXPECT_GE(grown, 15) << "it tries again";
  EXPECT_LE(grown, 25);
}

TEST(Keeper, GrowsAsOftenAgainOnceThatIsOver) {
  Keeper keeper;
  std::uint64_t released = 0;
  for (int i = 0; i < 100; ++i) {
    released += keeper.grows(released) ? 1 : 0;
  }
  int grown = 0;
  for (int i = 0; i < 1000; ++i) {
    grown += keeper.grows(released) ? 1 : 0;
  }
  EXPECT_GE(grown, 900);
  for (int i = 0; i < 3 && !keeper.grows(released + 1); ++i) {
  }
  EXPECT_TRUE(keeper.grows(released + 1)) << "what was long ago does not count";
}

TEST(Keeper, SharesWithOthers) {
  constexpr std::uint64_t most = std::uint64_t{2} << 20;
  Keeper keeper;
  EXPECT_EQ(keeper.share(), 0U);
  keeper.begin(most);
  EXPECT_EQ(keeper.share(), most);
  {
    std::vector<std::unique_ptr<Keeper>> others;
    for (int i = 0; i < 63; ++i) {
      others.push_back(std::make_unique<Keeper>());
      others.back()->begin(most);
    }
    EXPECT_EQ(keeper.share(), most / 2);
    others.front()->end();
    EXPECT_EQ(others.front()->share(), 0U);
  }
  EXPECT_EQ(keeper.share(), most);
}

}  // namespace
}  // namespace clpool::core
