// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Blocks that threads leave without a lock.
#include "base/arrivals.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace clpool::core {
namespace {

std::size_t count(const Mem* mem) {
  std::size_t result = 0;
  for (; mem != nullptr; mem = mem->next) {
    ++result;
  }
  return result;
}

TEST(Arrivals, AreTakenAllAtOnce) {
  Mem mems[3];
  Arrivals arrivals;
  EXPECT_FALSE(arrivals.any());
  EXPECT_EQ(arrivals.take_all(), nullptr);
  for (Mem& mem : mems) {
    EXPECT_TRUE(arrivals.add(mem));
  }
  EXPECT_TRUE(arrivals.any());
  EXPECT_EQ(count(arrivals.take_all()), 3U);
  EXPECT_FALSE(arrivals.any());
}

TEST(Arrivals, AreRefusedOnceItIsClosed) {
  Mem before;
  Mem after;
  Arrivals arrivals;
  EXPECT_TRUE(arrivals.add(before));
  EXPECT_EQ(arrivals.close(), &before);
  EXPECT_FALSE(arrivals.add(after));
  EXPECT_FALSE(arrivals.any());
  EXPECT_EQ(arrivals.take_all(), nullptr) << "which would open it again";
  EXPECT_FALSE(arrivals.add(after));
}

TEST(Arrivals, OfSeveralThreadsAllComeOnce) {
  constexpr std::size_t threads = 4;
  constexpr std::size_t each = 20'000;
  std::vector<Mem> mems(threads * each);
  Arrivals arrivals;
  std::atomic<std::size_t> working{threads};
  std::vector<std::thread> all;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    all.emplace_back([&, thread] {
      for (std::size_t i = 0; i < each; ++i) {
        EXPECT_TRUE(arrivals.add(mems[thread * each + i]));
      }
      --working;
    });
  }
  std::set<const Mem*> taken;
  std::size_t came = 0;
  for (bool last = false; !last;) {
    last = working == 0;
    for (const Mem* mem = arrivals.take_all(); mem != nullptr; mem = mem->next) {
      taken.insert(mem);
      ++came;
    }
  }
  for (std::thread& thread : all) {
    thread.join();
  }
  EXPECT_EQ(came, mems.size());
  EXPECT_EQ(taken.size(), mems.size());
}

}  // namespace
}  // namespace clpool::core
