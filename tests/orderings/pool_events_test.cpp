// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Very many blocks that wait for events, of which some have ended and some do not: how far a pool looks for the former,
// and for how long.
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"
#include "support/sleeps.hpp"

namespace clpool::test {
namespace {

constexpr std::size_t small = 1024;     // bytes
constexpr std::size_t large = 1 << 22;  // 4 MiB

/// Questions about events: counted, and each takes a while if a test wants that.
struct Questions {
  const std::chrono::microseconds each;
  std::uint64_t count = 0;

  explicit Questions(std::chrono::microseconds time = {}) : each(time) { stub_set_hook(ask, this); }
  Questions(const Questions&) = delete;
  Questions& operator=(const Questions&) = delete;
  ~Questions() { stub_set_hook(nullptr, nullptr); }
  static void ask(const char* entry_point, void* user) {
    auto& self = *static_cast<Questions*>(user);
    if (std::strcmp(entry_point, "clGetEventInfo") == 0) {
      ++self.count;
      if (self.each.count() != 0) {
        std::this_thread::sleep_for(self.each);
      }
    }
  }
};

/// One thread's first question about an event gets no answer until that is let go.
class HeldUp {
 public:
  HeldUp() { stub_set_hook(ask, this); }
  HeldUp(const HeldUp&) = delete;
  HeldUp& operator=(const HeldUp&) = delete;
  ~HeldUp() { stub_set_hook(nullptr, nullptr); }
  void wait_until_asked() { asked_.get_future().wait(); }
  void let_go() { let_go_.set_value(); }
  static void ask(const char* entry_point, void* user) {
    auto& self = *static_cast<HeldUp*>(user);
    if (std::strcmp(entry_point, "clGetEventInfo") == 0 && !self.has_asked_.exchange(true)) {
      self.asked_.set_value();
      self.let_go_.get_future().wait();
    }
  }

 private:
  std::atomic<bool> has_asked_{false};
  std::promise<void> asked_;
  std::promise<void> let_go_;
};

/// A device that ends an event in each period, as long as somebody asks.
struct Device {
  explicit Device(std::chrono::microseconds time) : period(time) {}
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() { stub_set_hook(nullptr, nullptr); }
  void start() {
    next = std::chrono::steady_clock::now() + period;
    stub_set_hook(ask, this);
  }
  static void ask(const char* entry_point, void* user) {
    auto& self = *static_cast<Device*>(user);
    const auto now = std::chrono::steady_clock::now();
    while (std::strcmp(entry_point, "clGetEventInfo") == 0 && now >= self.next && !self.running.empty()) {
      self.next += self.period;
      self.running.front().open();
      self.running.pop_front();
    }
  }

  const std::chrono::microseconds period;
  std::deque<Gate> running;
  std::chrono::steady_clock::time_point next;
};

/// A stream that ends a command in each period.
struct Stream {
  explicit Stream(std::chrono::milliseconds period)
      : worker([this, period] {
          for (auto next = std::chrono::steady_clock::now(); !is_over; std::this_thread::sleep_until(next)) {
            next += period;
            const std::lock_guard lock(mutex);
            if (!running.empty()) {
              running.front().open();
              running.pop_front();
            }
          }
        }) {}
  /// All of them have ended.
  void stop() {
    is_over = true;
    worker.join();
    for (Gate& gate : running) {
      gate.open();
    }
  }

  std::mutex mutex;
  std::deque<Gate> running;
  std::atomic<bool> is_over{false};
  std::thread worker;
};

class PoolOfManyEvents : public testing::Test {
 protected:
  void SetUp() override {
    source = numbers.allocator();
    pool = make_pool(source.get());
    EXPECT_OK(
        clpool_mem_release_idle(take(small)));  // this thread has an account of its own, before any other
    ended.emplace(scene.cl.context);
    ended->open();
  }

  clpool_mem* take(std::size_t size) {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_pool_allocate(pool.get(), size, &mem));
    return mem;
  }
  static void release_behind(clpool_mem* mem, Gate& gate) {
    EXPECT_OK(clpool_mem_release_after(mem, 1, gate.list()));
    EXPECT_OK(clpool_mem_release(mem));
  }
  /// So many blocks that are handed out at the same time.
  void release_many_behind(Gate& gate, std::size_t count, std::size_t size) {
    std::vector<clpool_mem*> blocks;
    for (std::size_t i = 0; i < count; ++i) {
      blocks.push_back(take(size));
    }
    for (clpool_mem* const mem : blocks) {
      release_behind(mem, gate);
    }
  }
  clpool_pool_stats stats() { return stats_of(pool); }

  Scene scene;
  NumberSource numbers;
  AllocatorHandle source;
  PoolHandle pool;
  std::optional<Gate> ended;
};

TEST_F(PoolOfManyEvents, ThoseThatHaveEndedAreFoundBesideThoseThatNeverDo) {
  Gate never(scene.cl.context);
  for (int i = 0; i < 1000; ++i) {
    release_behind(take(large), *ended);
    release_behind(take(256), never);
  }
  EXPECT_LE(stats().peak_managed_bytes, 3 * large);
  never.open();
}

TEST_F(PoolOfManyEvents, ThoseThatWereWaitedForInVainAreFoundWhenTheyHaveEnded) {
  Gate late(scene.cl.context);
  release_many_behind(late, 3000, small);
  release_many_behind(late, 20, large);  // more than may be held back
  EXPECT_OK(clpool_mem_release(take(large + large / 4)));
  ASSERT_GT(stats().pending_bytes, 20 * large);
  late.open();
  for (std::size_t i = 0; i < 60 && stats().pending_bytes != 0; ++i) {
    EXPECT_OK(clpool_mem_release(take((6 + i) * large / 4)));
  }
  EXPECT_EQ(stats().pending_bytes, 0u);
}

/// As those of a queue with short steps beside one with long steps of very many blocks.
TEST_F(PoolOfManyEvents, ThoseThatHaveEndedAreFoundBehindThousandsThatWereWaitedForInVain) {
  Gate never(scene.cl.context);
  release_many_behind(never, 4000, small);
  for (int i = 0; i < 20; ++i) {
    Gate step(scene.cl.context);
    release_many_behind(step, 2, 16 * large);
    EXPECT_OK(clpool_mem_release(take(17 * large)));  // which waits for all of them in vain
    step.open();
  }
  EXPECT_LE(stats().peak_managed_bytes, 8 * 17 * large) << "and not 20 times";
  never.open();
}

TEST_F(PoolOfManyEvents, LooksThatBringNothingAreNotMadeForEachNewBlock) {
  constexpr std::size_t count = 4000;
  Gate never(scene.cl.context);
  release_many_behind(never, count, small);
  release_many_behind(never, 20, large);
  std::vector<clpool_mem*> living = {take(large)};  // which waits in vain
  const Questions questions;
  for (int i = 0; i < 200; ++i) {
    living.push_back(take(large));
  }
  EXPECT_LT(questions.count, 50 * count);
  for (clpool_mem* const mem : living) {
    EXPECT_OK(clpool_mem_release(mem));
  }
  never.open();
}

TEST_F(PoolOfManyEvents, ARequestWaitsForNoMoreThanItNeeds) {
  Gate never(scene.cl.context);
  std::vector<clpool_mem*> blocks;
  for (int i = 0; i < 80; ++i) {
    blocks.push_back(take(i < 60 ? small : large));
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    release_behind(blocks[i], i < 60 ? never : *ended);  // in passing it asks about the first ones
  }
  const Questions questions;
  EXPECT_OK(clpool_mem_release(take(large)));
  EXPECT_LE(questions.count, 190u) << "each look of a wait asks about eight at least";
  EXPECT_LE(stats().pending_bytes, large);
  never.open();
}

/// More than may be held back stands still: what one stream needs comes free at once, and others' blocks are not its business.
TEST_F(PoolOfManyEvents, WhatStandsStillDoesNotHoldUpAStreamThatGetsOn) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  GTEST_SKIP() << "what the device gets done depends on the sanitizer";
#endif
  Gate never(scene.cl.context);
  release_many_behind(never, 64, large);
  Device device(std::chrono::microseconds(200));
  int slept = 0;
  for (int i = 0; i < 2000; ++i) {
    const Sleeps sleeps;
    clpool_mem* const mem = take(large);
    slept += sleeps.were_many() ? 1 : 0;
    release_behind(mem, device.running.emplace_back(scene.cl.context));
    if (i == 0) {
      device.start();
    }
  }
  EXPECT_LT(slept, 100);
  EXPECT_LE(stats().peak_managed_bytes, (64 + 40) * large) << "64 MiB beside what stands still";
  for (Gate& gate : device.running) {
    gate.open();
  }
  never.open();
}

/// A device that ends a block every 10 ms, for twelve threads: each has its turn by and by, some after more than 0.2 s.
TEST_F(PoolOfManyEvents, SeveralThreadsWaitForTheSameDeviceByTurns) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  GTEST_SKIP() << "what the device gets done depends on the sanitizer";
#endif
  constexpr int requests = 10;
  constexpr int threads = 12;
  Stream stream(std::chrono::milliseconds(10));
  std::vector<std::thread> users;
  for (int i = 0; i < threads; ++i) {
    users.emplace_back([&] {
      for (int j = 0; j < requests; ++j) {
        clpool_mem* const mem = take(4 * large);
        const std::lock_guard lock(stream.mutex);
        release_behind(mem, stream.running.emplace_back(scene.cl.context));
      }
    });
  }
  for (std::thread& user : users) {
    user.join();
  }
  EXPECT_LE(stats().peak_managed_bytes, 130 * large) << "of 480 times that, where each grew after 10 ms";
  stream.stop();
}

/// A device that ends an event each millisecond at most, beside more than may be held back that never ends.
TEST_F(PoolOfManyEvents, ADeviceThatGetsOnIsWaitedForWhateverNeverEnds) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  GTEST_SKIP() << "what the device gets done depends on the sanitizer";
#endif
  Gate never(scene.cl.context);
  release_many_behind(never, 20'000, 4 * small);
  const std::uint64_t stuck = stats().pending_bytes;
  Device device(std::chrono::milliseconds(1));
  for (int i = 0; i < 1000; ++i) {
    clpool_mem* const mem = take(large / 4);
    release_behind(mem, device.running.emplace_back(scene.cl.context));
    if (i == 0) {
      device.start();
    }
  }
  // Whether the device gets more done with more in flight, it tries.
  EXPECT_LE(stats().peak_managed_bytes, stuck + 180 * large);
  for (Gate& gate : device.running) {
    gate.open();
  }
  never.open();
}

/// A device that ends a block each millisecond, of which one in 21 has 16 MiB: that is more than comes free while its request
/// waits.
TEST_F(PoolOfManyEvents, ADeviceThatGetsOnIsWaitedForByLargeRequestsToo) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  GTEST_SKIP() << "what the device gets done depends on the sanitizer";
#endif
  Device device(std::chrono::milliseconds(1));
  for (int i = 0; i < 900; ++i) {
    clpool_mem* const mem = take(i % 21 == 0 ? 4 * large : large / 4);
    release_behind(mem, device.running.emplace_back(scene.cl.context));
    if (i == 0) {
      device.start();
    }
  }
  EXPECT_LE(stats().peak_managed_bytes, 128 * large) << "of 386 times that, or more";
  for (Gate& gate : device.running) {
    gate.open();
  }
}

/// A device that rests for longer than requests wait, now and then.
TEST_F(PoolOfManyEvents, ADeviceThatStoodStillForAMomentIsWaitedForAfterThat) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  GTEST_SKIP() << "what the device gets done depends on the sanitizer";
#endif
  Device device(std::chrono::microseconds(100));
  for (int i = 0; i < 4000; ++i) {
    clpool_mem* const mem = take(large / 4);
    release_behind(mem, device.running.emplace_back(scene.cl.context));
    if (i == 0) {
      device.start();
    }
    if (i % 1000 == 500) {
      device.next += std::chrono::milliseconds(40);
    }
  }
  EXPECT_LE(stats().peak_managed_bytes, 64 * large) << "64 MiB, and some for each rest";
  for (Gate& gate : device.running) {
    gate.open();
  }
}

/// What has ended rests, and is not free yet.
TEST_F(PoolOfManyEvents, ADeviceThatGetsOnIsWaitedForByGuardedPoolsToo) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  GTEST_SKIP() << "what the device gets done depends on the sanitizer";
#endif
  stub_configure("mode=worker");
  clpool_allocator* made = nullptr;
  ASSERT_OK(clpool_allocator_create_immediate(scene.cl.queue, 0, &made));
  const AllocatorHandle allocator(made);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.guard = CLPOOL_GUARD_ON;
  pool = make_pool(made, options);
  Device device(std::chrono::microseconds(4000));
  for (int i = 0; i < 350; ++i) {
    clpool_mem* const mem = take(large);
    release_behind(mem, device.running.emplace_back(scene.cl.context));
    if (i == 0) {
      device.start();
    }
  }
  EXPECT_LE(stats().peak_managed_bytes, 60 * large) << "64 MiB, and 32 MiB that rest";
  for (Gate& gate : device.running) {
    gate.open();
  }
  for (int i = 0; i < 1000 && stats().pending_bytes != 0; ++i) {
    EXPECT_OK(clpool_pool_tick(pool.get()));
  }
  pool.reset();
}

/// Each wait of 10 ms, until the device has not got on for 100 ms; from then on few.
TEST_F(PoolOfManyEvents, ADeviceThatDoesNotGetOnIsNotWaitedForByEachRequest) {
  constexpr int requests = 60;
  Gate never(scene.cl.context);
  release_many_behind(never, 20, large);
  int waited = 0;
  int slept = 0;
  for (int i = 0; i < requests; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const Sleeps sleeps;
    release_behind(take(large), never);
    waited += std::chrono::steady_clock::now() - start > std::chrono::milliseconds(9) ? 1 : 0;
    slept += sleeps.were_many() ? 1 : 0;
  }
  EXPECT_GE(waited, 8);
  EXPECT_LT(slept, requests / 2);
  never.open();
}

/// A pause is for another 64 MiB: nobody would see else whether the device gets on.
TEST_F(PoolOfManyEvents, ADeviceThatDoesNotGetOnIsLookedAtAgainWheneverAsMuchMoreIsHeldBack) {
  Gate never(scene.cl.context);
  release_many_behind(never, 20, large);
  for (int i = 0; i < 12; ++i) {
    release_behind(take(large), never);  // waits, until it is known to stand still
  }
  int waited = 0;
  for (int i = 0; i < 160; ++i) {
    const auto start = std::chrono::steady_clock::now();
    release_behind(take(large), never);
    waited += std::chrono::steady_clock::now() - start > std::chrono::milliseconds(9) ? 1 : 0;
  }
  EXPECT_GE(waited, 7) << "640 MiB";
  never.open();
}

/// In its first look: that another block comes free, of which the device knows nothing.
TEST_F(PoolOfManyEvents, AWaitEndsWhenAnotherThreadReleasesWhatIsNeeded) {
  Gate never(scene.cl.context);
  clpool_mem* const other = take(2 * large);
  release_many_behind(never, 20, large);
  static std::atomic<clpool_mem*> to_release;
  to_release = other;
  stub_set_hook(
      [](const char* entry_point, void*) {
        if (std::strcmp(entry_point, "clGetEventInfo") == 0) {
          if (clpool_mem* const mem = to_release.exchange(nullptr); mem != nullptr) {
            std::thread([mem] { EXPECT_OK(clpool_mem_release_idle(mem)); }).join();
          }
        }
      },
      nullptr);
  const std::uint64_t managed = stats().managed_bytes;
  const Sleeps sleeps;
  clpool_mem* const mem = take(2 * large);
  EXPECT_FALSE(sleeps.were_many());
  stub_set_hook(nullptr, nullptr);
  EXPECT_EQ(to_release, nullptr);
  EXPECT_EQ(stats().managed_bytes, managed);
  EXPECT_OK(clpool_mem_release(mem));
  never.open();
}

/// Each thread's blocks come free by and by, behind those of the other: the stream gets on.
TEST_F(PoolOfManyEvents, ThreadsThatShareAStreamDoNotTakeItForOneThatStandsStill) {
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
TEST_F(PoolOfManyEvents, AThreadWaitsForItsOwnStreamAndGivesUpItAlone) {
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

/// Blocks of the one are free, but not enough of them that the other, which has its share, could take some at once.
TEST_F(PoolOfManyEvents, AThreadThatHasItsShareWaitsForItsOwnBlocks) {
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
TEST_F(PoolOfManyEvents, BlocksOfAThreadAreAwaitedWhateverOthersWaitedForInVain) {
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
TEST_F(PoolOfManyEvents, AThreadAsksAboutItsOwnBlocksBeforeThoseOfOthers) {
  Gate never(scene.cl.context);
  std::thread([&] { release_many_behind(never, 1000, small); }).join();
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
  EXPECT_LT(questions.count, 150u);
  EXPECT_EQ(stats().managed_bytes, managed);
  never.open();
}

/// Of a thread that asks no more.
TEST_F(PoolOfManyEvents, AThreadFindsWhatHasEndedOfOthersBeforeItWaits) {
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

TEST_F(PoolOfManyEvents, RequestsAskAboutBlocksOfOtherThreadsInTurn) {
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

/// Nor are queues that another thread's requests waited for in vain taken for stuck.
TEST_F(PoolOfManyEvents, QueuesOfAThreadAreAwaitedWhateverOthersWaitedForInVain) {
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
TEST_F(PoolOfManyEvents, AThreadThatWaitsForItsOwnBlocksDoesNotAskAboutAllThatOthersGaveUp) {
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

/// What ends beside that is less than is needed, however much of it there is.
TEST_F(PoolOfManyEvents, WaitsThatBringLessThanIsNeededAreNotMadeForEachNewBlock) {
  constexpr int requests = 40;
  std::vector<clpool_mem*> short_ones;
  for (int i = 0; i < 1000; ++i) {
    short_ones.push_back(take(small));
  }
  Gate never(scene.cl.context);
  release_many_behind(never, 20, large);
  Device device(std::chrono::microseconds(300));
  for (clpool_mem* const mem : short_ones) {
    release_behind(mem, device.running.emplace_back(scene.cl.context));
  }
  device.start();
  int waited = 0;
  std::vector<clpool_mem*> living;
  for (int i = 0; i < requests; ++i) {
    std::this_thread::sleep_for(device.period);  // one ends
    const Sleeps sleeps;
    living.push_back(take(large));
    waited += sleeps.were_many() ? 1 : 0;
  }
  EXPECT_LT(waited, requests / 4);
  for (clpool_mem* const mem : living) {
    EXPECT_OK(clpool_mem_release(mem));
  }
  for (Gate& gate : device.running) {
    gate.open();
  }
  never.open();
}

/// Who asks has taken them off all lists meanwhile.
TEST_F(PoolOfManyEvents, ThoseThatAnotherThreadAsksAboutAreWaitedFor) {
  release_many_behind(*ended, 20, large);
  HeldUp question;
  std::thread other([&] { EXPECT_OK(clpool_pool_tick(pool.get())); });
  question.wait_until_asked();
  const auto start = std::chrono::steady_clock::now();
  clpool_mem* const mem = take(large);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(9))
      << "before the pool grows";
  question.let_go();
  other.join();
  EXPECT_OK(clpool_mem_release(mem));
}

/// A look that has no time for all goes on where the one before ended.
TEST_F(PoolOfManyEvents, LooksThatAreCutShortComeToAllOfThem) {
  constexpr std::size_t count = 200;
  std::vector<clpool_mem*> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    blocks.push_back(take(small));
  }
  Gate never(scene.cl.context);
  Gate last(scene.cl.context);
  for (std::size_t i = 0; i < count; ++i) {
    release_behind(blocks[i], i == count - 1 ? last : never);
  }
  const Questions questions(std::chrono::microseconds(50));  // some 20 of them are a look
  for (int i = 0; i < 40; ++i) {
    EXPECT_OK(clpool_pool_tick(pool.get()));
  }
  last.open();
  const std::uint64_t pending = stats().pending_bytes;
  for (int i = 0; i < 60 && stats().pending_bytes == pending; ++i) {
    EXPECT_OK(clpool_pool_tick(pool.get()));
  }
  EXPECT_EQ(stats().pending_bytes, pending - small);
  never.open();
}

TEST_F(PoolOfManyEvents, ARequestAtTheLimitFindsTheOneThatHasEndedHoweverShortItMayWait) {
  constexpr std::size_t count = 3000;
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.max_bytes = count * small;
  options.wait_ns = 1000;
  pool = make_pool(source.get(), options);
  Gate never(scene.cl.context);
  std::vector<clpool_mem*> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    blocks.push_back(take(small));
  }
  for (std::size_t i = 0; i < count; ++i) {
    release_behind(blocks[i], i == count * 3 / 4 ? *ended : never);
  }
  {
    const Questions questions(std::chrono::microseconds(10));
    EXPECT_OK(clpool_mem_release(take(small)));
  }
  never.open();
  for (int i = 0; i < 1000 && stats().pending_bytes != 0; ++i) {  // its end would not wait for that
    EXPECT_OK(clpool_pool_tick(pool.get()));
  }
  EXPECT_EQ(stats().pending_bytes, 0U);
}

/// A tick does not wait, who gives back waits 2 ms, and who takes more waits 10 ms: however many there are, and however
/// long the driver takes for an answer.
TEST_F(PoolOfManyEvents, LooksAtThoseThatDoNotEndHaveABound) {
  constexpr std::uint64_t at_a_time = 512;
  Gate never(scene.cl.context);
  release_many_behind(never, 8 * at_a_time, small);
  EXPECT_OK(clpool_mem_release(take(17 * large)));
  const Questions questions(std::chrono::microseconds(25));  // so that asking about so many takes longer
  EXPECT_OK(clpool_pool_tick(pool.get()));
  EXPECT_LE(questions.count, 2 * at_a_time);
  const std::uint64_t before = questions.count;
  EXPECT_OK(clpool_pool_trim(pool.get(), 0));
  EXPECT_LE(questions.count - before, 5 * at_a_time);
  never.open();
}

/// However many events one block waits for.
TEST_F(PoolOfManyEvents, ALookAtABlockWithVeryManyHasABound) {
  constexpr std::uint32_t count = 4000;
  clpool_mem* const mem = take(small);
  Gate gate(scene.cl.context);
  const std::vector<cl_event> events(count, gate.get());
  EXPECT_OK(clpool_mem_release_after(mem, count, events.data()));
  EXPECT_OK(clpool_mem_release(mem));
  gate.open();
  const Questions questions(std::chrono::microseconds(25));
  EXPECT_OK(clpool_pool_tick(pool.get()));
  EXPECT_LE(questions.count, 100u) << "a millisecond";
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  EXPECT_LT(questions.count, count);
}

}  // namespace
}  // namespace clpool::test
