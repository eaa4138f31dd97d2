// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// --model: whose rules answer questions about devices.
#pragma once

#include <cstdint>

namespace CLI {
class App;
}

namespace clpool::program {

/// As the option takes it.
const char* model_name(std::uint32_t model);

/// Adds the option to a verb; `model` becomes one of CLPOOL_MODEL_….
void add_model_option(CLI::App& verb, std::uint32_t& model);

}  // namespace clpool::program
