// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Architectures by name, whoever makes them.
#include "device/architectures.hpp"

#include <algorithm>
#include <charconv>

#include "device/nvidia.hpp"

namespace clpool::core::device {
namespace {

bool parse_number(std::string_view text, std::int64_t& value) noexcept {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// "9.0" or "sm_90", "sm_90a", "sm_120".
bool parse_compute_capability(std::string_view text, std::int64_t& major, std::int64_t& minor) noexcept {
  if (const std::size_t dot = text.find('.'); dot != std::string_view::npos) {
    return parse_number(text.substr(0, dot), major) && parse_number(text.substr(dot + 1), minor);
  }
  if (text.substr(0, 3) != "sm_") {
    return false;
  }
  text.remove_prefix(3);
  if (!text.empty() && (text.back() == 'a' || text.back() == 'f')) {
    text.remove_suffix(1);
  }
  return text.size() >= 2 && parse_number(text.substr(0, text.size() - 1), major) &&
         parse_number(text.substr(text.size() - 1), minor);
}

}  // namespace

Status limits_of_architecture(std::string_view name, Model model, Limits& limits) noexcept {
  std::int64_t major = 0;
  std::int64_t minor = 0;
  if (parse_compute_capability(name, major, minor)) {
    return nvidia_limits(major, minor, model, limits);
  }
  if (model != Model::current) {
    return fail(Status::not_supported, "PyCUDA's device data know NVIDIA's compute capabilities only");
  }
  if (name.substr(0, 3) == "gfx") {
    return amd_limits(name, 0, limits);
  }
  if (name.substr(0, 3) == "gen" || name.substr(0, 2) == "xe") {
    return intel_limits(name, 0, limits);
  }
  return fail(
      Status::not_found,
      "'%.*s' is not a known architecture: write 9.0 or sm_90 (NVIDIA), gfx90a (AMD), gen9, gen11, xe-lp, "
      "xe-hpg, xe-hpc or xe2 (Intel)",
      static_cast<int>(std::min<std::size_t>(name.size(), 1 << 20)), name.data());
}

}  // namespace clpool::core::device
