// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Threads that share a pool, each with blocks that its own stream still uses: whose blocks a request waits for and asks about,
// and who gives up.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "orderings/pool_events.hpp"
#include "support/sleeps.hpp"

namespace clpool::test {
namespace {

class ThreadsThatShareAPool : public PoolOfManyEvents {};

/// Each thread's blocks come free by and by, behind those of the other: the stream gets on.
TEST_F(ThreadsThatShareAPool, ThreadsThatShareAStreamDoNotTakeItForOneThatStandsStill) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  GTEST_SKIP() << "what the device gets done depends on the sanitizer";
#endif
  Stream stream(std::chrono::milliseconds(2));
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
  const auto use = [&] {
    while (std::chrono::steady_clock::now() < end) {
      clpool_mem* const mem = take(large / 64);
      const std::lock_guard lock(stream.mutex);
      release_behind(mem, stream.running.emplace_back(scene.cl.context));
    }
  };
  std::thread other(use);
  use();
  other.join();
  EXPECT_LE(stats().peak_managed_bytes, 100 * large) << "of gigabytes";
  stream.stop();
}

/// Blocks of a thread whose stream stands still: it waits for them, and gives up. Another's are none the later for that.
TEST_F(ThreadsThatShareAPool, AThreadWaitsForItsOwnStreamAndGivesUpItAlone) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  GTEST_SKIP() << "what the device gets done depends on the sanitizer";
#endif
  Gate never(scene.cl.context);
  std::atomic<bool> is_over{false};
  std::promise<void> is_slow;
  int given = 0;
  std::thread stands([&] {
    release_many_behind(never, 20, large);
    is_slow.set_value();
    for (; !is_over; ++given) {
      release_behind(take(large), never);
    }
  });
  is_slow.get_future().wait();
  Stream stream(std::chrono::milliseconds(1));
  std::size_t most_running = 0;
  int slept = 0;
  for (int i = 0; i < 600; ++i) {
    const Sleeps sleeps;
    clpool_mem* const mem = take(large);
    slept += i < 7 && sleeps.were_many() ? 1 : 0;
    const std::lock_guard lock(stream.mutex);
    release_behind(mem, stream.running.emplace_back(scene.cl.context));
    most_running = std::max(most_running, stream.running.size());
  }
  is_over = true;
  stands.join();
  EXPECT_EQ(slept, 0) << "28 MiB";
  EXPECT_LE(most_running, 40u) << "of 600, where it were not waited for";
  EXPECT_GE(given, 16) << "six, where what comes free of the other's kept it from giving up";
  EXPECT_LE(given, 300) << "one for each that comes free of the other's, where it did not wait for its own";
  stream.stop();
  never.open();
}

/// Each of a step's blocks is less than a chunk that several share.
TEST_F(ThreadsThatShareAPool, StepsOfManySmallBlocksAreWaitedForWhereEachTakesLong) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  GTEST_SKIP() << "what the device gets done depends on the sanitizer";
#endif
  constexpr std::size_t blocks = 100;
  constexpr std::size_t size = 800 << 10;
  Stream stream(std::chrono::milliseconds(30));
  for (int step = 0; step < 25; ++step) {
    std::vector<clpool_mem*> of_step;
    for (std::size_t i = 0; i < blocks; ++i) {
      of_step.push_back(take(size));
    }
    const std::lock_guard lock(stream.mutex);
    Gate& gate = stream.running.emplace_back(scene.cl.context);
    for (clpool_mem* const mem : of_step) {
      release_behind(mem, gate);
    }
  }
  EXPECT_LE(stats().peak_managed_bytes, 5 * blocks * size) << "of 25";
  stream.stop();
}

/// Two threads that give their streams more than these get done sleep most of the time, which is no sign that memory is short.
TEST_F(ThreadsThatShareAPool, AThreadKeepsItsCacheWhileOthersWaitForTheirStreams) {
  Stream streams[] = {Stream(std::chrono::milliseconds(2)), Stream(std::chrono::milliseconds(2))};
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (Stream& stream : streams) {
    threads.emplace_back([&] {
      while (!is_over) {
        clpool_mem* const mem = take(large);
        const std::lock_guard lock(stream.mutex);
        release_behind(mem, stream.running.emplace_back(scene.cl.context));
      }
    });
  }
  while (stats().pending_bytes < 16 * large) {
    std::this_thread::yield();
  }
  int kept = 0;
  for (int i = 0; i < 1000; ++i) {
    for (int visit = 0; visit < 300; ++visit) {  // so many that caches are told anew what they may hold
      EXPECT_OK(clpool_mem_release_idle(take(large / 4)));
    }
    EXPECT_OK(clpool_mem_release_idle(take(small)));
    kept += stats().cached_bytes >= small ? 1 : 0;
  }
  is_over = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(kept, 1000);
  streams[0].stop();
  streams[1].stop();
}

/// Blocks of the one are free, but not enough of them that the other, which has its share, could take some at once.
TEST_F(ThreadsThatShareAPool, AThreadThatHasItsShareWaitsForItsOwnBlocks) {
  Gate never(scene.cl.context);
  clpool_mem* const first = take(large);
  clpool_mem* const second = take(large);
  std::thread([&] { release_many_behind(never, 2, large); }).join();
  release_behind(first, *ended);
  release_behind(second, *ended);
  EXPECT_OK(clpool_pool_tick(pool.get()));  // have come free by now, before the request
  release_many_behind(never, 16, large);
  std::thread([&] {
    std::vector<clpool_mem*> blocks;
    for (int i = 0; i < 4; ++i) {
      blocks.push_back(take(large));
    }
    for (clpool_mem* const block : blocks) {
      EXPECT_OK(clpool_mem_release_idle(block));
    }
  }).join();
  const std::uint64_t managed = stats().managed_bytes;
  const auto start = std::chrono::steady_clock::now();
  clpool_mem* const mem = take(large);
  EXPECT_GT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(9)) << "it waits";
  EXPECT_EQ(stats().managed_bytes, managed) << "it takes what it left to others when it has waited";
  EXPECT_OK(clpool_mem_release(mem));
  never.open();
}

/// What another thread waited for in vain were its own blocks.
TEST_F(ThreadsThatShareAPool, BlocksOfAThreadAreAwaitedWhateverOthersWaitedForInVain) {
  Gate never(scene.cl.context);
  Gate later(scene.cl.context);
  release_many_behind(later, 20, large);
  // It waits ten times.
  std::thread([&] {
    release_many_behind(never, 20, large);
    for (int i = 0; i < 9; ++i) {
      release_behind(take(large), never);
    }
    EXPECT_OK(clpool_mem_release_idle(take(large)));  // the tenth wait: it is known to stand still
  }).join();
  const auto start = std::chrono::steady_clock::now();
  release_behind(take(large), later);
  EXPECT_GT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(9)) << "it waits";
  later.open();
  never.open();
}

/// Some drivers take their time for an answer.
TEST_F(ThreadsThatShareAPool, AThreadAsksAboutItsOwnBlocksBeforeThoseOfOthers) {
  Gate never(scene.cl.context);
  std::thread([&] { release_many_behind(never, 1000, small); }).join();
  std::uint64_t fewest = 1000;
  for (int turn = 0; turn < 5 && fewest >= 150; ++turn) {  // a look ends early while others have the machine
    std::vector<clpool_mem*> blocks;
    for (int i = 0; i < 40; ++i) {
      blocks.push_back(take(large));
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      release_behind(blocks[i], i < 30 ? never : *ended);
    }
    const std::uint64_t managed = stats().managed_bytes;
    const Questions questions;
    EXPECT_OK(clpool_mem_release(take(large)));
    EXPECT_EQ(stats().managed_bytes, managed);
    fewest = std::min<std::uint64_t>(fewest, questions.count);
  }
  EXPECT_LT(fewest, 150u);
  never.open();
}

/// Of a thread that asks no more.
TEST_F(ThreadsThatShareAPool, AThreadFindsWhatHasEndedOfOthersBeforeItWaits) {
  Gate never(scene.cl.context);
  release_many_behind(never, 20, large);
  std::thread([&] {
    std::vector<clpool_mem*> blocks;
    for (int i = 0; i < 120; ++i) {
      blocks.push_back(take(i < 100 ? small : large));
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      release_behind(blocks[i], i < 100 ? never : *ended);  // far back, and plenty
    }
  }).join();
  const std::uint64_t managed = stats().managed_bytes;
  const Sleeps sleeps;
  EXPECT_OK(clpool_mem_release(take(large)));
  EXPECT_FALSE(sleeps.were_many());
  EXPECT_EQ(stats().managed_bytes, managed);
  never.open();
}

TEST_F(ThreadsThatShareAPool, RequestsAskAboutBlocksOfOtherThreadsInTurn) {
  Gate never(scene.cl.context);
  std::thread([&] { release_many_behind(never, 20, small); }).join();
  std::thread([&] { release_many_behind(*ended, 4, large); }).join();
  std::thread([&] { release_many_behind(never, 20, small); }).join();
  std::vector<clpool_mem*> blocks;
  for (int i = 0; i < 4; ++i) {
    blocks.push_back(take(large));
  }
  EXPECT_LT(stats().pending_bytes, large);
  for (clpool_mem* const block : blocks) {
    EXPECT_OK(clpool_mem_release(block));
  }
  never.open();
}

/// They wait in a line for who has the mutex next.
TEST_F(ThreadsThatShareAPool, ATickTakesInWhatOtherThreadsReleased) {
  const cl_command_queue queue = scene.cl.another_queue();
  std::vector<clpool_mem*> blocks;
  for (int i = 0; i < 4000; ++i) {
    blocks.push_back(take(small));
  }
  std::thread([&] {
    for (clpool_mem* const mem : blocks) {
      EXPECT_OK(clpool_mem_used_on(mem, queue));
      EXPECT_OK(clpool_mem_release(mem));
    }
  }).join();
  for (int i = 0; i < 2; ++i) {  // the first marks the queue, the second finds it through
    EXPECT_OK(clpool_pool_tick(pool.get()));
    stub_run_all();
  }
  EXPECT_OK(clpool_pool_tick(pool.get()));
  EXPECT_EQ(stats().pending_bytes, 0u);
}

/// It has none of its own to wait for, and would else take one more block with each request.
TEST_F(ThreadsThatShareAPool, WhereTwiceTheSlackIsHeldBackAThreadWaitsForALargeBlockOfOthers) {
  constexpr std::size_t more_than_its_share = 20 * large;
  Gate never(scene.cl.context);
  std::vector<clpool_mem*> taken;
  bool is_found = false;
  std::thread([&] { release_many_behind(never, 32, large); }).join();
  // On a busy machine the gate may open too late.
  for (int turn = 0; turn < 5 && !is_found; ++turn) {
    Gate later(scene.cl.context);
    std::thread([&] {
      release_many_behind(never, 5000, small);
      release_many_behind(later, 1, more_than_its_share);
    }).join();
    const std::uint64_t managed = stats().managed_bytes;
    std::thread opens([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      later.open();
    });
    taken.push_back(take(more_than_its_share));
    is_found = stats().managed_bytes == managed;
    opens.join();
    EXPECT_OK(clpool_pool_tick(pool.get()));  // it is free for the other thread in the next turn
  }
  EXPECT_TRUE(is_found) << "behind 5,000 that do not end";
  for (clpool_mem* const mem : taken) {
    EXPECT_OK(clpool_mem_release_idle(mem));
  }
  never.open();
}

/// Nor are queues that another thread's requests waited for in vain taken for stuck.
TEST_F(ThreadsThatShareAPool, QueuesOfAThreadAreAwaitedWhateverOthersWaitedForInVain) {
  Gate gate(scene.cl.context);
  const cl_command_queue first = scene.cl.another_queue();
  const cl_command_queue second = scene.cl.another_queue();
  for (const cl_command_queue queue : {first, second}) {
    EXPECT_EQ(clEnqueueBarrierWithWaitList(queue, 1, gate.list(), nullptr), CL_SUCCESS);
  }
  const auto release_on = [](clpool_mem* mem, cl_command_queue queue) {
    EXPECT_OK(clpool_mem_used_on(mem, queue));
    EXPECT_OK(clpool_mem_release(mem));
  };
  const auto release_many_on = [&](cl_command_queue queue) {
    std::vector<clpool_mem*> blocks;
    for (int i = 0; i < 20; ++i) {
      blocks.push_back(take(large));
    }
    for (clpool_mem* const block : blocks) {
      release_on(block, queue);
    }
  };
  release_many_on(first);
  std::thread([&] {
    release_many_on(second);
    for (int i = 0; i < 12; ++i) {  // it waits ten times
      release_on(take(large), second);
    }
  }).join();
  const auto start = std::chrono::steady_clock::now();
  release_on(take(large), first);
  EXPECT_GT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(9)) << "it waits";
  gate.open();
  clpool_pool_tick(pool.get());  // marks what was released since the last marker
  for (const cl_command_queue queue : {first, second}) {
    EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  }
  clpool_pool_tick(pool.get());
}

/// 20,000 blocks of another that gave up waiting for them, which may be waited for longer by who waits longer.
TEST_F(ThreadsThatShareAPool, AThreadThatWaitsForItsOwnBlocksDoesNotAskAboutAllThatOthersGaveUp) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  GTEST_SKIP() << "what the device gets done depends on the sanitizer";
#endif
  constexpr std::size_t count = 20'000;
  Gate never(scene.cl.context);
  std::thread([&] {
    release_many_behind(never, count, 4 * small);
    for (int i = 0; i < 12; ++i) {
      release_behind(take(large), never);
    }
  }).join();
  Stream stream(std::chrono::milliseconds(1));
  Questions questions;
  for (int i = 0; i < 400; ++i) {
    clpool_mem* const mem = take(large);
    const std::lock_guard lock(stream.mutex);
    release_behind(mem, stream.running.emplace_back(scene.cl.context));
  }
  EXPECT_LT(questions.count, 20 * count);
  stream.stop();
  never.open();
}

}  // namespace
}  // namespace clpool::test
