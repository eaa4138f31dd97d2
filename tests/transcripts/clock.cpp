// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The clock of this process, in place of the C library's, for the library too. It goes on by 20 microseconds with each look at
// it, by what is slept, which takes no time, and by what calls of the fake driver are said to take: how often a pool polls, and
// what has become old, is the same in every run. It is so far behind the kernel's that whoever waits until some time finds it
// gone by.
#include "transcripts/clock.hpp"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "stub_icd/stub.h"

namespace {

constexpr std::uint64_t look_ns = 20'000;
constexpr std::uint64_t second_ns = 1'000'000'000;
std::atomic<std::uint64_t> passed_ns{0};

}  // namespace

void clpool::transcripts::restart_clock() noexcept {
  passed_ns = 0;
}

extern "C" [[gnu::visibility("default")]] int clock_gettime(clockid_t clock, timespec* now) noexcept {
  if (clock != CLOCK_MONOTONIC) {
    return static_cast<int>(::syscall(SYS_clock_gettime, clock, now));
  }
  const std::uint64_t all = passed_ns.fetch_add(look_ns) + stub_now();
  now->tv_sec = static_cast<time_t>(all / second_ns);
  now->tv_nsec = static_cast<long>(all % second_ns);
  return 0;
}

extern "C" [[gnu::visibility("default")]] int nanosleep(const timespec* time, timespec*) {
  passed_ns +=
      static_cast<std::uint64_t>(time->tv_sec) * second_ns + static_cast<std::uint64_t>(time->tv_nsec);
  return 0;
}
