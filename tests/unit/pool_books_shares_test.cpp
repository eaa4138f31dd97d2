// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Books by themselves: the share that each thread has of what may be held back, and what it leaves to the others.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "pool_books.hpp"

namespace clpool::core {
namespace {

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

TEST_F(PoolBooksOfThreads, WhoHasNothingHeldBackOrNoRoomWaitsForTheBlocksOfOthers) {
  options.strategy = StrategyKind::coalescing;
  options.max_bytes = 200 * mib;
  begin_books();
  books->hold_back(list, serve_for(1, 128 * mib), 1);
  const auto waits_for_others = [&](std::uint32_t account, std::size_t size) {
    Request request = request_of(account);
    EXPECT_EQ(books->begin(size, request), Status::success);
    return books->waits_for_others(request);
  };
  EXPECT_FALSE(waits_for_others(1, mib));
  EXPECT_TRUE(waits_for_others(2, 60 * mib));
  EXPECT_TRUE(waits_for_others(2, 80 * mib)) << "no room";
  EXPECT_TRUE(waits_for_others(1, 80 * mib)) << "no room";
}

/// Blocks of other bins do not serve it: it takes what is free and gives that back.
TEST_F(PoolBooksOfThreads, WithoutRoomARequestOfBinsWaitsForItsOwnBlocksAlone) {
  options.max_bytes = 200 * mib;
  begin_books();
  PoolBlock& other = serve_for(1, 60 * mib);
  PoolBlock& larger = serve_for(1, 72 * mib);
  books->hold_back(list, serve_for(1, 40 * mib), 1);
  books->free(other, 0);
  books->free(larger, 0);
  Request request = request_of(2);
  ASSERT_EQ(books->begin(66 * mib, request), Status::success);
  EXPECT_FALSE(books->waits_for_others(request));
  EXPECT_TRUE(books->may_serve(request)) << "two free chunks of other sizes make room";
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

/// Of which it would else have one under way.
TEST_F(PoolBooksOfThreads, AThreadThatHasLessThanTwoOfItsBlocksHeldBackTakesAsMuchAsCameFreeToo) {
  begin_books();
  books->hold_back(list, serve_for(2, 40 * mib), 1);
  books->hold_back(list, serve_for(1, 38 * mib), 1);  // a share has 32
  books->free(serve_for(2, 20 * mib), 0);
  Request request = request_of(1);
  ASSERT_EQ(books->begin(20 * mib, request), Status::success);
  EXPECT_EQ(run_to(request, Kind::settle).needed, 20 * mib);
  books->account_of(request).note_free(20 * mib - 1, books->slack(), 0);
  EXPECT_FALSE(books->may_serve(request));
  books->account_of(request).note_free(1, books->slack(), 0);
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
  books->hold_back(list, serve_for(2, 52 * mib), 1);
  EXPECT_FALSE(settles_for(1, 4 * mib));
  books->hold_back(list, serve_for(2, 3 * mib), 1);
  EXPECT_TRUE(settles_for(1, 4 * mib)) << "not beyond twice the slack";
}

/// They would take what another one needs that comes back, and it new memory.
TEST_F(PoolBooksOfThreads, TheOnlyOneTakesWhatIsFreeUpToTwiceTheSlackWhereThereWereOthers) {
  begin_books();
  HeldBack own;
  const auto fill = [&] {
    PoolBlock& block = serve_for(1, 24 * mib);
    books->hold_back(own, serve_for(1, 100 * mib), 1);
    books->free(block, 0);
  };
  fill();
  EXPECT_FALSE(settles_for(1, 24 * mib)) << "there were none";
  PoolBlock& more = serve_for(1, 30 * mib);
  books->free(more, 0);
  EXPECT_FALSE(settles_for(1, 30 * mib)) << "nor is there a bound";
  EXPECT_TRUE(books->free_completed(own, 1, 0));
  HeldBack other;
  books->hold_back(other, serve_for(2, mib), 1);
  EXPECT_TRUE(books->free_completed(other, 1, 0));
  for (int i = 0; i < 9; ++i) {  // it is at rest
    PoolBlock& block = serve_for(1, 64 * mib);
    books->hold_back(list, block, 1);
    EXPECT_TRUE(books->free_completed(list, 1, 0));
  }
  fill();
  EXPECT_FALSE(settles_for(1, 24 * mib));
  EXPECT_TRUE(settles_for(1, 30 * mib));
  PoolBlock& large = serve_for(1, 90 * mib);
  books->free(large, 0);
  EXPECT_TRUE(settles_for(1, 90 * mib));
  books->hold_back(list, serve_for(1, 110 * mib), 1);
  EXPECT_TRUE(books->free_completed(list, 1, 0));
  EXPECT_FALSE(settles_for(1, 110 * mib)) << "a second one of that size";
  EXPECT_TRUE(books->free_completed(own, 1, 0));
}

/// A chunk that others may wait for is not cut up, but neither is it exchanged for another one again and again.
TEST_F(PoolBooksOfThreads, WhereOthersMayWaitTheCallBudgetIsKeptTo) {
  options.strategy = StrategyKind::coalescing;
  begin_books();
  std::vector<PoolBlock*> used;
  for (int i = 0; i < 120; ++i) {
    used.push_back(&serve_for(3, 8 * mib));  // more calls than there are
  }
  books->hold_back(list, serve_for(1, 2 * books->slack()), 1);
  int made = 0;
  for (int i = 0; i < 1000; ++i) {
    ++world.served;
    books->free(serve_for(2, mib), 0);
    made += static_cast<int>(std::count_if(
        steps.begin(), steps.end(), [](const std::string& step) { return step.starts_with("allocate"); }));
  }
  EXPECT_LE(made, 20);
  for (PoolBlock* const block : used) {
    books->free(*block, 0);
  }
}

/// Threads with streams that complete a block whenever somebody waits.
class PoolBooksOfStreams : public PoolBooksOfThreads {
 protected:
  /// One more block for the thread's stream.
  void give_step(std::uint32_t account, std::size_t size) {
    Request request = request_of(account);
    ASSERT_EQ(books->begin(size, request), Status::success);
    books->note_beginning(request);
    Step step = books->next(request);
    for (; step.kind == Kind::settle ? complete_one(request, step) : perform(request, step);
         step = books->next(request)) {
    }
    request.block->account = static_cast<std::uint16_t>(account);
    books->hold_back(streams[account], *request.block, ++last);
  }
  /// Of each stream.
  bool complete_one(Request& request, const Step& step) {
    for (HeldBack& stream : streams) {
      complete(stream);
    }
    request.settled_ns += std::min<std::uint64_t>(step.amount, 1'000'000);
    return true;
  }
  void complete(HeldBack& stream) {
    if (!stream.empty()) {
      books->free_completed(stream, stamp_of(stream.oldest()), 0);
    }
  }
  void TearDown() override {
    for (HeldBack& stream : streams) {
      books->free_completed(stream, UINT64_MAX, 0);
    }
    PoolBooksOfThreads::TearDown();
  }

  std::array<HeldBack, 5> streams;
  std::uint64_t last = 0;
};

/// Who is the only one takes what is free, also what another one will need again.
TEST_F(PoolBooksOfStreams, ThreadsThatTakeTurnsDoNotMakeThePoolGrow) {
  begin_books();
  for (int turn = 0; turn < 40; ++turn) {
    for (int i = 0; i < 250; ++i) {
      give_step(1 + turn % 2, 4 * mib);
    }
    books->free_completed(streams[2 - turn % 2], UINT64_MAX, 0);  // the other has had the time
  }
  EXPECT_LE(books->managed_bytes(), 264 * mib) << "548, if each turn took more";
}

/// Each large one that finds nothing free would take new memory, which is free for the others then.
TEST_F(PoolBooksOfStreams, ThreadsWithBlocksOfAllSizesDoNotMakeThePoolGrow) {
  options.strategy = StrategyKind::coalescing;
  begin_books();
  std::mt19937 random(1);
  std::uniform_real_distribution<double> power(12, 25);  // 4 KiB to 32 MiB
  for (int i = 0; i < 4000; ++i) {
    const auto account = static_cast<std::uint32_t>(1 + random() % 4);
    for (auto steps_left = random() % 64; steps_left != 0; --steps_left) {  // it runs ahead
      give_step(account, static_cast<std::size_t>(std::exp2(power(random))));
    }
    for (HeldBack& stream : streams) {
      for (auto ends = random() % 32; ends != 0; --ends) {
        complete(stream);
      }
    }
  }
  EXPECT_LE(books->managed_bytes(), 320 * mib) << "688, if each did";
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
