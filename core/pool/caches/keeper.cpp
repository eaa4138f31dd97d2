// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// When a keeper keeps less. With the pool's mutex held.
#include "pool/caches/keeper.hpp"

#include <utility>

namespace clpool::core {
namespace {

/// What is compared is how many chunks were exchanged in a window of so many requests, if they were so many:
/// a fifth of what a pool may spend of driver calls.
constexpr std::uint64_t requests_a_window = 4096;
constexpr std::uint64_t many_exchanged = 8;

/// As a program may have become another one that needs all: of one that has not a window in twenty is such a trial.
constexpr std::uint64_t most_windows = 64;

}  // namespace

void Keeper::note_time(std::uint64_t requests) noexcept {
  const std::uint64_t windows = (requests - window_start_) / requests_a_window;
  if (windows == 0) {
    return;
  }
  window_start_ = requests;
  const std::uint64_t exchanged = (exchanged_ - std::exchange(exchanged_at_start_, exchanged_)) / windows;
  if (std::exchange(settles_, false)) {
    return;  // what it kept went back to the pool by and by
  }
  if (keeps_less_) {
    const bool helps = 2 * exchanged <= exchanged_with_all_;
    if (!helps || --windows_left_ == 0) {
      keeps_less_ = false;
      exchanged_with_all_ = 0;
      windows_left_ = helps ? 0 : windows_;
      windows_ = std::min(2 * windows_, most_windows);
    }
  } else if (windows_left_ != 0) {
    --windows_left_;
  } else if (exchanged < many_exchanged) {
    exchanged_with_all_ = 0;
    windows_ = std::max(windows_ / 2, least_windows);
  } else if (std::exchange(exchanged_with_all_, exchanged) != 0) {
    // Twice in a row: a pool that begins, or keeps as much again since a moment ago, exchanges some anyway.
    keeps_less_ = settles_ = true;
    windows_left_ = windows_;
  }
}

}  // namespace clpool::core
