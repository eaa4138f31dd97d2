// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What threads may do with one pool at once where queues are in it: declare uses, allocate for a queue, tag,
// release in every way, ask for pictures and figures, and end the pool. Content is not looked at here
// (clpool_load does): races are.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "stub_icd/tests/fixture.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

constexpr unsigned thread_count = 4;
constexpr int rounds = 300;

enum class Source { buffers, svm, pinned };

class ThreadsOnAPoolWithQueues : public StubTest, public testing::WithParamInterface<Source> {
 protected:
  void SetUp() override {
    StubTest::SetUp();
    stub_configure("mode=worker,seed=3");
    clpool_allocator* made = nullptr;
    const clpool_status status =
        GetParam() == Source::buffers ? clpool_allocator_create_immediate(cl.queue, 0, &made)
        : GetParam() == Source::svm   ? clpool_allocator_create_svm(cl.context, 0, 0, nullptr, &made)
                                      : clpool_allocator_create_pinned(cl.queue, 0, &made);
    ASSERT_EQ(status, CLPOOL_SUCCESS) << clpool_last_error_message();
    const AllocatorHandle allocator(made);
    const cl_command_queue queues[] = {cl.queue, second};
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = queues;
    options.queue_count = 2;
    pool = make_pool(allocator.get(), options);
  }
  void TearDown() override {
    for (const cl_command_queue queue : {cl.queue, second, foreign}) {
      clFinish(queue);
    }
    if (pool != nullptr) {
      expect_sound(pool);
      EXPECT_EQ(stats_of(pool).active_blocks, 0u);
      pool.reset();
    }
    // What was released later, or waits for commands when its pool ends, goes with a later call of the
    // library.
    for (int i = 0; i < 10000 && stub_same_counts(&before, nullptr, 0) == 0; ++i) {
      call_later();
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    std::array<char, 512> text{};
    EXPECT_TRUE(stub_same_counts(&before, text.data(), text.size())) << text.data();
  }
  cl_command_queue queue_of(int number) const {
    const std::array<cl_command_queue, 3> all = {cl.queue, second, foreign};
    return all[static_cast<std::size_t>(number) % all.size()];
  }
  clpool_mem* take(int number) const {
    clpool_mem* mem = nullptr;
    const std::size_t size = 256 * (1 + static_cast<std::size_t>(number) % 9);
    EXPECT_EQ(number % 2 == 0 ? clpool_pool_allocate(pool.get(), size, &mem)
                              : clpool_pool_allocate_on(pool.get(), queue_of(number), size, &mem),
              CLPOOL_SUCCESS)
        << clpool_last_error_message();
    return mem;
  }
  void declare_use(clpool_mem* mem, int number) const {
    const cl_command_queue queue = queue_of(number);
    if (number % 4 == 0) {
      OwnedEvent event;
      EXPECT_EQ(clEnqueueMarkerWithWaitList(queue, 0, nullptr, event.receive()), CL_SUCCESS);
      EXPECT_EQ(clFlush(queue), CL_SUCCESS);
      const cl_event handle = event.get();
      EXPECT_EQ(clpool_mem_release_after(mem, 1, &handle), CLPOOL_SUCCESS);
    } else {
      EXPECT_EQ(clpool_mem_used_on(mem, queue), CLPOOL_SUCCESS);
    }
    EXPECT_EQ(clpool_mem_set_tag(mem, static_cast<std::uint64_t>(number)), CLPOOL_SUCCESS);
  }
  static void give_back(clpool_mem* mem, int number) {
    switch (number % 4) {
      case 0:
        EXPECT_EQ(clpool_mem_release_idle(mem), CLPOOL_SUCCESS);
        break;
      case 1:
        EXPECT_EQ(clpool_mem_release_later(mem), CLPOOL_SUCCESS);
        break;
      case 2:
        if (clpool_mem_try_release(mem) == CLPOOL_SUCCESS) {
          break;
        }
        [[fallthrough]];
      default:
        EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
    }
  }
  template <typename Body>
  static void run_threads(Body body) {
    std::vector<std::thread> threads;
    for (unsigned thread = 0; thread < thread_count; ++thread) {
      threads.emplace_back(body, static_cast<int>(thread));
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }

  cl_command_queue second = cl.another_queue();
  cl_command_queue foreign = cl.another_queue();  ///< the pool is not told of it
  stub_counts before = [] {
    stub_counts counts = {};
    stub_read_counts(&counts);
    return counts;
  }();
  PoolHandle pool;
};

INSTANTIATE_TEST_SUITE_P(, ThreadsOnAPoolWithQueues,
                         testing::Values(Source::buffers, Source::svm, Source::pinned),
                         [](const testing::TestParamInfo<Source>& source) {
                           return source.param == Source::buffers ? "Buffers"
                                  : source.param == Source::svm   ? "Svm"
                                                                  : "Pinned";
                         });

TEST_P(ThreadsOnAPoolWithQueues, DeclareUsesOfBlocksThatPassFromThreadToThread) {
  std::mutex mutex;
  std::deque<clpool_mem*> passed;
  run_threads([&](int thread) {
    for (int round = 0; round < rounds; ++round) {
      clpool_mem* mem = take(thread + round);
      declare_use(mem, thread + round);
      {
        const std::lock_guard lock(mutex);
        passed.push_back(mem);
        mem = nullptr;
        if (passed.size() > 8) {
          mem = passed.front();
          passed.pop_front();
        }
      }
      if (mem != nullptr) {
        declare_use(mem, thread + round + 1);
        give_back(mem, round);
      }
    }
  });
  for (clpool_mem* mem : passed) {
    give_back(mem, 0);
  }
}

TEST_P(ThreadsOnAPoolWithQueues, AskForFiguresAndPicturesWhileOthersUseIt) {
  run_threads([&](int thread) {
    for (int round = 0; round < rounds; ++round) {
      if (thread != 0) {
        clpool_mem* const mem = take(thread + round);
        EXPECT_EQ(clpool_mem_set_tag(mem, static_cast<std::uint64_t>(round)), CLPOOL_SUCCESS);
        give_back(mem, round);
        continue;
      }
      clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
      std::array<char, 256> text{};
      const auto visitor = [](void*, const clpool_pool_stretch* stretch) {
        return stretch->size != 0 ? 0 : 1;
      };
      EXPECT_EQ(clpool_pool_statistics(pool.get(), &stats), CLPOOL_SUCCESS);
      EXPECT_EQ(clpool_pool_dump_json(pool.get(), text.data(), text.size(), nullptr), CLPOOL_SUCCESS);
      EXPECT_EQ(clpool_pool_visit(pool.get(), visitor, nullptr), CLPOOL_SUCCESS);
      EXPECT_EQ(clpool_pool_check(pool.get()), CLPOOL_SUCCESS) << clpool_last_error_message();
      EXPECT_EQ(clpool_pool_tick(pool.get()), CLPOOL_SUCCESS);
      EXPECT_EQ(clpool_pool_trim(pool.get(), 4096), CLPOOL_SUCCESS);
    }
  });
}

TEST_P(ThreadsOnAPoolWithQueues, EndItTogetherWhoeverIsLast) {
  for (int end = 0; end < 20; ++end) {
    run_threads([&](int thread) {
      std::vector<clpool_mem*> blocks;
      EXPECT_EQ(clpool_pool_retain(pool.get()), CLPOOL_SUCCESS);
      for (int round = 0; round < 10; ++round) {
        blocks.push_back(take(thread + round));
        declare_use(blocks.back(), thread + round);
      }
      clpool_pool* const mine = pool.get();
      EXPECT_EQ(clpool_pool_release(mine), CLPOOL_SUCCESS);
      for (clpool_mem* mem : blocks) {
        give_back(mem, thread);
      }
    });
    if (end % 2 == 0) {
      continue;
    }
    // This time the blocks, which several threads give back, are what the pool still lives for.
    std::vector<clpool_mem*> left;
    for (int i = 0; i < 40; ++i) {
      left.push_back(take(i));
    }
    pool.reset();
    run_threads([&](int thread) {
      for (std::size_t i = static_cast<std::size_t>(thread); i < left.size(); i += thread_count) {
        give_back(left[i], static_cast<int>(i / thread_count));
      }
    });
    SetUp();
  }
}

}  // namespace
}  // namespace clpool::test
