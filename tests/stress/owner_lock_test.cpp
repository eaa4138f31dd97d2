// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The lock that costs its owner next to nothing: who has the data has them alone.
#include "base/owner_lock.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <mutex>
#include <thread>
#include <vector>

namespace clpool::core {
namespace {

TEST(OwnerLock, LetsTheOwnerInUntilOthersTakeTheData) {
  OwnerLock::initialize();
  OwnerLock lock;
  OwnerLock::Revocation others_have_it;
  ASSERT_TRUE(lock.try_enter(others_have_it));
  lock.leave();
  others_have_it.revoke();
  lock.wait();
  bool entered = true;
  std::thread owner([&] { entered = lock.try_enter(others_have_it); });
  owner.join();
  EXPECT_FALSE(entered);
  lock.restore();
  others_have_it.end();
  EXPECT_TRUE(lock.try_enter(others_have_it));
  lock.leave();
}

TEST(OwnerLock, KeepsTheOwnersOfAllLocksOfAGroupOutAtOnce) {
  OwnerLock::initialize();
  OwnerLock first;
  OwnerLock second;
  OwnerLock::Revocation others_have_them;
  others_have_them.revoke();
  for (OwnerLock* const lock : {&first, &second}) {
    lock->wait();
  }
  for (OwnerLock* const lock : {&first, &second}) {
    EXPECT_FALSE(lock->try_enter(others_have_them));
  }
  for (OwnerLock* const lock : {&first, &second}) {
    lock->restore();
  }
  others_have_them.end();
  for (OwnerLock* const lock : {&first, &second}) {
    EXPECT_TRUE(lock->try_enter(others_have_them));
    lock->leave();
  }
}

TEST(OwnerLock, TellsThoseThatWereKeptOutOfTheEndOfThat) {
  OwnerLock::initialize();
  OwnerLock::Revocation others_have_it;
  others_have_it.revoke();
  EXPECT_TRUE(others_have_it.is_on());
  EXPECT_FALSE(others_have_it.look_for_end()) << "nobody looks for longer than some microseconds";
  std::thread others([&] { others_have_it.end(); });
  while (!others_have_it.look_for_end()) {
  }
  EXPECT_FALSE(others_have_it.is_on());
  others.join();
}

TEST(OwnerLock, GivesTheDataToOneSideAtATime) {
  OwnerLock::initialize();
  OwnerLock lock;
  OwnerLock::Revocation others_have_it;
  std::mutex others;
  std::uint64_t data = 0;  // written without atomics: the lock is what keeps it whole
  std::uint64_t owners = 0;
  std::uint64_t borrowed = 0;
  std::atomic<bool> stop{false};
  std::thread owner([&] {
    while (!stop) {
      if (lock.try_enter(others_have_it)) {
        ++data;
        ++owners;
        lock.leave();
      }
    }
  });
  std::vector<std::thread> borrowers;
  for (int i = 0; i < 2; ++i) {
    borrowers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        const std::lock_guard serialized(others);
        others_have_it.revoke();
        lock.wait();
        const std::uint64_t before = data;
        std::this_thread::yield();
        EXPECT_EQ(data, before) << "the owner wrote meanwhile";
        ++data;
        ++borrowed;
        lock.restore();
        others_have_it.end();
      }
    });
  }
  for (std::thread& borrower : borrowers) {
    borrower.join();
  }
  stop = true;
  owner.join();
  EXPECT_EQ(data, owners + borrowed);
}

/// Both threads have one processor, which a thread that spins would never leave to the owner.
TEST(OwnerLock, AWaiterOfHigherPriorityLetsTheOwnerRun) {
  OwnerLock::initialize();
  OwnerLock lock;
  OwnerLock::Revocation others_have_it;
  std::atomic<bool> is_inside{false};
  const auto run_on_first_processor = [] {
    cpu_set_t allowed;
    cpu_set_t first;
    CPU_ZERO(&first);
    int processor = 0;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
      while (CPU_ISSET(processor, &allowed) == 0) {
        ++processor;
      }
    }
    CPU_SET(processor, &first);
    return sched_setaffinity(0, sizeof(first), &first) == 0;
  };
  const auto used = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  bool is_allowed = false;
  std::chrono::nanoseconds ran{};
  std::chrono::nanoseconds took{};
  std::thread waiter([&] {
    const sched_param priority{.sched_priority = 1};
    is_allowed =
        run_on_first_processor() && pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority) == 0;
    while (!is_inside) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    const auto start = std::chrono::steady_clock::now();
    const auto before = used();
    others_have_it.revoke();
    lock.wait();
    ran = used() - before;
    took = std::chrono::steady_clock::now() - start;
    lock.restore();
    others_have_it.end();
  });
  std::thread owner([&] {
    run_on_first_processor();
    EXPECT_TRUE(lock.try_enter(others_have_it));
    is_inside = true;
    for (const auto start = used(); used() - start < std::chrono::milliseconds(20);) {
    }
    lock.leave();
  });
  owner.join();
  waiter.join();
  if (!is_allowed) {
    GTEST_SKIP() << "threads of higher priority are not allowed here";
  }
  EXPECT_LT(ran, took * 3 / 4) << "the waiter kept the processor from the owner, who needs 20 ms of it";
}

}  // namespace
}  // namespace clpool::core
