// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// SeveralThreads: whether more threads came than the first.
#pragma once

#include <atomic>

#include "base/status.hpp"

namespace clpool::core {

/// May be called by several threads at once. The thread that makes it counts.
class SeveralThreads {
 public:
  SeveralThreads() noexcept : last_(mark_of_this_thread()) {}

  /// Says that the calling thread came; true if it is another one than before.
  bool note() noexcept {
    const void* const mark = mark_of_this_thread();
    if (last_.load(std::memory_order_relaxed) == mark) {
      return false;
    }
    last_.store(mark, std::memory_order_relaxed);
    note_others();
    return true;
  }
  void note_others() noexcept { came_.store(true, std::memory_order_relaxed); }
  bool came() const noexcept { return came_.load(std::memory_order_relaxed); }

 private:
  std::atomic<const void*> last_;
  std::atomic<bool> came_{false};
};

}  // namespace clpool::core
