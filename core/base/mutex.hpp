// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Mutex: an ordinary mutex that is taken and left in line where nobody else wants it, for what every request
// takes: after a call of a driver each line of memory and code that a request touches is cold, and the system's
// mutex has lines of its own (tests/benchmarks/README.md).
// Who waits looks again for some microseconds, as long as it takes to sleep and be woken, and then sleeps until the
// one that has it wakes it. Not recursive.
#pragma once

#include <atomic>

namespace clpool::core {

class Mutex {
 public:
  constexpr Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  bool try_lock() noexcept {
    int expected = unlocked;
    return state_.compare_exchange_strong(expected, locked, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  void lock() noexcept {
    if (!try_lock()) [[unlikely]] {
      lock_slowly();
    }
  }
  /// Whether somebody has it at this moment: for those that have something else to do meanwhile.
  bool is_taken() const noexcept { return state_.load(std::memory_order_relaxed) != unlocked; }
  /// From here on another thread may destroy it.
  void unlock() noexcept {
    if (state_.exchange(unlocked, std::memory_order_release) == awaited) [[unlikely]] {
      wake_one();
    }
  }

 private:
  // Awaited: locked, and some thread may sleep until it is not.
  enum State : int { unlocked, locked, awaited };

  void lock_slowly() noexcept;
  void wake_one() noexcept;

  std::atomic<int> state_{unlocked};
};

}  // namespace clpool::core
