// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Naps: how long one who waits sleeps between two looks. A few times not at all, then for a part of what it has waited by
// now, so that it comes little later than what it waits for, however long that takes.
//
// Of the thread that waits. Without a clock: it tells what time it is.
#pragma once

#include <algorithm>
#include <cstdint>

namespace clpool::core {

class Naps {
 public:
  explicit Naps(std::uint64_t start_ns) noexcept : start_ns_(start_ns) {}

  /// How many there have been.
  unsigned count() const noexcept { return count_; }
  bool were_without_sleep() const noexcept { return count_ <= without_sleep; }

  /// One more; for how long, at most until the deadline. 0 is no sleep.
  std::uint64_t next(std::uint64_t now_ns, std::uint64_t deadline_ns) noexcept {
    if (count_++ < without_sleep) {
      return 0;
    }
    const std::uint64_t waited = now_ns - std::min(start_ns_, now_ns);
    return std::min(std::clamp(waited / part_of_wait, shortest_ns, longest_ns),
                    deadline_ns - std::min(now_ns, deadline_ns));
  }

 private:
  static constexpr unsigned without_sleep = 4;
  static constexpr std::uint64_t part_of_wait = 4;
  static constexpr std::uint64_t shortest_ns = 20'000;
  static constexpr std::uint64_t longest_ns = 1'000'000;

  std::uint64_t start_ns_;
  unsigned count_ = 0;
};

}  // namespace clpool::core
