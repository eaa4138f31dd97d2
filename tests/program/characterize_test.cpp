// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool characterize: the report for people, and the one for programs.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run.hpp"
#include "support/opencl.hpp"

namespace clpool::test {
namespace {

class CharacterizeVerb : public OpenClTest {};

TEST_F(CharacterizeVerb, ShowsEveryAnswerWithItsSource) {
  const RunResult run = run_program({"characterize"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* part : {"SIMD width", "banks", "SVM: coarse-grain buffers", "double", "compute capability",
                           "source", "query", "-cl-mad-enable"}) {
    EXPECT_NE(run.out.find(part), std::string::npos) << part << " in\n" << run.out;
  }
}

TEST_F(CharacterizeVerb, WritesJsonWithTheSameAnswers) {
  const RunResult run = run_program({"characterize", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["answers"].size(), 19u);
  EXPECT_GE(json["answers"]["simd_group_size"]["value"], 1);
  for (const auto& [name, answer] : json["answers"].items()) {
    EXPECT_NE(answer["source"], "unknown") << name;
    EXPECT_TRUE(answer["value"].is_number_integer()) << name;
    EXPECT_TRUE(answer["note"].is_string()) << name;
  }
  EXPECT_FALSE(json.contains("performance"));
}

TEST_F(CharacterizeVerb, RefusesADeviceThatIsNotThere) {
  const RunResult run = run_program({"characterize", "--device", "no such device"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("no such device"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace clpool::test
