// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Account: what is held back of the blocks that one thread was handed out, as a thread's commands mostly go to a stream of
// its own; how much of it is likely to come free soon; and what the thread's requests have waited for in vain. So a thread
// that gives its stream commands without end waits for that stream, and the others need not.
//
// What is still held back when several times as much as may be has come free since its release stands behind something that
// does not get on as the rest does, and is *overdue*: whoever waited for it would wait for what others get done. While
// nothing comes free nothing becomes overdue.
//
// Guarded by the pool's mutex.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/pause.hpp"

namespace clpool::core {

class Account {
 public:
  /// Where there are more threads, some share one.
  static constexpr std::uint32_t most = 32;

  /// A block is held back from now on, `all` with it so far in the pool, of which `freed` have come free, bytes; the number
  /// that remove() needs, not 0.
  std::uint32_t add(std::uint64_t bytes, std::uint64_t all, std::uint64_t freed) noexcept {
    freed_at_last_ = held_back_ == 0 ? freed : freed_at_last_;
    held_back_ += bytes;
    last_bytes_ = bytes;
    all_at_last_ = all;
    recent_[turnover_ % recent_.size()] += bytes;
    return turnover_;
  }
  void remove(std::uint32_t since, std::uint64_t bytes) noexcept {
    held_back_ -= bytes;
    (turnover_ - since < recent_.size() ? recent_[since % recent_.size()] : overdue_) -= bytes;
  }
  /// Bytes that are held back and are likely to come free before long.
  std::uint64_t awaited() const noexcept { return held_back_ - std::min(overdue_, slack_); }

  /// Whether it has some, or not long ago had: a thread whose last block came free mostly needs another one.
  bool is_active(std::uint64_t all, std::uint64_t slack) const noexcept {
    return awaited() != 0 ||
           (last_bytes_ != 0 && all - all_at_last_ < longest_rest * std::max(slack, last_bytes_));
  }

  bool was_used() const noexcept { return last_bytes_ != 0; }

  /// It has some, of which nothing came free while so many times the slack did of others.
  bool stands_still(std::uint64_t freed, std::uint64_t slack) const noexcept {
    return held_back_ != 0 && freed - freed_at_last_ >= recent_.size() * slack;
  }

  /// Bytes that were held back have come free, `freed` with them so far in the pool. `slack`: that may be held back.
  void note_free(std::uint64_t bytes, std::uint64_t slack, std::uint64_t freed) noexcept {
    freed_at_last_ = freed;
    slack_ = slack;
    came_free_ += bytes;
    in_turnover_ += bytes;
    if (in_turnover_ >= slack) {
      in_turnover_ = 0;
      ++turnover_;
      overdue_ += std::exchange(recent_[turnover_ % recent_.size()], 0);
    }
    if (came_free_ >= gets_on_at_) {
      forget_waits();
    }
  }
  /// Bytes that have come free so far.
  std::uint64_t came_free() const noexcept { return came_free_; }

  /// Bytes that were waited for in vain: just these are not waited for again, until others come free.
  std::uint64_t tolerated() const noexcept { return tolerated_; }
  /// A request has waited for `needed` bytes, of which fewer came free since `came_free`, in vain; `freed` of the pool's had
  /// come free before that. True where its thread has waited long like that since so many came free in time.
  bool note_vain_wait(std::uint64_t took_ns, std::uint64_t came_free, std::uint64_t needed,
                      std::uint64_t freed) noexcept {
    freed_at_first_ = waited_in_vain_ns_ == 0 ? freed : freed_at_first_;
    gets_on_at_ = came_free + needed;
    waited_in_vain_ns_ += took_ns;
    tolerated_ = awaited();
    return waited_in_vain_ns_ >= longest_in_vain_ns;
  }
  /// Bytes that had come free in the pool before the first wait in vain.
  std::uint64_t freed_at_first() const noexcept { return freed_at_first_; }
  void forget_waits() noexcept {
    tolerated_ = 0;
    waited_in_vain_ns_ = 0;
    pause_.end();
  }
  /// In which its requests do not wait, as its stream stands still.
  Pause& pause() noexcept { return pause_; }
  const Pause& pause() const noexcept { return pause_; }

 private:
  /// Who has waited for so long in vain, while no more came free than that, has waited for a stream that does not get on.
  static constexpr std::uint64_t longest_in_vain_ns = 100'000'000;

  /// A thread of which nothing is held back, while so many times that comes to be held back of others, is at rest.
  static constexpr std::uint64_t longest_rest = 8;

  std::uint64_t held_back_ = 0;               ///< bytes
  std::uint64_t last_bytes_ = 0;              ///< of the last block
  std::uint64_t all_at_last_ = 0;             ///< bytes that had been held back in the pool then
  std::array<std::uint64_t, 4> recent_ = {};  ///< of them, by the turnover of their release
  std::uint64_t overdue_ = 0;                 ///< … that are older
  std::uint64_t slack_ = 0;                   ///< that may be held back, when the last of them came free
  std::uint64_t freed_at_last_ = 0;  ///< bytes that had come free in the pool when the last of these did
  std::uint64_t came_free_ = 0;      ///< bytes
  std::uint64_t in_turnover_ = 0;    ///< … in this turnover
  std::uint32_t turnover_ = 1;       ///< one is as much as may be held back
  std::uint64_t tolerated_ = 0;      ///< bytes
  std::uint64_t gets_on_at_ =
      0;  ///< where came_free_ comes to that, what was waited for in vain is forgotten
  std::uint64_t freed_at_first_ = 0;     ///< see freed_at_first()
  std::uint64_t waited_in_vain_ns_ = 0;  ///< since it had
  Pause pause_;
};

}  // namespace clpool::core
