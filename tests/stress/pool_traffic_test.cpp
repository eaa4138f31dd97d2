// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Many threads on one pool and on many: whatever happens at the same time, in the end every block is back and
// every counter is exact.
#include <array>
#include <atomic>
#include <barrier>
#include <deque>
#include <functional>
#include <random>
#include <thread>

#include "support/pools.hpp"

namespace clpool::test {
namespace {

/// Runs `body` with numbers 0, 1, … on that many threads that start together.
void on_threads(unsigned count, const std::function<void(unsigned)>& body) {
  std::barrier start(static_cast<std::ptrdiff_t>(count));
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      body(i);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

/// Keeps up to `most` blocks of random sizes, replacing them at random.
void churn(clpool_pool* pool, unsigned seed, int steps, std::size_t most = 20) {
  std::mt19937 random(seed);
  std::vector<MemHandle> live;
  for (int i = 0; i < steps; ++i) {
    if (live.size() < most && random() % 2 == 0) {
      live.push_back(allocate(pool, random() % 5 == 0 ? random() % 200'000 : random() % 8 * 256));
    } else if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      live.pop_back();
    }
  }
}

/// Blocks on their way from one thread to another.
class Channel {
 public:
  void send(MemHandle mem) {
    const std::lock_guard lock(mutex_);
    blocks_.push_back(std::move(mem));
  }
  MemHandle receive() {
    const std::lock_guard lock(mutex_);
    if (blocks_.empty()) {
      return nullptr;
    }
    MemHandle mem = std::move(blocks_.front());
    blocks_.pop_front();
    return mem;
  }

 private:
  std::mutex mutex_;
  std::deque<MemHandle> blocks_;
};

void expect_all_back(const PoolHandle& pool, const NumberSource& numbers) {
  const clpool_pool_stats stats = stats_of(pool);
  EXPECT_EQ(stats.active_blocks, 0u);
  EXPECT_EQ(stats.active_bytes, 0u);
  EXPECT_EQ(stats.managed_bytes, numbers.live_bytes());
  EXPECT_LE(stats.peak_managed_bytes, numbers.peak_bytes()) << "what is on its way back counts there only";
  expect_sound(pool);
  ASSERT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS);
  EXPECT_EQ(stats_of(pool).managed_bytes, 0u);
  EXPECT_EQ(numbers.live_bytes(), 0u);
}

clpool_pool_options with_strategy(std::uint32_t strategy) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.strategy = strategy;
  return options;
}

class PoolTraffic : public testing::TestWithParam<std::uint32_t> {
 protected:
  NumberSource numbers;
  AllocatorHandle allocator = numbers.allocator();
  PoolHandle pool = make_pool(allocator.get(), with_strategy(GetParam()));
};
INSTANTIATE_TEST_SUITE_P(, PoolTraffic, testing::Values(CLPOOL_STRATEGY_COALESCING, CLPOOL_STRATEGY_BINNED),
                         [](const auto& parameter) {
                           return parameter.param == CLPOOL_STRATEGY_BINNED ? "binned" : "coalescing";
                         });

TEST_P(PoolTraffic, OfTwoOrEightThreadsLeavesExactFigures) {
  for (const unsigned count : {2u, 8u}) {
    on_threads(count, [&](unsigned i) { churn(pool.get(), i, 4000); });
    expect_all_back(pool, numbers);
  }
}

TEST_P(PoolTraffic, FromProducersToConsumersComesBackToThePool) {
  Channel channel;
  std::atomic<int> producing{4};
  on_threads(8, [&](unsigned i) {
    if (i % 2 == 0) {
      std::mt19937 random(i);
      for (int step = 0; step < 2000; ++step) {
        channel.send(allocate(pool, random() % 3000));
      }
      --producing;
      return;
    }
    for (;;) {
      const bool last_look = producing == 0;
      if (channel.receive() == nullptr) {
        if (last_look) {
          return;
        }
        std::this_thread::yield();
      }
    }
  });
  expect_all_back(pool, numbers);
}

TEST_P(PoolTraffic, SurvivesTheThreadsThatLeftBlocksBehind) {
  Channel left;
  for (unsigned round = 0; round < 20; ++round) {
    on_threads(3, [&](unsigned i) {
      churn(pool.get(), round * 3 + i, 200);
      left.send(allocate(pool, 1000));
    });
  }
  EXPECT_EQ(stats_of(pool).active_blocks, 60u);
  EXPECT_EQ(stats_of(pool).active_bytes, 60'000u);
  while (left.receive() != nullptr) {
  }
  expect_all_back(pool, numbers);
}

TEST_P(PoolTraffic, GoesOnUnderTrimsPicturesAndStatistics) {
  std::atomic<int> working{3};
  on_threads(5, [&](unsigned i) {
    if (i < 3) {
      churn(pool.get(), i, 4000);
      --working;
      return;
    }
    std::mt19937 random(i);
    while (working != 0) {
      switch (random() % 6) {
        case 0:
          expect_sound(pool);
          break;
        case 1:
          EXPECT_EQ(clpool_pool_trim(pool.get(), random() % 100'000), CLPOOL_SUCCESS);
          break;
        case 2:
          EXPECT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS);
          break;
        case 3:
          EXPECT_EQ(clpool_pool_tick(pool.get()), CLPOOL_SUCCESS);
          break;
        case 4: {
          std::uint64_t bytes = 0;
          EXPECT_EQ(clpool_pool_visit(
                        pool.get(),
                        [](void* user, const clpool_pool_stretch* stretch) -> int32_t {
                          *static_cast<std::uint64_t*>(user) += stretch->size;
                          return 0;
                        },
                        &bytes),
                    CLPOOL_SUCCESS);
          break;
        }
        default:
          std::size_t needed = 0;
          EXPECT_EQ(clpool_pool_dump_json(pool.get(), nullptr, 0, &needed), CLPOOL_SUCCESS);
      }
    }
  });
  expect_all_back(pool, numbers);
}

TEST_P(PoolTraffic, MayRunOutOfMemoryEverywhereAtOnce) {
  numbers.capacity = 400'000;
  on_threads(4, [&](unsigned i) {
    std::mt19937 random(i);
    std::vector<MemHandle> live;
    for (int step = 0; step < 1500; ++step) {
      clpool_mem* mem = nullptr;
      const clpool_status status = clpool_pool_allocate(pool.get(), random() % 60'000, &mem);
      if (status == CLPOOL_SUCCESS) {
        live.emplace_back(mem);
      } else {
        EXPECT_EQ(status, CLPOOL_ERROR_OUT_OF_MEMORY);
        EXPECT_EQ(mem, nullptr);
      }
      if (!live.empty() && (status != CLPOOL_SUCCESS || random() % 3 == 0)) {
        std::swap(live[random() % live.size()], live.back());
        live.pop_back();
      }
    }
  });
  expect_all_back(pool, numbers);
}

TEST_P(PoolTraffic, EndsThePoolOnceHoweverItsLastReleasesMeet) {
  pool.reset();
  allocator.reset();
  for (int round = 0; round < 150; ++round) {
    NumberSource source;
    AllocatorHandle made = source.allocator();
    PoolHandle ending = make_pool(made.get(), with_strategy(GetParam()));
    made.reset();
    std::vector<MemHandle> blocks[4];
    for (auto& share : blocks) {
      for (std::size_t i = 0; i < 6; ++i) {
        share.push_back(allocate(ending, 100 + 300 * i));
      }
    }
    on_threads(5, [&](unsigned i) {
      if (i == 4) {
        ending.reset();
        return;
      }
      for (MemHandle& mem : blocks[i]) {
        if (i == 3) {
          EXPECT_EQ(clpool_mem_release_later(mem.release()), CLPOOL_SUCCESS);
        } else {
          mem.reset();
        }
      }
    });
    NumberSource other;  // whose release carries out what was put off
    const AllocatorHandle other_allocator = other.allocator();
    clpool_mem* direct = nullptr;
    ASSERT_EQ(clpool_allocator_allocate(other_allocator.get(), 1, &direct), CLPOOL_SUCCESS);
    ASSERT_EQ(clpool_mem_release(direct), CLPOOL_SUCCESS);
    ASSERT_EQ(source.destroyed(), 1u) << "round " << round;
  }
}

TEST_P(PoolTraffic, ReturnsABlockWhoseLastReferencesAreGivenUpAtOnce) {
  constexpr int rounds = 3000;
  std::vector<MemHandle> blocks;
  std::barrier step(2);
  std::atomic<clpool_mem*> shared{nullptr};
  on_threads(2, [&](unsigned i) {
    for (int round = 0; round < rounds; ++round) {
      if (i == 0) {
        clpool_mem* mem = allocate(pool, 1000).release();
        EXPECT_EQ(clpool_mem_retain(mem), CLPOOL_SUCCESS);
        shared = mem;
      }
      step.arrive_and_wait();
      EXPECT_EQ(clpool_mem_release(shared), CLPOOL_SUCCESS);
      step.arrive_and_wait();
    }
  });
  EXPECT_EQ(stats_of(pool).active_blocks, 0u);
  EXPECT_EQ(stats_of(pool).driver_allocations, 1u) << "the block came back each time";
  expect_all_back(pool, numbers);
}

TEST_P(PoolTraffic, ReturnsABlockWhoseLastPartsAreReleasedWithItAtOnce) {
  constexpr int rounds = 3000;
  constexpr unsigned threads = 3;
  std::barrier step(threads);
  std::array<std::atomic<clpool_mem*>, threads> shared{};  // a block, a part of it, and another one
  on_threads(threads, [&](unsigned i) {
    for (int round = 0; round < rounds; ++round) {
      if (i == 0) {
        clpool_mem* parts[2] = {};
        clpool_mem* const mem = allocate(pool, 1000).release();
        for (clpool_mem*& part : parts) {
          EXPECT_EQ(clpool_mem_sub_region(mem, 0, 100, 0, &part), CLPOOL_SUCCESS);
        }
        shared[0] = mem;
        shared[1] = parts[0];
        shared[2] = parts[1];
      }
      step.arrive_and_wait();
      EXPECT_EQ(clpool_mem_release(shared[i]), CLPOOL_SUCCESS);
      step.arrive_and_wait();
    }
  });
  EXPECT_EQ(stats_of(pool).active_blocks, 0u);
  EXPECT_EQ(stats_of(pool).driver_allocations, 1u) << "the block came back each time";
  expect_all_back(pool, numbers);
}

TEST(ManyPools, ShareThreadsWithoutMixingUp) {
  constexpr std::size_t count = 40;  // more than a thread remembers caches of
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  std::vector<PoolHandle> pools;
  for (std::size_t i = 0; i < count; ++i) {
    pools.push_back(make_pool(
        allocator.get(), with_strategy(i % 5 == 4 ? CLPOOL_STRATEGY_BINNED : CLPOOL_STRATEGY_COALESCING)));
  }
  on_threads(4, [&](unsigned i) {
    std::mt19937 random(i);
    std::vector<MemHandle> live;
    for (int step = 0; step < 6000; ++step) {
      if (live.size() < 50 && random() % 2 == 0) {
        live.push_back(allocate(pools[random() % count], random() % 4 * 700));
      } else if (!live.empty()) {
        std::swap(live[random() % live.size()], live.back());
        live.pop_back();
      }
    }
  });
  for (const PoolHandle& pool : pools) {
    EXPECT_EQ(stats_of(pool).active_blocks, 0u);
    EXPECT_EQ(stats_of(pool).active_bytes, 0u);
    expect_sound(pool);
  }
}

TEST(ManyPools, MayComeAndGoWhileThreadsDo) {
  on_threads(4, [](unsigned i) {
    for (unsigned round = 0; round < 30; ++round) {
      NumberSource numbers;
      const AllocatorHandle allocator = numbers.allocator();
      const PoolHandle pool = make_pool(allocator.get());
      std::thread other([&] { churn(pool.get(), i, 100); });
      churn(pool.get(), round, 100);
      other.join();
      expect_all_back(pool, numbers);
    }
  });
}

}  // namespace
}  // namespace clpool::test
