// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pools that several threads use at once: blocks never overlap, figures are exact in the end, nothing stays
// behind.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <mutex>
#include <random>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

#include "host_memory.hpp"
#include "support/guard.hpp"

namespace {

using clpool::test::HostMemory;

constexpr unsigned thread_count = 4;
constexpr std::uint64_t rounds = 20000;

/// A pool of one strategy over host memory, which must have everything back when the pool is gone.
class ThreadsOnAPool : public testing::TestWithParam<std::uint32_t> {
 protected:
  void SetUp() override {
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.strategy = GetParam();
    ASSERT_EQ(clpool_pool_create(memory.allocator(), &options, &pool), CLPOOL_SUCCESS)
        << clpool_last_error_message();
  }

  void TearDown() override {
    EXPECT_EQ(clpool_pool_release(pool), CLPOOL_SUCCESS);
    EXPECT_EQ(memory.bytes(), 0u);
  }

  clpool_pool_stats statistics() {
    clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
    EXPECT_EQ(clpool_pool_statistics(pool, &stats), CLPOOL_SUCCESS);
    return stats;
  }

  void expect_idle(std::uint64_t allocations) {
    const clpool_pool_stats stats = statistics();
    EXPECT_EQ(stats.active_blocks, 0u);
    EXPECT_EQ(stats.active_bytes, 0u);
    EXPECT_EQ(stats.reserved_bytes, 0u);
    EXPECT_EQ(stats.held_bytes, stats.managed_bytes);
    EXPECT_EQ(stats.managed_bytes, memory.bytes());
    EXPECT_EQ(stats.allocations, allocations);
    EXPECT_EQ(stats.hits + stats.misses, allocations);
  }

  HostMemory memory;
  clpool_pool* pool = nullptr;
};

/// A block with the stamp that its owner wrote to both ends of it.
struct Stamped {
  clpool_mem* block;
  std::uint64_t stamp;
};

void write_stamp(const Stamped& owned) {
  auto* bytes = static_cast<unsigned char*>(clpool_mem_pointer(owned.block));
  std::memcpy(bytes, &owned.stamp, sizeof owned.stamp);
  std::memcpy(bytes + clpool_mem_size(owned.block) - sizeof owned.stamp, &owned.stamp, sizeof owned.stamp);
}

bool has_stamp(const Stamped& owned) {
  const auto* bytes = static_cast<const unsigned char*>(clpool_mem_pointer(owned.block));
  const std::size_t last = clpool_mem_size(owned.block) - sizeof owned.stamp;
  return std::memcmp(bytes, &owned.stamp, sizeof owned.stamp) == 0 &&
         std::memcmp(bytes + last, &owned.stamp, sizeof owned.stamp) == 0;
}

Stamped take(clpool_pool* pool, std::mt19937& random, std::uint64_t stamp) {
  const std::size_t size = 16 + random() % (random() % 8 == 0 ? 50000 : 2000);
  Stamped owned{nullptr, stamp};
  EXPECT_EQ(clpool_pool_allocate(pool, size, &owned.block), CLPOOL_SUCCESS) << clpool_last_error_message();
  if (owned.block != nullptr) {
    write_stamp(owned);
  }
  return owned;
}

void give_back(const Stamped& owned) {
  EXPECT_TRUE(has_stamp(owned)) << "another block's owner wrote to this one";
  EXPECT_EQ(clpool_mem_release(owned.block), CLPOOL_SUCCESS);
}

/// Takes and gives back at random, with up to 32 blocks at a time, and everything in the end.
void churn(clpool_pool* pool, unsigned thread) {
  std::mt19937 random(thread);
  std::vector<Stamped> owned;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    owned.push_back(take(pool, random, (std::uint64_t{thread} << 32) | round));
    if (owned.size() == 32 || random() % 3 == 0) {
      std::swap(owned[random() % owned.size()], owned.back());
      give_back(owned.back());
      owned.pop_back();
    }
  }
  for (const Stamped& left : owned) {
    give_back(left);
  }
}

template <typename Body>
void run_threads(Body body) {
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < thread_count; ++thread) {
    threads.emplace_back(body, thread);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST_P(ThreadsOnAPool, NeverShareABlockAndLeaveExactFigures) {
  run_threads([this](unsigned thread) { churn(pool, thread); });
  expect_idle(thread_count * rounds);
}

TEST_P(ThreadsOnAPool, MayReleaseWhatOthersAllocated) {
  std::mutex mutex;
  std::deque<Stamped> shared;
  run_threads([&](unsigned thread) {
    std::mt19937 random(thread);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      const Stamped mine = take(pool, random, (std::uint64_t{thread} << 32) | round);
      const std::lock_guard lock(mutex);
      shared.push_back(mine);
      if (shared.size() > 40) {
        give_back(shared.front());
        shared.pop_front();
      }
    }
  });
  for (const Stamped& left : shared) {
    give_back(left);
  }
  expect_idle(thread_count * rounds);
}

TEST_P(ThreadsOnAPool, WorkWhileOthersTrimAndAskForFigures) {
  run_threads([this](unsigned thread) {
    if (thread != 0) {
      churn(pool, thread);
      return;
    }
    for (int i = 0; i < 200; ++i) {
      const clpool_pool_stats stats = statistics();
      EXPECT_EQ(clpool_pool_trim(pool, stats.held_bytes / 2), CLPOOL_SUCCESS);
      EXPECT_EQ(clpool_pool_tick(pool), CLPOOL_SUCCESS);
      EXPECT_EQ(clpool_pool_free_held(pool), CLPOOL_SUCCESS);
    }
  });
  expect_idle((thread_count - 1) * rounds);
  EXPECT_EQ(clpool_pool_free_held(pool), CLPOOL_SUCCESS);
  EXPECT_EQ(statistics().managed_bytes, 0u);
}

TEST_P(ThreadsOnAPool, FinishWhenHoldingStopsMeanwhile) {
  run_threads([this](unsigned thread) {
    if (thread == 0) {
      EXPECT_EQ(clpool_pool_stop_holding(pool), CLPOOL_SUCCESS);
      return;
    }
    churn(pool, thread);
  });
  expect_idle((thread_count - 1) * rounds);
  EXPECT_EQ(statistics().managed_bytes, 0u);
}

INSTANTIATE_TEST_SUITE_P(Strategies, ThreadsOnAPool,
                         testing::Values(CLPOOL_STRATEGY_COALESCING, CLPOOL_STRATEGY_BINNED),
                         [](const testing::TestParamInfo<std::uint32_t>& strategy) {
                           return strategy.param == CLPOOL_STRATEGY_BINNED ? "Binned" : "Coalescing";
                         });

TEST(ThreadsOnALimit, NeverExceedItTogether) {
  constexpr std::uint64_t limit = 100000;
  HostMemory memory;
  clpool_allocator* limited = nullptr;
  ASSERT_EQ(clpool_allocator_create_limit(memory.allocator(), limit, &limited), CLPOOL_SUCCESS);
  std::atomic<unsigned> refused{0};
  run_threads([&](unsigned thread) {
    std::mt19937 random(thread);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      std::array<clpool_mem*, 3> blocks{};
      for (clpool_mem*& block : blocks) {
        const clpool_status status = clpool_allocator_allocate(limited, 1 + random() % 30000, &block);
        EXPECT_TRUE(status == CLPOOL_SUCCESS || status == CLPOOL_ERROR_OUT_OF_MEMORY);
        refused += status == CLPOOL_ERROR_OUT_OF_MEMORY ? 1 : 0;
      }
      for (clpool_mem* block : blocks) {
        EXPECT_EQ(clpool_mem_release(block), CLPOOL_SUCCESS);
      }
    }
  });
  EXPECT_LE(memory.peak(), limit);
  EXPECT_EQ(memory.bytes(), 0u);
  EXPECT_GT(memory.peak(), 0u);
  clpool_mem* whole = nullptr;
  EXPECT_EQ(clpool_allocator_allocate(limited, limit, &whole), CLPOOL_SUCCESS) << "reservations were lost";
  EXPECT_EQ(clpool_mem_release(whole), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_allocator_release(limited), CLPOOL_SUCCESS);
  RecordProperty("refused", static_cast<int>(refused));
}

/// Threads that all take and release blocks of one pool, until they are told to go on one after the other.
class ThreadsInEachOthersWay : public testing::Test {
 protected:
  static constexpr std::size_t size = 64 << 10;
  static constexpr unsigned blocks_each = 16;
  static constexpr std::uint64_t all_bytes = std::uint64_t{thread_count} * blocks_each * size;
  static constexpr std::uint64_t many_bytes = all_bytes / 3;

  void SetUp() override {
    if (clpool::test::pools_are_guarded()) {
      GTEST_SKIP() << "guarded pools have no caches";
    }
    ASSERT_EQ(clpool_pool_create(memory_.allocator(), nullptr, &pool_), CLPOOL_SUCCESS);
    for (clpool_mem*& block : small_) {
      ASSERT_EQ(clpool_pool_allocate(pool_, small_size, &block), CLPOOL_SUCCESS);
    }
    for (unsigned i = 0; i < thread_count; ++i) {
      threads_.emplace_back([this, i] {
        while (turn_ == 0) {
          step();
          pause();
        }
        ++at_rest_;
        wait_for_turn(i + 2);
        step();
        ++turn_;
        turn_.notify_all();
        wait_for_turn(thread_count + 3);
      });
    }
  }

  void TearDown() override {
    turn_ = thread_count + 3;
    turn_.notify_all();
    for (std::thread& thread : threads_) {
      thread.join();
    }
    release_small();
    clpool_pool_release(pool_);
    EXPECT_EQ(memory_.bytes(), 0u);
  }

  clpool_pool_stats statistics() {
    clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
    EXPECT_EQ(clpool_pool_statistics(pool_, &stats), CLPOOL_SUCCESS);
    return stats;
  }

  void release_small() {
    for (clpool_mem*& block : small_) {
      clpool_mem_release(std::exchange(block, nullptr));
    }
  }

  /// Until the caches hold a third of all blocks while nobody has any, or for a minute. A block each, and one per cent of
  /// the pool, is what they have in any case. Looking through all small blocks keeps the pool's mutex from the
  /// threads most of the time, so that they are in each other's way on a single processor too.
  std::uint64_t wait_for_caches() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    std::uint64_t cached = 0;
    while (cached <= many_bytes && std::chrono::steady_clock::now() < deadline) {
      for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(clpool_pool_check(pool_), CLPOOL_SUCCESS) << clpool_last_error_message();
      }
      pauses_ = true;
      while (paused_ != thread_count) {
        std::this_thread::yield();
      }
      cached = statistics().cached_bytes;
      pauses_ = false;
      while (paused_ != 0) {
        std::this_thread::yield();
      }
    }
    return cached;
  }

  /// Between two steps: waits as long as wait_for_caches() looks.
  void pause() {
    if (pauses_) {
      ++paused_;
      while (pauses_) {
        std::this_thread::yield();
      }
      --paused_;
    }
  }

  void stop() {
    turn_ = 1;
    while (at_rest_ != thread_count) {
      std::this_thread::yield();
    }
  }
  void one_after_the_other() {
    turn_ = 2;
    turn_.notify_all();
    wait_for_turn(thread_count + 2);
  }

  static constexpr std::size_t small_size = 256;

  HostMemory memory_;
  clpool_pool* pool_ = nullptr;
  std::array<clpool_mem*, 4096> small_{};

 private:
  void step() {
    clpool_mem* blocks[blocks_each] = {};
    for (clpool_mem*& block : blocks) {
      ASSERT_EQ(clpool_pool_allocate(pool_, size, &block), CLPOOL_SUCCESS);
    }
    for (clpool_mem* block : blocks) {
      clpool_mem_release(block);
      std::this_thread::yield();  // else it meets nobody for thousands of releases on a single processor
    }
  }
  void wait_for_turn(unsigned turn) {
    for (unsigned now = turn_; now < turn; now = turn_) {
      turn_.wait(now);
    }
  }

  std::atomic<unsigned> turn_{0};  ///< 0: all at once; 1: nobody; 2 and more: one after the other
  std::atomic<bool> pauses_{false};
  std::atomic<unsigned> paused_{0};
  std::atomic<unsigned> at_rest_{0};
  std::vector<std::thread> threads_;
};

TEST_F(ThreadsInEachOthersWay, GetCachesThatHoldManyOfTheirBlocks) {
  EXPECT_GT(wait_for_caches(), many_bytes);
  stop();
  one_after_the_other();
  release_small();
  const clpool_pool_stats stats = statistics();
  EXPECT_EQ(stats.held_bytes, stats.managed_bytes);
  EXPECT_LE(stats.peak_active_bytes, all_bytes + small_.size() * small_size);
  ASSERT_EQ(clpool_pool_free_held(pool_), CLPOOL_SUCCESS);
  EXPECT_EQ(memory_.bytes(), 0u) << "what caches hold goes back like all else";
}

TEST_F(ThreadsInEachOthersWay, KeepThemWhereAnotherNeedsALargeBlock) {
  EXPECT_GT(wait_for_caches(), many_bytes);
  stop();
  const std::uint64_t cached = statistics().cached_bytes;
  clpool_mem* large = nullptr;
  ASSERT_EQ(clpool_pool_allocate(pool_, 2 * statistics().managed_bytes, &large), CLPOOL_SUCCESS);
  EXPECT_GE(statistics().cached_bytes, cached);
  clpool_mem_release(large);
}

TEST_F(ThreadsInEachOthersWay, LoseThemWhenAllMemoryIsAskedFor) {
  EXPECT_GT(wait_for_caches(), many_bytes);
  stop();
  ASSERT_EQ(clpool_pool_free_held(pool_), CLPOOL_SUCCESS);
  one_after_the_other();
  EXPECT_LE(statistics().cached_bytes, std::uint64_t{thread_count} * size + statistics().managed_bytes / 100)
      << "nobody has been in another's way since";
}

/// A block that another thread releases is the last that keeps its pool, which ends at that moment.
TEST(ThreadsAtTheEndOfAPool, MayReleaseItsLastBlock) {
  HostMemory memory;
  std::atomic<clpool_mem*> handed_over{nullptr};
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) {
      if (clpool_mem* const mem = handed_over.exchange(nullptr); mem != nullptr) {
        EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
      }
    }
  });
  for (int round = 0; round < 3000; ++round) {
    clpool_pool* pool = nullptr;
    ASSERT_EQ(clpool_pool_create(memory.allocator(), nullptr, &pool), CLPOOL_SUCCESS);
    clpool_mem* mem = nullptr;
    ASSERT_EQ(clpool_pool_allocate(pool, 1000, &mem), CLPOOL_SUCCESS);
    handed_over = mem;
    while (handed_over != nullptr) {
    }
    for (int i = 0; i < round % 400 && handed_over == nullptr; ++i) {
    }
    ASSERT_EQ(clpool_pool_release(pool), CLPOOL_SUCCESS);
  }
  done = true;
  other.join();
  EXPECT_EQ(memory.bytes(), 0U);
}

/// All of them come home when the pool is trimmed: piece by piece, between which others have the mutex.
TEST(ManyBlocksThatWereReleasedElsewhere, DoNotKeepOtherThreadsUntilTheLastIsHome) {
  if (clpool::test::pools_are_guarded()) {
    GTEST_SKIP() << "guarded pools have no caches";
  }
  constexpr int count = 200'000;
  constexpr int enough = 50;  // requests; all are home in about 400 pieces
  HostMemory memory;
  clpool_pool* pool = nullptr;
  ASSERT_EQ(clpool_pool_create(memory.allocator(), nullptr, &pool), CLPOOL_SUCCESS);
  const auto take = [&](std::size_t size) {
    clpool_mem* block = nullptr;
    EXPECT_EQ(clpool_pool_allocate(pool, size, &block), CLPOOL_SUCCESS);
    return block;
  };
  std::array<int, 9> served_meanwhile{};
  // On a busy machine one of the two may have no processor for most turns.
  for (int& served : served_meanwhile) {
    std::vector<clpool_mem*> blocks(count);
    std::generate(blocks.begin(), blocks.end(), [&] { return take(64); });
    std::thread([&] { std::for_each(blocks.begin(), blocks.end(), clpool_mem_release); }).join();
    blocks.clear();
    std::atomic<bool> begins{false};
    std::atomic<bool> ends{false};
    std::thread trims([&] {
      begins = true;
      begins.notify_one();
      EXPECT_EQ(clpool_pool_trim(pool, UINT64_MAX), CLPOOL_SUCCESS);
      ends = true;
    });
    begins.wait(false);
    while (!ends) {
      blocks.push_back(take(20'000));  // no cache has one
      ++served;
    }
    trims.join();
    std::for_each(blocks.begin(), blocks.end(), clpool_mem_release);
  }
  std::sort(served_meanwhile.begin(), served_meanwhile.end());
  EXPECT_GE(served_meanwhile[served_meanwhile.size() - 3], enough) << "0 or 1 in each turn, if they did";
  EXPECT_EQ(clpool_pool_release(pool), CLPOOL_SUCCESS);
}

/// A pool with caches that have room for so many small blocks, most of which are handed out.
class ManySmallBlocks : public testing::Test {
 protected:
  static constexpr std::size_t size = 512;
  static constexpr std::size_t count = 8000;

  void SetUp() override {
    if (clpool::test::pools_are_guarded()) {
      GTEST_SKIP() << "guarded pools have no caches";
    }
    ASSERT_EQ(clpool_pool_create(memory.allocator(), nullptr, &pool), CLPOOL_SUCCESS)
        << clpool_last_error_message();
    clpool_mem* whole = nullptr;  // and back: 1 % of it is 4000 blocks
    ASSERT_EQ(clpool_pool_allocate(pool, 100 * 4000 * size, &whole), CLPOOL_SUCCESS);
    ASSERT_EQ(clpool_mem_release(whole), CLPOOL_SUCCESS);
    for (clpool_mem*& block : blocks) {
      ASSERT_EQ(clpool_pool_allocate(pool, size, &block), CLPOOL_SUCCESS);
    }
  }
  void TearDown() override { clpool_pool_release(pool); }

  std::uint64_t cached_blocks() {
    clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
    EXPECT_EQ(clpool_pool_statistics(pool, &stats), CLPOOL_SUCCESS);
    return stats.cached_bytes / size;
  }
  void release(std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      EXPECT_EQ(clpool_mem_release(blocks[i]), CLPOOL_SUCCESS);
    }
  }

  static constexpr std::uint64_t most_at_a_time = 512;
  HostMemory memory;
  clpool_pool* pool = nullptr;
  std::vector<clpool_mem*> blocks = std::vector<clpool_mem*>(count);
};

TEST_F(ManySmallBlocks, LeaveAFullCacheSoManyAtATime) {
  std::uint64_t before = 0;
  std::uint64_t most_flushed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    release(i, i + 1);
    const std::uint64_t now = cached_blocks();
    most_flushed = std::max(most_flushed, before + 1 - std::min(now, before + 1));
    before = now;
  }
  EXPECT_GT(before, 3000u) << "they were cached";
  EXPECT_GT(most_flushed, 0u) << "the cache was never full";
  EXPECT_LE(most_flushed, most_at_a_time);
}

TEST_F(ManySmallBlocks, LeaveACacheThatMayHoldLessByAndBy) {
  release(0, 3900);
  const std::uint64_t before = cached_blocks();
  ASSERT_GT(before, 3000u);
  std::vector<std::thread> others;
  std::atomic<int> come{0};
  std::atomic<bool> go{false};
  for (int i = 0; i < 7; ++i) {  // an eighth is left for this thread
    others.emplace_back([&] {
      clpool_mem* block = nullptr;
      EXPECT_EQ(clpool_pool_allocate(pool, size, &block), CLPOOL_SUCCESS);
      EXPECT_EQ(clpool_mem_release(block), CLPOOL_SUCCESS);
      for (++come; !go;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  while (come < 7) {
    std::this_thread::yield();
  }
  release(3900, 3901);
  EXPECT_LE(before - cached_blocks(), most_at_a_time);
  EXPECT_LT(cached_blocks(), before);
  release(3901, 3910);
  EXPECT_LE(cached_blocks(), 510u) << "and what the other threads have";
  go = true;
  for (std::thread& other : others) {
    other.join();
  }
  release(3910, count);
}

TEST_F(ManySmallBlocks, GoBackToTheLastFromTheirThreadsCache) {
  release(0, 3900);
  ASSERT_GT(cached_blocks(), 3000u);
  EXPECT_EQ(clpool_pool_trim(pool, 0), CLPOOL_SUCCESS);
  EXPECT_EQ(cached_blocks(), 0u);
  release(3900, count);
}

TEST_F(ManySmallBlocks, GoBackToTheLastFromAnotherThreadsCache) {
  std::binary_semaphore released{0};
  std::binary_semaphore done{0};
  std::thread other([&] {
    std::vector<clpool_mem*> theirs(1900);
    for (clpool_mem*& block : theirs) {
      EXPECT_EQ(clpool_pool_allocate(pool, size, &block), CLPOOL_SUCCESS);
    }
    for (clpool_mem* const block : theirs) {
      EXPECT_EQ(clpool_mem_release(block), CLPOOL_SUCCESS);
    }
    released.release();
    done.acquire();
  });
  released.acquire();
  EXPECT_GT(cached_blocks(), 1500u);
  EXPECT_EQ(clpool_pool_trim(pool, 0), CLPOOL_SUCCESS);
  EXPECT_EQ(cached_blocks(), 0u);
  done.release();
  other.join();
  release(0, count);
}

}  // namespace
