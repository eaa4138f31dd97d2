// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The process-wide receiver of messages.
#include "base/message.hpp"

#include <cstdarg>
#include <cstdint>
#include <mutex>

#include "base/line.hpp"
#include "base/process.hpp"
#include "base/status.hpp"

namespace clpool::core {
namespace {

/// Receivers may call the library, which may send them more: a message that arises within so many others is not sent.
constexpr std::uint8_t most_within = 3;

constinit ForkMutex sink_mutex;
constinit MessageSink global_sink;

}  // namespace

void set_message_sink(MessageSink sink) noexcept {
  const std::lock_guard lock(sink_mutex);
  global_sink = sink;
}

bool send_message(const MessageSink& sink, Severity severity, const char* format, ...) noexcept {
  MessageSink receiver = sink;
  if (receiver.callback == nullptr) {
    const std::lock_guard lock(sink_mutex);
    receiver = global_sink;
  }
  if (receiver.callback == nullptr) {
    return false;
  }
  std::uint8_t& within = messages_within();
  if (within == most_within) {
    return false;
  }
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  format_line(text, sizeof text, format, arguments);
  va_end(arguments);
  ++within;
  receiver.callback(receiver.user, static_cast<std::int32_t>(severity), text);
  --within;
  return true;
}

}  // namespace clpool::core
