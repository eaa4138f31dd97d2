// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Codes and exceptions of a library that hides its symbols are those of the program: codes of one failure are equal.
#include <cstdio>

#include "clpool/error.hpp"
#include "hiding.hpp"

int main() {
  const std::error_code code = io_error_of_library();
  if (code != clpool::make_error_code(CLPOOL_ERROR_IO) || code != std::errc::io_error) {
    std::fprintf(stderr, "the library's code %s:%d is not the program's\n", code.category().name(),
                 code.value());
    return 1;
  }
  try {
    throw_in_library();
  } catch (const clpool::OutOfMemory& error) {
    return error.status() == CLPOOL_ERROR_OUT_OF_MEMORY ? 0 : 1;
  }
  return 1;
}
