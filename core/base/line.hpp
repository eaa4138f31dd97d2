// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// One line of text for a user: errors, messages and findings are made of values that the program chose.
#pragma once

#include <cstdarg>
#include <cstddef>

namespace clpool::core {

/// Formats as vsnprintf() does into `size` bytes (64 at least), with two differences: a text that is too long is
/// cut in its middle, between characters, for the reason stands at the end, behind the values; and control
/// characters become '?', for a line is one line and steers no terminal.
[[gnu::format(printf, 3, 0)]] void format_line(char* text, std::size_t size, const char* format,
                                               va_list arguments) noexcept;
/// The same of arguments.
[[gnu::format(printf, 3, 4)]] void write_line(char* text, std::size_t size, const char* format, ...) noexcept;

}  // namespace clpool::core
