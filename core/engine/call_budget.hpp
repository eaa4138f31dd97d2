// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// CallBudget: driver calls that a pool may spend on keeping its memory small. Requests earn them, and a quiet
// phase earns no more of them than a few dozen: what a pool does depends on its last requests, and on what it overdrew,
// however many there were before.
#pragma once

#include <algorithm>
#include <cstdint>

namespace clpool::core {

class CallBudget {
 public:
  /// Calls that are left after so many requests in all; less than 0 where more were spent than earned.
  double left(std::uint64_t requests) const noexcept {
    return std::min(most, left_ + per_request * static_cast<double>(requests - counted_));
  }
  void spend(std::uint64_t requests) noexcept {
    left_ = left(requests) - 1;
    counted_ = requests;
  }

  static constexpr double most = 64;
  static constexpr double at_first = 28;
  static constexpr double per_request = 0.0086;

 private:
  double left_ = at_first;
  std::uint64_t counted_ = 0;  ///< requests that have earned already
};

}  // namespace clpool::core
