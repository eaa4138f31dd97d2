// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Parsing of single fields. The forms are those that RMM's logging adaptor has written since 0.10: "%p" or
// bare hexadecimal for pointers, "0", "0x…" or bare hexadecimal for streams, '.' or ':' before microseconds.
#include "trace/fields.hpp"

#include <charconv>

namespace clpool::core {
namespace {

constexpr FieldError not_a_number = "is not a number";
constexpr FieldError too_large = "does not fit into 64 bits";

FieldError parse_number(std::string_view text, int base, std::uint64_t& value) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error == std::errc::result_out_of_range) {
    return too_large;
  }
  return error == std::errc{} && end == text.data() + text.size() ? nullptr : not_a_number;
}

bool has_hexadecimal_prefix(std::string_view text) noexcept {
  return text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

/// Two decimal digits at `at`, at most `limit`.
bool parse_two_digits(std::string_view text, std::size_t at, std::uint64_t limit,
                      std::uint64_t& value) noexcept {
  return parse_decimal(text.substr(at, 2), value) == nullptr && value <= limit;
}

}  // namespace

FieldError parse_decimal(std::string_view text, std::uint64_t& value) noexcept {
  return parse_number(text, 10, value);
}

FieldError parse_pointer(std::string_view text, std::uint64_t& value) noexcept {
  if (text == "(nil)") {
    value = 0;
    return nullptr;
  }
  return parse_number(has_hexadecimal_prefix(text) ? text.substr(2) : text, 16, value);
}

FieldError parse_stream(std::string_view text, std::uint64_t& value) noexcept {
  const bool decimal = text.find_first_not_of("0123456789") == std::string_view::npos;
  return decimal ? parse_decimal(text, value) : parse_pointer(text, value);
}

FieldError parse_time(std::string_view text, std::uint64_t& microseconds) noexcept {
  constexpr FieldError malformed =
      "is neither microseconds nor a time of day (HH:MM:SS, HH:MM:SS.ffffff or HH:MM:SS:ffffff)";
  if (text.find(':') == std::string_view::npos) {
    const FieldError error = parse_decimal(text, microseconds);
    return error == not_a_number ? malformed : error;
  }
  constexpr std::size_t seconds_end = 8;
  constexpr std::size_t fraction_digits = 6;
  std::uint64_t hours = 0;
  std::uint64_t minutes = 0;
  std::uint64_t seconds = 0;
  if (text.size() < seconds_end || text[2] != ':' || text[5] != ':' ||
      !parse_two_digits(text, 0, 23, hours) || !parse_two_digits(text, 3, 59, minutes) ||
      !parse_two_digits(text, 6, 60, seconds)) {
    return malformed;
  }
  std::uint64_t fraction = 0;
  if (text.size() > seconds_end) {
    const std::string_view digits = text.substr(seconds_end + 1);
    if ((text[seconds_end] != '.' && text[seconds_end] != ':') || digits.size() > fraction_digits ||
        parse_decimal(digits, fraction) != nullptr) {
      return malformed;
    }
    for (std::size_t i = digits.size(); i < fraction_digits; ++i) {
      fraction *= 10;
    }
  }
  microseconds = ((hours * 60 + minutes) * 60 + seconds) * 1000000 + fraction;
  return nullptr;
}

FieldError parse_action(std::string_view text, TraceAction& action) noexcept {
  if (text == "allocate") {
    action = TraceAction::allocate;
  } else if (text == "free") {
    action = TraceAction::release;
  } else if (text == "allocate failure") {
    action = TraceAction::allocate_failure;
  } else {
    return "is unknown (known are allocate, free and allocate failure)";
  }
  return nullptr;
}

}  // namespace clpool::core
