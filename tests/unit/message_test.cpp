// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// base/message.hpp: what receivers get.
#include "base/message.hpp"

#include <gtest/gtest.h>

#include <string>

namespace clpool::core {
namespace {

TEST(Message, IsOneLineWhateverNamesAreInIt) {
  std::string received;
  const MessageSink sink{
      [](void* user, std::int32_t, const char* text) { *static_cast<std::string*>(user) = text; }, &received};
  EXPECT_TRUE(send_message(sink, Severity::warning, "pool '%s' ends", "a\nb\tc\xC3\xA9"));
  EXPECT_EQ(received, "pool 'a b c\xC3\xA9' ends");
}

}  // namespace
}  // namespace clpool::core
