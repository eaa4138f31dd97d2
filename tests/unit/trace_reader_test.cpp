// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Reading allocation logs: the forms that RMM writes, and what is refused with which words.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "support/temporary_file.hpp"
#include "trace/fields.hpp"
#include "trace/reader.hpp"

namespace clpool::core {
namespace {

const std::string header = "Thread,Time,Action,Pointer,Size,Stream\n";

class TraceReader : public testing::Test {
 protected:
  void expect_read(const std::string& text) {
    ASSERT_EQ(read_trace(text, "log.csv", log), Status::success) << last_error_message();
  }
  void expect_refused(const std::string& text, const std::string& message) {
    TraceLog refused;
    EXPECT_EQ(read_trace(text, "log.csv", refused), Status::bad_format) << text;
    EXPECT_EQ(last_error_message(), message);
  }
  TraceLog log;
};

TEST_F(TraceReader, ReadsEveryColumn) {
  expect_read(header + "7,15,allocate,0x1f,300,2\n7,20,free,0x1f,300,2\n");
  ASSERT_EQ(log.events.size(), 2u);
  const TraceEvent& event = log.events[0];
  EXPECT_EQ(event.thread, 7u);
  EXPECT_EQ(event.time_us, 15u);
  EXPECT_EQ(event.action, TraceAction::allocate);
  EXPECT_EQ(event.pointer, 0x1fu);
  EXPECT_EQ(event.size, 300u);
  EXPECT_EQ(event.stream, 2u);
  EXPECT_EQ(event.line, 2u);
  EXPECT_EQ(event.slot, 0u);
  EXPECT_EQ(log.events[1].action, TraceAction::release);
  EXPECT_EQ(log.events[1].slot, 0u);
}

TEST_F(TraceReader, ReadsBothTimeFormats) {
  expect_read(header +
              "0,90061000002,allocate,0x1,1,0\n"
              "0,01:02:03.000004,allocate,0x2,1,0\n"
              "0,01:02:03:000004,allocate,0x3,1,0\n"
              "0,23:59:60.9,allocate,0x4,1,0\n"
              "0,00:00:01,allocate,0x5,1,0\n");
  EXPECT_EQ(log.events[0].time_us, 90061000002u);
  EXPECT_EQ(log.events[1].time_us, 3723000004u);
  EXPECT_EQ(log.events[2].time_us, 3723000004u);
  EXPECT_EQ(log.events[3].time_us, 86400900000u);
  EXPECT_EQ(log.events[4].time_us, 1000000u);
}

TEST_F(TraceReader, ReadsPointersAndStreamsAsRmmHasWrittenThem) {
  expect_read(header +
              "0,0,allocate,0x7f01,8,0x7f02\n"
              "0,0,allocate,7f03,8,7fa4\n"
              "0,0,allocate,0XAB,8,10\n"
              "0,0,allocate,10,8,(nil)\n");
  EXPECT_EQ(log.events[0].pointer, 0x7f01u);
  EXPECT_EQ(log.events[0].stream, 0x7f02u);
  EXPECT_EQ(log.events[1].pointer, 0x7f03u);
  EXPECT_EQ(log.events[1].stream, 0x7fa4u);
  EXPECT_EQ(log.events[2].pointer, 0xabu);
  EXPECT_EQ(log.events[2].stream, 10u) << "without prefix and letters a stream is decimal";
  EXPECT_EQ(log.events[3].pointer, 0x10u) << "a pointer is hexadecimal even without prefix";
  EXPECT_EQ(log.events[3].stream, 0u);
}

TEST_F(TraceReader, AllocateFailuresConcernNoBlock) {
  expect_read(header + "0,0,allocate failure,(nil),64,0x0\n0,0,allocate failure,0x0,64,0\n");
  EXPECT_EQ(log.figures.allocate_failures, 2u);
  EXPECT_EQ(log.events[0].slot, no_trace_slot);
  EXPECT_EQ(log.slot_count, 0u);
  EXPECT_EQ(log.figures.peak_live_bytes, 0u);
}

TEST_F(TraceReader, SizeZeroAtTheNullPointerMayBeLiveManyTimes) {
  expect_read(header +
              "0,0,allocate,(nil),0,0\n0,0,allocate,0x0,0,0\n"
              "0,0,free,(nil),0,0\n0,0,free,0x0,0,0\n");
  EXPECT_EQ(log.figures.allocations, 2u);
  EXPECT_EQ(log.figures.releases, 2u);
  EXPECT_EQ(log.figures.final_live_blocks, 0u);
  EXPECT_EQ(log.events[0].slot, no_trace_slot);
}

TEST_F(TraceReader, SkipsBlankLinesAndAllowsCrlfAndAMissingLastLineEnd) {
  expect_read(
      "\r\nThread,Time,Action,Pointer,Size,Stream\r\n\r\n0,0,allocate,0x1,8,0\r\n\n\n0,0,free,0x1,8,0");
  ASSERT_EQ(log.events.size(), 2u);
  EXPECT_EQ(log.events[0].line, 4u);
  EXPECT_EQ(log.events[1].line, 7u);
}

TEST_F(TraceReader, IgnoresColumnsAfterTheSix) {
  expect_read(
      "Thread,Time,Action,Pointer,Size,Stream,Status,Tag\n"
      "0,0,allocate,0x1,8,0,0,weights\n0,0,free,0x1,8,0,,\n");
  EXPECT_EQ(log.events.size(), 2u);
}

TEST_F(TraceReader, ALogWithoutEventsIsALog) {
  expect_read(header);
  EXPECT_TRUE(log.events.empty());
}

TEST_F(TraceReader, BlocksThatAreNeverReleasedAreAllowedAndCounted) {
  expect_read(header + "0,0,allocate,0x1,8,0\n1,0,allocate,0x2,30,0\n0,0,free,0x1,8,0\n");
  EXPECT_EQ(log.figures.final_live_blocks, 1u);
  EXPECT_EQ(log.figures.final_live_bytes, 30u);
  EXPECT_EQ(log.figures.peak_live_bytes, 38u);
  EXPECT_EQ(log.figures.peak_live_blocks, 2u);
  EXPECT_EQ(log.figures.largest_bytes, 30u);
  EXPECT_EQ(log.figures.distinct_sizes, 2u);
  EXPECT_EQ(log.figures.threads, 2u);
}

TEST_F(TraceReader, SlotsAreReusedSoThatTheyStayDense) {
  std::string text = header;
  for (int i = 1; i <= 1000; ++i) {
    char rows[96];
    std::snprintf(rows, sizeof rows, "0,0,allocate,0x%x,8,0\n0,0,free,0x%x,8,0\n", i, i);
    text += rows;
  }
  expect_read(text);
  EXPECT_EQ(log.slot_count, 1u);
}

TEST_F(TraceReader, AnAddressMayBeUsedAgainAfterItsRelease) {
  expect_read(header + "0,0,allocate,0x1,8,0\n0,0,free,0x1,8,0\n0,0,allocate,0x1,9,0\n0,0,free,0x1,9,0\n");
  EXPECT_EQ(log.figures.final_live_blocks, 0u);
}

TEST(TraceFields, AnActionIsTheOneThatIsRead) {
  for (const auto& [text, expected] : {std::pair{"allocate", TraceAction::allocate},
                                       {"free", TraceAction::release},
                                       {"allocate failure", TraceAction::allocate_failure}}) {
    TraceAction action = expected == TraceAction::release ? TraceAction::allocate : TraceAction::release;
    EXPECT_EQ(parse_action(text, action), nullptr);
    EXPECT_EQ(action, expected) << text;
  }
}

TEST(TraceFields, ANullPointerIsWrittenAsGlibcWritesIt) {
  std::uint64_t value = 7;
  EXPECT_EQ(parse_pointer("(nil)", value), nullptr);
  EXPECT_EQ(value, 0U);
}

TEST_F(TraceReader, RefusesWhatIsNotALog) {
  expect_refused("", "log.csv: no header line 'Thread,Time,Action,Pointer,Size,Stream': the log is empty");
  expect_refused("\n\n",
                 "log.csv: no header line 'Thread,Time,Action,Pointer,Size,Stream': the log is empty");
  expect_refused("hello\n",
                 "log.csv:1: the first line is 'hello', a log begins with "
                 "'Thread,Time,Action,Pointer,Size,Stream'");
  expect_refused("Thread,Time,Action,Pointer,Size,Streams\n",
                 "log.csv:1: the first line is 'Thread,Time,Action,Pointer,Size,Streams', a log begins with "
                 "'Thread,Time,Action,Pointer,Size,Stream'");
}

TEST_F(TraceReader, MessagesShowNoControlCharactersAndNoEndlessText) {
  expect_refused(std::string("\x01\x02", 2) + std::string(1000, 'x'),
                 "log.csv:1: the first line is '??" + std::string(58, 'x') +
                     "...', a log begins with 'Thread,Time,Action,Pointer,Size,Stream'");
  expect_refused("from ' ' to '~'\x7F",
                 "log.csv:1: the first line is 'from ' ' to '~'?', a log begins with "
                 "'Thread,Time,Action,Pointer,Size,Stream'");
  expect_refused(std::string(60, 'x'), "log.csv:1: the first line is '" + std::string(60, 'x') +
                                           "', a log begins with 'Thread,Time,Action,Pointer,Size,Stream'");
}

TEST_F(TraceReader, RefusesATruncatedLog) {
  expect_refused(header + "0,0,allocate,0x1,8,0\n0,0,fr",
                 "log.csv:3: truncated: the last row has 3 fields, the header has 6");
  expect_refused(header + "0,0,allocate,0x1,8,", "log.csv:2: Stream '' is not a number");
}

TEST_F(TraceReader, RefusesRowsWithTooFewOrTooManyFields) {
  expect_refused(header + "0,0,allocate,0x1,8\n0,0,free,0x1,8,0\n",
                 "log.csv:2: the row has 5 fields, the header has 6");
  expect_refused(header + "0,0,allocate,0x1,8,0,1\n", "log.csv:2: the row has 7 fields, the header has 6");
}

TEST_F(TraceReader, RefusesUnknownActions) {
  const std::string known = " is unknown (known are allocate, free and allocate failure)";
  expect_refused(header + "0,0,grow,0x1,8,0\n", "log.csv:2: Action 'grow'" + known);
  expect_refused(header + "0,0,Allocate,0x1,8,0\n", "log.csv:2: Action 'Allocate'" + known);
  expect_refused(header + "0,0,,0x1,8,0\n", "log.csv:2: Action ''" + known);
}

TEST_F(TraceReader, RefusesImpossibleEvents) {
  expect_refused(header + "0,0,allocate,0x1,8,0\n0,0,free,0x2,8,0\n",
                 "log.csv:3: free of 0x2, which is not live");
  expect_refused(header + "0,0,allocate,0x1,8,0\n0,0,free,0x1,8,0\n0,0,free,0x1,8,0\n",
                 "log.csv:4: free of 0x1, which is not live");
  expect_refused(header + "0,0,allocate,0x1,8,0\n\n0,0,allocate,0x1,9,0\n",
                 "log.csv:4: allocate gave 0x1, which is live since line 2");
  expect_refused(header + "0,0,allocate,0x1,8,0\n0,0,free,0x1,9,0\n",
                 "log.csv:3: free of 0x1 with 9 bytes, line 2 allocated it with 8 bytes");
  expect_refused(header + "0,0,allocate,(nil),8,0\n", "log.csv:2: allocate of 8 bytes gave a null pointer");
  expect_refused(header + "0,0,free,(nil),8,0\n", "log.csv:2: free of 0x0, which is not live");
}

TEST_F(TraceReader, RefusesMalformedNumbers) {
  const std::string no_time =
      " is neither microseconds nor a time of day (HH:MM:SS, HH:MM:SS.ffffff or HH:MM:SS:ffffff)";
  expect_refused(header + "x,0,allocate,0x1,8,0\n", "log.csv:2: Thread 'x' is not a number");
  expect_refused(header + "-1,0,allocate,0x1,8,0\n", "log.csv:2: Thread '-1' is not a number");
  expect_refused(header + "0,0,allocate,0xg,8,0\n", "log.csv:2: Pointer '0xg' is not a number");
  expect_refused(header + "0,0,allocate,0x,8,0\n", "log.csv:2: Pointer '0x' is not a number");
  expect_refused(header + "0,0,allocate,0x0x1,8,0\n", "log.csv:2: Pointer '0x0x1' is not a number");
  expect_refused(header + "0,0,allocate,0x1,8.5,0\n", "log.csv:2: Size '8.5' is not a number");
  expect_refused(header + "0,0,allocate,0x1, 8,0\n", "log.csv:2: Size ' 8' is not a number");
  expect_refused(header + "0,0,allocate,0x1,-8,0\n", "log.csv:2: Size '-8' is not a number");
  expect_refused(header + "0,0,allocate,0x1,8,zz\n", "log.csv:2: Stream 'zz' is not a number");
  for (const char* time :
       {"", "1.5", "1:2:3", "00x00:01", "00:00x01", "00:00:0", "24:00:00.000000", "00:60:00", "00:00:61",
        "00:00:00.0000001", "00:00:00.", "00:00:00;000001", "-1:00:00", "aa:bb:cc"}) {
    expect_refused(header + "0," + time + ",allocate,0x1,8,0\n",
                   "log.csv:2: Time '" + std::string(time) + "'" + no_time);
  }
}

TEST_F(TraceReader, RefusesNumbersAndSumsOver64Bits) {
  expect_refused(header + "0,0,allocate,0x1,18446744073709551616,0\n",
                 "log.csv:2: Size '18446744073709551616' does not fit into 64 bits");
  expect_refused(header + "0,0,allocate,0x10000000000000000,8,0\n",
                 "log.csv:2: Pointer '0x10000000000000000' does not fit into 64 bits");
  expect_refused(header + "0,18446744073709551616,allocate,0x1,8,0\n",
                 "log.csv:2: Time '18446744073709551616' does not fit into 64 bits");
  expect_refused(header + "0,0,allocate,0x1,18446744073709551615,0\n0,0,allocate,0x2,1,0\n",
                 "log.csv:3: allocate of 1 bytes: with the 18446744073709551615 bytes that are live the sum "
                 "overflows 64 bits");
}

TEST_F(TraceReader, ReadsFilesAndNamesThoseThatItCannot) {
  const std::string path = clpool::test::temporary_file();
  std::ofstream(path, std::ios::binary) << header << "0,0,allocate,0x1,8,0\n";
  EXPECT_EQ(read_trace_file(path.c_str(), log), Status::success) << last_error_message();
  EXPECT_EQ(log.name, path);
  EXPECT_EQ(log.events.size(), 1u);

  std::ofstream(path, std::ios::binary) << "\x1f\x8b\x08";
  EXPECT_EQ(read_trace_file(path.c_str(), log), Status::not_supported);
  EXPECT_EQ(last_error_message(), path + ": gzip-compressed: decompress it and use clpool_trace_parse()");
  std::remove(path.c_str());

  EXPECT_EQ(read_trace_file(path.c_str(), log), Status::io);
  EXPECT_EQ(last_error_message(), path + ": cannot be opened: No such file or directory");
  EXPECT_EQ(read_trace_file("/", log), Status::io);
  EXPECT_STREQ(last_error_message(), "/: cannot be read: Is a directory");
}

TEST_F(TraceReader, NoFileStaysOpen) {
  const std::string path = clpool::test::temporary_file();
  for (const char* text : {header.c_str(), "hello\n"}) {
    std::ofstream(path, std::ios::binary) << text;
    TraceLog read;
    EXPECT_EQ(read_trace_file(path.c_str(), read), text == header ? Status::success : Status::bad_format);
    EXPECT_TRUE(clpool::test::descriptors_of(path).empty());
  }
  std::remove(path.c_str());
}

TEST_F(TraceReader, RefusesFilesBeyondTheirLimitWithTheLineThere) {
  const std::string path = clpool::test::temporary_file();
  const std::string text = header + "0,0,allocate,0x1,8,0\n0,1,free,0x1,8,0\n";
  std::ofstream(path, std::ios::binary) << text;
  EXPECT_EQ(read_trace_file(path.c_str(), log, text.size()), Status::success) << last_error_message();
  TraceLog refused;
  EXPECT_EQ(read_trace_file(path.c_str(), refused, text.size() - 1), Status::bad_format);
  EXPECT_EQ(last_error_message(), path + ":3: the file is larger than " + std::to_string(text.size() - 1) +
                                      " bytes, the most that are read");
  std::remove(path.c_str());
}

TEST_F(TraceReader, RefusesLinesBeyondTheirLimit) {
  const std::string longest =
      "Thread,Time,Action,Pointer,Size,Stream," + std::string(longest_trace_line - 39, 'x');
  expect_read(longest + "\r\n");
  expect_refused(longest + "x\n", "log.csv:1: the line is longer than 65536 bytes, the most that are read");
  expect_refused(header + "0,0,free,0,0,0\n" + std::string(longest_trace_line + 1, '1'),
                 "log.csv:3: the line is longer than 65536 bytes, the most that are read");
  const std::string tagged = "Thread,Time,Action,Pointer,Size,Stream,Status,Tag\n";
  const std::string row = "0,0,allocate,0x1,8,0,0,";
  const std::string longest_tag(longest_trace_line - row.size(), 'x');
  expect_read(tagged + row + longest_tag + "\r\n");
  expect_refused(tagged + row + longest_tag + "x\n",
                 "log.csv:2: the line is longer than 65536 bytes, the most that are read");
}

}  // namespace
}  // namespace clpool::core
