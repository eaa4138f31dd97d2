// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool replay: what it prints for good logs, and how it refuses bad ones.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "files.hpp"
#include "run.hpp"
#include "support/environment.hpp"
#include "support/opencl.hpp"

namespace clpool::test {
namespace {

const std::string good_log = log_of(
    {"0,1,allocate,0x1,1000,0", "0,2,allocate,0x2,3000,0", "0,3,free,0x1,1000,0", "0,4,free,0x2,3000,0"});

class ReplayVerb : public testing::Test {
 protected:
  /// Replays with numbers instead of memory, and expects the log to be refused with this message.
  void expect_refused(const std::string& path, const std::string& message) {
    const RunResult run = run_program({"replay", "--kind", "dry", path});
    EXPECT_EQ(run.exit_code, 2) << path;
    EXPECT_EQ(run.err, "clpool: " + message + "\n");
    EXPECT_EQ(run.out, "");
  }
  /// The same with further arguments.
  void expect_refused_with(std::vector<std::string> arguments, const std::string& message) {
    arguments.insert(arguments.begin(), {"replay", "--kind", "dry"});
    const RunResult run = run_program(arguments);
    EXPECT_EQ(run.exit_code, 2) << run.out;
    EXPECT_EQ(run.err, "clpool: " + message + "\n");
  }
  nlohmann::json json_of(const std::vector<std::string>& arguments, int exit_code = 0) {
    const std::string path = folder.path("result.json");
    std::vector<std::string> all = {"replay", "--json", path};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const RunResult run = run_program(all);
    EXPECT_EQ(run.exit_code, exit_code) << run.err;
    std::ifstream file(path);
    return nlohmann::json::parse(file, nullptr, false);
  }
  TemporaryFolder folder;
};

/// A terminal of so many columns, which keeps what is printed to it.
class Terminal {
 public:
  explicit Terminal(unsigned short columns) : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    const bool works = ::grantpt(master_) == 0 && ::unlockpt(master_) == 0;
    path_ = works ? ::ptsname(master_) : "";
    slave_ = ::open(path_.c_str(), O_RDWR | O_NOCTTY);
    winsize size = {};
    size.ws_col = columns;
    works_ = ::ioctl(slave_, TIOCSWINSZ, &size) == 0;
    if (!works_) {
      return;  // nobody would end what is read
    }
    reader_ = std::thread([this] {
      char bytes[512];
      for (ssize_t got = ::read(master_, bytes, sizeof bytes); got > 0;
           got = ::read(master_, bytes, sizeof bytes)) {
        text_.append(bytes, static_cast<std::size_t>(got));
      }
    });
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() { text(); }

  bool works() const { return works_; }
  const std::string& path() const { return path_; }
  /// All that was printed; nothing may be printed any more.
  const std::string& text() {
    if (reader_.joinable()) {
      ::close(slave_);
      reader_.join();
      ::close(master_);
    }
    return text_;
  }

 private:
  int master_;
  int slave_ = -1;
  bool works_ = false;
  std::string path_;
  std::string text_;
  std::thread reader_;
};

TEST_F(ReplayVerb, DrawsAProgressBarThatFitsTheTerminal) {
  Terminal terminal(60);
  if (!terminal.works()) {
    GTEST_SKIP() << "there is no pseudo-terminal here";
  }
  const std::string name = "a\nlog\033[2J of " + std::string(100, 'x') + ".csv";
  const RunResult run = run_program({"replay", "--kind", "dry", folder.write(name, good_log)},
                                    {.output = folder.path("out"), .errors = terminal.path()});
  EXPECT_EQ(run.exit_code, 0);
  const std::string& text = terminal.text();
  ASSERT_TRUE(contains(text, "100 %")) << text;
  EXPECT_FALSE(contains(text, "\n")) << text;
  EXPECT_FALSE(contains(text, "\033[2J")) << text;
  std::istringstream bars(text);
  for (std::string bar; std::getline(bars, bar, '\r');) {
    EXPECT_LT(bar.find("\033[K") == std::string::npos ? bar.size() : bar.find("\033[K"), 60u) << bar;
  }
}

TEST_F(ReplayVerb, PrintsATableWithARowForEachStrategy) {
  const RunResult run = run_program({"replay", "--kind", "dry", folder.write("good.csv", good_log)});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "") << "there is no progress bar where there is no terminal";
  for (const char* part : {"good.csv", "direct", "binned", "coalescing", "peak taken", "3.9 KiB"}) {
    EXPECT_TRUE(contains(run.out, part)) << part << " in\n" << run.out;
  }
}

TEST_F(ReplayVerb, DrawsABarOnATerminal) {
  if (std::system("script -qec true /dev/null </dev/null >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "script(1) makes no terminal here";
  }
  const std::string out = folder.path("terminal");
  const std::string command = std::string("script -qec '" CLPOOL_PROGRAM " replay --kind dry ") +
                              folder.write("good.csv", good_log) + "' /dev/null </dev/null >" + out;
  ASSERT_EQ(std::system(command.c_str()), 0);
  const std::string text = read_file(out);
  EXPECT_TRUE(contains(text, "\r[##############################] 100 %")) << text;
  EXPECT_TRUE(contains(text, "\r\033[K")) << "and wipes it away";
}

TEST_F(ReplayVerb, JsonHasTheFiguresOfEachReplay) {
  const nlohmann::json json = json_of({"--kind", "dry", folder.write("good.csv", good_log)});
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["clpool"], "1.0.0");
  EXPECT_EQ(json["kind"], "dry");
  EXPECT_TRUE(json["device"].is_null());
  ASSERT_EQ(json["results"].size(), 3u);
  const nlohmann::json& direct = json["results"][0];
  EXPECT_EQ(direct["strategy"], "direct");
  EXPECT_EQ(direct["events"], 4);
  EXPECT_EQ(direct["allocations"], 2);
  EXPECT_EQ(direct["releases"], 2);
  EXPECT_EQ(direct["driver_allocations"], 2);
  EXPECT_EQ(direct["peak_driver_bytes"], 4000);
  EXPECT_EQ(direct["peak_live_bytes"], 4000);
  EXPECT_EQ(direct["ratio"], 1.0);
  EXPECT_EQ(direct["out_of_memory"], 0);
  for (const nlohmann::json& result : json["results"]) {
    EXPECT_EQ(result["peak_live_bytes"], 4000);
    EXPECT_GE(result["peak_driver_bytes"], 4000);
    EXPECT_GT(result["ns_per_allocation"], 0.0);
  }
}

/// What the coalescing pool's parts at its largest sum up to.
std::uint64_t sum_at_peak(const nlohmann::json& waste) {
  std::uint64_t sum = 0;
  for (const char* part : {"requested_bytes", "rounding_bytes", "cached_bytes", "pending_bytes",
                           "whole_chunk_bytes", "pinned_bytes", "hole_bytes"}) {
    sum += waste[part].get<std::uint64_t>();
  }
  return sum;
}

TEST_F(ReplayVerb, TellsWhereTheWasteIsAtThePeak) {
  // A large block goes, a small one beside it stays; then something needs more than what is free around it.
  const std::string log =
      log_of({"0,1,allocate,0x1,40000000,0", "0,2,free,0x1,40000000,0", "0,3,allocate,0x2,30000000,0",
              "0,4,allocate,0x3,1000,0", "0,5,free,0x2,30000000,0", "0,6,allocate,0x4,50000000,0",
              "0,7,free,0x3,1000,0", "0,8,free,0x4,50000000,0"});
  const nlohmann::json result =
      json_of({"--kind", "dry", "--strategy", "coalescing", folder.write("log.csv", log)})["results"][0];
  const nlohmann::json& waste = result["at_peak"];
  EXPECT_EQ(waste["taken_bytes"], result["peak_driver_bytes"]);
  EXPECT_EQ(sum_at_peak(waste), waste["taken_bytes"].get<std::uint64_t>());
  EXPECT_EQ(waste["event"], 5);
  EXPECT_EQ(waste["requested_bytes"], 50'001'000);
  EXPECT_EQ(waste["rounding_bytes"], (512 - 50'000'000 % 512) % 512 + 24);
  const RunResult run = run_program({"replay", "--kind", "dry", folder.path("log.csv")});
  EXPECT_TRUE(contains(run.out, "at its largest, after event 5")) << run.out;
  EXPECT_EQ(contains(run.out, "% released, but resting or in use"), waste["pending_bytes"] != 0) << run.out;
}

TEST_F(ReplayVerb, TellsSoForADevicesMemoryToo) {
  const std::string log = folder.write(
      "log.csv", log_of({"0,1,allocate,0x1,4000000,0", "0,2,allocate,0x2,1000,0", "0,3,free,0x1,4000000,0",
                         "0,4,allocate,0x3,6000000,0", "0,5,free,0x2,1000,0", "0,6,free,0x3,6000000,0"}));
  const nlohmann::json json = json_of({log});
  for (const nlohmann::json& result : json["results"]) {
    EXPECT_EQ(result.contains("at_peak"), result["strategy"] == "coalescing") << result;
    if (result.contains("at_peak")) {
      EXPECT_EQ(sum_at_peak(result["at_peak"]), result["at_peak"]["taken_bytes"].get<std::uint64_t>());
      EXPECT_GE(result["at_peak"]["requested_bytes"], 4'001'000);
      EXPECT_EQ(result["at_peak"]["taken_bytes"], result["peak_driver_bytes"]);
    }
  }
  EXPECT_TRUE(contains(run_program({"replay", log}).out, "at its largest, after event"));
}

/// Nothing is at its largest.
TEST_F(ReplayVerb, DoesNotTellSoWhereNoMemoryWasTaken) {
  const nlohmann::json json = json_of({"--kind", "dry", folder.write("log.csv", log_of({}))});
  for (const nlohmann::json& result : json["results"]) {
    EXPECT_FALSE(result.contains("at_peak")) << result;
  }
}

TEST_F(ReplayVerb, TellsWhatRestsInAGuardedPool) {
  const Variable guard("CLPOOL_GUARD", "1");
  const std::string log = log_of({"0,1,allocate,0x1,1000000,0", "0,2,free,0x1,1000000,0",
                                  "0,3,allocate,0x2,2000000,0", "0,4,free,0x2,2000000,0"});
  const RunResult run = run_program({"replay", "--kind", "dry", folder.write("log.csv", log)});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "% released, but resting or in use")) << run.out;
}

TEST_F(ReplayVerb, ReplaysOnlyTheStrategyThatIsAskedFor) {
  const nlohmann::json json =
      json_of({"--kind", "dry", "--strategy", "coalescing", folder.write("good.csv", good_log)});
  ASSERT_EQ(json["results"].size(), 1u);
  EXPECT_EQ(json["results"][0]["strategy"], "coalescing");
}

TEST_F(ReplayVerb, ReadsGzipOfOneMemberOrSeveral) {
  const std::string half = good_log.substr(0, 60);
  const std::string rest = good_log.substr(60);
  const std::string one = folder.write("one.csv.gz", gzip(good_log));
  const std::string several = folder.write("several", gzip(half) + gzip(rest) + std::string(512, '\0'));
  const nlohmann::json json = json_of({"--kind", "dry", "--strategy", "direct", one, several});
  ASSERT_EQ(json["results"].size(), 2u);
  EXPECT_EQ(json["results"][0]["allocations"], 2);
  EXPECT_EQ(json["results"][1]["allocations"], 2);
}

TEST_F(ReplayVerb, TellsWhatALogNeverReleases) {
  const std::string log = folder.write("leak.csv", log_of({"0,1,allocate,0x1,2048,0"}));
  const RunResult run = run_program({"replay", "--kind", "dry", log});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(
      contains(run.out, "\nleak.csv: 1 events, 1 allocations of 1 sizes, 1 never released (2.0 KiB)\n"))
      << run.out;
}

TEST_F(ReplayVerb, SaysOfALogWithoutEventsThatThereIsNothingToReplay) {
  const std::string log = folder.write("empty.csv", log_of({}));
  const RunResult run = run_program({"replay", "--kind", "dry", log});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(contains(run.out, "\nempty.csv: no events, there is nothing to replay\n")) << run.out;
  EXPECT_FALSE(contains(run.out, "0.000")) << "of nothing there is no ratio:\n" << run.out;
  EXPECT_TRUE(json_of({"--kind", "dry", log})["results"][0]["ratio"].is_null());
}

TEST_F(ReplayVerb, RefusesLogsThatAreMissingOrNoFiles) {
  expect_refused(folder.path("none.csv"),
                 folder.path("none.csv") + ": cannot be opened: No such file or directory");
  expect_refused(folder.path(""), folder.path("") + ": cannot be read: Is a directory");
  expect_refused("", "the name of the log is empty");
}

TEST_F(ReplayVerb, RefusesATruncatedGzipLog) {
  const std::string packed = gzip(good_log);
  const std::string path = folder.write("cut.csv.gz", packed.substr(0, packed.size() - 1));
  expect_refused(path, path + ": truncated: the gzip data ends after " + std::to_string(good_log.size()) +
                           " decompressed bytes without its end");
  const std::string head = folder.write("head.csv.gz", packed.substr(0, 5));
  expect_refused(head, head + ": truncated: the gzip data ends after 0 decompressed bytes without its end");
}

TEST_F(ReplayVerb, RefusesDamagedGzip) {
  std::string packed = gzip(good_log);
  packed[packed.size() - 6] ^= 1;  // in the check sum
  const std::string path = folder.write("damaged.csv.gz", packed);
  expect_refused(path, path + ": damaged gzip data after " + std::to_string(good_log.size()) +
                           " decompressed bytes: incorrect data check");
  const std::string garbage = folder.write("garbage.csv.gz", gzip(good_log) + "garbage");
  expect_refused(garbage, garbage + ": 7 bytes follow the end of the gzip data");
}

TEST_F(ReplayVerb, RefusesALogOfMoreTextThanItMayHave) {
  const std::string text = good_log + std::string(1000, '\n');
  const std::string limit = std::to_string(good_log.size() + 500);
  const std::string plain = folder.write("plain.csv", text);
  const std::string packed = folder.write("packed.csv.gz", gzip(text.substr(0, 50)) + gzip(text.substr(50)));
  for (const std::string& path : {plain, packed}) {
    expect_refused_with({"--largest-log", limit, path}, path + ": line 506: the log has more than " + limit +
                                                            " bytes, the most that are read (--largest-log)");
    const RunResult read =
        run_program({"replay", "--kind", "dry", "--largest-log", std::to_string(text.size()), path});
    EXPECT_EQ(read.exit_code, 0) << read.err;
  }
  for (const char* none : {"-1", "1e3", "1.5", "", "KB", "64KX", "64 K B", "0x10", "+1"}) {
    const RunResult run = run_program({"replay", "--kind", "dry", "--largest-log", none, plain});
    EXPECT_EQ(run.exit_code, 2) << none;
    EXPECT_TRUE(contains(run.err, std::string("'") + none + "' is no number of bytes")) << run.err;
  }
  for (const char* beyond : {"18446744073709551616", "99999999999999999999", "16EiB", "99999999999GB"}) {
    const RunResult run = run_program({"replay", "--kind", "dry", "--largest-log", beyond, plain});
    EXPECT_EQ(run.exit_code, 2) << beyond;
    EXPECT_TRUE(contains(run.err, std::string("'") + beyond + "' is more than 18446744073709551615 bytes"))
        << run.err;
  }
  for (const char* enough : {"18446744073709551615", "15EiB", "1m", "64KB", "64 kib", "65536B"}) {
    const RunResult run = run_program({"replay", "--kind", "dry", "--largest-log", enough, plain});
    EXPECT_EQ(run.exit_code, 0) << enough << ": " << run.err;
  }
  expect_refused_with(
      {"--largest-log", "0KB", plain},
      plain + ": line 1: the log has more than 0 bytes, the most that are read (--largest-log)");
  expect_refused_with({"--largest-log", "10", packed},
                      packed + ": more than 10 bytes of gzip data, the most that are read (--largest-log)");
}

TEST_F(ReplayVerb, WithoutADeviceNoneMayBeNamed) {
  const std::string log = folder.write("log.csv", good_log);
  const RunResult run = run_program({"replay", "--kind", "dry", "--device", "nowhere", log});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(run.err, "clpool: --device is 'nowhere', and '--kind dry' uses no device\n");
}

TEST_F(ReplayVerb, AGzipBombIsNotDecompressedBeyondTheLimit) {
  std::string bomb;
  const std::string piece = gzip(std::string(16u << 20, '\n'));
  for (int i = 0; i < 64; ++i) {
    bomb += piece;  // 1 GiB of blank lines from 1 MB
  }
  const std::string path = folder.write("bomb.csv.gz", bomb);
  // Twice the limit while the text grows, the packed bytes and the program itself; a sanitizer needs more of
  // its own.
  const std::string command = "ulimit -v 262144; " CLPOOL_PROGRAM " replay --kind dry --largest-log 16MB " +
                              path + " 2>&1 | grep -q 'line 16777217: the log has more than 16777216 bytes'";
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  GTEST_SKIP() << "sanitizers take address space without bound";
#endif
  EXPECT_EQ(std::system(("bash -c \"" + command + "\"").c_str()), 0);
}

TEST_F(ReplayVerb, RefusesWhatIsNamedGzipButIsNot) {
  const std::string path = folder.write("plain.csv.gz", good_log);
  expect_refused(path, path + ": not gzip data, although the name ends in .gz");
}

TEST_F(ReplayVerb, RefusesBadLogsWithFileLineAndReason) {
  struct Case {
    std::string name, text, reason;
  };
  const std::vector<Case> cases = {
      {"empty", "", ": no header line 'Thread,Time,Action,Pointer,Size,Stream': the log is empty"},
      {"header", "time;size\n",
       ":1: the first line is 'time;size', a log begins with 'Thread,Time,Action,Pointer,Size,Stream'"},
      {"cut", good_log.substr(0, good_log.size() - 10),
       ":5: truncated: the last row has 4 fields, the header has 6"},
      {"action", log_of({"0,1,resize,0x1,8,0"}),
       ":2: Action 'resize' is unknown (known are allocate, free and allocate failure)"},
      {"unknown", log_of({"0,1,free,0xbad,8,0"}), ":2: free of 0xbad, which is not live"},
      {"duplicate", log_of({"0,1,allocate,0x1,8,0", "0,1,allocate,0x1,8,0"}),
       ":3: allocate gave 0x1, which is live since line 2"},
      {"size", log_of({"0,1,allocate,0x1,8,0", "0,1,free,0x1,9,0"}),
       ":3: free of 0x1 with 9 bytes, line 2 allocated it with 8 bytes"},
      {"number", log_of({"0,1,allocate,0x1,eight,0"}), ":2: Size 'eight' is not a number"},
      {"overflow", log_of({"0,1,allocate,0x1,99999999999999999999,0"}),
       ":2: Size '99999999999999999999' does not fit into 64 bits"},
  };
  for (const Case& bad : cases) {
    const std::string plain = folder.write(bad.name + ".csv", bad.text);
    expect_refused(plain, plain + bad.reason);
    const std::string packed = folder.write(bad.name + ".csv.gz", gzip(bad.text));
    expect_refused(packed, packed + bad.reason);
  }
}

TEST_F(ReplayVerb, ABadLogIsFoundBeforeAnyIsReplayed) {
  const std::string good = folder.write("good.csv", good_log);
  const std::string bad = folder.write("bad.csv", "nonsense\n");
  const RunResult run = run_program({"replay", "--kind", "dry", good, bad});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "");
}

TEST_F(ReplayVerb, RefusesAJsonFileThatItCannotCreate) {
  const RunResult run = run_program({"replay", "--kind", "dry", "--json", folder.path("no/such/folder.json"),
                                     folder.write("good.csv", good_log)});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(contains(run.err, "cannot be created: No such file or directory")) << run.err;
}

TEST_F(ReplayVerb, DryMemoryThatIsOutMeansOneAndKeepsTheOtherFigures) {
  const std::string path =
      folder.write("huge.csv", log_of({"0,1,allocate,0x1,64,0", "0,2,allocate,0x2,18446744073709551000,0"}));
  const nlohmann::json json = json_of({"--kind", "dry", "--strategy", "direct", path}, 1);
  ASSERT_EQ(json["results"].size(), 1u);
  EXPECT_EQ(json["results"][0]["out_of_memory"], 1);
  EXPECT_EQ(json["results"][0]["allocations"], 1);
}

class ReplayOnADevice : public OpenClTest {
 protected:
  TemporaryFolder folder;
};

TEST_F(ReplayOnADevice, UsesEachKindOfMemory) {
  const std::string log = folder.write("good.csv", good_log);
  for (const char* kind : {"buffer", "pinned", "svm"}) {
    const RunResult run = run_program({"replay", "--kind", kind, log});
    if (run.exit_code == 1 && contains(run.err, "SVM")) {
      continue;  // a device need not have it
    }
    EXPECT_EQ(run.exit_code, 0) << kind << ": " << run.err;
    EXPECT_TRUE(contains(run.out, std::string("Memory: ") + kind)) << run.out;
  }
}

/// A pool of SVM gives back only what it knows to be unused: with a queue that it is told of, as programs' pools are.
TEST_F(ReplayOnADevice, SvmTakesWhatNumbersTake) {
  const Variable unguarded("CLPOOL_GUARD", nullptr);  // released blocks of guarded pools rest
  const auto ratio = [&](const std::string& kind, std::string& refusal) {
    const std::string path = folder.path(kind + ".json");
    const RunResult run = run_program({"replay", "--kind", kind, "--strategy", "coalescing", "--json", path,
                                       test_data("euler2d-rk3.csv.gz")});
    refusal = run.err;
    std::ifstream file(path);
    return run.exit_code == 0 ? nlohmann::json::parse(file)["results"][0]["ratio"].get<double>() : 0.0;
  };
  std::string refusal;
  const double of_svm = ratio("svm", refusal);
  if (contains(refusal, "SVM")) {
    GTEST_SKIP() << refusal;
  }
  const double of_numbers = ratio("dry", refusal);
  EXPECT_GT(of_numbers, 1.0) << refusal;
  EXPECT_GT(of_svm, 1.0) << refusal;
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  GTEST_SKIP() << "what the device gets done depends on the sanitizer";
#endif
  EXPECT_LT(of_svm, 1.1 * of_numbers);
}

TEST_F(ReplayOnADevice, ALogThatIsLargerThanTheDeviceMeansOneAndTheOthersAreReplayed) {
  const std::string large = folder.write("large.csv", log_of({"0,1,allocate,0x1,1152921504606846976,0"}));
  const std::string good = folder.write("good.csv", good_log);
  const RunResult run = run_program({"replay", large, good});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(contains(run.err, "large.csv: 1.0 EiB are live at a time, ")) << run.err;
  EXPECT_TRUE(contains(run.err, "'--kind dry' needs no device memory")) << run.err;
  EXPECT_TRUE(contains(run.out, "good.csv")) << run.out;
}

/// The promise of the library, on logs of real programs.
class RecordedLogs : public testing::TestWithParam<const char*> {
 protected:
  TemporaryFolder folder;
};

TEST_P(RecordedLogs, CoalescingWastesLittleAndRarelyAsksTheDriver) {
  const Variable unguarded("CLPOOL_GUARD", nullptr);
  const std::string path = folder.path("result.json");
  const RunResult run = run_program(
      {"replay", "--kind", "dry", "--strategy", "coalescing", "--json", path, test_data(GetParam())});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::ifstream file(path);
  const nlohmann::json result = nlohmann::json::parse(file)["results"][0];
  EXPECT_EQ(result["peak_live_bytes"], result["log_peak_live_bytes"]);
  EXPECT_EQ(result["log_final_live_blocks"], 0);
  EXPECT_LT(result["ratio"].get<double>(), 1.2);
  EXPECT_LT(result["driver_allocations"].get<double>(), 0.01 * result["allocations"].get<double>());
}

INSTANTIATE_TEST_SUITE_P(All, RecordedLogs,
                         testing::Values("resnet50-train.csv.gz", "gpt2-train-varlen.csv.gz",
                                         "euler2d-rk3.csv.gz", "pyopencl-array-tests.csv.gz",
                                         "unet-multires.csv.gz", "kv-concat-serving.csv.gz"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace clpool::test
