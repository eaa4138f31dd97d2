// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A device in JSON, the same in every verb.
#pragma once

#include <nlohmann/json.hpp>

#include "device_choice.hpp"

namespace clpool::program {

nlohmann::ordered_json to_json(const Device& device);

}  // namespace clpool::program
