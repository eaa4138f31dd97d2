// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A progress bar on standard error, where that is a terminal; nothing otherwise.
#pragma once

#include <cstdint>
#include <string>

namespace clpool::program {

class ProgressBar {
 public:
  explicit ProgressBar(const std::string& label);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  /// Wipes the bar away.
  ~ProgressBar();

  /// Draws when the percentage has changed.
  void update(std::uint64_t done, std::uint64_t total);

  /// For clpool_trace_replay_options: `user` is a ProgressBar.
  static std::int32_t callback(void* user, std::uint64_t done, std::uint64_t total) noexcept;

 private:
  const std::string label_;
  const bool is_terminal_;
  unsigned percent_ = 101;  ///< last drawn; over 100: none yet
};

}  // namespace clpool::program
