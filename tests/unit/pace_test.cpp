// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pace: what a device brings, and how long that is waited for.
#include "pool/pace.hpp"

#include <gtest/gtest.h>

namespace clpool::core {
namespace {

constexpr std::uint64_t pace_ms = 1'000'000;
constexpr std::uint64_t pace_start = 5000 * pace_ms;

TEST(Pace, IsUnknownAtFirst) {
  const Pace pace;
  EXPECT_FALSE(pace.brings(1, pace_start, 0));
  EXPECT_EQ(pace.patience_ns(), 100 * pace_ms);
}

TEST(Pace, IsThatOfTheLastTenthOfASecondOrOfThisOne) {
  Pace pace;
  pace.note(pace_start, 1000);
  EXPECT_FALSE(pace.brings(1, pace_start, 1000));
  EXPECT_TRUE(pace.brings(200, pace_start + 50 * pace_ms, 1200));
  EXPECT_FALSE(pace.brings(201, pace_start + 50 * pace_ms, 1200));
  pace.note(pace_start + 99 * pace_ms, 1200);  // too soon
  pace.note(pace_start + 100 * pace_ms, 1500);
  EXPECT_TRUE(pace.brings(500, pace_start + 100 * pace_ms, 1500));
  EXPECT_FALSE(pace.brings(501, pace_start + 100 * pace_ms, 1500));
  EXPECT_EQ(pace.patience_ns(), 100 * pace_ms);
  pace.note(pace_start + 200 * pace_ms, 1501);
  EXPECT_FALSE(pace.brings(2, pace_start + 200 * pace_ms, 1501)) << "it has become slow";
}

TEST(Pace, OfLongStepsIsThatOfOneStep) {
  Pace pace;
  pace.note(pace_start, 0);
  pace.note(pace_start + 110 * pace_ms, 0);
  pace.note(pace_start + 290 * pace_ms, 0);
  EXPECT_FALSE(pace.brings(1, pace_start + 290 * pace_ms, 0));
  pace.note(pace_start + 300 * pace_ms, 64);
  EXPECT_TRUE(pace.brings(64, pace_start + 300 * pace_ms, 64));
  EXPECT_EQ(pace.patience_ns(), 600 * pace_ms);
  pace.note(pace_start + 590 * pace_ms, 64);
  EXPECT_TRUE(pace.brings(64, pace_start + 590 * pace_ms, 64)) << "the next one is not due yet";
  pace.note(pace_start + 900 * pace_ms, 128);
  EXPECT_EQ(pace.patience_ns(), 1000 * pace_ms) << "a second at most";
  pace.note(pace_start + 1000 * pace_ms, 500);
  EXPECT_EQ(pace.patience_ns(), 100 * pace_ms) << "it is fast again";
}

TEST(Pace, IsAsUsualALittleBeyondATenthOfASecond) {
  Pace pace;
  pace.note(pace_start, 0);
  pace.note(pace_start + 125 * pace_ms, 64);
  EXPECT_EQ(pace.patience_ns(), 100 * pace_ms);
  pace.note(pace_start + 251 * pace_ms, 128);
  EXPECT_EQ(pace.patience_ns(), 252 * pace_ms);
  pace.note(pace_start + 1251 * pace_ms, 192);
  EXPECT_FALSE(pace.brings(1, pace_start + 1251 * pace_ms, 192)) << "a second is too long";
}

TEST(Pace, IsUnknownAfterASecondOfNothing) {
  Pace pace;
  pace.note(pace_start, 0);
  pace.note(pace_start + 100 * pace_ms, 64);
  EXPECT_TRUE(pace.brings(64, pace_start + 1099 * pace_ms, 64));
  EXPECT_FALSE(pace.brings(64, pace_start + 1100 * pace_ms, 64));
  pace.note(pace_start + 1100 * pace_ms, 64);
  EXPECT_FALSE(pace.brings(1, pace_start + 1100 * pace_ms, 64));
  EXPECT_EQ(pace.patience_ns(), 100 * pace_ms);
}

}  // namespace
}  // namespace clpool::core
