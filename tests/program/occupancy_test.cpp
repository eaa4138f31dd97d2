// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool occupancy: limits, bars and mistakes, without any device.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "run.hpp"
#include "support/opencl.hpp"

namespace clpool::test {
namespace {

TEST(OccupancyVerb, ShowsTheLimitsAndABarForEachGroupSize) {
  const RunResult run =
      run_program({"occupancy", "--cc", "9.0", "--threads", "256", "--registers", "64", "--local", "16384"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(
      contains(run.out,
               "4 groups of 256 threads per multiprocessor: 32 of 64 warps, occupancy 50.0 %, limited "
               "by registers"))
      << run.out;
  EXPECT_TRUE(contains(run.out, "<- limits")) << run.out;
  EXPECT_TRUE(contains(run.out, "    256  *  ████████████████················  50.0 %       4  registers\n"))
      << run.out;
  EXPECT_TRUE(contains(run.out, "     32     ")) << run.out;
}

TEST(OccupancyVerb, NumbersThatAreNoneAreRefusedAsTheyWereTyped) {
  for (const char* text : {"99999999999999999999", "", "64KB", "1.5", "x"}) {
    const RunResult run = run_program({"occupancy", "--cc", "9.0", "--threads", text});
    EXPECT_EQ(run.exit_code, 2) << text;
    EXPECT_TRUE(contains(run.err, "'" + std::string(text) + "' is no whole number")) << run.err;
  }
}

TEST(OccupancyVerb, SaysWhyNoGroupFitsWithTooManyRegistersAThread) {
  const RunResult run = run_program({"occupancy", "--cc", "9.0", "--threads", "256", "--registers", "300"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "300 a thread, at most 255")) << run.out;
  const RunResult none = run_program({"occupancy", "--cc", "9.0", "--threads", "256"});
  EXPECT_TRUE(contains(none.out, "registers     not counted")) << none.out;
}

TEST(OccupancyVerb, DrawsAFullBarForFullOccupancyOnly) {
  const RunResult run = run_program({"occupancy", "--cc", "9.0"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "███████████████████████████████·   98.4 %")) << run.out;
  EXPECT_TRUE(contains(run.out, "████████████████████████████████  100.0 %")) << run.out;
}

TEST(OccupancyVerb, NamesTheDevice) {
  const OpenCl cl;
  if (cl.device == nullptr) {
    GTEST_SKIP() << "no OpenCL device";
  }
  char name[1000] = "";
  ASSERT_EQ(clGetDeviceInfo(cl.device, CL_DEVICE_NAME, sizeof name, name, nullptr), CL_SUCCESS);
  const RunResult run = run_program({"occupancy", "--device", name});
  if (run.exit_code == 2) {
    GTEST_SKIP() << "no occupancy for this device: " << run.err;
  }
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out.rfind(name, 0), 0u) << run.out;
}

TEST(OccupancyVerb, WritesJsonWithEverythingThatLimits) {
  const RunResult run =
      run_program({"occupancy", "--cc", "8.6", "--threads", "256", "--registers", "33", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["answer"]["groups_per_mp"], 6);
  EXPECT_EQ(json["answer"]["limited_by"], (std::vector<std::string>{"warps", "registers"}));
  EXPECT_TRUE(json["answer"]["limits"].contains("local_memory"));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_TRUE(json["device"].is_null());
  EXPECT_EQ(json["architecture"], "8.6");
  EXPECT_EQ(json["model"], "current");
  EXPECT_EQ(json["group_sizes"].size(), 32u);
  EXPECT_FALSE(json["best_group_sizes"].empty());
}

TEST(OccupancyVerb, KnowsOtherVendorsArchitectures) {
  for (const char* architecture : {"sm_120", "gfx90a", "gfx1100", "xe-hpc"}) {
    const RunResult run = run_program({"occupancy", "--arch", architecture, "--threads", "256"});
    EXPECT_EQ(run.exit_code, 0) << architecture << ": " << run.err;
  }
}

TEST(OccupancyVerb, AnswersAsPycudaWhenAsked) {
  const RunResult run = run_program({"occupancy", "--cc", "1.3", "--model", "pycuda", "--threads", "256",
                                     "--registers", "16", "--local", "4096"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "limited by regs")) << run.out;
  const RunResult in_json = run_program({"occupancy", "--cc", "1.3", "--model", "pycuda", "--threads", "256",
                                         "--registers", "16", "--local", "4096", "--json"});
  const auto json = nlohmann::json::parse(in_json.out);
  EXPECT_EQ(json["model"], "pyopencl") << "the same rules";
  EXPECT_EQ(json["answer"]["limited_by"], (std::vector<std::string>{"registers"})) << "names do not change";
}

TEST(OccupancyVerb, MistakesAreTheUsersAndNameTheLimit) {
  const auto refused = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "occupancy");
    const RunResult run = run_program(arguments);
    EXPECT_EQ(run.exit_code, 2) << testing::PrintToString(arguments);
    EXPECT_EQ(run.out, "");
    return run.err;
  };
  EXPECT_TRUE(contains(refused({"--cc", "4.0", "--threads", "32"}), "compute capability 4.0 is not known"));
  EXPECT_TRUE(contains(refused({"--cc", "nine", "--threads", "32"}), "'nine' is not a known architecture"));
  EXPECT_TRUE(
      contains(refused({"--cc", "9.0", "--threads", "0"}), "threads per group is 0, valid are 1 to 1024"));
  EXPECT_TRUE(contains(refused({"--cc", "9.0", "--threads", "4096"}), "too many threads: 4096"));
  EXPECT_TRUE(contains(refused({"--cc", "9.0", "--threads", "32", "--registers", "-1"}),
                       "registers per thread is -1"));
  EXPECT_TRUE(contains(refused({"--cc", "9.0", "--local", "-1"}), "local memory per group in bytes is -1"));
}

}  // namespace
}  // namespace clpool::test
