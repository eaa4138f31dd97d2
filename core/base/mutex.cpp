// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Mutex where several threads want it at once.
#include "base/mutex.hpp"

#include <cerrno>
#include <chrono>
#include <thread>

#include "base/look.hpp"

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace clpool::core {

#if defined(__linux__) && defined(SYS_futex)

namespace {

/// Leaves errno as it was: calls that succeed do not change it.
void call_futex(const std::atomic<int>& state, int operation, int value) noexcept {
  const int kept = errno;
  static_cast<void>(syscall(SYS_futex, &state, operation, value, nullptr, nullptr, 0));
  errno = kept;
}

// The standard library's wait() of an atomic spins before it sleeps.
void sleep_while(const std::atomic<int>& state, int value) noexcept {
  call_futex(state, FUTEX_WAIT_PRIVATE, value);
}

}  // namespace

// Its memory may be another's by now, or nobody's: at worst somebody wakes for nothing.
void Mutex::wake_one() noexcept {
  call_futex(state_, FUTEX_WAKE_PRIVATE, 1);
}

#else

namespace {

void sleep_while(const std::atomic<int>& state, int value) noexcept {
  state.wait(value, std::memory_order_relaxed);
}

}  // namespace

void Mutex::wake_one() noexcept {
  state_.notify_one();
}

#endif

bool Mutex::look(State taken) noexcept {
  return look_for([&] {
    int expected = unlocked;
    return !is_taken() && state_.compare_exchange_strong(expected, taken, std::memory_order_acquire,
                                                         std::memory_order_relaxed);
  });
}

void Mutex::lock_slowly() noexcept {
  waiting_.fetch_add(1, std::memory_order_relaxed);
  bool has_it = look(locked);
  while (!has_it) {
    has_it = state_.exchange(awaited, std::memory_order_acquire) == unlocked;
    if (!has_it) {
      sleep_while(state_, awaited);
      has_it = look(awaited);  // others may sleep: who was woken sees to it that they are, too
    }
  }
  served_.store(served_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  waiting_.fetch_sub(1, std::memory_order_relaxed);
}

void Mutex::give_way_to_one() noexcept {
  const unsigned before = served_.load(std::memory_order_relaxed);
  unlock();
  const auto end = std::chrono::steady_clock::now() + longest_look;
  while (served_.load(std::memory_order_relaxed) == before && is_awaited() &&
         std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();  // the one that was woken may have no other processor
  }
  lock();
}

}  // namespace clpool::core
