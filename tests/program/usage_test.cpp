// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Help, version, wrong usage, and the choice of the device.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "files.hpp"
#include "run.hpp"
#include "support/opencl.hpp"

namespace clpool::test {
namespace {

TEST(Program, SaysItsVersion) {
  for (const char* option : {"--version", "-V"}) {
    const RunResult run = run_program({option});
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_EQ(run.out, "clpool 1.0.0\n");
    EXPECT_EQ(run.err, "");
  }
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
  for (const char* option : {"LOG...", "--device", "--kind", "--strategy", "--json"}) {
    EXPECT_TRUE(contains(replay.out, option)) << option << " in\n" << replay.out;
  }
  const RunResult devices = run_program({"devices", "--help"});
  EXPECT_EQ(devices.exit_code, 0);
  EXPECT_TRUE(contains(devices.out, "--device")) << devices.out;
}

TEST(Program, HelpsAlsoAsAVerb) {
  EXPECT_EQ(run_program({"help"}).out, run_program({"--help"}).out);
  for (const char* verb : {"devices", "characterize", "occupancy", "replay", "completion"}) {
    const RunResult help = run_program({"help", verb});
    EXPECT_EQ(help.exit_code, 0) << verb;
    EXPECT_EQ(help.out, run_program({verb, "--help"}).out) << verb;
  }
}

TEST(Program, NamesWrongWordsAndTheNearestRightOnes) {
  const struct {
    std::vector<std::string> arguments;
    const char* wrong;
    const char* nearest;  ///< null: nothing is like it
  } cases[] = {{{"replai"}, "'replai'", "'replay'"},
               {{"dveices"}, "'dveices'", "'devices'"},
               {{"occ"}, "'occ'", "'occupancy'"},
               {{"dance"}, "'dance'", nullptr},
               {{"--versoin"}, "'--versoin'", "'--version'"},
               {{"devices", "--devic=3"}, "'--devic'", "'--device'"},
               {{"replay", "--strateggy", "all", "x.csv"}, "'--strateggy'", "'--strategy'"},
               {{"replay", "--strategy", "binnd", "x.csv"}, "'binnd'", "'binned'"},
               {{"replay", "--kind", "cloud", "x.csv"}, "'cloud'", nullptr},
               {{"occupancy", "--cc", "9.0", "--model", "pycude"}, "'pycude'", "'pycuda'"},
               {{"completion", "bsh"}, "'bsh'", "'bash'"},
               {{"help", "replai"}, "'replai'", "'replay'"},
               {{"devices", "extra"}, "extra", nullptr},
               {{"occupancy", "--cc", "9.0", "--threads", "many"}, "many", nullptr}};
  for (const auto& [arguments, wrong, nearest] : cases) {
    const RunResult run = run_program(arguments);
    EXPECT_EQ(run.exit_code, 2) << testing::PrintToString(arguments);
    EXPECT_TRUE(run.err.starts_with("clpool: ")) << run.err;
    EXPECT_TRUE(contains(run.err, wrong)) << run.err;
    EXPECT_EQ(contains(run.err, "did you mean"), nearest != nullptr) << run.err;
    EXPECT_TRUE(nearest == nullptr || contains(run.err, nearest)) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
}

TEST(Program, NamesAnOptionThatIsGivenTwiceAsItWasWritten) {
  const RunResult both = run_program({"occupancy", "--cc", "9.0", "--arch=gfx90a", "--threads", "64"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_EQ(both.err, "clpool: '--cc' and '--arch' are the same option, which takes one value\n");
  const RunResult twice = run_program({"occupancy", "--arch", "9.0", "--arch", "8.0"});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_EQ(twice.err, "clpool: '--arch' is given twice; it takes one value\n");
}

TEST(Program, TellsThatItsOutputCouldNotBeWritten) {
  if (::access("/dev/full", W_OK) != 0) {
    GTEST_SKIP() << "there is no /dev/full";
  }
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--help"},
                                             {"--version"},
                                             {"help", "replay"},
                                             {"completion", "zsh"},
                                             {"occupancy", "--cc", "9.0"},
                                             {"occupancy", "--cc", "9.0", "--json"}}) {
    const RunResult run = run_program(arguments, {.input = "/dev/null", .output = "/dev/full"});
    EXPECT_EQ(run.exit_code, 2) << testing::PrintToString(arguments);
    EXPECT_TRUE(contains(run.err, "standard output: cannot be written: ")) << run.err;
  }
  const RunResult run = run_program({"occupancy", "--cc", "9.0", "--json", "/dev/full"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(contains(run.err, "/dev/full: cannot be written: ")) << run.err;
}

/// As on a full disk: what there was stays.
TEST(Program, OverwritesNoFileThatItsOutputHasNoRoomFor) {
  const TemporaryFolder folder;
  const std::string old = "{\"old\": 1}";
  const std::string path = folder.write("old.json", old);
  // A block of 1,024 bytes, which is less than is written.
  const std::string command =
      "ulimit -f 1; exec " CLPOOL_PROGRAM " occupancy --cc 9.0 --json " + path + " >/dev/null 2>/dev/null";
  const int status = std::system(("bash -c \"" + command + "\"").c_str());
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_EQ(read_file(path), old);
  ASSERT_EQ(run_program({"occupancy", "--cc", "9.0", "--json", path}).exit_code, 0);
  const std::string longer = read_file(path);
  EXPECT_TRUE(longer.starts_with("{")) << longer;
  ASSERT_EQ(run_program({"occupancy", "--cc", "9.0", "--json", folder.write("old.json", longer + "\n\n\n\n")})
                .exit_code,
            0);
  EXPECT_EQ(read_file(path), longer) << "and nothing is left of a longer one";
}

TEST(Program, EndsWithItsStatusWhereErrorsCannotBeWritten) {
  if (::access("/dev/full", W_OK) != 0) {
    GTEST_SKIP() << "there is no /dev/full";
  }
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{}, {"nope"}, {"devices", "--bogus"}, {"replay", "/nope"}}) {
    const int told = run_program(arguments).exit_code;
    EXPECT_EQ(run_program(arguments, {.errors = "/dev/full"}).exit_code, told)
        << testing::PrintToString(arguments);
  }
}

TEST(Program, JsonMeansTheSameInEveryVerb) {
  const TemporaryFolder folder;
  const std::string log = folder.write("log.csv", log_of({"0,0,allocate,0x1,8,0"}));
  const std::vector<std::vector<std::string>> verbs = {{"occupancy", "--cc", "9.0"},
                                                       {"replay", "--kind", "dry", log}};
  for (std::vector<std::string> arguments : verbs) {
    const std::string text = run_program(arguments).out;
    const auto with = [&](std::vector<std::string> more) {
      std::vector<std::string> all = arguments;
      all.insert(all.end(), more.begin(), more.end());
      return run_program(all);
    };
    const std::string json = with({"--json"}).out;
    EXPECT_TRUE(json.starts_with("{")) << json;
    EXPECT_TRUE(with({"--json", "-"}).out.starts_with("{"));
    EXPECT_TRUE(with({"--json=-"}).out.starts_with("{"));
    const std::string path = folder.path(arguments[0] + ".json");
    for (int i = 0; i < 2; ++i) {  // also over what is there
      const RunResult run = with({"--json", path});
      EXPECT_EQ(run.exit_code, 0) << run.err;
      EXPECT_EQ(run.out.substr(0, 20), text.substr(0, 20));
      const std::string written = read_file(path);
      EXPECT_TRUE(written.starts_with("{") && written.ends_with("}\n")) << written;
    }
  }
}

TEST(Program, JsonOverwritesNothingElse) {
  const TemporaryFolder folder;
  const std::string text = log_of({"0,0,allocate,0x1,8,0"});
  const std::string log = folder.write("log.csv", text);
  const std::string other = folder.write("other.csv", text);
  const RunResult input = run_program({"replay", "--kind", "dry", "--json", log, log});
  EXPECT_EQ(input.exit_code, 2);
  EXPECT_TRUE(contains(input.err, log)) << input.err;
  const RunResult another = run_program({"replay", "--kind", "dry", "--json", other, log});
  EXPECT_EQ(another.exit_code, 2);
  EXPECT_TRUE(contains(another.err, other)) << another.err;
  for (const std::string& path : {log, other}) {
    EXPECT_EQ(read_file(path), text);
  }
}

TEST(Program, JsonOverwritesNoFileThatOnlyBeginsAsJsonDoes) {
  const TemporaryFolder folder;
  const auto with = [](const std::string& path) {
    return run_program({"occupancy", "--cc", "9.0", "--json", path});
  };
  for (const std::string& text :
       {std::string("[section]\nkey = 1\n"), std::string("{{ template }}\n"), std::string("[1, 2"),
        std::string("{} {}"), std::string(" \n["), std::string("7\0\0\0", 4)}) {
    const std::string path = folder.write("other.ini", text);
    const RunResult run = with(path);
    EXPECT_EQ(run.exit_code, 2) << text;
    EXPECT_TRUE(contains(run.err, "is no JSON")) << run.err;
    EXPECT_EQ(read_file(path), text);
  }
  for (const std::string text : {"", "[]", " {\"a\": [1]}\n"}) {
    const RunResult run = with(folder.write("own.json", text));
    EXPECT_EQ(run.exit_code, 0) << run.err << text;
  }
  const std::string large = folder.write("large.json", "1");
  ASSERT_EQ(truncate(large.c_str(), (off_t{64} << 20) + 1), 0);
  const RunResult refused = with(large);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(contains(refused.err, "has 67108865 bytes, the most that --json overwrites are 67108864"))
      << refused.err;
}

TEST(Program, ReadsALogFromStandardInput) {
  const TemporaryFolder folder;
  const std::string log = folder.write("log.csv", log_of({"0,0,allocate,0x1,8,0"}));
  const RunResult run = run_program({"replay", "--kind", "dry", "-"}, {.input = log, .output = ""});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "standard input: 1 events")) << run.out;
  const RunResult empty = run_program({"replay", "--kind", "dry", "-"});
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_TRUE(contains(empty.err, "standard input: ")) << empty.err;
  const RunResult large =
      run_program({"replay", "--kind", "dry", "--largest-log", "10", "-"}, {.input = log, .output = ""});
  EXPECT_EQ(large.exit_code, 2);
  EXPECT_TRUE(contains(large.err, "standard input: ") && contains(large.err, "10 bytes")) << large.err;
}

/// Code points of the longest line.
std::size_t widest_line(const std::string& text) {
  std::size_t most = 0;
  std::size_t width = 0;
  for (const char byte : text) {
    width = byte == '\n' ? 0 : width + ((static_cast<unsigned char>(byte) & 0xC0) != 0x80 ? 1 : 0);
    most = std::max(most, width);
  }
  return most;
}

TEST(Program, TablesFitTheTerminal) {
  const std::vector<std::string> arguments = {"occupancy",   "--cc", "7.5",     "--threads", "96",
                                              "--registers", "64",   "--local", "16384"};
  const std::string wide = run_program(arguments).out;
  const std::string table = wide.substr(wide.find("threads  "));
  for (const std::size_t width : {70, 60}) {
    ::setenv("COLUMNS", std::to_string(width).c_str(), 1);
    const std::string text = run_program(arguments).out;
    ::unsetenv("COLUMNS");
    const std::string narrow = text.substr(text.find("threads  "));
    EXPECT_LE(widest_line(narrow), width) << narrow;
    EXPECT_GT(widest_line(table), width) << "or nothing is tested";
    std::string words = narrow;
    std::erase_if(words, [](char byte) { return byte == ' ' || byte == '\n'; });
    EXPECT_TRUE(contains(words, "*reachesthehighestoccupancy")) << narrow;
  }
}

TEST(Program, ATableThatCannotFitTheTerminalIsAListOfItsCells) {
  const std::vector<std::string> arguments = {"occupancy", "--cc", "7.5"};
  ::setenv("COLUMNS", "30", 1);
  const std::string text = run_program(arguments).out;
  ::unsetenv("COLUMNS");
  const std::string list = text.substr(text.find("threads  "));
  EXPECT_LE(widest_line(list), 36u) << list;
  EXPECT_TRUE(contains(list, "limited by")) << list;
}

TEST(Program, HasNoLegendOfWhatIsNotInTheTable) {
  const std::string text = run_program({"occupancy", "--cc", "9.0", "--registers", "999"}).out;
  EXPECT_TRUE(contains(text, "0.0 %")) << text;
  EXPECT_FALSE(contains(text, "*")) << text;
}

TEST(Program, WritesNoFileInPlaceOfAStreamThatIsClosed) {
  const TemporaryFolder folder;
  const std::string file = folder.path("facts.json");
  const RunResult output = run_program({"occupancy", "--cc", "7.5", "--json", file}, {.closed = {1}});
  EXPECT_EQ(output.exit_code, 2);
  EXPECT_TRUE(contains(output.err, "Bad file descriptor")) << output.err;
  EXPECT_EQ(run_program({"occupancy", "--cc", "7.5", "--json", file}, {.closed = {0, 1, 2}}).exit_code, 2);
  EXPECT_EQ(run_program({"occupancy", "--cc", "7.5", "--json", file}, {.closed = {2}}).exit_code, 0);
  const std::string text = read_file(file);
  EXPECT_EQ(text.front(), '{') << text;
}

TEST(Program, ShellsAndTheManualKnowAllItsWords) {
  const RunResult bash = run_program({"completion", "bash"});
  const RunResult zsh = run_program({"completion", "zsh"});
  EXPECT_EQ(bash.exit_code, 0) << bash.err;
  EXPECT_EQ(zsh.exit_code, 0) << zsh.err;
  std::string manual = read_file(CLPOOL_MANUAL);
  std::erase(manual, '\\');
  for (const char* verb : {"devices", "characterize", "occupancy", "replay", "completion", "help"}) {
    const std::string help = run_program({verb, "--help"}).out;
    for (const std::string* text : {&bash.out, &zsh.out, &std::as_const(manual)}) {
      EXPECT_TRUE(contains(*text, verb)) << verb;
      for (std::size_t at = help.find("--"); at != std::string::npos; at = help.find("--", at + 1)) {
        const std::string option = help.substr(at, help.find_first_of(" ,\n", at) - at);
        EXPECT_TRUE(contains(*text, option)) << verb << " " << option;
      }
    }
  }
  for (const char* word : {"buffer svm pinned dry", "direct binned coalescing all", "pycuda-2014"}) {
    EXPECT_TRUE(contains(bash.out, word)) << word;
    EXPECT_TRUE(contains(zsh.out, word)) << word;
  }
}

TEST(Program, BashCompletesItsWords) {
  const TemporaryFolder folder;
  const std::string script = folder.write("completion", run_program({"completion", "bash"}).out);
  const auto completed = [&](const std::string& line, int word) {
    const std::string result = folder.path("words");
    const std::string command = "bash -c 'source " + script + "; COMP_WORDS=(" + line +
                                "); COMP_CWORD=" + std::to_string(word) +
                                "; _clpool; echo \"${COMPREPLY[@]}\"' > " + result;
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return read_file(result);
  };
  EXPECT_EQ(completed("clpool rep", 1), "replay\n");
  EXPECT_EQ(completed("clpool occupancy --m", 2), "--model\n");
  EXPECT_EQ(completed("clpool replay --kind d", 3), "dry\n");
  EXPECT_EQ(completed("clpool replay --kind = d", 4), "dry\n") << "as bash takes --kind=d apart";
  EXPECT_EQ(completed("clpool replay --kind =", 3), "buffer svm pinned dry\n");
  EXPECT_EQ(completed("clpool occupancy --cc \"\"", 3), "\n") << "any";
  EXPECT_EQ(completed("clpool help oc", 2), "occupancy\n");
  EXPECT_EQ(completed("clpool replay " + script, 2), script + "\n");
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
  EXPECT_TRUE(contains(run.err, "--device: no ")) << run.err;
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
