// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Keeper: one of the pools of this process that grow rather than take back the small blocks that their threads' caches have, as
// each has a handle of its own. They share what all of them may keep like that.
#pragma once

#include <atomic>
#include <cstdint>

namespace clpool::core {

class Keeper {
 public:
  Keeper() = default;
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  ~Keeper() { end(); }

  void begin() noexcept {
    is_one_ = true;
    count_.fetch_add(1, std::memory_order_relaxed);
  }
  void end() noexcept {
    if (is_one_) {
      is_one_ = false;
      count_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  bool is_one() const noexcept { return is_one_; }
  /// Bytes that this one may keep.
  std::uint64_t share() const noexcept {
    return is_one_ ? most_of_all / count_.load(std::memory_order_relaxed) : 0;
  }

 private:
  static constexpr std::uint64_t most_of_all = std::uint64_t{64} << 20;
  static inline constinit std::atomic<std::uint64_t> count_{0};

  bool is_one_ = false;  ///< with the pool's mutex held, but as the pool is made
};

}  // namespace clpool::core
