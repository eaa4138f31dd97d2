// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The binned strategy by itself, without a pool: what it keeps where.
#include "engine/binned.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "support/blocks.hpp"

namespace clpool::core {
namespace {

using test::CountedBlocks;
using test::take;

/// Chunks of a binned strategy, by size.
struct Bins {
  explicit Bins(std::uint32_t bits = 4) : strategy(bits, blocks) {}
  HeapChunk& add(std::uint64_t size) {
    HeapChunk& chunk = chunks.emplace_back();
    chunk.size = size;
    strategy.add_chunk(chunk, size);
    return chunk;
  }
  CountedBlocks blocks;
  Binned strategy;
  std::deque<HeapChunk> chunks;
};

TEST(Binned, HandsOutTheLastOneIn) {
  Bins bins;
  HeapChunk& first = bins.add(1087);
  HeapChunk& second = bins.add(1087);
  bins.strategy.give_back(*first.first, 0);
  bins.strategy.give_back(*second.first, 0);
  EXPECT_EQ(take(bins.strategy, 1087)->chunk, &second);
  EXPECT_EQ(take(bins.strategy, 1087)->chunk, &first);
  EXPECT_EQ(take(bins.strategy, 1087), nullptr);
}

TEST(Binned, PutsAChunkOfAnExactSizeWhereItServesAnyRequest) {
  Bins bins;
  HeapChunk& exact = bins.add(1050);  // of the bin of 1087, which it could not serve
  bins.strategy.give_back(*exact.first, 0);
  EXPECT_EQ(take(bins.strategy, 1087), nullptr);
  Block* block = take(bins.strategy, bins.strategy.rounded(1000));
  ASSERT_NE(block, nullptr);
  EXPECT_GE(block->size, bins.strategy.rounded(1000));
  bins.strategy.give_back(*block, 0);
  EXPECT_EQ(bins.strategy.take_any(1051), nullptr);
  EXPECT_NE(bins.strategy.take_any(1050), nullptr) << "looks at sizes when there is nothing else";
}

TEST(Binned, TakesALargerBlockForTheSmallestRequestsToo) {
  Bins bins;
  bins.strategy.give_back(*bins.add(1087).first, 0);
  for (const std::uint64_t size : {0U, 1U}) {
    Block* const block = bins.strategy.take_any(size);
    ASSERT_NE(block, nullptr) << size;
    bins.strategy.give_back(*block, 0);
  }
}

TEST(Binned, KnowsTheLargestOfTheBlocksInABin) {
  Bins bins;
  EXPECT_EQ(bins.strategy.largest_free(), 0u);
  HeapChunk& exact = bins.add(1050);
  HeapChunk& usual = bins.add(1023);  // the same bin
  bins.strategy.give_back(*exact.first, 0);
  bins.strategy.give_back(*usual.first, 0);
  EXPECT_EQ(bins.strategy.largest_free(), 1050u);
}

TEST(Binned, LooksForTheLargestAmongTwoThousandAndFortyEight) {
  for (const std::uint64_t others : {most_looks_at_largest - 1, most_looks_at_largest}) {
    Bins bins;
    bins.strategy.give_back(*bins.add(1050).first, 0);
    for (std::uint64_t i = 0; i < others; ++i) {
      bins.strategy.give_back(*bins.add(1023).first, 0);
    }
    EXPECT_EQ(bins.strategy.largest_free(), others < most_looks_at_largest ? 1050u : 1023u);
  }
}

TEST(Binned, AChunkThatWentHasNoBlockAndMayComeAgain) {
  Bins bins;
  HeapChunk& chunk = bins.add(1087);
  HeapChunk& other = bins.add(1087);
  bins.strategy.give_back(*chunk.first, 0);
  bins.strategy.remove_chunk(chunk);
  EXPECT_EQ(chunk.first, nullptr);
  bins.strategy.add_chunk(chunk, 1087);
  EXPECT_EQ(bins.strategy.chunks().first, &other);
  EXPECT_EQ(other.next, &chunk);
  ASSERT_EQ(chunk.next, nullptr);
  EXPECT_EQ(bins.strategy.check(), nullptr) << bins.strategy.check();
}

/// Two chunks that are handed out, and two free ones in one bin, of which one is twice as large.
struct BinnedCheck : testing::Test {
  BinnedCheck() {
    bins.strategy.give_back(*free.first, 0);
    bins.strategy.give_back(*also_free.first, 0);
  }
  static void resize(HeapChunk& chunk, std::uint64_t size) { chunk.size = chunk.first->size = size; }
  Bins bins{0};
  HeapChunk& used = bins.add(5000);
  HeapChunk& free = bins.add(4094);
  HeapChunk& also_free = bins.add(2047);
  HeapChunk& also_used = bins.add(5000);
};

TEST_F(BinnedCheck, FindsNothingWhereNothingIsWrong) {
  EXPECT_EQ(bins.strategy.check(), nullptr) << bins.strategy.check();
}

TEST_F(BinnedCheck, FindsAChunkThatIsNotOneBlock) {
  Block* const block = std::exchange(used.first, nullptr);
  EXPECT_STREQ(bins.strategy.check(), "a chunk is not one block");
  used.first = block;
  block->size = 4999;
  EXPECT_STREQ(bins.strategy.check(), "a chunk is not one block");
  block->size = 5000;
  block->right = free.first;
  EXPECT_STREQ(bins.strategy.check(), "a chunk is not one block");
}

TEST_F(BinnedCheck, FindsABlockThatDoesNotBelongIntoItsBin) {
  free.first->free = false;
  EXPECT_NE(bins.strategy.check(), nullptr);
  free.first->free = true;
  resize(free, 2046);
  EXPECT_NE(bins.strategy.check(), nullptr);
}

TEST_F(BinnedCheck, FindsWhatIsMiscounted) {
  const char* const miscounted = "a counter differs from a recount";
  resize(used, 5001);
  EXPECT_STREQ(bins.strategy.check(), miscounted) << "bytes";
  resize(used, 10'000);
  also_free.next = nullptr;
  EXPECT_STREQ(bins.strategy.check(), miscounted) << "chunks";
  resize(used, 5000);
  also_free.next = &also_used;
  resize(free, 4093);
  resize(used, 5001);
  EXPECT_STREQ(bins.strategy.check(), miscounted) << "free bytes";
  resize(free, 2047);
  resize(used, 5000 + 2047);
  Block extra;
  extra.size = 2047;
  extra.free = true;
  free.first->free_next = &extra;
  EXPECT_STREQ(bins.strategy.check(), miscounted) << "free blocks";
}

TEST(Binned, KeepsItsBooksThroughRandomOperations) {
  Bins bins;
  std::mt19937_64 random(4);
  std::vector<Block*> live;
  for (int i = 0; i < 50000; ++i) {
    const std::uint64_t size = random() % 50 == 0 ? random() % 100'000 : random() % 1000;
    const std::uint64_t rounded = bins.strategy.rounded(size);
    switch (random() % 3) {
      case 0: {
        Block* block = take(bins.strategy, rounded);
        if (block == nullptr) {
          const bool exact = random() % 4 == 0 && size != 0;
          block = bins.add(exact ? size : rounded).first;
        }
        ASSERT_GE(block->size, size);
        live.push_back(block);
        break;
      }
      case 1:
        if (!live.empty()) {
          std::swap(live[random() % live.size()], live.back());
          bins.strategy.give_back(*live.back(), 0);
          live.pop_back();
        }
        break;
      default:
        if (HeapChunk* chunk = random() % 8 != 0   ? nullptr
                               : random() % 2 == 0 ? bins.strategy.next_smaller_chunk(nullptr)
                                                   : bins.strategy.next_free_chunk()) {
          bins.strategy.remove_chunk(*chunk);
        }
    }
    if (i % 1000 == 0) {
      ASSERT_EQ(bins.strategy.check(), nullptr) << bins.strategy.check();
    }
  }
  for (Block* block : live) {
    bins.strategy.give_back(*block, 0);
  }
  EXPECT_EQ(bins.strategy.free_bytes(), bins.strategy.managed_bytes());
  while (HeapChunk* chunk = bins.strategy.next_free_chunk()) {
    bins.strategy.remove_chunk(*chunk);
  }
  EXPECT_EQ(bins.strategy.managed_bytes(), 0u);
  EXPECT_EQ(bins.blocks.in_use(), 0u);
}

}  // namespace
}  // namespace clpool::core
