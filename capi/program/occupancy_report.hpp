// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// An occupancy answer as a table with a bar picture over group sizes, and as JSON.
#pragma once

#include <clpool/answer.h>
#include <clpool/occupancy.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device_choice.hpp"

namespace clpool::program {

/// One bar.
struct GroupSize {
  std::uint32_t threads = 0;
  clpool_occupancy occupancy = CLPOOL_OCCUPANCY_INIT;
  bool is_best = false;
};

struct OccupancyReport {
  std::string architecture;                    ///< as the user named it; empty: a device's
  std::optional<Device> device;                ///< none: an architecture's
  std::uint32_t model = CLPOOL_MODEL_CURRENT;  ///< whose rules answer
  clpool_device_limits limits;
  clpool_occupancy_request request;
  std::optional<clpool_occupancy> answer;  ///< for the request's threads, if any were asked for
  std::vector<GroupSize> sizes;
};

/// Distance of the bars: a warp, or more where that would be over 64 of them.
std::uint32_t step_of_group_sizes(const clpool_device_limits& limits);

std::string as_text(const OccupancyReport& report);
std::string as_json(const OccupancyReport& report);

}  // namespace clpool::program
