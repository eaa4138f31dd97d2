// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Flags whose storage outlives their owners.
#include "base/lasting_flag.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <set>

namespace clpool::core {
namespace {

TEST(LastingFlag, IsSharedByNoTwoOwnersInWhateverOrderTheyComeAndGo) {
  std::optional<LastingFlag> flags[4];
  // Each turn another one goes, and comes back after the one that goes next.
  for (int turn = 0; turn < 40; ++turn) {
    for (std::optional<LastingFlag>& flag : flags) {
      if (!flag) {
        flag.emplace();
      }
    }
    std::set<const std::atomic<bool>*> storages;
    for (const std::optional<LastingFlag>& flag : flags) {
      EXPECT_TRUE(storages.insert(&flag->get()).second) << turn;
    }
    for (int i = 0; i < 4; ++i) {
      if ((turn * 7 % 15 + 1) >> i & 1) {
        flags[(i + turn) % 4].reset();
      }
    }
  }
}

TEST(LastingFlag, StorageIsUsedAgain) {
  std::set<const std::atomic<bool>*> storages;
  for (int turn = 0; turn < 1000; ++turn) {
    const LastingFlag flags[3];
    for (const LastingFlag& flag : flags) {
      storages.insert(&flag.get());
    }
  }
  EXPECT_LE(storages.size(), 200U);
}

TEST(LastingFlag, MayBeRaisedWhenItsOwnerIsGone) {
  std::atomic<bool>* storage = nullptr;
  {
    const LastingFlag flag;
    storage = &flag.get();
  }
  storage->store(true);
  EXPECT_TRUE(storage->exchange(false));
}

}  // namespace
}  // namespace clpool::core
