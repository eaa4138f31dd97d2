// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Releases that were put off, for finalizers: putting off neither waits, nor allocates, nor calls a driver; the
// next call of the library that may do these things carries them out, on whatever thread that is.
#pragma once

#include <atomic>
#include <cstdint>

namespace clpool::core {

/// What has a release that can be put off: part of the object, which lives until that is carried out.
class LateRelease {
 public:
  using CarryOut = void (*)(LateRelease& object) noexcept;
  constexpr explicit LateRelease(CarryOut release) noexcept : release_(release) {}
  LateRelease(const LateRelease&) = delete;
  LateRelease& operator=(const LateRelease&) = delete;

  /// Puts off one release. Any thread; several for one object count.
  void put_off() noexcept;

  /// In a child of fork(), of one that is not the parent's alone: nothing was put off.
  void forget() noexcept { times_.store(0, std::memory_order_relaxed); }

  /// Carries out all that were put off in this process, and what these put off themselves, some turns of it.
  static void finish_all() noexcept {
    constexpr int most_turns = 16;
    for (int turn = 0; first_.load(std::memory_order_relaxed) != nullptr && turn < most_turns; ++turn) {
      finish_these();
    }
  }

 private:
  static void finish_these() noexcept;

  static constinit std::atomic<LateRelease*> first_;  ///< the list is the process's
  const CarryOut release_;
  std::atomic<std::uint32_t> times_{0};  ///< not carried out yet; the object is in the list if there are any
  LateRelease* next_ = nullptr;
};

}  // namespace clpool::core
