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
  const std::size_t pending = 24 * 1024 * 1024;
  books->hold_back(list, *serve(pending), 1);
  EXPECT_FALSE(settles(books->slack() - pending));
  EXPECT_TRUE(settles(books->slack() - pending + 1));
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
  Step step = books->next(request);
  for (; step.kind != Kind::wait; step = books->next(request)) {
    ASSERT_TRUE(perform(request, step));
  }
  EXPECT_EQ(step.amount, options.wait_ns);
  books->waited(request, Waited::in_vain);
  EXPECT_EQ(serve(request), nullptr);
}

TEST_F(PoolBooksOfABusyQueue, ARequestThatWaitedInVainTriesAllOnceMoreThatDoesNotWait) {
  pools_to_end = 0;
  Request request;
  ASSERT_EQ(books->begin(200'000, request), Status::success);
  std::vector<Kind> before;
  Step step = books->next(request);
  for (; step.kind != Kind::wait; step = books->next(request)) {
    before.push_back(step.kind);
    ASSERT_TRUE(perform(request, step));
  }
  ASSERT_TRUE(perform(request, step));
  std::vector<Kind> after;
  for (step = books->next(request); step.kind != Kind::fail; step = books->next(request)) {
    after.push_back(step.kind);
    ASSERT_TRUE(perform(request, step));
  }
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
  Step step = books->next(request);
  for (; step.kind != Kind::wait; step = books->next(request)) {
    ASSERT_TRUE(perform(request, step));
  }
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
  Step step = books->next(request);
  while (step.kind != Kind::wait) {
    ASSERT_TRUE(perform(request, step));
    step = books->next(request);
  }
  world.now += 5'000'000;
  books->waited(request, Waited::helped);  // another thread's, which somebody took before this one looked
  std::vector<Kind> kinds;
  for (step = books->next(request); step.kind != Kind::wait; step = books->next(request)) {
    kinds.push_back(step.kind);
    ASSERT_TRUE(perform(request, step));
  }
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
    for (step = books->next(request); step.kind != Kind::wait; step = books->next(request)) {
      kinds.push_back(step.kind);
      ASSERT_TRUE(perform(request, step));
    }
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
  Step step = books->next(first);
  for (; step.kind != Kind::wait; step = books->next(first)) {
    ASSERT_TRUE(perform(first, step));
  }
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
  Step step = books->next(request);
  for (; step.kind != Kind::collect; step = books->next(request)) {
    ASSERT_TRUE(perform(request, step));
  }
  while (perform(request, step)) {
    step = books->next(request);
    kinds.push_back(step.kind);
  }
  EXPECT_EQ(kinds, (std::vector<Kind>{Kind::empty_caches, Kind::poll, Kind::settle, Kind::empty_all_caches,
                                      Kind::done}));
  ASSERT_NE(request.block, nullptr);
  books->free(*request.block, 1);
}

TEST_F(PoolBooksOfABusyQueue, ARequestDoesNotSettleForWhatWasWaitedForInVain) {
  world.settles = false;
  EXPECT_EQ(serve(200'000), nullptr);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "settle"), 0);
}

TEST_F(PoolBooks, RoomThatAnotherHadAskedForIsSeenWhenThatOneIsRefused) {
  options.max_bytes = 130'000;
  options.callbacks = {};
  begin_books();
  Request large;
  ASSERT_EQ(begin_request(large, 100'000).kind, Kind::allocate);
  Request request;
  ASSERT_EQ(books->begin(50'000, request), Status::success);
  Step step = books->next(request);
  while (step.kind != Kind::end_pools) {
    ASSERT_NE(step.kind, Kind::allocate);
    ASSERT_TRUE(perform(request, step));
    step = books->next(request);
  }
  books->refused(large, Status::out_of_memory, out_of_device_memory);
  ASSERT_TRUE(perform(request, step));
  PoolBlock* const block = serve(request);
  ASSERT_NE(block, nullptr) << "nothing is in the way any more";
  books->free(*block, 0);
}

TEST_F(PoolBooks, TheDriverIsNotAskedAgainForWhatIsReleasedToThePool) {
  options.callbacks = {};
  begin_books();
  world.queues = true;
  world.complete = 100;
  books->free(*serve(1'000'000), 0);  // it was larger once
  books->give_back_some(1);
  release_garbage();
  HeldBack list;
  books->hold_back(list, *serve(100'000), 200);
  books->free(*serve(50'000), 0);  // this goes back for the request
  capacity = taken;
  Request request;
  ASSERT_EQ(books->begin(200'000, request), Status::success);
  steps.clear();
  for (int waits = 0; waits < 20;) {
    const Step step = books->next(request);
    if (step.kind == Kind::wait) {
      ++waits;
      steps.push_back(request.waits_for_queues ? "wait for queues" : "wait");
      books->waited(request, request.waits_for_queues ? Waited::through : Waited::helped);
    } else {
      ASSERT_TRUE(perform(request, step));
    }
  }
  EXPECT_LE(std::count_if(steps.begin(), steps.end(),
                          [](const std::string& step) { return step.starts_with("allocate"); }),
            5)
      << testing::PrintToString(steps);
  EXPECT_TRUE(books->free_completed(list, 200, 0));
}

TEST_F(PoolBooks, EndedPoolsThatStillHaveMemoryAreWaitedForWhereTheDriverHasNone) {
  options.callbacks = {};
  begin_books();
  world.remain = true;
  capacity = 0;
  EXPECT_EQ(serve(100'000), nullptr);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "wait"), 1);
}

TEST_F(PoolBooks, WhatWentBackElsewhereIsSeenBeforeARequestGivesUp) {
  options.callbacks = {};
  begin_books();
  capacity = 0;
  Request request;
  ASSERT_EQ(books->begin(100'000, request), Status::success);
  Step step = books->next(request);
  for (; step.kind != Kind::end_pools; step = books->next(request)) {
    ASSERT_TRUE(perform(request, step));
  }
  ASSERT_TRUE(perform(request, step));
  ++world.gave_back;
  capacity = 1'000'000;
  PoolBlock* const block = serve(request);
  ASSERT_NE(block, nullptr);
  books->free(*block, 0);
}

TEST_F(PoolBooks, ARequestThatNothingCanHelpAnyMoreEndsWithoutAnotherWait) {
  options.callbacks = {};
  begin_books();
  capacity = 0;
  Request first;
  ASSERT_EQ(begin_request(first, 100'000).kind, Kind::allocate);
  Request second;
  Step step{Kind::done};
  ASSERT_EQ(books->begin(100'000, second), Status::success);
  for (step = books->next(second); step.kind != Kind::wait; step = books->next(second)) {
    ASSERT_TRUE(perform(second, step));
  }
  EXPECT_TRUE(books->help_is_under_way(second));
  books->refused(first, Status::out_of_memory, out_of_device_memory);
  EXPECT_FALSE(books->help_is_under_way(second));
  books->waited(second, Waited::over);
  EXPECT_EQ(serve(second), nullptr);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "wait"), 0);
}

TEST_F(PoolBooks, ARequestThatTheUserHasBeginAnewWasRefusedByNobodyYet) {
  begin_books();
  capacity = 0;
  Request request;
  ASSERT_EQ(begin_request(request, 100'000).kind, Kind::allocate);
  books->refused(request, Status::out_of_memory, out_of_device_memory);
  EXPECT_TRUE(request.driver_refused);
  request.failure = Status::out_of_memory;
  books->answered(request, true);
  EXPECT_FALSE(request.driver_refused);
  EXPECT_EQ(request.failure, Status::success);
}

TEST_F(PoolBooks, WhoeverWaitsForRoomHearsThatAnotherWasRefused) {
  options.max_bytes = 130'000;
  options.callbacks = {};
  begin_books();
  Request large;
  ASSERT_EQ(begin_request(large, 100'000).kind, Kind::allocate);
  Request request;
  ASSERT_EQ(begin_request(request, 50'000).kind, Kind::wait);
  const std::uint64_t before = books->help_for(request);
  books->refused(large, Status::out_of_memory, out_of_device_memory);
  EXPECT_NE(books->help_for(request), before);
  books->waited(request, Waited::helped);
  PoolBlock* const block = serve(request);
  ASSERT_NE(block, nullptr);
  books->free(*block, 0);
}

TEST_F(PoolBooks, WhoeverWaitsForTheDriverIsNotToldThatAnotherWasRefused) {
  options.callbacks = {};
  begin_books();
  Request other;
  ASSERT_EQ(begin_request(other, 100'000).kind, Kind::allocate);
  capacity = 0;
  Request request;
  ASSERT_EQ(books->begin(50'000, request), Status::success);
  Step step = books->next(request);
  for (; step.kind != Kind::wait; step = books->next(request)) {
    ASSERT_TRUE(perform(request, step));
  }
  const std::uint64_t before = books->help_for(request);
  books->refused(other, Status::out_of_memory, out_of_device_memory);
  EXPECT_EQ(books->help_for(request), before) << "the two would ask in turn for ever";
  books->waited(request, Waited::over);
  EXPECT_EQ(serve(request), nullptr);
}

TEST_F(PoolBooks, WhoeverWaitsHearsOfBlocksThatComeFree) {
  begin_books();
  PoolBlock* const block = serve(1000);
  Request request;
  ASSERT_EQ(books->begin(1000, request), Status::success);
  const std::uint64_t before = books->help_for(request);
  books->free(*block, 0);
  EXPECT_NE(books->help_for(request), before);
}

TEST_F(PoolBooks, ARequestEndsAlthoughMemoryGoesBackElsewhereAllTheTime) {
  options.callbacks = {};
  begin_books();
  capacity = 0;
  Request request;
  ASSERT_EQ(books->begin(100'000, request), Status::success);
  int asked = 0;
  for (Step step = books->next(request); step.kind != Kind::fail && asked < 1000;
       step = books->next(request)) {
    asked += step.kind == Kind::allocate ? 1 : 0;
    ASSERT_TRUE(perform(request, step));
    ++world.gave_back;
  }
  EXPECT_GE(asked, 3) << "what went back is asked for";
  EXPECT_LT(asked, 1000);
}

TEST_F(PoolBooks, AllThatDoesNotWaitIsTriedTwiceAndTheDriverOnce) {
  options.callbacks = {};
  for (const bool has_room : {true, false}) {
    options.max_bytes = has_room ? UINT64_MAX : 99'999;
    begin_books();
    capacity = 0;
    Request request;
    ASSERT_EQ(books->begin(100'000, request), Status::success);
    std::vector<Kind> kinds;
    for (Step step = books->next(request); step.kind != Kind::fail; step = books->next(request)) {
      kinds.push_back(step.kind);
      ASSERT_TRUE(perform(request, step));
    }
    EXPECT_EQ(std::count(kinds.begin(), kinds.end(), Kind::empty_all_caches), 2) << has_room;
    EXPECT_EQ(std::count(kinds.begin(), kinds.end(), Kind::end_pools), 2) << has_room;
    EXPECT_EQ(std::count(kinds.begin(), kinds.end(), Kind::allocate), has_room ? 2 : 0) << "two sizes";
    EXPECT_EQ(request.code, has_room ? out_of_device_memory : 0);
  }
}

TEST_F(PoolBooks, ARequestThatTheUserHasBeginAnewLooksAsOftenAsANewOne) {
  begin_books();
  Request request;
  ASSERT_EQ(books->begin(100'000, request), Status::success);
  request.beginnings = request.looks_for_room = 3;
  books->answered(request, true);
  EXPECT_EQ(request.beginnings, 0);
  EXPECT_EQ(request.looks_for_room, 0);
}

TEST_F(PoolBooks, AtTheLimitOneWaitsForTheOtherThreadThatIsAllocating) {
  options.max_bytes = 130'000;
  options.callbacks = {};
  begin_books();
  Request first;
  const Step step = begin_request(first, 100'000);
  ASSERT_EQ(step.kind, Kind::allocate);
  Request second;
  EXPECT_EQ(begin_request(second, 100'000).kind, Kind::wait)
      << "the limit would be exceeded by both, and the first may come back";
  allocate_chunk(first, step.amount);
  ASSERT_EQ(books->next(first).kind, Kind::done);
  hand_out(*first.block);
  books->free(*first.block, 0);
  books->waited(second, Waited::helped);
  EXPECT_NE(serve(second), nullptr);
  EXPECT_EQ(steps, Steps{"done"});
  books->free(*second.block, 0);
}

}  // namespace
}  // namespace clpool::core
