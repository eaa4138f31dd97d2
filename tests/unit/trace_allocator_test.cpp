// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The trace decorator: everything that passes through it stands in the log, in an order that can be replayed.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "allocator/trace.hpp"
#include "base/message.hpp"
#include "support/temporary_file.hpp"
#include "trace/reader.hpp"

namespace clpool::core {
namespace {

/// Hands out the same address again and again; every fourth allocation fails.
class OneAddressAllocator final : public Allocator {
 public:
  OneAddressAllocator() : Allocator({.kind = MemKind::custom, .granularity = 64}) {}
  Status allocate(std::uint64_t size, std::uint64_t, Chunk& chunk) noexcept override {
    if (++calls % 4 == 0) {
      return fail(Status::out_of_memory, "every fourth fails");
    }
    chunk = {.value = 0x1000, .size = size};
    return Status::success;
  }
  void deallocate(const Chunk&) noexcept override {}
  Status deallocate_on(const Chunk&, const cl::Order&) noexcept override {
    return on_queue ? on_queue() : fail(Status::not_supported, "no queues here");
  }
  int calls = 0;
  std::function<Status()> on_queue;  ///< what deallocate_on() does
};

class TraceAllocatorTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(make_trace_allocator(*inner, path.c_str(), allocator), Status::success) << last_error_message();
  }
  void TearDown() override { std::remove(path.c_str()); }
  const std::string path = clpool::test::temporary_file();
  Reference<OneAddressAllocator> inner = Reference<OneAddressAllocator>::adopt(new OneAddressAllocator);
  Reference<Allocator> allocator;
};

TEST_F(TraceAllocatorTest, PromisesWhatItsInnerAllocatorDoes) {
  EXPECT_EQ(allocator->traits().kind, MemKind::custom);
  EXPECT_EQ(allocator->traits().granularity, 64u);
}

TEST_F(TraceAllocatorTest, LogsAllocationsFailuresAndReleases) {
  for (std::uint64_t size = 1; size <= 8; ++size) {
    Chunk chunk;
    const Status status = allocator->allocate(size, 1, chunk);
    EXPECT_EQ(status, size % 4 == 0 ? Status::out_of_memory : Status::success);
    if (status == Status::success) {
      EXPECT_EQ(chunk.value, 0x1000u);
      allocator->deallocate(chunk);
    } else {
      EXPECT_STREQ(last_error_message(), "every fourth fails");
    }
  }
  allocator = {};
  TraceLog log;
  ASSERT_EQ(read_trace_file(path.c_str(), log), Status::success) << last_error_message();
  EXPECT_EQ(log.figures.allocations, 6u);
  EXPECT_EQ(log.figures.releases, 6u);
  EXPECT_EQ(log.figures.allocate_failures, 2u);
  EXPECT_EQ(log.figures.largest_bytes, 7u);
}

TEST_F(TraceAllocatorTest, LogsAFreeBehindCommandsBeforeTheAddressCanBeReused) {
  Chunk chunk;
  Chunk reused;
  ASSERT_EQ(allocator->allocate(100, 1, chunk), Status::success);
  inner->on_queue = [&] {  // as another thread might, as soon as the driver has the memory back
    return allocator->allocate(200, 1, reused);
  };
  EXPECT_EQ(allocator->deallocate_on(chunk, {}), Status::success);
  inner->on_queue = nullptr;
  EXPECT_EQ(allocator->deallocate_on(reused, {}), Status::not_supported) << "which leaves it live";
  allocator->deallocate(reused);
  allocator = {};
  TraceLog log;
  ASSERT_EQ(read_trace_file(path.c_str(), log), Status::success) << last_error_message();
  EXPECT_EQ(log.figures.allocations, 3u);
  EXPECT_EQ(log.figures.releases, 3u);
  EXPECT_EQ(log.figures.final_live_blocks, 0u);
  EXPECT_EQ(log.figures.peak_live_blocks, 1u);
}

TEST_F(TraceAllocatorTest, RefusesCompressedLogs) {
  Reference<Allocator> refused;
  EXPECT_EQ(make_trace_allocator(*inner, "log.csv.gz", refused), Status::not_supported);
  EXPECT_FALSE(refused);
}

/// As long as it lives, files grow to so many bytes and no further.
class FilesUpTo {
 public:
  explicit FilesUpTo(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FilesUpTo() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FilesUpTo(const FilesUpTo&) = delete;
  FilesUpTo& operator=(const FilesUpTo&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(TraceAllocatorTest, ALogThatCannotGrowFailsNoAllocationAndIsToldOfOnce) {
  std::vector<std::string> messages;
  set_message_sink({[](void* user, std::int32_t, const char* text) {
                      static_cast<std::vector<std::string>*>(user)->push_back(text);
                    },
                    &messages});
  {
    const FilesUpTo limited(4096);
    for (int i = 1; i <= 20'000; ++i) {
      Chunk chunk;
      ASSERT_EQ(allocator->allocate(64, 1, chunk), i % 4 == 0 ? Status::out_of_memory : Status::success);
      if (i % 4 != 0) {
        allocator->deallocate(chunk);
      }
    }
    EXPECT_STREQ(last_error_message(), "every fourth fails");
  }
  set_message_sink({});
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages.front().find("allocation log: " + path), 0u) << messages.front();
}

}  // namespace
}  // namespace clpool::core
