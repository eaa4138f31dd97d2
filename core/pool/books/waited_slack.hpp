// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// WaitedSlack: how many times the slack may be held back before requests wait for it. Once, unless the device gets more done
// with more in flight: while requests wait most of the time, twice as much is tried now and then, and half as much, and what
// the device gets through decides.
//
// Guarded by the pool's mutex. Without a clock: whoever waited tells when.
#pragma once

#include <algorithm>
#include <cstdint>

namespace clpool::core {

class WaitedSlack {
 public:
  /// 1 to 64.
  std::uint64_t times() const noexcept { return times_; }

  /// A request has waited, in vain or not. `came_free`: bytes that have come free in all.
  void note_wait(std::uint64_t start_ns, std::uint64_t end_ns, std::uint64_t came_free) noexcept {
    const std::uint64_t elapsed = end_ns - began_ns_;
    if (began_ns_ == 0 || elapsed > longest_window * window_ns) {
      begin(end_ns, came_free);  // what was tried stays: requests wait no more, or hardly ever
      trying_ = 0;
      return;
    }
    waited_ns_ += end_ns - start_ns;
    if (elapsed < window_ns) {
      return;
    }
    const double rate = static_cast<double>(came_free - came_free_before_) / static_cast<double>(elapsed);
    if (trying_ != 0) {
      judge(rate);
    } else if (waited_ns_ >= elapsed / 2 && --windows_left_ == 0) {
      try_another(rate);
    } else {
      windows_left_ = std::max<std::uint64_t>(windows_left_, 1);
    }
    begin(end_ns, came_free);
  }

  void reset() noexcept { *this = {}; }

 private:
  static constexpr std::uint64_t window_ns = 100'000'000;
  static constexpr std::uint64_t longest_window = 4;
  static constexpr std::uint64_t most_times = 64;
  static constexpr std::uint64_t most_windows = 256;
  /// So much more is a gain; less is noise.
  static constexpr double gain = 1.125;

  void begin(std::uint64_t now_ns, std::uint64_t came_free) noexcept {
    began_ns_ = now_ns;
    came_free_before_ = came_free;
    waited_ns_ = 0;
  }
  void try_another(double rate) noexcept {
    rate_before_ = rate;
    const bool up = times_ == 1 || (was_down_ && times_ < most_times);
    was_down_ = !up;
    trying_ = up ? 1 : -1;
    times_ = up ? 2 * times_ : times_ / 2;
  }
  void judge(double rate) noexcept {
    const bool stays = trying_ > 0 ? rate >= gain * rate_before_ : gain * rate >= rate_before_;
    if (!stays) {
      times_ = trying_ > 0 ? times_ / 2 : 2 * times_;
    }
    windows_ = stays ? 1 : std::min(2 * windows_, most_windows);
    was_down_ = stays ? trying_ > 0 : was_down_;  // the same way again
    windows_left_ = windows_;
    trying_ = 0;
  }

  std::uint64_t times_ = 1;
  int trying_ = 0;          ///< twice (1) or half (-1) of what was good before
  bool was_down_ = true;    ///< the last try
  double rate_before_ = 0;  ///< bytes a nanosecond
  std::uint64_t windows_ = 1;
  std::uint64_t windows_left_ = 1;  ///< until something is tried again
  std::uint64_t began_ns_ = 0;      ///< the window; 0: none yet
  std::uint64_t came_free_before_ = 0;
  std::uint64_t waited_ns_ = 0;
};

}  // namespace clpool::core
