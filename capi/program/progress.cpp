// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Drawing of the progress bar: one line that is written over.
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "output.hpp"
#include "printable.hpp"
#include "table.hpp"

namespace clpool::program {

namespace {

constexpr unsigned bar_width = 30;
constexpr std::size_t width_beside_label = bar_width + 10;  ///< "[…] 100 %  "

}  // namespace

ProgressBar::ProgressBar(const std::string& label)
    : label_(one_line(label)), is_terminal_(::isatty(STDERR_FILENO) != 0) {}

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
  const unsigned filled = percent * bar_width / 100;
  const std::size_t width = terminal_width(STDERR_FILENO);  // a line that is broken would stay
  const std::string label = first_letters(label_, width - std::min(width, width_beside_label + 1));
  fmt::print(stderr, "\r[{:#<{}}{:.<{}}] {:3} %  {}\033[K", "", filled, "", bar_width - filled, percent,
             label);
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
