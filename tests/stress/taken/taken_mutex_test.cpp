// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What requests and releases do while another thread has the pool's mutex. That thread has it for as long as a test
// wants: it is kept in operator new, which the library asks for a thread's first cache of a pool, and for descriptors of
// blocks when there is none left.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <new>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

#include "../host_memory.hpp"
#include "pool/caches/thread_cache.hpp"
#include "support/pools.hpp"
#include "support/write_trap.hpp"

namespace {

/// Where the thread that has the mutex is kept.
struct Gate {
  std::binary_semaphore reached{0};
  std::binary_semaphore opened{0};
  std::atomic<bool> is_open{false};
};
thread_local Gate* gate_of_thread = nullptr;

constexpr std::size_t page_size = 4096;  // or a multiple of it

void* allocate(std::size_t size, std::size_t alignment) {
  if (size >= sizeof(clpool::core::ThreadCache)) {
    if (Gate* const gate = std::exchange(gate_of_thread, nullptr); gate != nullptr) {
      gate->reached.release();
      if (!gate->opened.try_acquire_for(std::chrono::seconds(10))) {
        gate->is_open = true;  // a test waits for the mutex that was not to wait
      }
    }
  }
  if (size >= page_size) {
    alignment = std::max(alignment, page_size);  // descriptors of blocks have pages of their own
  }
  void* const memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace {

using clpool::test::HostMemory;
using clpool::test::MemHandle;
using clpool::test::PoolHandle;
using clpool::test::WriteTrap;

constexpr std::size_t KiB = 1024;

/// Another thread has the mutex of a pool, until it is told to leave it.
class TakenMutex {
 public:
  /// `size`: of the request that it makes meanwhile.
  explicit TakenMutex(clpool_pool* pool, std::size_t size = KiB)
      : holder_([this, pool, size] {
          gate_of_thread = &gate_;
          std::vector<MemHandle> blocks;
          while (gate_of_thread != nullptr) {
            clpool_mem* mem = nullptr;
            EXPECT_EQ(clpool_pool_allocate(pool, size, &mem), CLPOOL_SUCCESS) << clpool_last_error_message();
            blocks.emplace_back(mem);
          }
        }) {
    gate_.reached.acquire();
  }
  TakenMutex(const TakenMutex&) = delete;
  TakenMutex& operator=(const TakenMutex&) = delete;
  ~TakenMutex() { leave(); }

  bool is_left() const { return gate_.is_open; }
  void leave() {
    if (!gate_.is_open.exchange(true)) {
      gate_.opened.release();
    }
    if (holder_.joinable()) {
      holder_.join();
    }
  }
  /// Runs what must wait for the mutex: true if it did, until the mutex was left.
  template <typename Action>
  bool delays(Action&& action) {
    std::thread leaver([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      gate_.is_open = true;
      gate_.opened.release();
    });
    action();
    const bool waited = gate_.is_open;
    leaver.join();
    return waited;
  }

 private:
  Gate gate_;
  std::thread holder_;
};

/// Not so where the C++ library is a part of libclpool.so.
bool asks_for_memory_here() {
  const HostMemory memory;
  clpool_pool* pool = nullptr;
  EXPECT_EQ(clpool_pool_create(memory.allocator(), nullptr, &pool), CLPOOL_SUCCESS);
  Gate gate;
  gate.opened.release();
  bool asked = false;
  std::thread([&] {
    gate_of_thread = &gate;
    clpool_mem* mem = nullptr;
    EXPECT_EQ(clpool_pool_allocate(pool, KiB, &mem), CLPOOL_SUCCESS);
    clpool_mem_release(mem);
    asked = gate_of_thread == nullptr;
  }).join();
  clpool_pool_release(pool);
  return asked;
}

class WhileAnotherThreadHasTheMutex : public testing::Test {
 protected:
  void SetUp() override {
    if (!asks_for_memory_here()) {
      GTEST_SKIP() << "libclpool.so has a C++ library of its own, whose operator new cannot be replaced";
    }
    make_pool(CLPOOL_POOL_OPTIONS_INIT);
  }

  void make_pool(const clpool_pool_options& options) {
    clpool_pool* made = nullptr;
    ASSERT_EQ(clpool_pool_create(memory.allocator(), &options, &made), CLPOOL_SUCCESS)
        << clpool_last_error_message();
    pool.reset(made);
    const MemHandle large = allocate(std::size_t{4096} * KiB);
    allocate(512 * KiB);  // and back: the pool has memory, for small blocks too, and its caches some room
  }

  MemHandle allocate(std::size_t size) {
    clpool_mem* mem = nullptr;
    EXPECT_EQ(clpool_pool_allocate(pool.get(), size, &mem), CLPOOL_SUCCESS) << clpool_last_error_message();
    return MemHandle(mem);
  }
  clpool_pool_stats statistics() {
    clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
    EXPECT_EQ(clpool_pool_statistics(pool.get(), &stats), CLPOOL_SUCCESS);
    return stats;
  }

  HostMemory memory;
  PoolHandle pool;
};

TEST_F(WhileAnotherThreadHasTheMutex, ARequestTakesABlockOfItsThreadThatIsALittleLarger) {
  allocate(10 * KiB).reset();
  TakenMutex taken(pool.get());
  MemHandle block = allocate(8 * KiB);
  EXPECT_FALSE(taken.is_left());
  EXPECT_EQ(clpool_mem_size(block.get()), 8 * KiB);
  EXPECT_EQ(clpool_mem_capacity(block.get()), 10 * KiB);
  block.reset();
  EXPECT_TRUE(taken.delays([&] { block = allocate(8 * KiB - 512); }))
      << "it has a block a quarter larger, and no other";
  EXPECT_EQ(clpool_mem_capacity(block.get()), 8 * KiB - 512);
}

TEST_F(WhileAnotherThreadHasTheMutex, WhatAThreadHasTakesAQuarterMoreInAllThanItAskedForAtMost) {
  const MemHandle in_use = allocate(48 * KiB);
  for (const std::size_t size : {30 * KiB, 31 * KiB}) {
    allocate(size).reset();
  }
  TakenMutex taken(pool.get());
  const MemHandle first = allocate(16 * KiB);  // 14 of 16 KiB more
  EXPECT_FALSE(taken.is_left());
  EXPECT_EQ(clpool_mem_capacity(first.get()), 30 * KiB);
  MemHandle second;
  EXPECT_TRUE(taken.delays([&] { second = allocate(20 * KiB); })) << "25 of 21 KiB more";
  EXPECT_EQ(clpool_mem_capacity(second.get()), 20 * KiB);
}

class ACachedBlock : public WhileAnotherThreadHasTheMutex {
 protected:
  static constexpr std::size_t granule = 256;  // custom memory's
  /// Serves a request for `least` bytes, and none for a granule less.
  void serves_from(std::size_t least, std::size_t cached) {
    const MemHandle in_use = allocate(200 * KiB);
    allocate(cached).reset();
    TakenMutex taken(pool.get());
    EXPECT_EQ(clpool_mem_capacity(allocate(least).get()), cached);
    EXPECT_FALSE(taken.is_left());
    MemHandle block;
    EXPECT_TRUE(taken.delays([&] { block = allocate(least - granule); }));
    EXPECT_EQ(clpool_mem_capacity(block.get()), least - granule);
  }
};

TEST_F(ACachedBlock, ServesOneOfHalfItsSize) {
  serves_from(40 * granule, 80 * granule);
}

TEST_F(ACachedBlock, ServesOneThatIsSixteenGranulesSmaller) {
  serves_from(4 * granule, 20 * granule);
}

/// Sizes of whole granules, of which nothing is rounded.
TEST_F(WhileAnotherThreadHasTheMutex, BlocksOfWholeGranulesAreNoLargerForBeingMany) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.alignment = 4 * KiB;
  make_pool(options);
  std::vector<MemHandle> in_use;
  for (int i = 0; i < 8; ++i) {
    in_use.push_back(allocate(4 * KiB));
  }
  std::vector<MemHandle> larger;
  for (int i = 0; i < 3; ++i) {
    larger.push_back(allocate(8 * KiB));
  }
  larger.clear();
  TakenMutex taken(pool.get(), 4 * KiB);
  for (int i = 0; i < 2; ++i) {
    in_use.push_back(allocate(4 * KiB));  // 4 of 9 KiB more, then 8 of 10
    EXPECT_EQ(clpool_mem_capacity(in_use.back().get()), 8 * KiB);
  }
  EXPECT_FALSE(taken.is_left());
  EXPECT_TRUE(taken.delays([&] { in_use.push_back(allocate(4 * KiB)); })) << "12 of 11 KiB more";
  EXPECT_EQ(clpool_mem_capacity(in_use.back().get()), 4 * KiB);
}

TEST_F(WhileAnotherThreadHasTheMutex, ALargerBlockThatIsReleasedIsNoneAnyMore) {
  const MemHandle in_use = allocate(40 * KiB);
  allocate(20 * KiB).reset();
  const TakenMutex taken(pool.get());
  for (int i = 0; i < 10; ++i) {
    const MemHandle block = allocate(10 * KiB + 1);
    EXPECT_EQ(clpool_mem_capacity(block.get()), 20 * KiB);
  }
  for (int i = 0; i < 10; ++i) {
    MemHandle block = allocate(10 * KiB + 1);
    EXPECT_EQ(clpool_mem_try_release(block.get()), CLPOOL_SUCCESS);
    static_cast<void>(block.release());
  }
  EXPECT_FALSE(taken.is_left());
}

TEST_F(WhileAnotherThreadHasTheMutex, WhatIsTakenByRoundingUpLeavesRoomForALargerBlock) {
  std::vector<MemHandle> small;
  for (int i = 0; i < 100; ++i) {
    small.push_back(allocate(1));
  }
  allocate(10 * KiB).reset();
  const TakenMutex taken(pool.get());
  EXPECT_EQ(clpool_mem_capacity(allocate(8 * KiB).get()), 10 * KiB);
  EXPECT_FALSE(taken.is_left());
}

TEST_F(WhileAnotherThreadHasTheMutex, BlocksThatCameBackElsewhereAreNotCountedForLong) {
  std::vector<MemHandle> large;
  for (int i = 0; i < 4; ++i) {
    large.push_back(allocate(100 * KiB + 1));
  }
  std::thread([&] { large.clear(); }).join();
  allocate(20 * KiB).reset();  // comes by with the mutex
  TakenMutex taken(pool.get());
  EXPECT_TRUE(taken.delays([&] { allocate(10 * KiB); }))
      << "nothing is in use, of which a quarter could be more";
}

TEST_F(WhileAnotherThreadHasTheMutex, ARequestTakesTheSmallestOfThose) {
  for (const std::size_t size : {20 * KiB, 18 * KiB, 17 * KiB, 19 * KiB}) {
    allocate(size).reset();
  }
  const TakenMutex taken(pool.get());
  EXPECT_EQ(clpool_mem_capacity(allocate(16 * KiB).get()), 17 * KiB);
  EXPECT_FALSE(taken.is_left());
}

TEST_F(WhileAnotherThreadHasTheMutex, ABlockSoLargeThatACacheHasJustOneIsNotTakenForASmallerOne) {
  allocate(1000 * KiB).reset();
  TakenMutex taken(pool.get());
  MemHandle block;
  EXPECT_TRUE(taken.delays([&] { block = allocate(900 * KiB); }));
  EXPECT_EQ(clpool_mem_capacity(block.get()), 900 * KiB);
}

TEST_F(WhileAnotherThreadHasTheMutex, ATryTakesALargerBlockAndElseSaysThatItWouldBlock) {
  allocate(10 * KiB).reset();
  const TakenMutex taken(pool.get());
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_try_allocate(pool.get(), 9 * KiB, &mem), CLPOOL_SUCCESS);
  const MemHandle block(mem);
  EXPECT_EQ(clpool_mem_capacity(block.get()), 10 * KiB);
  EXPECT_EQ(clpool_pool_try_allocate(pool.get(), 9 * KiB, &mem), CLPOOL_ERROR_WOULD_BLOCK);
  EXPECT_FALSE(taken.is_left());
}

TEST_F(WhileAnotherThreadHasTheMutex, ARequestThatIsServedSoLeavesItsCacheToWhoeverAsksForAllMemory) {
  for (const std::size_t size : {10 * KiB, 2 * KiB}) {
    allocate(size).reset();
  }
  MemHandle block;
  {
    const TakenMutex taken(pool.get());
    block = allocate(9 * KiB);
    EXPECT_FALSE(taken.is_left());
  }
  EXPECT_GE(statistics().cached_bytes, 2 * KiB);
  std::thread([&] { EXPECT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS); }).join();
  EXPECT_EQ(statistics().cached_bytes, 0u);
}

TEST_F(WhileAnotherThreadHasTheMutex, ReleasesDoNotWaitAndTheirMemoryServesWhoeverAsksNext) {
  std::vector<MemHandle> blocks;
  for (int i = 0; i < 250; ++i) {
    blocks.push_back(allocate(16 * KiB));
  }
  const std::uint64_t taken_before = memory.peak();
  {
    const TakenMutex taken(pool.get());
    blocks.clear();
    EXPECT_FALSE(taken.is_left());
  }
  const clpool_pool_stats stats = statistics();
  EXPECT_EQ(stats.active_blocks, 0u);
  EXPECT_EQ(stats.active_bytes, 0u);
  std::thread([&] {
    for (int i = 0; i < 250; ++i) {
      blocks.push_back(allocate(16 * KiB));
    }
    blocks.clear();
  }).join();
  EXPECT_EQ(memory.peak(), taken_before);
}

class ReleasesThatFoundTheMutexTaken : public WhileAnotherThreadHasTheMutex {
 protected:
  static constexpr std::size_t size = 48 * KiB;  // the cache has room for one
  void take_three() { take(3); }
  void take(int count) {
    for (int i = 0; i < count; ++i) {
      blocks.push_back(allocate(size));
    }
  }
  void earn_room(int rounds, int count = 3) {
    for (int round = 0; round < rounds; ++round) {
      take(count);
      const TakenMutex taken(pool.get());
      blocks.clear();
    }
  }
  std::vector<MemHandle> blocks;
};

TEST_F(ReleasesThatFoundTheMutexTaken, EarnTheirCacheRoom) {
  earn_room(8);
  take_three();
  blocks.clear();
  const TakenMutex taken(pool.get());
  take_three();
  EXPECT_FALSE(taken.is_left()) << "the cache did not keep all three";
}

TEST_F(ReleasesThatFoundTheMutexTaken, LetTheirThreadTakeLargerBlocksThoughNobodyHasTheMutexNow) {
  constexpr int many = 100;  // more than any cache has room for, whatever the pool has
  const auto capacity_for = [&](std::size_t smaller) {
    take(many);
    blocks.clear();
    return clpool_mem_capacity(allocate(smaller).get());
  };
  EXPECT_EQ(capacity_for(size - KiB), size - KiB);
  earn_room(8, many);
  EXPECT_GT(capacity_for(size - 2 * KiB), size - 2 * KiB);
  ASSERT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS);
  EXPECT_EQ(capacity_for(size - 3 * KiB), size - 3 * KiB) << "the room that was earned is gone";
}

TEST_F(ReleasesThatFoundTheMutexTaken, LetABlockAtATimeOutOfTheirCacheAfterwards) {
  const auto take_small = [&] {
    for (int i = 0; i < 2000; ++i) {  // more than it has room for
      blocks.push_back(allocate(KiB));
    }
  };
  const auto most_let_out = [&] {
    take_small();
    std::uint64_t most = 0;
    std::uint64_t before = statistics().cached_bytes;
    for (MemHandle& block : blocks) {
      block.reset();
      const std::uint64_t after = statistics().cached_bytes;
      most = std::max(most, (before - std::min(before, after)) / KiB);
      before = after;
    }
    blocks.clear();
    return most;
  };
  EXPECT_GT(most_let_out(), 4u);
  for (int round = 0; round < 8; ++round) {
    take_small();
    const TakenMutex taken(pool.get());
    blocks.clear();
  }
  EXPECT_EQ(most_let_out(), 0u) << "one goes out for each that comes in";
}

TEST_F(ReleasesThatFoundTheMutexTaken, LoseThatRoomWhenAllMemoryIsAskedFor) {
  for (const auto& [rounds, another_asks] : {std::pair{8, true}, {8, false}, {1, true}, {1, false}}) {
    earn_room(rounds);
    const auto free_held = [&] { EXPECT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS); };
    if (another_asks) {
      std::thread(free_held).join();
    } else {
      free_held();
    }
    take_three();
    blocks.clear();
    EXPECT_EQ(statistics().cached_bytes, size);
  }
}

/// To a cache in which the other has looked already.
TEST_F(WhileAnotherThreadHasTheMutex, WhatIsReleasedWhileItTakesInWhatCameBeforeIsTakenInTheNextTime) {
#if defined __SANITIZE_THREAD__
  GTEST_SKIP() << "it reports what a signal's handler does";
#endif
  if (WriteTrap::page_size() != page_size) {
    GTEST_SKIP() << "descriptors of blocks have no pages of their own";
  }
  const auto release_elsewhere = [](MemHandle& block) { std::thread([&] { block.reset(); }).join(); };
  MemHandle block = allocate(512);
  const clpool_mem* const first = block.get();
  MemHandle of_other;  // whose cache is looked into first
  std::thread([&] { of_other = allocate(512); }).join();
  release_elsewhere(block);
  {
    const WriteTrap trap(first, [&] { release_elsewhere(of_other); });
    EXPECT_EQ(statistics().active_blocks, 1U) << "the one that came while the other was taken in";
    EXPECT_TRUE(trap.was_met());
  }
  EXPECT_EQ(statistics().active_blocks, 0U);
}

TEST_F(WhileAnotherThreadHasTheMutex, AReleaseWaitsWhereNothingIsToBeHeld) {
  MemHandle block = allocate(16 * KiB);
  ASSERT_EQ(clpool_pool_stop_holding(pool.get()), CLPOOL_SUCCESS);
  TakenMutex taken(pool.get());
  EXPECT_TRUE(taken.delays([&] { block.reset(); }));
}

TEST_F(WhileAnotherThreadHasTheMutex, ARequestComesBeforeAllHasComeHomeThatTheOtherNeedsMemoryFrom) {
  bool came_before = false;
  for (int turn = 0; turn < 10 && !came_before; ++turn) {  // a busy machine lets this thread see it too late
    make_pool(CLPOOL_POOL_OPTIONS_INIT);
    std::vector<MemHandle> blocks;
    for (int i = 0; i < 100'000; ++i) {
      blocks.push_back(allocate(512));
    }
    std::thread([&] { blocks.clear(); }).join();
    const std::uint64_t before = memory.bytes();
    TakenMutex taken(pool.get(), 2 * before);  // more than all that comes home
    MemHandle block;
    std::uint64_t then = 0;
    EXPECT_TRUE(taken.delays([&] {
      block = allocate(20 * KiB);
      then = memory.bytes();
    }));
    came_before = then == before;
  }
  EXPECT_TRUE(came_before) << "the other has always asked for more memory already";
}

}  // namespace
