// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Books by themselves: the order of the stages of a request, and what goes back when.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "pool_books.hpp"

namespace clpool::core {
namespace {

TEST_F(PoolBooks, TheCollectorIsAskedBeforeChunksGoBack) {
  begin_books();
  PoolBlock* const held = serve(100'000);
  ASSERT_NE(held, nullptr);
  books->free(*held, 0);
  const std::string ask = allocate_step(200'000);
  capacity = 250'000;
  PoolBlock* const block = serve(200'000);
  EXPECT_EQ(steps, (Steps{ask, "collect", ask, "release garbage", ask, "done"}));
  ASSERT_NE(block, nullptr);
  books->free(*block, 0);
}

TEST_F(PoolBooks, TheDriverIsAskedAgainWhenEndedPoolsGaveSomethingBack) {
  begin_books();
  capacity = 0;
  const std::string ask = allocate_step(100'001);
  pools_to_end = 1;
  EXPECT_EQ(serve(100'001), nullptr);
  EXPECT_EQ(steps, (Steps{ask, ask, "collect", ask, "allocate 100001", "ask user", "fail"}))
      << "once before the user is told anything";
}

TEST_F(PoolBooks, WhatTheCollectorReleasesServesWithoutTheDriver) {
  begin_books();
  PoolBlock* const used = serve(100'000);
  capacity = taken;
  Request request;
  ASSERT_EQ(books->begin(100'000, request), Status::success);
  for (;;) {
    const Step step = books->next(request);
    if (step.kind == Kind::collect) {
      books->free(*used, 0);
      steps.clear();
    }
    if (!perform(request, step)) {
      break;
    }
  }
  EXPECT_EQ(steps, (Steps{"collect", "done"}));
  EXPECT_EQ(request.block, used);
  books->free(*used, 0);
}

TEST_F(PoolBooks, NoMoreChunksGoBackThanItTakes) {
  begin_books();
  std::vector<PoolBlock*> held;
  for (const std::size_t size : {10'000U, 50'000U, 20'000U, 30'000U}) {
    held.push_back(serve(size));
  }
  for (PoolBlock* const block : held) {
    books->free(*block, 0);
  }
  const std::uint64_t largest = books->strategy().rounded(50'000);
  options.callbacks.collect = nullptr;
  capacity = taken - largest + books->strategy().rounded(51'000);
  const std::uint64_t before = taken;
  PoolBlock* const block = serve(55'000);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(taken, before - largest - books->strategy().rounded(30'000) + block->Block::size)
      << "the largest first, and no more of them";
  books->free(*block, 0);
}

TEST_F(PoolBooks, TheExactSizeIsTriedWhenTheRoundedOneIsNotToBeHad) {
  begin_books();
  const std::size_t size = 100'001;
  const std::string ask = allocate_step(size);
  capacity = size;
  PoolBlock* const block = serve(size);
  EXPECT_EQ(steps, (Steps{ask, "collect", ask, "allocate 100001", "done"}));
  ASSERT_NE(block, nullptr);
  books->free(*block, 0);
}

TEST_F(PoolBooks, TheExactSizeComesAfterChunksWentBack) {
  begin_books();
  const std::size_t size = 100'001;
  const std::string ask = allocate_step(size);
  PoolBlock* const held = serve(50'000);
  books->free(*held, 0);
  capacity = size;
  PoolBlock* const block = serve(size);
  EXPECT_EQ(steps, (Steps{ask, "collect", ask, "release garbage", ask, "allocate 100001", "done"}));
  ASSERT_NE(block, nullptr);
  books->free(*block, 0);
}

TEST_F(PoolBooks, ChunksGoBackForTheExactSizeWhereTheLimitHasNoRoomForTheRoundedOne) {
  const std::size_t size = 100'001;
  options.max_bytes = size;
  begin_books();
  books->free(*serve(50'000), 0);
  PoolBlock* const block = serve(size);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(taken, size);
  books->free(*block, 0);
}

TEST_F(PoolBooks, WhoeverWaitsHearsOfChunksAndOfRefusals) {
  begin_books();
  capacity = 10'000;
  for (const std::size_t size : {1000U, 100'000U}) {
    Request request;
    ASSERT_EQ(books->begin(size, request), Status::success);
    Step step = books->next(request);
    while (step.kind != Kind::allocate) {
      ASSERT_TRUE(perform(request, step));
      step = books->next(request);
    }
    const std::uint64_t turn = books->turn();
    ASSERT_TRUE(perform(request, step));
    EXPECT_NE(books->turn(), turn) << size;
    if (PoolBlock* const block = serve(request); block != nullptr) {
      books->free(*block, 0);
    }
  }
}

TEST_F(PoolBooks, TheCallsThatNewChunksCostAreKnownAtOnce) {
  options.strategy = StrategyKind::coalescing;
  rules.granule = 256;
  begin_books();
  books->free(*serve(1'000'000'000), 0);  // it has had more, so that nothing goes back
  books->give_back_some(1);
  books->free(*serve(100'000'000), 0);
  std::vector<PoolBlock*> used;
  for (int i = 0; i < 60; ++i) {
    used.push_back(serve(3'000'000));
  }
  EXPECT_GT(books->strategy().chunks().count, 10u);
  EXPECT_EQ(steps, Steps{"done"}) << "there are too few for ever more small chunks";
  for (PoolBlock* const block : used) {
    books->free(*block, 0);
  }
}

TEST_F(PoolBooks, CallsThatRequestsEarnAreSeenByAndBy) {
  options.strategy = StrategyKind::coalescing;
  rules.granule = 256;
  begin_books();
  books->free(*serve(1'000'000'000), 0);  // it has had more, so that nothing goes back
  books->give_back_some(1);
  books->free(*serve(100'000'000), 0);
  std::vector<PoolBlock*> used;
  do {
    used.push_back(serve(7'000'000));
  } while (used.back()->chunk->size != 100'000'000 && used.size() < 80);
  ASSERT_EQ(used.back()->chunk->size, 100'000'000u) << "what is whole is cut up";
  books->free(*used.back(), 0);
  world.served = 1'000'000;
  world.asked_for_requests = 0;
  bool has_grown = false;
  int requests = 0;
  for (; !has_grown && requests < 100; ++requests) {
    used.back() = serve(7'000'000);
    has_grown = steps.front() != "done";
    if (!has_grown) {
      books->free(*used.back(), 0);
    }
  }
  ASSERT_TRUE(has_grown) << "what is whole is not cut up any more";
  EXPECT_GT(requests, 1);
  EXPECT_LE(world.asked_for_requests, 3u) << "adding them up is not for every request";
  for (PoolBlock* const block : used) {
    books->free(*block, 0);
  }
}

TEST_F(PoolBooks, TheUserIsAskedLastAndMayRefuse) {
  begin_books();
  capacity = 0;
  const std::string ask = allocate_step(100'001);
  EXPECT_EQ(serve(100'001), nullptr);
  EXPECT_EQ(steps, (Steps{ask, "collect", ask, "allocate 100001", "ask user", "fail"}));
  EXPECT_FALSE(books->help_is_under_way(Request())) << "something stays reserved";
}

TEST_F(PoolBooks, EverythingIsTriedAgainWhenTheUserWantsIt) {
  begin_books();
  capacity = 0;
  attempts = 3;
  EXPECT_EQ(serve(100'001), nullptr);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "ask user"), 3);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "collect"), 3);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), allocate_step(100'001)), 6);
}

TEST_F(PoolBooks, AFailureThatIsNotOfMemoryEndsTheRequestAtOnce) {
  begin_books();
  Request request;
  ASSERT_EQ(begin_request(request, 1000).kind, Kind::allocate);
  books->refused(request, Status::opencl, -34);
  EXPECT_EQ(books->next(request).kind, Kind::fail);
  EXPECT_EQ(request.failure, Status::opencl);
  EXPECT_FALSE(books->help_is_under_way(request));
}

TEST_F(PoolBooks, ARequestFromWithinAsksNobodyAndWaitsForNobody) {
  begin_books();
  world.queues = true;
  world.settles = true;
  PoolBlock* const used = serve(100'000);
  HeldBack list;
  books->hold_back(list, *used, 1);
  capacity = taken;
  const std::string ask = allocate_step(100'001);
  EXPECT_EQ(serve(100'001, true), nullptr);
  for (const char* never : {"wait", "collect", "ask user"}) {
    EXPECT_EQ(std::count(steps.begin(), steps.end(), never), 0) << never;
  }
  EXPECT_EQ(std::count(steps.begin(), steps.end(), ask), 1);
  // The same request from outside does all of it.
  EXPECT_EQ(serve(100'001), nullptr);
  for (const char* once : {"wait", "collect", "ask user"}) {
    EXPECT_EQ(std::count(steps.begin(), steps.end(), once), 1) << once;
  }
  EXPECT_TRUE(books->free_completed(list, 1, 0));
}

TEST_F(PoolBooks, OneWaitsOnlyForWhatIsOnItsWay) {
  begin_books();
  PoolBlock* const used = serve(100'000);
  capacity = taken;
  EXPECT_EQ(serve(100'000), nullptr);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "wait"), 0) << "nothing is held back";
  HeldBack list;
  books->hold_back(list, *used, 1);
  EXPECT_EQ(serve(100'000), nullptr);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "wait"), 1) << "in vain once is enough";
  EXPECT_TRUE(books->free_completed(list, 1, 0));
  PoolBlock* const again = serve(100'000);
  EXPECT_EQ(again, used);
  books->free(*again, 0);
  EXPECT_EQ(books->pending_blocks(), 0u);
  EXPECT_EQ(books->pending_bytes(), 0u);
}

TEST_F(PoolBooks, TheHeldLimitIsKeptAlthoughTheLargestChunkIsBusy) {
  options.max_held_bytes = 1;
  world.queues = true;
  begin_books();
  PoolBlock* const small = serve(10'000);
  PoolBlock* const large = serve(100'000);
  PoolBlock* const medium = serve(50'000);
  const std::uint64_t bytes = large->Block::size;
  books->free(*large, 1);
  books->free(*small, 0);
  books->free(*medium, 0);
  release_garbage();
  EXPECT_EQ(taken, bytes) << "only the busy one stays";
  books->keep_to_held_limit();
  release_garbage();
  EXPECT_EQ(taken, bytes);
  world.complete = 1;
  books->keep_to_held_limit();
  release_garbage();
  EXPECT_EQ(taken, 0u);
}

/// Of memory that commands may use of which nobody told.
TEST_F(PoolBooks, ChunksThatHaveToStayAreNotLookedAtWithEachRelease) {
  options.max_held_bytes = 1;
  rules.outlives_release = false;
  begin_books();
  std::vector<PoolBlock*> blocks;
  for (std::size_t i = 0; i < 1000; ++i) {
    blocks.push_back(serve(10'000));
    pool_chunk(*blocks.back()->chunk).unknown_uses = true;
  }
  PoolBlock* const known = serve(10'000);
  world.asked_for_queues = 0;
  for (PoolBlock* const block : blocks) {
    books->free(*block, 0);
  }
  EXPECT_LT(world.asked_for_queues, 10'000U);
  const std::uint64_t before = taken;
  const std::uint64_t bytes = known->Block::size;
  books->free(*known, 0);
  release_garbage();
  EXPECT_EQ(taken, before - bytes) << "it may go";
}

TEST_F(PoolBooks, ASizeThatNoDeviceCouldServeIsRefused) {
  begin_books();
  Request request;
  EXPECT_EQ(books->begin(PTRDIFF_MAX, request), Status::success);
  EXPECT_EQ(books->begin(std::size_t{PTRDIFF_MAX} + 1, request), Status::invalid_value);
}

TEST_F(PoolBooks, ARequestOfNoBytesTakesOneWhereNothingElseIsAllowed) {
  options.strategy = StrategyKind::coalescing;
  rules.granule = 1024;
  rules.max_chunk_bytes = 512;
  begin_books();
  Request request;
  ASSERT_EQ(books->begin(0, request), Status::success);
  EXPECT_EQ(request.rounded, 1u);
  expect_served(request);
  TearDown();
  rules.max_chunk_bytes = 0;
  options.max_bytes = 1;
  begin_books();
  PoolBlock* const least = serve(0);
  ASSERT_NE(least, nullptr);
  books->free(*least, 0);
}

TEST_F(PoolBooks, ASizeThatRoundingUpTakesBeyondAllNumbersIsRefusedByName) {
  options.strategy = StrategyKind::coalescing;
  rules.granule = std::uint64_t{1} << 63;
  rules.margin = 64;
  begin_books();
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{PTRDIFF_MAX}}) {
    Request request;
    const Status status = books->begin(size, request);
    EXPECT_EQ(status, size == PTRDIFF_MAX ? Status::invalid_value : Status::success) << size;
    if (status != Status::success) {
      EXPECT_NE(std::strstr(last_error_message(), "multiples of 9223372036854775808"), nullptr)
          << last_error_message();
    }
  }
}

TEST_F(PoolBooks, OnlyARequestWhoseRoundedSizeTheDeviceAllowsIsRounded) {
  for (const std::uint64_t most : {1000, 1010, 1023}) {
    rules.max_chunk_bytes = most;
    begin_books();
    Request request;
    EXPECT_EQ(books->begin(most + 1, request), Status::invalid_value);
    ASSERT_EQ(books->begin(1000, request), Status::success);
    EXPECT_EQ(request.rounded, most == 1023 ? 1023u : 1000u) << most;
  }
}

TEST_F(PoolBooks, ARequestForWhichNothingCameFreeDoesNotBeginAnew) {
  options.callbacks = {};
  for (const Kind last : {Kind::allocate, Kind::end_pools}) {
    options.max_bytes = last == Kind::allocate ? UINT64_MAX : 150'000;
    capacity = UINT64_MAX;
    world.settles = false;
    begin_books();
    books->free(*serve(100'000), 0);
    capacity = taken;
    Request request;
    ASSERT_EQ(books->begin(200'000, request), Status::success);
    steps.clear();
    for (Step step = books->next(request); perform(request, step); step = books->next(request)) {
      world.settles = world.settles || step.kind == last;  // too late
    }
    EXPECT_TRUE(world.settles);
    EXPECT_EQ(std::count(steps.begin(), steps.end(), "settle"), 0);
    TearDown();
  }
}

TEST_F(PoolBooks, CountHowOftenMemoryWasOut) {
  options.callbacks = {};
  for (const bool has_limit : {true, false}) {
    options.max_bytes = has_limit ? 150'000 : UINT64_MAX;
    capacity = 150'000;
    begin_books();
    EXPECT_EQ(serve(200'000), nullptr);
    PoolStats stats;
    books->add_to(stats);
    EXPECT_EQ(stats.out_of_memory_events, 2u) << "for the rounded size, and for the exact one";
  }
}

TEST_F(PoolBooks, ABusyChunkStaysWhileThePoolGrows) {
  options.strategy = StrategyKind::coalescing;
  world.queues = true;
  begin_books();
  books->free(*serve(1'000'000), 1);
  PoolBlock* const block = serve(2'000'000);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "release garbage"), 0);
  books->free(*block, 0);
}

TEST_F(PoolBooks, WhatIsHeldBackIsMarkedAndCounted) {
  begin_books();
  PoolBlock* const block = serve(1000);
  HeldBack list;
  books->hold_back(list, *block, 1);
  EXPECT_TRUE(is_held_back(*block)) << "pictures tell it from what is cached";
  EXPECT_EQ(books->pending_bytes(), block->capacity);
  EXPECT_TRUE(books->free_completed(list, 1, 0));
}

TEST_F(PoolBooks, WhatAGuardedPoolLetsRestIsMarkedAndCounted) {
  rules.guarded = true;
  begin_books();
  PoolBlock* const block = serve(1000);
  books->free(*block, 1);
  EXPECT_TRUE(is_held_back(*block)) << "pictures tell it from what is cached";
  EXPECT_EQ(books->pending_bytes(), block->capacity);
  EXPECT_EQ(books->take_freed(), block);
  books->free_rested(*block);
  EXPECT_EQ(books->pending_bytes(), 0u);
}

TEST_F(PoolBooks, HoldsBackABlockWhateverItWasLinkedTo) {
  begin_books();
  PoolBlock* const other = serve(1000);
  PoolBlock* const block = serve(1000);
  block->next = other;
  HeldBack list;
  books->hold_back(list, *block, 1);
  EXPECT_TRUE(books->free_completed(list, 1, 0));
  EXPECT_EQ(books->strategy().free_bytes(), block->Block::size) << "the other is still in use";
  books->free(*other, 0);
}

TEST_F(PoolBooks, AChunkGoesWhenItWasFreeForAsLongAsThePoolDecays) {
  options.decay_ns = 1000;
  world.now = 5000;
  begin_books();
  PoolBlock* const used = serve(2000);
  PoolBlock* const block = serve(1000);
  books->free(*used, 0);
  ASSERT_EQ(serve(2000), used);
  books->free(*block, 0);
  world.now = 5999;
  books->give_back_aged();
  EXPECT_TRUE(books->garbage().empty()) << "not as long yet";
  world.now = 6000;
  books->give_back_aged();
  release_garbage();
  EXPECT_EQ(taken, used->Block::size) << "what is in use stays, however long it was free before";
  books->free(*used, 0);
}

TEST_F(PoolBooks, WhatHasDecayedGoesBeforeThePoolGrows) {
  options.decay_ns = 1000;
  begin_books();
  books->free(*serve(1000), 0);
  world.now += 1000;
  PoolBlock* const block = serve(2000);
  EXPECT_EQ(steps, (Steps{"release garbage", allocate_step(2000), "done"}));
  books->free(*block, 0);
}

/// Also where the pool had more before, so that nothing else asks whether the chunk is idle.
TEST_F(PoolBooks, WhetherWhatHasDecayedIsIdleIsLookedAtBeforeThePoolGrows) {
  world.queues = true;
  for (const std::uint64_t decay_ns : {0, 1000}) {
    options.decay_ns = decay_ns;
    begin_books();
    books->free(*serve(100'000), 0);
    books->give_back_some(1);
    release_garbage();
    books->free(*serve(1000), 0);
    PoolBlock* const block = serve(2000);
    EXPECT_EQ(std::count(steps.begin(), steps.end(), "look"), decay_ns != 0 ? 1 : 0);
    books->free(*block, 0);
    TearDown();
  }
}

TEST_F(PoolBooks, NoMoreDecaysThanIsHeldBeyondTheThreshold) {
  options.decay_ns = 1000;
  options.release_threshold = 2500;
  begin_books();
  PoolBlock* const blocks[] = {serve(1000), serve(2000), serve(3000)};
  for (PoolBlock* const block : blocks) {
    books->free(*block, 0);
  }
  world.now += 1000;
  books->give_back_aged();
  release_garbage();
  EXPECT_EQ(taken, 1023u) << "the largest go first, down to the threshold";
  books->give_back_aged();
  release_garbage();
  EXPECT_EQ(taken, 1023u) << "nothing is held beyond it";
}

TEST_F(PoolBooks, WhatIsHeldBackMakesAPoolGrowByNoMoreThanTheSlackLeaves) {
  constexpr std::uint64_t mib = 1 << 20;
  options.strategy = StrategyKind::coalescing;
  options.min_chunk_bytes = 64 * mib;
  rules.granule = 256;
  begin_books();
  PoolBlock* const used = serve(1024 * mib + 256);
  HeldBack list;
  books->hold_back(list, *serve(100 * mib), 1);
  ASSERT_NE(books->slack() % 256, 0u);
  const std::uint64_t left = (books->slack() - 100 * mib) / 256 * 256;
  PoolBlock* const block = serve(mib);
  EXPECT_EQ(steps.front(), "allocate " + std::to_string(left));
  EXPECT_TRUE(books->free_completed(list, 1, 0));
  books->free(*block, 0);
  books->free(*used, 0);
}

TEST_F(PoolBooks, SomeFreeChunksGoBackAtATime) {
  begin_books();
  for (const bool is_end : {false, true}) {
    std::vector<PoolBlock*> blocks;
    for (int i = 0; i < 5; ++i) {
      blocks.push_back(serve(1000));
    }
    for (PoolBlock* const block : blocks) {
      books->free(*block, 0);
    }
    EXPECT_TRUE(is_end ? books->give_back_at_end(2) : books->give_back_some(2));
    release_garbage();
    EXPECT_EQ(books->strategy().chunks().count, 3u);
    EXPECT_TRUE(books->trim_some(0, 2));
    release_garbage();
    EXPECT_EQ(books->strategy().chunks().count, 1u);
  }
}

TEST_F(PoolBooks, WhatIsHeldBackCountsAsHeld) {
  begin_books();
  PoolBlock* const pending = serve(10'000);
  PoolBlock* const free = serve(50'000);
  HeldBack list;
  books->hold_back(list, *pending, 1);
  books->free(*free, 0);
  EXPECT_FALSE(books->trim_some(pending->capacity + free->capacity, 10));
  EXPECT_TRUE(books->trim_some(pending->capacity + free->capacity - 1, 10));
  EXPECT_TRUE(books->free_completed(list, 1, 0));
}

TEST_F(PoolBooks, AreOverTheHeldLimitOnlyWithMoreThanThatAndWhatCouldGo) {
  options.max_held_bytes = 10'000;
  world.queues = true;
  begin_books();
  PoolBlock* const small = serve(1000);
  PoolBlock* const large = serve(20'000);
  PoolBlock* const pending = serve(20'000);
  EXPECT_FALSE(books->over_held_limit());
  books->free(*small, 1);
  EXPECT_FALSE(books->over_held_limit());
  books->free(*large, 1);
  EXPECT_TRUE(books->over_held_limit());
  world.complete = 1;
  books->keep_to_held_limit();
  EXPECT_FALSE(books->over_held_limit());
  books->free(*serve(1000), 0);
  books->give_back_some(10);
  HeldBack list;
  books->hold_back(list, *pending, 1);
  EXPECT_TRUE(books->over_held_limit()) << "it may be through by now";
  EXPECT_TRUE(books->free_completed(list, 1, 0));
  EXPECT_FALSE(books->over_held_limit()) << "it has gone";
}

TEST_F(PoolBooks, AreOverTheHeldLimitWithAnythingWhereHoldingHasStopped) {
  options.max_held_bytes = UINT64_MAX;
  rules.outlives_release = false;
  world.queues = true;
  begin_books();
  PoolBlock* const block = serve(20'000);
  books->hold(false);
  EXPECT_FALSE(books->over_held_limit());
  books->free(*block, 1);
  EXPECT_TRUE(books->over_held_limit()) << "its queue is busy";
  books->keep_to_held_limit();
  EXPECT_TRUE(books->over_held_limit());
  world.complete = 1;
  books->keep_to_held_limit();
  EXPECT_FALSE(books->over_held_limit());
}

TEST_F(PoolBooks, ABusyChunkIsFoundBehindIdleOnes) {
  rules.outlives_release = false;
  world.queues = true;
  begin_books();
  PoolBlock* const small = serve(1000);
  PoolBlock* const large = serve(20'000);
  books->free(*large, 0);
  EXPECT_FALSE(books->has_busy_chunk());
  books->free(*small, 1);
  EXPECT_TRUE(books->has_busy_chunk());
  world.complete = 1;
  EXPECT_FALSE(books->has_busy_chunk());
}

TEST_F(PoolBooks, BlocksThatComeHomeAreAskedForSomeAtATimeBeforeThePoolGrows) {
  begin_books();
  world.coming_home = 5;
  PoolBlock* const block = serve(100'000);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(steps_home, 5u);
  books->free(*block, 0);
}

TEST_F(PoolBooks, ABlockThatComesHomeServesTheRequestWithoutTheRest) {
  begin_books();
  PoolBlock* const used = serve(100'000);
  world.coming_home = 5;
  Request request;
  ASSERT_EQ(books->begin(100'000, request), Status::success);
  ASSERT_EQ(books->next(request).kind, Kind::empty_caches);
  books->free(*used, 0);
  EXPECT_EQ(serve(request), used);
  EXPECT_EQ(steps, Steps{"done"});
  EXPECT_EQ(steps_home, 0u);
  books->free(*used, 0);
}

TEST_F(PoolBooks, AllCachesAreEmptiedBeforeAnybodyIsAskedForMemory) {
  begin_books();
  capacity = 0;
  Request request;
  ASSERT_EQ(books->begin(100'000, request), Status::success);
  bool emptied = false;
  for (;;) {
    const Step step = books->next(request);
    ASSERT_NE(step.kind, Kind::fail);
    ASSERT_TRUE(emptied || (step.kind != Kind::end_pools && step.kind != Kind::collect));
    emptied = emptied || step.kind == Kind::empty_all_caches;
    if (step.kind == Kind::collect) {
      return;
    }
    ASSERT_TRUE(perform(request, step));
  }
}

TEST_F(PoolBooks, MemoryThatComesFreeDuringAStepServesTheRequest) {
  begin_books();
  PoolBlock* const used = serve(100'000);
  capacity = taken;
  Request request;
  ASSERT_EQ(books->begin(100'000, request), Status::success);
  Step step = books->next(request);
  while (step.kind != Kind::allocate) {
    ASSERT_EQ(step.kind, Kind::empty_caches);
    step = books->next(request);
  }
  books->refused(request, Status::out_of_memory, out_of_device_memory);
  books->free(*used, 0);
  EXPECT_EQ(serve(request), used);
  EXPECT_EQ(steps, Steps{"done"});
  books->free(*used, 0);
}

}  // namespace
}  // namespace clpool::core
