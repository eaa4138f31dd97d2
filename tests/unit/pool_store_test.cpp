// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Store: where descriptors lie, and that those of a store that ended are used again.
#include "pool/blocks/store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace clpool::core {
namespace {

struct Base {
  Base* next = nullptr;
  std::uint64_t mark = 0;
};
struct alignas(128) Descriptor : Base {};

constexpr std::uintptr_t region_bytes = std::uintptr_t{2} * 1024 * 1024;
constexpr std::size_t several_regions = 40000;

std::uintptr_t address_of(const Descriptor* descriptor) {
  return reinterpret_cast<std::uintptr_t>(descriptor);
}

std::vector<Descriptor*> take(Store<Descriptor>& store, std::size_t count) {
  std::vector<Descriptor*> taken(count);
  std::generate(taken.begin(), taken.end(), [&] { return &store.take(); });
  return taken;
}

TEST(PoolStore, DescriptorsDoNotOverlapAndAreAlignedAsPairsOfCacheLines) {
  Store<Descriptor> store;
  std::vector<Descriptor*> taken = take(store, several_regions);
  std::sort(taken.begin(), taken.end());
  for (std::size_t i = 0; i + 1 < taken.size(); ++i) {
    ASSERT_EQ(address_of(taken[i]) % 128, 0U);
    ASSERT_LE(address_of(taken[i]) + sizeof(Descriptor), address_of(taken[i + 1]));
  }
  for (Descriptor* const one : taken) {
    store.give_back(*one);
  }
}

TEST(PoolStore, DescriptorsLieInFewRegions) {
  Store<Descriptor> store;
  const std::vector<Descriptor*> taken = take(store, several_regions);
  std::set<std::uintptr_t> regions;
  for (Descriptor* const one : taken) {
    regions.insert(address_of(one) / region_bytes);
    store.give_back(*one);
  }
  // Two and a half would do; those of other types may lie in the first and the last.
  EXPECT_LE(regions.size(), 4U);
}

TEST(PoolStore, WhatAStoreHadServesTheNext) {
  std::set<Descriptor*> before;
  {
    Store<Descriptor> store;
    for (Descriptor* const one : take(store, several_regions)) {
      before.insert(one);
      store.give_back(*one);
    }
  }
  Store<Descriptor> first;
  Store<Descriptor> second;
  for (Store<Descriptor>* const store : {&first, &second}) {
    for (Descriptor* const one : take(*store, several_regions / 2)) {
      EXPECT_EQ(before.erase(one), 1U) << "new, or taken twice";
    }
  }
}

TEST(PoolStore, ADescriptorComesAsItWasLeftAndTheLastOneFirst) {
  Store<Descriptor> store;
  Descriptor& one = store.take();
  Descriptor& other = store.take();
  one.mark = 1;
  other.mark = 2;
  store.give_back(one);
  store.give_back(other);
  EXPECT_EQ(&store.take(), &other);
  EXPECT_EQ(other.mark, 2U);
  EXPECT_EQ(&store.take(), &one);
  EXPECT_EQ(one.mark, 1U);
  store.give_back(one);
  store.give_back(other);
}

}  // namespace
}  // namespace clpool::core
