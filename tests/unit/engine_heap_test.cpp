// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The coalescing engine against a simple model: what is handed out never overlaps, what comes back merges,
// and the counters are those of a recount.
#include "engine/heap.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "support/blocks.hpp"

namespace clpool::core {
namespace {

using test::CountedBlocks;

/// A heap, and beside it a list of what is handed out by chunk and offset.
class ModelledHeap {
 public:
  explicit ModelledHeap(std::uint64_t granule) : heap(granule, blocks) {}

  HeapChunk& add_chunk(std::uint64_t size) {
    HeapChunk& chunk = chunks_.emplace_back();
    chunk.size = size;
    heap.add_chunk(chunk);
    managed_ += size;
    return chunk;
  }

  /// Null if the heap has nothing.
  Block* allocate(std::uint64_t size) {
    const std::uint64_t rounded = heap.rounded(size);
    Block* block = heap.find(rounded, true);
    if (block == nullptr) {
      return nullptr;
    }
    // At the start, at the end or in the middle of what is free.
    const std::uint64_t spare = (block->size - rounded) / heap.granule();
    const std::uint64_t skipped = !scatters || ++allocations_ % 3 == 0 ? 0
                                  : allocations_ % 3 == 1              ? spare / 2
                                                                       : spare;
    block = heap.take(*block, rounded, skipped * heap.granule());
    block->virgin = false;
    EXPECT_GE(block->size, size);
    EXPECT_EQ(block->offset % heap.granule(), 0u);
    EXPECT_LE(block->offset + block->size, block->chunk->size);
    auto& ranges = used_[block->chunk];
    const auto place = ranges.emplace(block->offset, block->size);
    EXPECT_TRUE(place.second) << "handed out twice";
    if (const auto next = std::next(place.first); next != ranges.end()) {
      EXPECT_LE(block->offset + block->size, next->first);
    }
    if (place.first != ranges.begin()) {
      const auto before = std::prev(place.first);
      EXPECT_LE(before->first + before->second, block->offset);
    }
    used_bytes_ += block->size;
    return block;
  }

  void free(Block& block) {
    used_[block.chunk].erase(block.offset);
    used_bytes_ -= block.size;
    heap.give_back(block, 0);
  }

  void expect_sound() const {
    ASSERT_EQ(heap.check(), nullptr) << heap.check();
    ASSERT_EQ(heap.managed_bytes(), managed_);
    ASSERT_EQ(heap.free_bytes(), managed_ - used_bytes_);
  }

  CountedBlocks blocks;
  Heap heap;
  bool scatters = false;

 private:
  std::deque<HeapChunk> chunks_;
  std::map<const HeapChunk*, std::map<std::uint64_t, std::uint64_t>> used_;
  std::uint64_t managed_ = 0;
  std::uint64_t used_bytes_ = 0;
  std::uint64_t allocations_ = 0;
};

struct Workload {
  std::uint64_t granule;
  std::uint64_t chunk_bytes;
  int chunks;
  std::uint64_t largest;  ///< bytes of a request
  std::size_t most_live;
};

class HeapModel : public testing::TestWithParam<Workload> {};

TEST_P(HeapModel, NeverOverlapsAndMergesEverythingBack) {
  const Workload& workload = GetParam();
  ModelledHeap model(workload.granule);
  model.scatters = true;
  std::vector<HeapChunk*> chunks;
  for (int i = 0; i < workload.chunks; ++i) {
    chunks.push_back(&model.add_chunk(workload.chunk_bytes + static_cast<std::uint64_t>(i)));
  }
  std::mt19937_64 random(workload.granule + workload.largest);
  std::vector<Block*> live;
  for (int i = 0; i < 400000; ++i) {
    const bool grow = live.empty() || (live.size() < workload.most_live && random() % 100 < 52);
    if (grow) {
      const std::uint64_t size =
          random() % 8 == 0 ? random() % workload.largest : random() % (workload.largest / 16 + 1);
      if (Block* block = model.allocate(size); block != nullptr) {
        live.push_back(block);
        continue;
      }
    }
    if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      model.free(*live.back());
      live.pop_back();
    }
    if (i % 20000 == 0) {
      model.expect_sound();
    }
    ASSERT_FALSE(HasFailure());
  }
  for (Block* block : live) {
    model.free(*block);
  }
  model.expect_sound();
  EXPECT_EQ(model.heap.free_bytes(), model.heap.managed_bytes());
  EXPECT_EQ(model.blocks.in_use(), chunks.size()) << "some neighbours were not merged";
  for (HeapChunk* chunk : chunks) {
    model.heap.remove_chunk(*chunk);
  }
  EXPECT_EQ(model.blocks.in_use(), 0u);
  EXPECT_EQ(model.heap.managed_bytes(), 0u);
  EXPECT_EQ(model.heap.used_free_blocks(), 0u);
  EXPECT_EQ(model.heap.check(), nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    , HeapModel,
    testing::Values(Workload{1, 1 << 16, 3, 5000, 1000}, Workload{256, 1 << 24, 4, 1 << 20, 300},
                    Workload{128, 1000003, 7, 70000, 500},
                    Workload{4096, std::uint64_t{1} << 50, 2, std::uint64_t{1} << 44, 2000},
                    Workload{64, 64, 50, 64, 60}));

TEST(Heap, MergesABlockWithBothNeighboursWhateverTheOrderOfRelease) {
  int order[] = {0, 1, 2};
  do {
    ModelledHeap model(64);
    model.add_chunk(64 * 3);
    Block* blocks[3];
    for (Block*& block : blocks) {
      block = model.allocate(64);
    }
    for (const int index : order) {
      model.free(*blocks[index]);
      model.expect_sound();
    }
    EXPECT_EQ(model.blocks.in_use(), 1u);
    EXPECT_EQ(model.heap.largest_free(), 64u * 3);
  } while (std::next_permutation(std::begin(order), std::end(order)));
}

TEST(Heap, TakesTheSmallestHoleThatFitsAndWholeChunksLast) {
  ModelledHeap model(64);
  model.add_chunk(64 * 100);
  HeapChunk& whole = model.add_chunk(64 * 5);
  Block* hole_of_10 = model.allocate(64 * 10);
  model.allocate(64);
  Block* hole_of_4 = model.allocate(64 * 4);
  model.allocate(64 * 85);
  model.free(*hole_of_10);
  model.free(*hole_of_4);
  EXPECT_EQ(model.heap.find(64 * 4)->size, 64u * 4);
  EXPECT_EQ(model.heap.find(64 * 5)->size, 64u * 10) << "the whole chunk would fit exactly, but stays whole";
  EXPECT_EQ(model.heap.whole_chunks().find(64 * 5)->chunk, &whole);
}

TEST(Heap, ReusesAnyOf65536HolesExactly) {
  ModelledHeap model(256);
  std::mt19937 random(3);
  constexpr std::size_t count = 2 * 65536;
  model.add_chunk(std::uint64_t{256} * 64 * count);
  std::vector<Block*> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(model.allocate(256 * (1 + random() % 60)));
    ASSERT_NE(all.back(), nullptr);
  }
  for (std::size_t i = 0; i < count; i += 2) {
    model.free(*all[i]);
  }
  ASSERT_EQ(model.heap.used_free_blocks(), 65536u);
  model.expect_sound();
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t size = 256 * (1 + random() % 60);
    Block* block = model.heap.find(size);
    ASSERT_NE(block, nullptr);
    ASSERT_EQ(block->size, size) << "there are holes of exactly this size";
    ASSERT_EQ(model.heap.take(*block, size)->size, size);
    model.heap.give_back(*block, 0);
  }
  model.expect_sound();
}

TEST(Heap, FindsAWholeChunkBehindManyOfNearlyItsSizeOnlyWhereItLooksAtAll) {
  ModelledHeap model(64);
  constexpr std::uint64_t granules = 4096;  // sizes that differ by less than 1/64 are kept together
  HeapChunk& largest = model.add_chunk((granules + 63) * 64);
  for (std::uint64_t i = 0; i < 20; ++i) {
    model.add_chunk((granules + i) * 64);
  }
  EXPECT_EQ(model.heap.find(largest.size), nullptr);
  const Block* const found = model.heap.find(largest.size, true);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->chunk, &largest);
}

TEST(Heap, FindsAPartBehindManyOfNearlyItsSizeOnlyWhereItLooksAtAll) {
  ModelledHeap model(64);
  constexpr std::uint64_t granules = 4096;
  model.add_chunk((granules + 63 + 1 + 20 * (granules + 1)) * 64);
  std::vector<Block*> parts{model.allocate((granules + 63) * 64)};
  model.allocate(64);
  for (int i = 0; i < 20; ++i) {
    parts.push_back(model.allocate(granules * 64));
    model.allocate(64);
  }
  for (Block* part : parts) {
    model.free(*part);
  }
  EXPECT_EQ(model.heap.find((granules + 63) * 64), nullptr);
  EXPECT_EQ(model.heap.find((granules + 63) * 64, true), parts.front());
}

TEST(Heap, NamesWhatIsWrong) {
  ModelledHeap model(64);
  model.add_chunk(64 * 100);
  Block* const first = model.allocate(64 * 4);
  Block* const second = model.allocate(64 * 4);
  Block* const third = model.allocate(64 * 4);
  model.free(*second);
  ASSERT_EQ(model.heap.check(), nullptr);
  const auto wrong = [&](auto& value, auto other, const char* text) {
    const auto before = std::exchange(value, other);
    EXPECT_STREQ(model.heap.check(), text);
    value = before;
    EXPECT_EQ(model.heap.check(), nullptr);
  };
  HeapChunk other;
  wrong(second->chunk, &other, "a block's links are wrong");
  wrong(second->left, third, "a block's links are wrong");
  wrong(second->offset, second->offset + 64, "blocks overlap or leave a gap");
  wrong(third->size, 0U, "blocks overlap or leave a gap");
  wrong(first->free, true, "two neighbouring free blocks are not merged");
  first->chunk->used += second->size;
  second->free = false;
  EXPECT_STREQ(model.heap.check(), "an index holds a block that does not belong there");
  second->free = true;
  first->chunk->used -= second->size;
  wrong(first->chunk->used, 64U, "what is used of a chunk is miscounted");
  wrong(second->virgin, true, "a counter differs from a recount");
}

TEST(Heap, CountsABlockThatWasNotHandedOutWithWhatItIsMergedWith) {
  ModelledHeap model(64);
  model.add_chunk(64 * 4);
  Block* const first = model.heap.take(*model.heap.find(64), 64);
  Block* const second = model.allocate(64);
  Block* const rest = model.allocate(64 * 2);
  model.free(*second);
  model.heap.give_back(*first, 0);
  EXPECT_EQ(model.heap.used_free_blocks(), 1u) << "the right part was handed out";
  model.free(*rest);
  model.expect_sound();
}

TEST(Heap, KeepsTheOddEndOfAChunkUsable) {
  ModelledHeap model(256);
  model.add_chunk(1000);
  EXPECT_EQ(model.allocate(800), nullptr) << "800 bytes round up to 1024";
  Block* block = model.allocate(768);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(model.heap.largest_free(), 232u);
  model.free(*block);
  EXPECT_EQ(model.heap.largest_free(), 1000u);
}

TEST(Heap, LooksForItsLargestAmongTwoThousandAndFortyEight) {
  constexpr std::uint64_t granule = 64;
  for (const std::uint64_t others : {most_looks_at_largest - 1, most_looks_at_largest}) {
    ModelledHeap model(granule);
    model.scatters = false;
    model.add_chunk((others + 1) * 202 * granule);
    std::vector<Block*> holes;
    for (std::uint64_t i = 0; i <= others; ++i) {
      holes.push_back(model.allocate((i == 0 ? 201 : 200) * granule));
      model.allocate(granule);
    }
    model.allocate(others * granule);  // the rest
    for (Block* const hole : holes) {
      model.free(*hole);
    }
    const bool sees_all = others < most_looks_at_largest;
    EXPECT_EQ(model.heap.largest_free(), (sees_all ? 201 : 200) * granule);
    EXPECT_NE(model.allocate(201 * granule), nullptr) << "a request looks at all";
  }
}

TEST(Heap, ChangesNothingWhenDescriptorsRunOut) {
  ModelledHeap model(64);
  model.add_chunk(64 * 8);
  Block* first = model.allocate(64);
  model.blocks.most = model.blocks.in_use();
  Block* rest = model.heap.find(64);
  EXPECT_THROW(model.heap.take(*rest, 64), std::bad_alloc);
  model.expect_sound();
  HeapChunk more;
  more.size = 64;
  EXPECT_THROW(model.heap.add_chunk(more), std::bad_alloc);
  model.expect_sound();
  EXPECT_EQ(model.heap.take(*rest, 64 * 7), rest) << "nothing is left over, so no descriptor is needed";
  model.heap.give_back(*rest, 0);
  model.free(*first);
  model.expect_sound();
}

TEST(Heap, CountsOnlyFreeBlocksThatWereUsedBefore) {
  ModelledHeap model(64);
  model.add_chunk(64 * 4);
  EXPECT_EQ(model.heap.used_free_blocks(), 0u) << "a new chunk was never handed out";
  Block* first = model.allocate(64);
  EXPECT_EQ(model.heap.used_free_blocks(), 0u);
  Block* second = model.allocate(64);
  model.free(*first);
  EXPECT_EQ(model.heap.used_free_blocks(), 1u);
  model.free(*second);
  EXPECT_EQ(model.heap.used_free_blocks(), 1u) << "merged with its neighbours";
  model.heap.give_back(*model.heap.take(*model.heap.find(128), 128), 0);
  EXPECT_EQ(model.heap.used_free_blocks(), 1u);
}

TEST(Heap, CountsABlockThatWasTakenButNotHandedOutAsNew) {
  ModelledHeap model(64);
  model.add_chunk(64 * 4);
  Block* const first = model.heap.take(*model.heap.find(64), 64, 64);
  Block* const second = model.heap.take(*model.heap.find(64), 64);
  model.heap.give_back(*second, 0);
  model.heap.give_back(*first, 0);
  EXPECT_EQ(model.heap.used_free_blocks(), 0u);
  Block* const third = model.allocate(64);
  Block* const fourth = model.heap.take(*model.heap.find(64), 64);
  model.free(*third);
  model.heap.give_back(*fourth, 0);
  EXPECT_EQ(model.heap.used_free_blocks(), 1u) << "of which a part was handed out";
  model.expect_sound();
}

TEST(Heap, ABlockInTheMiddleIsNotTakenByHalvesWhereDescriptorsAreOut) {
  CountedBlocks blocks;
  Heap heap(64, blocks);
  HeapChunk chunk;
  chunk.size = 64 * 4;
  heap.add_chunk(chunk);
  for (const std::uint64_t more : {0U, 1U}) {  // of the two that it takes
    blocks.most = blocks.in_use() + more;
    EXPECT_THROW(heap.take(*heap.find(64), 64, 64), std::bad_alloc);
    EXPECT_EQ(blocks.in_use(), 1U);
    EXPECT_EQ(heap.find(64 * 4), chunk.first) << "all is free as before";
  }
  blocks.most = UINT64_MAX;
  Block* const taken = heap.take(*heap.find(64), 64, 64);
  EXPECT_EQ(taken->offset, 64U);
  EXPECT_EQ(blocks.in_use(), 3U);
  heap.give_back(*taken, 0);
  EXPECT_EQ(heap.find(64 * 4), chunk.first);
  heap.remove_chunk(chunk);
}

TEST(Heap, RoundsUpToTheGranuleAndTellsOverflow) {
  CountedBlocks blocks;
  const Heap heap(256, blocks);
  EXPECT_EQ(heap.rounded(0), 256u);
  EXPECT_EQ(heap.rounded(1), 256u);
  EXPECT_EQ(heap.rounded(256), 256u);
  EXPECT_EQ(heap.rounded(257), 512u);
  EXPECT_EQ(heap.rounded(UINT64_MAX), 0u);
}

}  // namespace
}  // namespace clpool::core
