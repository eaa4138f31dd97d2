// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Lists of released blocks that wait for events.
#include "pool/pending/uses.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace clpool::core {
namespace {

class ListsOfUses : public testing::Test {
 protected:
  Uses& add(std::uint64_t waited_ns) {
    Uses& uses = all[used++];
    uses.waited_ns = waited_ns;
    late.add(uses);
    return uses;
  }
  Uses all[4];
  int used = 0;
  UsesList late;
  UsesList others;
};

TEST_F(ListsOfUses, GiveUpThoseThatWereWaitedForLess) {
  EXPECT_FALSE(late.has_waited_less(UINT64_MAX));
  add(10);
  Uses& little = add(5);
  add(20);
  EXPECT_FALSE(late.has_waited_less(5));
  EXPECT_TRUE(late.has_waited_less(6));
  late.move_waited_less(10, others);
  EXPECT_EQ(others.first, &little);
  EXPECT_EQ(others.count, 1U);
  EXPECT_EQ(late.count, 2U);
  EXPECT_FALSE(late.has_waited_less(10));
  EXPECT_TRUE(late.has_waited_less(11));
  late.move_waited_less(UINT64_MAX, others);
  EXPECT_TRUE(late.empty());
  EXPECT_FALSE(late.has_waited_less(UINT64_MAX));
  EXPECT_EQ(others.count, 3U);
}

TEST_F(ListsOfUses, ThatAreEmptyHaveNoneThatWasWaitedForLess) {
  add(5);
  EXPECT_TRUE(late.has_waited_less(6));
  EXPECT_EQ(late.take(), &all[0]);
  EXPECT_FALSE(late.has_waited_less(UINT64_MAX));
}

TEST_F(ListsOfUses, ThatAnotherIsPutBeforeHaveBothAndWhatWasWaitedForLeast) {
  add(20);
  all[1].waited_ns = 10;
  others.add(all[1]);
  late.add_before(others);
  EXPECT_TRUE(others.empty());
  EXPECT_EQ(late.count, 2U);
  EXPECT_TRUE(late.has_waited_less(11));
  EXPECT_EQ(late.take(), &all[1]);
  EXPECT_EQ(late.take(), &all[0]);
}

TEST_F(ListsOfUses, OfAnAccountAreThereWhicheverHasABlock) {
  for (const auto list : {&EventLists::fresh, &EventLists::asked, &EventLists::late}) {
    EventLists lists;
    EXPECT_FALSE(lists.any());
    EXPECT_FALSE(lists.any_in_time());
    (lists.*list).add(all[0]);
    EXPECT_TRUE(lists.any());
    EXPECT_EQ(lists.any_in_time(), list != &EventLists::late);
  }
}

/// What is in a thread's hands may come free, too.
TEST_F(ListsOfUses, OfAnAccountAreInTimeWhileSomeAreLookedAt) {
  EventLists lists;
  lists.fresh.in_hand = lists.asked.in_hand = 1;
  EXPECT_TRUE(lists.any_in_time());
  lists.fresh.in_hand = 0;
  EXPECT_TRUE(lists.any_in_time());
  lists.fresh.in_hand = std::exchange(lists.asked.in_hand, 0);
  EXPECT_TRUE(lists.any_in_time());
  lists.fresh.in_hand = 0;
  lists.late.in_hand = 1;
  EXPECT_FALSE(lists.any_in_time());
}

/// One that changed behind the list's back shows that nobody looked at it.
TEST_F(ListsOfUses, AreNotWalkedWhereAllWereWaitedForAsLong) {
  add(10);
  Uses& second = add(10);
  second.waited_ns = 0;
  late.move_waited_less(10, others);
  EXPECT_TRUE(others.empty());
}

}  // namespace
}  // namespace clpool::core
