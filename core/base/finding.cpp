// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Findings of guard mode.
#include "base/finding.hpp"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/line.hpp"
#include "base/status.hpp"

namespace clpool::core {
namespace {

constexpr std::uint32_t most_lines = 100;
constinit std::atomic<std::uint32_t> line_count{0};

GuardMode read_guard_mode() noexcept {
  const char* value = ::secure_getenv("CLPOOL_GUARD");
  if (value == nullptr || *value == '\0' || std::strcmp(value, "0") == 0) {
    return GuardMode::off;
  }
  return std::strcmp(value, "abort") == 0 ? GuardMode::abort : GuardMode::on;
}

void say(const MessageSink& sink, const char* text) noexcept {
  if (send_message(sink, Severity::error, "guard: %s", text)) {
    return;
  }
  const std::uint32_t number = line_count.fetch_add(1, std::memory_order_relaxed);
  if (number < most_lines) {
    std::fprintf(stderr, "clpool guard: %s\n", text);
  } else if (number == most_lines) {
    std::fprintf(stderr, "clpool guard: there are more findings, which are not printed\n");
  }
}

}  // namespace

GuardMode guard_mode_of_environment() noexcept {
  constexpr int unread = -1;
  static constinit std::atomic<int> known{unread};
  int mode = known.load(std::memory_order_relaxed);
  if (mode == unread) {  // twice at once is as once
    mode = static_cast<int>(read_guard_mode());
    known.store(mode, std::memory_order_relaxed);
  }
  return static_cast<GuardMode>(mode);
}

void report_finding(const MessageSink& sink, const char* format, ...) noexcept {
  const KeptError kept;  // the receiver may use the library
  char text[900];
  va_list arguments;
  va_start(arguments, format);
  format_line(text, sizeof text, format, arguments);
  va_end(arguments);
  say(sink, text);
  if (guard_mode_of_environment() == GuardMode::abort) {
    std::abort();
  }
}

}  // namespace clpool::core
