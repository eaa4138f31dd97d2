// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/message.hpp: functions that receive messages.
#include "clpool/message.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "clpool/pool.hpp"

namespace {

/// Any memory, so that no device is needed.
class OneNumber final : public clpool::Source {
 public:
  uint64_t allocate(uint64_t, uint64_t) override { return 4096; }
  void deallocate(uint64_t, uint64_t) noexcept override {}
};

/// A pool that ends while a block of it lives, which is a warning.
void warn() {
  clpool::Mem mem;
  {
    const clpool::Pool pool(clpool::Allocator::custom(std::make_unique<OneNumber>()));
    mem = pool.allocate(100);
  }
}

class CppMessages : public ::testing::Test {
 protected:
  void TearDown() override { clpool::set_message_callback({}); }
};

TEST_F(CppMessages, AFunctionReceivesSeverityAndText) {
  std::vector<std::pair<int32_t, std::string>> seen;
  clpool::set_message_callback(
      [&](int32_t severity, std::string_view text) { seen.emplace_back(severity, text); });
  warn();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].first, CLPOOL_MESSAGE_WARNING);
  EXPECT_NE(seen[0].second.find("1 block"), std::string::npos) << seen[0].second;
  clpool::set_message_callback({});
  warn();
  EXPECT_EQ(seen.size(), 1u) << "an empty function receives nothing";
}

TEST_F(CppMessages, TheFormerFunctionGoesWhenItsCallsHaveReturned) {
  const auto token = std::make_shared<int>(1);
  bool was_alive = false;
  clpool::set_message_callback([token, &was_alive](int32_t, std::string_view) {
    clpool::set_message_callback({});
    was_alive = token.use_count() >= 2;  // which is this function's
  });
  EXPECT_EQ(token.use_count(), 2);
  warn();
  EXPECT_TRUE(was_alive);
  EXPECT_EQ(token.use_count(), 1);
}

TEST_F(CppMessages, WhatAFunctionThrowsDoesNotLeaveIt) {
  int calls = 0;
  clpool::set_message_callback([&](int32_t, std::string_view) {
    ++calls;
    throw std::runtime_error("no paper");
  });
  warn();
  EXPECT_EQ(calls, 1);
}

}  // namespace
