// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Replaying allocation logs against a target of which everything is known.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "trace/reader.hpp"
#include "trace/replay.hpp"

namespace clpool::core {
namespace {

/// Hands out numbers, up to a limit of bytes, and notes what is asked.
struct NumberTarget {
  using Block = const std::uint64_t*;
  Status allocate(std::uint64_t size, Block& block) {
    if (size == failing_size) {
      return fail(Status::opencl, "broken");
    }
    if (live_bytes + size > limit) {
      return fail(Status::out_of_memory, "full");
    }
    live_bytes += size;
    sizes.push_back(size);
    block = *live.insert(new std::uint64_t(size)).first;
    return Status::success;
  }
  void release(Block block) {
    if (block == nullptr) {
      return;
    }
    ASSERT_EQ(live.erase(block), 1u) << "released what is not live";
    live_bytes -= *block;
    delete block;
  }
  std::uint64_t limit = UINT64_MAX;
  std::uint64_t failing_size = UINT64_MAX;
  std::uint64_t live_bytes = 0;
  std::set<Block> live;
  std::vector<std::uint64_t> sizes;
};

class TraceReplay : public testing::Test {
 protected:
  Status replay(const std::string& rows, std::uint64_t interval = 1000) {
    TraceLog log;
    EXPECT_EQ(read_trace("Thread,Time,Action,Pointer,Size,Stream\n" + rows, "log.csv", log), Status::success)
        << last_error_message();
    progress.interval = interval;
    return Replay<NumberTarget>(log, target).run(progress, figures);
  }
  NumberTarget target;
  ReplayProgress progress;
  ReplayFigures figures;
};

const std::string overlapping =
    "0,0,allocate,0x1,10,0\n0,0,allocate,0x2,20,0\n0,0,free,0x1,10,0\n"
    "0,0,allocate,0x1,40,0\n0,0,free,0x2,20,0\n0,0,free,0x1,40,0\n";

TEST_F(TraceReplay, DoesWhatTheLogSays) {
  ASSERT_EQ(replay(overlapping), Status::success);
  EXPECT_EQ(target.sizes, (std::vector<std::uint64_t>{10, 20, 40}));
  EXPECT_TRUE(target.live.empty());
  EXPECT_EQ(figures.allocations, 3u);
  EXPECT_EQ(figures.releases, 3u);
  EXPECT_EQ(figures.peak_live_bytes, 60u);
  EXPECT_EQ(figures.out_of_memory, 0u);
}

TEST_F(TraceReplay, ReleasesWhatTheLogLeavesLive) {
  ASSERT_EQ(replay("0,0,allocate,0x1,10,0\n0,0,allocate,0x2,20,0\n"), Status::success);
  EXPECT_TRUE(target.live.empty());
  EXPECT_EQ(figures.releases, 2u);
}

TEST_F(TraceReplay, LeavesFailuresOfTheLogAndNullPointersOut) {
  ASSERT_EQ(replay("0,0,allocate failure,(nil),99,0\n0,0,allocate,(nil),0,0\n0,0,free,(nil),0,0\n"
                   "0,0,allocate,0x1,0,0\n"),
            Status::success);
  EXPECT_EQ(target.sizes, (std::vector<std::uint64_t>{0}));
}

TEST_F(TraceReplay, CountsOutOfMemoryAndGoesOnWithoutTheBlock) {
  target.limit = 55;
  ASSERT_EQ(replay(overlapping), Status::success);
  EXPECT_EQ(figures.out_of_memory, 1u);
  EXPECT_EQ(figures.allocations, 2u);
  EXPECT_EQ(figures.releases, 2u);
  EXPECT_EQ(figures.peak_live_bytes, 30u) << "the block that failed was never live";
  EXPECT_TRUE(target.live.empty());
}

TEST_F(TraceReplay, EndsAtAnyOtherFailureAndReleasesEverything) {
  target.failing_size = 40;
  EXPECT_EQ(replay(overlapping), Status::opencl);
  EXPECT_STREQ(last_error_message(), "broken");
  EXPECT_TRUE(target.live.empty());
}

TEST_F(TraceReplay, ReportsProgressAndCanBeStopped) {
  std::vector<std::uint64_t> seen;
  progress.user = &seen;
  progress.callback = [](void* user, std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(total, 6u);
    static_cast<std::vector<std::uint64_t>*>(user)->push_back(done);
    return 0;
  };
  ASSERT_EQ(replay(overlapping, 4), Status::success);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{4, 6}));

  progress.callback = [](void*, std::uint64_t, std::uint64_t) { return 1; };
  EXPECT_EQ(replay(overlapping, 2), Status::callback);
  EXPECT_STREQ(last_error_message(), "the progress callback stopped the replay after 2 of 6 events");
  EXPECT_TRUE(target.live.empty());
}

TEST_F(TraceReplay, AnEmptyLogTakesNothing) {
  ASSERT_EQ(replay(""), Status::success);
  EXPECT_EQ(figures.allocations, 0u);
  EXPECT_EQ(figures.peak_live_bytes, 0u);
}

}  // namespace
}  // namespace clpool::core
