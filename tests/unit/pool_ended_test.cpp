// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The list of pools that have ended and still have memory.
#include "pool/ended_pools.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace clpool::core {
namespace {

class ListOfEndedPools : public testing::Test {
 protected:
  static constexpr std::uint64_t wait_ns = 1000;

  /// What another thread finds.
  template <typename Question>
  static auto elsewhere(Question&& question) {
    decltype(question()) answer{};
    std::thread([&] { answer = question(); }).join();
    return answer;
  }
  bool remain_for(const std::vector<const void*>& sources) { return pools.remain_for(sources, wait_ns); }

  const int device = 0;
  const int other_device = 0;
  const std::vector<const void*> here{&device};
  const std::vector<const void*> there{&other_device};
  const std::vector<const void*> both{&device, &other_device};
  EndedPool first{nullptr, here};
  EndedPool second{nullptr, both};
  EndedPools pools;
};

TEST_F(ListOfEndedPools, IsLookedThroughByOneThreadEach) {
  EXPECT_EQ(pools.take(), nullptr);
  pools.enter(first, 1);
  pools.enter(second, 2);
  EXPECT_EQ(pools.count(), 2U);
  EXPECT_EQ(pools.take(), nullptr) << "the thread that ends them looks at both";
  EXPECT_EQ(pools.nested(), 2);
  EXPECT_FALSE(pools.others_look());
  EXPECT_TRUE(elsewhere([&] { return pools.others_look(); }));
  EXPECT_EQ(elsewhere([&] { return pools.nested(); }), 0);
  pools.put_back(first);
  pools.put_back(second);
  EXPECT_EQ(pools.nested(), 0);
  EXPECT_FALSE(elsewhere([&] { return pools.others_look(); }));
}

TEST_F(ListOfEndedPools, LooksAtOthersFirstTheNextTime) {
  for (EndedPool* ended : {&first, &second}) {
    pools.enter(*ended, 1);
    pools.put_back(*ended);
  }
  EXPECT_EQ(pools.take(), &first);
  pools.put_back(first);
  EXPECT_EQ(pools.take(), &second);
  EXPECT_EQ(pools.take(), &first);
  EXPECT_EQ(pools.take(), nullptr);
}

TEST_F(ListOfEndedPools, ForgetsThoseThatLeave) {
  pools.enter(first, 1);
  pools.enter(second, 1);
  pools.leave(second);  // the last one
  EXPECT_EQ(pools.count(), 1U);
  pools.enter(second, 1);
  pools.leave(first);
  pools.put_back(second);
  EXPECT_EQ(pools.take(), &second);
  pools.leave(second);
  EXPECT_EQ(pools.count(), 0U);
  pools.put_back(second);  // as in a child of fork(), which has none of the parent's
  EXPECT_EQ(pools.count(), 0U);
  EXPECT_EQ(pools.take(), nullptr);
}

TEST_F(ListOfEndedPools, RemainForRequestsOfTheSameDevice) {
  pools.enter(first, 1);
  EXPECT_FALSE(remain_for(here)) << "this thread ends it, and would wait for itself";
  EXPECT_TRUE(elsewhere([&] { return remain_for(here); }));
  pools.put_back(first);
  EXPECT_TRUE(remain_for(here));
  EXPECT_TRUE(remain_for(both));
  EXPECT_FALSE(remain_for(there));
}

TEST_F(ListOfEndedPools, AreNotWaitedForAgainThatWereWaitedForInVain) {
  pools.enter(first, 100);
  pools.put_back(first);
  pools.note_late(there, 100, 100 + wait_ns);
  EXPECT_TRUE(remain_for(here)) << "waited for by a request that it would not have helped";
  pools.note_late(here, 99, 99 + wait_ns);
  EXPECT_TRUE(remain_for(here)) << "it came while somebody waited already";
  pools.note_late(here, 100, 100 + wait_ns - 1);
  EXPECT_TRUE(remain_for(here)) << "not as long";
  pools.note_late(here, 100, 100 + wait_ns);
  EXPECT_FALSE(remain_for(here));
}

}  // namespace
}  // namespace clpool::core
