// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/heap.hpp and clpool/trace.hpp: what owns what, and how callbacks end.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "clpool/heap.hpp"
#include "clpool/trace.hpp"
#include "support/temporary_file.hpp"

namespace {

static_assert(!std::is_copy_constructible_v<clpool::Heap::Range> &&
              std::is_nothrow_move_constructible_v<clpool::Heap::Range>);

TEST(HeapHpp, RangesGoBackWithTheirObjects) {
  clpool::Heap heap(16);
  EXPECT_EQ(heap.add_space(1024), 0u);
  {
    clpool::Heap::Range first = heap.allocate(100);
    const clpool::Heap::Range second = heap.allocate(16);
    EXPECT_EQ(first.size(), 112u) << "whole granules";
    EXPECT_NE(first.offset(), second.offset());
    EXPECT_EQ(first.space(), 0u);
    EXPECT_EQ(heap.statistics().active_ranges, 2u);
    clpool::Heap::Range moved = std::move(first);
    EXPECT_FALSE(first);
    moved = heap.allocate(32);  // what it held goes with the temporary
    EXPECT_EQ(heap.statistics().active_ranges, 2u);
    clpool::Heap::Range other = heap.allocate(32);
    moved = std::move(other);
    EXPECT_EQ(heap.statistics().active_ranges, 2u) << "what it held has gone, not to the other";
    EXPECT_THROW(heap.remove_space(0), clpool::Error);
  }
  EXPECT_EQ(heap.statistics().active_ranges, 0u);
  EXPECT_EQ(heap.statistics().largest_free, 1024u);
  heap.check_books();
  heap.remove_space(0);
  EXPECT_EQ(heap.statistics().spaces, 0u);
}

TEST(HeapHpp, ARangeKeepsItsHeap) {
  clpool::Heap::Range range;
  {
    clpool::Heap heap;
    heap.add_space(10);
    range = heap.allocate(10);
  }
  EXPECT_EQ(range.size(), 10u);
}

TEST(HeapHpp, FailuresAreExceptionsOrCodes) {
  EXPECT_THROW(clpool::Heap(3), clpool::Error);
  std::error_code code;
  const clpool::Heap none(3, code);
  EXPECT_FALSE(none);
  EXPECT_EQ(code, std::errc::invalid_argument);
  clpool::Heap heap;
  EXPECT_THROW(heap.allocate(1), clpool::OutOfMemory);
  EXPECT_FALSE(heap.allocate(1, code));
  EXPECT_EQ(code, std::errc::not_enough_memory);
}

/// A source of numbers, for replays without a device.
class EndlessNumbers : public clpool::Source {
 public:
  uint64_t allocate(uint64_t size, uint64_t) override {
    const uint64_t chunk = next_;
    next_ += (size + 4095) / 4096 * 4096;
    return chunk;
  }
  void deallocate(uint64_t, uint64_t) noexcept override {}

 private:
  uint64_t next_ = 4096;
};

class TraceHpp : public testing::Test {
 protected:
  void SetUp() override {
    path_ = clpool::test::temporary_file();
    const clpool::TraceWriter writer(path_);
    writer.allocated(0x1000, 64, 0, "first");
    writer.allocated(0x2000, 32);
    writer.failed(1 << 20, CLPOOL_ERROR_OUT_OF_MEMORY);
    writer.released(0x1000, 64);
    writer.flush();
  }
  void TearDown() override { std::remove(path_.c_str()); }
  std::string path_;
};

TEST_F(TraceHpp, WhatIsWrittenIsReadAndReplayed) {
  const clpool::Trace trace = clpool::Trace::open(path_);
  EXPECT_EQ(trace.statistics().events, 4u);
  EXPECT_EQ(trace.statistics().peak_live_bytes, 96u);
  EXPECT_EQ(trace.event(2).action, static_cast<uint32_t>(CLPOOL_TRACE_ALLOCATE_FAILURE));
  EXPECT_THROW(trace.event(4), clpool::Error);
  const clpool::Allocator numbers = clpool::Allocator::custom(std::make_unique<EndlessNumbers>());
  const clpool::Pool pool(numbers);
  uint64_t asked = 0;
  const auto result = trace.replay(pool, [&](uint64_t, uint64_t total) {
    asked = total;
    return true;
  });
  EXPECT_EQ(result.allocations, 2u);
  EXPECT_EQ(result.releases, 2u);
  EXPECT_EQ(asked, 3u);
  EXPECT_EQ(trace.replay(numbers).driver_allocations, 2u);
}

TEST_F(TraceHpp, AReplayIsStoppedByFalseAndByAnException) {
  const clpool::Trace trace = clpool::Trace::open(path_);
  const clpool::Pool pool(clpool::Allocator::custom(std::make_unique<EndlessNumbers>()));
  std::error_code code;
  trace.replay(
      pool, [](uint64_t, uint64_t) { return false; }, code);
  EXPECT_EQ(code, clpool::make_error_code(CLPOOL_ERROR_CALLBACK));
  EXPECT_THROW(trace.replay(pool, [](uint64_t, uint64_t) -> bool { throw std::out_of_range("mine"); }),
               std::out_of_range);
  EXPECT_EQ(pool.statistics().active_blocks, 0u);
}

TEST_F(TraceHpp, WhatIsNoLogIsToldWithItsLine) {
  try {
    clpool::Trace::parse("Thread,Time,Action,Pointer,Size,Stream\n0,0,allocate,0x1,none,0\n", "mine.csv");
    FAIL() << "no log";
  } catch (const clpool::Error& error) {
    EXPECT_EQ(error.status(), CLPOOL_ERROR_BAD_FORMAT);
    EXPECT_NE(std::string(error.what()).find("mine.csv:2"), std::string::npos) << error.what();
  }
  EXPECT_THROW(clpool::Trace::parse({}), clpool::Error);
  EXPECT_THROW(clpool::TraceWriter(testing::TempDir()), clpool::Error);
}

}  // namespace
