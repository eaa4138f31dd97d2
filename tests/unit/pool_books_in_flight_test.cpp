// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Books by themselves: more large blocks in flight, where that is tried or has made the device faster.
#include <vector>

#include "pool_books.hpp"

namespace clpool::core {
namespace {

/// It is one more block of the request's size that is tried, where these are larger than the slack.
TEST_F(PoolBooksAtTheirLimits, ADeviceThatGetsMoreDoneWithMoreInFlightMayHaveMoreLargeBlocks) {
  begin_books();
  HeldBack list;
  books->hold_back(list, *serve(100 * mib), 1);
  EXPECT_TRUE(settles(100 * mib));
  more_in_flight();
  EXPECT_FALSE(settles(100 * mib));
  EXPECT_TRUE(settles(99 * mib)) << "it is more than two of these";
  books->hold_back(list, *serve(2 * mib), 1);
  EXPECT_TRUE(settles(101 * mib));
  EXPECT_TRUE(books->free_completed(list, 1, 0));
}

TEST_F(PoolBooksAtTheirLimits, WhatSmallBlocksShowIsNotForLargeOnes) {
  begin_books();
  HeldBack list;
  more_in_flight(70 * mib);
  books->hold_back(list, *serve(70 * mib), 1);
  EXPECT_FALSE(settles(70 * mib));
  EXPECT_TRUE(settles(110 * mib));
  EXPECT_TRUE(books->free_completed(list, 1, 0));
}

/// Larger ones take the device so long that little is gained.
TEST_F(PoolBooksAtTheirLimits, NoMoreIsTriedThanBlocksOfHalfAGibibyte) {
  begin_books();
  HeldBack list;
  more_in_flight();
  books->hold_back(list, *serve(500 * mib), 1);
  EXPECT_FALSE(settles(520 * mib));
  EXPECT_TRUE(settles(526 * mib));
  EXPECT_TRUE(books->free_completed(list, 1, 0));
}

TEST_F(PoolBooksOfThreads, ATryIsForMoreLargeBlocksWhereAThreadHasNoOthersBeside) {
  begin_books();
  more_in_flight();
  books->hold_back(list, serve_for(1, 100 * mib), 1);
  EXPECT_FALSE(settles_for(1, 100 * mib));
  books->hold_back(list, serve_for(2, mib), 1);
  EXPECT_TRUE(settles_for(1, 102 * mib));
}

/// A thread that takes over has nothing of its own to wait for: each would get one block more.
TEST_F(PoolBooksOfThreads, ATryIsNotForThreadsThatTakeTurns) {
  begin_books();
  more_in_flight();
  books->hold_back(list, serve_for(1, 300 * mib), 1);
  EXPECT_TRUE(settles_for(2, 300 * mib));
  EXPECT_FALSE(settles_for(1, 310 * mib));
}

/// As the others' steps would be fewer as well, and not more again afterwards.
TEST_F(PoolBooksOfThreads, WhatIsFreeIsLeftToSeeWhatLessBringsWhereAThreadHasNoOthersBeside) {
  begin_books();
  std::vector<PoolBlock*> blocks;
  for (int i = 0; i < 6; ++i) {
    blocks.push_back(&serve_for(1, 20 * mib));
  }
  for (PoolBlock* const block : blocks) {
    books->free(*block, 0);
  }
  books->hold_back(list, serve_for(1, 66 * mib), 1);
  EXPECT_FALSE(settles_for(1, 20 * mib));
  go_back_from_a_try();
  EXPECT_TRUE(settles_for(1, 20 * mib));
  books->hold_back(list, serve_for(2, mib), 1);
  EXPECT_FALSE(settles_for(1, 20 * mib));
}

}  // namespace
}  // namespace clpool::core
