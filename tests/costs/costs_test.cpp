// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Each program costs what is kept in kept.txt. With --keep these are written, with --print NAME a program's operations shown.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "costs/account.hpp"
#include "costs/programs.hpp"

namespace clpool::costs {
namespace {

/// {a program's name: its line}
std::map<std::string, std::string> kept_lines() {
  std::map<std::string, std::string> lines;
  std::ifstream file(CLPOOL_KEPT_COSTS);
  for (std::string line; std::getline(file, line);) {
    lines.emplace(line.substr(0, line.find(' ')), line);
  }
  return lines;
}

int keep() {
  std::ofstream file(CLPOOL_KEPT_COSTS);
  file << "program " << columns() << '\n';
  for (const Group& group : all_groups()) {
    for (const Program& program : group.programs) {
      file << cost_of(program) << '\n';
    }
  }
  file.flush();
  return file ? 0 : 1;
}

int print(const char* name) {
  for (const Group& group : all_groups()) {
    for (const Program& program : group.programs) {
      if (program.name == name) {
        std::puts(cost_of(program, true).c_str());
        return 0;
      }
    }
  }
  std::fprintf(stderr, "there is no program %s\n", name);
  return 1;
}

class Costs : public testing::TestWithParam<Group> {};

TEST_P(Costs, AreThoseThatAreKept) {
  static const std::map<std::string, std::string> kept = kept_lines();
  for (const Program& program : GetParam().programs) {
    const auto line = kept.find(program.name);
    ASSERT_NE(line, kept.end()) << program.name << " is not kept; README.md says how to";
    EXPECT_EQ(cost_of(program), line->second)
        << "where " << columns() << "\nIf that is meant, README.md says how to keep it";
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, Costs, testing::ValuesIn(all_groups()),
                         [](const testing::TestParamInfo<Group>& info) { return info.param.name; });

}  // namespace
}  // namespace clpool::costs

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--keep") == 0) {
    return clpool::costs::keep();
  }
  if (argc == 3 && std::strcmp(argv[1], "--print") == 0) {
    return clpool::costs::print(argv[2]);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
