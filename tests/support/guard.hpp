// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Whether the suites run on guarded pools once more: CLPOOL_GUARD is set.
#pragma once

#include <cstdlib>

namespace clpool::test {

inline bool pools_are_guarded() {
  const char* value = std::getenv("CLPOOL_GUARD");
  return value != nullptr && *value != '\0';
}

}  // namespace clpool::test
