// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Books by themselves: what a request looks at and waits for before the pool takes more than it ever had.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pool_books.hpp"

namespace clpool::core {
namespace {

/// A pool that splits and merges: free chunks go back for new ones there.
class PoolBooksThatExchangeChunks : public PoolBooksAtTheirLimits {
 protected:
  void SetUp() override {
    PoolBooksAtTheirLimits::SetUp();
    options.strategy = StrategyKind::coalescing;
    options.min_chunk_bytes = 1;
    world.queues = true;
  }
  /// Has a free chunk of 100,000 bytes, which queues use.
  void begin_with_a_free_chunk() {
    begin_books();
    books->free(*serve(100'000), world.opened);
  }
};

TEST_F(PoolBooksThatExchangeChunks, ARequestSettlesBeforeItTakesMoreThanThePoolEverHad) {
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
  ASSERT_EQ(taken, 200'001u) << "the largest went";
  world.complete = 0;
  PoolBlock* const same = serve(100'002);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "settle"), 0) << "as much as it had";
  books->free(*same, world.opened);
  ASSERT_EQ(taken, 300'003u);
  EXPECT_TRUE(settles(100'003)) << "what was freed last is busy";
  world.complete = world.opened;
  EXPECT_FALSE(settles(100'005)) << "the free chunks are idle: nothing is to be waited for";
}

TEST_F(PoolBooksAtTheirLimits, ARequestDoesNotSettleForChunksThatWouldNotGo) {
  world.queues = true;
  begin_books();
  books->free(*serve(100'000), 0);
  EXPECT_FALSE(settles(200'000)) << "a pool of bins gives none back for a new one";
  world.settles = false;
  EXPECT_FALSE(settles(300'000));
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "look"), 0);
}

/// A device that is far behind: each request that grew would wait for as long as the first.
TEST_F(PoolBooksThatExchangeChunks, ARequestThatHasWaitedWaitsTheRestOfTheTime) {
  begin_with_a_free_chunk();
  world.settles = true;
  for (const std::uint64_t ms : {0, 4, 9, 10}) {
    Request request;
    ASSERT_EQ(books->begin(200'000, request), Status::success);
    request.settled_ns = ms * 1'000'000;
    EXPECT_EQ(run_to(request, Kind::settle).amount, ms < 9 ? (9 - ms) * 1'000'000 : 1);
  }
}

TEST_F(PoolBooksThatExchangeChunks, AfterAVainWaitRequestsWaitForAMomentForMuchLonger) {
  begin_with_a_free_chunk();
  constexpr std::uint64_t wait = 9'000'000;
  constexpr std::uint64_t moment = 100'000;
  std::size_t size = 100'000;
  // How long a request waits, where the free chunks are busy before and after that.
  const auto waited_in_vain = [&] {
    world.complete = 0;
    const std::uint64_t before = world.now;
    books->free(*serve(size += 100'000), world.opened);
    return world.now - before;
  };
  for (const std::uint64_t factor : {4, 8, 16, 32, 64, 64}) {
    EXPECT_EQ(waited_in_vain(), wait);
    const std::uint64_t end = world.now + factor * wait;
    EXPECT_EQ(waited_in_vain(), moment);
    world.now = end - 1;
    EXPECT_EQ(waited_in_vain(), moment);
    world.now = end;
  }
  EXPECT_EQ(waited_in_vain(), wait);
  world.complete = world.opened;
  books->free(*serve(size += 100'000), world.opened);
  EXPECT_EQ(waited_in_vain(), wait) << "one was not in vain";
  const std::uint64_t end = world.now + 4 * wait;
  EXPECT_EQ(waited_in_vain(), moment);
  world.now = end;
  EXPECT_EQ(waited_in_vain(), wait) << "the pauses begin with the shortest again";
}

/// Nobody else may have looked since: what one vain wait has taught would hold for ever.
TEST_F(PoolBooksThatExchangeChunks, ARequestLooksWhetherWhatWasWaitedForInVainIsThroughBeforeThePoolGrows) {
  world.settles = false;
  for (const bool through : {false, true}) {
    is_through_at_a_look = through;
    begin_with_a_free_chunk();
    PoolBlock* const block = serve(200'000);
    const Steps before(steps.begin(), steps.begin() + (through ? 2 : 1));
    EXPECT_EQ(before, through ? (Steps{"look", "settle"}) : Steps{"look"});
    EXPECT_EQ(std::count(steps.begin(), steps.end(), "look"), 1);
    books->free(*block, 0);
    EXPECT_EQ(serve(200'000), block);
    EXPECT_EQ(steps, Steps{"done"}) << "where the pool does not grow nobody looks";
    books->free(*block, 0);
    TearDown();
  }
}

}  // namespace
}  // namespace clpool::core
