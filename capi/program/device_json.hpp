// A device in JSON, the same in every verb.
#pragma once

#include <nlohmann/json.hpp>

#include "device_choice.hpp"

namespace clpool::program {

nlohmann::ordered_json to_json(const Device& device);

}  // namespace clpool::program
