// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// ASCII's control characters, and those that UTF-8 has beyond it (U+0080 to U+009F).
#include "printable.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace clpool::program {

std::string printable(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n') || byte == 0x7f) {
      text[i] = '?';
    } else if (byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0) {
      text.replace(i, 2, "?");
    }
  }
  return text;
}

std::string one_line(std::string text) {
  text = printable(std::move(text));
  std::replace(text.begin(), text.end(), '\n', '?');
  return text;
}

void print_error(const std::string& text) {
  const std::string line = "clpool: " + printable(text) + "\n";
  std::fputs(line.c_str(), stderr);  // where even that cannot be written, the exit status is what is left
}

}  // namespace clpool::program
