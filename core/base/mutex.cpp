// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Mutex where several threads want it at once.
#include "base/mutex.hpp"

#include <cerrno>

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

void Mutex::lock_slowly() noexcept {
  while (state_.exchange(awaited, std::memory_order_acquire) != unlocked) {
    sleep_while(state_, awaited);
  }
}

}  // namespace clpool::core
