// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// How much may be held back before requests wait: as much as makes a device that is simulated faster.
#include "pool/books/waited_slack.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using clpool::core::WaitedSlack;

constexpr std::uint64_t ms = 1'000'000;

/// A device that gets through `rate` bytes a millisecond times what is in flight, up to `most` times.
struct Device {
  explicit Device(double most_in_flight) : most(most_in_flight) {}
  double most;
  double rate = 1000;
  WaitedSlack slack;
  std::uint64_t now = ms;
  double came_free = 0;
  std::uint64_t highest = 1;
  double waited = 1;  ///< part of the time
  std::uint64_t held_back = 0;
  double block = 1;   ///< bytes
  double blocks = 0;  ///< that came free

  void run(std::uint64_t milliseconds) {
    for (const std::uint64_t end = now + milliseconds * ms; now < end;) {
      const std::uint64_t start = now;
      now += 5 * ms;
      const double gone = 5 * rate * std::min(static_cast<double>(slack.times()), most);
      came_free += gone;
      blocks += gone / block;
      const auto took = static_cast<std::uint64_t>(waited * 5 * ms);
      slack.note_wait(start + (5 * ms - took), now,
                      {static_cast<std::uint64_t>(came_free), static_cast<std::uint64_t>(blocks)}, held_back);
      highest = std::max(highest, slack.times());
    }
  }
};

TEST(WaitedSlack, IsWhatTheDeviceNeedsInFlight) {
  for (const double most : {2.0, 4.0, 8.0}) {
    Device device(most);
    device.run(30'000);
    EXPECT_EQ(device.slack.times(), static_cast<std::uint64_t>(most));
    EXPECT_EQ(device.highest, static_cast<std::uint64_t>(2 * most)) << "tried, and given up again";
  }
}

TEST(WaitedSlack, StaysOnceWhereMoreBringsNothing) {
  Device device(1.1);
  device.run(60'000);
  EXPECT_EQ(device.highest, 2u);
  std::uint64_t more = 0;
  for (int i = 0; i < 1000; ++i) {
    device.run(100);
    more += device.slack.times() != 1 ? 1 : 0;
  }
  EXPECT_LE(more, 20u) << "tried ever less often";
}

/// A device that is now slow, now fast, whatever is in flight.
TEST(WaitedSlack, StaysOnceWhereTheDeviceIsFasterForAWhile) {
  for (const std::uint64_t phase : {70, 100, 200, 300}) {
    Device device(1);
    for (int i = 0; i < 200; ++i) {
      device.rate = i % 2 == 0 ? 1000 : 2000;
      device.run(phase);
    }
    EXPECT_EQ(device.slack.times(), 1u) << phase << " ms";
  }
}

/// … for longer than all that is compared: with as much as before it is as fast.
TEST(WaitedSlack, StaysOnceWhereTheDeviceIsFasterForLong) {
  for (const std::uint64_t phase : {250, 300, 350, 400, 450, 500, 1000, 1500, 2500}) {
    Device device(1);
    for (int i = 0; i < 400; ++i) {
      device.rate = i % 2 == 0 ? 1000 : 4000;
      device.run(phase);
    }
    EXPECT_LE(device.highest, 2u) << phase << " ms";
  }
}

/// How fast the device was while requests hardly waited says nothing of how fast it is with as much in flight.
TEST(WaitedSlack, IsComparedWithTheTimesInWhichRequestsWaited) {
  Device device(8);
  device.rate = 100'000;
  device.run(250);
  device.waited = 0.3;
  device.run(150);
  device.rate = 1000;
  device.waited = 1;
  device.run(2000);
  EXPECT_GE(device.slack.times(), 2u);
}

TEST(WaitedSlack, IsTriedAgainWhereItWasSomethingElseThatMadeTheDeviceFaster) {
  Device device(1);
  device.run(550);
  ASSERT_EQ(device.slack.times(), 2u) << "it is tried";
  device.rate = 3000;
  device.run(1500);
  ASSERT_EQ(device.slack.times(), 1u) << "as fast with less";
  device.most = 4;
  device.run(10'000);
  EXPECT_EQ(device.slack.times(), 4u);
}

TEST(WaitedSlack, HasAnEnd) {
  Device device(1000);
  device.run(60'000);
  EXPECT_EQ(device.highest, 16u);
}

TEST(WaitedSlack, IsNotTriedWhereRequestsHardlyWait) {
  Device device(8);
  device.waited = 0.3;
  device.run(60'000);
  EXPECT_EQ(device.highest, 1u);
}

TEST(WaitedSlack, IsNotTriedWhereRequestsWaitForAMomentNowAndThen) {
  Device device(8);
  for (int i = 0; i < 100; ++i) {
    device.waited = 1;
    device.run(250);
    device.waited = 0.3;
    device.run(150);
  }
  EXPECT_EQ(device.highest, 1u);
}

/// What eight threads wait at the same time is no more than what one waits.
TEST(WaitedSlack, CountsTheTimeOfThreadsThatWaitTogetherOnce) {
  WaitedSlack slack;
  std::uint64_t now = ms;
  std::uint64_t highest = 1;
  for (int i = 0; i < 1000; ++i, now += 50 * ms) {
    for (int thread = 0; thread < 8; ++thread) {
      slack.note_wait(now, now + 10 * ms, {now, now}, 0);
      highest = std::max(highest, slack.times());
    }
  }
  EXPECT_EQ(highest, 1u);
}

TEST(WaitedSlack, StaysAsItIsTriedWhereNobodyHasToWaitThenAndMoreGetsDone) {
  Device device(2);
  device.run(550);
  ASSERT_EQ(device.slack.times(), 2u) << "it is tried";
  device.now += 1000 * ms;  // in which it was enough
  device.came_free += 1000 * device.rate * 2;
  device.blocks += 1000 * device.rate * 2;
  device.run(5);
  EXPECT_EQ(device.slack.times(), 1u) << "whether it is slower again";
  device.run(1000);
  EXPECT_EQ(device.slack.times(), 2u);
  device.slack.reset();
  EXPECT_EQ(device.slack.times(), 1u);
}

/// The pool has the memory of the try by then: without that the device would be as fast as in it.
TEST(WaitedSlack, IsTooMuchWhileItIsToBeSeenWhatLessBringsThoughItIsThere) {
  Device device(2);
  device.held_back = 100;
  device.run(400);
  EXPECT_FALSE(device.slack.is_too_much(1000)) << "nothing is tried yet";
  device.run(150);
  ASSERT_EQ(device.slack.times(), 2u) << "it is tried";
  EXPECT_FALSE(device.slack.is_too_much(1000));
  device.held_back = 200;
  device.run(400);
  ASSERT_EQ(device.slack.times(), 1u) << "whether it is slower again";
  EXPECT_TRUE(device.slack.is_too_much(101));
  EXPECT_FALSE(device.slack.is_too_much(100)) << "as much as there was";
  device.run(1000);
  ASSERT_EQ(device.slack.times(), 2u);
  EXPECT_FALSE(device.slack.is_too_much(1000));
}

TEST(WaitedSlack, IsTooMuchByWhatThereWasInTheTimesThatAreCompared) {
  Device device(1);
  device.held_back = 1000;
  device.run(950);  // a try in vain, and some of the windows before the next
  device.held_back = 100;
  device.most = 2;
  while (device.slack.times() == 1) {
    device.run(5);
  }
  while (device.slack.times() == 2) {
    device.run(5);
  }
  EXPECT_TRUE(device.slack.is_too_much(101));
  EXPECT_FALSE(device.slack.is_too_much(100));
}

/// It is given small blocks for a while and large ones for a while, of which it does fewer, but more bytes.
TEST(WaitedSlack, StaysOnceWhereBlocksAreNowSmallNowLarge) {
  for (std::uint64_t small = 150; small < 3000; small += 90) {
    for (std::uint64_t large = 150; large < 3000; large += 110) {
      Device device(1);
      while (device.now < 40'000 * ms) {
        device.block = 1;
        device.rate = 1000;
        device.run(small);
        device.block = 64;
        device.rate = 16'000;
        device.run(large);
      }
      ASSERT_LE(device.highest, 2u) << small << " ms, " << large << " ms";
    }
  }
}

TEST(WaitedSlack, IsForNoLargeBlocksWhereNoneCameFree) {
  Device device(1);
  device.rate = 0;
  device.run(550);
  EXPECT_EQ(device.slack.times(), 2u) << "it is tried";
  EXPECT_EQ(device.slack.largest_block(), 0u);
}

/// What small blocks have shown says nothing of how many large ones a device needs.
TEST(WaitedSlack, IsMoreForBlocksAsLargeAsThoseThatHaveShownIt) {
  Device device(4);
  device.block = 100;
  EXPECT_EQ(device.slack.largest_block(), 0u);
  device.run(550);
  ASSERT_EQ(device.slack.times(), 2u) << "it is tried";
  EXPECT_NEAR(static_cast<double>(device.slack.largest_block()), 125, 5);
  device.block = 50;
  device.run(1500);
  ASSERT_EQ(device.slack.times(), 4u) << "it is so, and tried again";
  EXPECT_NEAR(static_cast<double>(device.slack.largest_block()), 125, 5);
  device.slack.reset();
  EXPECT_EQ(device.slack.largest_block(), 0u);
}

TEST(WaitedSlack, IsAsBeforeWhereThereWasLessToDoWhileItWasTried) {
  Device device(8);
  device.run(550);
  ASSERT_EQ(device.slack.times(), 2u) << "it is tried";
  device.now += 1000 * ms;
  device.run(5);
  EXPECT_EQ(device.slack.times(), 1u);
  device.run(8000);
  EXPECT_EQ(device.slack.times(), 8u) << "it is tried again";
}

/// The device gets no more done until what is in flight has become more.
TEST(WaitedSlack, IsJudgedWhenWhatIsInFlightHasBecomeMore) {
  WaitedSlack slack;
  constexpr std::uint64_t rate = 1000;  // bytes a millisecond
  constexpr std::uint64_t held_back = 150 * rate;
  std::uint64_t now = ms;
  std::uint64_t came_free = 0;
  std::uint64_t tried_at = 0;
  for (int i = 0; i < 400; ++i, now += 5 * ms) {
    tried_at = tried_at == 0 && slack.times() == 2 ? now : tried_at;
    const bool has_filled = tried_at != 0 && now - tried_at >= 250 * ms;
    came_free += 5 * rate * (has_filled ? slack.times() : 1);
    slack.note_wait(now, now + 5 * ms, {came_free, came_free}, held_back);
    ASSERT_TRUE(tried_at == 0 || now - tried_at > 500 * ms || slack.times() >= 2)
        << (now - tried_at) / ms << " ms after it was tried";
  }
  EXPECT_GT(slack.times(), 1u);
}

}  // namespace
