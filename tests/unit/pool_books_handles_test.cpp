// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Books by themselves: the handles of chunks, and drivers that have no room for another.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "pool_books.hpp"

namespace clpool::core {
namespace {

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

TEST_F(PoolBooksWithHandles, ATryLetsGoOfAHandleThatWasNotUsedOnce) {
  PoolBlock* const block = serve(512);
  books->free(*block, 0);
  world.turns = true;
  Request request;
  ASSERT_EQ(books->begin(512, request), Status::success);
  EXPECT_EQ(books->take_at_once(request), nullptr);
  EXPECT_EQ(request.part, nullptr) << "it may be gone by the next use";
  EXPECT_EQ(books->check(), nullptr);
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
  constexpr std::size_t small_size = 400 << 10;
  books->free(*serve(20 * mib), 0);  // it has had more, so that nothing goes back
  books->give_back_some(1);
  books->free(*serve(10 * mib), 0);
  PoolBlock* const large = serve(6 * mib);
  PoolBlock* const most = serve(4 * mib - small_size);
  PoolBlock* const small = serve(small_size);
  HeapChunk* const chunk = small->chunk;
  ASSERT_EQ(books->strategy().chunks().count, 1u);
  for (PoolBlock* const block : {large, most, small}) {
    books->free(*block, 0);
  }
  PoolBlock* const again = serve(small_size);
  EXPECT_NE(again->chunk, chunk);
  EXPECT_EQ(books->strategy().chunks().count, 2u);
  books->free(*again, 0);
}

/// Drivers walk through the handles of a chunk; where there are none a chunk may have any number of blocks.
TEST_F(PoolBooks, AChunkThatIsToDrainGetsSoManyBlocksAtMostWhereTheyHaveHandles) {
  options.strategy = StrategyKind::coalescing;
  rules.granule = 256;
  for (const bool has_handles : {true, false}) {
    rules.has_handles = has_handles;
    begin_books();
    std::vector<PoolBlock*> blocks;
    for (int chunks = 0; chunks < 40; ++chunks) {
      books->free(*serve(256 * 2060), 0);
      for (int i = 0; i < 128; ++i) {
        blocks.push_back(serve(256 * 16));
      }
    }
    for (std::size_t i = 0; i < 40 * 96; ++i) {  // of each all but a quarter
      PoolBlock*& block = blocks[i % 96 + i / 96 * 128];
      books->free(*std::exchange(block, nullptr), 0);
    }
    blocks.erase(std::remove(blocks.begin(), blocks.end(), nullptr), blocks.end());
    std::uint64_t most = 0;
    for (int i = 0; i < 6000; ++i) {
      blocks.push_back(serve(256));
      most = std::max(most, blocks.back()->chunk->blocks);
    }
    EXPECT_GE(most, Parts::most_blocks);
    EXPECT_EQ(most == Parts::most_blocks, has_handles);
    for (PoolBlock* const block : blocks) {
      books->free(*block, 0);
    }
    TearDown();
  }
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

TEST_F(PoolBooksWithHandles, ABlockKnowsTheRecordOfItsHandle) {
  PoolBlock* const block = serve(512);
  PoolBlock* const beside = serve(1024);
  PoolChunk& chunk = pool_chunk(*block->chunk);
  ASSERT_NE(part_of(*block), nullptr);
  EXPECT_EQ(part_of(*block), chunk.parts.at(block->offset));
  EXPECT_EQ(part_of(*block)->handle, block->handle);
  EXPECT_EQ(part_of(*beside), chunk.parts.at(beside->offset));
  books->free(*beside, 0);
  EXPECT_EQ(part_of(*beside), nullptr);
  books->free(*block, 0);
  PoolBlock* const whole = serve(chunk.size);
  ASSERT_EQ(whole->chunk, &chunk);
  EXPECT_EQ(part_of(*whole), nullptr);
  books->free(*whole, 0);
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
    request.account = account;
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
  std::uint32_t account = 0;
};

TEST_F(PoolBooksWithoutHandles, ARequestTriesOneMorePlaceBeforeChunksGoBack) {
  options.callbacks = {};
  EXPECT_EQ(tries(false), 2);
}

TEST_F(PoolBooksWithoutHandles, ARequestThatLosesItsBlockDoesNotWaitForWhatCameFreeBeforeItBegan) {
  options.callbacks = {};
  HeldBack list;
  PoolBlock* const block = serve(512);
  books->hold_back(list, *block, 1);
  ASSERT_EQ(books->free_completed(list, 1, 0), 1u);
  account = 1;
  EXPECT_GT(tries(false), 0);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "wait"), 0);
}

/// Of a chunk's memory that was never handed out none counts as held blocks because a request failed there.
TEST_F(PoolBooksWithoutHandles, ARequestThatFailsLeavesWhatIsHeldAsItWas) {
  options.callbacks = {};
  const std::uint64_t before = books->strategy().held_blocks();
  Request request;
  ASSERT_EQ(books->begin(768, request), Status::success);
  EXPECT_EQ(books->take_at_once(request), nullptr);
  EXPECT_EQ(books->strategy().held_blocks(), before);
  EXPECT_GT(tries(false), 0);
  EXPECT_EQ(books->strategy().held_blocks(), before);
  EXPECT_EQ(books->check(), nullptr);
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

TEST_F(PoolBooksWithoutHandles, AfterAFailureTheCachesAreEmptiedBeforeTheDriverIsAsked) {
  capacity = UINT64_MAX;
  PoolBlock* const rest = serve(used->chunk->size - 512);
  Request request;
  ASSERT_EQ(books->begin(768, request), Status::success);
  Step step = books->next(request);
  for (; step.kind != Kind::make_handle; step = books->next(request)) {
    ASSERT_TRUE(perform(request, step));
  }
  ASSERT_GT(request.planned, request.rounded) << "a chunk of just the request's size was not asked for yet";
  books->handle_failed(request, Status::out_of_memory, -5);
  EXPECT_EQ(books->next(request).kind, Kind::empty_all_caches);
  ASSERT_NE(serve(request), nullptr);
  books->free(*request.block, 0);
  books->free(*rest, 0);
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

TEST_F(PoolBooksWithADyingHandle, ItsChunkStaysAsLongAsAnotherThreadReleasesIt) {
  for (PoolBlock* const block : std::exchange(kept, {})) {
    books->free(*block, 0);
  }
  Garbage in_hand = books->take_garbage();
  ASSERT_FALSE(in_hand.parts.empty());
  EXPECT_FALSE(books->give_back_some(10));
  ASSERT_TRUE(books->garbage().chunks.empty());
  while (Part* const part = in_hand.parts.take()) {
    books->released(*part);
  }
  EXPECT_TRUE(books->give_back_some(10));
  EXPECT_FALSE(books->garbage().chunks.empty());
}

TEST_F(PoolBooksWithADyingHandle, ItsChunkGoesBeyondTheLimitOfWhatIsHeldOnceItIsReleased) {
  options.max_held_bytes = 1;
  Garbage in_hand = books->take_garbage();
  for (PoolBlock* const block : std::exchange(kept, {})) {
    books->free(*block, 0);
  }
  release_garbage();  // other handles
  books->keep_to_held_limit();
  ASSERT_TRUE(books->garbage().chunks.empty());
  while (Part* const part = in_hand.parts.take()) {
    books->released(*part);
  }
  books->keep_to_held_limit();
  EXPECT_FALSE(books->garbage().chunks.empty());
}

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
  Garbage in_hand = books->take_garbage();
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

TEST_F(PoolBooksWithADyingHandle, IsNoHelpForWhoeverWaitsForMemoryWhileItsChunkIsUsed) {
  const Request request;
  const std::uint64_t before = books->help_for(request);
  release_garbage();
  EXPECT_EQ(books->help_for(request), before);
}

TEST_F(PoolBooksWithADyingHandle, IsHelpForWhoeverWaitsForMemoryWhenItsChunkMayGo) {
  for (PoolBlock* const block : std::exchange(kept, {})) {
    books->free(*block, 0);
  }
  const Request request;
  const std::uint64_t before = books->help_for(request);
  release_garbage();
  EXPECT_NE(books->help_for(request), before);
}

TEST_F(PoolBooksWithADyingHandle, IsNotWaitedForFromWithin) {
  // The thread that releases it may be the very one, in a callback.
  Garbage in_hand = books->take_garbage();
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

TEST_F(PoolBooksWithADyingHandle, FromWithinANewChunkServesAtOnceInsteadOfIt) {
  Garbage in_hand = books->take_garbage();
  books->free(*serve(2 << 20), 0);
  world.settles = true;  // as the pool does before it grows beyond what it ever had
  Request request;
  ASSERT_EQ(books->begin(512, request), Status::success);
  request.inside = true;
  ASSERT_NE(serve(request), nullptr);
  EXPECT_EQ(steps, (Steps{"release garbage", "allocate 1048576", "make handle", "done"}));
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
