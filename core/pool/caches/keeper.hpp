// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Keeper: one of the pools of this process that grow rather than take back the small blocks that their threads' caches have, as
// each has a handle of its own. They share what all of them may keep like that. None grows so where it has that much more than it
// ever needed, or a sixteenth of what it has: between kept blocks much may lie of which no other block can be made. And one keeps
// less where chunks go back to the driver for others: what small blocks left to each other large ones had to make room for. With the
// pool's mutex held.
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
  /// So many chunks went back for others so far: each halves what this one keeps, down to an eighth.
  void note_exchanged(std::uint64_t chunks) noexcept {
    halvings_ = std::min(halvings_ + (chunks - std::exchange(exchanged_, chunks)), most_halvings);
  }
  /// So many requests were served so far: in each window of them in which no chunk went back it keeps twice as much again; in none of
  /// several that passed between two calls, if one did meanwhile.
  void note_time(std::uint64_t requests) noexcept {
    const std::uint64_t windows = (requests - window_start_) / requests_a_window;
    if (windows != 0) {
      const bool was_quiet = exchanged_ == std::exchange(exchanged_at_start_, exchanged_);
      halvings_ -= was_quiet ? std::min(halvings_, windows) : 0;
      window_start_ = requests;
    }
  }
  /// The driver had no chunk of so many bytes: where that is not much its memory is short.
  void note_refused(std::uint64_t bytes) noexcept {
    if (bytes <= most_refused_part * most_) {
      end();
    }
  }
  /// Bytes that this one may keep, beside the others.
  std::uint64_t share() const noexcept {
    return is_one() ? std::min(most_, most_of_all / count()) >> halvings_ : 0;
  }

 private:
  static constexpr std::uint64_t most_of_all = std::uint64_t{64} << 20;
  static constexpr std::uint64_t unused_part = 16;
  static constexpr std::uint64_t requests_a_window = 4096;
  static constexpr std::uint64_t most_halvings = 3;
  static constexpr std::uint64_t most_refused_part = 32;
  static inline constinit std::atomic<std::uint64_t> count_{0};

  std::uint64_t most_ = 0;
  std::uint64_t exchanged_ = 0;           ///< chunks, so far
  std::uint64_t exchanged_at_start_ = 0;  ///< … when the window began
  std::uint64_t window_start_ = 0;        ///< requests
  std::uint64_t halvings_ = 0;            ///< of what it keeps
};

}  // namespace clpool::core
