// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The coalescing strategy by itself, without a pool: when it asks for memory and what it gives back for it.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>
#include <vector>

#include "engine_driven.hpp"

namespace clpool::core {
namespace {

TEST(Coalescing, GivesAWhollyFreeChunkBackBeforeItExceedsItsPeak) {
  Driven driven;
  Block* first = driven.allocate(10'000'000);
  const std::uint64_t peak = driven.limits.peak_managed_bytes;
  driven.release(first);
  driven.allocate(11'000'000);
  EXPECT_EQ(driven.released, 1u);
  EXPECT_LT(driven.strategy.managed_bytes(), peak + 10'000'000);
}

TEST(Coalescing, GivesNothingBackThatADeviceStillUses) {
  Driven driven;
  driven.release(driven.allocate(10'000'000));
  driven.allocate(11'000'000, none_idle);
  EXPECT_EQ(driven.released, 0u);
}

TEST(Coalescing, NeverPlansMoreThanItsLimits) {
  std::mt19937_64 random(5);
  Driven driven;
  driven.limits.max_chunk_bytes = 50'000'000;
  std::vector<Block*> live;
  for (int i = 0; i < 20000; ++i) {
    driven.limits.room = 100'000'000 + random() % 10'000'000;
    live.push_back(driven.allocate(random() % (random() % 50 == 0 ? 20'000'000 : 20'000)));
    ASSERT_LE(driven.chunks.back().size, 50'000'000u);
    if (live.size() > 50) {
      std::swap(live[random() % live.size()], live.back());
      driven.release(live.back());
      live.pop_back();
    }
    if (i % 1000 == 0) {
      ASSERT_EQ(driven.strategy.check(), nullptr) << driven.strategy.check();
    }
  }
}

TEST(Coalescing, CallsTheDriverSeldomAndTakesLittleMoreThanIsLive) {
  std::mt19937_64 random(6);
  Driven driven;
  std::vector<Block*> live;
  for (int i = 0; i < 30000; ++i) {
    live.push_back(driven.allocate(1 + random() % 100'000));
    if (live.size() > 400) {
      std::swap(live[random() % live.size()], live.back());
      driven.release(live.back());
      live.pop_back();
    }
  }
  EXPECT_LE(driven.driver_calls, 300u) << "1 % of the requests";
  EXPECT_LE(driven.limits.peak_managed_bytes, driven.peak_live * 5 / 4);
}

TEST(CallBudget, OfAQuietPhaseBuysNoMoreThanAFewDozenCalls) {
  CallBudget budget;
  const std::uint64_t quiet = 20'000'000;
  EXPECT_EQ(budget.left(quiet), CallBudget::most);
  int calls = 0;
  for (; budget.left(quiet) > 0; ++calls) {
    budget.spend(quiet);
  }
  EXPECT_EQ(calls, static_cast<int>(CallBudget::most));
}

TEST(CallBudget, IsEarnedByRequests) {
  CallBudget budget;
  while (budget.left(0) > 0) {
    budget.spend(0);
  }
  EXPECT_GT(budget.left(static_cast<std::uint64_t>(10 / CallBudget::per_request)), 9.9);
  EXPECT_LT(budget.left(static_cast<std::uint64_t>(10 / CallBudget::per_request)), 10.1);
}

TEST(Coalescing, ChurnCostsNoMoreCallsAfterTwentyMillionHitsThanTheBudgetHolds) {
  std::uint64_t calls[2] = {};
  for (const bool is_late : {false, true}) {
    std::mt19937_64 random(8);
    Driven driven;
    driven.requests = is_late ? 20'000'000 : 0;
    std::vector<Block*> live;
    for (int i = 0; i < 30000; ++i) {
      live.push_back(driven.allocate(1 + random() % (random() % 30 == 0 ? 3'000'000 : 100'000)));
      if (live.size() > 200) {
        std::swap(live[random() % live.size()], live.back());
        driven.release(live.back());
        live.pop_back();
      }
    }
    calls[is_late ? 1 : 0] = driven.driver_calls;
  }
  EXPECT_LE(calls[1], calls[0] + static_cast<std::uint64_t>(CallBudget::most));
}

/// A pool of a block of 100 MB that is live and a free chunk of 100 MB.
struct WithALargeFreeChunk : testing::Test {
  WithALargeFreeChunk() {
    driven.allocate(100'000'000);
    Block* const block = driven.allocate(99'000'000);
    large = block->chunk;
    driven.release(block);
    driven.requests += 100'000;  // the budget is full
  }
  Driven driven;
  HeapChunk* large;
};
using CoalescingWithALargeFreeChunk = WithALargeFreeChunk;

TEST_F(CoalescingWithALargeFreeChunk, KeepsItWholeWhileThereAreCallsForASmallChunk) {
  Block* const survivor = driven.allocate(1'000'000);
  EXPECT_NE(survivor->chunk, large);
  EXPECT_LE(survivor->chunk->size, 100'000'000u / 10);
  EXPECT_EQ(driven.allocate(99'000'000)->chunk, large);
}

/// What is little is told anew when the pool has grown, as many calls as are left.
TEST_F(CoalescingWithALargeFreeChunk, CutsItUpWhereThePoolHasManyTimesAsMuch) {
  driven.limits.calls_left = CallBudget::most;
  EXPECT_EQ(driven.strategy.choose(1'000'000, driven.limits), nullptr);
  driven.take_new(40'000'000'000, 40'000'000'000);
  driven.limits.calls_left = CallBudget::most;
  Block* const found = driven.strategy.choose(1'000'000, driven.limits);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->chunk, large);
}

TEST_F(CoalescingWithALargeFreeChunk, CutsItUpWhenCallsAreOverdrawn) {
  driven.spend_all_calls(32);
  const std::uint64_t calls = driven.driver_calls;
  EXPECT_EQ(driven.allocate(10'000'000)->chunk, large);
  EXPECT_EQ(driven.driver_calls, calls);
}

TEST_F(CoalescingWithALargeFreeChunk, DoesNotGoBesideTheLargeBlockForARequestThatWouldPinIt) {
  Block* const workspace = driven.allocate(98'000'000);
  ASSERT_EQ(workspace->chunk, large);
  Block* const result = driven.allocate(100'000);  // which would have fitted into the rest
  EXPECT_NE(result->chunk, large);
  driven.release(workspace);
  EXPECT_EQ(driven.allocate(99'000'000)->chunk, large) << "it is whole again";
}

TEST_F(CoalescingWithALargeFreeChunk, GoesBesideTheLargeBlockForARequestOfASixteenth) {
  ASSERT_EQ(driven.allocate(90'000'000)->chunk, large);
  EXPECT_NE(driven.allocate(90'000'000 / 17)->chunk, large);
  EXPECT_EQ(driven.allocate(90'000'000 / 16)->chunk, large);
}

/// Blocks beside it that are just large enough do not let in ever smaller ones.
TEST_F(CoalescingWithALargeFreeChunk, GoesBesideTheLargeBlockForNoMuchSmallerRequestWhereOthersAreBesideIt) {
  ASSERT_EQ(driven.allocate(80'000'000)->chunk, large);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(driven.allocate(80'000'000 / 16)->chunk, large);
  }
  EXPECT_NE(driven.allocate(80'000'000 / 33)->chunk, large) << "the root of a fourth";
  EXPECT_EQ(driven.allocate(80'000'000 / 31)->chunk, large);
}

TEST_F(CoalescingWithALargeFreeChunk, TheLargeBlockDoesNotCountWhenItHasGone) {
  Block* const workspace = driven.allocate(80'000'000);
  ASSERT_EQ(driven.allocate(80'000'000 / 16)->chunk, large);
  driven.release(workspace);
  EXPECT_EQ(driven.allocate(80'000'000 / 16 / 13)->chunk, large);
}

TEST_F(CoalescingWithALargeFreeChunk, IsCutUpWhenCallsAreOverdrawnWhateverRoomALimitLeaves) {
  driven.spend_all_calls(32);
  driven.limits.room = large->size - 1;
  EXPECT_EQ(driven.allocate(10'000'000)->chunk, large) << "each step would exchange chunks";
}

TEST_F(CoalescingWithALargeFreeChunk, GoesBesideTheLargeBlockWhenAllCallsAreOverdrawn) {
  ASSERT_EQ(driven.allocate(98'000'000)->chunk, large);
  driven.spend_all_calls(64);
  EXPECT_EQ(driven.allocate(100'000)->chunk, large);
}

TEST_F(CoalescingWithALargeFreeChunk, GoesBesideBlocksThatAreLittleBesideAllThatThereIs) {
  ASSERT_EQ(driven.allocate(98'000'000)->chunk, large);
  driven.allocate(10'000'000'000);  // 2 % of it are more than the large block
  driven.spend_all_calls();
  EXPECT_EQ(driven.allocate(100'000)->chunk, large);
}

TEST_F(CoalescingWithALargeFreeChunk, GoesBesideTheLargeBlockWhereALimitLeavesLittleRoom) {
  ASSERT_EQ(driven.allocate(98'000'000)->chunk, large);
  driven.limits.room = driven.strategy.managed_bytes() / 32;
  EXPECT_EQ(driven.allocate(100'000)->chunk, large);
  driven.limits.room = driven.strategy.managed_bytes() / 32 + 1;
  EXPECT_NE(driven.allocate(100'000)->chunk, large);
}

TEST(Coalescing, ResultsThatAreKeptDoNotPinTheWorkspacesBesideWhichTheyWereMade) {
  std::mt19937_64 random(3);
  Driven driven;
  std::deque<Block*> results;
  for (int i = 0; i < 2000; ++i) {
    Block* const workspace = driven.allocate(64'000'000 - random() % 6'400'000);
    results.push_back(driven.allocate(1000 + random() % 100'000));
    driven.release(workspace);
    if (results.size() > 200) {
      driven.release(results.front());
      results.pop_front();
    }
  }
  EXPECT_LE(driven.limits.peak_managed_bytes, driven.peak_live * 11 / 10);
  EXPECT_LE(driven.driver_calls, driven.requests / 100);
}

TEST_F(CoalescingWithALargeFreeChunk, CutsItUpForALargeRequestInAnyCase) {
  EXPECT_EQ(driven.allocate(50'000'000)->chunk, large);
}

TEST_F(CoalescingWithALargeFreeChunk, CutsItUpRatherThanExceedingTheLimit) {
  driven.limits.room = 0;
  EXPECT_EQ(driven.allocate(1000)->chunk, large);
  EXPECT_EQ(driven.allocate(1'000'000)->chunk, large);
}

TEST_F(CoalescingWithALargeFreeChunk, APatientRequestCutsUpNothingThatIsLargeWhereALimitLeavesNoRoom) {
  driven.limits.room = 0;
  GrowthLimits patient = driven.limits;
  patient.is_patient = true;
  patient.calls_left = CallBudget::most;
  EXPECT_EQ(driven.strategy.choose(1'000'000, patient), nullptr);
  ASSERT_EQ(driven.allocate(90'000'000)->chunk, large);
  EXPECT_NE(driven.strategy.choose(2'000'000, driven.limits), nullptr);
  EXPECT_EQ(driven.strategy.choose(2'000'000, patient), nullptr) << "it would pin what that leaves";
  EXPECT_NE(driven.strategy.choose(500'000, patient), nullptr) << "which is not worth a wait for so little";
  patient.room = 500'000;
  EXPECT_EQ(driven.strategy.choose(500'000, patient), nullptr) << "there is room";
}

/// Of which others need one at a time.
TEST(Coalescing, APatientRequestCutsUpOneOfFourLargeFreeChunksWhereALimitLeavesNoRoom) {
  Driven driven;
  std::vector<Block*> blocks;
  for (int i = 0; i < 4; ++i) {
    blocks.push_back(driven.take_new(50'000'000, 50'000'000));
  }
  GrowthLimits patient = driven.limits;
  patient.is_patient = true;
  patient.calls_left = CallBudget::most;
  patient.room = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    driven.strategy.give_back(*blocks[i], 0);
    EXPECT_EQ(driven.strategy.choose(1'000'000, patient), nullptr) << i;
  }
  driven.strategy.give_back(*blocks[3], 0);
  EXPECT_NE(driven.strategy.choose(1'000'000, patient), nullptr);
  patient.room = 1'000'000;
  EXPECT_EQ(driven.strategy.choose(1'000'000, patient), nullptr) << "there is room";
}

/// Else these lie idle, and what is larger never drains.
TEST_F(CoalescingWithALargeFreeChunk,
       APatientRequestTakesAChunkOfItsSizeRatherThanAHoleWhereALimitLeavesNoRoom) {
  driven.limits.room = 0;
  GrowthLimits patient = driven.limits;
  patient.is_patient = true;
  patient.calls_left = CallBudget::most;
  ASSERT_EQ(driven.allocate(10'000'000)->chunk, large);
  Block* const small = driven.take_new(1'152'000, 1'152'000);
  EXPECT_EQ(driven.strategy.choose(1'024'000, patient)->chunk, large);
  driven.strategy.give_back(*small, 0);
  EXPECT_EQ(driven.strategy.choose(1'024'000, patient)->chunk, small->chunk) << "it is an eighth larger";
  EXPECT_EQ(driven.strategy.choose(1'023'744, patient)->chunk, large) << "by more than an eighth";
  patient.room = 1'024'000;
  EXPECT_EQ(driven.strategy.choose(1'024'000, patient)->chunk, large) << "there is room";
}

TEST_F(CoalescingWithALargeFreeChunk, CutsItUpRatherThanExceedingThePeakWhileADeviceStillUsesIt) {
  const std::uint64_t peak = driven.limits.peak_managed_bytes;
  EXPECT_EQ(driven.allocate(10'000'000, none_idle)->chunk, large);
  EXPECT_EQ(driven.limits.peak_managed_bytes, peak);
}

TEST(Coalescing, AnArrayThatGrowsFindsHeadroomWhenNoCallsAreLeft) {
  Driven driven;
  driven.allocate(300'000'000);  // other memory
  std::uint64_t bytes = 50'000'000;
  Block* array = driven.allocate(bytes);
  driven.spend_all_calls();
  const std::uint64_t calls = driven.driver_calls;
  for (int i = 0; i < 100; ++i) {
    bytes += 50'000;
    Block* const longer = driven.allocate(bytes);
    driven.release(std::exchange(array, longer));
  }
  EXPECT_LE(driven.driver_calls - calls, 10u);
  EXPECT_LE(driven.limits.peak_managed_bytes, driven.peak_live * 11 / 10);
}

TEST(Coalescing, AnArrayThatGrowsFromNextToNothingCostsFewCalls) {
  for (const std::uint64_t step : {std::uint64_t{4096}, std::uint64_t{1 << 20}}) {
    for (const std::size_t arrays : {1, 4}) {
      Driven driven;
      std::vector<std::uint64_t> bytes(arrays, 4096);
      std::vector<Block*> blocks;
      for (const std::uint64_t size : bytes) {
        blocks.push_back(driven.allocate(size));
      }
      for (std::size_t i = 0; i < 6000 * arrays; ++i) {
        bytes[i % arrays] += step;
        Block* const longer = driven.allocate(bytes[i % arrays]);
        driven.release(std::exchange(blocks[i % arrays], longer));
      }
      EXPECT_LE(driven.driver_calls, driven.requests * 3 / 100) << arrays << " by " << step;
      EXPECT_LE(driven.limits.peak_managed_bytes, driven.peak_live * 115 / 100);
    }
  }
}

TEST(Coalescing, SizesThatDoNotCreepUpGetLittleHeadroom) {
  Driven driven;
  driven.allocate(1'000'000'000);
  driven.spend_all_calls(63);
  for (const std::uint64_t bytes :
       {100'000'000, 80'000'000, 113'000'000}) {  // the last: more than an eighth more
    Block* const block = driven.allocate(bytes);
    const std::uint64_t managed = driven.strategy.managed_bytes() - block->chunk->size;
    EXPECT_LE(block->chunk->size - block->size, managed / 200) << bytes;
  }
  Block* const creeping = driven.allocate(115'000'000);
  EXPECT_GT(creeping->chunk->size - creeping->size, driven.strategy.managed_bytes() / 150);
}

TEST(Coalescing, PutsFewSmallBlocksIntoAChunkHoweverManyThereAre) {
  std::mt19937_64 random(9);
  Driven driven;
  driven.allocate(1'000'000'000);  // large enough that all of them would be little beside it
  const std::uint64_t others = driven.limits.peak_managed_bytes;
  std::map<const HeapChunk*, int> blocks;
  int most = 0;
  for (int i = 0; i < 20000; ++i) {
    most = std::max(most, ++blocks[driven.allocate(512 * (1 + random() % 8))->chunk]);
  }
  EXPECT_LE(most, 400);
  EXPECT_LE(driven.limits.peak_managed_bytes - others, (driven.live_bytes - 1'000'000'000) * 11 / 10);
}

/// After many blocks of which every other one is gone, with holes of as many sizes, small requests cost no call each.
TEST(Coalescing, SmallRequestsAmongHolesOfManySizesTakeThemWhenManyCallsWereSpent) {
  for (const std::uint64_t most : {std::uint64_t{2'048}, std::uint64_t{60'000}, std::uint64_t{1'000'000}}) {
    std::mt19937_64 random(5);
    Driven driven;
    std::vector<Block*> holes;
    for (int i = 0; i < 2000; ++i) {
      Block* const block = driven.allocate(2'048 + random() % (most - 2'047));
      if (i % 2 == 0) {
        holes.push_back(block);
      }
    }
    for (Block* hole : holes) {
      driven.release(hole);
    }
    const std::uint64_t calls = driven.driver_calls;
    const std::uint64_t managed = driven.strategy.managed_bytes();
    for (int i = 0; i < 20'000; ++i) {
      driven.allocate(256);
    }
    EXPECT_LE(driven.driver_calls - calls, 300u) << most;
    EXPECT_LE(driven.strategy.managed_bytes(), managed + (std::uint64_t{20} << 20)) << most;
  }
}

TEST(Coalescing, EqualBlocksFillTheirChunks) {
  for (const std::uint64_t size :
       {std::uint64_t{100'096}, std::uint64_t{4} << 20, std::uint64_t{70'000'128}}) {
    Driven driven;
    for (int i = 0; i < 2000; ++i) {
      driven.allocate(size);
      EXPECT_LE(driven.strategy.managed_bytes(), driven.live_bytes * 103 / 100 + (512 << 10)) << size;
    }
  }
}

TEST(Coalescing, EqualBlocksFillALimitToItsLastByte) {
  for (const std::uint64_t count : {3u, 40u, 100u, 200u, 1000u}) {
    Driven driven;
    for (std::uint64_t i = 0; i < count; ++i) {
      driven.limits.room = (count << 22) - driven.strategy.managed_bytes();
      driven.allocate(std::uint64_t{4} << 20);
    }
    EXPECT_LE(driven.strategy.managed_bytes(), count << 22) << count;
  }
}

TEST(Coalescing, CutsUpAChunkOfTwiceTheRequestInAnyCase) {
  constexpr std::uint64_t half = 256 * 190'000;
  for (const std::uint64_t less : {0U, 256U}) {
    Driven driven;
    driven.allocate(100'000'000);
    driven.limits.calls_left = CallBudget::most;
    Block* const block = driven.take_new(2 * half, half);
    HeapChunk* const chunk = block->chunk;
    driven.release(block);
    const Block* const chosen = driven.strategy.choose(half - less, driven.limits);
    EXPECT_EQ(chosen != nullptr && chosen->chunk == chunk, less == 0) << less;
  }
}

TEST(Coalescing, TakesWhatThereIsWhenAsManyCallsAreOverdrawnAsTheBudgetHolds) {
  Driven driven;
  driven.take_new(1 << 30, 256);  // much is free beside so small a block
  driven.limits.peak_managed_bytes = std::uint64_t{1} << 40;
  driven.limits.calls_left = -CallBudget::most;
  EXPECT_NE(driven.strategy.choose(256, driven.limits), nullptr);
  driven.limits.calls_left += 0.001;
  EXPECT_EQ(driven.strategy.choose(256, driven.limits), nullptr);
}

TEST(Coalescing, PlansHeadroomOnlyWhenCallsAreOverdrawn) {
  constexpr std::uint64_t size = 256 * 40'000;
  for (const double calls : {0.0, -0.001}) {
    Driven driven;
    driven.take_new(200'000'000, 200'000'000 - 256 * 1000);
    driven.limits.calls_left = calls;
    const std::uint64_t planned = driven.strategy.plan_growth(size, driven.limits, none_idle).chunk_bytes;
    EXPECT_EQ(planned > size, calls < 0) << calls;
    EXPECT_GE(planned, size);
  }
}

TEST(Coalescing, StaysBelowItsPeakOnlyWhereMoreThanTheRequestFitsBelow) {
  for (const std::uint64_t more : {0U, 512U}) {
    Driven driven;
    driven.take_new(200'000'000, 200'000'000 - 256 * 1000);
    driven.limits.calls_left = CallBudget::most;
    driven.limits.peak_managed_bytes = driven.strategy.managed_bytes() + 1024 + more;
    const std::uint64_t planned = driven.strategy.plan_growth(1024, driven.limits, none_idle).chunk_bytes;
    EXPECT_EQ(planned == 1024 + more, more != 0) << "a chunk of many blocks, unless it may be a smaller one";
  }
}

TEST(Coalescing, ChunksAtTheDevicesLimitAreOfWholeGranules) {
  Driven driven;
  driven.limits.max_chunk_bytes = 100'001;
  EXPECT_EQ(driven.strategy.plan_growth(1024, driven.limits, none_idle).chunk_bytes, 100'001U / 256 * 256);
}

}  // namespace
}  // namespace clpool::core
