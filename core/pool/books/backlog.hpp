// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Backlog: how much of what is held back is likely to come free soon. What is still held back when several times as much as
// may be has come free since its release stands behind something that does not get on as the rest does, and is *overdue*:
// whoever waited for it would wait for what others get done. While nothing comes free nothing becomes overdue.
//
// Guarded by the pool's mutex.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace clpool::core {

class Backlog {
 public:
  /// Bytes that are held back from now on; the number that remove() needs, not 0.
  std::uint32_t add(std::uint64_t bytes) noexcept {
    recent_[turnover_ % recent_.size()] += bytes;
    return turnover_;
  }
  void remove(std::uint32_t since, std::uint64_t bytes) noexcept {
    (turnover_ - since < recent_.size() ? recent_[since % recent_.size()] : overdue_) -= bytes;
  }
  /// `most`: bytes that may be held back.
  void came_free(std::uint64_t bytes, std::uint64_t most) noexcept {
    came_free_ += bytes;
    if (came_free_ >= most) {
      came_free_ = 0;
      ++turnover_;
      overdue_ += std::exchange(recent_[turnover_ % recent_.size()], 0);
    }
  }
  std::uint64_t overdue() const noexcept { return overdue_; }

 private:
  std::array<std::uint64_t, 4> recent_ = {};  ///< bytes, by the turnover of their release
  std::uint64_t overdue_ = 0;                 ///< bytes that are older
  std::uint64_t came_free_ = 0;               ///< bytes in this turnover
  std::uint32_t turnover_ = 1;                ///< one is as much as may be held back
};

}  // namespace clpool::core
