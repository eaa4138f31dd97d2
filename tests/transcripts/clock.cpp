// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The clock of this program, in place of the C library's, for the library too: each look at it takes 20 microseconds, so that
// how often a pool polls, and what has become old, is the same in every run. It is so far behind the kernel's that whoever
// waits until some time finds it gone by.
#include "transcripts/clock.hpp"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace {

std::atomic<std::uint64_t> looks{0};

}  // namespace

void clpool::transcripts::restart_clock() noexcept {
  looks = 0;
}

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  if (clock != CLOCK_MONOTONIC) {
    return static_cast<int>(::syscall(SYS_clock_gettime, clock, now));
  }
  const std::uint64_t microseconds = 20 * looks.fetch_add(1);
  now->tv_sec = static_cast<time_t>(microseconds / 1000000);
  now->tv_nsec = static_cast<long>(microseconds % 1000000 * 1000);
  return 0;
}
