// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// HeldBack: blocks in the order in which they came, and the oldest of a size.
#include "pool/blocks/held_back.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <unordered_map>
#include <vector>

namespace clpool::core {
namespace {

std::vector<PoolBlock> blocks_of(std::size_t count) {
  return std::vector<PoolBlock>(count);
}

TEST(HeldBack, GivesBlocksInTheirOrderAndTheOldestOfASize) {
  std::mt19937 numbers(1);
  HeldBack list;
  list.find_by_size();
  std::vector<PoolBlock> blocks = blocks_of(500);
  std::vector<PoolBlock*> outside;
  for (PoolBlock& block : blocks) {
    outside.push_back(&block);
  }
  std::deque<PoolBlock*> model;
  std::size_t taken = 0;
  for (int i = 0; i < 200'000; ++i) {
    const bool adds = numbers() % 2 == 0;
    if (adds && !outside.empty()) {
      PoolBlock* const block = outside.back();
      outside.pop_back();
      block->capacity = 256 * (1 + numbers() % 40);
      list.add(*block);
      model.push_back(block);
    } else if (!adds && numbers() % 2 == 0 && !model.empty()) {
      ASSERT_EQ(&list.oldest(), model.front());
      ASSERT_EQ(&list.take(), model.front());
      outside.push_back(model.front());
      model.pop_front();
    } else if (!adds) {
      const std::uint64_t capacity = 256 * (1 + numbers() % 45);
      const auto place = std::find_if(model.begin(), model.end(),
                                      [&](const PoolBlock* block) { return block->capacity == capacity; });
      PoolBlock* const expected = place != model.end() ? *place : nullptr;
      ASSERT_EQ(list.has(capacity), expected != nullptr);
      ASSERT_EQ(list.take(capacity), expected);
      if (expected != nullptr) {
        ++taken;
        outside.push_back(expected);
        model.erase(place);
      }
    }
    ASSERT_EQ(list.empty(), model.empty());
  }
  EXPECT_GT(taken, 10'000U);
}

TEST(HeldBack, FindsNothingByItsSizeUnlessToldTo) {
  HeldBack list;
  std::vector<PoolBlock> blocks = blocks_of(1);
  blocks[0].capacity = 256;
  blocks[0].Mem::size = 200;
  list.add(blocks[0]);
  EXPECT_FALSE(list.has(256));
  EXPECT_EQ(list.take(256), nullptr);
  EXPECT_EQ(list.take().Mem::size, 200U) << "and blocks keep what they were asked for";
}

/// Thousands of sizes, of which most come and go.
TEST(HeldBack, FindsEachOfManySizes) {
  constexpr std::size_t count = 20'000;
  std::mt19937 numbers(2);
  HeldBack list;
  list.find_by_size();
  std::vector<PoolBlock> blocks = blocks_of(count);
  std::unordered_map<std::uint64_t, PoolBlock*> model;
  for (PoolBlock& block : blocks) {
    block.capacity = 256 * (1 + numbers() % (4 * count));
    if (model.try_emplace(block.capacity, &block).second) {
      list.add(block);
    }
  }
  while (!model.empty()) {
    const std::uint64_t capacity = 256 * (1 + numbers() % (4 * count));
    const auto place = model.find(capacity);
    ASSERT_EQ(list.take(capacity), place != model.end() ? place->second : nullptr);
    if (place != model.end()) {
      model.erase(place);
    }
    if (model.size() % 1000 == 999) {
      for (const auto& [size, block] : model) {
        ASSERT_TRUE(list.has(size));
      }
      PoolBlock& oldest = list.take();
      ASSERT_EQ(model.erase(oldest.capacity), 1U);
    }
  }
  EXPECT_TRUE(list.empty());
}

/// Also where all are multiples of one, whose places by a single product lay together.
TEST(BySize, FindsASizeAfterFewLooks) {
  for (const std::uint64_t step : {256U, 5504U, 10752U, 11008U, 3604480U}) {
    for (const std::size_t count : {63U, 127U, 1023U, 4095U}) {
      BySize sizes;
      std::vector<PoolBlock> blocks = blocks_of(count);
      std::uint64_t capacity = 0;
      for (PoolBlock& block : blocks) {
        block.capacity = capacity += step;
        sizes.add(block);
      }
      std::size_t looks = 0;
      for (const PoolBlock& block : blocks) {
        ASSERT_EQ(sizes.first(block.capacity), &block);
        looks += sizes.looks_for(block.capacity);
      }
      EXPECT_LE(looks, 3 * count) << count << " multiples of " << step;
    }
  }
}

TEST(BySize, HasRoomForTheSizesThatThereAreNotForThoseThatCameAndWent) {
  BySize sizes;
  std::vector<PoolBlock> blocks = blocks_of(100);
  EXPECT_EQ(sizes.places(), 0U) << "nothing, where there was none yet";
  for (std::uint64_t i = 1; i <= 10'000; ++i) {
    PoolBlock& block = blocks[i % 100];
    block.capacity = 256 * i;
    sizes.add(block);
    EXPECT_EQ(sizes.first(block.capacity), &block);
    sizes.remove(block);
    EXPECT_EQ(sizes.first(block.capacity), nullptr);
  }
  EXPECT_EQ(sizes.places(), 16U);
  for (std::uint64_t i = 0; i < 100; ++i) {
    blocks[i].capacity = 256 * (i + 1);
    sizes.add(blocks[i]);
  }
  EXPECT_EQ(sizes.places(), 256U);
}

}  // namespace
}  // namespace clpool::core
