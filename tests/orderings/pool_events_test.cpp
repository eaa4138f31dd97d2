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

#include "orderings/pool_events.hpp"
#include "support/sleeps.hpp"

namespace clpool::test {
namespace {

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

enum class Speed : std::uint8_t { constant, by_what_is_in_flight };

/// A device that ends an event in each period, or as many as are in flight one after the other, as long as somebody asks.
struct Device {
  explicit Device(std::chrono::microseconds time, Speed speed_ = Speed::constant)
      : period(time), speed(speed_) {}
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
      const std::size_t in_flight = self.speed == Speed::constant ? 1 : self.running.size();
      self.next += self.period / static_cast<int>(in_flight);
      self.running.front().open();
      self.running.pop_front();
    }
  }

  const std::chrono::microseconds period;
  const Speed speed;
  std::deque<Gate> running;
  std::chrono::steady_clock::time_point next;
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
  const auto start = std::chrono::steady_clock::now();
  EXPECT_OK(clpool_mem_release(take(large)));
  const bool was_in_time = std::chrono::steady_clock::now() - start < std::chrono::milliseconds(1);
  EXPECT_LE(questions.count, 190u) << "each look of a wait asks about eight at least";
  if (was_in_time) {  // else its look may have ended before it had asked about all
    EXPECT_LE(stats().pending_bytes, large);
  }
  never.open();
}

/// More than may be held back stands still: what one stream needs comes free at once, and others' blocks are not its business.
TEST_F(PoolOfManyEvents, WhatStandsStillDoesNotHoldUpAStreamThatGetsOn) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  GTEST_SKIP() << "what the device gets done depends on the sanitizer";
#endif
  Gate never(scene.cl.context);
  release_many_behind(never, 64, large);
  constexpr int most_slept = 100;
  int slept = most_slept;
  for (int turn = 0; turn < 4 && slept >= most_slept; ++turn) {  // a busy machine makes the device late
    Device device(std::chrono::microseconds(100));
    slept = 0;
    for (int i = 0; i < 2000; ++i) {
      const Sleeps sleeps;
      clpool_mem* const mem = take(large);
      slept += sleeps.were_many() ? 1 : 0;
      release_behind(mem, device.running.emplace_back(scene.cl.context));
      if (i == 0) {
        device.start();
      }
    }
    for (Gate& gate : device.running) {
      gate.open();
    }
  }
  EXPECT_LT(slept, most_slept);
  EXPECT_LE(stats().peak_managed_bytes, (64 + 40) * large) << "64 MiB beside what stands still";
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

/// All of whose memory is used, and two blocks released, whose event has ended, which nobody knows.
class PoolOfBlocksThatHaveEnded : public PoolOfManyEvents {
 protected:
  static constexpr std::size_t count = 64;
  void use_all() {
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.max_bytes = count * small;
    pool = make_pool(source.get(), options);
    for (std::size_t i = 0; i < count; ++i) {
      blocks.push_back(take(small));
    }
    for (int i = 0; i < 2; ++i) {
      release_behind(blocks.back(), *ended);
      blocks.pop_back();
    }
  }
  void TearDown() override {
    for (clpool_mem* const mem : blocks) {
      EXPECT_OK(clpool_mem_release_idle(mem));
    }
  }
  std::vector<clpool_mem*> blocks;
};

TEST_F(PoolOfBlocksThatHaveEnded, ARequestThatFindsThatKeepsThemForItsThread) {
  use_all();
  blocks.push_back(take(small));
  EXPECT_EQ(stats().cached_bytes, small);
}

TEST_F(PoolOfBlocksThatHaveEnded, NothingIsKeptWhereAllThatIsHeldGoesBackMeanwhile) {
  use_all();
  const Questions asked({}, 1,
                        [&] { std::thread([&] { EXPECT_OK(clpool_pool_free_held(pool.get())); }).join(); });
  blocks.push_back(take(small));
  EXPECT_GE(asked.count, 1U);
  EXPECT_EQ(stats().cached_bytes, 0U);
}

/// A device that gets all that it has done within two milliseconds, however much that is.
TEST_F(PoolOfManyEvents, ADeviceThatGetsMoreDoneWithMoreInFlightHasMore) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  GTEST_SKIP() << "what the device gets done depends on the sanitizer";
#endif
  const std::uint64_t more_than_the_slack = 40 * large;  // and than twice that
  std::uint64_t most = 0;
  for (int turn = 0; turn < 5 && most < more_than_the_slack;
       ++turn) {  // a busy machine makes the device slow, too
    pool = make_pool(source.get());
    std::mutex mutex;
    std::deque<Gate> gates;
    gates.emplace_back(scene.cl.context);
    std::atomic<bool> ends{false};
    std::thread device([&] {
      while (!ends) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        const std::lock_guard<std::mutex> lock(mutex);
        gates.emplace_back(scene.cl.context);
        gates.front().open();
        gates.pop_front();
      }
    });
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(6);
    while (most < more_than_the_slack && std::chrono::steady_clock::now() < end) {
      clpool_mem* const mem = take(large);
      const std::lock_guard<std::mutex> lock(mutex);
      release_behind(mem, gates.front());
      most = stats().peak_managed_bytes;
    }
    ends = true;
    device.join();
    gates.front().open();
  }
  EXPECT_GE(most, more_than_the_slack) << "64 MiB, and little more, if that does not become more";
}

/// … or one after the other, the faster the more there is.
TEST_F(PoolOfManyEvents, ADeviceThatIsFasterWithMoreInFlightHasMore) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  GTEST_SKIP() << "what the device gets done depends on the sanitizer";
#endif
  Device device(std::chrono::milliseconds(32), Speed::by_what_is_in_flight);
  const std::uint64_t more_than_the_slack = 40 * large;  // and than twice that
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (stats().peak_managed_bytes < more_than_the_slack && std::chrono::steady_clock::now() < end) {
    clpool_mem* const mem = take(large);
    release_behind(mem, device.running.emplace_back(scene.cl.context));
    if (device.running.size() == 1) {
      device.start();
    }
  }
  EXPECT_GE(stats().peak_managed_bytes, more_than_the_slack);
  for (Gate& gate : device.running) {
    gate.open();
  }
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
  const AllocatorHandle allocator = immediate_allocator(scene.cl.queue);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.guard = CLPOOL_GUARD_ON;
  pool = make_pool(allocator.get(), options);
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
  std::chrono::nanoseconds waited{0};  // by the clock: a busy machine makes few long waits of many short ones
  int slept = 0;
  for (int i = 0; i < requests; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const Sleeps sleeps;
    release_behind(take(large), never);
    waited += std::chrono::steady_clock::now() - start;
    slept += sleeps.were_many() ? 1 : 0;
  }
  EXPECT_GE(waited, std::chrono::milliseconds(80));
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

/// Drivers take up to 0.1 ms for an answer while several threads ask.
TEST_F(PoolOfManyEvents, ARequestLooksForItsOwnAgainHoweverManyOfOthersHaveEnded) {
  Gate others(scene.cl.context);
  std::thread([&] { release_many_behind(others, 2000, small); }).join();
  clpool_mem* mem = take(17 * large);
  const std::uint64_t before = stats().managed_bytes;
  for (const bool have_ended : {false, true}) {  // the first wait shows that the device gets on
    if (have_ended) {
      others.open();
    }
    Gate own(scene.cl.context);
    release_behind(mem, own);
    const Questions questions(std::chrono::microseconds(100), 20, [&] { own.open(); });
    mem = take(17 * large);
    EXPECT_GE(questions.count, 20u + 1);
    EXPECT_LE(questions.count, 20u + 150) << "a look or two at few";
  }
  EXPECT_EQ(stats().managed_bytes, before);
  EXPECT_OK(clpool_mem_release(mem));
}

/// Where all come free before the first is taken, nothing is left between blocks.
TEST_F(PoolOfManyEvents, ARequestWithoutRoomLooksAtAllThatHaveEndedHoweverMuchHasComeFree) {
  constexpr std::size_t count = 3000;
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.max_bytes = count * small;
  pool = make_pool(source.get(), options);
  Gate others(scene.cl.context);
  std::thread([&] { release_many_behind(others, count, small); }).join();
  others.open();
  const Questions questions(std::chrono::microseconds(100));
  EXPECT_OK(clpool_mem_release(take(300 * small)));  // more than it finds before it waits
  EXPECT_EQ(stats().pending_bytes, 0u);
}

/// What another thread releases comes by a list of its own. For a tenth of a second it is not enough: what comes free behind it
/// leaves less between blocks.
TEST_F(PoolOfManyEvents, ARequestWithoutRoomLooksAtThoseThatDoNotEndUntilSomethingElseHelps) {
  constexpr std::size_t count = 8192;
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.max_bytes = count * small + large;
  pool = make_pool(source.get(), options);
  Gate never(scene.cl.context);
  clpool_mem* fitting = take(large);
  std::thread([&] { release_many_behind(never, count, small); }).join();
  const auto questions_until_helped_at = [&](std::uint64_t number) {
    const Questions questions(std::chrono::microseconds(100), number, [&] {
      std::thread([&] { EXPECT_OK(clpool_mem_release_idle(fitting)); }).join();
    });
    clpool_mem* const taken = take(large);
    fitting = taken;
    return questions.count.load();
  };
  EXPECT_LE(questions_until_helped_at(1000), 1000u + 100);
  std::uint64_t most = 0;
  for (int turn = 0; turn < 5 && most < 400; ++turn) {  // on a busy machine a tenth of a second has few
    most = std::max(most, questions_until_helped_at(250));
  }
  EXPECT_GE(most, 400u);
  EXPECT_OK(clpool_mem_release(fitting));
  never.open();
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
