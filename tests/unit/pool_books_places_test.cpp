// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Books by themselves: requests that take a place which is larger than need be, as a handle is alive there.
#include <utility>
#include <vector>

#include "pool_books.hpp"

namespace clpool::core {
namespace {

/// Places of one size with living handles, in a pool that has just so much.
class PoolBooksWithPlaces : public PoolBooksWithHandles {
 protected:
  static constexpr std::size_t mib = 1 << 20;

  void SetUp() override {
    PoolBooksWithHandles::SetUp();
    options.min_chunk_bytes = 0;
    begin_books();
  }
  void TearDown() override {
    for (PoolBlock* const block : kept) {
      books->free(*block, 0);
    }
    PoolBooks::TearDown();
  }
  void make_places(std::size_t count, std::size_t bytes, std::size_t managed) {
    for (std::size_t i = 0; i < count; ++i) {
      places.push_back(serve(bytes));
      kept.push_back(serve(256));
    }
    kept.push_back(serve(managed - books->managed_bytes()));
    ASSERT_EQ(books->managed_bytes(), managed);
    for (PoolBlock* const place : places) {
      books->free(*place, 0);
    }
  }
  /// Bytes of the place that a request gets.
  std::uint64_t place_for(std::size_t bytes) {
    kept.push_back(serve(bytes));
    return kept.back()->Block::size;
  }
  void release_last() {
    books->free(*kept.back(), 0);
    kept.pop_back();
  }

  std::vector<PoolBlock*> places;
  std::vector<PoolBlock*> kept;
};

TEST_F(PoolBooksWithPlaces, ARequestTakesAPlaceThatIsFourTimesAsLargeForItsHandle) {
  make_places(4, 2048, 64 * mib);
  EXPECT_EQ(place_for(512), 2048u);
  EXPECT_EQ(steps, Steps{"done"}) << "no handle is made";
}

TEST_F(PoolBooksWithPlaces, NotOneThatIsLargerThanThat) {
  make_places(4, 1280, 64 * mib);
  EXPECT_EQ(place_for(256), 256u) << "five times";
  EXPECT_EQ(place_for(512), 1280u);
}

TEST_F(PoolBooksWithPlaces, OrOnePartIn16384OfThePoolLarger) {
  make_places(4, 4096, 32 * mib);
  EXPECT_EQ(place_for(1792), 1792u) << "2,304 bytes larger";
  EXPECT_EQ(place_for(2048), 4096u) << "2,048 bytes larger";
}

TEST_F(PoolBooksWithPlaces, AllTogetherTakeOnePartIn512OfThePoolBesides) {
  make_places(40, 4096, 32 * mib);
  for (int i = 0; i < 32; ++i) {
    ASSERT_EQ(place_for(2048), 4096u) << i;
  }
  ASSERT_EQ(place_for(2048), 2048u) << "65,536 bytes are taken besides";
  ASSERT_EQ(place_for(4096), 4096u) << "which takes nothing besides";
  release_last();
  release_last();
  release_last();
  EXPECT_EQ(place_for(2048), 2048u) << "where the other was";
  EXPECT_EQ(place_for(2048), 4096u) << "one is back";
  EXPECT_EQ(place_for(2048), 2048u);
}

TEST_F(PoolBooksWithPlaces, APlaceOfJustTheSizeIsTakenThoughALargerOneIsFoundFirst) {
  PoolBlock* const just = serve(32768);
  kept.push_back(serve(256));
  PoolBlock* const larger = serve(33024);  // sizes that differ by less than 1/64 share a list
  make_places(0, 0, 32 * mib);
  books->free(*just, 0);
  books->free(*larger, 0);  // the newest
  EXPECT_EQ(place_for(32768), 32768u);
  EXPECT_EQ(place_for(32768), 33024u);
}

TEST_F(PoolBooksWithPlaces, WhatTheyTakeBesidesIsCheckedByTheHandles) {
  make_places(2, 4096, 32 * mib);
  EXPECT_EQ(place_for(2048), 4096u);
  EXPECT_EQ(books->check(), nullptr);
  Part& part = *static_cast<PoolChunk*>(kept.back()->chunk)->parts.at(kept.back()->offset);
  EXPECT_EQ(std::exchange(part.excess, 0), 2048u);
  EXPECT_NE(books->check(), nullptr);
  part.excess = 2048;
}

TEST_F(PoolBooksWithPlaces, NotWhereALimitLeavesLittle) {
  for (const std::uint64_t left : {mib, mib - 1}) {
    options.max_bytes = 32 * mib + left;
    begin_books();
    make_places(4, 4096, 32 * mib);
    EXPECT_EQ(place_for(2048), left < mib ? 2048u : 4096u);
    TearDown();
    kept.clear();
    places.clear();
    books.reset();
  }
}

TEST_F(PoolBooksWithPlaces, NotWhereTheDriverHasRefusedMemory) {
  make_places(4, 4096, 64 * mib);
  EXPECT_EQ(place_for(2048), 4096u);
  Request request;
  ASSERT_EQ(books->begin(4 * mib, request), Status::success);
  for (Step step = books->next(request); step.kind != Kind::allocate; step = books->next(request)) {
    ASSERT_TRUE(perform(request, step));
  }
  books->refused(request, Status::out_of_memory, out_of_device_memory);
  EXPECT_EQ(place_for(2048), 2048u);
}

TEST_F(PoolBooksWithPlaces, NotWhereTheHandleWasNotUsedOnce) {
  make_places(4, 4096, 32 * mib);
  world.turns = true;
  EXPECT_EQ(place_for(2048), 2048u);
}

TEST_F(PoolBooksWithPlaces, WhatTheyTakeBesidesCountsAsHeld) {
  make_places(2, 4096, 32 * mib);
  EXPECT_EQ(place_for(2048), 4096u);
  books->free(*serve(8 * mib), 0);  // a chunk that may go
  const std::uint64_t free = books->strategy().free_bytes();
  EXPECT_FALSE(books->trim_some(free + 2048, 1));
  EXPECT_TRUE(books->trim_some(free + 2047, 1));
}

/// A place of just the size, behind so many that are a little larger.
class PoolBooksWithPlacesBefore : public PoolBooksWithPlaces, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Counts, PoolBooksWithPlacesBefore, testing::Values(15, 16));

TEST_P(PoolBooksWithPlacesBefore, ARequestLooksAtSixteenOfThem) {
  PoolBlock* const just = serve(32768);
  kept.push_back(serve(256));
  std::vector<PoolBlock*> larger;
  for (int i = 0; i < GetParam(); ++i) {
    larger.push_back(serve(33024));  // of the same list
    kept.push_back(serve(256));
  }
  make_places(0, 0, 32 * mib);
  books->free(*just, 0);
  for (PoolBlock* const block : larger) {
    books->free(*block, 0);
  }
  EXPECT_EQ(place_for(32768), GetParam() < 16 ? 32768u : 33024u);
}

}  // namespace
}  // namespace clpool::core
