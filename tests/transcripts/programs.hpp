// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The programs whose transcripts are kept.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "transcripts/transcript.hpp"

namespace clpool::transcripts {

struct Program {
  std::string name;
  std::function<void(Transcript&)> run;
};

struct Group {
  std::string name;
  std::vector<Program> programs;
};

/// A group of this program alone.
void add_program(std::vector<Group>& groups, std::string name, std::function<void(Transcript&)> run);

/// fuzz/pool_program.hpp's over bytes by chance: of each kind of memory, for each way in which its queues are used.
void add_orders(std::vector<Group>& groups);

/// Over memory that is only numbers, with blocks of up to a gigabyte, limits and threads: numbers.cpp.
void add_numbers(std::vector<Group>& groups);

/// Calls of all functions of the C API, and programs over the C++ layer: the corpora of ../fuzz, and others by chance.
void add_calls(std::vector<Group>& groups);

// Those whose arguments are mostly right: boxes.cpp, images.cpp, guarded.cpp and devices.cpp.
void add_boxes(std::vector<Group>& groups);
void add_images(std::vector<Group>& groups);
void add_guarded(std::vector<Group>& groups);
void add_devices(std::vector<Group>& groups);

std::vector<Group> all_groups();

/// The program's name and its transcript's line; the transcript is printed if `prints` is set. In a process of its own, as
/// what the library keeps for a process is no part of it. Empty where the loader does not find the fake driver, and it alone.
std::string line_of(const Program& program, bool prints = false);

}  // namespace clpool::transcripts
