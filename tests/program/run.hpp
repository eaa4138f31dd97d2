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

/// Runs the program with these arguments, its standard input closed and neither output a terminal.
RunResult run_program(const std::vector<std::string>& arguments);

}  // namespace clpool::test
