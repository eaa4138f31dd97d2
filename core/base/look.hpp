// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Looking again and again for some microseconds, before a thread sleeps: for as long as it takes to sleep and be woken
// on a busy machine.
#pragma once

#include <chrono>

namespace clpool::core {

/// Tells the processor that a loop waits for another one.
inline void pause_processor() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

constexpr std::chrono::microseconds longest_look{60};

/// Asks `is_there()` until it says yes, for 60 microseconds at most: whether it did.
template <typename Question>
bool look_for(Question&& is_there) noexcept {
  constexpr int looks_between_times = 16;
  const auto end = std::chrono::steady_clock::now() + longest_look;
  do {
    for (int i = 0; i < looks_between_times; ++i) {
      pause_processor();
      if (is_there()) {
        return true;
      }
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace clpool::core
