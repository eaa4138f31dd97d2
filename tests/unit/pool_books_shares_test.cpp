// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Books by themselves: the share that each thread has of what may be held back, and what it leaves to the others.
#include <algorithm>

#include "pool_books.hpp"

namespace clpool::core {
namespace {

/// Requests of two threads.
class PoolBooksOfThreads : public PoolBooksAtTheirLimits {
 protected:
  /// The first has its share held back, the other more; so much is free. A request of the first, which is to wait.
  void wait_for(Request& request, std::size_t size, std::size_t free) {
    begin_books();
    books->hold_back(list, serve_for(2, 40 * mib), 1);
    books->hold_back(list, serve_for(1, 32 * mib), 1);
    books->free(serve_for(2, free), 0);
    request = request_of(1);
    ASSERT_EQ(books->begin(size, request), Status::success);
    const Step step = run_to(request, Kind::settle);
    EXPECT_EQ(step.needed, size);
    request.settled_ns = step.amount;
  }
  void TearDown() override {
    books->free_completed(list, 1, 0);
    EXPECT_EQ(books->pending_bytes(), 0U);
  }

  HeldBack list;
};

/// Each thread has its stream, mostly: who has less than its share waits for no other's.
TEST_F(PoolBooksOfThreads, ThreadsShareWhatMayBeHeldBack) {
  begin_books();
  books->hold_back(list, serve_for(1, 60 * mib), 1);
  EXPECT_FALSE(settles_for(2, 200 * mib)) << "it has nothing to wait for";
  books->hold_back(list, serve_for(2, 20 * mib), 1);
  EXPECT_FALSE(settles_for(2, 12 * mib));
  EXPECT_TRUE(settles_for(2, 12 * mib + 1));
  EXPECT_TRUE(settles_for(1, mib));
  books->hold_back(list, serve_for(3, mib), 1);
  EXPECT_FALSE(settles_for(2, mib));
  EXPECT_TRUE(settles_for(2, 2 * mib)) << "of a third";
}

TEST_F(PoolBooksOfThreads, AThreadThatHasNoneWaitsWhereTwiceTheSlackIsHeldBack) {
  begin_books();
  books->hold_back(list, serve_for(1, 127 * mib), 1);
  EXPECT_FALSE(settles_for(2, 100 * mib));
  books->hold_back(list, serve_for(1, mib), 1);
  EXPECT_TRUE(settles_for(2, 120 * mib));
  EXPECT_FALSE(settles_for(2, mib)) << "less than its share";
}

TEST_F(PoolBooksOfThreads, WhereThereIsNoRoomThreadsHaveNoShares) {
  options.strategy = StrategyKind::coalescing;
  options.max_bytes = 100 * mib;
  begin_books();
  PoolBlock& large = serve_for(1, 40 * mib);
  books->hold_back(list, serve_for(1, 60 * mib), 1);
  books->free(large, 0);
  world.longer = 90'000'000;
  Request request = request_of(2);
  ASSERT_EQ(books->begin(4096, request), Status::success);
  EXPECT_EQ(run_to(request, Kind::settle).amount, 100'000'000u) << "as it cannot grow";
  expect_served(request);
}

/// 256 MiB came free of another's.
TEST_F(PoolBooksOfThreads, WhatStandsStillCountsForNoOtherThread) {
  begin_books();
  HeldBack stands;
  HeldBack other;
  books->hold_back(stands, serve_for(1, 200 * mib), 1);
  for (int i = 0; i < 4; ++i) {
    books->hold_back(other, serve_for(2, 64 * mib), 1);
    books->hold_back(other, serve_for(3, mib), 1);
    EXPECT_EQ(settles_for(3, 40 * mib), true);
    EXPECT_TRUE(books->free_completed(other, 1, 0));
  }
  books->hold_back(other, serve_for(3, mib), 1);
  EXPECT_FALSE(settles_for(3, 40 * mib));
  EXPECT_TRUE(settles_for(1, 40 * mib)) << "it counts for itself";
  EXPECT_TRUE(books->free_completed(stands, 1, 0));
  EXPECT_TRUE(books->free_completed(other, 1, 0));
}

TEST_F(PoolBooksOfThreads, AThreadAtRestHasNoShare) {
  begin_books();
  HeldBack other;
  books->hold_back(other, serve_for(2, 40 * mib), 1);
  EXPECT_TRUE(books->free_completed(other, 1, 0));
  for (int i = 0; i < 7; ++i) {
    books->hold_back(other, serve_for(1, 64 * mib), 1);
    EXPECT_TRUE(books->free_completed(other, 1, 0));
  }
  books->hold_back(list, serve_for(1, 52 * mib), 1);
  books->hold_back(other, serve_for(3, 8 * mib), 1);
  EXPECT_TRUE(settles_for(3, 16 * mib)) << "the last of its blocks came free not long ago";
  books->hold_back(list, serve_for(1, 4 * mib), 1);
  EXPECT_FALSE(settles_for(3, 16 * mib));
  EXPECT_TRUE(books->free_completed(other, 1, 0));
}

/// As it would else take what those need that have less, and they took more memory.
TEST_F(PoolBooksOfThreads, AThreadThatHasItsShareLeavesWhatIsFreeToTheOthers) {
  begin_books();
  HeldBack other;
  books->hold_back(other, serve_for(2, 8 * mib), 1);
  books->hold_back(list, serve_for(1, 30 * mib), 1);
  books->hold_back(list, serve_for(1, 30 * mib), 1);
  PoolBlock& left = serve_for(2, 4 * mib);
  books->free(left, 0);
  Request request = request_of(1);
  ASSERT_EQ(books->begin(4 * mib, request), Status::success);
  EXPECT_EQ(run_to(request, Kind::settle).needed, 4 * mib);
  EXPECT_FALSE(books->may_serve(request));
  books->account_of(request).note_free(8 * mib - 1, books->slack(), 0);
  EXPECT_FALSE(books->may_serve(request)) << "it has more than its share";
  books->account_of(request).note_free(1, books->slack(), 0);
  EXPECT_TRUE(books->may_serve(request)) << "twice as much of its own came free";
  books->free(*serve(mib), 0);  // something came free
  expect_served(request);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), allocate_step(4 * mib)), 0);
  EXPECT_FALSE(settles_for(2, 4 * mib)) << "what is free is for who has less";
  EXPECT_EQ(std::count(steps.begin(), steps.end(), allocate_step(4 * mib)), 0);
  EXPECT_TRUE(books->free_completed(other, 1, 0));
}

TEST_F(PoolBooksOfThreads, AThreadThatHasJustItsShareTakesAsMuchAsCameFree) {
  Request request;
  wait_for(request, 4 * mib, 4 * mib);
  books->account_of(request).note_free(4 * mib, books->slack(), 0);
  EXPECT_TRUE(books->may_serve(request));
  expect_served(request);
}

TEST_F(PoolBooksOfThreads, WhereMuchIsFreeAThreadTakesMoreThanItsShare) {
  begin_books();
  books->hold_back(list, serve_for(2, 40 * mib), 1);
  books->hold_back(list, serve_for(1, 32 * mib), 1);
  PoolBlock& fits = serve_for(2, 4 * mib);
  PoolBlock& much = serve_for(2, books->slack() + 3 * mib);
  PoolBlock& rest = serve_for(2, mib);
  books->free(fits, 0);
  books->free(much, 0);
  EXPECT_TRUE(settles_for(1, 4 * mib));
  books->free(rest, 0);
  EXPECT_FALSE(settles_for(1, 4 * mib)) << "the slack and a block of that size for each";
}

/// It has waited for its own.
TEST_F(PoolBooksOfThreads, WhatAThreadLeftToOthersItTakesBeforeThePoolGrows) {
  Request request;
  wait_for(request, 4 * mib, 4 * mib);
  expect_served(request);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), allocate_step(4 * mib)), 0);
}

}  // namespace
}  // namespace clpool::core
