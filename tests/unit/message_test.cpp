// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// base/message.hpp: what receivers get.
#include "base/message.hpp"
#include "base/finding.hpp"

#include <gtest/gtest.h>

#include <string>

namespace clpool::core {
namespace {

TEST(Message, IsOneLineWhateverNamesAreInIt) {
  std::string received;
  const MessageSink sink{
      [](void* user, std::int32_t, const char* text) { *static_cast<std::string*>(user) = text; }, &received};
  EXPECT_TRUE(send_message(sink, Severity::warning, "pool '%s' ends", "a\nb\tc\xC3\xA9"));
  EXPECT_EQ(received, "pool 'a?b?c\xC3\xA9' ends");
}

TEST(Message, KeepsItsEndHoweverLongTheNamesAreThatAreInIt) {
  std::string received;
  const MessageSink sink{
      [](void* user, std::int32_t, const char* text) { *static_cast<std::string*>(user) = text; }, &received};
  EXPECT_TRUE(
      send_message(sink, Severity::warning, "pool '%s' ends: %d", std::string(5000, 'x').c_str(), 17));
  EXPECT_EQ(received.size(), 1023u);
  EXPECT_TRUE(received.starts_with("pool 'xxx") && received.ends_with("xxx' ends: 17")) << received;
}

TEST(Message, OfAReceiverThatSendsMoreEndsSoon) {
  struct Receiver {
    MessageSink sink;
    int count = 0;
    int dropped = 0;
  } receiver;
  receiver.sink = {[](void* user, std::int32_t, const char*) {
                     auto& self = *static_cast<Receiver*>(user);
                     ++self.count;
                     for (int i = 0; i < 2; ++i) {
                       self.dropped += send_message(self.sink, Severity::trace, "one more") ? 0 : 1;
                     }
                   },
                   &receiver};
  for (int i = 0; i < 2; ++i) {
    receiver.count = receiver.dropped = 0;
    EXPECT_TRUE(send_message(receiver.sink, Severity::trace, "the first"));
    EXPECT_EQ(receiver.count, 1 + 2 + 4);
    EXPECT_EQ(receiver.dropped, 8) << "of which a guard writes its own to standard error";
  }
}

TEST(Finding, IsOneLineWhateverIsNamedInIt) {
  testing::internal::CaptureStderr();
  report_finding({}, "pool '%s'", "a\nb\x1B[31m");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "clpool guard: pool 'a?b?[31m'\n");
}

}  // namespace
}  // namespace clpool::core
