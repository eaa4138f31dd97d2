// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Books by themselves: requests that are served without any step, and blocks that never come back to the books.
#include <vector>

#include "pool_books.hpp"

namespace clpool::core {
namespace {

class PoolBooksAtOnce : public PoolBooksOfThreads {
 protected:
  void SetUp() override {
    PoolBooksOfThreads::SetUp();
    options.strategy = StrategyKind::coalescing;
  }
  Request begun(std::size_t size, std::uint32_t account = 1) {
    Request request = request_of(account);
    EXPECT_EQ(books->begin(size, request), Status::success);
    books->note_beginning(request);
    return request;
  }
};

TEST_F(PoolBooksAtOnce, AFreeBlockServesARequestWithoutAStep) {
  begin_books();
  PoolBlock* const used = serve(4096);  // the rest of its chunk was in nobody's hands yet
  Request request = begun(4096);
  ASSERT_TRUE(books->serves_at_once(request));
  ASSERT_NE(request.block, nullptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(request.block->pointer),
            pool_chunk(*request.block->chunk).memory.value + request.block->offset);
  EXPECT_FALSE(request.block->virgin);
  hand_out(*request.block);
  books->free(*request.block, 0);
  books->free(*used, 0);
}

TEST_F(PoolBooksAtOnce, WithoutAFreeBlockTheStepsFollow) {
  begin_books();
  Request request = begun(mib);
  EXPECT_FALSE(books->serves_at_once(request));
  EXPECT_EQ(request.block, nullptr);
  expect_served(request);
  EXPECT_EQ(steps.back(), "done");
}

/// What came free since is looked for anew.
TEST_F(PoolBooksAtOnce, WhatComesFreeBeforeTheNextStepIsFound) {
  begin_books();
  PoolBlock* const block = serve(mib);
  Request request = begun(mib);
  EXPECT_FALSE(books->serves_at_once(request));
  books->free(*block, 0);
  expect_served(request);
  EXPECT_EQ(steps, Steps{"done"});
}

TEST_F(PoolBooksAtOnce, AHandleIsMadeByAStep) {
  rules.has_handles = true;
  begin_books();
  PoolBlock* const used = serve(mib / 4);
  Request request = begun(mib / 8);
  EXPECT_FALSE(books->serves_at_once(request));
  EXPECT_NE(request.block, nullptr) << "the block is found";
  expect_served(request);
  EXPECT_EQ(steps, (Steps{"make handle", "done"}));
  books->free(*used, 0);
}

TEST_F(PoolBooksAtOnce, NoneIsServedThatMayHaveToWait) {
  begin_books();
  books->hold_back(list, serve_for(1, 64 * mib), 1);
  books->free(*serve(mib), 0);
  Request request = begun(mib);
  EXPECT_FALSE(books->serves_at_once(request)) << "more than may be held back would be";
  EXPECT_EQ(request.block, nullptr);
}

TEST_F(PoolBooksAtOnce, NoneIsServedWhereSomebodyIsInLine) {
  options.max_bytes = 8 * mib;
  begin_books();
  PoolBlock& free_one = serve_for(1, mib);
  books->hold_back(list, serve_for(1, 5 * mib), 1);
  books->free(free_one, 0);
  Request first = begun(4 * mib, 2);  // there is room for half of it
  run_to(first, Kind::settle);
  Request request = begun(mib);
  EXPECT_FALSE(books->serves_at_once(request));
  EXPECT_EQ(request.block, nullptr);
  books->leave_line(first);
}

TEST_F(PoolBooksAtOnce, NoneIsServedWithoutRoomWhileOthersAreHeldBack) {
  options.max_bytes = 8 * mib;
  begin_books();
  PoolBlock& free_one = serve_for(1, 4 * mib);
  books->hold_back(list, serve_for(1, 4 * mib), 1);
  books->free(free_one, 0);
  Request request = begun(mib);
  EXPECT_FALSE(books->serves_at_once(request));
  books->free_completed(list, 1, 0);
  request = begun(mib);
  EXPECT_TRUE(books->serves_at_once(request)) << "nothing is held back";
  hand_out(*request.block);
  books->free(*request.block, 0);
}

/// Though it counts as come free for those that wait.
TEST_F(PoolBooksAtOnce, ABlockThatIsKeptDoesNotComeBack) {
  begin_books();
  PoolBlock& block = serve_for(1, mib);
  books->hold_back(list, block, 1);
  const std::uint64_t free = books->strategy().free_bytes();
  world.keeps = true;
  EXPECT_TRUE(books->free_completed(list, 1, 0));
  EXPECT_EQ(books->pending_bytes(), 0u);
  EXPECT_EQ(books->freed_bytes(), mib);
  EXPECT_EQ(books->strategy().free_bytes(), free);
  EXPECT_EQ(world.kept, std::vector<PoolBlock*>{&block});
  world.keeps = false;
  books->free(block, 0);
}

}  // namespace
}  // namespace clpool::core
