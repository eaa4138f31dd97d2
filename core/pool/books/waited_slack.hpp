// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// WaitedSlack: how many times the slack may be held back before requests wait for it. Once, unless the device gets more done
// with more in flight: where requests wait most of the time, twice as much is tried now and then, and stays if the device
// then gets through clearly more than before, in each of several windows of time, and no more again when it has as much as
// before. It does not become less again by itself. What a pool took for a try in vain goes back, as far as whole chunks of it
// come free.
//
// Guarded by the pool's mutex. Without a clock: whoever waited tells when.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace clpool::core {

class WaitedSlack {
 public:
  /// What the pool has, bytes.
  struct Bytes {
    std::uint64_t came_free = 0;  ///< of what was held back, in all
    std::uint64_t held_back = 0;
    std::uint64_t managed = 0;
  };

  /// 1 to 16.
  std::uint64_t times() const noexcept { return times_; }
  /// Whether it is to be seen what the device gets done with less than that held back, as before a try: requests then wait for
  /// it even where something is free, as the pool has the memory of the try by now.
  bool is_too_much(std::uint64_t held_back) const noexcept {
    return phase_ == Phase::goes_back && held_back > held_back_before_;
  }

  /// Whether a free chunk of so many bytes is to go, as the pool has taken that much for a try in vain.
  bool gives_back(std::uint64_t bytes) noexcept {
    const bool is_surplus = bytes <= surplus_;
    surplus_ -= is_surplus ? bytes : 0;
    return is_surplus;
  }

  /// A request has waited, in vain or not.
  void note_wait(std::uint64_t start_ns, std::uint64_t end_ns, const Bytes& bytes) noexcept {
    managed_ = bytes.managed;
    if (phase_ == Phase::watches) {
      held_back_before_ = std::max(held_back_before_, bytes.held_back);
    }
    waited_ns_ += end_ns - std::clamp(last_end_ns_, start_ns, end_ns);  // threads wait at the same time
    last_end_ns_ = end_ns;
    const std::uint64_t elapsed = end_ns - began_ns_;
    const std::uint64_t gone = bytes.came_free - came_free_before_;
    if (elapsed >= window_ns && (!fills_ || gone / 2 >= bytes.held_back || elapsed >= longest_filling_ns)) {
      end_window(static_cast<double>(gone) / static_cast<double>(elapsed), waited_ns_ >= elapsed / 2);
      begin_window(end_ns, bytes.came_free);
    }
  }

  void reset() noexcept { *this = {}; }

 private:
  static constexpr std::uint64_t window_ns = 100'000'000;
  static constexpr std::uint64_t longest_filling_ns = 1'000'000'000;
  static constexpr std::uint64_t most_times = 16;
  static constexpr unsigned windows_to_compare = 4;
  static constexpr unsigned windows_of_a_try = 3;
  /// Longer than that and the windows before and after it: a device that is now slow, now fast, does not look like a gain.
  static constexpr unsigned windows_of_going_back = 7;
  static constexpr unsigned most_windows = 256;
  /// So much more is a gain; less is noise.
  static constexpr double gain = 1.125;

  enum class Phase : std::uint8_t { watches, tries, goes_back };

  void begin_window(std::uint64_t now_ns, std::uint64_t came_free) noexcept {
    began_ns_ = now_ns;
    came_free_before_ = came_free;
    waited_ns_ = 0;
  }
  /// `waits`: requests waited most of the time. `rate`: bytes that came free in a nanosecond.
  void end_window(double rate, bool waits) noexcept {
    if (std::exchange(fills_, false)) {
      return;  // what is in flight has become more, or less
    }
    switch (phase_) {
      case Phase::watches:
        return watch(rate, waits);
      case Phase::tries:
        rate_with_more_ = std::min(rate_with_more_, rate);
        if (rate < gain * best_) {
          times_ /= 2;
          end_try(false);
        } else if (!waits || ++windows_ == windows_of_a_try) {  // with twice as much nobody may have to wait
          times_ /= 2;
          begin(Phase::goes_back);
        }
        return;
      case Phase::goes_back:
        best_ = std::max(best_, rate);
        if (rate_with_more_ < gain * best_ ||
            !waits) {  // it was something else that made it faster, or there is less to do
          end_try(false);
        } else if (++windows_ == windows_of_going_back) {
          times_ *= 2;
          end_try(true);
        }
    }
  }
  void watch(double rate, bool waits) noexcept {
    if (!waits) {
      windows_ = 0;
      forget();
    } else if (times_ < most_times) {
      ++windows_;
      if (windows_ + windows_to_compare > between_) {  // the last few before the try
        best_ = std::max(best_, rate);
      } else {
        forget();
      }
      if (windows_ >= between_) {
        times_ *= 2;
        managed_before_ = managed_;
        surplus_ = 0;
        begin(Phase::tries);
        rate_with_more_ = std::numeric_limits<double>::max();
      }
    }
  }
  void forget() noexcept {
    best_ = 0;
    held_back_before_ = 0;
  }
  void begin(Phase phase) noexcept {
    phase_ = phase;
    fills_ = phase != Phase::watches;
    windows_ = 0;
  }
  void end_try(bool stays) noexcept {
    surplus_ = stays ? 0 : managed_ - std::min(managed_, managed_before_);
    between_ = stays ? windows_to_compare : std::min(2 * between_, most_windows);
    begin(Phase::watches);
  }

  std::uint64_t times_ = 1;
  Phase phase_ = Phase::watches;
  bool fills_ = false;  ///< what is in flight, until twice as much has gone
  unsigned windows_ = 0;
  unsigned between_ = windows_to_compare;  ///< windows from one try to the next
  double best_ = 0;                        ///< bytes a nanosecond, with less in flight
  std::uint64_t held_back_before_ = 0;     ///< the most after a wait, in the windows of that
  double rate_with_more_ = 0;              ///< the least of the try
  std::uint64_t managed_ = 0;              ///< bytes, after the last wait
  std::uint64_t managed_before_ = 0;       ///< … before the try
  std::uint64_t surplus_ = 0;              ///< bytes taken for a try in vain, that have not gone yet
  std::uint64_t began_ns_ = 0;             ///< the window; the first one ends with the first wait
  std::uint64_t came_free_before_ = 0;
  std::uint64_t waited_ns_ = 0;
  std::uint64_t last_end_ns_ = 0;
};

}  // namespace clpool::core
