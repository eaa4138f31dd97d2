// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Direct memory and its parts, made and given back by several threads at once, one limit over all; blocks of a pool of
// which several threads tell at once.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "host_memory.hpp"
#include "support/opencl.hpp"
#include "support/pools.hpp"

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

/// What one thread does with a block does not get in the way of what the library writes to it meanwhile for another:
/// ThreadSanitizer watches.
class BlockThreads : public clpool::test::OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (cl.queue == nullptr) {
      return;
    }
    clpool_allocator* made = nullptr;
    ASSERT_EQ(clpool_allocator_create_immediate(cl.queue, 0, &made), CLPOOL_SUCCESS);
    allocator.reset(made);
    pool = clpool::test::make_pool(made);
  }
  using Action = std::function<clpool_status(clpool_mem*)>;
  void at_once(const Action& first, const Action& second) {
    for (int i = 0; i < 100; ++i) {
      const clpool::test::MemHandle mem = clpool::test::allocate(pool, 4096);
      std::atomic<int> ready{0};
      const auto run = [&](const Action& action) {
        ++ready;
        while (ready < 2) {
        }
        EXPECT_EQ(action(mem.get()), CLPOOL_SUCCESS) << clpool_last_error_message();
      };
      std::thread other(run, second);
      run(first);
      other.join();
    }
  }
  clpool_status fill(clpool_mem* mem) {
    const unsigned char byte = 1;
    return clpool_mem_fill(cl.queue, mem, &byte, 1, 0, 4096, 0, nullptr, nullptr);
  }
  cl_command_queue other_queue = cl.another_queue();
  clpool::test::AllocatorHandle allocator;
  clpool::test::PoolHandle pool;
};

TEST_F(BlockThreads, OneMayTagABlockThatAnotherFills) {
  at_once([&](clpool_mem* mem) { return fill(mem); },
          [](clpool_mem* mem) { return clpool_mem_set_tag(mem, 7); });
}

TEST_F(BlockThreads, OneMayDeclareAUseOfABlockThatAnotherFills) {
  at_once([&](clpool_mem* mem) { return fill(mem); },
          [&](clpool_mem* mem) { return clpool_mem_used_on(mem, other_queue); });
}

TEST_F(BlockThreads, OneMayDeclareAUseOfABlockThatAnotherUnbinds) {
  at_once([&](clpool_mem* mem) { return clpool_mem_used_on(mem, other_queue); },
          [](clpool_mem* mem) { return clpool_mem_unbind_queue(mem); });
}

/// The unmapping is told of by whichever thread comes by.
TEST_F(BlockThreads, OneMayCarryOutAnUnmappingThatWasPutOffWhileAnotherFills) {
  at_once(
      [&](clpool_mem* mem) {
        clpool_map* map = nullptr;
        EXPECT_EQ(clpool_mem_map(cl.queue, mem, CL_MAP_READ, 0, 64, 1, 0, nullptr, nullptr, &map),
                  CLPOOL_SUCCESS);
        EXPECT_EQ(clpool_map_release_later(map), CLPOOL_SUCCESS);
        return fill(mem);
      },
      [&](clpool_mem*) { return clpool_pool_tick(pool.get()); });
}

}  // namespace
