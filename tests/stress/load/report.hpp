// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What went wrong, from any thread: counted, and the first of it printed.
#pragma once

#include <atomic>
#include <cstdint>

namespace clpool::load {

class Report {
 public:
  /// Prints a line in printf's words, unless many were printed already.
  [[gnu::format(printf, 2, 3)]] void wrong(const char* format, ...);
  std::uint64_t count() const { return count_; }

 private:
  std::atomic<std::uint64_t> count_{0};
};

/// The process's.
Report& report();

}  // namespace clpool::load
