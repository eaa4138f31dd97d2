// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Books by themselves, where there is no room: who is first in line, which small chunks make room, and when a request waits for
// blocks that others use.
#include <algorithm>
#include <vector>

#include "pool_books.hpp"

namespace clpool::core {
namespace {

/// A request for a large block waits without room, and something is free, but not enough for it.
class PoolBooksOfALine : public PoolBooksOfThreads {
 protected:
  void begin_line(Kind step = Kind::settle, std::size_t needed = 40 * mib) {
    begin_books();
    books->free(serve_for(1, 128 * mib), 0);  // one chunk
    PoolBlock& small = serve_for(1, mib);
    for (int i = 0; i < 25; ++i) {
      books->hold_back(list, serve_for(1, 4 * mib), 1);
    }
    books->free(small, 0);  // by itself
    books->hold_back(list, serve_for(3, 12 * mib), 1);
    ASSERT_EQ(books->begin(needed, first), Status::success);
    run_to(first, step);
  }
  void SetUp() override {
    PoolBooksOfThreads::SetUp();
    options.strategy = StrategyKind::coalescing;
    options.max_bytes = 128 * mib;
  }
  void TearDown() override {
    books->leave_line(first);
    PoolBooksOfThreads::TearDown();
  }
  /// Whether a request that waits begins with a look at its own account's blocks, not with what is free.
  bool leaves_free(std::uint32_t account, std::size_t size) {
    Request request = request_of(account);
    EXPECT_EQ(books->begin(size, request), Status::success);
    const bool leaves = books->leaves_to_first(request);
    EXPECT_EQ(books->may_serve(request), !leaves) << "there is a block for it";
    Request at_once;
    EXPECT_EQ(books->begin(size, at_once), Status::success);
    at_once.account = account;
    PoolBlock* const taken = books->would_wait_for_first(at_once) ? nullptr : books->take_at_once(at_once);
    EXPECT_EQ(taken == nullptr, leaves) << "where it waits for nothing, too";
    if (taken != nullptr) {
      books->free(*taken, 0);
    }
    PoolBlock* const block = serve(request);
    EXPECT_NE(block, nullptr);
    books->free(*block, 0);
    EXPECT_EQ(std::count(steps.begin(), steps.end(), "settle"), leaves ? 1 : 0);
    books->leave_line(request);
    return leaves;
  }

  Request first = request_of(2);
};

/// Of which the parts would else go to whoever comes by.
TEST_F(PoolBooksOfALine, WhereThereIsNoRoomSmallRequestsLeaveWhatIsFreeToALargeOne) {
  begin_line();
  EXPECT_TRUE(leaves_free(1, mib));
  EXPECT_TRUE(leaves_free(1, 15 * mib)) << "all that is free";
  EXPECT_FALSE(leaves_free(4, mib)) << "its stream has nothing to do";
  EXPECT_TRUE(leaves_free(3, mib));
  books->leave_line(first);
  EXPECT_FALSE(leaves_free(1, mib));
  EXPECT_FALSE(leaves_free(3, mib));
}

TEST_F(PoolBooksOfALine, RequestsOfMoreThanHalfOfWhatTheFirstOneNeedsLeaveNothingToIt) {
  begin_books();
  books->hold_back(list, serve_for(1, 100 * mib), 1);
  books->hold_back(list, serve_for(3, 20 * mib), 1);
  ASSERT_EQ(books->begin(16 * mib, first), Status::success);
  run_to(first, Kind::settle);
  Request half = request_of(3);
  ASSERT_EQ(books->begin(8 * mib, half), Status::success);
  EXPECT_TRUE(books->leaves_to_first(half));
  Request more = request_of(3);
  ASSERT_EQ(books->begin(8 * mib + 1, more), Status::success);
  EXPECT_FALSE(books->leaves_to_first(more));
}

/// Its stream would have nothing to do while it waits for its only other one.
TEST_F(PoolBooksOfALine, AThreadWithTwoBlocksOfThatSizeHeldBackLeavesNothing) {
  begin_line();
  Request larger = request_of(3);  // which has 12 MiB
  ASSERT_EQ(books->begin(6 * mib, larger), Status::success);
  EXPECT_FALSE(books->leaves_to_first(larger));
  Request smaller = request_of(3);
  ASSERT_EQ(books->begin(6 * mib - 4096, smaller), Status::success);
  EXPECT_TRUE(books->leaves_to_first(smaller));
}

TEST_F(PoolBooksOfALine, AThreadThatHasItsPartOfThePoolLeavesWhatIsFreeToOneThatNeedsAsMuch) {
  begin_line();
  Request as_much = request_of(1);
  ASSERT_EQ(books->begin(40 * mib, as_much), Status::success);
  EXPECT_TRUE(books->leaves_to_first(as_much));
  Request more = request_of(1);
  ASSERT_EQ(books->begin(40 * mib + 1, more), Status::success);
  EXPECT_FALSE(books->leaves_to_first(more));
}

TEST_F(PoolBooksOfALine, NobodyStandsBehindItself) {
  begin_line();
  HeldBack other;
  books->hold_back(other, serve_for(2, 8 * mib), 1);
  EXPECT_FALSE(books->leaves_to_first(first));
  EXPECT_TRUE(leaves_free(2, mib)) << "of another thread, where there are more of them than accounts";
  EXPECT_TRUE(books->free_completed(other, 1, 0));
}

/// What it left may be what it needs, or what it should cut up no more than before.
TEST_F(PoolBooksOfALine, WhoLeftWhatIsFreeIsAsPatientAsBeforeWhenTheFirstOneIsServed) {
  begin_books();
  PoolBlock& large = serve_for(1, 64 * mib);
  books->hold_back(list, serve_for(1, 64 * mib), 1);
  books->free(large, 0);
  ASSERT_EQ(books->begin(100 * mib, first), Status::success);
  run_to(first, Kind::settle);
  Request request = request_of(1);
  ASSERT_EQ(books->begin(mib, request), Status::success);
  run_to(request, Kind::settle);
  const std::uint64_t turn = books->turn();
  books->leave_line(first);
  EXPECT_NE(books->turn(), turn) << "who waits is to look again";
  EXPECT_EQ(books->next(request).kind, Kind::settle)
      << "it would cut up what is as large as half of the pool";
}

/// Three accounts share an eighth of the pool.
TEST_F(PoolBooksOfALine, AThreadWithALittleHeldBackLeavesNothing) {
  begin_line();
  HeldBack other;
  books->hold_back(other, serve_for(4, 5 * mib), 1);
  EXPECT_FALSE(leaves_free(4, mib));
  books->hold_back(other, serve_for(4, mib), 1);
  EXPECT_TRUE(leaves_free(4, mib));
  EXPECT_TRUE(books->free_completed(other, 1, 0));
}

/// What it needs is held by somebody who goes on.
TEST_F(PoolBooksOfALine, AFirstOneThatWaitsUntilAllCameFreeSixteenTimesHasItsPlaceNoMore) {
  begin_line();
  HeldBack other;
  for (int i = 0; i < 256; ++i) {
    EXPECT_TRUE(leaves_free(1, mib));
    books->hold_back(other, serve_for(4, 8 * mib), 1);
    EXPECT_TRUE(books->free_completed(other, 1, 0));
  }
  EXPECT_TRUE(leaves_free(1, mib));
  books->hold_back(other, serve_for(4, mib), 1);
  EXPECT_TRUE(books->free_completed(other, 1, 0));
  EXPECT_FALSE(leaves_free(1, mib));
}

TEST_F(PoolBooksOfALine, AFirstOneHasItsPlaceForASecondHoweverMuchComesFree) {
  begin_line();
  const std::uint64_t began = world.now;
  HeldBack other;
  for (int i = 0; i < 300; ++i) {
    books->hold_back(other, serve_for(4, 8 * mib), 1);
    EXPECT_TRUE(books->free_completed(other, 1, 0));
  }
  Request request = request_of(1);
  ASSERT_EQ(books->begin(mib, request), Status::success);
  world.now = began + 1'000'000'000;
  EXPECT_TRUE(books->leaves_to_first(request));
  world.now += 1;
  EXPECT_FALSE(books->leaves_to_first(request));
}

/// Else streams that have two blocks each under way would keep it apart for ever.
TEST_F(PoolBooksOfALine, AFirstOneThatHasWaitedForLongIsLeftAllWhereThatSuffices) {
  begin_line();
  const auto leaves = [&](std::uint32_t account) {
    Request request = request_of(account);
    EXPECT_EQ(books->begin(6 * mib, request), Status::success);
    return books->leaves_to_first(request);
  };
  const std::uint64_t began = world.now;
  world.now = began + 100'000'000;
  EXPECT_FALSE(leaves(3)) << "it has two blocks of that size held back";
  EXPECT_FALSE(leaves(4)) << "its stream has nothing to do";
  world.now += 1;
  EXPECT_TRUE(leaves(3));
  EXPECT_TRUE(leaves(4));
  PoolBlock& used = serve_for(1, 15 * mib);  // all that is free: with what is held back there are 113 MiB
  EXPECT_TRUE(leaves(4));
  world.now = began + 1'000'000'000;
  EXPECT_TRUE(leaves(4));
  world.now += 1;
  EXPECT_FALSE(leaves(4)) << "for a second";
  books->free(used, 0);
}

TEST_F(PoolBooksOfALine, WhatTheLimitLeavesSufficesTooForAFirstOneThatHasWaitedForLong) {
  options.max_bytes = 136 * mib;  // of which the chunk leaves 8
  begin_line(Kind::settle, 130 * mib);
  Request request = request_of(4);
  ASSERT_EQ(books->begin(6 * mib, request), Status::success);
  world.now += 100'000'001;
  EXPECT_TRUE(books->leaves_to_first(request));
}

TEST_F(PoolBooksOfALine, AFirstOneThatHasWaitedForLongIsNotLeftAllWhereThatWouldNotDo) {
  begin_books();
  PoolBlock& used = serve_for(1, 40 * mib);
  std::vector<PoolBlock*> pieces;
  for (int i = 0; i < 22; ++i) {
    pieces.push_back(&serve_for(1, 4 * mib));
  }
  books->hold_back(list, *pieces[0], 1);
  ASSERT_EQ(books->begin(16 * mib, first), Status::success);
  run_to(first, Kind::settle);
  world.now += 200'000'000;
  const auto leaves = [&] {
    Request request = request_of(4);
    EXPECT_EQ(books->begin(mib, request), Status::success);
    return books->leaves_to_first(request);
  };
  EXPECT_FALSE(leaves()) << "4 MiB are held back, the rest is in use";
  for (int i = 2; i < 8; i += 2) {
    books->hold_back(list, *pieces[i], 1);
  }
  EXPECT_TRUE(leaves());
  for (int i = 8; i < 16; i += 2) {
    books->free(*pieces[i], 0);
  }
  EXPECT_FALSE(leaves()) << "as much is free, in pieces";
  books->free(used, 0);
  for (int i = 1; i < 22; ++i) {
    if (i % 2 == 1 || i >= 16) {
      books->free(*pieces[i], 0);
    }
  }
}

TEST_F(PoolBooksOfALine, TheSecondOneLeavesWhatIsFreeToTheFirst) {
  begin_line();
  Request second = request_of(1);
  ASSERT_EQ(books->begin(20 * mib, second), Status::success);
  run_to(second, Kind::settle);
  EXPECT_TRUE(second.is_in_line);
  EXPECT_TRUE(books->leaves_to_first(second));
  EXPECT_FALSE(books->leaves_to_first(first));
  books->leave_line(second);
}

TEST_F(PoolBooksOfALine, ARequestThatThePoolCanNeverServeWaitsForNothing) {
  begin_books();
  books->hold_back(list, serve_for(1, 100 * mib), 1);
  Request request = request_of(2);
  ASSERT_EQ(books->begin(128 * mib + 1, request), Status::success);
  EXPECT_EQ(serve(request), nullptr);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "settle") + std::count(steps.begin(), steps.end(), "wait"),
            0);
  EXPECT_FALSE(request.is_in_line);
}

TEST_F(PoolBooksOfALine, WhereThereIsRoomNobodyStandsInLine) {
  options.max_bytes = 200 * mib;
  begin_books();
  books->hold_back(list, serve_for(1, 70 * mib), 1);
  first = request_of(1);
  ASSERT_EQ(books->begin(40 * mib, first), Status::success);
  run_to(first, Kind::settle);
  EXPECT_FALSE(first.is_in_line);
}

TEST_F(PoolBooksOfALine, RequestsLeaveTheirRoomToALargeOneTooButDoNotJoin) {
  options.max_bytes = 148 * mib;
  begin_line();
  EXPECT_TRUE(first.is_in_line);
  EXPECT_TRUE(leaves_free(1, 10 * mib));
}

/// Who would be served at once.
TEST_F(PoolBooksOfALine, RequestsTakeNoRoomThatALargeOneWaitsFor) {
  options.max_bytes = 148 * mib;
  begin_books();
  PoolBlock& used = serve_for(3, 98 * mib);
  books->hold_back(list, serve_for(1, 30 * mib), 1);
  EXPECT_FALSE(settles_for(1, mib));
  ASSERT_EQ(books->begin(40 * mib, first), Status::success);
  run_to(first, Kind::settle);
  EXPECT_TRUE(settles_for(1, 4 * mib));
  EXPECT_FALSE(settles_for(4, 8 * mib)) << "its stream has nothing to do";
  books->free(used, 0);
}

/// Sixteen chunks, of which ten are free.
class PoolBooksOfSmallChunks : public PoolBooksOfALine {
 protected:
  void SetUp() override {
    PoolBooksOfALine::SetUp();
    options.max_bytes = 64 * mib;
  }
  /// `stamp`: of the blocks that come free.
  void begin_chunks(std::uint64_t stamp) {
    begin_books();
    std::vector<PoolBlock*> blocks;
    for (int i = 0; i < 16; ++i) {
      blocks.push_back(&serve_for(1, 4 * mib));
    }
    for (int i = 0; i < 16; ++i) {
      i < 6 ? books->hold_back(list, *blocks[i], 1) : books->free(*blocks[i], stamp);
    }
  }
};

TEST_F(PoolBooksOfSmallChunks, GoBackForALargeOneWithoutAWait) {
  begin_chunks(0);
  Request request = request_of(2);
  ASSERT_EQ(books->begin(40 * mib, request), Status::success);
  EXPECT_TRUE(books->may_serve(request));
  expect_served(request);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "settle"), 0);
}

TEST_F(PoolBooksOfSmallChunks, AreWaitedForWhereNoCallsAreLeft) {
  options.max_bytes = 4 * 200 * mib;
  begin_books();
  std::vector<PoolBlock*> blocks;
  for (int i = 0; i < 200; ++i) {
    blocks.push_back(&serve_for(1, 4 * mib));
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    i % 2 == 0 ? books->hold_back(list, *blocks[i], 1) : books->free(*blocks[i], 0);
  }
  Request request = request_of(2);
  ASSERT_EQ(books->begin(40 * mib, request), Status::success);
  EXPECT_FALSE(books->may_serve(request));
}

TEST_F(PoolBooksOfSmallChunks, AreWaitedForWhereTheyAreNotEnough) {
  begin_chunks(0);
  Request request = request_of(2);
  ASSERT_EQ(books->begin(40 * mib + 1, request), Status::success);
  EXPECT_FALSE(books->may_serve(request));
  run_to(request, Kind::settle);
}

TEST_F(PoolBooksOfSmallChunks, AreWaitedForWhereQueuesUseThem) {
  rules.outlives_release = false;
  world.queues = true;
  begin_chunks(1);
  Request request = request_of(2);
  ASSERT_EQ(books->begin(40 * mib, request), Status::success);
  EXPECT_FALSE(books->may_serve(request));
  run_to(request, Kind::settle);
  world.complete = 1;
  EXPECT_TRUE(books->may_serve(request));
}

TEST_F(PoolBooksOfSmallChunks, DoNotGoBackForWhoLeavesThemToALargerOne) {
  begin_chunks(0);
  ASSERT_EQ(books->begin(60 * mib, first), Status::success);
  run_to(first, Kind::settle);
  Request request = request_of(1);
  ASSERT_EQ(books->begin(11 * mib, request), Status::success);
  EXPECT_FALSE(books->may_serve(request));
  run_to(request, Kind::settle);
}

/// Who needs one of that size would miss it at once.
TEST_F(PoolBooksOfSmallChunks, DoNotGoBackForOneThatIsLittleLarger) {
  begin_chunks(0);
  Request request = request_of(2);
  ASSERT_EQ(books->begin(8 * mib - 4096, request), Status::success);
  EXPECT_FALSE(books->may_serve(request));
  Request twice = request_of(2);
  ASSERT_EQ(books->begin(8 * mib, twice), Status::success);
  EXPECT_TRUE(books->may_serve(twice));
}

/// Each look of each request that waits asks about them.
TEST_F(PoolBooksOfSmallChunks, AreAskedAboutUpToACertainNumber) {
  rules.outlives_release = false;
  world.queues = true;
  options.max_bytes = 4 * 300 * mib;
  world.served = 1'000'000;
  begin_books();
  std::vector<PoolBlock*> blocks;
  for (int i = 0; i < 300; ++i) {
    blocks.push_back(&serve_for(1, 4 * mib));
    world.served += 1'000;  // so that calls are left
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    i == 0 ? books->hold_back(list, *blocks[i], 1) : books->free(*blocks[i], 1);
  }
  Request request = request_of(2);
  ASSERT_EQ(books->begin(40 * mib, request), Status::success);
  const std::uint64_t asked = world.asked;
  EXPECT_FALSE(books->may_serve(request));
  EXPECT_GE(world.asked - asked, 60U);
  EXPECT_LE(world.asked - asked, 64U) << "of 299";
}

/// As what was waited for in vain is not.
TEST_F(PoolBooksOfALine, WhoDoesNotLetThingsSettleStandsInLineToo) {
  world.settles = false;
  begin_line(Kind::wait);
  Request request = request_of(1);
  ASSERT_EQ(books->begin(mib, request), Status::success);
  EXPECT_TRUE(books->leaves_to_first(request));
}

/// Nothing is held back any more, and what is free lies in pieces.
class PoolBooksOfUsers : public PoolBooksOfThreads {
 protected:
  void begin_use(std::uint32_t account) {
    options.strategy = StrategyKind::coalescing;
    options.max_bytes = 64 * mib;
    options.wait_ns = 1'000'000'000;
    begin_books();
    used = &serve_for(3, 32 * mib);
    books->hold_back(list, serve_for(account, 32 * mib), 1);
    ASSERT_EQ(books->begin(64 * mib, request), Status::success);
    run_to(request, Kind::wait);
    EXPECT_TRUE(books->free_completed(list, 1, 0));
    books->waited(request, Waited::helped);
  }
  /// How long the request is to wait, at most; 0 if it fails.
  std::uint64_t next_wait(Request& waiting) {
    Step step = books->next(waiting);
    while (step.kind != Kind::wait && perform(waiting, step)) {
      step = books->next(waiting);
    }
    return step.kind == Kind::wait ? step.amount : 0;
  }
  Request request = request_of(2);
  PoolBlock* used = nullptr;
};

/// As a thread holds one for a moment before it gives its stream the next command.
TEST_F(PoolBooksOfUsers, AreWaitedForAMomentWhereOthersGotBlocksBack) {
  begin_use(1);
  EXPECT_EQ(run_to(request, Kind::wait).amount, 10'000'000U);
  EXPECT_TRUE(request.waits_for_users);
  books->free(*used, 0);
  books->waited(request, Waited::helped);
  PoolBlock* const block = serve(request);
  ASSERT_NE(block, nullptr);
  books->free(*block, 0);
}

/// A program may take out of memory for a sign: what came free before the request is no reason to wait.
TEST_F(PoolBooksOfUsers, AreNotWaitedForWhereNothingOfOthersCameFreeSinceTheRequestBegan) {
  begin_use(1);
  for (const bool others : {false, true}) {
    PoolBlock* const block = &serve_for(others ? 1 : 4, 32 * mib);
    Request small = request_of(4);
    ASSERT_EQ(books->begin(mib, small), Status::success);
    books->note_beginning(small);
    books->hold_back(list, *block, others ? 3 : 2);
    EXPECT_TRUE(books->free_completed(list, others ? 3 : 2, 0));
    block->account = 4;
    PoolBlock* const again = &serve_for(1, 32 * mib);  // and is another's by now
    EXPECT_EQ(next_wait(small), others ? 10'000'000U : 0U);
    books->free(*again, 0);
  }
  books->free(*used, 0);
}

/// However often something little comes free meanwhile: it may be that nothing else ever does.
TEST_F(PoolBooksOfUsers, AreWaitedForForAMomentInAll) {
  begin_use(1);
  for (std::uint64_t left = 10'000'000; left != 0; left -= 2'500'000) {
    EXPECT_EQ(run_to(request, Kind::wait).amount, left);
    world.now += 2'500'000;
    books->waited(request, Waited::helped);
  }
  EXPECT_EQ(serve(request), nullptr);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "wait"), 0);
  books->free(*used, 0);
}

TEST_F(PoolBooksOfUsers, WhatTheyReleaseMeanwhileIsWaitedForAsLongAsAnythingElse) {
  begin_use(1);
  run_to(request, Kind::wait);
  books->hold_back(list, *used, 2);
  world.now += 10'000'000;
  books->waited(request, Waited::in_vain);
  EXPECT_EQ(run_to(request, Kind::wait).amount, options.wait_ns);
  EXPECT_TRUE(books->free_completed(list, 2, 0));
  books->waited(request, Waited::helped);
  expect_served(request);
}

TEST_F(PoolBooksOfUsers, AreWaitedForAnewWhereTheUserWantsItTriedAgain) {
  begin_use(1);
  run_to(request, Kind::wait);
  world.now += 10'000'000;
  books->waited(request, Waited::in_vain);
  books->answered(request, true);
  EXPECT_EQ(run_to(request, Kind::wait).amount, 10'000'000U);
  books->free(*used, 0);
  books->waited(request, Waited::helped);
  expect_served(request);
}

TEST_F(PoolBooksOfUsers, AreNotWaitedForForLongerThanAnythingElse) {
  begin_use(1);
  options.wait_ns = 1'000;
  EXPECT_EQ(run_to(request, Kind::wait).amount, 1'000U);
  books->waited(request, Waited::in_vain);
  books->free(*used, 0);
}

TEST_F(PoolBooksOfUsers, AreNotWaitedForWhereJustItsOwnCameFree) {
  begin_use(2);
  EXPECT_EQ(serve(request), nullptr);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "wait"), 0);
  books->free(*used, 0);
}

}  // namespace
}  // namespace clpool::core
