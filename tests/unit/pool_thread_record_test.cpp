// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The numbers of threads, by which pools know whose blocks are held back.
#include "pool/caches/thread_record.hpp"

#include <gtest/gtest.h>

#include <barrier>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace clpool::core {
namespace {

TEST(ThreadRecord, ThreadsThatLiveAtATimeHaveNumbersOfTheirOwnHoweverManyEndedBefore) {
  std::set<std::uint32_t> numbers{ensure_thread_record()->number()};
  for (std::uint32_t i = 0; i + 1 < ThreadRecord::numbers; ++i) {
    std::thread([] { ensure_thread_record(); }).join();
  }
  constexpr std::uint32_t others = ThreadRecord::numbers - 1;
  std::barrier all_are_here(others);
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < others; ++i) {
    threads.emplace_back([&] {
      {
        const std::lock_guard lock(mutex);
        numbers.insert(ensure_thread_record()->number());
      }
      all_are_here.arrive_and_wait();
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(numbers.size(), ThreadRecord::numbers);
}

}  // namespace
}  // namespace clpool::core
