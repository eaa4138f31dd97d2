// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Threads that share a pool, each with blocks that its own stream still uses: whose blocks a request waits for and asks about,
// and who gives up.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
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

/// Before it waits without an end it lets things settle: what others release then is for it, not for their caches.
TEST_F(ThreadsThatShareAPool, WhatIsReleasedBesideARequestWithoutRoomIsNotCached) {
  constexpr std::size_t size = 256 << 10;  // which a cache holds alone, if it comes again
  constexpr std::size_t count = 32;
  constexpr int rounds = 20;
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.max_bytes = count * size;
  pool = make_pool(source.get(), options);
  int not_cached = 0;
  for (int round = 0; round < rounds; ++round) {
    Gate gate(scene.cl.context);
    release_many_behind(gate, count - 1, size);
    clpool_mem* const last = take(size);
    const std::uint64_t looks = stub_calls("clGetEventInfo");
    std::thread waiter([&] { EXPECT_OK(clpool_mem_release_idle(take(size))); });
    while (stub_calls("clGetEventInfo") < looks + 2 * count) {
      std::this_thread::yield();
    }
    EXPECT_OK(clpool_mem_release_idle(last));
    not_cached += stats().cached_bytes == 0 ? 1 : 0;
    gate.open();
    waiter.join();
    EXPECT_OK(clpool_pool_tick(pool.get()));
  }
  EXPECT_GE(not_cached, rounds / 2) << "of 20: none, if it were cached";
}

/// … and caches keep what is released after it.
TEST_F(ThreadsThatShareAPool, WhatIsReleasedAfterARequestThatHadNoRoomIsCached) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.max_bytes = 2 * large;
  options.wait_ns = UINT64_MAX;
  pool = make_pool(source.get(), options);
  clpool_mem* const mem = take(small);
  struct {
    clpool_pool* pool;
    Gate gate;
    int questions = 0;
    // Others come by as often as it takes for the limits of caches to be shared out anew: none may hold anything.
    void let_others_come_by() {
      std::thread([&] {
        for (int i = 0; i < 300; ++i) {
          clpool_mem* none = nullptr;
          EXPECT_EQ(clpool_pool_try_allocate(pool, large, &none), CLPOOL_ERROR_WOULD_BLOCK);
        }
      }).join();
      if (++questions == 3) {
        gate.open();
      }
    }
  } waits{pool.get(), Gate(scene.cl.context)};
  std::thread([&] {
    release_many_behind(waits.gate, 1, large);
    stub_set_hook(
        [](const char* entry_point, void* user) {
          if (std::strcmp(entry_point, "clGetEventInfo") == 0) {
            static_cast<decltype(waits)*>(user)->let_others_come_by();
          }
        },
        &waits);
    EXPECT_OK(clpool_mem_release_idle(take(large)));
    stub_set_hook(nullptr, nullptr);
  }).join();
  EXPECT_GE(waits.questions, 3);
  EXPECT_OK(clpool_mem_release_idle(mem));
  EXPECT_EQ(stats().cached_bytes, small);
}

/// A pool that may take no more; of its eight blocks two are free, and six held back by who used them.
class ThreadsOfWhichOneStandsInLine : public ThreadsThatShareAPool {
 protected:
  void begin_pool() {
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.max_bytes = 8 * large;
    pool = make_pool(source.get(), options);
  }
  void use_most_and_let_another_wait() {
    std::vector<clpool_mem*> blocks;
    for (int i = 0; i < 8; ++i) {
      blocks.push_back(take(large));
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (i % 4 == 0) {
        EXPECT_OK(clpool_mem_release_idle(blocks[i]));
      } else {
        release_behind(blocks[i], never);
      }
    }
    waiter = std::thread([this] { EXPECT_OK(clpool_mem_release_idle(take(3 * large))); });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // until it stands there
  }
  bool tries() {
    clpool_mem* mem = nullptr;
    const bool served = clpool_pool_try_allocate(pool.get(), large / 4, &mem) == CLPOOL_SUCCESS;
    EXPECT_OK(clpool_mem_release_idle(mem));
    return served;
  }
  void TearDown() override {
    never.open();
    waiter.join();
    ThreadsThatShareAPool::TearDown();
  }
  Gate never{scene.cl.context};
  std::thread waiter;
};

/// The pool's part that the one who tries has used is held back.
TEST_F(ThreadsOfWhichOneStandsInLine, WhoTriesWithoutWaitingLeavesWhatIsFreeToTheFirstInLine) {
  begin_pool();
  int served = 0;
  std::thread([&] {
    EXPECT_OK(clpool_mem_release_idle(take(8 * large)));  // in one chunk
    use_most_and_let_another_wait();
    for (int i = 0; i < 50; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
      served += tries() ? 1 : 0;
    }
  }).join();
  EXPECT_LE(served, 25) << "of fifty: none, once it stands there";
}

/// … but not once its own stream stands still, as then a request would not wait for that one either.
TEST_F(ThreadsOfWhichOneStandsInLine, WhoTriesWithoutWaitingTakesWhatARequestWouldTake) {
  begin_pool();
  int served = 0;
  std::thread([&] {
    use_most_and_let_another_wait();
    for (int i = 0; i < 20; ++i) {  // each waits in vain, and then takes it
      EXPECT_OK(clpool_mem_release_idle(take(large / 4)));
    }
    // The other has the mutex at times, and may have to wait for a processor then.
    for (int i = 0; i < 2000 && served < 25; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
      served += tries() ? 1 : 0;
    }
  }).join();
  EXPECT_EQ(served, 25) << "none, if it went on leaving that";
}

/// The thread itself stands in line, as it is asked for memory for its own request.
TEST_F(ThreadsThatShareAPool, WhoTriesWithinACallbackLeavesNothingToTheRequestThatAsks) {
  struct Asked {
    clpool_pool* pool = nullptr;
    cl_event never = nullptr;
    clpool_mem* spare = nullptr;
    clpool_mem* used = nullptr;
    clpool_status tried = CLPOOL_ERROR_OUT_OF_MEMORY;
  } asked;
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  callbacks.out_of_memory = [](void* user, std::uint64_t, std::uint32_t) {
    auto& self = *static_cast<Asked*>(user);
    EXPECT_OK(clpool_mem_release_idle(self.spare));
    EXPECT_OK(clpool_mem_release_after(self.used, 1, &self.never));  // which nobody has waited for yet
    EXPECT_OK(clpool_mem_release(self.used));
    clpool_mem* mem = nullptr;
    self.tried = clpool_pool_try_allocate(self.pool, large / 4, &mem);
    if (mem != nullptr) {
      EXPECT_OK(clpool_mem_release_idle(mem));
    }
    return 0;
  };
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.max_bytes = 8 * large;
  options.wait_ns = 10'000'000;
  options.callbacks = &callbacks;
  options.user = &asked;
  pool = make_pool(source.get(), options);
  asked.pool = pool.get();
  Gate never(scene.cl.context);
  std::vector<clpool_mem*> blocks;
  for (int i = 0; i < 5; ++i) {
    blocks.push_back(take(large));
  }
  asked.spare = take(2 * large);
  asked.used = take(large);
  asked.never = never.get();
  for (clpool_mem* const block : blocks) {
    release_behind(block, never);
  }
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(pool.get(), 4 * large, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(asked.tried, CLPOOL_SUCCESS);
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

/// It has none of its own to wait for, but nothing else to do either than to ask its user for memory.
TEST_F(ThreadsThatShareAPool, WhereThereIsNoRoomAThreadWaitsForTheBlocksOfOthers) {
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  callbacks.collect = [](void* user) { ++*static_cast<int*>(user); };
  int collected = 0;
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.max_bytes = 16 * large;
  options.callbacks = &callbacks;
  options.user = &collected;
  pool = make_pool(source.get(), options);
  bool is_found = false;
  for (int turn = 0; turn < 5 && !is_found; ++turn) {  // on a busy machine the gate may open too late
    collected = 0;
    Gate later(scene.cl.context);
    std::thread([&] { release_many_behind(later, 1, 10 * large); }).join();
    std::thread opens([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      later.open();
    });
    EXPECT_OK(clpool_mem_release_idle(take(10 * large)));
    opens.join();
    is_found = collected == 0;
    EXPECT_OK(clpool_pool_trim(pool.get(), 0));
  }
  EXPECT_TRUE(is_found);
  pool.reset();
}

/// Nothing is on its way then: the other one has it for a moment, before its next command.
TEST_F(ThreadsThatShareAPool, WhereThereIsNoRoomAThreadWaitsAMomentForABlockThatAnotherUses) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.max_bytes = 16 * large;
  pool = make_pool(source.get(), options);
  bool is_found = false;
  for (int turn = 0; turn < 5 && !is_found; ++turn) {  // on a busy machine the other may come too late
    Gate later(scene.cl.context);
    Gate last(scene.cl.context);
    clpool_mem* used = nullptr;
    std::thread([&] {
      used = take(large);
      release_many_behind(later, 1, 10 * large);
    }).join();
    std::thread opens([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      later.open();
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      release_behind(used, last);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));  // then something is on its way
      last.open();
    });
    clpool_mem* all = nullptr;
    is_found = clpool_pool_allocate(pool.get(), 16 * large, &all) == CLPOOL_SUCCESS;
    opens.join();
    if (is_found) {
      EXPECT_OK(clpool_mem_release_idle(all));
    }
    EXPECT_OK(clpool_pool_trim(pool.get(), 0));
  }
  EXPECT_TRUE(is_found);
}

TEST_F(ThreadsThatShareAPool, WhereNothingCameFreeSinceItBeganARequestFailsAtOnce) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.max_bytes = 16 * large;
  pool = make_pool(source.get(), options);
  clpool_mem* used = nullptr;
  std::thread([&] {
    used = take(large);
    release_many_behind(*ended, 1, 10 * large);
  }).join();
  EXPECT_OK(clpool_mem_release_idle(take(10 * large)));
  const Sleeps sleeps;
  clpool_mem* all = nullptr;
  EXPECT_EQ(clpool_pool_allocate(pool.get(), 16 * large, &all), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_FALSE(sleeps.were_many());
  EXPECT_OK(clpool_mem_release_idle(used));
}

/// It would never get one as long as others take each part that comes free.
TEST_F(ThreadsThatShareAPool, WhereThereIsNoRoomARequestForALargeBlockComesBeforeSmallOnes) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.max_bytes = 16 * large;
  pool = make_pool(source.get(), options);
  EXPECT_OK(clpool_mem_release_idle(take(16 * large)));
  Gate never(scene.cl.context);
  Gate first(scene.cl.context);
  Gate second(scene.cl.context);
  Gate rest(scene.cl.context);
  Gate other(scene.cl.context);
  std::vector<clpool_mem*> blocks;
  for (int i = 0; i < 16; ++i) {
    blocks.push_back(take(large));
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    release_behind(blocks[i], i == 0 ? first : i == 1 ? second : i < 4 ? rest : i == 8 ? other : never);
  }
  std::atomic<clpool_mem*> got{nullptr};
  const Questions questions;
  std::thread waits([&] { got = take(4 * large); });
  while (questions.count < 200) {  // it waits, asking again and again
    std::this_thread::yield();
  }
  first.open();
  std::thread opens([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    second.open();
  });
  const auto start = std::chrono::steady_clock::now();
  clpool_mem* const small_one = take(small);
  EXPECT_GT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(9))
      << "it waits, also when as much as it needs has come free";
  EXPECT_EQ(got, nullptr);
  EXPECT_OK(clpool_mem_release_idle(small_one));
  opens.join();
  rest.open();
  waits.join();
  other.open();
  const Sleeps sleeps;
  clpool_mem* const next = take(large);
  EXPECT_FALSE(sleeps.were_many()) << "nobody stands in line any more";
  EXPECT_OK(clpool_mem_release_idle(next));
  EXPECT_OK(clpool_mem_release_idle(got));
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
