// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A list in the order of arrival, into which something may be put between others.
#include "base/fifo.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace clpool::core {
namespace {

struct Item {
  char name;
  Item* next = nullptr;
};

class FifoOfItems : public testing::Test {
 protected:
  std::string names() {
    std::string all;
    const Item* last = nullptr;
    for (const Item* item = fifo.first; item != nullptr; item = item->next) {
      all += item->name;
      last = item;
    }
    EXPECT_EQ(fifo.last, last);
    EXPECT_EQ(fifo.count, all.size());
    return all;
  }
  std::array<Item, 5> items{{{'a'}, {'b'}, {'c'}, {'d'}, {'e'}}};
  Fifo<Item> fifo;
};

TEST_F(FifoOfItems, TakesItemsBetweenOthers) {
  fifo.insert(items[1], nullptr);
  EXPECT_EQ(names(), "b");
  fifo.insert(items[0], nullptr);
  EXPECT_EQ(names(), "ab");
  fifo.insert(items[3], &items[1]);
  EXPECT_EQ(names(), "abd");
  fifo.insert(items[2], &items[1]);
  EXPECT_EQ(names(), "abcd");
  fifo.add(items[4]);
  EXPECT_EQ(names(), "abcde");
}

}  // namespace
}  // namespace clpool::core
