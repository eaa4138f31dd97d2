// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Direct memory and its parts, made and given back by several threads at once, one limit over all.
#include <gtest/gtest.h>

#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "host_memory.hpp"

namespace {

/// Memory on its way from the thread that made it to the one that gives it back.
class Exchange {
 public:
  /// Puts one in and takes any out; null while there are few.
  clpool_mem* swap(clpool_mem* mem, std::size_t choice) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(mem);
    if (waiting_.size() < 16) {
      return nullptr;
    }
    std::swap(waiting_[choice % waiting_.size()], waiting_.back());
    clpool_mem* const taken = waiting_.back();
    waiting_.pop_back();
    return taken;
  }
  void release_all() {
    for (clpool_mem* mem : waiting_) {
      EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
    }
    waiting_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<clpool_mem*> waiting_;
};

TEST(MemoryThreads, DirectMemoryAndPartsOfItGoBackFromAnyThreadWithinTheLimit) {
  constexpr std::uint64_t limit = 64 * 1024;
  clpool::test::HostMemory source;
  clpool_allocator* limited = nullptr;
  ASSERT_EQ(clpool_allocator_create_limit(source.allocator(), limit, &limited), CLPOOL_SUCCESS);
  Exchange exchange;
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&, seed] {
      std::mt19937 random(seed);
      for (int i = 0; i < 1500; ++i) {
        clpool_mem* mem = nullptr;
        const clpool_status status = clpool_allocator_allocate(limited, 1 + random() % 4000, &mem);
        if (status != CLPOOL_SUCCESS) {
          EXPECT_EQ(status, CLPOOL_ERROR_OUT_OF_MEMORY);
          continue;
        }
        if (random() % 2 == 0) {  // the part alone goes on, and keeps the whole
          clpool_mem* part = nullptr;
          EXPECT_EQ(clpool_mem_sub_region(mem, 0, 1, 0, &part), CLPOOL_SUCCESS);
          EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
          mem = part;
        }
        EXPECT_EQ(clpool_mem_release(exchange.swap(mem, random())), CLPOOL_SUCCESS);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_LE(source.peak(), limit);
  exchange.release_all();
  EXPECT_EQ(source.bytes(), 0u);
  clpool_allocator_release(limited);
}

}  // namespace
