// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Threads that share a pool which may take no more: who waits for whom, who stands in line, and what is left to the first one.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "orderings/pool_events.hpp"
#include "support/sleeps.hpp"

namespace clpool::test {
namespace {

class ThreadsOfAFullPool : public PoolOfManyEvents {};

/// Before it waits without an end it lets things settle: what others release then is for it, not for their caches.
TEST_F(ThreadsOfAFullPool, WhatIsReleasedBesideARequestWithoutRoomIsNotCached) {
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
TEST_F(ThreadsOfAFullPool, WhatIsReleasedAfterARequestThatHadNoRoomIsCached) {
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
class ThreadsOfWhichOneStandsInLine : public ThreadsOfAFullPool {
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
    ThreadsOfAFullPool::TearDown();
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
TEST_F(ThreadsOfAFullPool, WhoTriesWithinACallbackLeavesNothingToTheRequestThatAsks) {
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

/// It has none of its own to wait for, but nothing else to do either than to ask its user for memory.
TEST_F(ThreadsOfAFullPool, WhereThereIsNoRoomAThreadWaitsForTheBlocksOfOthers) {
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
TEST_F(ThreadsOfAFullPool, WhereThereIsNoRoomAThreadWaitsAMomentForABlockThatAnotherUses) {
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

TEST_F(ThreadsOfAFullPool, WhereNothingCameFreeSinceItBeganARequestFailsAtOnce) {
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
TEST_F(ThreadsOfAFullPool, WhereThereIsNoRoomARequestForALargeBlockComesBeforeSmallOnes) {
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

}  // namespace
}  // namespace clpool::test
