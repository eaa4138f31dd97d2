// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Mutex: an ordinary mutex that is taken and left in line where nobody else wants it, for what every request
// takes: after a call of a driver each line of memory and code that a request touches is cold, and the system's
// mutex has lines of its own (tests/benchmarks/results/threads.md).
// Who waits looks again for some microseconds, as long as it takes to sleep and be woken, and then sleeps until the
// one that has it wakes it, and looks again before it sleeps once more. Who has it for long gives way between two pieces of
// its work. Not recursive.
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
  /// Whether somebody waits for it.
  bool is_awaited() const noexcept { return waiting_.load(std::memory_order_relaxed) != 0; }
  /// By whoever has it: where others wait, leaves it until one of them has had it, for some microseconds at most, and
  /// takes it again. Others must not destroy it meanwhile.
  void give_way() noexcept {
    if (is_awaited()) [[unlikely]] {
      give_way_to_one();
    }
  }
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
  /// Looks for some microseconds whether it can be had: true with it in that state.
  bool look(State taken) noexcept;
  void give_way_to_one() noexcept;
  void wake_one() noexcept;

  std::atomic<int> state_{unlocked};
  // Touched by those that wait alone, and read by those that give way.
  std::atomic<unsigned> waiting_{0};  ///< threads
  std::atomic<unsigned> served_{0};   ///< threads that waited and have had it, ever; changed with it
};

}  // namespace clpool::core
