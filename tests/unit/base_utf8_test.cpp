// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Characters of UTF-8, all of those that are one to three bytes long and the ends of the longer ones.
#include "base/utf8.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace clpool::core {
namespace {

/// A number as a character of so many bytes, whether it may be one or not.
std::string encoded(std::uint32_t number, std::size_t length) {
  constexpr unsigned char first[] = {0, 0, 0xC0, 0xE0, 0xF0, 0xF8};
  std::string text(length, 0);
  for (std::size_t i = length; --i > 0; number >>= 6) {
    text[i] = static_cast<char>(0x80 | (number & 0x3F));
  }
  text[0] = static_cast<char>(first[length] | number);
  return text;
}

std::size_t length_of(std::uint32_t number) {
  return number < 0x80 ? 1 : number < 0x800 ? 2 : number < 0x10000 ? 3 : 4;
}

TEST(Utf8, ACharacterIsTakenInItsShortestFormAndNoHalvesOfPairs) {
  EXPECT_EQ(utf8_character(""), 0u);
  for (std::uint32_t number = 0; number < 0x10000; ++number) {
    const bool is_half = number >= 0xD800 && number < 0xE000;
    for (std::size_t length = number < 0x80 ? 1 : number < 0x800 ? 2 : 3; length <= 4; ++length) {
      const std::size_t expected = length == length_of(number) && !is_half ? length : 0;
      ASSERT_EQ(utf8_character(encoded(number, length) + "more"), expected) << number << " in " << length;
    }
  }
  for (std::uint32_t number = 0; number < 0x80; ++number) {
    ASSERT_EQ(utf8_character(encoded(number, 2)), 0u) << number;
  }
  for (const std::uint32_t number : {0x10000, 0x10001, 0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF}) {
    EXPECT_EQ(utf8_character(encoded(number, 4)), 4u) << number;
  }
  for (const std::uint32_t number : {0x110000, 0x110001, 0x13FFFF, 0x140000, 0x1FFFFF}) {
    EXPECT_EQ(utf8_character(encoded(number, 4)), 0u) << number;
  }
  EXPECT_EQ(utf8_character("\xF8\x88\x80\x80\x80"), 0u);
}

TEST(Utf8, ACharacterThatIsCutOffOrHasAnotherByteWithinIsNone) {
  for (const std::uint32_t number : {0xE9, 0x20AC, 0x1F600}) {
    const std::string whole = encoded(number, length_of(number));
    for (std::size_t length = 1; length < whole.size(); ++length) {
      EXPECT_EQ(utf8_character(whole.substr(0, length)), 0u) << number;
      for (const int other : {0x00, 0x7F, 0xC0, 0xFF}) {
        std::string wrong = whole;
        wrong[length] = static_cast<char>(other);
        EXPECT_EQ(utf8_character(wrong), 0u) << number << " with " << other;
      }
    }
  }
  for (int first = 0x80; first < 0xC2; ++first) {
    EXPECT_EQ(utf8_character(std::string(1, static_cast<char>(first)) + "\x80\x80\x80"), 0u) << first;
  }
}

}  // namespace
}  // namespace clpool::core
