// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What of the process's heap is in use, where that can be told.
#pragma once

#include <malloc.h>

#include <cstdint>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CLPOOL_TESTS_CANNOT_SEE_THE_HEAP 1  // the sanitizers have one of their own
#endif

namespace clpool::test {

/// Bytes that malloc() has given out and not got back. With a sanitizer always 0.
inline std::uint64_t memory_in_use() {
#if defined(CLPOOL_TESTS_CANNOT_SEE_THE_HEAP)
  return 0;
#elif defined(__GLIBC__)
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

}  // namespace clpool::test
