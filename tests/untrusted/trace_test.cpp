// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Allocation logs that were made to do harm: reading takes memory in proportion to their text and no more,
// and what has no end is refused where that is seen.
#include <clpool/clpool.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <string>

#include "measured_memory.hpp"
#include "support/temporary_file.hpp"

namespace clpool::test {
namespace {

const std::string header = "Thread,Time,Action,Pointer,Size,Stream\n";

struct Release {
  void operator()(clpool_trace* trace) const noexcept { clpool_trace_release(trace); }
};
using Trace = std::unique_ptr<clpool_trace, Release>;

Trace parse(const std::string& text) {
  clpool_trace* trace = nullptr;
  clpool_trace_parse(text.data(), text.size(), "log.csv", &trace);
  return Trace(trace);
}

/// A log of about a megabyte of these rows, each made from its number.
std::string megabyte_of(const std::function<std::string(unsigned)>& row) {
  std::string text = header;
  for (unsigned i = 1; text.size() < 1u << 20; ++i) {
    text += row(i);
  }
  return text;
}

struct Harmful {
  const char* name;
  std::string text;
};

Harmful harmful_log(const std::string& name) {
  const auto number = [](unsigned i) { return std::to_string(i); };
  if (name == "BlankLines") {
    return {"BlankLines", megabyte_of([](unsigned) { return "\n"; })};
  }
  if (name == "ShortestRows") {
    return {"ShortestRows", megabyte_of([](unsigned) { return "0,0,free,0,0,0\n"; })};
  }
  if (name == "EveryBlockStaysLive") {
    return {"EveryBlockStaysLive",
            megabyte_of([&](unsigned i) { return "0,0,allocate," + number(i) + ",1,0\n"; })};
  }
  if (name == "NothingTwice") {
    return {"NothingTwice", megabyte_of([&](unsigned i) {
              return number(i) + ",0,allocate," + number(i) + "," + number(i) + ",0\n";
            })};
  }
  if (name == "AllocatedAndReleasedAtOnce") {
    std::string text = header;
    for (const char* action : {"allocate", "free"}) {
      for (unsigned i = 1; i < 25'000; ++i) {
        text += std::string("0,0,") + action + "," + number(i) + ",1,0\n";
      }
    }
    return {"AllocatedAndReleasedAtOnce", text};
  }
  return {"HugeNumbers", megabyte_of([&](unsigned i) {
            return "18446744073709551615,18446744073709551615,allocate," + number(i) + ",99999999999," +
                   "0\n";
          })};
}

class HarmfulLogs : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    measured_memory::restart();
    const std::uint64_t before = measured_memory::peak();
    static_cast<void>(parse(header));
    if (measured_memory::peak() == before) {
      GTEST_SKIP() << "what the library allocates cannot be seen here: it has its own operator new";
    }
  }
};

constexpr std::uint64_t most_per_byte = 16;  // what clpool/trace.h promises

TEST_P(HarmfulLogs, TakeSixteenTimesTheirTextAtMost) {
  const Harmful log = harmful_log(GetParam());
  const std::uint64_t before = measured_memory::live();
  measured_memory::restart();
  const Trace trace = parse(log.text);
  const std::uint64_t taken = measured_memory::peak() - before;
  RecordProperty("bytes_per_byte", static_cast<int>(taken / log.text.size()));
  std::printf("%s: %.1f bytes for each of the text's\n", log.name,
              static_cast<double>(taken) / static_cast<double>(log.text.size()));
  EXPECT_NE(trace, nullptr) << clpool_last_error_message();
  EXPECT_LE(taken, most_per_byte * log.text.size());
}

TEST_P(HarmfulLogs, KeepSixtyFourBytesAnEvent) {
  const Harmful log = harmful_log(GetParam());
  const std::uint64_t before = measured_memory::live();
  const Trace trace = parse(log.text);
  ASSERT_NE(trace, nullptr) << clpool_last_error_message();
  clpool_trace_stats stats = CLPOOL_TRACE_STATS_INIT;
  ASSERT_EQ(clpool_trace_statistics(trace.get(), &stats), CLPOOL_SUCCESS);
  // Room for events was reserved by what the text may have at most.
  EXPECT_LE(measured_memory::live() - before, 64 * (log.text.size() / 15 + 1) + 4096);
  EXPECT_GE(measured_memory::live() - before, 64 * stats.events);
}

clpool_status make_chunk(void*, std::uint64_t, std::uint64_t, std::uint64_t* chunk) {
  static std::uint64_t next = 0;
  *chunk = next += std::uint64_t{1} << 40;
  return CLPOOL_SUCCESS;
}
void return_chunk(void*, std::uint64_t, std::uint64_t) {}

TEST_P(HarmfulLogs, ReplaysTakeMemoryByEventsAndBlocksWhateverTheSizes) {
  const Harmful log = harmful_log(GetParam());
  const Trace trace = parse(log.text);
  ASSERT_NE(trace, nullptr) << clpool_last_error_message();
  clpool_trace_stats stats = CLPOOL_TRACE_STATS_INIT;
  ASSERT_EQ(clpool_trace_statistics(trace.get(), &stats), CLPOOL_SUCCESS);
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  ops.allocate = make_chunk;
  ops.deallocate = return_chunk;
  clpool_allocator* allocator = nullptr;
  ASSERT_EQ(clpool_allocator_create_custom(&ops, nullptr, &allocator), CLPOOL_SUCCESS);
  clpool_trace_replay_result result = CLPOOL_TRACE_REPLAY_RESULT_INIT;
  const std::uint64_t before = measured_memory::live();
  measured_memory::restart();
  ASSERT_EQ(clpool_trace_replay_allocator(trace.get(), allocator, nullptr, &result), CLPOOL_SUCCESS)
      << clpool_last_error_message();
  const std::uint64_t block = 256;  // a descriptor and what the allocator keeps
  EXPECT_LE(measured_memory::peak() - before,
            16 * stats.events + (16 + block) * stats.peak_live_blocks + (1 << 20));
  clpool_allocator_release(allocator);
}

INSTANTIATE_TEST_SUITE_P(Untrusted, HarmfulLogs,
                         testing::Values("BlankLines", "ShortestRows", "EveryBlockStaysLive", "NothingTwice",
                                         "AllocatedAndReleasedAtOnce", "HugeNumbers"),
                         [](const auto& test) { return std::string(test.param); });

class HarmfulFiles : public testing::Test {
 protected:
  void TearDown() override { std::remove(path.c_str()); }
  /// Opens the file, and expects it to be refused with this message and without more memory than this.
  void expect_refused(const std::string& file, clpool_status status, const std::string& message,
                      std::uint64_t memory) {
    clpool_trace* trace = nullptr;
    const std::uint64_t before = measured_memory::live();
    measured_memory::restart();
    EXPECT_EQ(clpool_trace_open(file.c_str(), &trace), status);
    EXPECT_EQ(clpool_last_error_message(), message);
    EXPECT_EQ(trace, nullptr);
    EXPECT_LE(measured_memory::peak() - before, memory);
  }
  const std::string path = temporary_file();
};

constexpr std::uint64_t few = 4u << 20;

TEST_F(HarmfulFiles, AFileWithoutEndAndLinesIsRefusedAtOnce) {
  expect_refused("/dev/zero", CLPOOL_ERROR_BAD_FORMAT,
                 "/dev/zero:1: the line is longer than 65536 bytes, the most that are read", few);
}

TEST_F(HarmfulFiles, ALineWithoutEndIsRefusedAtOnce) {
  std::ofstream(path) << header << "0,0,allocate,0x1,1,0\n" << std::string(8u << 20, '1');
  expect_refused(path, CLPOOL_ERROR_BAD_FORMAT,
                 path + ":3: the line is longer than 65536 bytes, the most that are read", few);
}

TEST_F(HarmfulFiles, GzipWithoutEndIsRefusedByItsFirstBytes) {
  std::ofstream(path) << "\x1f\x8b" << std::string(8u << 20, 'x');
  expect_refused(path, CLPOOL_ERROR_NOT_SUPPORTED,
                 path + ": gzip-compressed: decompress it and use clpool_trace_parse()", few);
}

TEST_F(HarmfulFiles, TheLongestLineIsRead) {
  const std::string row = "0,0,allocate,0x1,1,0,";
  const std::string further = std::string("Thread,Time,Action,Pointer,Size,Stream,Tag\r\n");
  std::ofstream(path) << further << row << std::string(65536 - row.size(), 't') << "\r\n";
  clpool_trace* trace = nullptr;
  EXPECT_EQ(clpool_trace_open(path.c_str(), &trace), CLPOOL_SUCCESS) << clpool_last_error_message();
  clpool_trace_release(trace);
  std::ofstream(path) << further << row << std::string(65537 - row.size(), 't') << "\r\n";
  expect_refused(path, CLPOOL_ERROR_BAD_FORMAT,
                 path + ":2: the line is longer than 65536 bytes, the most that are read", few);
}

}  // namespace
}  // namespace clpool::test
