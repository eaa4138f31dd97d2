// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The mutex that is in line.
#include "base/mutex.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <mutex>
#include <thread>
#include <vector>

namespace clpool::core {
namespace {

double cpu_seconds_of_thread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

TEST(Mutex, IsOneThreadsAtATime) {
  Mutex mutex;
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock());
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST(Mutex, KeepsWhoWaitsAsleepUntilItIsLeft) {
  Mutex mutex;
  mutex.lock();
  std::atomic<bool> has_it{false};
  double cpu_seconds = 0;
  std::thread waiter([&] {
    const double before = cpu_seconds_of_thread();
    mutex.lock();
    cpu_seconds = cpu_seconds_of_thread() - before;
    has_it = true;
    mutex.unlock();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(has_it);
  mutex.unlock();
  waiter.join();
  EXPECT_TRUE(has_it);
  EXPECT_LT(cpu_seconds, 0.05) << "it spun";
}

TEST(Mutex, IsAwaitedAsLongAsSomebodyWaits) {
  Mutex mutex;
  mutex.lock();
  EXPECT_FALSE(mutex.is_awaited());
  mutex.give_way();
  EXPECT_TRUE(mutex.is_taken());
  std::thread waiter([&] {
    mutex.lock();
    mutex.unlock();
  });
  while (!mutex.is_awaited()) {
    std::this_thread::yield();
  }
  mutex.unlock();
  waiter.join();
  EXPECT_FALSE(mutex.is_awaited());
}

TEST(Mutex, ThatGivesWayIsHadByWhoeverSleepsForItWithinAFewTimes) {
  constexpr int rounds = 30;
  constexpr int most = 3000;
  int times = 0;
  for (int round = 0; round < rounds && times < most; ++round) {
    Mutex mutex;
    std::atomic<bool> has_had_it{false};
    mutex.lock();
    std::thread waiter([&] {
      mutex.lock();
      has_had_it = true;
      mutex.unlock();
    });
    while (!mutex.is_awaited()) {
      std::this_thread::yield();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // so that it sleeps
    for (; !has_had_it && times < most; ++times) {
      mutex.give_way();
      EXPECT_TRUE(mutex.is_taken());
    }
    mutex.unlock();
    waiter.join();
  }
  EXPECT_LT(times, most) << "some 30 to 100; on a machine that has others to run, each time may be too short";
}

TEST(ThreadsOnAMutex, TakeItInTurnAndAllOfThemGetIt) {
  constexpr int thread_count = 6;
  constexpr int turns = 20'000;
  Mutex mutex;
  int sum = 0;      // guarded
  int holders = 0;  // guarded
  bool wrong = false;
  std::vector<std::thread> threads;
  threads.reserve(thread_count);
  for (int i = 0; i < thread_count; ++i) {
    threads.emplace_back([&, i] {
      for (int turn = 0; turn < turns; ++turn) {
        if ((turn + i) % 3 == 0) {
          while (!mutex.try_lock()) {
            std::this_thread::yield();
          }
        } else {
          mutex.lock();
        }
        wrong = wrong || ++holders != 1;
        ++sum;
        if (turn % 64 == 0) {
          std::this_thread::yield();  // so that others come and sleep
        }
        --holders;
        mutex.unlock();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_FALSE(wrong);
  EXPECT_EQ(sum, thread_count * turns);
}

TEST(ThreadsOnAMutex, WakeAllThatSleepOneAfterTheOther) {
  constexpr int thread_count = 16;
  for (int round = 0; round < 50; ++round) {
    Mutex mutex;
    int through = 0;  // guarded
    mutex.lock();
    std::vector<std::thread> threads;
    threads.reserve(thread_count);
    for (int i = 0; i < thread_count; ++i) {
      threads.emplace_back([&] {
        const std::lock_guard lock(mutex);
        ++through;
      });
    }
    std::this_thread::yield();
    mutex.unlock();
    for (std::thread& thread : threads) {
      thread.join();  // hangs where one is not woken
    }
    EXPECT_EQ(through, thread_count);
  }
}

}  // namespace
}  // namespace clpool::core
