// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Writing allocation logs: what is written is read again, by our reader and by a program that knows RMM's six
// columns only.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/message.hpp"
#include "support/temporary_file.hpp"
#include "trace/reader.hpp"
#include "trace/writer.hpp"

namespace clpool::core {
namespace {

class TraceWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    path = clpool::test::temporary_file();
    ASSERT_EQ(TraceWriter::create(path.c_str(), writer), Status::success) << last_error_message();
  }
  void TearDown() override { std::remove(path.c_str()); }

  std::vector<std::string> lines() {
    EXPECT_EQ(writer->flush(), Status::success);
    std::ifstream file(path);
    std::vector<std::string> result;
    for (std::string line; std::getline(file, line);) {
      result.push_back(line);
    }
    return result;
  }
  std::string path;
  Reference<TraceWriter> writer;
};

/// What follows the columns that differ in each run, which must be a number and HH:MM:SS.ffffff.
std::string without_thread_and_time(const std::string& row) {
  unsigned thread = 0;
  unsigned hours = 0;
  unsigned minutes = 0;
  unsigned seconds = 0;
  unsigned microseconds = 0;
  int end = 0;
  const int found = std::sscanf(row.c_str(), "%u,%2u:%2u:%2u.%6u,%n", &thread, &hours, &minutes, &seconds,
                                &microseconds, &end);
  EXPECT_EQ(found, 5) << row;
  EXPECT_LT(hours, 24u) << row;
  return row.substr(static_cast<std::size_t>(end));
}

TEST_F(TraceWriterTest, WritesRmmsSixColumnsFirst) {
  ASSERT_EQ(writer->write({.pointer = 0xabc, .size = 300, .stream = 3, .tag = "weights"}), Status::success);
  ASSERT_EQ(writer->write({.action = TraceAction::release, .pointer = 0xabc, .size = 300}), Status::success);
  const auto written = lines();
  ASSERT_EQ(written.size(), 3u);
  EXPECT_EQ(written[0], "Thread,Time,Action,Pointer,Size,Stream,Status,Tag");
  EXPECT_EQ(without_thread_and_time(written[1]), "allocate,0xabc,300,3,0,weights");
  EXPECT_EQ(without_thread_and_time(written[2]), "free,0xabc,300,0,0,");
}

TEST_F(TraceWriterTest, WhatIsWrittenIsReadAgain) {
  ASSERT_EQ(writer->write({.pointer = UINT64_MAX, .size = 1, .stream = UINT64_MAX}), Status::success);
  ASSERT_EQ(
      writer->write(
          {.action = TraceAction::allocate_failure, .size = UINT64_MAX, .status = Status::out_of_memory}),
      Status::success);
  ASSERT_EQ(writer->write({.action = TraceAction::release, .pointer = UINT64_MAX, .size = 1}),
            Status::success);
  ASSERT_EQ(writer->flush(), Status::success);
  TraceLog log;
  ASSERT_EQ(read_trace_file(path.c_str(), log), Status::success) << last_error_message();
  ASSERT_EQ(log.events.size(), 3u);
  EXPECT_EQ(log.events[0].stream, UINT64_MAX);
  EXPECT_EQ(log.events[1].action, TraceAction::allocate_failure);
  EXPECT_EQ(log.events[1].size, UINT64_MAX);
  EXPECT_EQ(log.events[2].pointer, UINT64_MAX);
  EXPECT_EQ(log.figures.final_live_blocks, 0u);
}

TEST_F(TraceWriterTest, ATagCannotBreakItsRow) {
  ASSERT_EQ(writer->write({.pointer = 1, .size = 1, .tag = "a,b\"c\nd\re f"}), Status::success);
  ASSERT_EQ(writer->write({.pointer = 2, .size = 1, .tag = std::string(5000, 'x').c_str()}), Status::success);
  const auto written = lines();
  ASSERT_EQ(written.size(), 3u);
  EXPECT_TRUE(written[1].ends_with(",0,0,a_b_c_d_e f")) << written[1];
  EXPECT_TRUE(written[2].ends_with("," + std::string(200, 'x'))) << written[2];
}

TEST_F(TraceWriterTest, ATagIsUtf8AndEndsWithAWholeCharacter) {
  const std::string euros = [] {
    std::string text;
    for (int i = 0; i < 100; ++i) {
      text += "\xE2\x82\xAC";
    }
    return text;
  }();
  ASSERT_EQ(writer->write({.pointer = 1, .size = 1, .tag = "\xC3\xA9\xFF\xC0\xAF</script>\x1b\x7f"}),
            Status::success);
  ASSERT_EQ(writer->write({.pointer = 2, .size = 1, .tag = euros.c_str()}), Status::success);
  const auto written = lines();
  EXPECT_EQ(without_thread_and_time(written[1]), "allocate,0x1,1,0,0,\xC3\xA9___</script>__");
  EXPECT_EQ(without_thread_and_time(written[2]), "allocate,0x2,1,0,0," + euros.substr(0, 66 * 3));
}

TEST_F(TraceWriterTest, RowsOfManyThreadsStayWhole) {
  constexpr unsigned thread_count = 4;
  constexpr unsigned rows_per_thread = 2000;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < thread_count; ++t) {
    threads.emplace_back([this, t] {
      for (unsigned i = 0; i < rows_per_thread; ++i) {
        const std::uint64_t pointer = 1 + t * rows_per_thread + i;
        EXPECT_EQ(writer->write({.pointer = pointer, .size = 8}), Status::success);
        EXPECT_EQ(writer->write({.action = TraceAction::release, .pointer = pointer, .size = 8}),
                  Status::success);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  writer = {};
  TraceLog log;
  ASSERT_EQ(read_trace_file(path.c_str(), log), Status::success) << last_error_message();
  EXPECT_EQ(log.figures.allocations, thread_count * rows_per_thread);
  EXPECT_EQ(log.figures.threads, thread_count);
  EXPECT_EQ(log.figures.final_live_blocks, 0u);
}

TEST_F(TraceWriterTest, KeepsRowsUntilItsBufferIsFull) {
  const auto size_of_header = std::filesystem::file_size(path);
  EXPECT_GT(size_of_header, 0u);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(writer->write({.action = TraceAction::allocate_failure, .size = 1}), Status::success);
  }
  EXPECT_EQ(std::filesystem::file_size(path), size_of_header);
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(writer->write({.action = TraceAction::allocate_failure, .size = 1}), Status::success);
  }
  EXPECT_GT(std::filesystem::file_size(path), size_of_header);
  EXPECT_EQ(lines().size(), 1u + 3 + 2000);
}

TEST_F(TraceWriterTest, EmptiesItsFileWhichOtherProgramsDoNotInherit) {
  writer = {};
  std::ofstream(path) << std::string(5000, 'x');
  ASSERT_EQ(TraceWriter::create(path.c_str(), writer), Status::success) << last_error_message();
  EXPECT_EQ(lines().size(), 1u);
  const std::vector<int> descriptors = clpool::test::descriptors_of(path);
  ASSERT_EQ(descriptors.size(), 1u);
  EXPECT_EQ(fcntl(descriptors[0], F_GETFD), FD_CLOEXEC);
}

TEST(TraceWriterToAPipe, GoesOnWhereASignalCutItShort) {
  const std::string path = clpool::test::temporary_file();
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int pipe = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(pipe, 0);
  Reference<TraceWriter> writer;
  ASSERT_EQ(TraceWriter::create(path.c_str(), writer), Status::success) << last_error_message();
  constexpr std::uint64_t rows = 500;  // more than the pipe holds, and less than the buffer
  ASSERT_GT(fcntl(pipe, F_SETPIPE_SZ, 4096), 0);
  ASSERT_EQ(fcntl(pipe, F_SETFL, 0), 0);
  std::string text(100, '\0');
  text.resize(static_cast<std::size_t>(read(pipe, text.data(), text.size())));
  for (std::uint64_t i = 1; i <= rows; ++i) {
    ASSERT_EQ(writer->write({.pointer = i, .size = 8}), Status::success);
  }
  struct sigaction interrupt {};
  struct sigaction before {};
  interrupt.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGUSR1, &interrupt, &before), 0);
  std::thread writing([&] {
    EXPECT_EQ(writer->flush(), Status::success) << last_error_message();
    writer = {};
  });
  pollfd some{pipe, POLLIN, 0};
  EXPECT_EQ(poll(&some, 1, -1), 1);  // the thread is within its write
  EXPECT_EQ(pthread_kill(writing.native_handle(), SIGUSR1), 0);
  char bytes[4096];
  for (ssize_t got = read(pipe, bytes, sizeof bytes); got > 0; got = read(pipe, bytes, sizeof bytes)) {
    text.append(bytes, static_cast<std::size_t>(got));
  }
  writing.join();
  sigaction(SIGUSR1, &before, nullptr);
  close(pipe);
  std::remove(path.c_str());
  TraceLog log;
  ASSERT_EQ(read_trace(text, "the pipe", log), Status::success) << last_error_message();
  EXPECT_EQ(log.figures.allocations, rows);
}

TEST_F(TraceWriterTest, NamesFilesThatItCannotWrite) {
  Reference<TraceWriter> refused;
  EXPECT_EQ(TraceWriter::create("/nowhere/log.csv", refused), Status::io);
  EXPECT_STREQ(last_error_message(), "/nowhere/log.csv: cannot be created: No such file or directory");
  EXPECT_EQ(TraceWriter::create("log.csv.gz", refused), Status::not_supported);
  EXPECT_FALSE(refused);
}

/// What the library says where it cannot fail.
class Said {
 public:
  Said() {
    set_message_sink({[](void* self, std::int32_t severity, const char* line) {
                        EXPECT_EQ(severity, static_cast<std::int32_t>(Severity::error));
                        static_cast<Said*>(self)->text += line;
                      },
                      this});
  }
  Said(const Said&) = delete;
  Said& operator=(const Said&) = delete;
  ~Said() { set_message_sink({}); }
  std::string text;
};

TEST_F(TraceWriterTest, SaysWhatCouldNotBeWrittenAtItsEnd) {
  ASSERT_EQ(writer->write({.pointer = 1, .size = 2}), Status::success);
  const Said said;
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit none{0, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  writer = {};
  EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, before);
  EXPECT_EQ(said.text, path + ": cannot be written: File too large");
}

TEST_F(TraceWriterTest, SaysThatItsFileCouldNotBeClosed) {
  ASSERT_EQ(writer->flush(), Status::success);
  const std::vector<int> descriptors = clpool::test::descriptors_of(path);
  ASSERT_EQ(descriptors.size(), 1u);
  ASSERT_EQ(close(descriptors[0]), 0);
  const Said said;
  writer = {};
  EXPECT_EQ(said.text, path + ": cannot be closed: Bad file descriptor");
}

/// A process of which the default is to end by SIGPIPE, as most.
TEST_F(TraceWriterTest, AReaderOfAPipeThatLeavesIsAnErrorAndNoSignal) {
  writer = {};
  ASSERT_EQ(std::remove(path.c_str()), 0);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto before = std::signal(SIGPIPE, SIG_DFL);
  for (const bool is_pending : {false, true}) {  // one that the program holds back stays its own
    sigset_t pipe;
    sigset_t mask;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_GE(reader, 0);
    ASSERT_EQ(TraceWriter::create(path.c_str(), writer), Status::success) << last_error_message();
    ASSERT_EQ(close(reader), 0);
    if (is_pending) {
      ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &pipe, &mask), 0);
      ASSERT_EQ(std::raise(SIGPIPE), 0);
    }
    ASSERT_EQ(writer->write({.pointer = 1, .size = 2}), Status::success);
    EXPECT_EQ(writer->flush(), Status::io);
    EXPECT_EQ(last_error_message(), path + ": cannot be written: Broken pipe");
    EXPECT_EQ(writer->write({.pointer = 1, .size = 2}), Status::io);
    sigset_t pending;
    sigset_t now;
    ASSERT_EQ(sigpending(&pending), 0);
    EXPECT_EQ(sigismember(&pending, SIGPIPE), is_pending ? 1 : 0);
    ASSERT_EQ(pthread_sigmask(SIG_BLOCK, nullptr, &now), 0);
    EXPECT_EQ(sigismember(&now, SIGPIPE), is_pending ? 1 : 0);
    if (is_pending) {
      const timespec at_once = {};
      EXPECT_EQ(sigtimedwait(&pipe, nullptr, &at_once), SIGPIPE);
      ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &mask, nullptr), 0);
    }
    writer = {};
  }
  std::signal(SIGPIPE, before);
}

TEST(TraceWriterOnAFullDisk, FailsOnceAndForAll) {
  Reference<TraceWriter> writer;
  EXPECT_EQ(TraceWriter::create("/dev/full", writer), Status::io);
  EXPECT_STREQ(last_error_message(), "/dev/full: cannot be written: No space left on device");
  EXPECT_FALSE(writer);
}

}  // namespace
}  // namespace clpool::core
