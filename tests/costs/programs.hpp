// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The programs whose costs are kept: fuzz/pool_program.hpp's, over bytes by chance.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace clpool::costs {

struct Program {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

/// Of each kind of memory, for each way in which its queues are used.
struct Group {
  std::string name;
  std::vector<Program> programs;
};

std::vector<Group> all_groups();

/// What the program costs, as account.hpp's line; each operation's is printed if `prints` is set. In a process of its own, as
/// what the library keeps for a process is no part of it.
std::string cost_of(const Program& program, bool prints = false);

}  // namespace clpool::costs
