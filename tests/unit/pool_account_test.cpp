// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Account by itself: what is awaited, when its thread is at rest, and when its stream stands still.
#include <gtest/gtest.h>

#include "pool/books/account.hpp"

namespace clpool::core {
namespace {

constexpr std::uint64_t slack = 1000;
constexpr std::uint64_t ms = 1'000'000;

TEST(Account, AwaitsWhatIsHeldBackUntilFourTimesTheSlackHasComeFreeSince) {
  Account account;
  const std::uint32_t first = account.add(300, 300, 0);
  account.note_free(slack, slack, 0);
  const std::uint32_t second = account.add(20, 320, 0);
  EXPECT_NE(first, 0u);
  EXPECT_EQ(account.awaited(), 320u);
  account.note_free(2 * slack - 1, slack, 0);
  account.note_free(1, slack, 0);
  account.note_free(slack - 1, slack, 0);
  EXPECT_EQ(account.awaited(), 320u);
  account.note_free(1, slack, 0);
  EXPECT_EQ(account.awaited(), 320u) << "each time counts once, however much came free";
  account.note_free(slack, slack, 0);
  EXPECT_EQ(account.awaited(), 20u);
  account.remove(first, 300);
  EXPECT_EQ(account.awaited(), 20u);
  account.remove(second, 20);
  EXPECT_EQ(account.awaited(), 0u);
}

TEST(Account, IsAtRestWhenEightTimesTheSlackWasHeldBackOfOthersSince) {
  Account account;
  EXPECT_FALSE(account.is_active(0, slack)) << "it never had any";
  account.remove(account.add(10, 500, 0), 10);
  EXPECT_TRUE(account.is_active(500 + 8 * slack - 1, slack));
  EXPECT_FALSE(account.is_active(500 + 8 * slack, slack));
  const std::uint32_t large = account.add(5 * slack, 6000, 0);
  EXPECT_TRUE(account.is_active(1'000'000, slack)) << "it has some";
  account.remove(large, 5 * slack);
  EXPECT_TRUE(account.is_active(6000 + 40 * slack - 1, slack))
      << "eight times a block that has more than the slack";
  EXPECT_FALSE(account.is_active(6000 + 40 * slack, slack));
}

TEST(Account, StandsStillWhereFourTimesTheSlackCameFreeOfOthersSinceAnyOfIts) {
  Account account;
  EXPECT_FALSE(account.stands_still(1'000'000, slack)) << "it has none";
  const std::uint32_t first = account.add(10, 10, 500);
  account.add(10, 20, 3000);
  EXPECT_FALSE(account.stands_still(500 + 4 * slack - 1, slack));
  EXPECT_TRUE(account.stands_still(500 + 4 * slack, slack));
  account.remove(first, 10);
  account.note_free(10, slack, 5000);
  EXPECT_FALSE(account.stands_still(5000 + 4 * slack - 1, slack));
  EXPECT_TRUE(account.stands_still(5000 + 4 * slack, slack));
}

TEST(Account, StandsStillAfterATenthOfASecondOfWaitsInVain) {
  Account account;
  account.add(100, 100, 0);
  EXPECT_FALSE(account.note_vain_wait(60 * ms, 0, 50, 0));
  EXPECT_EQ(account.tolerated(), 100u);
  account.note_free(49, slack, 0);
  EXPECT_EQ(account.tolerated(), 100u) << "as less came free than was needed";
  account.note_free(1, slack, 0);
  EXPECT_EQ(account.tolerated(), 0u);
  EXPECT_FALSE(account.note_vain_wait(60 * ms, 50, 50, 0)) << "it got on meanwhile";
  EXPECT_TRUE(account.note_vain_wait(40 * ms, 50, 50, 700));
  EXPECT_EQ(account.freed_at_first(), 0u) << "of these waits";
  account.pause().begin(ms, 0);
  EXPECT_TRUE(account.pause().is_on(1));
  account.note_free(50, slack, 0);
  EXPECT_FALSE(account.pause().is_on(1));
}

}  // namespace
}  // namespace clpool::core
