// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// WaitedSlack: how many times the slack may be held back before requests wait for it. Once, unless the device gets more done
// with more in flight: where requests wait most of the time, twice as much is tried now and then, and stays if the device
// then gets through clearly more than before, in each of several windows of time, and no more again when it has as much as
// before. More is more bytes and more blocks: larger blocks alone are not a faster device. It does not become less again by
// itself: a pool has the memory by then.
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
  /// What was held back and came free so far.
  struct Freed {
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
  };

  /// 1 to 16.
  std::uint64_t times() const noexcept { return times_; }
  /// Whether it is to be seen what the device gets done with less than that held back, as before a try: requests then wait for
  /// it even where something is free, as the pool has the memory of the try by now.
  bool is_too_much(std::uint64_t held_back) const noexcept {
    return phase_ == Phase::goes_back && held_back > held_back_before_;
  }

  /// Bytes of the largest block of which more may be held back than the slack allows: little more than what came free on
  /// average before the first try.
  std::uint64_t largest_block() const noexcept { return largest_block_; }

  /// A request has waited, in vain or not. `held_back`: bytes that still are.
  void note_wait(std::uint64_t start_ns, std::uint64_t end_ns, const Freed& freed,
                 std::uint64_t held_back) noexcept {
    if (phase_ == Phase::watches) {
      held_back_before_ = std::max(held_back_before_, held_back);
    }
    waited_ns_ += end_ns - std::clamp(last_end_ns_, start_ns, end_ns);  // threads wait at the same time
    last_end_ns_ = end_ns;
    const std::uint64_t elapsed = end_ns - began_ns_;
    const std::uint64_t gone = freed.bytes - before_.bytes;
    if (elapsed >= window_ns && (!fills_ || gone / 2 >= held_back || elapsed >= longest_filling_ns)) {
      const auto per_ns = [&](std::uint64_t count) {
        return static_cast<double>(count) / static_cast<double>(elapsed);
      };
      end_window({per_ns(gone), per_ns(freed.blocks - before_.blocks)}, waited_ns_ >= elapsed / 2);
      begin_window(end_ns, freed);
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
  static constexpr double larger = 1.25;

  enum class Phase : std::uint8_t { watches, tries, goes_back };

  /// What came free in a nanosecond.
  struct Rate {
    double bytes = 0;
    double blocks = 0;

    /// Clearly more of both.
    bool is_gain_over(const Rate& other) const noexcept {
      return bytes >= gain * other.bytes && blocks >= gain * other.blocks;
    }
    void raise_to(const Rate& other) noexcept {
      bytes = std::max(bytes, other.bytes);
      blocks = std::max(blocks, other.blocks);
    }
    void lower_to(const Rate& other) noexcept {
      bytes = std::min(bytes, other.bytes);
      blocks = std::min(blocks, other.blocks);
    }
  };

  void begin_window(std::uint64_t now_ns, const Freed& freed) noexcept {
    began_ns_ = now_ns;
    before_ = freed;
    waited_ns_ = 0;
  }
  /// `waits`: requests waited most of the time.
  void end_window(const Rate& rate, bool waits) noexcept {
    if (std::exchange(fills_, false)) {
      return;  // what is in flight has become more, or less
    }
    switch (phase_) {
      case Phase::watches:
        return watch(rate, waits);
      case Phase::tries:
        rate_with_more_.lower_to(rate);
        if (!rate.is_gain_over(best_)) {
          times_ /= 2;
          end_try(false);
        } else if (!waits || ++windows_ == windows_of_a_try) {  // with twice as much nobody may have to wait
          times_ /= 2;
          begin(Phase::goes_back);
        }
        return;
      case Phase::goes_back:
        best_.raise_to(rate);
        if (!rate_with_more_.is_gain_over(best_) ||
            !waits) {  // it was something else that made it faster, or there is less to do
          end_try(false);
        } else if (++windows_ == windows_of_going_back) {
          times_ *= 2;
          end_try(true);
        }
    }
  }
  void watch(const Rate& rate, bool waits) noexcept {
    if (!waits) {
      windows_ = 0;
      forget();
    } else if (times_ < most_times) {
      ++windows_;
      if (windows_ + windows_to_compare > between_) {  // the last few before the try
        best_.raise_to(rate);
      } else {
        forget();
      }
      if (windows_ >= between_) {
        if (times_ == 1) {
          largest_block_ =
              best_.blocks > 0 ? static_cast<std::uint64_t>(larger * best_.bytes / best_.blocks) : 0;
        }
        times_ *= 2;
        begin(Phase::tries);
        rate_with_more_ = {std::numeric_limits<double>::max(), std::numeric_limits<double>::max()};
      }
    }
  }
  void forget() noexcept {
    best_ = {};
    held_back_before_ = 0;
  }
  void begin(Phase phase) noexcept {
    phase_ = phase;
    fills_ = phase != Phase::watches;
    windows_ = 0;
  }
  void end_try(bool stays) noexcept {
    between_ = stays ? windows_to_compare : std::min(2 * between_, most_windows);
    begin(Phase::watches);
  }

  std::uint64_t times_ = 1;
  Phase phase_ = Phase::watches;
  bool fills_ = false;  ///< what is in flight, until twice as much has gone
  unsigned windows_ = 0;
  unsigned between_ = windows_to_compare;  ///< windows from one try to the next
  std::uint64_t largest_block_ = 0;
  Rate best_;                           ///< with less in flight
  std::uint64_t held_back_before_ = 0;  ///< the most after a wait, in the windows of that
  Rate rate_with_more_;                 ///< the least of the try
  std::uint64_t began_ns_ = 0;          ///< the window; the first one ends with the first wait
  Freed before_;                        ///< … it began
  std::uint64_t waited_ns_ = 0;
  std::uint64_t last_end_ns_ = 0;
};

}  // namespace clpool::core
