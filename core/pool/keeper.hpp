// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Keeper: one of the pools of this process that grow rather than take back the small blocks that their threads' caches have, as
// each has a handle of its own. They share what all of them may keep like that. None grows so where it has that much more than it
// ever needed, or a sixteenth of what it has: between kept blocks much may lie of which no other block can be made. Nor does it for
// some time where chunks went back to the driver after that: what small blocks left to each other large ones had to make room for.
// With the pool's mutex held.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

namespace clpool::core {

class Keeper {
 public:
  Keeper() = default;
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  ~Keeper() { end(); }

  /// `most`: bytes that this one may keep where it is the only one; not 0.
  void begin(std::uint64_t most) noexcept {
    most_ = most;
    count_.fetch_add(1, std::memory_order_relaxed);
  }
  void end() noexcept {
    if (is_one()) {
      most_ = 0;
      count_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  bool is_one() const noexcept { return most_ != 0; }
  /// How many there are in the process.
  static std::uint64_t count() noexcept { return count_.load(std::memory_order_relaxed); }

  /// A pool that has `managed` bytes, and had handed out up to `peak` of them, may grow while it keeps `kept` bytes.
  static bool may_grow(std::uint64_t managed, std::uint64_t peak, std::uint64_t kept) noexcept {
    return managed - std::min(managed, peak) <= std::max(kept, managed / unused_part);
  }
  /// It would grow now. `released`: chunks that went back so far. False: it is to take back what it keeps instead.
  bool grows(std::uint64_t released) noexcept {
    if (std::exchange(has_grown_, false)) {
      const bool in_vain = released != released_;
      turns_ = in_vain ? std::min(2 * turns_ + 1, most_turns) : turns_ / 2;
      left_ = in_vain ? turns_ : 0;
    }
    if (left_ != 0) {
      --left_;
      return false;
    }
    has_grown_ = true;
    released_ = released;
    return true;
  }
  std::uint64_t most() const noexcept { return most_; }
  /// Bytes that this one may keep, beside the others.
  std::uint64_t share() const noexcept { return is_one() ? std::min(most_, most_of_all / count()) : 0; }

 private:
  static constexpr std::uint64_t most_of_all = std::uint64_t{64} << 20;
  static constexpr std::uint64_t unused_part = 16;
  static constexpr std::uint64_t most_turns = 1023;
  static inline constinit std::atomic<std::uint64_t> count_{0};

  std::uint64_t most_ = 0;
  bool has_grown_ = false;
  std::uint64_t released_ = 0;  ///< … when so many chunks had gone back
  std::uint64_t turns_ = 0;     ///< in which it does not grow, after it did in vain
  std::uint64_t left_ = 0;      ///< … of these
};

}  // namespace clpool::core
