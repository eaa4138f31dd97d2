// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The index of free blocks by size, against a sorted list.
#include "engine/free_index.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <random>
#include <set>
#include <vector>

namespace clpool::core {
namespace {

constexpr unsigned shift = 8;
constexpr std::uint64_t granule = 1 << shift;

struct Index {
  std::unique_ptr<FreeIndex> index = std::make_unique<FreeIndex>(shift);
  std::deque<Block> storage;

  Block& add(std::uint64_t size) {
    Block& block = storage.emplace_back();
    block.size = size;
    block.free = true;
    index->insert(block);
    return block;
  }
};

TEST(FreeIndex, FindsExactlyTheSmallestSufficientSizeBelow64Granules) {
  Index blocks;
  for (std::uint64_t granules = 1; granules < 64; granules += 2) {
    blocks.add(granules * granule);
  }
  for (std::uint64_t granules = 1; granules < 63; ++granules) {
    EXPECT_EQ(blocks.index->find(granules * granule)->size, (granules | 1) * granule);
  }
}

TEST(FreeIndex, HandsOutTheMostRecentOfEqualBlocks) {
  Index blocks;
  blocks.add(4 * granule);
  Block& second = blocks.add(4 * granule);
  EXPECT_EQ(blocks.index->find(4 * granule), &second);
}

TEST(FreeIndex, PassesOverBlocksOfChunksThatAreNearlyFree) {
  HeapChunk drained;
  drained.blocks = 1;
  drained.size = 1000 * granule;
  HeapChunk used = drained;
  used.used = 900 * granule;
  Index blocks;
  blocks.add(4 * granule).chunk = &drained;
  blocks.add(5 * granule).chunk = &drained;
  Block& right = blocks.add(70 * granule);
  right.chunk = &used;
  EXPECT_EQ(blocks.index->find_in_used(3 * granule, {.most_free = 100 * granule}), &right);
  EXPECT_EQ(blocks.index->find_in_used(3 * granule, {.most_free = 99 * granule}), nullptr);
  EXPECT_EQ(blocks.index->find_in_used(3 * granule, {.most_free = 1000 * granule})->size, 4 * granule);
}

TEST(FreeIndex, PassesOverChunksWhoseBlocksAreLarge) {
  HeapChunk with_large;
  with_large.size = 1000 * granule;
  with_large.used = 900 * granule;
  with_large.blocks = 2;
  with_large.squares = 2 * square(450 * granule);
  HeapChunk with_small = with_large;
  with_small.blocks = 9;
  with_small.squares = 9 * square(100 * granule);
  Index blocks;
  blocks.add(4 * granule).chunk = &with_large;
  Block& right = blocks.add(70 * granule);
  right.chunk = &with_small;
  EXPECT_EQ(blocks.index->find_in_used(3 * granule, {.most_beside = square(100 * granule)}), &right);
  EXPECT_EQ(blocks.index->find_in_used(3 * granule, {.most_beside = square(100 * granule - 1)}), nullptr);
  EXPECT_EQ(blocks.index->find_in_used(3 * granule, {.most_beside = square(450 * granule)})->size,
            4 * granule);
}

TEST(FreeIndex, ManyBlocksOfOneSizeInChunksThatAreNearlyFreeHideNoOthers) {
  HeapChunk drained;
  drained.blocks = 1;
  drained.size = 1 << 30;
  HeapChunk used;
  used.blocks = 1;
  Index blocks;
  Block& right = blocks.add(9 * granule);
  right.chunk = &used;
  for (int i = 0; i < 10'000; ++i) {
    blocks.add(4 * granule).chunk = &drained;
  }
  EXPECT_EQ(blocks.index->find_in_used(3 * granule, {.most_free = 1000 * granule}), &right);
}

TEST(FreeIndex, GivesUpLookingAmongBlocksOfChunksThatAreNearlyFree) {
  HeapChunk drained;
  drained.blocks = 1;
  drained.size = 1 << 30;
  HeapChunk used;
  used.blocks = 1;
  Index blocks;
  blocks.add(60 * granule).chunk = &used;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    blocks.add((4 + i % 50) * granule).chunk = &drained;
  }
  EXPECT_EQ(blocks.index->find_in_used(3 * granule, {.most_free = 1000 * granule}), nullptr);
}

TEST(FreeIndex, LooksAtSixteenBlocksOfAListAndAtSixtyFourInAll) {
  HeapChunk drained;
  drained.blocks = 1;
  drained.size = 1 << 30;
  HeapChunk used;
  used.blocks = 1;
  for (const int before : {15, 16}) {
    Index blocks;
    blocks.add(4 * granule).chunk = &used;
    for (int i = 0; i < before; ++i) {
      blocks.add(4 * granule).chunk = &drained;
    }
    EXPECT_EQ(blocks.index->find_in_used(3 * granule, {.most_free = 1000 * granule}) != nullptr, before == 15)
        << before;
  }
  for (const std::uint64_t before :
       {63U, 64U, 65U}) {  // five of each size, so that a list is left off within
    Index blocks;
    for (std::uint64_t i = 0; i < before; ++i) {
      blocks.add((4 + i / 5) * granule).chunk = &drained;
    }
    blocks.add(60 * granule).chunk = &used;
    EXPECT_EQ(blocks.index->find_in_used(3 * granule, {.most_free = 1000 * granule}) != nullptr, before == 63)
        << before;
  }
}

TEST(FreeIndex, LooksAtEightOfTheLargestOrAtSoMany) {
  for (const int after : {7, 8}) {
    Index blocks;
    Block& largest = blocks.add(1001 * granule);  // the last of its list
    for (int i = 0; i < after; ++i) {
      blocks.add(1000 * granule);
    }
    EXPECT_EQ(blocks.index->largest() == &largest, after == 7) << after;
    EXPECT_EQ(blocks.index->largest(9), &largest);
  }
}

TEST(FreeIndex, TellsSizesApartUpToTheFiftyThirdPowerOfTwo) {
  for (unsigned power = 6; power < 53 - 1; ++power) {
    FreeIndex index(0);
    Block large;
    large.size = std::uint64_t{2} << power;
    index.insert(large);
    std::deque<Block> many(20);
    for (Block& block : many) {
      block.size = std::uint64_t{1} << power;
      index.insert(block);
    }
    EXPECT_EQ(index.find(large.size), &large) << power;
  }
}

TEST(FreeIndex, IsEmptyAgainAfterAllWereRemoved) {
  Index blocks;
  Block& first = blocks.add(granule);
  Block& second = blocks.add(granule);
  Block& third = blocks.add(1000 * granule);
  blocks.index->remove(second);
  blocks.index->remove(third);
  blocks.index->remove(first);
  EXPECT_EQ(blocks.index->first(), nullptr);
  EXPECT_EQ(blocks.index->find(1), nullptr);
  EXPECT_EQ(blocks.index->largest(), nullptr);
  EXPECT_EQ(blocks.index->first(), nullptr);
}

TEST(FreeIndex, TakesSizesUpToTheLargestNumber) {
  Index blocks;
  Block& largest = blocks.add(UINT64_MAX & ~(granule - 1));
  blocks.add(std::uint64_t{1} << 62);
  EXPECT_EQ(blocks.index->find((std::uint64_t{1} << 62) + granule, true), &largest);
  EXPECT_EQ(blocks.index->largest(UINT32_MAX), &largest);
}

TEST(FreeIndex, AgreesWithASortedListOverRandomOperations) {
  Index blocks;
  std::mt19937_64 random(7);
  std::multiset<std::uint64_t> sizes;
  std::vector<Block*> inside;
  std::vector<Block*> outside;
  for (int i = 0; i < 300000; ++i) {
    if (inside.empty() || (random() % 2 == 0 && inside.size() < 500)) {
      const std::uint64_t size =
          (1 + (random() >> (40 + random() % 23))) * granule + (random() % 16 == 0 ? 7 : 0);
      if (outside.empty()) {
        inside.push_back(&blocks.add(size));
      } else {
        Block* block = outside.back();
        outside.pop_back();
        block->size = size;
        blocks.index->insert(*block);
        inside.push_back(block);
      }
      sizes.insert(size);
    } else {
      std::swap(inside[random() % inside.size()], inside.back());
      blocks.index->remove(*inside.back());
      sizes.erase(sizes.find(inside.back()->size));
      outside.push_back(inside.back());
      inside.pop_back();
    }
    const std::uint64_t wanted = (1 + (random() >> (40 + random() % 23))) * granule;
    const auto best = sizes.lower_bound(wanted);
    const Block* exhaustive = blocks.index->find(wanted, true);
    ASSERT_EQ(exhaustive == nullptr, best == sizes.end());
    if (exhaustive != nullptr) {
      ASSERT_GE(exhaustive->size, wanted);
    }
    // The bounded search misses only what differs from the request by less than one part in 64, and wastes at
    // most that much over the best.
    const Block* found = blocks.index->find(wanted);
    if (best != sizes.end() && *best >= wanted + wanted / 64 + granule) {
      ASSERT_NE(found, nullptr);
      ASSERT_LE(found->size, *best + *best / 32 + granule);
    }
    ASSERT_EQ(blocks.index->first() == nullptr, sizes.empty());
    if (!sizes.empty()) {
      ASSERT_EQ(blocks.index->largest(UINT32_MAX)->size, *sizes.rbegin());
    }
  }
  std::size_t walked = 0;
  for (const Block* block = blocks.index->first(); block != nullptr; block = blocks.index->next(*block)) {
    ++walked;
  }
  EXPECT_EQ(walked, sizes.size());
}

}  // namespace
}  // namespace clpool::core
