// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The library's messages: where warnings go that no status can carry. Nothing is printed here.
#pragma once

#include <cstdint>

namespace clpool::core {

enum class Severity : std::int32_t { trace = 1, warning = 2, error = 3 };

/// Receiver of messages: plain C so that the C ABI's callback is stored as it is.
using MessageCallback = void (*)(void* user, std::int32_t severity, const char* text);

struct MessageSink {
  MessageCallback callback = nullptr;
  void* user = nullptr;
};

/// Sets the process-wide receiver (none at first). Safe from any thread.
void set_message_sink(MessageSink sink) noexcept;

/// Sends a printf-formatted line to `sink`, or to the process-wide receiver if `sink` has no callback. False
/// if there is neither, and for one that arises within three receivers of others. Must be called without any lock held.
[[gnu::cold, gnu::format(printf, 3, 4)]] bool send_message(const MessageSink& sink, Severity severity,
                                                           const char* format, ...) noexcept;

/// Messages for the process-wide receiver that are kept, for the one lock that must be kept across calls of a driver (cl::Turn):
/// whoever has it begins, takes what has come from its own thread, and sends that without the lock.
class PutOffMessages {
 public:
  struct Line;
  static void begin() noexcept;
  [[nodiscard]] static Line* end() noexcept;
  static void send(Line* lines) noexcept;
};

}  // namespace clpool::core
