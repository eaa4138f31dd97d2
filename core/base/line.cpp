// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Formatting of one line.
#include "base/line.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

namespace clpool::core {
namespace {

bool is_within_character(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// Both ends of a longer text, with a gap between them; `text` has as much of its beginning as there is room for.
void join_ends(const char* all, std::size_t length, char* text, std::size_t size) noexcept {
  constexpr char gap[] = " ... ";
  constexpr std::size_t gap_length = sizeof gap - 1;
  std::size_t head = size / 2;
  while (head > 0 && is_within_character(all[head])) {
    --head;
  }
  std::size_t tail = length - (size - 1 - head - gap_length);
  while (tail < length && is_within_character(all[tail])) {
    ++tail;
  }
  std::memcpy(text + head, gap, gap_length);
  std::memcpy(text + head + gap_length, all + tail, length - tail + 1);
}

}  // namespace

void write_line(char* text, std::size_t size, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  format_line(text, size, format, arguments);
  va_end(arguments);
}

void format_line(char* text, std::size_t size, const char* format, va_list arguments) noexcept {
  va_list again;
  va_copy(again, arguments);
  const int needed = std::vsnprintf(text, size, format, arguments);
  const std::size_t length = needed > 0 ? static_cast<std::size_t>(needed) : 0;
  // Without host memory for the whole text its beginning is all that there is.
  if (char* const all = length >= size ? new (std::nothrow) char[length + 1] : nullptr; all != nullptr) {
    std::vsnprintf(all, length + 1, format, again);
    join_ends(all, length, text, size);
    delete[] all;
  }
  va_end(again);
  std::replace_if(
      text, text + std::strlen(text),
      [](char byte) {
        const auto value = static_cast<unsigned char>(byte);
        return value < 0x20 || value == 0x7F;
      },
      '?');
}

}  // namespace clpool::core
