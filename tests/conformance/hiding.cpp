// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include "hiding.hpp"

#include "clpool/error.hpp"

std::error_code io_error_of_library() {
  return clpool::make_error_code(CLPOOL_ERROR_IO);
}

void throw_in_library() {
  throw clpool::OutOfMemory(CLPOOL_ERROR_OUT_OF_MEMORY);
}
