// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/answer.h.
#include "clpool/answer.h"

#include "shim.hpp"

void clpool_answer_init(clpool_answer* answer) noexcept {
  clpool::capi::initialize<clpool_answer>(answer, CLPOOL_ANSWER_INIT);
}

const char* clpool_source_name(uint32_t source) noexcept {
  switch (source) {
    case CLPOOL_SOURCE_NONE:
      return "none";
    case CLPOOL_SOURCE_QUERY:
      return "query";
    case CLPOOL_SOURCE_KERNEL_QUERY:
      return "kernel query";
    case CLPOOL_SOURCE_TABLE:
      return "table";
    case CLPOOL_SOURCE_GUESS:
      return "guess";
    case CLPOOL_SOURCE_NOT_APPLICABLE:
      return "not applicable";
    default:
      return "unknown";
  }
}
