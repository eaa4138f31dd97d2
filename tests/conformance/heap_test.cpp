// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Heaps through the C ABI: the engine over number spaces that a program owns.
#include <clpool/clpool.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace clpool::test {
namespace {

struct Destroy {
  void operator()(clpool_heap* heap) const { clpool_heap_destroy(heap); }
};
using HeapHandle = std::unique_ptr<clpool_heap, Destroy>;

HeapHandle make_heap(std::uint64_t granule) {
  clpool_heap* heap = nullptr;
  EXPECT_EQ(clpool_heap_create(granule, &heap), CLPOOL_SUCCESS);
  return HeapHandle(heap);
}
std::uint64_t add_space(const HeapHandle& heap, std::uint64_t size) {
  std::uint64_t space = 99;
  EXPECT_EQ(clpool_heap_add_space(heap.get(), size, &space), CLPOOL_SUCCESS);
  return space;
}
clpool_heap_range* allocate(const HeapHandle& heap, std::uint64_t size) {
  clpool_heap_range* range = nullptr;
  EXPECT_EQ(clpool_heap_allocate(heap.get(), size, &range), CLPOOL_SUCCESS) << clpool_last_error_message();
  return range;
}
clpool_heap_stats stats_of(const HeapHandle& heap) {
  clpool_heap_stats stats = CLPOOL_HEAP_STATS_INIT;
  EXPECT_EQ(clpool_heap_statistics(heap.get(), &stats), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_heap_check(heap.get()), CLPOOL_SUCCESS) << clpool_last_error_message();
  return stats;
}

TEST(HeapHandles, HandOutRangesThatDoNotOverlapAndMergeAgain) {
  const HeapHandle heap = make_heap(16);
  add_space(heap, 100'000);
  add_space(heap, 50'000);
  std::mt19937 random(2);
  std::vector<clpool_heap_range*> live;
  std::set<std::pair<std::uint64_t, std::uint64_t>> granules;
  for (int i = 0; i < 5000; ++i) {
    clpool_heap_range* range = nullptr;
    if (random() % 2 == 0 && clpool_heap_allocate(heap.get(), random() % 2000, &range) == CLPOOL_SUCCESS) {
      live.push_back(range);
      EXPECT_EQ(clpool_heap_range_offset(range) % 16, 0u);
      for (std::uint64_t at = 0; at < clpool_heap_range_size(range); at += 16) {
        ASSERT_TRUE(
            granules.emplace(clpool_heap_range_space(range), clpool_heap_range_offset(range) + at).second);
      }
    } else if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      range = live.back();
      live.pop_back();
      for (std::uint64_t at = 0; at < clpool_heap_range_size(range); at += 16) {
        granules.erase({clpool_heap_range_space(range), clpool_heap_range_offset(range) + at});
      }
      ASSERT_EQ(clpool_heap_free(heap.get(), range), CLPOOL_SUCCESS);
    }
    if (i % 100 == 0) {
      EXPECT_EQ(stats_of(heap).active_ranges, live.size());
      EXPECT_EQ(stats_of(heap).managed - stats_of(heap).free, granules.size() * 16);
    }
  }
  for (clpool_heap_range* range : live) {
    EXPECT_EQ(clpool_heap_free(heap.get(), range), CLPOOL_SUCCESS);
  }
  EXPECT_EQ(stats_of(heap).free, stats_of(heap).managed);
  EXPECT_EQ(stats_of(heap).largest_free, 100'000u);
}

TEST(HeapHandles, UseTheWholeOfASpaceAndSayWhenItIsUsedUp) {
  const HeapHandle heap = make_heap(0);
  add_space(heap, 100);
  clpool_heap_range* all = allocate(heap, 100);
  auto* range = reinterpret_cast<clpool_heap_range*>(1);
  EXPECT_EQ(clpool_heap_allocate(heap.get(), 0, &range), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(range, nullptr);
  EXPECT_EQ(clpool_heap_free(heap.get(), all), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_heap_range_size(allocate(heap, 0)), 1u) << "0 counts as 1";
  EXPECT_EQ(clpool_heap_allocate(heap.get(), 100, &range), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_NE(std::string(clpool_last_error_message()).find("99"), std::string::npos);
}

TEST(HeapHandles, RefuseTheRangeOfAnotherHeap) {
  const HeapHandle heap = make_heap(1);
  const HeapHandle other = make_heap(1);
  add_space(heap, 100);
  add_space(other, 100);
  clpool_heap_range* range = allocate(other, 10);
  EXPECT_EQ(clpool_heap_free(heap.get(), range), CLPOOL_ERROR_INVALID_OPERATION);
  add_space(other, 1000);
  clpool_heap_range* of_a_second_space = allocate(other, 1000);
  EXPECT_EQ(clpool_heap_free(heap.get(), of_a_second_space), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_heap_check(heap.get()), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_heap_free(other.get(), range), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_heap_check(other.get()), CLPOOL_SUCCESS);
}

TEST(HeapHandles, RefuseASecondFree) {
  const HeapHandle heap = make_heap(1);
  add_space(heap, 100);
  clpool_heap_range* first = allocate(heap, 10);
  clpool_heap_range* second = allocate(heap, 10);
  EXPECT_EQ(clpool_heap_free(heap.get(), second), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_heap_free(heap.get(), second), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_heap_free(heap.get(), first), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_heap_free(heap.get(), first), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(stats_of(heap).active_ranges, 0u);
}

TEST(HeapHandles, GiveUpOnlySpacesThatAreWhollyFree) {
  const HeapHandle heap = make_heap(1);
  EXPECT_EQ(add_space(heap, 10), 0u);
  EXPECT_EQ(add_space(heap, 1000), 1u);
  clpool_heap_range* const first = allocate(heap, 300);
  clpool_heap_range* range = allocate(heap, 500);
  EXPECT_EQ(clpool_heap_range_space(range), 1u);
  EXPECT_EQ(clpool_heap_free(heap.get(), first), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_heap_remove_space(heap.get(), 1), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_heap_remove_space(heap.get(), 0), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_heap_remove_space(heap.get(), 0), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_heap_remove_space(heap.get(), 7), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(add_space(heap, 20), 2u) << "numbers are not used again";
  EXPECT_EQ(stats_of(heap).spaces, 2u);
  EXPECT_EQ(clpool_heap_free(heap.get(), range), CLPOOL_SUCCESS);
}

TEST(HeapHandles, RefuseBadArguments) {
  clpool_heap* made = nullptr;
  std::uint64_t space = 0;
  clpool_heap_range* range = nullptr;
  constexpr auto refused = CLPOOL_ERROR_INVALID_VALUE;
  EXPECT_EQ(clpool_heap_create(3, &made), refused);
  EXPECT_EQ(clpool_heap_create(1, nullptr), refused);
  const HeapHandle heap = make_heap(256);
  EXPECT_EQ(clpool_heap_add_space(heap.get(), 255, &space), refused) << "smaller than a granule";
  EXPECT_EQ(clpool_heap_add_space(heap.get(), 0, &space), refused);
  EXPECT_EQ(clpool_heap_add_space(nullptr, 1000, &space), refused);
  EXPECT_EQ(clpool_heap_add_space(heap.get(), 1000, nullptr), refused);
  add_space(heap, 1000);
  EXPECT_EQ(stats_of(heap).managed, 768u) << "the odd end is left unused";
  EXPECT_EQ(clpool_heap_allocate(heap.get(), UINT64_MAX, &range), refused);
  EXPECT_EQ(clpool_heap_allocate(heap.get(), 1, nullptr), refused);
  EXPECT_EQ(clpool_heap_allocate(nullptr, 1, &range), refused);
  EXPECT_EQ(clpool_heap_free(nullptr, nullptr), refused);
  EXPECT_EQ(clpool_heap_free(heap.get(), nullptr), CLPOOL_SUCCESS);
  clpool_heap_stats stats = CLPOOL_HEAP_STATS_INIT;
  EXPECT_EQ(clpool_heap_statistics(nullptr, &stats), refused);
  EXPECT_EQ(clpool_heap_statistics(heap.get(), nullptr), refused);
  stats.struct_size = 4;
  EXPECT_EQ(clpool_heap_statistics(heap.get(), &stats), refused);
  EXPECT_EQ(clpool_heap_check(nullptr), refused);
  EXPECT_EQ(clpool_heap_range_size(nullptr), 0u);
  EXPECT_EQ(clpool_heap_range_offset(nullptr), 0u);
  EXPECT_EQ(clpool_heap_range_space(nullptr), 0u);
  clpool_heap_stats_init(nullptr);
  clpool_heap_destroy(nullptr);
}

TEST(HeapHandles, TakeTheWholeOf64Bits) {
  const HeapHandle heap = make_heap(1);
  add_space(heap, UINT64_MAX);
  clpool_heap_range* large = allocate(heap, UINT64_MAX - 10);
  EXPECT_EQ(stats_of(heap).free, 10u);
  EXPECT_EQ(clpool_heap_free(heap.get(), large), CLPOOL_SUCCESS);
  EXPECT_EQ(stats_of(heap).largest_free, UINT64_MAX);
  std::uint64_t space = 0;
  EXPECT_EQ(clpool_heap_add_space(heap.get(), 7, &space), CLPOOL_ERROR_INVALID_VALUE) << "more in all";
  EXPECT_STREQ(clpool_last_error_message(),
               "a space of 7 units and the 18446744073709551615 that the heap has would be more than "
               "18446744073709551615 together");
  EXPECT_EQ(stats_of(heap).managed, UINT64_MAX);
  EXPECT_EQ(stats_of(heap).spaces, 1u);
}

}  // namespace
}  // namespace clpool::test
