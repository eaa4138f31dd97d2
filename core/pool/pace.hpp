// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pace: how much comes free of what is held back in a tenth of a second, or in as long as it takes until anything does: what tells
// whether, and for how long, it makes sense to wait for some.
//
// Guarded by the pool's mutex. Without a clock: whoever begins to wait tells when.
#pragma once

#include <algorithm>
#include <cstdint>

namespace clpool::core {

class Pace {
 public:
  /// `freed`: bytes that have come free so far.
  void note(std::uint64_t now_ns, std::uint64_t freed) noexcept {
    const std::uint64_t elapsed = now_ns - start_ns_;
    if (elapsed >= longest_period_ns) {  // of which nothing is known
      begin_period(now_ns, freed, 0, 0);
    } else if (elapsed >= period_ns && freed != freed_at_start_) {
      begin_period(now_ns, freed, freed - freed_at_start_, elapsed);
    }
  }
  /// Whether so many bytes came free in the last period, or in this one.
  bool brings(std::uint64_t bytes, std::uint64_t now_ns, std::uint64_t freed) const noexcept {
    return now_ns - start_ns_ < longest_period_ns && std::max(brought_, freed - freed_at_start_) >= bytes;
  }
  /// So long one waits for what comes free like that, before it does not any more.
  std::uint64_t patience_ns() const noexcept {
    return took_ns_ <= usual_ns ? period_ns : std::min(2 * took_ns_, longest_period_ns);
  }

 private:
  static constexpr std::uint64_t period_ns = 100'000'000;
  static constexpr std::uint64_t usual_ns =
      125'000'000;  ///< a period, as who waits does not look at the clock just then
  static constexpr std::uint64_t longest_period_ns = 1'000'000'000;

  void begin_period(std::uint64_t now_ns, std::uint64_t freed, std::uint64_t brought,
                    std::uint64_t took_ns) noexcept {
    start_ns_ = now_ns;
    freed_at_start_ = freed;
    brought_ = brought;
    took_ns_ = took_ns;
  }

  std::uint64_t start_ns_ = 0;
  std::uint64_t freed_at_start_ = 0;
  std::uint64_t brought_ = 0;  ///< bytes that came free in the period before this one …
  std::uint64_t took_ns_ = 0;  ///< … and how long that was
};

}  // namespace clpool::core
