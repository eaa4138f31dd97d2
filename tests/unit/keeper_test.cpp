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

/// A keeper whose pool exchanges so many chunks in 4,096 requests as it keeps all, or less.
class KeeperOfExchanges : public testing::Test {
 protected:
  static constexpr std::uint64_t most = std::uint64_t{2} << 20;
  KeeperOfExchanges() { keeper.begin(most); }
  /// In how many of `windows` it kept all.
  int windows_with_all(int windows, std::uint64_t with_all, std::uint64_t with_less) {
    int result = 0;
    for (int i = 0; i < windows; ++i) {
      const bool keeps_all = keeper.share() == most;
      EXPECT_TRUE(keeps_all || keeper.share() == most / 32);
      result += keeps_all ? 1 : 0;
      exchanged += keeps_all ? with_all : with_less;
      keeper.note_exchanged(exchanged);
      requests += 4096;
      keeper.note_time(requests);
    }
    return result;
  }
  Keeper keeper;
  std::uint64_t requests = 0;
  std::uint64_t exchanged = 0;
};

TEST_F(KeeperOfExchanges, KeepsLessWhereTheyAreHalfAsManyThen) {
  EXPECT_LE(windows_with_all(100, 40, 20), 10);
  EXPECT_LE(windows_with_all(1000, 40, 20), 35) << "and tries ever more rarely whether it still has to";
}

TEST_F(KeeperOfExchanges, KeepsAllWhereTheyAreNotHalfAsManyThen) {
  EXPECT_GE(windows_with_all(100, 40, 21), 90);
  EXPECT_GE(windows_with_all(1000, 40, 21), 965);
}

TEST_F(KeeperOfExchanges, KeepsAllWhereTheyAreFew) {
  EXPECT_EQ(windows_with_all(100, 7, 0), 100);
  requests += 40'960;
  exchanged += 79;  // in ten windows together
  keeper.note_exchanged(exchanged);
  keeper.note_time(requests);
  EXPECT_EQ(windows_with_all(1, 100, 0), 1);
  EXPECT_EQ(windows_with_all(100, 7, 0), 100);
}

TEST_F(KeeperOfExchanges, KeepsAllWhereAPoolBegins) {
  EXPECT_EQ(windows_with_all(1, 100, 0), 1);
  EXPECT_EQ(windows_with_all(100, 0, 0), 100);
}

TEST_F(KeeperOfExchanges, KeepsAllAgainOnceTheyAreOver) {
  EXPECT_LE(windows_with_all(1000, 40, 0), 40);
  windows_with_all(64, 0, 0);
  EXPECT_EQ(windows_with_all(1000, 0, 0), 1000);
  EXPECT_EQ(windows_with_all(2, 40, 0), 2);
  EXPECT_EQ(windows_with_all(17, 40, 0), 0) << "for as long as at first";
  EXPECT_GT(windows_with_all(1, 40, 0), 0);
}

/// Of what it keeps less, in which it gives up the rest.
TEST_F(KeeperOfExchanges, DoesNotCountTheFirstWindow) {
  EXPECT_EQ(windows_with_all(2, 40, 0), 2);
  EXPECT_EQ(windows_with_all(1, 0, 100), 0);
  EXPECT_EQ(windows_with_all(10, 0, 0), 0);
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
