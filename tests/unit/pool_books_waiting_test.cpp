// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Books by themselves: limits, what is settled before memory is taken, and who waits for what and how long.
#include <algorithm>
#include <string>
#include <vector>

#include "pool_books.hpp"

namespace clpool::core {
namespace {

TEST_F(PoolBooksAtTheirLimits, ARequestSettlesWhatIsHeldBackIfItWouldBeMoreThanTheSlack) {
  begin_books();
  HeldBack list;
  const std::size_t pending = 40 * mib;
  books->hold_back(list, *serve(pending), 1);
  EXPECT_FALSE(settles(books->slack() - pending));
  EXPECT_TRUE(settles(books->slack() - pending + 1));
  more_in_flight();
  const std::size_t more = 60 * mib;
  books->hold_back(list, *serve(more), 1);
  EXPECT_FALSE(settles(2 * books->slack() - pending - more))
      << "the device may get more done with more in flight";
  EXPECT_TRUE(settles(2 * books->slack() - pending - more + 1));
  EXPECT_TRUE(books->free_completed(list, 1, 0));
}

TEST_F(PoolBooksAtTheirLimits, InGuardedPoolsWhatRestsHasNotComeFree) {
  rules.guarded = true;
  begin_books();
  HeldBack list;
  books->hold_back(list, *serve(mib), 1);
  EXPECT_TRUE(books->free_completed(list, 1, 0));
  EXPECT_EQ(books->freed_bytes(), 0u);
  PoolBlock& block = pool_block(*books->take_freed());
  books->free_rested(block);
  EXPECT_EQ(books->freed_bytes(), mib);
  EXPECT_EQ(books->pending_bytes(), 0u);
}

/// What stands still while the rest gets on is not waited for, but beyond the slack it is.
TEST_F(PoolBooksAtTheirLimits, WhatIsOverdueIsNotAwaited) {
  begin_books();
  HeldBack stands;
  books->hold_back(stands, *serve(64 * mib), 1);
  EXPECT_TRUE(settles(mib));
  for (int i = 0; i < 3; ++i) {
    account().note_free(64 * mib, 64 * mib, 0);
    EXPECT_TRUE(settles(mib + 1 + i));
  }
  account().note_free(64 * mib, 64 * mib, 0);
  EXPECT_FALSE(settles(2 * mib));
  HeldBack list;
  books->hold_back(list, *serve(60 * mib), 1);
  EXPECT_TRUE(settles(4 * mib + 1)) << "beside that";
  EXPECT_TRUE(books->free_completed(list, 1, 0));
  HeldBack more;
  books->hold_back(more, *serve(60 * mib), 1);
  for (int i = 0; i < 5; ++i) {
    account().note_free(64 * mib, 64 * mib, 0);
  }
  EXPECT_FALSE(settles(4 * mib));
  EXPECT_TRUE(settles(4 * mib + 2)) << "60 MiB beyond the slack";
  EXPECT_TRUE(books->free_completed(more, 1, 0));
  EXPECT_TRUE(books->free_completed(stands, 1, 0));
  EXPECT_EQ(books->pending_bytes(), 0U);
  books->hold_back(list, *serve(200 * mib), 1);
  EXPECT_TRUE(settles(5 * mib)) << "it is no longer there";
  EXPECT_TRUE(books->free_completed(list, 1, 0));
}

/// Where several wait, others may take what comes free.
TEST_F(PoolBooksAtTheirLimits, ARequestWaitsAgainWhereOthersTookWhatCameFreeUntilItsTimeIsOver) {
  begin_books();
  HeldBack list;
  books->hold_back(list, *serve(200 * mib), 1);
  world.longer = 20'000'000;
  Request request;
  ASSERT_EQ(books->begin(24 * mib, request), Status::success);
  for (const std::uint64_t left : {30, 18, 6}) {
    const Step step = run_to(request, Kind::settle);
    EXPECT_EQ(step.amount, left * 1'000'000);
    EXPECT_EQ(step.needed, 24 * mib);
    request.settled_ns += 12'000'000;
    books->free(*serve(mib), 0);  // comes free, and helps nobody
  }
  expect_served(request);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "settle"), 0);
  EXPECT_TRUE(books->free_completed(list, 1, 0));
}

/// A large one may wait for it, too.
TEST_F(PoolBooksAtTheirLimits, ASmallRequestThatWouldWaitCutsUpNoFreeChunk) {
  options.strategy = StrategyKind::coalescing;
  options.max_bytes = 300 * mib;
  begin_books();
  PoolBlock* const large = serve(100 * mib);
  HeldBack list;
  books->hold_back(list, *serve(200 * mib), 1);
  books->free(*large, 0);
  Request request;
  ASSERT_EQ(books->begin(4096, request), Status::success);
  EXPECT_EQ(run_to(request, Kind::settle).needed, 4096U) << "there is no room for another chunk";
  EXPECT_FALSE(books->may_serve(request));
  Request whole;
  ASSERT_EQ(books->begin(100 * mib, whole), Status::success);
  EXPECT_TRUE(books->may_serve(whole));
  expect_served(request);
  EXPECT_TRUE(books->free_completed(list, 1, 0));
}

/// Requests beside so much that is held back, on a device that brings as much as they need.
class PoolBooksOfABusyDevice : public PoolBooksAtTheirLimits {
 protected:
  void expect_wait(std::uint64_t held_back, std::size_t size, std::uint64_t milliseconds) {
    begin_books();
    books->hold_back(list, *serve(held_back), 1);
    world.longer = 90'000'000;
    Request request;
    ASSERT_EQ(books->begin(size, request), Status::success);
    EXPECT_EQ(run_to(request, Kind::settle).amount, milliseconds * 1'000'000);
    expect_served(request);
    EXPECT_TRUE(books->free_completed(list, 1, 0));
  }
  HeldBack list;
};

TEST_F(PoolBooksOfABusyDevice, RequestsWaitForIt) {
  expect_wait(64 * mib, mib, 100);
}

TEST_F(PoolBooksOfABusyDevice, SmallRequestsWaitNoLongerThanWhereNothingIsKnownOfIt) {
  expect_wait(79 * mib, mib - 1, 10);
}

/// The pool would grow by these without end.
TEST_F(PoolBooksOfABusyDevice, SmallRequestsWaitAsLongAsOthersWhereMuchIsHeldBack) {
  expect_wait(80 * mib, mib - 1, 100);
}

TEST_F(PoolBooksAtTheirLimits, APauseIsForAsMuchMoreAsMayBeHeldBack) {
  begin_books();
  HeldBack list;
  books->hold_back(list, *serve(200 * mib), 1);
  EXPECT_TRUE(books->is_beyond_tolerated(account()));
  wait_in_vain();
  books->hold_back(list, *serve(64 * mib), 1);
  EXPECT_FALSE(books->is_beyond_tolerated(account()));
  books->hold_back(list, *serve(1), 1);
  EXPECT_TRUE(books->is_beyond_tolerated(account()));
  EXPECT_TRUE(books->free_completed(list, 1, 0));
}

TEST_F(PoolBooksAtTheirLimits, ARequestWaitsOnceWhereNothingComesFree) {
  begin_books();
  HeldBack list;
  books->hold_back(list, *serve(200 * mib), 1);
  EXPECT_TRUE(settles(24 * mib));
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "settle"), 1);
  EXPECT_TRUE(books->free_completed(list, 1, 0));
}

TEST_F(PoolBooksAtTheirLimits, WhatIsHeldBackLetsNoMoreBeHeldBack) {
  begin_books();
  HeldBack list;
  books->hold_back(list, *serve(4096 * mib), 1);
  EXPECT_EQ(books->slack(), 64 * mib);
  EXPECT_TRUE(books->free_completed(list, 1, 0));
  EXPECT_GE(books->slack(), 4096 * mib / 8);
}

TEST_F(PoolBooksAtTheirLimits, ARequestWaitsNoMoreForJustWhatWasWaitedForInVain) {
  begin_books();
  HeldBack list;
  books->hold_back(list, *serve(100 * mib), 1);
  EXPECT_TRUE(settles(mib));
  wait_in_vain();
  EXPECT_FALSE(settles(2 * mib));
  HeldBack more;
  books->hold_back(more, *serve(mib), 1);
  EXPECT_TRUE(settles(3 * mib));
  wait_in_vain();
  EXPECT_FALSE(settles(4 * mib));
  account().forget_waits();
  EXPECT_TRUE(settles(5 * mib));
  EXPECT_TRUE(books->free_completed(list, 1, 0));
  EXPECT_TRUE(books->free_completed(more, 1, 0));
}

TEST_F(PoolBooksAtTheirLimits, NewChunksAreLargeAsLongAsMoreMayBeHeldBack) {
  options.strategy = StrategyKind::coalescing;
  begin_books();
  HeldBack list;
  books->hold_back(list, *serve(100 * mib), 1);
  const auto grows_by = [&](std::size_t size) {
    PoolBlock* const block = serve(size);
    const std::uint64_t bytes = block->chunk->size;
    books->hold_back(list, *block, 1);
    return bytes;
  };
  EXPECT_EQ(grows_by(mib / 8), mib) << "that small requests share, however much is held back";
  PoolBlock& of_another = serve_for(2, mib);
  EXPECT_GT(of_another.chunk->size, mib) << "of a thread that has less than its share";
  more_in_flight();
  EXPECT_GT(grows_by(mib), 2 * mib);
  books->free(of_another, 0);
  EXPECT_TRUE(books->free_completed(list, 1, 0));
}

TEST_F(PoolBooksAtTheirLimits, ARequestLooksAtAllThatIsHeldBackBeforeItWaits) {
  begin_books();
  HeldBack list;
  books->hold_back(list, *serve(40 * mib), 1);
  std::vector<PoolBlock*> kept;  // so that all that is allocated is new
  const auto steps_of = [&](std::size_t size) {
    if (PoolBlock* const block = serve(size); block != nullptr) {
      kept.push_back(block);
    }
    return Steps(steps.begin(), std::find(steps.begin(), steps.end(), allocate_step(size)));
  };
  EXPECT_EQ(steps_of(books->slack() - 40 * mib + 1), (Steps{"settle"}))
      << "where there is nothing new to see";
  world.looks_at_all = true;
  EXPECT_EQ(steps_of(books->slack() - 40 * mib + 1), (Steps{"look at all", "settle"}));
  world.settles = false;
  EXPECT_EQ(steps_of(books->slack() - 40 * mib + 1), (Steps{"look at all"}));
  EXPECT_EQ(steps_of(mib), Steps{}) << "as little is held back";
  EXPECT_EQ(kept.size(), 4U);
  for (PoolBlock* const block : kept) {
    books->free(*block, 0);
  }
  EXPECT_TRUE(books->free_completed(list, 1, 0));
}

TEST_F(PoolBooksAtTheirLimits, ARequestSettlesWhatIsHeldBackIfThereIsNoRoomForIt) {
  options.max_bytes = 300'000;
  begin_books();
  PoolBlock* const used = serve(50'000);
  HeldBack list;
  books->hold_back(list, *serve(100'000), 1);
  EXPECT_FALSE(settles(150'000));
  books->give_back_some(1);
  release_garbage();
  Request request;
  ASSERT_EQ(books->begin(150'001, request), Status::success);
  serve(request);
  EXPECT_EQ(steps.front(), "settle");
  EXPECT_TRUE(books->free_completed(list, 1, 0));
  books->free(*used, 0);
}

TEST_F(PoolBooksAtTheirLimits, NoMoreChunksGoBackThanTheLimitNeeds) {
  options.max_bytes = 110'000;
  begin_books();
  std::vector<PoolBlock*> blocks;
  for (const std::size_t size : {30'000, 20'000, 10'000}) {
    blocks.push_back(serve(size));
  }
  for (PoolBlock* const block : blocks) {
    books->free(*block, 0);
  }
  PoolBlock* const block = serve(80'000);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(taken, 110'000u) << "of the three the largest went, which is just enough";
  books->free(*block, 0);
}

TEST_F(PoolBooksAtTheirLimits, ASizeThatIsNotRoundedIsAskedForOnce) {
  begin_books();
  capacity = 0;
  EXPECT_EQ(serve(100'000), nullptr);
  EXPECT_EQ(steps, (Steps{"allocate 100000", "fail"}));
}

/// What goes back is free in the driver only when the commands of a queue are through.
class PoolBooksOfALateDriver : public PoolBooks {
 protected:
  void SetUp() override {
    options.callbacks = {};
    world.queues = true;
    world.settles = true;
    begin_books();
    books->free(*serve(100'000), 1);
    capacity = taken;
  }
  /// How often a request settles, if the driver has `then` bytes after that.
  std::ptrdiff_t settles(std::size_t size, bool inside, std::uint64_t then) {
    EXPECT_EQ(books->begin(size, request), Status::success);
    request.inside = inside;
    steps.clear();
    gets_through = true;
    for (Step step = books->next(request); perform(request, step); step = books->next(request)) {
      capacity = step.kind == Kind::wait && taken == 0 ? then : capacity;
    }
    return std::count(steps.begin(), steps.end(), "wait for queues");
  }
  Request request;
};

TEST_F(PoolBooksOfALateDriver, ARequestWaitsForWhatWentBackAndAsksForTheExactSizeToo) {
  const std::size_t size = 200'000;
  EXPECT_EQ(settles(size, false, size), 1);
  ASSERT_NE(request.block, nullptr);
  EXPECT_EQ(request.block->Block::size, size);
  books->free(*request.block, 0);
}

TEST_F(PoolBooksOfALateDriver, TheDriverIsAskedForBothSizesWhenTheQueuesAreThrough) {
  const std::size_t size = 200'000;
  EXPECT_EQ(settles(size, false, size), 1);
  const auto waited = std::find(steps.begin(), steps.end(), "wait for queues");
  EXPECT_EQ(Steps(waited, steps.end()),
            (Steps{"wait for queues", allocate_step(size), "allocate " + std::to_string(size), "done"}));
  books->free(*request.block, 0);
}

TEST_F(PoolBooksOfALateDriver, ARequestWaitsForTheQueuesOnceAndOnceMoreToTheLast) {
  EXPECT_EQ(settles(200'000, false, 0), 2);
  EXPECT_EQ(request.block, nullptr);
}

TEST_F(PoolBooksOfALateDriver, ARequestWaitsForWhatWentBackAlsoWhereItSeemedIdle) {
  world.complete = 1;
  EXPECT_EQ(settles(200'000, false, 200'000), 1) << "commands that the pool was not told of";
  ASSERT_NE(request.block, nullptr);
  books->free(*request.block, 0);
}

TEST_F(PoolBooksOfALateDriver, ARequestFromWithinDoesNotWaitForIt) {
  EXPECT_EQ(settles(200'000, true, UINT64_MAX), 0);
  EXPECT_EQ(request.block, nullptr);
}

TEST_F(PoolBooksOfALateDriver, WithoutAQueueThereIsNothingToWaitFor) {
  world.queues = false;
  EXPECT_EQ(settles(200'000, false, UINT64_MAX), 0);
  EXPECT_EQ(request.block, nullptr);
}

/// Many chunks of addresses, of which the larger half is busy, and the small one that would go first.
class PoolBooksOfManyChunks : public PoolBooks {
 protected:
  static constexpr std::size_t count = 500;
  static constexpr std::size_t size = 10'000;
  /// Looks at chunks that any way of giving back may take: so many for each.
  static constexpr std::uint64_t most_looks = 8 * count;

  void SetUp() override {
    options.callbacks = {};
    options.max_bytes = count * size * 2;
    rules.outlives_release = false;
    world.queues = true;
    begin_books();
    std::vector<PoolBlock*> large;
    std::vector<PoolBlock*> small;
    for (std::size_t i = 0; i < count / 2; ++i) {
      large.push_back(serve(2 * size));
    }
    for (std::size_t i = 0; i < count / 2; ++i) {
      small.push_back(serve(size));
    }
    for (PoolBlock* const block : large) {
      books->free(*block, 1);
      busy += block->Block::size;
    }
    for (PoolBlock* const block : small) {
      books->free(*block, block == small.back() ? 1 : 0);
    }
    busy += small.back()->Block::size;
    world.asked = 0;
  }
  std::uint64_t busy = 0;
};

TEST_F(PoolBooksOfManyChunks, AreLookedAtAFewTimesWhenAllGoBack) {
  while (books->give_back_some(16)) {
    release_garbage();
  }
  EXPECT_EQ(taken, busy);
  EXPECT_LE(world.asked, most_looks);
}

TEST_F(PoolBooksOfManyChunks, AreLookedAtAFewTimesWhenThePoolIsTrimmed) {
  while (books->trim_some(busy, 16)) {
    release_garbage();
  }
  EXPECT_EQ(taken, busy);
  EXPECT_LE(world.asked, most_looks);
}

TEST_F(PoolBooksOfManyChunks, AreLookedAtAFewTimesWhenTheyMakeRoomForALargeRequest) {
  PoolBlock* const block = serve(count * size * 8 / 10);
  ASSERT_NE(block, nullptr);
  EXPECT_LE(world.asked, most_looks);
  books->free(*block, 0);
}

TEST_F(PoolBooksOfManyChunks, AreNotLookedAtWithEachReleaseWhileNoneCanHaveBecomeIdle) {
  options.max_held_bytes = 0;
  books->keep_to_held_limit();
  release_garbage();
  EXPECT_EQ(taken, busy);
  world.asked = 0;
  for (int i = 0; i < 10; ++i) {
    books->keep_to_held_limit();
  }
  EXPECT_LE(world.asked, 10 * 4U);
  PoolBlock* const used = serve(size);
  books->free(*used, 2);  // one more that is busy
  world.complete = 1;
  books->keep_to_held_limit();
  release_garbage();
  EXPECT_EQ(taken, used->Block::size) << "the others are idle now";
  world.complete = 2;
  books->keep_to_held_limit();
  release_garbage();
  EXPECT_EQ(taken, 0U);
}

/// A pool of addresses whose queue is busy: one chunk that may go only when the queue is through, and a block
/// that is held back.
class PoolBooksOfABusyQueue : public PoolBooks {
 protected:
  void SetUp() override {
    options.callbacks = {};
    options.wait_ns = longest_wait;
    rules.outlives_release = false;
    world.queues = true;
    world.settles = true;
    begin_books();
    PoolBlock* const pending = serve(50'000);
    books->free(*serve(100'000), 1);
    books->hold_back(list, *pending, 1);
    capacity = taken;
    began = world.now;
  }
  void TearDown() override {
    books->free_completed(list, 1, 0);
    PoolBooks::TearDown();
  }
  static constexpr std::uint64_t longest_wait = 20'000'000;
  static constexpr std::uint64_t polled_in_passing = 11'000'000;
  HeldBack list;
  std::uint64_t began = 0;
};

class PoolBooksOfABusyQueueThatExchangeChunks : public PoolBooksOfABusyQueue {
 protected:
  void SetUp() override {
    options.strategy = StrategyKind::coalescing;
    options.min_chunk_bytes = 1;
    PoolBooksOfABusyQueue::SetUp();
  }
};

TEST_F(PoolBooksOfABusyQueueThatExchangeChunks, ARequestSettlesAndWaitsNoLongerThanTheLongestWait) {
  EXPECT_EQ(serve(200'000), nullptr);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "settle"), 1) << "before it grows";
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "wait for queues"), 1);
  EXPECT_GE(world.now - began, longest_wait);
  EXPECT_LE(world.now - began, longest_wait + polled_in_passing);
}

TEST_F(PoolBooksOfABusyQueue, TheLongestWaitMayBeLong) {
  options.wait_ns = 3600 * std::uint64_t{1'000'000'000};
  Request request;
  ASSERT_EQ(books->begin(200'000, request), Status::success);
  Step step = run_to(request, Kind::wait);
  EXPECT_EQ(step.amount, options.wait_ns);
  books->waited(request, Waited::in_vain);
  EXPECT_EQ(serve(request), nullptr);
}

TEST_F(PoolBooksOfABusyQueue, ARequestThatWaitedInVainTriesAllOnceMoreThatDoesNotWait) {
  pools_to_end = 0;
  Request request;
  ASSERT_EQ(books->begin(200'000, request), Status::success);
  std::vector<Kind> before;
  Step step = run_to(request, Kind::wait, &before);
  ASSERT_TRUE(perform(request, step));
  std::vector<Kind> after;
  step = run_to(request, Kind::fail, &after);
  std::erase_if(before, [](Kind kind) { return kind == Kind::settle; });
  EXPECT_EQ(after, before);
  EXPECT_EQ(std::count(after.begin(), after.end(), Kind::end_pools), 1);
  EXPECT_GE(std::count(after.begin(), after.end(), Kind::allocate), 1);
}

TEST_F(PoolBooksOfABusyQueue, ARequestThatNoWaitCanHelpDoesNotWait) {
  options.max_bytes = 199'999;
  EXPECT_EQ(serve(200'000), nullptr);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "wait for queues"), 0);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "wait"), 0);
}

TEST_F(PoolBooksOfABusyQueue, WhenItIsThroughALargerBlockServesBeforeChunksGoBack) {
  capacity = UINT64_MAX;
  PoolBlock* const larger = serve(400'000);
  capacity = taken;
  Request request;
  ASSERT_EQ(books->begin(200'000, request), Status::success);
  Step step = run_to(request, Kind::wait);
  world.complete = 1;
  request.waits_for_driver = true;
  books->waited(request, Waited::through);
  step = books->next(request);
  ASSERT_EQ(step.kind, Kind::allocate) << "the driver may have more by now";
  books->free(*larger, 0);  // by another thread, while the driver is asked
  ASSERT_TRUE(perform(request, step));
  EXPECT_EQ(serve(request), larger);
  EXPECT_EQ(steps, Steps{"done"});
  books->free(*larger, 0);
}

TEST_F(PoolBooksOfABusyQueue, ARequestBeginsAnewWhenAnythingComesFreeWhileItWaits) {
  Request request;
  ASSERT_EQ(books->begin(100'000, request), Status::success);
  options.max_bytes = taken;
  PoolBlock* const other = serve(100'000);
  ASSERT_NE(other, nullptr) << "the chunk that is free";
  books->free_completed(list, 1, 1);
  Step step = run_to(request, Kind::wait);
  world.now += 5'000'000;
  books->waited(request, Waited::helped);  // another thread's, which somebody took before this one looked
  std::vector<Kind> kinds;
  step = run_to(request, Kind::wait, &kinds);
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), Kind::empty_all_caches), 1) << "once more";
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), Kind::settle), 0) << "it does nothing but wait";
  EXPECT_EQ(step.amount, longest_wait);
  books->free(*other, 1);
  books->waited(request, Waited::helped);
  PoolBlock* const block = serve(request);
  EXPECT_NE(block, nullptr);
  books->free(*block, 1);
}

TEST_F(PoolBooksOfABusyQueue, TheDriverIsAskedAgainOnlyWhenItMayHaveMore) {
  Request request;
  ASSERT_EQ(books->begin(200'000, request), Status::success);
  const auto asked_until_it_waits = [&] {
    std::ptrdiff_t asked = 0;
    Step step = books->next(request);
    for (; step.kind != Kind::wait; step = books->next(request)) {
      asked += step.kind == Kind::allocate ? 1 : 0;
      EXPECT_TRUE(perform(request, step));
    }
    return asked;
  };
  EXPECT_GE(asked_until_it_waits(), 1);
  books->waited(request, Waited::helped);
  EXPECT_EQ(asked_until_it_waits(), 0) << "a small block, say";
  const std::uint64_t before = books->help_for(request);
  books->others_gave_back();
  EXPECT_NE(books->help_for(request), before);
  books->waited(request, Waited::helped);
  EXPECT_GE(asked_until_it_waits(), 1);
  books->waited(request, Waited::in_vain);
  EXPECT_EQ(serve(request), nullptr);
}

TEST_F(PoolBooksOfABusyQueue, TheDriverIsAskedAgainWhereMemoryWentBackOutsideOfAWait) {
  for (const bool in_the_last_wait : {false, true}) {
    Request request;
    ASSERT_EQ(books->begin(200'000, request), Status::success);
    Step step = books->next(request);
    for (; step.kind != (in_the_last_wait ? Kind::wait : Kind::end_pools); step = books->next(request)) {
      ASSERT_TRUE(perform(request, step));
    }
    books->others_gave_back();
    if (in_the_last_wait) {
      books->waited(request, Waited::helped);
    } else {
      ASSERT_TRUE(perform(request, step));
    }
    std::vector<Kind> kinds;
    step = run_to(request, Kind::wait, &kinds);
    EXPECT_GE(std::count(kinds.begin(), kinds.end(), Kind::allocate), 1) << in_the_last_wait;
    books->waited(request, Waited::in_vain);
    EXPECT_EQ(serve(request), nullptr);
  }
}

TEST_F(PoolBooksOfABusyQueue, RequestsThatAreRefusedDoNotWakeEachOther) {
  Request first;
  Request second;
  for (Request* request : {&first, &second}) {
    ASSERT_EQ(books->begin(200'000, *request), Status::success);
  }
  run_to(first, Kind::wait);
  const std::uint64_t before = books->help_for(first);
  EXPECT_EQ(serve(second), nullptr);
  EXPECT_EQ(books->help_for(first), before);
  books->waited(first, Waited::in_vain);
  EXPECT_EQ(serve(first), nullptr);
}

TEST_F(PoolBooksOfABusyQueue, ARequestWaitsForAFewLongestWaitsWhileOthersAreServed) {
  world.queues = false;  // else a part of it would be settling for them
  options.callbacks.collect = [](void*) {};
  steps.clear();
  Request request;
  ASSERT_EQ(books->begin(200'000, request), Status::success);
  std::vector<std::uint64_t> waited;
  for (Step step = books->next(request);; step = books->next(request)) {
    if (step.kind == Kind::wait) {
      waited.push_back(step.amount);
      world.now += step.amount;
      books->others_gave_back();  // something came free, which another one took
      books->waited(request, Waited::helped);
    } else if (!perform(request, step)) {
      break;
    }
  }
  EXPECT_EQ(request.failure, Status::out_of_memory);
  EXPECT_EQ(waited, std::vector<std::uint64_t>(7, longest_wait)) << "the last begins when six have passed";
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "collect"), 1);
  EXPECT_GE(std::count(steps.begin(), steps.end(), allocate_step(200'000)), 8) << "anew after each wait";
}

TEST_F(PoolBooksOfABusyQueue, ARequestWaitsAsOftenAsTheUserWantsItTriedAgain) {
  options.callbacks.out_of_memory = [](void*, std::uint64_t, std::uint32_t) { return 0; };
  attempts = 10;
  EXPECT_EQ(serve(200'000), nullptr);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "wait for queues"), 10);
}

TEST_F(PoolBooksOfABusyQueue, AllThatCallsNoDriverIsTriedAgainAfterTheCollector) {
  options.callbacks.collect = [](void*) {};
  options.max_bytes = taken;
  std::vector<Kind> kinds;
  Request request;
  ASSERT_EQ(books->begin(60'000, request), Status::success);
  Step step = run_to(request, Kind::collect);
  while (perform(request, step)) {
    step = books->next(request);
    kinds.push_back(step.kind);
  }
  EXPECT_EQ(kinds, (std::vector<Kind>{Kind::poll, Kind::empty_caches, Kind::settle, Kind::empty_all_caches,
                                      Kind::done}));
  ASSERT_NE(request.block, nullptr);
  books->free(*request.block, 1);
}

TEST_F(PoolBooksOfABusyQueue, ARequestDoesNotSettleForWhatWasWaitedForInVain) {
  world.settles = false;
  EXPECT_EQ(serve(200'000), nullptr);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "settle"), 0);
}

}  // namespace
}  // namespace clpool::core
