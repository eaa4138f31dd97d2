// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What of a text is UTF-8: names and tags come from programs and drivers as bytes, and not everything that
// reads what the library writes takes others.
#pragma once

#include <cstddef>
#include <string_view>

namespace clpool::core {

/// Bytes of the character that `text` begins with: 1 to 4; 0 where it begins with none, by the Unicode
/// standard's table 3-7 (no surrogates, nothing that a shorter form has, nothing beyond U+10FFFF), or is
/// empty.
std::size_t utf8_character(std::string_view text) noexcept;

}  // namespace clpool::core
