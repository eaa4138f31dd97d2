// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Mutex where several threads want it at once.
#include "base/mutex.hpp"

#include <cerrno>
#include <chrono>

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

namespace {

/// For how long whoever waits looks again before it sleeps: what it takes to sleep and to be woken on a busy machine.
constexpr std::chrono::microseconds longest_look{60};
constexpr int looks_between_times = 16;

/// Tells the processor that a loop waits for another one.
void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

}  // namespace

void Mutex::lock_slowly() noexcept {
  const auto end = std::chrono::steady_clock::now() + longest_look;
  do {
    for (int i = 0; i < looks_between_times; ++i) {
      pause();
      if (!is_taken() && try_lock()) {
        return;
      }
    }
  } while (std::chrono::steady_clock::now() < end);
  while (state_.exchange(awaited, std::memory_order_acquire) != unlocked) {
    sleep_while(state_, awaited);
  }
}

}  // namespace clpool::core
