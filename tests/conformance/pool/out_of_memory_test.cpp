// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a pool does when memory is out: each step of the chain by itself, and a failure at every
// call of every workload, after which nothing may have changed and nothing may be lost.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include "support/pools.hpp"

namespace clpool::test {
namespace {

struct Strategy {
  std::uint32_t kind;
  const char* name;
};

/// A pool over numbers, with callbacks that tests may set.
class OutOfMemory : public testing::TestWithParam<Strategy> {
 protected:
  PoolHandle make(clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT) {
    clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
    if (collect) {
      callbacks.collect = [](void* user) {
        auto& self = *static_cast<OutOfMemory*>(user);
        ++self.collected;
        self.collect();
      };
    }
    if (out_of_memory) {
      callbacks.out_of_memory = [](void* user, uint64_t size, uint32_t attempt) -> int32_t {
        auto& self = *static_cast<OutOfMemory*>(user);
        ++self.asked;
        return self.out_of_memory(size, attempt) ? 1 : 0;
      };
    }
    options.strategy = GetParam().kind;
    options.callbacks = &callbacks;
    options.user = this;
    return make_pool(allocator.get(), options);
  }
  static clpool_status try_size(const PoolHandle& pool, std::size_t size) {
    clpool_mem* mem = nullptr;
    const clpool_status status = clpool_pool_allocate(pool.get(), size, &mem);
    EXPECT_EQ(status == CLPOOL_SUCCESS, mem != nullptr);
    clpool_mem_release(mem);
    return status;
  }

  NumberSource numbers;
  AllocatorHandle allocator = numbers.allocator();
  std::function<void()> collect;
  std::function<bool(std::uint64_t, std::uint32_t)> out_of_memory;
  int collected = 0;
  int asked = 0;
};
INSTANTIATE_TEST_SUITE_P(, OutOfMemory,
                         testing::Values(Strategy{CLPOOL_STRATEGY_COALESCING, "coalescing"},
                                         Strategy{CLPOOL_STRATEGY_BINNED, "binned"}),
                         [](const auto& parameter) { return parameter.param.name; });

TEST_P(OutOfMemory, LeavesEveryCounterAsItWas) {
  numbers.capacity = 1'000'000;
  const PoolHandle pool = make();
  const MemHandle live = allocate(pool, 600'000);
  const Counters before = counters_of(pool);
  EXPECT_EQ(try_size(pool, 500'000), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(counters_of(pool), before);
  EXPECT_GT(stats_of(pool).out_of_memory_events, 0u);
  expect_sound(pool);
  EXPECT_EQ(try_size(pool, 300'000), CLPOOL_SUCCESS) << "the pool goes on working";
}

TEST_P(OutOfMemory, TellsTheFigures) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.max_bytes = 1'000'000;
  options.name = "narrow";
  const PoolHandle pool = make(options);
  const MemHandle live = allocate(pool, 600'000);
  EXPECT_EQ(try_size(pool, 500'000), CLPOOL_ERROR_OUT_OF_MEMORY);
  const std::string text = clpool_last_error_message();
  for (const char* part : {"narrow", "500000", "600000", "1000000"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in: " << text;
  }
  EXPECT_EQ(clpool_last_cl_error(), CL_MEM_OBJECT_ALLOCATION_FAILURE);
}

TEST_P(OutOfMemory, TakesMinus4And5And6ForIt) {
  for (const clpool_status code : {-4, -5, -6, CLPOOL_ERROR_OUT_OF_MEMORY + 0}) {
    numbers.restart_calls();
    numbers.fail_from = 0;
    const PoolHandle pool = make();
    allocate(pool, 100'000).reset();
    numbers.failure = code;
    numbers.fail_from = 2;
    numbers.fail_count = UINT64_MAX;
    EXPECT_EQ(try_size(pool, 5'000'000), CLPOOL_ERROR_OUT_OF_MEMORY) << code;
    EXPECT_EQ(stats_of(pool).managed_bytes, 0u) << "everything held was given back in trying";
  }
}

TEST_P(OutOfMemory, AnyOtherFailureIsFinalAndGivesNothingBack) {
  const PoolHandle pool = make();
  allocate(pool, 100'000).reset();
  const std::uint64_t managed = stats_of(pool).managed_bytes;
  numbers.fail_from = 2;
  numbers.fail_count = UINT64_MAX;
  numbers.failure = -30;
  EXPECT_EQ(try_size(pool, 5'000'000), CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(clpool_last_cl_error(), -30);
  numbers.failure = 77;
  EXPECT_EQ(try_size(pool, 5'000'000), CLPOOL_ERROR_CALLBACK);
  if (GetParam().kind == CLPOOL_STRATEGY_BINNED) {
    EXPECT_EQ(stats_of(pool).managed_bytes, managed);
  }
  expect_sound(pool);
}

TEST_P(OutOfMemory, ASizeThatOnlyRoundingUpMadeTooLargeIsAskedForExactly) {
  const PoolHandle pool = make();
  numbers.failure = CL_INVALID_BUFFER_SIZE;
  numbers.fail_from = 1;
  numbers.fail_count = 1;
  const MemHandle mem = allocate(pool, 1'000'001);
  ASSERT_NE(mem, nullptr);
  EXPECT_EQ(numbers.events().back(), "took 1000001");
  EXPECT_EQ(clpool_mem_capacity(mem.get()), 1'000'001u);
}

TEST_P(OutOfMemory, ASizeThatIsTooLargeByItselfIsAFailureOfTheDriver) {
  const PoolHandle pool = make();
  const std::uint64_t before = stats_of(pool).out_of_memory_events;
  numbers.failure = CL_INVALID_BUFFER_SIZE;
  numbers.fail_from = 1;
  numbers.fail_count = UINT64_MAX;
  EXPECT_EQ(try_size(pool, 1'000'001), CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(clpool_last_cl_error(), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(stats_of(pool).out_of_memory_events, before);
  expect_sound(pool);
}

TEST_P(OutOfMemory, TheCollectorIsAskedAndTheDriverOnceMore) {
  MemHandle garbage;
  collect = [&] { numbers.capacity = UINT64_MAX; };
  const PoolHandle pool = make();
  numbers.capacity = 100;
  EXPECT_EQ(try_size(pool, 50'000), CLPOOL_SUCCESS);
  EXPECT_EQ(collected, 1);
}

TEST_P(OutOfMemory, WhatTheCollectorReleasesIsReused) {
  std::vector<MemHandle> garbage;
  collect = [&] { garbage.clear(); };
  numbers.capacity = 400'000;
  const PoolHandle pool = make();
  garbage.push_back(allocate(pool, 300'000));
  const std::uint64_t made = stats_of(pool).driver_allocations;
  const MemHandle mem = allocate(pool, 300'000);
  EXPECT_EQ(collected, 1);
  EXPECT_EQ(stats_of(pool).driver_allocations, made);
  EXPECT_EQ(stats_of(pool).active_blocks, 1u);
}

TEST_P(OutOfMemory, LateReleasesOfTheCollectorCountToo) {
  std::vector<MemHandle> garbage;
  collect = [&] {
    for (MemHandle& mem : garbage) {
      EXPECT_EQ(clpool_mem_release_later(mem.release()), CLPOOL_SUCCESS);
    }
    garbage.clear();
  };
  numbers.capacity = 400'000;
  const PoolHandle pool = make();
  garbage.push_back(allocate(pool, 300'000));
  const MemHandle mem = allocate(pool, 300'000);
  EXPECT_NE(mem, nullptr);
  EXPECT_EQ(stats_of(pool).active_blocks, 1u);
}

TEST_P(OutOfMemory, LateReleasesOfTheUserCountAtOnce) {
  std::vector<MemHandle> garbage;
  int asked = 0;
  out_of_memory = [&](std::uint64_t, std::uint32_t) {
    ++asked;
    for (MemHandle& mem : garbage) {
      EXPECT_EQ(clpool_mem_release_later(mem.release()), CLPOOL_SUCCESS);
    }
    garbage.clear();
    return true;
  };
  numbers.capacity = 400'000;
  const PoolHandle pool = make();
  garbage.push_back(allocate(pool, 300'000));
  const MemHandle mem = allocate(pool, 300'000);
  EXPECT_NE(mem, nullptr);
  EXPECT_EQ(asked, 1);
}

TEST_P(OutOfMemory, ALargerHeldBlockServesBeforeMemoryIsGivenBack) {
  numbers.capacity = 1'200'000;
  const PoolHandle pool = make();
  allocate(pool, 1'000'000).reset();
  numbers.forget_events();
  const MemHandle mem = allocate(pool, 700'000);
  ASSERT_NE(mem, nullptr);
  EXPECT_EQ(stats_of(pool).driver_releases, 0u);
}

TEST_P(OutOfMemory, HeldMemoryGoesLargestFirstAndNoMoreThanHelps) {
  numbers.capacity = 4'200'000;
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.min_chunk_bytes = 1;
  const PoolHandle pool = make(options);
  {
    std::vector<MemHandle> blocks;
    for (const std::size_t size : {500'000u, 1'500'000u, 1'000'000u}) {
      blocks.push_back(allocate(pool, size));
    }
  }
  numbers.forget_events();
  const MemHandle mem = allocate(pool, 2'000'000);
  ASSERT_NE(mem, nullptr);
  const auto events = numbers.events();
  const auto first = std::find_if(events.begin(), events.end(),
                                  [](const std::string& event) { return event.rfind("gave back ", 0) == 0; });
  ASSERT_NE(first, events.end());
  EXPECT_EQ(first->rfind("gave back 15", 0), 0u) << *first;
  EXPECT_GE(stats_of(pool).chunks, 2u) << "something is still held";
}

TEST_P(OutOfMemory, NothingIsGivenBackWhereThePoolsLimitShowsItCannotHelp) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.max_bytes = 2'000'000;
  const PoolHandle pool = make(options);
  const MemHandle live = allocate(pool, 1'000'000);
  allocate(pool, 500'000).reset();
  const std::uint64_t managed = stats_of(pool).managed_bytes;
  EXPECT_EQ(try_size(pool, 1'500'000), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(stats_of(pool).managed_bytes, managed);
}

TEST_P(OutOfMemory, TheExactSizeIsTriedLast) {
  numbers.capacity = 1'000'001;
  const PoolHandle pool = make();
  const MemHandle mem = allocate(pool, 1'000'001);
  ASSERT_NE(mem, nullptr);
  EXPECT_EQ(clpool_mem_capacity(mem.get()), 1'000'001u);
  EXPECT_EQ(stats_of(pool).managed_bytes, 1'000'001u);
}

TEST_P(OutOfMemory, ABlockOfAnExactSizeKeepsItsRealSize) {
  numbers.capacity = 1'000'001;
  const PoolHandle pool = make();
  for (int i = 0; i < 3; ++i) {
    allocate(pool, 1'000'001).reset();
    const clpool_pool_stats stats = stats_of(pool);
    ASSERT_EQ(stats.managed_bytes, 1'000'001u);
    ASSERT_EQ(stats.held_bytes, 1'000'001u);
    expect_sound(pool);
  }
  EXPECT_EQ(try_size(pool, 1'000'003), CLPOOL_ERROR_OUT_OF_MEMORY) << "the block is too small for this";
  ASSERT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS);
  EXPECT_EQ(stats_of(pool).managed_bytes, 0u);
  EXPECT_EQ(numbers.live_bytes(), 0u);
}

TEST_P(OutOfMemory, TheUserIsAskedLastAndMayMakeRoomAndAskAgain) {
  std::vector<MemHandle> caches;
  std::vector<std::uint32_t> attempts;
  out_of_memory = [&](std::uint64_t size, std::uint32_t attempt) {
    EXPECT_EQ(size, 350'000u);
    attempts.push_back(attempt);
    if (caches.empty()) {
      return false;
    }
    caches.pop_back();
    return true;
  };
  numbers.capacity = 480'000;
  const PoolHandle pool = make();
  for (int i = 0; i < 4; ++i) {
    caches.push_back(allocate(pool, 100'000));
  }
  EXPECT_EQ(try_size(pool, 350'000), CLPOOL_SUCCESS);
  EXPECT_EQ(attempts.front(), 1u);
  EXPECT_EQ(attempts.back(), attempts.size());
  caches.clear();
  attempts.clear();
  const MemHandle live = allocate(pool, 300'000);
  const Counters before = counters_of(pool);
  EXPECT_EQ(try_size(pool, 350'000), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(attempts, std::vector<std::uint32_t>{1});
  EXPECT_EQ(counters_of(pool), before);
}

TEST_P(OutOfMemory, CallbacksMayReleaseTrimAllocateAndFail) {
  numbers.capacity = 1'000'000;
  std::vector<MemHandle> caches;
  PoolHandle pool;
  int depth = 0;
  const auto misbehave = [&] {
    if (depth == 3) {
      return;
    }
    ++depth;
    EXPECT_EQ(clpool_pool_trim(pool.get(), 0), CLPOOL_SUCCESS);
    EXPECT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS);
    EXPECT_EQ(clpool_pool_tick(pool.get()), CLPOOL_SUCCESS);
    EXPECT_EQ(try_size(pool, 1000), CLPOOL_SUCCESS);
    static_cast<void>(try_size(pool, 900'000));  // may be out of memory itself, and ask again
    if (!caches.empty()) {
      caches.pop_back();
    }
    --depth;
  };
  collect = misbehave;
  out_of_memory = [&](std::uint64_t, std::uint32_t attempt) {
    misbehave();
    return attempt < 5;
  };
  pool = make();
  for (int i = 0; i < 9; ++i) {
    caches.push_back(allocate(pool, 90'000));
  }
  const MemHandle mem = allocate(pool, 700'000);
  EXPECT_NE(mem, nullptr);
  EXPECT_EQ(stats_of(pool).active_blocks, caches.size() + 1);
  expect_sound(pool);
}

TEST_P(OutOfMemory, ALimitUnderAPoolIsAnswered) {
  clpool_allocator* made = nullptr;
  ASSERT_EQ(clpool_allocator_create_limit(allocator.get(), 1'000'000, &made), CLPOOL_SUCCESS);
  allocator.reset(made);
  const PoolHandle pool = make();
  for (std::size_t size = 50'000; size < 900'000; size += 70'000) {
    EXPECT_EQ(try_size(pool, size), CLPOOL_SUCCESS) << size << ": " << clpool_last_error_message();
  }
  EXPECT_EQ(try_size(pool, 1'100'000), CLPOOL_ERROR_OUT_OF_MEMORY);
  const std::string text = clpool_last_error_message();
  EXPECT_NE(text.find("the allocator: 1100"), std::string::npos) << text;
  EXPECT_NE(text.find("limit 1000000"), std::string::npos) << text;
  EXPECT_LE(numbers.peak_bytes(), 1'000'000u);
  expect_sound(pool);
}

TEST_P(OutOfMemory, APoolNeverTakesMoreThanItsLimit) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.max_bytes = 3'000'000;
  const PoolHandle pool = make(options);
  std::mt19937 random(5);
  std::vector<MemHandle> live;
  int failed = 0;
  for (int i = 0; i < 3000; ++i) {
    clpool_mem* mem = nullptr;
    if (clpool_pool_allocate(pool.get(), random() % 400'000, &mem) == CLPOOL_SUCCESS) {
      live.emplace_back(mem);
    } else {
      ++failed;
    }
    if (!live.empty() && (mem == nullptr || random() % 2 == 0)) {
      std::swap(live[random() % live.size()], live.back());
      live.pop_back();
    }
    ASSERT_LE(numbers.live_bytes(), 3'000'000u);
  }
  EXPECT_GT(failed, 0);
  expect_sound(pool);
}

/// A program that allocates and releases, the same one in each run.
using Workload = std::function<void(const PoolHandle&, const std::function<clpool_mem*(std::size_t)>&)>;

void ramp(const PoolHandle&, const std::function<clpool_mem*(std::size_t)>& get) {
  std::vector<MemHandle> live;
  for (std::size_t i = 1; i < 30; ++i) {
    live.emplace_back(get(i * i * 3000));
    if (i % 4 == 0) {
      live.erase(live.begin(), live.begin() + 2);
    }
  }
}
void churn(const PoolHandle&, const std::function<clpool_mem*(std::size_t)>& get) {
  std::mt19937 random(9);
  std::vector<MemHandle> live;
  for (int i = 0; i < 150; ++i) {
    live.emplace_back(get(random() % 2 == 0 ? random() % 500'000 : random() % 5000));
    while (live.size() > 12) {
      std::swap(live[random() % live.size()], live.back());
      live.pop_back();
    }
  }
}
void steps_with_trims(const PoolHandle& pool, const std::function<clpool_mem*(std::size_t)>& get) {
  for (std::size_t step = 1; step < 12; ++step) {
    std::vector<MemHandle> live;
    for (std::size_t i = 0; i < 8; ++i) {
      live.emplace_back(get(step * 7777 * (i + 1)));
    }
    live.clear();
    EXPECT_EQ(clpool_pool_trim(pool.get(), step * 50'000), CLPOOL_SUCCESS);
  }
}

/// Runs a workload whose n-th driver call fails, `count` of them in a row; returns the number of calls.
std::uint64_t run_with_failure(std::uint32_t strategy, const Workload& workload, std::uint64_t nth,
                               std::uint64_t count, clpool_status failure) {
  NumberSource numbers;
  numbers.fail_from = nth;
  numbers.fail_count = count;
  numbers.failure = failure;
  {
    const AllocatorHandle allocator = numbers.allocator();
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.strategy = strategy;
    const PoolHandle pool = make_pool(allocator.get(), options);
    workload(pool, [&](std::size_t size) {
      const Counters before = counters_of(pool);
      clpool_mem* mem = nullptr;
      if (clpool_pool_allocate(pool.get(), size, &mem) != CLPOOL_SUCCESS) {
        EXPECT_EQ(mem, nullptr);
        EXPECT_EQ(counters_of(pool), before);
        EXPECT_EQ(stats_of(pool).managed_bytes, numbers.live_bytes());
        EXPECT_EQ(clpool_pool_check(pool.get()), CLPOOL_SUCCESS) << clpool_last_error_message();
      }
      return mem;
    });
    EXPECT_EQ(stats_of(pool).active_blocks, 0u);
    EXPECT_EQ(stats_of(pool).active_bytes, 0u);
    expect_sound(pool);
  }
  EXPECT_EQ(numbers.live_bytes(), 0u);
  return numbers.calls();
}

TEST_P(OutOfMemory, AFailureAtAnyCallChangesNothingAndLosesNothing) {
  for (const Workload& workload : {Workload(ramp), Workload(churn), Workload(steps_with_trims)}) {
    for (const clpool_status failure : {CLPOOL_ERROR_OUT_OF_MEMORY + 0, -61, -30}) {
      for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{3}, UINT64_MAX}) {
        std::uint64_t nth = 1;
        while (run_with_failure(GetParam().kind, workload, nth, count, failure) >= nth) {
          ++nth;
          ASSERT_FALSE(HasFailure()) << "at call " << nth << ", " << count << " failures of " << failure;
        }
        EXPECT_GT(nth, 5u) << "the workload needs the driver";
      }
    }
  }
}

}  // namespace
TEST(PoolOutOfMemory, AnyOtherFailureIsFinalAlsoWhereAReleaseWasPutOffMeanwhile) {
  struct Source {
    clpool_mem* late = nullptr;
    std::uint64_t calls = 0;
  } source;
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  ops.allocate = [](void* user, std::uint64_t, std::uint64_t, std::uint64_t* chunk) -> clpool_status {
    auto& self = *static_cast<Source*>(user);
    EXPECT_EQ(clpool_mem_release_later(std::exchange(self.late, nullptr)), CLPOOL_SUCCESS);
    *chunk = std::uint64_t{1} << 32;
    return ++self.calls == 1 ? CLPOOL_SUCCESS : -30;
  };
  ops.deallocate = [](void*, std::uint64_t, std::uint64_t) {};
  clpool_allocator* made = nullptr;
  ASSERT_EQ(clpool_allocator_create_custom(&ops, &source, &made), CLPOOL_SUCCESS);
  const AllocatorHandle allocator(made);
  const PoolHandle pool = make_pool(made);
  source.late = allocate(pool, 1000).release();
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(pool.get(), 50'000'000, &mem), CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(source.calls, 2u);
}

TEST(PoolOutOfMemory, GivesBackForTheExactSizeWhenTheRoundedOneCannotFit) {
  for (const std::uint32_t strategy : {CLPOOL_STRATEGY_COALESCING, CLPOOL_STRATEGY_BINNED}) {
    NumberSource source;
    const AllocatorHandle allocator = source.allocator();
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.strategy = strategy;
    options.max_bytes = 1'000'001;
    const PoolHandle pool = make_pool(allocator.get(), options);
    allocate(pool, 600'000).reset();
    EXPECT_EQ(clpool_mem_size(allocate(pool, 1'000'001).get()), 1'000'001u);
    EXPECT_LE(source.peak_bytes(), options.max_bytes);
  }
}

TEST(PoolOutOfMemory, ARequestWaitsForWhatAnotherThreadIsGivingBack) {
  // A driver that takes its time to free a chunk, and has room for one.
  struct SlowSource {
    std::atomic<std::uint64_t> live{0};
    std::atomic<bool> freeing{false};
  } slow;
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  ops.allocate = [](void* user, uint64_t size, uint64_t, uint64_t* chunk) {
    auto* source = static_cast<SlowSource*>(user);
    if (source->live + size > 1'000'000) {
      return clpool_status{CLPOOL_ERROR_OUT_OF_MEMORY};
    }
    source->live += size;
    *chunk = 1 << 20;
    return clpool_status{CLPOOL_SUCCESS};
  };
  ops.deallocate = [](void* user, uint64_t, uint64_t size) {
    auto* source = static_cast<SlowSource*>(user);
    source->freeing = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    source->live -= size;
  };
  clpool_allocator* made = nullptr;
  ASSERT_EQ(clpool_allocator_create_custom(&ops, &slow, &made), CLPOOL_SUCCESS);
  const AllocatorHandle allocator(made);
  const PoolHandle pool = make_pool(allocator.get());
  allocate(pool, 900'000).reset();
  std::thread giver([&] { EXPECT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS); });
  while (!slow.freeing) {
    std::this_thread::yield();
  }
  allocate(pool, 950'000).reset();
  giver.join();
}

}  // namespace clpool::test
