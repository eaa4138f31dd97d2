// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Books by themselves: requests that the driver or the pool's own limit refuses, who hears of what, and how often the driver is
// asked.
#include <algorithm>
#include <string>
#include <vector>

#include "pool_books.hpp"

namespace clpool::core {
namespace {

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
  Step step = run_to(request, Kind::end_pools);
  ASSERT_TRUE(perform(request, step));
  ++world.gave_back;
  capacity = 1'000'000;
  expect_served(request);
}

TEST_F(PoolBooks, ARequestThatNothingCanHelpAnyMoreEndsWithoutAnotherWait) {
  options.callbacks = {};
  begin_books();
  capacity = 0;
  Request first;
  ASSERT_EQ(begin_request(first, 100'000).kind, Kind::allocate);
  Request second;
  ASSERT_EQ(books->begin(100'000, second), Status::success);
  run_to(second, Kind::wait);
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
  expect_served(request);
}

TEST_F(PoolBooks, WhoeverWaitsForTheDriverIsNotToldThatAnotherWasRefused) {
  options.callbacks = {};
  begin_books();
  Request other;
  ASSERT_EQ(begin_request(other, 100'000).kind, Kind::allocate);
  capacity = 0;
  Request request;
  ASSERT_EQ(books->begin(50'000, request), Status::success);
  run_to(request, Kind::wait);
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
    run_to(request, Kind::fail, &kinds);
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

TEST_F(PoolBooks, AtTheLimitThereIsRoomForWhatIsOnItsWayToTheDriver) {
  options.max_bytes = 130'000;
  options.callbacks.collect = nullptr;
  begin_books();
  PoolBlock* const block = serve(100'000);
  ASSERT_NE(block, nullptr);
  books->free(*block, 0);
  books->give_back_some(1);
  ASSERT_FALSE(books->garbage().empty());
  PoolBlock* const next = serve(120'000);
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(steps, (Steps{"release garbage", allocate_step(120'000), "done"}));
  PoolStats stats;
  books->add_to(stats);
  EXPECT_EQ(stats.out_of_memory_events, 0U) << "nothing was refused";
  books->free(*next, 0);
}

}  // namespace
}  // namespace clpool::core
