// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Parts by themselves: which handle of a part of a chunk serves a region, what must be released before one is
// made, and that no two living handles ever overlap.
#include "pool/blocks/parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "pool/blocks/pool_block.hpp"

namespace clpool::core {
namespace {

using Claim = Parts::Claim;

struct PoolParts : testing::Test {
  PoolParts() { parts.enter_in(shapes); }
  /// How many handles of that size a request would find.
  std::size_t found(std::uint64_t size) const {
    std::size_t count = 0;
    for (const Part* one = shapes.first_from(size); one != nullptr; one = one->free_next) {
      EXPECT_EQ(one->state, Part::State::unused);
      count += one->size == size ? 1 : 0;
    }
    return count;
  }
  Claim claim(std::uint64_t offset, std::uint64_t size, Part* known = nullptr) {
    part = known;
    return parts.claim(chunk, offset, size, only_used_once, part, dying);
  }
  void* some_handle() { return &handles[next_handle++ % handles.size()]; }
  /// Makes a handle, which must be what a claim asks for.
  void* make(std::uint64_t offset, std::uint64_t size) {
    EXPECT_EQ(claim(offset, size), Claim::make);
    if (part == nullptr) {
      return nullptr;
    }
    void* const handle = some_handle();
    parts.made(*part, handle, used_once);
    return handle;
  }
  void make_unused(std::uint64_t offset, std::uint64_t size) {
    make(offset, size);
    parts.put_aside(*parts.at(offset), dying);
  }
  /// Releases what is dying, as whoever keeps the books does; how many that were.
  std::size_t release_dying() {
    std::size_t count = 0;
    while (Part* const one = dying.take()) {
      EXPECT_EQ(one->state, Part::State::dying);
      EXPECT_EQ(one->chunk, &chunk);
      parts.forget(*one);
      ++count;
    }
    return count;
  }

  std::vector<char> handles = std::vector<char>(4096);
  std::size_t next_handle = 0;
  Shapes shapes{8};
  PoolChunk chunk;
  Parts& parts = chunk.parts;
  DyingParts dying;
  Part* part = nullptr;
  bool only_used_once = false;  ///< what is asked for
  bool used_once = false;       ///< what is made
};

TEST_F(PoolParts, AnUnusedHandleOfJustTheShapeIsUsedAgain) {
  void* const handle = make(256, 512);
  EXPECT_FALSE(parts.has_unused(nullptr, 256, 512, false)) << "it is in use";
  parts.put_aside(*parts.at(256), dying);
  EXPECT_TRUE(parts.has_unused(nullptr, 256, 512, false));
  EXPECT_FALSE(parts.has_unused(nullptr, 256, 256, false));
  EXPECT_FALSE(parts.has_unused(nullptr, 512, 512, false));
  ASSERT_EQ(claim(256, 512), Claim::ready);
  EXPECT_EQ(part->handle, handle);
  EXPECT_EQ(part->offset, 256u);
  EXPECT_EQ(part->size, 512u);
  EXPECT_FALSE(parts.has_unused(nullptr, 256, 512, false)) << "the same handle would serve twice";
  EXPECT_TRUE(dying.empty());
  EXPECT_EQ(parts.alive(), 1u);
  EXPECT_EQ(parts.in_work(), 0u);
}

TEST_F(PoolParts, AHandleThatIsKnownServesWhatItFitsAndMakesRoomForOthers) {
  void* const handle = make(256, 512);
  Part* const known = part;
  make_unused(768, 256);
  parts.put_aside(*parts.at(256), dying);
  ASSERT_EQ(claim(256, 512, known), Claim::ready);
  EXPECT_EQ(part, known);
  EXPECT_EQ(part->handle, handle);
  parts.put_aside(*parts.at(256), dying);
  only_used_once = true;
  EXPECT_EQ(claim(256, 512, known), Claim::release) << "it was never used";
  EXPECT_EQ(part, nullptr);
  EXPECT_EQ(release_dying(), 1u) << "the other only touches it";
  EXPECT_EQ(parts.check(), nullptr);
  make_unused(256, 512);
  only_used_once = false;
  EXPECT_EQ(claim(256, 640, shapes.first_from(512)), Claim::release) << "it is smaller";
  EXPECT_EQ(release_dying(), 2u);
}

TEST_F(PoolParts, TheWayToARegionMayBeginAnywhere) {
  for (std::uint64_t i = 0; i < 8; ++i) {
    make(i * 1024, 512);
  }
  EXPECT_EQ(parts.first(), parts.at(0));
  EXPECT_EQ(parts.at(512), nullptr);
  for (std::uint64_t i = 0; i < 8; ++i) {
    for (const std::uint64_t from : {std::uint64_t{0}, (i + 3) % 8, std::uint64_t{7}}) {
      ASSERT_EQ(claim(i * 1024 + 512, 512, parts.at(from * 1024)), Claim::make) << i << " from " << from;
      EXPECT_EQ(part->left, parts.at(i * 1024));
      EXPECT_EQ(part->right, parts.at((i + 1) * 1024));
      parts.made(*part, nullptr, false);
      EXPECT_EQ(parts.check(), nullptr);
    }
  }
}

/// A chunk with a block in use, [0, 512), and a hole, [512, 2048), in which an unused handle lies.
class PoolPartsInAHole : public PoolParts {
 protected:
  PoolPartsInAHole() {
    chunk.first = &used;
    used.chunk = hole.chunk = stale.chunk = &chunk;
    used.size = hole.offset = 512;
    hole.size = 1536;
    used.right = &hole;
    hole.left = &used;
    hole.free = stale.free = true;
    make(0, 512);
    part->block = &used;
    make_unused(512, 256);
    make_unused(1024, 256);
    unused = parts.at(1024);
    stale.offset = 512;
    stale.size = 1024;
    unused->block = &stale;
  }
  Block used;
  Block hole;
  Block stale;  ///< where it lay before
  Part* unused;
};

TEST_F(PoolPartsInAHole, IsFoundWhereItWasIfItIsThereYet) {
  EXPECT_EQ(Parts::hole_of(*unused), &stale);
  for (const auto& [offset, size] : {std::pair{1024U, 256U}, std::pair{0U, 4096U}}) {
    stale.offset = offset;
    stale.size = size;
    EXPECT_EQ(Parts::hole_of(*unused), &stale) << offset << " + " << size;
  }
}

TEST_F(PoolPartsInAHole, IsLookedForAnewIfItIsNotThere) {
  PoolChunk other;
  const Block before = stale;
  for (int what = 0; what < 5; ++what) {
    stale = before;
    unused->block = what == 0 ? nullptr : &stale;
    stale.free = what != 1;
    stale.chunk = what == 2 ? &other : &chunk;
    stale.offset = what == 3 ? 1280 : 512;
    stale.size = what == 4 ? 767 : 1024;
    EXPECT_EQ(Parts::hole_of(*unused), &hole) << what;
    EXPECT_EQ(unused->block, &hole) << what;
  }
}

TEST_F(PoolPartsInAHole, ThereIsNoneWhereTheChunkIsInUseAsAWhole) {
  parts.put_aside(*parts.at(0), dying);
  chunk.first = &stale;
  stale.offset = 0;
  stale.size = 2048;
  stale.free = false;
  EXPECT_EQ(Parts::hole_of(*unused), nullptr);
  EXPECT_EQ(Parts::hole_of(*unused), nullptr) << "nor when it is asked again";
}

TEST_F(PoolParts, AHandleThatWasNeverUsedMakesRoomWhereOneMustHaveBeen) {
  make_unused(256, 512);
  only_used_once = used_once = true;
  EXPECT_FALSE(parts.has_unused(nullptr, 256, 512, only_used_once));
  ASSERT_EQ(claim(256, 512), Claim::release);
  ASSERT_FALSE(dying.empty());
  parts.forget(*dying.take());
  make_unused(256, 512);
  EXPECT_TRUE(parts.has_unused(nullptr, 256, 512, only_used_once));
  EXPECT_EQ(claim(256, 512), Claim::ready);
}

TEST_F(PoolParts, AnOverlappingHandleIsReleasedBeforeOneIsMade) {
  struct Region {
    std::uint64_t offset, size;
  };
  // The unused handle is [512, 1024).
  for (const Region& region : {Region{512, 256}, Region{512, 1024}, Region{256, 512}, Region{768, 512},
                               Region{640, 128}, Region{0, 4096}, Region{1023, 1}, Region{0, 513}}) {
    SCOPED_TRACE(testing::Message() << region.offset << " + " << region.size);
    make_unused(512, 512);
    ASSERT_EQ(claim(region.offset, region.size), Claim::release);
    EXPECT_EQ(parts.in_work(), 1u);
    EXPECT_EQ(release_dying(), 1u);
    EXPECT_EQ(parts.alive(), 0u);
    make(region.offset, region.size);
    EXPECT_EQ(parts.alive(), 1u);
    EXPECT_EQ(parts.check(), nullptr);
    parts.put_aside(*parts.at(region.offset), dying);
    parts.put_all(dying);
    EXPECT_EQ(release_dying(), 1u);
  }
}

TEST_F(PoolParts, HandlesAreFoundByTheirSizeAsLongAsTheyAreUnused) {
  make_unused(0, 512);
  make_unused(512, 512);
  make_unused(1024, 256);
  EXPECT_EQ(found(512), 2u);
  EXPECT_EQ(found(256), 1u);
  EXPECT_EQ(shapes.first_from(512)->offset, 512u) << "the last one first";
  EXPECT_EQ(claim(0, 512), Claim::ready);
  EXPECT_EQ(found(512), 1u);
  EXPECT_EQ(claim(768, 512), Claim::release) << "overlaps two";
  EXPECT_EQ(found(512), 0u);
  EXPECT_EQ(found(256), 0u);
  release_dying();
}

TEST_F(PoolParts, NeighboursThatOnlyTouchStayAlive) {
  make_unused(0, 512);
  make_unused(1024, 512);
  make(512, 512);
  EXPECT_TRUE(dying.empty());
  EXPECT_TRUE(parts.has_unused(nullptr, 0, 512, false));
  EXPECT_TRUE(parts.has_unused(nullptr, 1024, 512, false));
  EXPECT_EQ(parts.alive(), 3u);
}

TEST_F(PoolParts, AllHandlesThatOverlapAreReleasedAtOnce) {
  for (std::uint64_t offset = 0; offset < 8 * 256; offset += 256) {
    make_unused(offset, 256);
  }
  ASSERT_EQ(claim(300, 980), Claim::release);
  EXPECT_EQ(release_dying(), 4u) << "the second to the fifth";
  EXPECT_EQ(parts.alive(), 4u);
  EXPECT_TRUE(parts.has_unused(nullptr, 0, 256, false));
  EXPECT_TRUE(parts.has_unused(nullptr, 1280, 256, false));
  make(300, 724);
}

TEST_F(PoolParts, AHandleThatAnotherThreadIsAboutToReleaseIsWaitedFor) {
  make_unused(0, 512);
  ASSERT_EQ(claim(0, 256), Claim::release);
  // Another thread has `dying` now and has not come back: neither the same region nor another in it may go.
  EXPECT_EQ(claim(0, 256), Claim::wait);
  EXPECT_EQ(claim(256, 256), Claim::wait);
  EXPECT_EQ(claim(0, 512), Claim::wait) << "a dying handle is not revived, not even for just its shape";
  EXPECT_EQ(parts.alive(), 1u) << "what waits is not entered";
  EXPECT_EQ(parts.in_work(), 1u);
  EXPECT_EQ(release_dying(), 1u);
  make(0, 512);
}

TEST_F(PoolParts, WhatIsUnusedIsReleasedAlthoughAnotherHandleIsWaitedFor) {
  make_unused(0, 256);
  make_unused(256, 256);
  ASSERT_EQ(claim(0, 128), Claim::release);
  DyingParts others = std::exchange(dying, {});
  ASSERT_EQ(claim(0, 512), Claim::release);
  EXPECT_EQ(release_dying(), 1u) << "the second only: the first is in the other thread's hands";
  EXPECT_EQ(claim(0, 512), Claim::wait);
  std::swap(dying, others);
  EXPECT_EQ(release_dying(), 1u);
  make(0, 512);
}

TEST_F(PoolParts, UnusedHandlesAreBoundedAndTheLongestUnusedGoesFirst) {
  const std::uint64_t count = Parts::most_unused + 10;
  for (std::uint64_t i = 0; i < count; ++i) {
    make(i * 256, 256);
  }
  EXPECT_TRUE(dying.empty()) << "the bound is for unused ones";
  for (std::uint64_t i = count; i-- > 0;) {
    parts.put_aside(*parts.at(i * 256), dying);
    EXPECT_EQ(parts.check(), nullptr);
  }
  EXPECT_EQ(parts.in_work(), 10u);
  for (std::uint64_t i = 0; i < count; ++i) {
    EXPECT_EQ(parts.has_unused(nullptr, i * 256, 256, false), i < Parts::most_unused) << i;
  }
  EXPECT_EQ(release_dying(), 10u);
  EXPECT_EQ(parts.alive(), Parts::most_unused);
  EXPECT_EQ(parts.in_work(), 0u);
}

TEST_F(PoolParts, UseMakesAHandleYoungAgain) {
  for (std::uint64_t i = 0; i < Parts::most_unused; ++i) {
    make_unused(i * 256, 256);
  }
  ASSERT_EQ(claim(0, 256), Claim::ready);
  parts.put_aside(*parts.at(0), dying);
  make_unused(Parts::most_unused * 256, 256);
  EXPECT_TRUE(parts.has_unused(nullptr, 0, 256, false));
  EXPECT_FALSE(parts.has_unused(nullptr, 256, 256, false)) << "the longest unused by now";
  EXPECT_EQ(release_dying(), 1u);
}

TEST_F(PoolParts, AFailedMakingIsForgotten) {
  ASSERT_EQ(claim(0, 256), Claim::make);
  EXPECT_EQ(parts.in_work(), 1u);
  parts.made(*part, nullptr, used_once);
  EXPECT_EQ(parts.in_work(), 0u);
  EXPECT_EQ(parts.alive(), 0u);
  EXPECT_FALSE(parts.has_unused(nullptr, 0, 256, false));
  EXPECT_EQ(parts.check(), nullptr);
  make(0, 512);
}

TEST_F(PoolParts, RecordsOfHandlesThatAreGoneAreUsedAgain) {
  for (std::size_t i = 0; i < 2 * Parts::most_unused; ++i) {
    make(i * 256, 256);
    part->excess = 1;
    part->used_once = true;
  }
  for (std::size_t i = 0; i < 2 * Parts::most_unused; ++i) {
    parts.put_aside(*parts.at(i * 256), dying);
  }
  parts.put_all(dying);
  EXPECT_EQ(release_dying(), 2 * Parts::most_unused);
  for (std::size_t i = 0; i < 2 * Parts::most_unused; ++i) {
    ASSERT_EQ(claim(i * 512, 512), Claim::make);
    EXPECT_EQ(part->state, Part::State::used);
    EXPECT_EQ(part->excess, 0u);
    EXPECT_EQ(part->handle, nullptr);
    EXPECT_EQ(part->block, nullptr);
    EXPECT_FALSE(part->used_once);
    EXPECT_EQ(parts.check(), nullptr);
  }
  parts.put_aside(*parts.at(0), dying);
  parts.put_all(dying);
  EXPECT_EQ(release_dying(), 1u);
  EXPECT_EQ(parts.at(0), nullptr) << "the last way ended there";
  EXPECT_NE(parts.at(512), nullptr);
}

TEST_F(PoolParts, TheEndReleasesAllThatIsUnused) {
  for (std::uint64_t i = 0; i < 10; ++i) {
    make_unused(i * 256, 256);
  }
  parts.put_all(dying);
  EXPECT_EQ(parts.in_work(), 10u);
  EXPECT_EQ(release_dying(), 10u);
  EXPECT_EQ(parts.alive(), 0u);
  EXPECT_EQ(parts.in_work(), 0u);
}

TEST_F(PoolParts, ACheckFindsHandlesThatOverlapAndOnesThatAreMiscounted) {
  ASSERT_EQ(claim(0, 256), Claim::make);
  Part& first = *part;
  make(256, 256);
  EXPECT_EQ(parts.check(), nullptr);
  first.size = 257;
  EXPECT_NE(parts.check(), nullptr);
  first.size = 256;
  first.state = Part::State::unused;
  EXPECT_NE(parts.check(), nullptr) << "it is in no list";
  first.state = Part::State::used;
  EXPECT_EQ(parts.check(), nullptr);
  Part* const right = std::exchange(first.right, nullptr);
  EXPECT_NE(parts.check(), nullptr) << "the way along the addresses ends early";
  first.right = right;
  right->left = nullptr;
  EXPECT_NE(parts.check(), nullptr);
  right->left = &first;
  right->right = &first;
  EXPECT_NE(parts.check(), nullptr);
  right->right = nullptr;
  EXPECT_EQ(parts.check(), nullptr);
}

/// The driver, several threads that make and release handles with no lock held, and what they have in hand.
class PartsModel : public PoolParts, public testing::WithParamInterface<unsigned> {
 protected:
  static constexpr std::uint64_t chunk_bytes = 64 * 256;
  struct Region {
    std::uint64_t size;
    Part* making;  ///< null once it has its handle
  };

  bool is_free(std::uint64_t offset, std::uint64_t size) const {
    return std::none_of(regions.begin(), regions.end(), [&](const auto& one) {
      return offset < one.first + one.second.size && one.first < offset + size;
    });
  }
  void alive_in_driver(std::uint64_t offset, std::uint64_t size) {
    for (const auto& [other, bytes] : living) {
      EXPECT_FALSE(offset < other + bytes && other < offset + size)
          << "[" << offset << ", +" << size << ") overlaps the living [" << other << ", +" << bytes << ")";
    }
    living[offset] = size;
  }
  void keep_dying() {
    while (Part* const one = dying.take()) {
      to_release.push_back(one);
    }
  }
  void release(std::size_t index) {
    Part* const one = to_release[index];
    to_release.erase(to_release.begin() + static_cast<std::ptrdiff_t>(index));
    EXPECT_EQ(living.erase(one->offset), 1u) << "released twice";
    parts.forget(*one);
  }

  std::map<std::uint64_t, Region> regions;        ///< in somebody's hands, by offset
  std::map<std::uint64_t, std::uint64_t> living;  ///< handles that the driver knows, offset to size
  std::vector<Part*> to_release;                  ///< in threads' hands
};
INSTANTIATE_TEST_SUITE_P(Seeds, PartsModel, testing::Range(1U, 13U));

TEST_P(PartsModel, NeverHasTwoLivingHandlesThatOverlap) {
  std::mt19937 random(GetParam());
  const auto below = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
  std::size_t ready = 0;
  std::size_t waits = 0;
  // Many small regions for some, few large ones for others.
  const std::uint64_t most_granules = GetParam() % 3 == 0 ? 2 : 16;
  const std::uint64_t granule = GetParam() % 3 == 0 ? 64 : 256;
  for (int round = 0; round < 20'000 && !HasFailure(); ++round) {
    const std::size_t action = below(10);
    if (action < 4) {
      const std::uint64_t size = granule * (1 + below(most_granules));
      const std::uint64_t offset = granule * below((chunk_bytes - size) / granule + 1);
      if (!is_free(offset, size)) {
        continue;
      }
      const bool exact = parts.has_unused(nullptr, offset, size, false);
      switch (claim(offset, size)) {
        case Claim::ready:
          ++ready;
          EXPECT_TRUE(exact);
          EXPECT_EQ(living.at(offset), size);
          regions[offset] = {size, nullptr};
          break;
        case Claim::make:
          EXPECT_FALSE(exact);
          alive_in_driver(offset, size);
          regions[offset] = {size, part};
          break;
        case Claim::release:
          EXPECT_FALSE(dying.empty());
          break;
        case Claim::wait:
          ++waits;
          EXPECT_TRUE(dying.empty());
          EXPECT_FALSE(to_release.empty()) << "nobody would end the waiting";
          break;
      }
      keep_dying();
    } else if (action < 8 && !regions.empty()) {
      const auto at = std::next(regions.begin(), static_cast<std::ptrdiff_t>(below(regions.size())));
      if (Part* const making = std::exchange(at->second.making, nullptr); making == nullptr) {
        parts.put_aside(*parts.at(at->first), dying);
        keep_dying();
        regions.erase(at);
      } else if (below(5) == 0) {
        living.erase(at->first);
        regions.erase(at);
        parts.made(*making, nullptr, used_once);
      } else {
        parts.made(*making, some_handle(), used_once);
      }
    } else if (!to_release.empty()) {
      release(below(to_release.size()));
    }
    ASSERT_EQ(parts.check(), nullptr);
    ASSERT_EQ(parts.alive(), living.size());
    const auto making = std::count_if(regions.begin(), regions.end(),
                                      [](const auto& one) { return one.second.making != nullptr; });
    ASSERT_EQ(parts.in_work(), to_release.size() + static_cast<std::size_t>(making));
  }
  EXPECT_GT(ready, 0u);
  EXPECT_GT(waits, 0u);
  for (const auto& [offset, region] : regions) {
    if (region.making != nullptr) {
      parts.made(*region.making, some_handle(), used_once);
    }
    parts.put_aside(*parts.at(offset), dying);
  }
  parts.put_all(dying);
  keep_dying();
  while (!to_release.empty()) {
    release(to_release.size() - 1);
  }
  EXPECT_EQ(parts.alive(), 0u);
  EXPECT_EQ(parts.in_work(), 0u);
  EXPECT_TRUE(living.empty());
}

}  // namespace
}  // namespace clpool::core
