// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Drawing of the progress bar: one line that is written over.
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace clpool::program {

ProgressBar::ProgressBar(std::string label)
    : label_(std::move(label)), is_terminal_(::isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  if (percent_ <= 100) {
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
  }
}

void ProgressBar::update(std::uint64_t done, std::uint64_t total) {
  const auto percent =
      total == 0 ? 100u
                 : static_cast<unsigned>(100.0 * static_cast<double>(done) / static_cast<double>(total));
  if (!is_terminal_ || percent == percent_) {
    return;
  }
  percent_ = percent;
  constexpr unsigned width = 30;
  const unsigned filled = percent * width / 100;
  fmt::print(stderr, "\r[{:#<{}}{:.<{}}] {:3} %  {}\033[K", "", filled, "", width - filled, percent, label_);
  std::fflush(stderr);
}

std::int32_t ProgressBar::callback(void* user, std::uint64_t done, std::uint64_t total) noexcept {
  try {
    static_cast<ProgressBar*>(user)->update(done, total);
  } catch (const std::exception&) {
    return 0;  // a bar that cannot be drawn must not stop the replay
  }
  return 0;
}

}  // namespace clpool::program
