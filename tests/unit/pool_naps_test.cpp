// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// How long who waits sleeps between two looks.
#include "pool/naps.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace clpool::core {
namespace {

constexpr std::uint64_t us = 1000;
constexpr std::uint64_t ms = 1000 * us;
constexpr std::uint64_t never = UINT64_MAX;

TEST(Naps, TheFirstLooksAreMadeWithoutSleep) {
  Naps naps(ms);
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_TRUE(naps.were_without_sleep());
    EXPECT_EQ(naps.count(), i);
    EXPECT_EQ(naps.next(100 * ms, never), 0u);
  }
  EXPECT_TRUE(naps.were_without_sleep());
  EXPECT_EQ(naps.next(ms, never), 20 * us);
  EXPECT_FALSE(naps.were_without_sleep());
}

/// What is waited for is seen not much later than it is there: by a quarter of what it takes, or a sleep's least.
TEST(Naps, AreAPartOfWhatWasWaited) {
  for (const std::uint64_t comes : {100 * us, 300 * us, ms, 3 * ms, 7 * ms}) {
    const std::uint64_t start = 5 * ms;
    Naps naps(start);
    std::uint64_t now = start;
    while (now < start + comes) {
      now += naps.next(now, never);
    }
    const std::uint64_t late = now - start - comes;
    EXPECT_LE(late, comes / 4 + 20 * us);
    EXPECT_LE(naps.count(), 40u) << "and without very many looks";
  }
}

TEST(Naps, AreAMillisecondAtMostAndEndWithTheWait) {
  Naps naps(ms);
  while (naps.were_without_sleep()) {
    naps.next(ms, never);
  }
  EXPECT_EQ(naps.next(5 * ms - 4, never), ms - 1);
  EXPECT_EQ(naps.next(1000 * ms, never), ms);
  EXPECT_EQ(naps.next(1000 * ms, 1000 * ms + 5 * us), 5 * us);
  EXPECT_EQ(naps.next(1000 * ms, 1000 * ms), 0u);
  EXPECT_EQ(naps.next(1000 * ms, 999 * ms), 0u);
  EXPECT_EQ(naps.next(0, never), 20 * us) << "a clock of another processor may be behind";
}

}  // namespace
}  // namespace clpool::core
