// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Members of a device.
#include "device_json.hpp"

#include <fmt/format.h>

namespace clpool::program {

nlohmann::ordered_json to_json(const Device& device) {
  return {{"selector", fmt::format("{}:{}", device.platform_index, device.index_in_platform)},
          {"name", device.name},
          {"vendor", device.vendor},
          {"platform", device.platform_name},
          {"type", type_name(device)},
          {"version", device.version},
          {"memory_bytes", device.memory},
          {"largest_allocation_bytes", device.largest}};
}

}  // namespace clpool::program
