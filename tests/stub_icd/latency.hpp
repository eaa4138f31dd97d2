// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Simulated time of commands.
#pragma once

#include <string>

#include "objects.hpp"

namespace stub {

/// The kind of a command as options and messages name it: "kernel", "copy", "fill", …
const char* command_name(cl_command_type type);

std::uint64_t duration_of(const Event& event);

/// Gives a command that runs its begin and end.
void take_time(Event& event);

}  // namespace stub
