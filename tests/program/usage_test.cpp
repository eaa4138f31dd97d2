// Help, version, wrong usage, and the choice of the device.
#include <gtest/gtest.h>

#include <cstdlib>

#include "files.hpp"
#include "run.hpp"
#include "support/opencl.hpp"

namespace clpool::test {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Program, SaysItsVersion) {
  const RunResult run = run_program({"--version"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, "clpool 1.0.0\n");
  EXPECT_EQ(run.err, "");
}

TEST(Program, HelpsWithEachVerb) {
  const RunResult program = run_program({"--help"});
  EXPECT_EQ(program.exit_code, 0);
  EXPECT_TRUE(contains(program.out, "replay")) << program.out;
  EXPECT_TRUE(contains(program.out, "devices")) << program.out;
  EXPECT_TRUE(contains(program.out, "characterize")) << program.out;
  EXPECT_TRUE(contains(program.out, "occupancy")) << program.out;
  EXPECT_TRUE(contains(program.out, "Exit codes")) << program.out;
  const RunResult replay = run_program({"replay", "--help"});
  EXPECT_EQ(replay.exit_code, 0);
  for (const char* option : {"TRACE", "--device", "--kind", "--strategy", "--json"}) {
    EXPECT_TRUE(contains(replay.out, option)) << option << " in\n" << replay.out;
  }
  const RunResult devices = run_program({"devices", "--help"});
  EXPECT_EQ(devices.exit_code, 0);
  EXPECT_TRUE(contains(devices.out, "--device")) << devices.out;
}

TEST(Program, RefusesWrongUsageWithTwo) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"dance"},
                                             {"replay"},
                                             {"replay", "--kind", "cloud", "x.csv"},
                                             {"replay", "--strategy", "fast", "x.csv"},
                                             {"replay", "--what", "x.csv"},
                                             {"devices", "extra"}}) {
    const RunResult run = run_program(arguments);
    EXPECT_EQ(run.exit_code, 2) << testing::PrintToString(arguments);
    EXPECT_EQ(run.out, "") << testing::PrintToString(arguments);
    EXPECT_NE(run.err, "") << testing::PrintToString(arguments);
  }
}

class ProgramOnADevice : public OpenClTest {};

TEST_F(ProgramOnADevice, ListsDevicesAndMarksTheOneThatWouldBeTaken) {
  const RunResult run = run_program({"devices"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "\n*  ")) << run.out;
  EXPECT_TRUE(contains(run.out, "* would be taken\n")) << run.out;
  EXPECT_EQ(run.err, "");
}

TEST_F(ProgramOnADevice, RefusesADeviceThatIsNotThere) {
  const RunResult run = run_program({"devices", "--device", "no such device"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(contains(run.err, "no such device")) << run.err;
}

TEST(Program, WithoutAnyDeviceTheDeviceHasFailedAndDryReplaysWork) {
  const TemporaryFolder folder;
  const std::string log = folder.write("log.csv", log_of({"0,0,allocate,0x1,8,0"}));
  ::setenv("OCL_ICD_VENDORS", "/nowhere", 1);
  const RunResult devices = run_program({"devices"});
  const RunResult replay = run_program({"replay", log});
  const RunResult dry = run_program({"replay", "--kind", "dry", log});
  ::unsetenv("OCL_ICD_VENDORS");
  EXPECT_EQ(dry.exit_code, 0) << dry.err;
  if (devices.exit_code == 0) {
    GTEST_SKIP() << "the OpenCL loader finds drivers without its list of vendors";
  }
  const std::string message = "clpool: no OpenCL device found (is a driver or PoCL installed?)\n";
  EXPECT_EQ(devices.exit_code, 1);
  EXPECT_EQ(devices.err, message);
  EXPECT_EQ(replay.exit_code, 1);
  EXPECT_EQ(replay.err, message);
}

}  // namespace
}  // namespace clpool::test
