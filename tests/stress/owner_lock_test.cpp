// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The lock that costs its owner next to nothing: who has the data has them alone.
#include "base/owner_lock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace clpool::core {
namespace {

TEST(OwnerLock, LetsTheOwnerInUntilOthersTakeTheData) {
  OwnerLock::initialize();
  OwnerLock lock;
  ASSERT_TRUE(lock.try_enter());
  lock.leave();
  lock.revoke();
  OwnerLock::barrier();
  lock.wait();
  bool entered = true;
  std::thread owner([&] { entered = lock.try_enter(); });
  owner.join();
  EXPECT_FALSE(entered);
  lock.restore();
  EXPECT_TRUE(lock.try_enter());
  lock.leave();
}

TEST(OwnerLock, GivesTheDataToOneSideAtATime) {
  OwnerLock::initialize();
  OwnerLock lock;
  std::mutex others;
  std::uint64_t data = 0;  // written without atomics: the lock is what keeps it whole
  std::uint64_t owners = 0;
  std::uint64_t borrowed = 0;
  std::atomic<bool> stop{false};
  std::thread owner([&] {
    while (!stop) {
      if (lock.try_enter()) {
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
        lock.revoke();
        OwnerLock::barrier();
        lock.wait();
        const std::uint64_t before = data;
        std::this_thread::yield();
        EXPECT_EQ(data, before) << "the owner wrote meanwhile";
        ++data;
        ++borrowed;
        lock.restore();
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

}  // namespace
}  // namespace clpool::core
