// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Whether the calling thread has slept often. A clock also counts what others of a busy machine take; on such a machine a wait
// sleeps less often.
#pragma once

#include <sys/resource.h>

namespace clpool::test {

class Sleeps {
 public:
  /// Since this was made: a wait of 10 ms sleeps some twenty times, one of 1 ms seven times.
  bool were_many() const { return count() - before_ > 9; }

 private:
  static long count() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
  }
  long before_ = count();
};

}  // namespace clpool::test
