// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Store: where descriptors lie, and that those of a store that ended are used again.
#include "pool/blocks/store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <set>
#include <vector>

#include "pool_books.hpp"

namespace {
/// Larger allocations with an alignment of their own are refused.
std::size_t largest_aligned = SIZE_MAX;
}  // namespace

// Not inlined, where compilers would see memory of one function given to another.
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  void* const made =
      size > largest_aligned ? nullptr : std::aligned_alloc(step, (size + step - 1) / step * step);
  if (made == nullptr) {
    throw std::bad_alloc();
  }
  return made;
}
[[gnu::noinline]] void operator delete(void* pointer, std::align_val_t) noexcept {
  std::free(pointer);
}
[[gnu::noinline]] void operator delete(void* pointer, std::size_t, std::align_val_t) noexcept {
  std::free(pointer);
}

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

/// So many do not overlap, and are aligned as pairs of cache lines.
void expect_apart(Store<Descriptor>& store, std::size_t count) {
  std::vector<Descriptor*> taken = take(store, count);
  std::sort(taken.begin(), taken.end());
  for (std::size_t i = 0; i + 1 < taken.size(); ++i) {
    ASSERT_EQ(address_of(taken[i]) % 128, 0U);
    ASSERT_LE(address_of(taken[i]) + sizeof(Descriptor), address_of(taken[i + 1]));
  }
  for (Descriptor* const one : taken) {
    store.give_back(*one);
  }
}

TEST(PoolStore, DescriptorsDoNotOverlapAndAreAlignedAsPairsOfCacheLines) {
  Store<Descriptor> store;
  expect_apart(store, several_regions);
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

/// Whether the operators above are those in use: valgrind has its own.
bool can_refuse() {
  largest_aligned = 0;
  void* volatile made = nullptr;
  try {
    made = ::operator new (128, std::align_val_t{128});
  } catch (const std::bad_alloc&) {
    largest_aligned = SIZE_MAX;
    return true;
  }
  ::operator delete (made, std::align_val_t{128});
  largest_aligned = SIZE_MAX;
  return false;
}

constexpr const char* not_refused = "whoever runs this program has operators new of its own";

/// Leaves neither spare descriptors of a type nor memory for more, as long as it lives.
template <typename T>
class Hog {
 public:
  explicit Hog(std::size_t largest) {
    largest_aligned = largest;
    try {
      while (taken_.size() < 1000000) {
        taken_.push_back(&store_.take());
      }
    } catch (const std::bad_alloc&) {
      is_dry_ = true;
    }
  }
  Hog(const Hog&) = delete;
  Hog& operator=(const Hog&) = delete;
  ~Hog() {
    largest_aligned = SIZE_MAX;
    for (T* const one : taken_) {
      store_.give_back(*one);
    }
  }
  bool is_dry() const { return is_dry_; }

 private:
  Store<T> store_;
  std::vector<T*> taken_;
  bool is_dry_ = false;
};

TEST(PoolStore, WithoutMemoryItIsAnErrorAndNothingIsLost) {
  if (!can_refuse()) {
    GTEST_SKIP() << not_refused;
  }
  Store<Descriptor> store;
  {
    const Hog<Descriptor> hog(0);
    ASSERT_TRUE(hog.is_dry());
    EXPECT_THROW(store.take(), std::bad_alloc);
  }
  Descriptor& one = store.take();
  store.give_back(one);
}

TEST(PoolStore, WhereThereIsNoRegionToBeHadSmallPiecesAre) {
  if (!can_refuse()) {
    GTEST_SKIP() << not_refused;
  }
  const Hog<Descriptor> hog(0);
  ASSERT_TRUE(hog.is_dry());
  largest_aligned = region_bytes - 1;
  Store<Descriptor> store;
  expect_apart(store, 1000);
}

TEST_F(PoolBooksWithHandles, WithoutHostMemoryForTheRecordOfAHandleNoBlockIsLost) {
  if (!can_refuse()) {
    GTEST_SKIP() << not_refused;
  }
  {
    Store<PoolBlock> blocks;  // of which there are some
    std::vector<PoolBlock*> some(64);
    for (PoolBlock*& one : some) {
      one = &blocks.take();
    }
    for (PoolBlock* const one : some) {
      blocks.give_back(*one);
    }
  }
  {
    const Hog<Part> hog(0);
    ASSERT_TRUE(hog.is_dry());
    EXPECT_THROW(serve(512), std::bad_alloc);
    EXPECT_EQ(books->check(), nullptr);
  }
  const std::uint64_t all = books->managed_bytes();
  PoolBlock* const whole = serve(all);
  EXPECT_EQ(books->managed_bytes(), all) << "a block is lost";
  books->free(*whole, 0);
}

}  // namespace
}  // namespace clpool::core
