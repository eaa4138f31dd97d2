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

  void run(std::uint64_t milliseconds) {
    for (const std::uint64_t end = now + milliseconds * ms; now < end;) {
      const std::uint64_t start = now;
      now += 5 * ms;
      came_free += 5 * rate * std::min(static_cast<double>(slack.times()), most);
      const auto took = static_cast<std::uint64_t>(waited * 5 * ms);
      slack.note_wait(start + (5 * ms - took), now, static_cast<std::uint64_t>(came_free));
      highest = std::max(highest, slack.times());
    }
  }
};

TEST(WaitedSlack, IsWhatTheDeviceNeedsInFlight) {
  for (const double most : {2.0, 4.0, 16.0}) {
    Device device(most);
    device.run(2000);
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

TEST(WaitedSlack, GoesBackWhereLessDoes) {
  Device device(8);
  device.run(2000);
  ASSERT_EQ(device.slack.times(), 8u);
  device.most = 1;
  device.run(10'000);
  EXPECT_EQ(device.slack.times(), 1u);
}

TEST(WaitedSlack, HasAnEnd) {
  Device device(1000);
  device.run(60'000);
  EXPECT_EQ(device.highest, 64u);
}

TEST(WaitedSlack, IsNotTriedWhereRequestsHardlyWait) {
  Device device(8);
  device.waited = 0.3;
  device.run(60'000);
  EXPECT_EQ(device.highest, 1u);
}

TEST(WaitedSlack, StaysAsItIsWhereNobodyWaitsAnyMore) {
  Device device(8);
  device.run(130);
  ASSERT_EQ(device.slack.times(), 2u) << "it is tried";
  device.now += 1000 * ms;  // in which it was enough
  device.run(5);
  EXPECT_EQ(device.slack.times(), 2u);
  device.slack.reset();
  EXPECT_EQ(device.slack.times(), 1u);
}

}  // namespace
