// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Fields of a row of an allocation log: text to numbers. A failing function gives the reason as text, because
// only the reader knows file and line.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/log.hpp"

namespace clpool::core {

/// Why a field was refused; null when it was read.
using FieldError = const char*;

/// Decimal digits.
FieldError parse_decimal(std::string_view text, std::uint64_t& value) noexcept;

/// "(nil)", or hexadecimal digits with or without "0x", as RMM has written pointers over the years.
FieldError parse_pointer(std::string_view text, std::uint64_t& value) noexcept;

/// Hexadecimal with "0x"; without it decimal, or hexadecimal if it has a letter; "(nil)".
FieldError parse_stream(std::string_view text, std::uint64_t& value) noexcept;

/// Microseconds as a decimal number, or a time of day "HH:MM:SS", "HH:MM:SS.ffffff" or "HH:MM:SS:ffffff".
FieldError parse_time(std::string_view text, std::uint64_t& microseconds) noexcept;

/// "allocate", "free" or "allocate failure".
FieldError parse_action(std::string_view text, TraceAction& action) noexcept;

}  // namespace clpool::core
