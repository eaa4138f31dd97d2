// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Books by themselves: the order of the stages of a request, and a model of a whole pool, with an allocator
// that has a limit and fails, queues that complete late, in any order or never, and several requests whose
// steps interleave in every way that threads could make them.
#include "pool/books/books.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "pool/bins.hpp"
#include "pool/pool_block.hpp"

namespace clpool::core {
namespace {

using Kind = Step::Kind;

constexpr cl_int out_of_device_memory = -4;

/// What a pool does when it hands a block out, as far as the books see it.
void hand_out(PoolBlock& block) {
  block.capacity = block.Block::size;
  block.next = nullptr;
  block.tag = 0;
  block.attachment = nullptr;
  block.bin = 0;
}

/// The world of named tests: figures that a test sets.
struct StillWorld final : Surroundings {
  std::uint64_t served = 0;
  bool queues = false;
  bool settles = false;
  std::uint64_t complete = 0;
  std::uint64_t now = 1;
  std::uint64_t coming_home = 0;    ///< in so many steps
  mutable std::uint64_t asked = 0;  ///< how often it was asked whether some chunk is idle
  mutable std::uint64_t asked_for_requests = 0;
  std::uint64_t requests() const noexcept override {
    ++asked_for_requests;
    return served;
  }
  bool has_queues() const noexcept override { return queues; }
  bool may_settle(std::uint64_t) const noexcept override { return settles; }
  std::uint64_t completed() const noexcept override {
    ++asked;
    return complete;
  }
  std::uint64_t now_ns() const noexcept override { return now; }
  bool blocks_come_home() const noexcept override { return coming_home > 0; }
  bool turns = false;  ///< handles must have been used once
  bool uses_parts_once() const noexcept override { return turns; }
};

PoolOptions binned_options() {
  PoolOptions options;
  options.strategy = StrategyKind::binned;
  options.leading_bits = 4;
  options.wait_ns = 1000;
  options.callbacks.collect = [](void*) {};
  options.callbacks.out_of_memory = [](void*, std::uint64_t, std::uint32_t) { return 0; };
  return options;
}

/// Runs requests step by step and writes down the steps that leave the books.
class PoolBooks : public testing::Test {
 protected:
  void begin_books() { books = std::make_unique<Books>(options, rules, world); }
  void TearDown() override {
    if (books == nullptr) {
      return;
    }
    release_garbage();
    while (books->give_back_at_end(1)) {
      release_garbage();
    }
    EXPECT_EQ(books->check(), nullptr);
  }

  void release_garbage() {
    std::uint64_t bytes = 0;
    Garbage garbage = books->take_garbage(bytes);
    while (Part* const part = garbage.parts.take()) {
      books->released(*part);
    }
    while (garbage.first != nullptr) {
      const std::unique_ptr<PoolChunk> chunk(&pool_chunk(*std::exchange(garbage.first, garbage.first->next)));
      taken -= chunk->size;
    }
    books->released(bytes);
  }
  void allocate_chunk(Request& request, std::uint64_t bytes) {
    if (bytes > capacity - taken) {
      books->refused(request, Status::out_of_memory, out_of_device_memory);
      return;
    }
    auto chunk = std::make_unique<PoolChunk>();
    chunk->size = bytes;
    chunk->memory.value = next_address;
    next_address += bytes;
    taken += bytes;
    books->arrived(request, std::move(chunk));
  }

  /// Does one step, as a pool does; false at the request's end.
  bool perform(Request& request, const Step& step) {
    switch (step.kind) {
      case Kind::done:
        hand_out(*request.block);
        steps.emplace_back("done");
        return false;
      case Kind::fail:
        steps.emplace_back("fail");
        return false;
      case Kind::release_garbage:
        steps.emplace_back("release garbage");
        release_garbage();
        return true;
      case Kind::make_handle:
        steps.emplace_back("make handle");
        books->handle_made(request, reinterpret_cast<cl_mem>(std::uintptr_t{64} * ++handles), world.turns);
        return true;
      case Kind::allocate:
        steps.push_back("allocate " + std::to_string(step.amount));
        allocate_chunk(request, step.amount);
        return true;
      case Kind::wait:
        steps.emplace_back("wait");
        world.now += step.amount == UINT64_MAX ? 1 : step.amount;
        books->waited(request, true);
        return step.amount != UINT64_MAX;  // else it is for ever
      case Kind::collect:
        steps.emplace_back("collect");
        books->collected(request);
        return true;
      case Kind::ask_user:
        steps.emplace_back("ask user");
        books->answered(request, request.attempt++ < attempts);
        return true;
      case Kind::settle:
        steps.emplace_back("settle");
        world.now += step.amount;
        return true;
      case Kind::end_pools:
        books->pools_ended(request, pools_to_end-- > 0);
        return true;
      case Kind::empty_caches:
        steps_home += world.coming_home > 0 ? 1 : 0;
        world.coming_home -= world.coming_home > 0 ? 1 : 0;
        return true;
      case Kind::poll:
      case Kind::empty_all_caches:
        return true;
      case Kind::end_rest:
        ADD_FAILURE() << "only guarded pools have blocks at rest";
        return false;
    }
    return false;
  }
  /// The block, or null if the request failed.
  PoolBlock* serve(Request& request) {
    steps.clear();
    for (int count = 0; count < 1000; ++count) {
      if (!perform(request, books->next(request))) {
        return request.failure == Status::success ? request.block : nullptr;
      }
    }
    ADD_FAILURE() << "the request does not end";
    return nullptr;
  }
  PoolBlock* serve(std::size_t size, bool inside = false) {
    Request request;
    EXPECT_EQ(books->begin(size, request), Status::success);
    request.inside = inside;
    return serve(request);
  }
  std::string allocate_step(std::size_t size) const {
    return "allocate " + std::to_string(books->strategy().rounded(size));
  }

  using Steps = std::vector<std::string>;

  PoolOptions options = binned_options();
  MemoryRules rules;
  StillWorld world;
  std::unique_ptr<Books> books;
  std::uint64_t capacity = UINT64_MAX;
  std::uint64_t taken = 0;
  std::uint64_t next_address = 1 << 20;
  std::uint64_t handles = 0;
  int pools_to_end = 0;        ///< how often ended pools give something back when they are asked
  std::uint32_t attempts = 1;  ///< how often the user is asked before they say no
  Steps steps;
  std::uint64_t steps_home = 0;  ///< in which blocks came home
};

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
  for (int i = 0; i < 25; ++i) {
    used.push_back(serve(3'000'000));
  }
  EXPECT_GT(books->strategy().chunk_count(), 10u);
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
  } while (steps.front() != "done" && used.size() < 40);
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
  EXPECT_FALSE(books->help_is_under_way()) << "something stays reserved";
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
  ASSERT_EQ(books->begin(1000, request), Status::success);
  Step step = books->next(request);
  while (step.kind == Kind::empty_caches) {
    step = books->next(request);
  }
  ASSERT_EQ(step.kind, Kind::allocate);
  books->refused(request, Status::opencl, -34);
  EXPECT_EQ(books->next(request).kind, Kind::fail);
  EXPECT_EQ(request.failure, Status::opencl);
  EXPECT_FALSE(books->help_is_under_way());
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

TEST_F(PoolBooks, ASizeThatNoDeviceCouldServeIsRefused) {
  begin_books();
  Request request;
  EXPECT_EQ(books->begin(PTRDIFF_MAX, request), Status::success);
  EXPECT_EQ(books->begin(std::size_t{PTRDIFF_MAX} + 1, request), Status::invalid_value);
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
  EXPECT_NE(block->bin, 0u) << "pictures tell it from what is cached";
  EXPECT_EQ(books->pending_bytes(), block->capacity);
  EXPECT_TRUE(books->free_completed(list, 1, 0));
}

TEST_F(PoolBooks, WhatAGuardedPoolLetsRestIsMarkedAndCounted) {
  rules.guarded = true;
  begin_books();
  PoolBlock* const block = serve(1000);
  books->free(*block, 1);
  EXPECT_NE(block->bin, 0u) << "pictures tell it from what is cached";
  EXPECT_EQ(books->pending_bytes(), block->capacity);
  EXPECT_EQ(books->take_freed(), block);
  books->free_rested(*block, 1);
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

TEST_F(PoolBooks, ABlockThatIsHeldBackIsFoundAmongTheOldest) {
  begin_books();
  for (const std::size_t older : {0U, 1U, 64U, 65U}) {
    HeldBack list;
    for (std::size_t i = 0; i < older; ++i) {
      books->hold_back(list, *serve(1000), 1);
    }
    PoolBlock* const wanted = serve(2000);
    books->hold_back(list, *wanted, 1);
    PoolBlock* const taken_back = books->take_held_back(list, wanted->capacity);
    EXPECT_EQ(taken_back, older <= 64 ? wanted : nullptr) << "after " << older;
    books->free_completed(list, 1, 0);
    EXPECT_EQ(books->pending_blocks(), 0u);
    if (taken_back != nullptr) {
      books->free(*taken_back, 0);
    }
  }
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
    EXPECT_EQ(books->strategy().chunk_count(), 3u);
    EXPECT_TRUE(books->trim_some(0, 2));
    release_garbage();
    EXPECT_EQ(books->strategy().chunk_count(), 1u);
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

TEST_F(PoolBooks, AreOverTheHeldLimitOnlyWithMoreThanThatAndAChunkThatCouldGo) {
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
  EXPECT_FALSE(books->over_held_limit()) << "no chunk is free";
  EXPECT_TRUE(books->free_completed(list, 1, 0));
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

/// Sizes are not rounded, so that limits are met exactly.
class PoolBooksAtTheirLimits : public PoolBooks {
 protected:
  void SetUp() override {
    options.callbacks = {};
    options.leading_bits = max_leading_bits;
    world.settles = true;
  }
  bool settles(std::size_t size) {
    PoolBlock* const block = serve(size);
    EXPECT_NE(block, nullptr);
    books->free(*block, 0);
    return std::count(steps.begin(), steps.end(), "settle") != 0;
  }
};

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

TEST_F(PoolBooksAtTheirLimits, ARequestSettlesBeforeItTakesMoreThanThePoolEverHad) {
  begin_books();
  std::vector<PoolBlock*> blocks;
  for (const std::size_t size : {100'000, 100'001, 100'002}) {
    blocks.push_back(serve(size));
  }
  for (PoolBlock* const block : blocks) {
    books->free(*block, 0);
  }
  books->give_back_some(1);
  release_garbage();
  ASSERT_EQ(taken, 200'003u);
  PoolBlock* const kept = serve(100'002);
  EXPECT_FALSE(settles(100'000)) << "as much as it had";
  books->give_back_some(1);
  release_garbage();
  books->give_back_some(1);
  release_garbage();
  ASSERT_EQ(taken, 100'002u);
  books->free(*kept, 0);
  EXPECT_FALSE(settles(200'001));
  books->give_back_beyond(taken - 200'001);
  release_garbage();
  EXPECT_TRUE(settles(200'002));
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
  PoolBlock* const block = serve(75'000);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(taken, 105'000u) << "of the three the largest went";
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
    for (Step step = books->next(request); perform(request, step); step = books->next(request)) {
      capacity = step.kind == Kind::settle && taken == 0 ? then : capacity;
    }
    return std::count(steps.begin(), steps.end(), "settle");
  }
  Request request;
};

TEST_F(PoolBooksOfALateDriver, ARequestSettlesForWhatWentBackAndAsksForTheExactSizeToo) {
  const std::size_t size = 200'000;
  EXPECT_EQ(settles(size, false, size), 2) << "before the pool grows, and for the driver";
  ASSERT_NE(request.block, nullptr);
  EXPECT_EQ(request.block->Block::size, size);
  books->free(*request.block, 0);
}

TEST_F(PoolBooksOfALateDriver, ARequestFromWithinDoesNotSettleForIt) {
  EXPECT_EQ(settles(200'000, true, UINT64_MAX), 1);
  EXPECT_EQ(request.block, nullptr);
}

TEST_F(PoolBooksOfALateDriver, WithoutAQueueThereIsNothingToSettleFor) {
  world.queues = false;
  EXPECT_EQ(settles(200'000, false, UINT64_MAX), 1);
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

TEST_F(PoolBooksOfABusyQueue, ARequestSettlesAndWaitsNoLongerThanTheLongestWait) {
  EXPECT_EQ(serve(200'000), nullptr);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "settle"), 2) << "before it grows, and for the driver";
  EXPECT_GE(world.now - began, longest_wait);
  EXPECT_LE(world.now - began, longest_wait + polled_in_passing);
}

TEST_F(PoolBooksOfABusyQueue, WhatARequestSettledForTheDriverCountsAsWaiting) {
  Request request;
  ASSERT_EQ(books->begin(200'000, request), Status::success);
  Step step = books->next(request);
  while (step.kind != Kind::settle || step.amount != longest_wait) {
    ASSERT_TRUE(perform(request, step));
    step = books->next(request);
  }
  world.now += 5'000'000;
  step = books->next(request);
  while (step.kind != Kind::wait) {
    ASSERT_TRUE(perform(request, step));
    step = books->next(request);
  }
  EXPECT_EQ(step.amount, longest_wait - 5'000'000);
  books->waited(request, false);
  EXPECT_EQ(serve(request), nullptr);
}

TEST_F(PoolBooksOfABusyQueue, ARequestWaitsForAFewLongestWaitsWhileOthersAreServed) {
  world.settles = false;
  options.callbacks.collect = [](void*) {};
  steps.clear();
  Request request;
  ASSERT_EQ(books->begin(200'000, request), Status::success);
  std::vector<std::uint64_t> waited;
  for (Step step = books->next(request);; step = books->next(request)) {
    if (step.kind == Kind::wait) {
      waited.push_back(step.amount);
      world.now += step.amount;
      books->released(0);  // something came free, which another one took
      books->waited(request, false);
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
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "wait"), 10);
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

TEST_F(PoolBooks, AtTheLimitOneWaitsForTheOtherThreadThatIsAllocating) {
  options.max_bytes = 130'000;
  options.callbacks = {};
  begin_books();
  Request first;
  ASSERT_EQ(books->begin(100'000, first), Status::success);
  Step step = books->next(first);
  while (step.kind == Kind::empty_caches) {
    step = books->next(first);
  }
  ASSERT_EQ(step.kind, Kind::allocate);
  Request second;
  ASSERT_EQ(books->begin(100'000, second), Status::success);
  Step other = books->next(second);
  while (other.kind == Kind::empty_caches || other.kind == Kind::empty_all_caches ||
         other.kind == Kind::end_pools) {
    other = books->next(second);
  }
  EXPECT_EQ(other.kind, Kind::wait) << "the limit would be exceeded by both, and the first may come back";
  allocate_chunk(first, step.amount);
  ASSERT_EQ(books->next(first).kind, Kind::done);
  hand_out(*first.block);
  books->free(*first.block, 0);
  books->waited(second, false);
  EXPECT_NE(serve(second), nullptr);
  EXPECT_EQ(steps, Steps{"done"});
  books->free(*second.block, 0);
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

// Handles.

class PoolBooksWithHandles : public PoolBooks {
 protected:
  void SetUp() override {
    options.strategy = StrategyKind::coalescing;
    options.min_chunk_bytes = 1 << 20;
    rules.granule = 256;
    rules.has_handles = true;
    begin_books();
  }
};

TEST_F(PoolBooksWithHandles, AHandleThatServesAgainIsNotMadeAgain) {
  PoolBlock* const block = serve(512);
  EXPECT_EQ(steps.back(), "done");
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "make handle"), 1);
  const cl_mem handle = block->handle;
  books->free(*block, 0);
  PoolBlock* const again = serve(512);
  EXPECT_EQ(steps, Steps{"done"});
  EXPECT_EQ(again->handle, handle);
  books->free(*again, 0);
}

TEST_F(PoolBooksWithHandles, AnOverlappingHandleGoesFirst) {
  PoolBlock* const block = serve(512);
  books->free(*block, 0);
  PoolBlock* const larger = serve(1024);
  EXPECT_EQ(steps, (Steps{"release garbage", "make handle", "done"}));
  books->free(*larger, 0);
}

TEST_F(PoolBooksWithHandles, ARequestGoesToThePlaceWhereAHandleOfItsShapeIsAlive) {
  PoolBlock* const first = serve(512);
  PoolBlock* const second = serve(512);
  PoolBlock* const between = serve(256);
  PoolBlock* const other = serve(768);  // the smallest hole for 512 bytes
  PoolBlock* const last = serve(256);
  const cl_mem handle = second->handle;
  for (PoolBlock* const block : {first, second, other}) {
    books->free(*block, 0);
  }
  PoolBlock* const again = serve(512);
  EXPECT_EQ(steps, Steps{"done"});
  EXPECT_EQ(again->handle, handle) << "what was released last";
  PoolBlock* const left = serve(512);
  EXPECT_EQ(steps, Steps{"done"});
  EXPECT_EQ(books->check(), nullptr);
  for (PoolBlock* const block : {between, last, again, left}) {
    books->free(*block, 0);
  }
}

TEST_F(PoolBooksWithHandles, NoHandleIsFoundInAChunkThatIsUsedAsAWhole) {
  PoolBlock* const part = serve(512);
  HeapChunk* const chunk = part->chunk;
  books->free(*part, 0);
  PoolBlock* const whole = serve(chunk->size);
  ASSERT_EQ(whole->chunk, chunk);
  PoolBlock* const next = serve(512);
  EXPECT_NE(next->chunk, chunk);
  books->free(*whole, 0);
  books->free(*next, 0);
}

TEST_F(PoolBooksWithHandles, ARequestWhoseHandleCannotBeMadeGetsAChunkOfItsOwnOrFails) {
  PoolBlock* const other = serve(512);
  for (const bool has_room : {true, false}) {
    capacity = has_room ? UINT64_MAX : taken;
    Request request;
    ASSERT_EQ(books->begin(768, request), Status::success);
    int tries = 0;
    for (int count = 0; count < 1000; ++count) {
      const Step step = books->next(request);
      if (step.kind == Kind::make_handle) {
        ++tries;
        books->handle_failed(request, Status::out_of_memory, -5);
      } else if (!perform(request, step)) {
        break;
      }
    }
    EXPECT_GT(tries, 0);
    EXPECT_LE(tries, 10);
    EXPECT_EQ(books->check(), nullptr);
    if (has_room) {
      ASSERT_EQ(request.failure, Status::success);
      EXPECT_EQ(request.block->Block::size, request.block->chunk->size);
      books->free(*request.block, 0);
      books->give_back_some(100);
      release_garbage();
    } else {
      EXPECT_EQ(request.failure, Status::out_of_memory);
    }
  }
  books->free(*other, 0);
}

TEST_F(PoolBooksWithHandles, AHandleOfTheShapeIsFoundAlsoRightBehindABlockInUse) {
  std::vector<PoolBlock*> kept{serve(256)};
  PoolBlock* const first = serve(512);
  PoolBlock* const second = serve(512);
  kept.push_back(serve(256));
  PoolBlock* const other = serve(768);  // the smallest hole for 512 bytes
  kept.push_back(serve(256));
  const cl_mem handle = first->handle;
  for (PoolBlock* const block : {other, second, first}) {
    books->free(*block, 0);
  }
  kept.push_back(serve(512));
  EXPECT_EQ(steps, Steps{"done"});
  EXPECT_EQ(kept.back()->handle, handle);
  for (PoolBlock* const block : kept) {
    books->free(*block, 0);
  }
}

TEST_F(PoolBooksWithHandles, AFewPlacesAreLookedAtForAHandleOfTheShape) {
  for (const std::size_t in_vain : {7U, 8U}) {
    begin_books();
    std::vector<PoolBlock*> used;
    std::vector<PoolBlock*> newer;
    for (std::size_t i = 0; i < in_vain; ++i) {
      newer.push_back(serve(512));
      newer.push_back(serve(newer.back()->chunk->size - 512));
    }
    PoolBlock* const first = serve(512);
    PoolBlock* const second = serve(512);
    used.push_back(serve(256));
    PoolBlock* const other = serve(768);  // the smallest hole for 512 bytes
    used.push_back(serve(256));
    for (PoolBlock* const block : {first, second, other}) {
      books->free(*block, 0);
    }
    for (PoolBlock* const block : newer) {
      books->free(*block, 0);
    }
    for (std::size_t i = 0; i < in_vain; ++i) {
      used.push_back(serve(1 << 20));
      ASSERT_EQ(used.back()->Block::size, used.back()->chunk->size);
    }
    used.push_back(serve(512));
    EXPECT_EQ(std::count(steps.begin(), steps.end(), "make handle"), in_vain < 8 ? 0 : 1) << in_vain;
    for (PoolBlock* const block : used) {
      books->free(*block, 0);
    }
    PoolBooks::TearDown();
  }
}

TEST_F(PoolBooksWithHandles, AWhollyFreeChunkIsNotCutUpForAHandleWhileThereAreCallsForASmallOne) {
  constexpr std::size_t mib = 1 << 20;
  books->free(*serve(20 * mib), 0);  // it has had more, so that nothing goes back
  books->give_back_some(1);
  books->free(*serve(10 * mib), 0);
  PoolBlock* const large = serve(6 * mib);
  PoolBlock* const most = serve(4 * mib - 4096);
  PoolBlock* const small = serve(512);
  HeapChunk* const chunk = small->chunk;
  ASSERT_EQ(books->strategy().chunk_count(), 1u);
  for (PoolBlock* const block : {large, most, small}) {
    books->free(*block, 0);
  }
  PoolBlock* const again = serve(512);
  EXPECT_NE(again->chunk, chunk);
  EXPECT_EQ(books->strategy().chunk_count(), 2u);
  books->free(*again, 0);
}

TEST_F(PoolBooksWithHandles, TheTouchOfAChunkIsAUseOfIt) {
  Request request;
  ASSERT_EQ(books->begin(512, request), Status::success);
  Step step = books->next(request);
  while (step.kind != Kind::allocate) {
    ASSERT_TRUE(perform(request, step));
    step = books->next(request);
  }
  auto chunk = std::make_unique<PoolChunk>();
  taken = chunk->size = step.amount;
  chunk->ready_epoch = 7;
  books->arrived(request, std::move(chunk));
  EXPECT_EQ(books->newest_stamp(), 7u);
  ASSERT_NE(serve(request), nullptr);
  EXPECT_EQ(request.block->chunk->last_release, 7u);
  books->free(*request.block, 0);
}

TEST_F(PoolBooksWithHandles, AreCountedWhenTheyAreMade) {
  PoolBlock* const block = serve(512);
  books->free(*block, 0);
  ASSERT_EQ(serve(512), block);
  PoolStats stats;
  books->add_to(stats);
  EXPECT_EQ(stats.sub_buffers_created, 1u);
  books->free(*block, 0);
}

TEST_F(PoolBooksWithHandles, ACheckFindsWhatIsWrongWithThoseOfAChunk) {
  PoolBlock* const block = serve(512);
  PoolChunk& chunk = pool_chunk(*block->chunk);
  Part* part = nullptr;
  DyingParts dying;
  ASSERT_EQ(chunk.parts.claim(chunk, 8192, 256, false, part, dying), Parts::Claim::make);
  EXPECT_EQ(books->check(), nullptr);
  part->state = Part::State::unused;
  EXPECT_NE(books->check(), nullptr);
  chunk.parts.made(*part, nullptr, false);
  books->free(*block, 0);
}

TEST_F(PoolBooksWithHandles, ChunksGoBackWhereTheDriverHasNoRoomForAHandle) {
  options.callbacks = {};
  PoolBlock* const held = serve(4 << 20);
  PoolBlock* const used = serve(512);
  books->free(*held, 0);
  capacity = taken;
  Request request;
  ASSERT_EQ(books->begin(768, request), Status::success);
  for (bool goes_on = true; goes_on;) {
    const Step step = books->next(request);
    if (step.kind == Kind::make_handle && taken == capacity) {
      books->handle_failed(request, Status::out_of_memory, -5);
    } else {
      goes_on = perform(request, step);
    }
  }
  EXPECT_EQ(request.failure, Status::success);
  ASSERT_NE(request.block, nullptr);
  books->free(*request.block, 0);
  books->free(*used, 0);
}

/// A driver that has no room for another handle.
class PoolBooksWithoutHandles : public PoolBooksWithHandles {
 protected:
  void SetUp() override {
    PoolBooksWithHandles::SetUp();
    options.callbacks.collect = nullptr;
    used = serve(512);
    capacity = taken;
  }
  void TearDown() override {
    books->free(*used, 0);
    PoolBooksWithHandles::TearDown();
  }
  /// How often it was tried to make a handle, until the request failed.
  int tries(bool others_release) {
    Request request;
    EXPECT_EQ(books->begin(768, request), Status::success);
    int count = 0;
    steps.clear();
    for (bool goes_on = true; goes_on && count < 1000;) {
      const Step step = books->next(request);
      if (step.kind == Kind::make_handle) {
        ++count;
        books->handle_failed(request, Status::out_of_memory, -5);
      } else {
        goes_on = perform(request, step);
      }
      if (others_release) {
        books->released(0);
      }
    }
    EXPECT_EQ(request.failure, Status::out_of_memory);
    return count;
  }
  PoolBlock* used = nullptr;
};

TEST_F(PoolBooksWithoutHandles, ARequestTriesOneMorePlaceBeforeChunksGoBack) {
  options.callbacks = {};
  EXPECT_EQ(tries(false), 2);
}

TEST_F(PoolBooksWithoutHandles, WhoeverWaitsHearsThatARequestHasGivenItsPlaceUp) {
  Request request;
  ASSERT_EQ(books->begin(768, request), Status::success);
  ASSERT_EQ(books->next(request).kind, Kind::make_handle);
  const std::uint64_t turn = books->turn();
  books->handle_failed(request, Status::out_of_memory, -5);
  EXPECT_NE(books->turn(), turn);
  EXPECT_EQ(request.code, -5);
}

TEST_F(PoolBooksWithoutHandles, ARequestGetsAChunkThatNeedsNone) {
  options.callbacks = {};
  capacity = UINT64_MAX;
  for (const bool is_full_by_then : {false, true}) {
    Request request;
    ASSERT_EQ(books->begin(768, request), Status::success);
    ASSERT_EQ(books->next(request).kind, Kind::make_handle);
    books->handle_failed(request, Status::out_of_memory, -5);
    PoolBlock* const rest = is_full_by_then ? serve(used->chunk->size - 512) : nullptr;
    if (rest != nullptr) {
      books->released(0);  // somebody has released something, so that the request begins anew
    }
    PoolBlock* const block = serve(request);
    EXPECT_EQ(steps, (Steps{"allocate 768", "done"})) << "none to be shared";
    ASSERT_NE(block, nullptr);
    books->free(*block, 0);
    if (rest != nullptr) {
      books->free(*rest, 0);
    }
    books->give_back_some(1);
    release_garbage();
  }
}

TEST_F(PoolBooksWithoutHandles, ARequestGivesUpAlthoughOthersReleaseAllTheTime) {
  options.callbacks = {};
  EXPECT_EQ(tries(true), 9);
}

TEST_F(PoolBooksWithoutHandles, TheUserIsAskedAsOftenAsTheyWantItTriedAgain) {
  attempts = 20;
  EXPECT_GE(tries(false), 20);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "ask user"), 20);
}

/// There are too many unused handles, so that the longest unused is to be released: that of the
/// smallest free block.
class PoolBooksWithADyingHandle : public PoolBooksWithHandles {
 protected:
  void SetUp() override {
    PoolBooksWithHandles::SetUp();
    std::vector<PoolBlock*> released{serve(1024)};
    for (std::size_t i = 0; i < Parts::most_unused; ++i) {
      kept.push_back(serve(256));  // between them, so that nothing merges
      released.push_back(serve(2048));
    }
    kept.push_back(serve(256));
    for (PoolBlock* const block : released) {
      books->free(*block, 0);
    }
    ASSERT_FALSE(books->garbage().parts.empty());
  }
  void TearDown() override {
    for (PoolBlock* const block : kept) {
      books->free(*block, 0);
    }
    PoolBooksWithHandles::TearDown();
  }
  std::vector<PoolBlock*> kept;
};

TEST_F(PoolBooksWithADyingHandle, IsReleasedByWhomeverNeedsItGoneIfNobodyElseHasItInHand) {
  Request request;
  ASSERT_EQ(books->begin(512, request), Status::success);
  serve(request);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "wait"), 0) << "it would wait for itself, for ever";
  if (steps.back() != "done") {
    release_garbage();
    serve(request);
  }
  ASSERT_NE(request.block, nullptr);
  kept.push_back(request.block);
}

TEST_F(PoolBooksWithADyingHandle, IsWaitedForWhileAnotherThreadReleasesIt) {
  std::uint64_t bytes = 0;
  Garbage in_hand = books->take_garbage(bytes);
  Request request;
  ASSERT_EQ(books->begin(512, request), Status::success);
  serve(request);
  EXPECT_EQ(steps, Steps{"wait"});
  const std::uint64_t turn = books->turn();
  while (Part* const part = in_hand.parts.take()) {
    books->released(*part);
  }
  EXPECT_NE(books->turn(), turn) << "nobody who waits would look";
  ASSERT_NE(serve(request), nullptr);
  EXPECT_EQ(steps, (Steps{"make handle", "done"}));
  kept.push_back(request.block);
}

TEST_F(PoolBooksWithADyingHandle, IsNotWaitedForFromWithin) {
  // The thread that releases it may be the very one, in a callback.
  std::uint64_t bytes = 0;
  Garbage in_hand = books->take_garbage(bytes);
  Request request;
  ASSERT_EQ(books->begin(512, request), Status::success);
  request.inside = true;
  serve(request);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "wait"), 0);
  ASSERT_NE(request.block, nullptr) << "memory elsewhere serves it";
  kept.push_back(request.block);
  while (Part* const part = in_hand.parts.take()) {
    books->released(*part);
  }
}

TEST_F(PoolBooksWithHandles, AHandleThatWasNotUsedOnceIsMadeAgainFromWhenItMustBe) {
  PoolBlock* const other = serve(256);
  PoolBlock* const block = serve(4096);
  const auto first = reinterpret_cast<std::uintptr_t>(block->handle);
  books->free(*block, 0);
  world.turns = true;
  PoolBlock* const again = serve(4096);
  EXPECT_NE(reinterpret_cast<std::uintptr_t>(again->handle), first);
  const auto second = reinterpret_cast<std::uintptr_t>(again->handle);
  books->free(*again, 0);
  PoolBlock* const last = serve(4096);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(last->handle), second);
  books->free(*last, 0);
  books->free(*other, 0);
}

}  // namespace
}  // namespace clpool::core
