// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Runs the clpool program and keeps what it printed.
#pragma once

#include <string>
#include <vector>

namespace clpool::test {

struct RunResult {
  int exit_code = -1;  ///< 128 + the signal's number if one ended it
  std::string out;
  std::string err;
};

/// What the program reads from, and writes to: kept in RunResult::out and ::err where it is empty.
struct RunFiles {
  std::string input = "/dev/null";
  std::string output = {};
  std::string errors = {};
  std::vector<int> closed = {};  ///< of 0, 1 and 2, when it begins
};

/// Runs the program with these arguments, none of its files a terminal.
RunResult run_program(const std::vector<std::string>& arguments, const RunFiles& files = {});

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace clpool::test
