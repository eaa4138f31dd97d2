// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Rounding to three or four significant digits and the right unit.
#include "units.hpp"

#include <fmt/format.h>

#include <array>

namespace clpool::program {

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 7> units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) {
    return fmt::format("{} B", bytes);
  }
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string human_time(std::uint64_t picoseconds) {
  const double nanoseconds = static_cast<double>(picoseconds) / 1e3;
  if (nanoseconds < 99.95) {
    return fmt::format("{:.1f} ns", nanoseconds);
  }
  if (nanoseconds < 999.5) {
    return fmt::format("{:.0f} ns", nanoseconds);
  }
  return nanoseconds < 999.5e3 ? fmt::format("{:.2f} µs", nanoseconds / 1e3)
                               : fmt::format("{:.2f} ms", nanoseconds / 1e6);
}

std::string human_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

}  // namespace clpool::program
