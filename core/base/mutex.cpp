// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Mutex where several threads want it at once.
#include "base/mutex.hpp"

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace clpool::core {

#if defined(__linux__) && defined(SYS_futex)

namespace {

// The standard library's wait() of an atomic spins before it sleeps.
void sleep_while(const std::atomic<int>& state, int value) noexcept {
  static_cast<void>(syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0));
}

}  // namespace

// Its memory may be another's by now, or nobody's: at worst somebody wakes for nothing.
void Mutex::wake_one() noexcept {
  static_cast<void>(syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0));
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

void Mutex::lock_slowly() noexcept {
  while (state_.exchange(awaited, std::memory_order_acquire) != unlocked) {
    sleep_while(state_, awaited);
  }
}

}  // namespace clpool::core
