// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The process-wide receiver of messages.
#include "base/message.hpp"

#include <atomic>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "base/line.hpp"
#include "base/process.hpp"
#include "base/status.hpp"

namespace clpool::core {
namespace {

/// Receivers may call the library, which may send them more: a message that arises within so many others is not sent.
constexpr std::uint8_t most_within = 3;

constinit ForkMutex sink_mutex;
constinit MessageSink global_sink;

constexpr std::size_t most_text = 1024;  ///< bytes of a message, with its end

}  // namespace

struct PutOffMessages::Line {
  Severity severity;
  Line* next = nullptr;
  char text[most_text] = "";
};

namespace {

/// The thread whose messages are put off, by mark_of_this_thread(), and these, which are in its hands.
constinit std::atomic<const void*> putting_off{nullptr};
constinit PutOffMessages::Line* first_line = nullptr;
constinit PutOffMessages::Line* last_line = nullptr;

bool put_off(Severity severity, const char* text) noexcept {
  auto* const line = new (std::nothrow) PutOffMessages::Line{severity};
  if (line == nullptr) {
    return false;
  }
  std::strcpy(line->text, text);
  (last_line != nullptr ? last_line->next : first_line) = line;
  last_line = line;
  return true;
}

MessageSink process_wide() noexcept {
  const std::lock_guard lock(sink_mutex);
  return global_sink;
}

bool send_to(const MessageSink& receiver, Severity severity, const char* text) noexcept {
  std::uint8_t& within = messages_within();
  if (within == most_within) {
    return false;
  }
  ++within;
  receiver.callback(receiver.user, static_cast<std::int32_t>(severity), text);
  --within;
  return true;
}

}  // namespace

void set_message_sink(MessageSink sink) noexcept {
  const std::lock_guard lock(sink_mutex);
  global_sink = sink;
}

bool send_message(const MessageSink& sink, Severity severity, const char* format, ...) noexcept {
  const MessageSink receiver = sink.callback != nullptr ? sink : process_wide();
  if (receiver.callback == nullptr) {
    return false;
  }
  char text[most_text];
  va_list arguments;
  va_start(arguments, format);
  format_line(text, sizeof text, format, arguments);
  va_end(arguments);
  if (sink.callback == nullptr && putting_off.load(std::memory_order_relaxed) == mark_of_this_thread()) {
    return put_off(severity, text);
  }
  return send_to(receiver, severity, text);
}

void PutOffMessages::begin() noexcept {
  putting_off.store(mark_of_this_thread(), std::memory_order_relaxed);
}

PutOffMessages::Line* PutOffMessages::end() noexcept {
  putting_off.store(nullptr, std::memory_order_relaxed);
  last_line = nullptr;
  return std::exchange(first_line, nullptr);
}

void PutOffMessages::send(Line* lines) noexcept {
  while (lines != nullptr) {
    const std::unique_ptr<Line> line(std::exchange(lines, lines->next));
    if (const MessageSink receiver = process_wide(); receiver.callback != nullptr) {
      send_to(receiver, line->severity, line->text);
    }
  }
}

}  // namespace clpool::core
