// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pause: what was waited for or looked for in vain is not again for a multiple of the time that it took, twice as much each
// time: a busy device costs requests a small share of their time. Whoever has it keeps others out.
#pragma once

#include <algorithm>
#include <cstdint>

namespace clpool::core {

class Pause {
 public:
  bool is_on(std::uint64_t now_ns) const noexcept { return now_ns < until_ns_; }
  void begin(std::uint64_t took_ns, std::uint64_t now_ns) noexcept {
    factor_ = factor_ == 0 ? shortest : std::min(2 * factor_, longest);
    until_ns_ = now_ns + std::min(factor_ * took_ns, longest_ns);
  }
  void end() noexcept { *this = {}; }

 private:
  static constexpr std::uint64_t shortest = 4;
  static constexpr std::uint64_t longest = 64;
  static constexpr std::uint64_t longest_ns = 1'000'000'000;

  std::uint64_t factor_ = 0;
  std::uint64_t until_ns_ = 0;
};

}  // namespace clpool::core
