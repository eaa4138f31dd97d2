// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cstdarg>
#include <cstdio>

namespace clpool::load {

void Report::wrong(const char* format, ...) {
  constexpr std::uint64_t most_lines = 30;
  if (count_++ >= most_lines) {
    return;
  }
  char text[1024] = "";
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  std::fprintf(stderr, "WRONG: %s\n", text);
}

Report& report() {
  static Report all;
  return all;
}

}  // namespace clpool::load
