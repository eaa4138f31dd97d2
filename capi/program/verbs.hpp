// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The program's verbs. Each function adds one to the command line; when it is chosen, `run` is set to what it
// does and returns the exit code, or throws Failure.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace clpool::program {

using Run = std::function<int()>;

void add_characterize_verb(CLI::App& program, Run& run);
void add_completion_verb(CLI::App& program, Run& run);
void add_devices_verb(CLI::App& program, Run& run);
void add_help_verb(CLI::App& program, Run& run);
void add_occupancy_verb(CLI::App& program, Run& run);
void add_replay_verb(CLI::App& program, Run& run);

}  // namespace clpool::program
