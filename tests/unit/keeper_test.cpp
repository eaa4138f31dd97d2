// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Keeper: what pools keep of blocks with handles, and when they grow rather than take that back.
#include "pool/caches/keeper.hpp"

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

class KeeperOfExchanges : public testing::Test {
 protected:
  static constexpr std::uint64_t most = std::uint64_t{2} << 20;
  static constexpr std::uint64_t window = 4096;  // requests
  KeeperOfExchanges() { keeper.begin(most); }
  void exchange(std::uint64_t chunks) {
    exchanged += chunks;
    keeper.note_exchanged(exchanged);
  }
  void serve(std::uint64_t requests) {
    served += requests;
    keeper.note_time(served);
  }
  Keeper keeper;
  std::uint64_t served = 0;
  std::uint64_t exchanged = 0;
};

TEST_F(KeeperOfExchanges, KeepsHalfAsMuchWithEachDownToAnEighth) {
  for (const std::uint64_t part : {2, 4, 8, 8}) {
    exchange(1);
    EXPECT_EQ(keeper.share(), most / part);
  }
  keeper.note_exchanged(exchanged);  // none
  serve(window);
  serve(window);
  EXPECT_EQ(keeper.share(), most / 4);
  exchange(100);
  EXPECT_EQ(keeper.share(), most / 8);
}

TEST_F(KeeperOfExchanges, KeepsTwiceAsMuchAgainWithEachWindowInWhichThereAreNone) {
  exchange(3);
  serve(window - 1);
  EXPECT_EQ(keeper.share(), most / 8);
  serve(1);
  EXPECT_EQ(keeper.share(), most / 8) << "there were some in this one";
  serve(window);
  EXPECT_EQ(keeper.share(), most / 4);
  exchange(1);
  serve(window);
  EXPECT_EQ(keeper.share(), most / 8);
  serve(2 * window);  // between two looks
  EXPECT_EQ(keeper.share(), most / 2);
  serve(10 * window);
  EXPECT_EQ(keeper.share(), most);
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
