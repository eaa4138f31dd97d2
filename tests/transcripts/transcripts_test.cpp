// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Each program's transcript is the one of which kept.txt has the line. With --keep the lines are written, with --print NAME the
// transcript of a program is.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>

#include "transcripts/programs.hpp"

namespace clpool::transcripts {

void PrintTo(const Group& group, std::ostream* stream);
void PrintTo(const Group& group, std::ostream* stream) {
  *stream << group.name;
}

namespace {

/// {a program's name: its line}
std::map<std::string, std::string> kept_lines() {
  std::map<std::string, std::string> lines;
  std::ifstream file(CLPOOL_KEPT_TRANSCRIPTS);
  for (std::string line; std::getline(file, line);) {
    lines.emplace(line.substr(0, line.find(' ')), line);
  }
  return lines;
}

int keep() {
  std::ofstream file(CLPOOL_KEPT_TRANSCRIPTS);
  for (const Group& group : all_groups()) {
    for (const Program& program : group.programs) {
      file << line_of(program) << '\n';
    }
  }
  file.flush();
  return file ? 0 : 1;
}

int print(const char* name) {
  for (const Group& group : all_groups()) {
    for (const Program& program : group.programs) {
      if (program.name == name) {
        std::puts(line_of(program, true).c_str());
        return 0;
      }
    }
  }
  std::fprintf(stderr, "there is no program %s\n", name);
  return 1;
}

class Transcripts : public testing::TestWithParam<Group> {};

TEST_P(Transcripts, AreThoseThatAreKept) {
  static const std::map<std::string, std::string> kept = kept_lines();
  for (const Program& program : GetParam().programs) {
    const auto line = kept.find(program.name);
    ASSERT_NE(line, kept.end()) << program.name << " is not kept; tests/transcripts/README.md says how to";
    const std::string found = line_of(program);
    if (found.empty()) {
      GTEST_SKIP() << "the OpenCL loader finds drivers without its list of vendors";
    }
    EXPECT_EQ(found, line->second) << "If that is meant, tests/transcripts/README.md says how to keep it";
  }
}

INSTANTIATE_TEST_SUITE_P(, Transcripts, testing::ValuesIn(all_groups()),
                         [](const testing::TestParamInfo<Group>& info) { return info.param.name; });

}  // namespace
}  // namespace clpool::transcripts

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--keep") == 0) {
    return clpool::transcripts::keep();
  }
  if (argc == 3 && std::strcmp(argv[1], "--print") == 0) {
    return clpool::transcripts::print(argv[2]);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
