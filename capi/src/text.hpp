// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// How shims hand texts and lists to a caller's memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "shim.hpp"

namespace clpool::capi {

using namespace core;

/// INVALID_VALUE if there is room but no memory, or nowhere to say how much there is: `needed` of texts, `count` of
/// lists. Sets that to 0 and texts to "", whatever else is wrong.
template <typename T>
Status begin_output(T* target, std::size_t capacity, std::size_t* needed, const char* function) noexcept {
  constexpr bool is_text = std::is_same_v<T, char>;
  if constexpr (is_text) {
    if (target != nullptr && capacity != 0) {
      *target = '\0';
    }
  }
  CLPOOL_TRY(clear_result(needed, function, is_text ? "needed" : "count"));
  return target != nullptr || capacity == 0
             ? Status::success
             : fail(Status::invalid_value, "%s: there is room for %zu but the memory is NULL", function,
                    capacity);
}

/// Copies a text into a field of a struct that is all zeros, cut to fit, but not within a letter of UTF-8.
template <std::size_t size>
void write_field(std::string_view text, char (&field)[size]) noexcept {
  std::size_t length = std::min(text.size(), size - 1);
  while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) {
    --length;
  }
  std::memcpy(field, text.data(), length);
}

/// Copies a text, cut to fit and ended by a zero; `*needed` is the whole length with the zero.
inline void write_text(std::string_view text, char* target, std::size_t capacity,
                       std::size_t* needed) noexcept {
  *needed = text.size() + 1;
  if (capacity == 0) {
    return;
  }
  const std::size_t length = std::min(text.size(), capacity - 1);
  std::memcpy(target, text.data(), length);
  target[length] = '\0';
}

}  // namespace clpool::capi
