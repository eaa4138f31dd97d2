// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the program prints where names of others have anything in them: the fake driver's platform is named
// so.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "files.hpp"
#include "run.hpp"
#include "support/environment.hpp"

namespace clpool::test {
namespace {

/// The fake driver alone, with this name.
class NamedDriver {
 public:
  explicit NamedDriver(const std::string& name)
      : vendors_("OCL_ICD_VENDORS", CLPOOL_STUB_VENDORS),
        path_("OPENCL_VENDOR_PATH", CLPOOL_STUB_VENDORS),
        file_("OCL_ICD_FILENAMES", CLPOOL_STUB_FILE),
        options_("CLPOOL_STUB", ("name=" + name).c_str()),
        device_("CLPOOL_DEVICE", "0:0") {}

 private:
  Variable vendors_;
  Variable path_;
  Variable file_;
  Variable options_;
  Variable device_;
};

const std::string harmful = "quo\"te\\ </script> &amp; \x1b[2J\a\x7f \xC3\xA9 \xC2\x9B";

TEST(Names, JsonHoldsWhateverIsInThem) {
  const NamedDriver driver(harmful);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"characterize", "--json"}, {"occupancy", "--threads", "64", "--json"}}) {
    const RunResult run = run_program(arguments);
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const nlohmann::json json = nlohmann::json::parse(run.out, nullptr, false);
    ASSERT_FALSE(json.is_discarded()) << run.out;
    EXPECT_EQ(run.out.find_first_of("<>&\x1b\a\x7f"), std::string::npos) << run.out;
    if (json.contains("device") && json["device"].is_object()) {
      EXPECT_EQ(json["device"]["platform"], harmful);
    }
  }
}

TEST(Names, JsonIsUtf8WhateverIsInThem) {
  const NamedDriver driver("a\xFF\xC3");
  const RunResult run = run_program({"characterize", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["device"]["platform"], "a\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Names, JsonOfReplaysHoldsWhateverIsInNamesOfFiles) {
  const TemporaryFolder folder;
  const std::string log = folder.write("a\"<script>\x1b\xFF.csv", log_of({"0,1,allocate,0x1,1000,0"}));
  const std::string result = folder.path("result.json");
  ASSERT_EQ(run_program({"replay", "--kind", "dry", "--json", result, log}).exit_code, 0);
  const std::string text = read_file(result);
  EXPECT_EQ(text.find_first_of("<>&\x1b"), std::string::npos) << text;
  const std::string name = nlohmann::json::parse(text)["results"][0]["log"];
  EXPECT_TRUE(name.ends_with("a\"<script>\x1b\xEF\xBF\xBD.csv")) << name;
}

TEST(Names, TextSteersNoTerminal) {
  const NamedDriver driver(harmful);
  const TemporaryFolder folder;
  const std::string log = folder.write("a\x1b[2J.csv", log_of({"0,1,allocate,0x1,1000,0"}));
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"devices"},
                                                    {"characterize"},
                                                    {"occupancy", "--threads", "64"},
                                                    {"replay", log},
                                                    {"replay", "--kind", "dry", log + ".none"},
                                                    {"characterize", "--device", "no\x1b[2Jne"}}) {
    const RunResult run = run_program(arguments);
    for (const std::string& text : {run.out, run.err}) {
      EXPECT_EQ(text.find_first_of("\x1b\a\x7f"), std::string::npos) << arguments[0] << ": " << text;
      EXPECT_EQ(text.find("\xC2\x9B"), std::string::npos) << arguments[0] << ": " << text;
    }
  }
  EXPECT_NE(run_program({"devices"}).out.find("quo\"te\\ </script> &amp; ?[2J?? \xC3\xA9 ?"),
            std::string::npos);
}

TEST(Names, ALogWithALinesEndInItsNameIsNamedInOneLine) {
  const TemporaryFolder folder;
  const std::string log = folder.write("a\nclpool: fine.csv", log_of({"0,1,allocate,0x1,1000,0"}));
  const std::string broken = folder.write("b\nclpool: fine.csv", "nonsense\n");
  for (const std::string& path : {log, broken, folder.path("c\nclpool: fine")}) {
    const RunResult run = run_program({"replay", "--kind", "dry", path});
    for (const std::string& text : {run.out, run.err}) {
      EXPECT_EQ(text.find("\nclpool: fine"), std::string::npos) << text;
    }
    EXPECT_NE((run.out + run.err).find("?clpool: fine"), std::string::npos) << run.out << run.err;
  }
}

TEST(Names, DevicesAreListedWhereTheOneThatIsWantedIsNotThere) {
  const NamedDriver driver("fake");
  const Variable wanted("CLPOOL_DEVICE", "accelerator");
  const RunResult run = run_program({"devices"});
  EXPECT_EQ(run.exit_code, 2) << run.out;
  EXPECT_NE(run.out.find("0:0"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("would be taken"), std::string::npos) << run.out;
  EXPECT_NE(run.err.find("there is no device of kind 'accelerator', there are: 'fake'"), std::string::npos)
      << run.err;
  const nlohmann::json json = nlohmann::json::parse(run_program({"devices", "--json"}).out, nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_TRUE(json["chosen"].is_null());
  EXPECT_TRUE(json["device"].is_null());
  EXPECT_FALSE(json["devices"].empty());
}

TEST(Names, TheChosenDeviceIsTheDeviceAsInAllVerbs) {
  const NamedDriver driver("fake");
  const nlohmann::json json = nlohmann::json::parse(run_program({"devices", "--json"}).out, nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  ASSERT_TRUE(json["device"].is_object()) << json;
  EXPECT_EQ(json["device"], json["devices"].at(json["chosen"].get<std::size_t>()));
}

}  // namespace
}  // namespace clpool::test
