// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What every pool promises, whatever its memory and its strategy: counters, lifetimes, contents, bad input.
#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <random>
#include <thread>
#include <utility>

#include "conformance/pool/backends.hpp"

namespace clpool::test {
namespace {

class PoolContract : public PoolTest {};
INSTANTIATE_TEST_SUITE_P(, PoolContract, testing::ValuesIn(all_backends()), name_of);

TEST_P(PoolContract, CountsASlidingWindowOfBlocksExactly) {  // PyOpenCL's test_mempool
  const PoolHandle tested = pool();
  std::deque<MemHandle> window;
  std::uint64_t active = 0;
  std::map<std::uint64_t, std::uint64_t> managed_blocks;  // binned: blocks that exist by size
  std::map<std::uint64_t, std::uint64_t> active_blocks;
  for (int i = 0; i < 200; ++i) {
    const std::size_t size = i < 100 ? 64 : 128;
    window.push_back(allocate(tested, size));
    active += size;
    if (is_binned()) {
      std::uint64_t& live = ++active_blocks[rounded(size)];
      managed_blocks[rounded(size)] = std::max(managed_blocks[rounded(size)], live);
    }
    if (window.size() > 10) {
      active -= clpool_mem_size(window.front().get());
      if (is_binned()) {
        --active_blocks[rounded(clpool_mem_size(window.front().get()))];
      }
      window.pop_front();
    }
    const clpool_pool_stats stats = stats_of(tested);
    ASSERT_EQ(stats.active_blocks, window.size());
    ASSERT_EQ(stats.active_bytes, active);
    ASSERT_EQ(stats.allocations, static_cast<std::uint64_t>(i) + 1);
    if (is_binned()) {
      std::uint64_t bytes = 0;
      std::uint64_t blocks = 0;
      for (const auto& [block_bytes, count] : managed_blocks) {
        bytes += block_bytes * count;
        blocks += count;
      }
      ASSERT_EQ(stats.managed_bytes, bytes);
      ASSERT_EQ(stats.held_blocks, blocks - window.size());
      ASSERT_EQ(stats.driver_allocations, blocks);
    }
  }
  expect_sound(tested);
  window.clear();
  ASSERT_EQ(clpool_pool_stop_holding(tested.get()), CLPOOL_SUCCESS);
  const clpool_pool_stats stats = stats_of(tested);
  EXPECT_EQ(stats.active_blocks, 0u);
  EXPECT_EQ(stats.active_bytes, 0u);
  EXPECT_EQ(stats.held_blocks, 0u);
  EXPECT_EQ(stats.managed_bytes, 0u);
  EXPECT_EQ(stats.driver_releases, stats.driver_allocations);
}

TEST_P(PoolContract, GivesAnEmptyRequestABlockOfItsOwn) {
  const PoolHandle tested = pool();
  MemHandle empty = allocate(tested, 0);
  ASSERT_NE(empty, nullptr);
  EXPECT_EQ(clpool_mem_size(empty.get()), 0u);
  EXPECT_GE(clpool_mem_capacity(empty.get()), 1u);
  EXPECT_EQ(stats_of(tested).active_blocks, 1u);
  EXPECT_EQ(stats_of(tested).active_bytes, 0u);
  if (is_binned()) {
    EXPECT_EQ(stats_of(tested).managed_bytes, 1u);
    empty.reset();
    const MemHandle one = allocate(tested, 1);
    EXPECT_EQ(stats_of(tested).hits, 1u) << "sizes 0 and 1 share a bin";
  }
}

TEST_P(PoolContract, RefusesASecondRelease) {
  const PoolHandle tested = pool();
  clpool_mem* mem = allocate(tested, 1000).release();
  EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_mem_release(mem), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_mem_release_later(mem), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_mem_retain(mem), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_mem_set_tag(mem, 1), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(stats_of(tested).active_blocks, 0u);
  ASSERT_EQ(clpool_pool_free_held(tested.get()), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_mem_release(mem), CLPOOL_ERROR_INVALID_OPERATION);
  expect_sound(tested);
}

TEST_P(PoolContract, ShowsNothingOfAReleasedBlock) {
  const PoolHandle tested = pool();
  clpool_mem* mem = allocate(tested, 1000).release();
  EXPECT_EQ(clpool_mem_is_pooled(mem), 1);
  EXPECT_EQ(clpool_mem_handle(mem) != nullptr, has_buffers());
  EXPECT_EQ(clpool_mem_pointer(mem) != nullptr, !has_buffers());
  EXPECT_EQ(clpool_mem_size(mem), 1000u);
  ASSERT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_mem_handle(mem), nullptr);
  EXPECT_EQ(clpool_mem_pointer(mem), nullptr);
  EXPECT_EQ(clpool_mem_size(mem), 0u);
  EXPECT_EQ(clpool_mem_capacity(mem), 0u);
  EXPECT_EQ(clpool_mem_kind(mem), 0);
}

TEST_P(PoolContract, KeepsABlockUntilItsLastReferenceIsGivenUp) {
  const PoolHandle tested = pool();
  const MemHandle first = allocate(tested, 1000);
  ASSERT_EQ(clpool_mem_retain(first.get()), CLPOOL_SUCCESS);
  ASSERT_EQ(clpool_mem_release(first.get()), CLPOOL_SUCCESS);
  EXPECT_EQ(stats_of(tested).active_blocks, 1u);
  EXPECT_EQ(clpool_mem_size(first.get()), 1000u);
}

TEST_P(PoolContract, RefusesSizesThatNoMemoryHas) {
  const PoolHandle tested = pool();
  const MemHandle other = allocate(tested, 100);
  const Counters before = counters_of(tested);
  const clpool_pool_stats stats_before = stats_of(tested);
  for (const std::size_t size : {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 127, SIZE_MAX - 255, SIZE_MAX - 4096,
                                 static_cast<std::size_t>(PTRDIFF_MAX) + 1, SIZE_MAX / 2 + 12345}) {
    auto* mem = reinterpret_cast<clpool_mem*>(1);
    EXPECT_EQ(clpool_pool_allocate(tested.get(), size, &mem), CLPOOL_ERROR_INVALID_VALUE) << size;
    EXPECT_EQ(mem, nullptr);
    EXPECT_NE(std::string(clpool_last_error_message()).find(std::to_string(size)), std::string::npos)
        << clpool_last_error_message();
    EXPECT_EQ(clpool_pool_try_allocate(tested.get(), size, &mem), CLPOOL_ERROR_INVALID_VALUE);
  }
  EXPECT_EQ(counters_of(tested), before);
  EXPECT_EQ(stats_of(tested).managed_bytes, stats_before.managed_bytes);
  expect_sound(tested);
}

TEST_P(PoolContract, RefusesMoreThanTheDevicesLargestAllocation) {
  if (is(Kind::custom)) {
    GTEST_SKIP() << "numbers have no largest allocation";
  }
  cl_ulong largest = 0;
  clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, nullptr);
  const PoolHandle tested = pool();
  const Counters before = counters_of(tested);
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(tested.get(), largest + 1, &mem), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(mem, nullptr);
  EXPECT_NE(std::string(clpool_last_error_message()).find(std::to_string(largest)), std::string::npos);
  EXPECT_EQ(clpool_last_cl_error(), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(clpool_pool_allocate(tested.get(), SIZE_MAX, &mem), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_NE(std::string(clpool_last_error_message()).find("allows " + std::to_string(largest)),
            std::string::npos)
      << clpool_last_error_message();
  EXPECT_EQ(counters_of(tested), before);
}

TEST_P(PoolContract, ServesTheDevicesLargestAllocationByItsExactSize) {
  if (!is(Kind::deferred)) {
    GTEST_SKIP() << "tested with buffers that need no memory before their first use";
  }
  cl_ulong largest = 0;
  clGetDeviceInfo(cl.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof largest, &largest, nullptr);
  const PoolHandle tested = pool();
  clpool_mem* mem = nullptr;
  if (clpool_pool_allocate(tested.get(), largest, &mem) == CLPOOL_ERROR_OUT_OF_MEMORY) {
    GTEST_SKIP() << "the device has no " << largest << " bytes: " << clpool_last_error_message();
  }
  ASSERT_NE(mem, nullptr) << clpool_last_error_message();
  EXPECT_EQ(clpool_mem_capacity(mem), largest);
  EXPECT_EQ(stats_of(tested).managed_bytes, largest);
  EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
  EXPECT_EQ(stats_of(tested).held_bytes, largest);
  MemHandle again = allocate(tested, largest);
  EXPECT_EQ(stats_of(tested).driver_allocations, 1u) << "what was released serves the same request again";
  again.reset();
  ASSERT_EQ(clpool_pool_free_held(tested.get()), CLPOOL_SUCCESS);
  EXPECT_EQ(stats_of(tested).managed_bytes, 0u);
}

TEST_P(PoolContract, MayBeReleasedBeforeItsBlocks) {
  MemHandle first;
  MemHandle second;
  {
    const PoolHandle tested = pool();
    first = allocate(tested, 1000);
    second = allocate(tested, 5000);
    const MemHandle back = allocate(tested, 700);
    allocator.reset();
  }
  fill(first, 17);
  fill(second, 18);
  EXPECT_TRUE(holds(first, 17));
  second.reset();
  EXPECT_TRUE(holds(first, 17));
  if (is(Kind::custom)) {
    EXPECT_EQ(numbers.destroyed(), 0u);
  }
  first.reset();
  if (is(Kind::custom)) {
    EXPECT_EQ(numbers.live_bytes(), 0u);
    EXPECT_EQ(numbers.destroyed(), 1u);
  }
}

TEST_P(PoolContract, ReturnsWhatIsHeldAndKeepsWhatIsInUse) {
  const PoolHandle tested = pool();
  const MemHandle kept = allocate(tested, 3000);
  fill(kept, 5);
  allocate(tested, 100).reset();
  allocate(tested, 2'000'000).reset();
  ASSERT_EQ(clpool_pool_free_held(tested.get()), CLPOOL_SUCCESS);
  ASSERT_EQ(clpool_pool_free_held(tested.get()), CLPOOL_SUCCESS) << "twice is as good as once";
  const clpool_pool_stats stats = stats_of(tested);
  EXPECT_EQ(stats.chunks, 1u);
  EXPECT_EQ(stats.active_blocks, 1u);
  if (is_binned()) {
    EXPECT_EQ(stats.held_blocks, 0u);
    EXPECT_EQ(stats.managed_bytes, rounded(3000));
  }
  EXPECT_TRUE(holds(kept, 5));
  expect_sound(tested);
}

TEST_P(PoolContract, StopsHoldingForGoodAndGoesOnWorking) {
  const PoolHandle tested = pool();
  MemHandle before = allocate(tested, 1000);
  allocate(tested, 40'000).reset();
  ASSERT_EQ(clpool_pool_stop_holding(tested.get()), CLPOOL_SUCCESS);
  EXPECT_EQ(stats_of(tested).chunks, 1u);
  {
    const MemHandle after = allocate(tested, 5'000'000);
    EXPECT_EQ(stats_of(tested).active_bytes, 5'001'000u);
  }
  EXPECT_EQ(stats_of(tested).chunks, 1u);
  before.reset();
  const clpool_pool_stats stats = stats_of(tested);
  EXPECT_EQ(stats.managed_bytes, 0u);
  EXPECT_EQ(stats.held_blocks, 0u);
  for (int i = 0; i < 3; ++i) {
    allocate(tested, 1000).reset();
    EXPECT_EQ(stats_of(tested).managed_bytes, 0u);
  }
}

TEST_P(PoolContract, TrimsTheLargestFirstUntilLittleEnoughIsHeld) {
  const PoolHandle tested = pool();
  ASSERT_EQ(clpool_pool_trim(tested.get(), 0), CLPOOL_SUCCESS);
  {
    std::vector<MemHandle> blocks;
    for (const std::size_t size : {4'000'000u, 1'000'000u, 9'000'000u, 2'000'000u}) {
      blocks.push_back(allocate(tested, size));
    }
  }
  const std::uint64_t held = stats_of(tested).held_bytes;
  ASSERT_EQ(clpool_pool_trim(tested.get(), held), CLPOOL_SUCCESS);
  EXPECT_EQ(stats_of(tested).held_bytes, held);
  ASSERT_EQ(clpool_pool_trim(tested.get(), held - 1), CLPOOL_SUCCESS);
  EXPECT_LT(stats_of(tested).held_bytes, held);
  if (is_binned()) {
    EXPECT_EQ(stats_of(tested).held_bytes, held - rounded(9'000'000));
  }
  ASSERT_EQ(clpool_pool_trim(tested.get(), 1), CLPOOL_SUCCESS);
  EXPECT_EQ(stats_of(tested).managed_bytes, 0u);
  expect_sound(tested);
}

TEST_P(PoolContract, ServesWhatRepeatsWithoutTheDriver) {
  const PoolHandle tested = pool();
  const auto step = [&] {
    std::vector<MemHandle> blocks;
    for (std::size_t i = 0; i < 30; ++i) {
      blocks.push_back(allocate(tested, 1000 + 777 * i));
    }
  };
  step();
  step();
  step();
  const clpool_pool_stats before = stats_of(tested);
  for (int i = 0; i < 20; ++i) {
    step();
  }
  const clpool_pool_stats after = stats_of(tested);
  EXPECT_EQ(after.driver_allocations, before.driver_allocations);
  EXPECT_EQ(after.driver_releases, before.driver_releases);
  EXPECT_EQ(after.misses, before.misses);
  if (is_binned()) {
    EXPECT_EQ(after.sub_buffers_created, 0u);
  }
}

TEST_P(PoolContract, KeepsTheContentOfEveryLiveBlock) {
  const PoolHandle tested = pool();
  std::mt19937 random(11);
  struct Written {
    MemHandle mem;
    unsigned char value;
  };
  std::vector<Written> live;
  for (int i = 0; i < 400; ++i) {
    if (live.size() < 40 && random() % 5 < 3) {
      const std::size_t size = 1 + random() % (random() % 8 == 0 ? 300'000 : 5'000);
      Written written{allocate(tested, size), static_cast<unsigned char>(random())};
      ASSERT_NE(written.mem, nullptr);
      fill(written.mem, written.value);
      live.push_back(std::move(written));
    } else if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      ASSERT_TRUE(holds(live.back().mem, live.back().value));
      live.pop_back();
    }
    if (i % 40 == 0) {
      for (const Written& written : live) {
        ASSERT_TRUE(holds(written.mem, written.value));
      }
    }
  }
  for (const Written& written : live) {
    EXPECT_TRUE(holds(written.mem, written.value));
  }
  expect_sound(tested);
}

TEST_P(PoolContract, NeverHandsOutOverlappingAddresses) {
  if (has_buffers()) {
    GTEST_SKIP() << "buffers have no addresses; their contents are tested";
  }
  const PoolHandle tested = pool();
  std::mt19937 random(12);
  std::map<std::uintptr_t, MemHandle> live;
  for (int i = 0; i < 3000; ++i) {
    if (live.size() < 100 && random() % 2 == 0) {
      MemHandle mem = allocate(tested, random() % 20'000);
      const auto begin = reinterpret_cast<std::uintptr_t>(clpool_mem_pointer(mem.get()));
      const auto next = live.lower_bound(begin);
      if (next != live.end()) {
        ASSERT_LE(begin + clpool_mem_capacity(mem.get()), next->first);
      }
      if (next != live.begin()) {
        const auto& [start, before] = *std::prev(next);
        ASSERT_LE(start + clpool_mem_capacity(before.get()), begin);
      }
      live.emplace(begin, std::move(mem));
    } else if (!live.empty()) {
      live.erase(std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size())));
    }
  }
  expect_sound(tested);
}

TEST_P(PoolContract, CountsBlocksThatAnotherThreadReleasedByTheThousand) {
  const PoolHandle tested = pool();
  constexpr std::size_t count = 3000;
  for (int turn = 0; turn < 2; ++turn) {
    std::vector<MemHandle> blocks;
    for (std::size_t i = 0; i < count; ++i) {
      blocks.push_back(allocate(tested, 16));
    }
    std::thread([&] { blocks.clear(); }).join();
    EXPECT_EQ(stats_of(tested).active_blocks, 0u);
    EXPECT_EQ(stats_of(tested).active_bytes, 0u);
  }
  expect_sound(tested);
}

TEST_P(PoolContract, CountsRandomOperationsExactly) {
  const PoolHandle tested = pool();
  std::mt19937 random(13);
  std::vector<MemHandle> live;
  std::uint64_t bytes = 0;
  std::uint64_t peak = 0;
  std::uint64_t requests = 0;
  for (int i = 0; i < 4000; ++i) {
    if (live.size() < 60 && random() % 2 == 0) {
      const std::size_t size = random() % 3 == 0 ? random() % 3'000'000 : random() % 3'000;
      live.push_back(allocate(tested, size));
      bytes += size;
      ++requests;
      peak = std::max(peak, bytes);
    } else if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      bytes -= clpool_mem_size(live.back().get());
      if (random() % 8 == 0) {
        ASSERT_EQ(clpool_mem_release_later(live.back().release()), CLPOOL_SUCCESS);
      }
      live.pop_back();
    }
    if (random() % 200 == 0) {
      ASSERT_EQ(clpool_pool_trim(tested.get(), random() % 2'000'000), CLPOOL_SUCCESS);
    }
    if (i % 16 == 0) {
      const clpool_pool_stats stats = stats_of(tested);
      ASSERT_EQ(stats.active_blocks, live.size());
      ASSERT_EQ(stats.active_bytes, bytes);
      ASSERT_EQ(stats.peak_active_bytes, peak);
      ASSERT_EQ(stats.allocations, requests);
      if (is(Kind::custom)) {
        ASSERT_EQ(stats.managed_bytes, numbers.live_bytes());
        ASSERT_EQ(stats.chunks, numbers.live_chunks());
        ASSERT_EQ(stats.peak_managed_bytes, numbers.peak_bytes());
      }
    }
    if (i % 400 == 0) {
      expect_sound(tested);
    }
  }
  live.clear();
  ASSERT_EQ(clpool_pool_free_held(tested.get()), CLPOOL_SUCCESS);
  // Page-locked blocks that the test did not call idle go back when their markers are complete.
  for (int i = 0; i < 2000 && stats_of(tested).managed_bytes != 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_EQ(clpool_pool_free_held(tested.get()), CLPOOL_SUCCESS);
  }
  EXPECT_EQ(stats_of(tested).managed_bytes, 0u);
  expect_sound(tested);
}

TEST_P(PoolContract, TriesWithoutWaitingOrCallingTheDriver) {
  const PoolHandle tested = pool();
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_try_allocate(tested.get(), 1000, &mem), CLPOOL_ERROR_WOULD_BLOCK);
  EXPECT_EQ(mem, nullptr);
  EXPECT_EQ(stats_of(tested).driver_allocations, 0u);
  allocate(tested, 1000).reset();
  ASSERT_EQ(clpool_pool_try_allocate(tested.get(), 1000, &mem), CLPOOL_SUCCESS);
  MemHandle first(mem);
  EXPECT_EQ(stats_of(tested).active_blocks, 1u);
  EXPECT_EQ(clpool_pool_try_allocate(tested.get(), 100'000'000, &mem), CLPOOL_ERROR_WOULD_BLOCK);
  EXPECT_EQ(stats_of(tested).driver_allocations, 1u);
  first.reset();
  if (GetParam().leading_bits == 26) {
    return;  // whose blocks of 1000 bytes serve no other size
  }
  ASSERT_EQ(clpool_pool_try_allocate(tested.get(), 1001, &mem), CLPOOL_SUCCESS)
      << "the released block serves a request that raises the peak too";
  EXPECT_EQ(stats_of(tested).peak_active_bytes, 1001u);
  EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
  expect_sound(tested);
}

TEST_P(PoolContract, GivesNoBlockToNobody) {
  const PoolHandle tested = pool();
  allocate(tested, 1000).reset();  // there is one at hand
  EXPECT_EQ(clpool_pool_allocate(tested.get(), 1000, nullptr), CLPOOL_ERROR_INVALID_VALUE);
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(nullptr, 1000, &mem), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(stats_of(tested).active_blocks, 0u);
}

TEST_P(PoolContract, TriesInVainWithoutATrace) {
  const PoolHandle tested = pool();
  const MemHandle block = allocate(tested, 1000);
  const clpool_pool_stats before = stats_of(tested);
  clpool_mem* mem = nullptr;
  const clpool_status status = clpool_pool_try_allocate(tested.get(), 2000, &mem);
  const MemHandle second(mem);
  if (status == CLPOOL_SUCCESS) {
    return;  // a part of the chunk that needs no handle
  }
  const clpool_pool_stats after = stats_of(tested);
  EXPECT_EQ(status, CLPOOL_ERROR_WOULD_BLOCK);
  EXPECT_EQ(after.held_blocks, before.held_blocks);
  EXPECT_EQ(after.held_bytes, before.held_bytes);
  EXPECT_EQ(after.allocations, before.allocations);
  expect_sound(tested);
}

TEST_P(PoolContract, CarriesOutLateReleasesInItsNextCall) {
  PoolHandle tested = pool();
  clpool_mem* first = allocate(tested, 1000).release();
  clpool_mem* second = allocate(tested, 2000).release();
  ASSERT_EQ(clpool_mem_release_later(first), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_mem_release_later(first), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(stats_of(tested).active_blocks, 1u);
  ASSERT_EQ(clpool_mem_release_later(second), CLPOOL_SUCCESS);
  allocator.reset();
  tested.reset();
  if (is(Kind::custom)) {
    EXPECT_EQ(numbers.destroyed(), 1u) << "the pool's last release carries out what was put off";
  }
}

TEST_P(PoolContract, ReleasesWithoutWaitingOrNotAtAll) {
  const PoolHandle tested = pool();
  clpool_mem* mem = nullptr;
  ASSERT_EQ(clpool_pool_allocate(tested.get(), 1000, &mem), CLPOOL_SUCCESS);
  ASSERT_EQ(clpool_mem_retain(mem), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_mem_try_release(mem), CLPOOL_ERROR_WOULD_BLOCK) << "another reference is left";
  EXPECT_EQ(clpool_mem_size(mem), 1000u);
  ASSERT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
  if (clpool_mem_try_release(mem) == CLPOOL_SUCCESS) {
    EXPECT_EQ(clpool_mem_try_release(mem), CLPOOL_ERROR_WOULD_BLOCK) << "it was released already";
    EXPECT_EQ(clpool_mem_release(mem), CLPOOL_ERROR_INVALID_OPERATION);
  } else {
    EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
  }
  EXPECT_EQ(clpool_mem_try_release(nullptr), CLPOOL_SUCCESS);
  EXPECT_EQ(stats_of(tested).active_blocks, 0u);
  expect_sound(tested);
}

TEST_P(PoolContract, EndsWhenItsLastBlockIsReleasedLate) {
  PoolHandle tested = pool();
  clpool_mem* last = allocate(tested, 1000).release();
  allocator.reset();
  tested.reset();
  ASSERT_EQ(clpool_mem_release_later(last), CLPOOL_SUCCESS);
  NumberSource others;
  {
    const AllocatorHandle other = others.allocator();
    clpool_mem* direct = nullptr;
    ASSERT_EQ(clpool_allocator_allocate(other.get(), 10, &direct), CLPOOL_SUCCESS);
    ASSERT_EQ(clpool_mem_release(direct), CLPOOL_SUCCESS);
  }
  if (is(Kind::custom)) {
    EXPECT_EQ(numbers.destroyed(), 1u);
  }
}

TEST_P(PoolContract, PlacesBlocksAtMultiplesOfTheAlignmentAskedFor) {
  clpool_pool_options wanted = options();
  wanted.alignment = 4096;
  const PoolHandle tested = make_pool(allocator.get(), wanted);
  std::vector<MemHandle> blocks;
  std::uintptr_t origin = 0;
  for (std::size_t i = 0; i < 20; ++i) {
    blocks.push_back(allocate(tested, 100 + 1000 * i));
    ASSERT_NE(blocks.back(), nullptr);
    const auto address = reinterpret_cast<std::uintptr_t>(clpool_mem_pointer(blocks.back().get()));
    if (is(Kind::custom)) {
      EXPECT_EQ(address % 4096, 0u);
    } else if (!is_binned() && !has_buffers() && stats_of(tested).chunks == 1) {
      origin = i == 0 ? address : origin;
      EXPECT_EQ((address - origin) % 4096, 0u);
    }
  }
  expect_sound(tested);
}

TEST_P(PoolContract, ShowsAPictureThatAddsUp) {
  const PoolHandle tested = pool();
  std::vector<MemHandle> blocks;
  for (std::size_t i = 0; i < 20; ++i) {
    blocks.push_back(allocate(tested, 100 + 500 * i));
    ASSERT_EQ(clpool_mem_set_tag(blocks.back().get(), i), CLPOOL_SUCCESS);
  }
  for (std::size_t i = 0; i < 20; i += 3) {
    blocks[i].reset();
  }
  struct Picture {
    std::uint64_t bytes = 0;
    std::uint64_t requested = 0;
    std::uint64_t held = 0;
    std::map<std::uint64_t, std::uint64_t> ends;  // by chunk: where the last stretch ended
    std::map<std::uint64_t, std::uint64_t> tags;
  } picture;
  ASSERT_EQ(clpool_pool_visit(
                tested.get(),
                [](void* user, const clpool_pool_stretch* stretch) -> int32_t {
                  auto& seen = *static_cast<Picture*>(user);
                  EXPECT_EQ(stretch->struct_size, sizeof *stretch);
                  EXPECT_EQ(stretch->offset, seen.ends[stretch->chunk]);
                  seen.ends[stretch->chunk] += stretch->size;
                  seen.bytes += stretch->size;
                  seen.requested += stretch->requested;
                  if (stretch->state == CLPOOL_STRETCH_ACTIVE) {
                    ++seen.tags[stretch->tag];
                  } else {
                    seen.held += stretch->size;
                    EXPECT_EQ(stretch->tag, 0u);
                    EXPECT_EQ(stretch->requested, 0u);
                  }
                  return 0;
                },
                &picture),
            CLPOOL_SUCCESS);
  const clpool_pool_stats stats = stats_of(tested);
  EXPECT_EQ(picture.bytes, stats.managed_bytes);
  EXPECT_EQ(picture.requested, stats.active_bytes);
  EXPECT_EQ(picture.held, stats.held_bytes);
  EXPECT_EQ(picture.ends.size(), stats.chunks);
  EXPECT_EQ(picture.tags.size(), stats.active_blocks);
  EXPECT_EQ(picture.tags.count(0), 0u) << "block 0 was released";
  EXPECT_EQ(picture.tags[19], 1u);
  MemHandle again = allocate(tested, 100);
  EXPECT_EQ(clpool_mem_set_tag(again.get(), 0), CLPOOL_SUCCESS) << "a tag is forgotten at the release";
}

TEST(PoolOutOfMemory, AsksTheDriverAgainWhenTheCallbackTrimmedThePoolItself) {
  struct Program {
    NumberSource numbers;
    PoolHandle pool;
    clpool_mem* cached = nullptr;
  } program;
  program.numbers.capacity = 1 << 16;
  const AllocatorHandle allocator = program.numbers.allocator();
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  callbacks.out_of_memory = [](void* user, std::uint64_t, std::uint32_t attempt) -> std::int32_t {
    Program& self = *static_cast<Program*>(user);
    EXPECT_EQ(clpool_mem_release(std::exchange(self.cached, nullptr)), CLPOOL_SUCCESS);
    EXPECT_EQ(clpool_pool_trim(self.pool.get(), 0), CLPOOL_SUCCESS);
    return attempt == 1 ? 1 : 0;
  };
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.callbacks = &callbacks;
  options.user = &program;
  clpool_pool* made = nullptr;
  ASSERT_EQ(clpool_pool_create(allocator.get(), &options, &made), CLPOOL_SUCCESS);
  program.pool.reset(made);
  ASSERT_EQ(clpool_pool_allocate(made, 1 << 16, &program.cached), CLPOOL_SUCCESS);
  clpool_mem* mem = nullptr;
  ASSERT_EQ(clpool_pool_allocate(made, 1 << 16, &mem), CLPOOL_SUCCESS) << clpool_last_error_message();
  EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
}

}  // namespace
}  // namespace clpool::test
