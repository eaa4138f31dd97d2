// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// WaitedSlack: how many times the slack may be held back before requests wait for it. Once, unless the device gets more done
// with more in flight: where requests wait most of the time, twice as much is tried now and then, and stays if the device
// then gets through clearly more than before, in each of several windows of time. It is not tried with less: a pool has the
// memory by then.
//
// Guarded by the pool's mutex. Without a clock: whoever waited tells when.
#pragma once

#include <algorithm>
#include <cstdint>

namespace clpool::core {

class WaitedSlack {
 public:
  /// 1 to 16.
  std::uint64_t times() const noexcept { return times_; }

  /// A request has waited, in vain or not. `came_free`: bytes that have come free in all; `held_back`: that have not.
  void note_wait(std::uint64_t start_ns, std::uint64_t end_ns, std::uint64_t came_free,
                 std::uint64_t held_back) noexcept {
    if (began_ns_ == 0) {
      begin(end_ns, came_free);
    }
    waited_ns_ += end_ns - std::clamp(last_end_ns_, start_ns, end_ns);  // threads wait at the same time
    last_end_ns_ = end_ns;
    const std::uint64_t elapsed = end_ns - began_ns_;
    const std::uint64_t gone = came_free - came_free_before_;
    if (elapsed >= window_ns && (!fills_ || gone / 2 >= held_back || elapsed >= longest_filling_ns)) {
      end_window(static_cast<double>(gone) / static_cast<double>(elapsed), waited_ns_ >= elapsed / 2);
      begin(end_ns, came_free);
    }
  }

  void reset() noexcept { *this = {}; }

 private:
  static constexpr std::uint64_t window_ns = 100'000'000;
  static constexpr std::uint64_t longest_filling_ns = 1'000'000'000;
  static constexpr std::uint64_t most_times = 16;
  static constexpr unsigned windows_to_compare = 4;
  static constexpr unsigned most_windows = 256;
  /// So much more is a gain; less is noise.
  static constexpr double gain = 1.125;

  void begin(std::uint64_t now_ns, std::uint64_t came_free) noexcept {
    began_ns_ = now_ns;
    came_free_before_ = came_free;
    waited_ns_ = 0;
  }
  /// `waits`: requests waited most of the time. `rate`: bytes that came free in a nanosecond.
  void end_window(double rate, bool waits) noexcept {
    if (tries_ && !waits) {
      end_try(rate >= gain * best_before_);  // with twice as much nobody has to wait, or there is less to do
    } else if (fills_) {
      fills_ = false;  // what is in flight has become more
    } else if (tries_) {
      if (rate < gain * best_before_ || ++windows_ == windows_to_compare) {
        end_try(rate >= gain * best_before_);
      }
    } else if (!waits) {
      windows_ = 0;
      best_before_ = 0;
    } else if (times_ < most_times) {
      ++windows_;
      // The last few before the try.
      best_before_ = windows_ + windows_to_compare > between_ ? std::max(best_before_, rate) : 0;
      if (windows_ >= between_) {
        begin_try();
      }
    }
  }
  void begin_try() noexcept {
    tries_ = true;
    fills_ = true;
    windows_ = 0;
    times_ *= 2;
  }
  void end_try(bool stays) noexcept {
    times_ = stays ? times_ : times_ / 2;
    between_ = stays ? windows_to_compare : std::min(2 * between_, most_windows);
    tries_ = false;
    fills_ = false;
    windows_ = 0;
    best_before_ = 0;
  }

  std::uint64_t times_ = 1;
  bool tries_ = false;
  bool fills_ = false;  ///< what is in flight, until twice as much has gone
  unsigned windows_ = 0;
  unsigned between_ = windows_to_compare;  ///< windows from one try to the next
  double best_before_ = 0;                 ///< bytes a nanosecond
  std::uint64_t began_ns_ = 0;             ///< the window; 0: none yet
  std::uint64_t came_free_before_ = 0;
  std::uint64_t waited_ns_ = 0;
  std::uint64_t last_end_ns_ = 0;
};

}  // namespace clpool::core
