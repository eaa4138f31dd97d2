// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Allocation logs through the C ABI: reading, writing, replaying, and the decorator that records.
#include <clpool/clpool.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "support/child.hpp"
#include "support/opencl.hpp"
#include "support/temporary_file.hpp"

namespace clpool::test {
namespace {

const std::string log_text =
    "Thread,Time,Action,Pointer,Size,Stream\n"
    "3,10,allocate,0xa,100,7\n"
    "3,11,allocate,0xb,300,7\n"
    "4,12,allocate failure,(nil),900,7\n"
    "3,13,free,0xa,100,7\n"
    "3,14,allocate,0xc,50,7\n"
    "3,15,free,0xb,300,7\n";

struct TraceReleaser {
  void operator()(clpool_trace* trace) const { clpool_trace_release(trace); }
};
using Trace = std::unique_ptr<clpool_trace, TraceReleaser>;

struct AllocatorReleaser {
  void operator()(clpool_allocator* allocator) const { clpool_allocator_release(allocator); }
};
using AllocatorHandle = std::unique_ptr<clpool_allocator, AllocatorReleaser>;

Trace parse(const std::string& text) {
  clpool_trace* trace = nullptr;
  EXPECT_EQ(clpool_trace_parse(text.data(), text.size(), "log.csv", &trace), CLPOOL_SUCCESS)
      << clpool_last_error_message();
  return Trace(trace);
}

/// Of the log in a file.
clpool_trace_stats read_statistics(const std::string& path) {
  clpool_trace* read = nullptr;
  EXPECT_EQ(clpool_trace_open(path.c_str(), &read), CLPOOL_SUCCESS) << clpool_last_error_message();
  const Trace trace(read);
  clpool_trace_stats stats = CLPOOL_TRACE_STATS_INIT;
  EXPECT_EQ(clpool_trace_statistics(trace.get(), &stats), CLPOOL_SUCCESS);
  return stats;
}

/// Custom memory: numbers, at most `limit` bytes at a time.
struct Numbers {
  std::uint64_t limit = UINT64_MAX;
  std::uint64_t live = 0;
  std::uint64_t next = 4096;
  std::uint64_t allocations = 0;

  AllocatorHandle make_allocator() {
    clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
    ops.allocate = [](void* user, uint64_t size, uint64_t, uint64_t* chunk) -> clpool_status {
      auto& numbers = *static_cast<Numbers*>(user);
      if (size > numbers.limit - numbers.live) {
        return CLPOOL_ERROR_OUT_OF_MEMORY;
      }
      numbers.live += size;
      ++numbers.allocations;
      *chunk = numbers.next;
      numbers.next += (size / 4096 + 1) * 4096;
      return CLPOOL_SUCCESS;
    };
    ops.deallocate = [](void* user, uint64_t, uint64_t size) { static_cast<Numbers*>(user)->live -= size; };
    clpool_allocator* allocator = nullptr;
    EXPECT_EQ(clpool_allocator_create_custom(&ops, this, &allocator), CLPOOL_SUCCESS)
        << clpool_last_error_message();
    return AllocatorHandle(allocator);
  }
};

TEST(Trace, CountsTheFiguresOfALog) {
  const Trace trace = parse(log_text);
  clpool_trace_stats stats = CLPOOL_TRACE_STATS_INIT;
  ASSERT_EQ(clpool_trace_statistics(trace.get(), &stats), CLPOOL_SUCCESS);
  EXPECT_EQ(stats.events, 6u);
  EXPECT_EQ(stats.allocations, 3u);
  EXPECT_EQ(stats.releases, 2u);
  EXPECT_EQ(stats.allocate_failures, 1u);
  EXPECT_EQ(stats.threads, 2u);
  EXPECT_EQ(stats.distinct_sizes, 3u);
  EXPECT_EQ(stats.largest_bytes, 300u);
  EXPECT_EQ(stats.peak_live_bytes, 400u);
  EXPECT_EQ(stats.peak_live_blocks, 2u);
  EXPECT_EQ(stats.final_live_bytes, 50u);
  EXPECT_EQ(stats.final_live_blocks, 1u);
}

TEST(Trace, GivesEachEvent) {
  const Trace trace = parse(log_text);
  clpool_trace_event event = CLPOOL_TRACE_EVENT_INIT;
  ASSERT_EQ(clpool_trace_event_at(trace.get(), 1, &event), CLPOOL_SUCCESS);
  EXPECT_EQ(event.action, static_cast<uint32_t>(CLPOOL_TRACE_ALLOCATE));
  EXPECT_EQ(event.thread, 3u);
  EXPECT_EQ(event.time_us, 11u);
  EXPECT_EQ(event.pointer, 0xbu);
  EXPECT_EQ(event.size, 300u);
  EXPECT_EQ(event.stream, 7u);
  EXPECT_EQ(event.line, 3u);
  EXPECT_EQ(event.slot, 1u);
  ASSERT_EQ(clpool_trace_event_at(trace.get(), 2, &event), CLPOOL_SUCCESS);
  EXPECT_EQ(event.action, static_cast<uint32_t>(CLPOOL_TRACE_ALLOCATE_FAILURE));
  EXPECT_EQ(event.slot, CLPOOL_TRACE_NO_SLOT);
  EXPECT_EQ(clpool_trace_event_at(trace.get(), 6, &event), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_STREQ(clpool_last_error_message(), "clpool_trace_event_at: index is 6, the log has 6 events");
}

TEST(Trace, EndsWithItsLastReference) {
  clpool_trace* trace = parse(log_text).release();
  EXPECT_EQ(clpool_trace_retain(trace), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_trace_release(trace), CLPOOL_SUCCESS);
  const Trace other =
      parse("Thread,Time,Action,Pointer,Size,Stream\n");  // which takes the place of one that ended
  clpool_trace_stats stats = CLPOOL_TRACE_STATS_INIT;
  EXPECT_EQ(clpool_trace_statistics(trace, &stats), CLPOOL_SUCCESS);
  EXPECT_EQ(stats.events, 6u);
  EXPECT_EQ(clpool_trace_release(trace), CLPOOL_SUCCESS);
}

TEST(Trace, RefusesNullArgumentsAndClearsItsResult) {
  clpool_trace* trace = reinterpret_cast<clpool_trace*>(1);
  EXPECT_EQ(clpool_trace_parse(nullptr, 0, "log", &trace), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(trace, nullptr);
  EXPECT_EQ(clpool_trace_parse("", 0, nullptr, &trace), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_trace_parse("", 0, "log", nullptr), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_trace_open(nullptr, &trace), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_trace_statistics(nullptr, nullptr), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_trace_event_at(nullptr, 0, nullptr), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_trace_retain(nullptr), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_trace_release(nullptr), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_trace_writer_create(nullptr, nullptr), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_trace_writer_write(nullptr, CLPOOL_TRACE_ALLOCATE, 1, 1, 0, CLPOOL_SUCCESS, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_trace_writer_flush(nullptr), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_trace_writer_retain(nullptr), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_trace_writer_release(nullptr), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_trace_replay_pool(nullptr, nullptr, nullptr, nullptr), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_trace_replay_allocator(nullptr, nullptr, nullptr, nullptr), CLPOOL_ERROR_INVALID_VALUE);
}

TEST(Trace, RefusesAWrongStructSize) {
  const Trace trace = parse(log_text);
  clpool_trace_stats stats = CLPOOL_TRACE_STATS_INIT;
  stats.struct_size = 8;
  EXPECT_EQ(clpool_trace_statistics(trace.get(), &stats), CLPOOL_ERROR_INVALID_VALUE);
  Numbers numbers;
  const AllocatorHandle allocator = numbers.make_allocator();
  clpool_trace_replay_result result = CLPOOL_TRACE_REPLAY_RESULT_INIT;
  result.struct_size = 0;
  EXPECT_EQ(clpool_trace_replay_allocator(trace.get(), allocator.get(), nullptr, &result),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(numbers.allocations, 0u) << "refused before anything was done";
}

TEST(Trace, MayBeginWithAByteOrderMark) {
  const Trace trace = parse("\xEF\xBB\xBF" + log_text);
  clpool_trace_stats stats = CLPOOL_TRACE_STATS_INIT;
  ASSERT_EQ(clpool_trace_statistics(trace.get(), &stats), CLPOOL_SUCCESS);
  EXPECT_EQ(stats.events, 6u);
}

TEST(Trace, ResultsAreEmptyAfterAFailure) {
  const Trace trace = parse(log_text);
  clpool_trace_stats stats = CLPOOL_TRACE_STATS_INIT;
  stats.events = 7;
  EXPECT_EQ(clpool_trace_statistics(nullptr, &stats), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(stats.events, 0u);
  clpool_trace_event event = CLPOOL_TRACE_EVENT_INIT;
  event.size = 7;
  EXPECT_EQ(clpool_trace_event_at(trace.get(), 6, &event), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(event.size, 0u);
  clpool_trace_replay_result result = CLPOOL_TRACE_REPLAY_RESULT_INIT;
  result.allocations = 7;
  EXPECT_EQ(clpool_trace_replay_pool(trace.get(), nullptr, nullptr, &result), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(result.allocations, 0u);
  clpool_pool_stats figures = CLPOOL_POOL_STATS_INIT;
  figures.active_blocks = 7;
  EXPECT_EQ(clpool_pool_statistics(nullptr, &figures), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(figures.active_blocks, 0u);
  figures.reserved = 1;
  EXPECT_EQ(clpool_pool_statistics(nullptr, &figures), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_STREQ(clpool_last_error_message(), "clpool_pool_statistics: reserved is 1, it must be 0");
  clpool_heap_stats of_heap = CLPOOL_HEAP_STATS_INIT;
  of_heap.free = 7;
  EXPECT_EQ(clpool_heap_statistics(nullptr, &of_heap), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(of_heap.free, 0u);
  char text[] = "old";
  EXPECT_EQ(clpool_pool_dump_json(nullptr, text, sizeof text, nullptr), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_STREQ(text, "");
}

TEST(Trace, AMalformedLogNamesItsPlace) {
  clpool_trace* trace = nullptr;
  const std::string text = log_text + "what\n";
  EXPECT_EQ(clpool_trace_parse(text.data(), text.size(), "log.csv", &trace), CLPOOL_ERROR_BAD_FORMAT);
  EXPECT_EQ(trace, nullptr);
  EXPECT_STREQ(clpool_last_error_message(),
               "log.csv:8: truncated: the last row has 1 fields, the header has 6");
}

TEST(TraceWriter, IsRefusedInAChildOfForkWhichWritesNothingOfTheParents) {
  const std::string path = temporary_file();
  clpool_trace_writer* writer = nullptr;
  ASSERT_EQ(clpool_trace_writer_create(path.c_str(), &writer), CLPOOL_SUCCESS) << clpool_last_error_message();
  clpool_trace* const log = parse(log_text).release();
  EXPECT_EQ(clpool_trace_writer_write(writer, CLPOOL_TRACE_ALLOCATE, 1, 64, 1, CLPOOL_SUCCESS, nullptr),
            CLPOOL_SUCCESS);
  const int end = in_child([&] {
    const clpool_status refused = CLPOOL_ERROR_INVALID_OPERATION;
    const bool right = clpool_trace_writer_write(writer, CLPOOL_TRACE_ALLOCATE, 2, 64, 1, CLPOOL_SUCCESS,
                                                 nullptr) == refused &&
                       std::string(clpool_last_error_message()).find("fork()") != std::string::npos &&
                       clpool_trace_writer_flush(writer) == refused &&
                       clpool_trace_writer_release_later(writer) == refused &&
                       clpool_trace_release_later(log) == CLPOOL_SUCCESS &&
                       clpool_trace_writer_release(writer) == CLPOOL_SUCCESS;
    ::_exit(right ? 0 : 1);
  });
  EXPECT_EQ(end, 0);
  EXPECT_EQ(clpool_trace_writer_write(writer, CLPOOL_TRACE_RELEASE, 1, 64, 1, CLPOOL_SUCCESS, nullptr),
            CLPOOL_SUCCESS);
  clpool_trace_writer_release(writer);
  clpool_trace_release(log);
  EXPECT_EQ(read_statistics(path).events, 2u);
  std::remove(path.c_str());
}

TEST(TraceWriter, EndsWithItsLastReference) {
  const std::string path = temporary_file();
  clpool_trace_writer* writer = nullptr;
  ASSERT_EQ(clpool_trace_writer_create(path.c_str(), &writer), CLPOOL_SUCCESS) << clpool_last_error_message();
  EXPECT_EQ(clpool_trace_writer_retain(writer), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_trace_writer_release(writer), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_trace_writer_write(writer, CLPOOL_TRACE_ALLOCATE, 0xabc, 64, 1, CLPOOL_SUCCESS, nullptr),
            CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_trace_writer_release(writer), CLPOOL_SUCCESS);
  EXPECT_EQ(read_statistics(path).events, 1u);
  std::remove(path.c_str());
}

/// As every function that releases at once.
TEST(TraceReplay, TheReleaseOfALogOrWriterCarriesOutReleasesThatWerePutOff) {
  Numbers numbers;
  for (const bool of_writer : {false, true}) {
    const AllocatorHandle allocator = numbers.make_allocator();
    clpool_mem* mem = nullptr;
    ASSERT_EQ(clpool_allocator_allocate(allocator.get(), 100, &mem), CLPOOL_SUCCESS);
    EXPECT_EQ(clpool_mem_release_later(mem), CLPOOL_SUCCESS);
    EXPECT_EQ(numbers.live, 100u);
    EXPECT_EQ(of_writer ? clpool_trace_writer_release(nullptr) : clpool_trace_release(nullptr),
              CLPOOL_SUCCESS);
    EXPECT_EQ(numbers.live, 0u);
  }
}

TEST(TraceWriter, WritesWhatTraceOpenReads) {
  const std::string path = temporary_file();
  clpool_trace_writer* writer = nullptr;
  ASSERT_EQ(clpool_trace_writer_create(path.c_str(), &writer), CLPOOL_SUCCESS) << clpool_last_error_message();
  EXPECT_EQ(clpool_trace_writer_write(writer, CLPOOL_TRACE_ALLOCATE, 0xabc, 64, 1, CLPOOL_SUCCESS, "weights"),
            CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_trace_writer_write(writer, CLPOOL_TRACE_ALLOCATE_FAILURE, 0, 99, 1,
                                      CLPOOL_ERROR_OUT_OF_MEMORY, nullptr),
            CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_trace_writer_write(writer, CLPOOL_TRACE_RELEASE, 0xabc, 64, 1, CLPOOL_SUCCESS, nullptr),
            CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_trace_writer_write(writer, 4, 0xabc, 64, 1, CLPOOL_SUCCESS, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_trace_writer_write(writer, CLPOOL_TRACE_ALLOCATE, 0, 64, 1, CLPOOL_SUCCESS, nullptr),
            CLPOOL_ERROR_INVALID_VALUE)
      << "which the reader would refuse";
  EXPECT_EQ(clpool_trace_writer_write(writer, CLPOOL_TRACE_RELEASE, 0, 5, 1, CLPOOL_SUCCESS, nullptr),
            CLPOOL_ERROR_INVALID_VALUE)
      << "and so this";
  EXPECT_EQ(clpool_trace_writer_flush(writer), CLPOOL_SUCCESS);
  clpool_trace_writer_release(writer);
  const clpool_trace_stats stats = read_statistics(path);
  EXPECT_EQ(stats.events, 3u);
  EXPECT_EQ(stats.final_live_blocks, 0u);
  std::remove(path.c_str());
}

TEST(TraceReplay, AnAllocatorIsAskedForEachBlock) {
  const Trace trace = parse(log_text);
  Numbers numbers;
  const AllocatorHandle allocator = numbers.make_allocator();
  clpool_trace_replay_result result = CLPOOL_TRACE_REPLAY_RESULT_INIT;
  ASSERT_EQ(clpool_trace_replay_allocator(trace.get(), allocator.get(), nullptr, &result), CLPOOL_SUCCESS)
      << clpool_last_error_message();
  EXPECT_EQ(result.allocations, 3u);
  EXPECT_EQ(result.releases, 3u) << "with the block that the log leaves live";
  EXPECT_EQ(result.driver_allocations, 3u);
  EXPECT_EQ(numbers.allocations, 3u);
  EXPECT_EQ(numbers.live, 0u);
  EXPECT_EQ(result.peak_live_bytes, 400u);
  EXPECT_EQ(result.peak_driver_bytes, 400u);
  EXPECT_EQ(result.ratio_ppm, 1000000u);
  EXPECT_EQ(result.out_of_memory, 0u);
  EXPECT_GT(result.elapsed_ns, 0u);
  EXPECT_EQ(result.allocation_ps, result.elapsed_ns * 1000 / 3);
}

TEST(TraceReplay, OptionsOfAWrongSizeAreRefused) {
  const Trace trace = parse(log_text);
  Numbers numbers;
  const AllocatorHandle allocator = numbers.make_allocator();
  clpool_trace_replay_options options = CLPOOL_TRACE_REPLAY_OPTIONS_INIT;
  options.struct_size = 4;
  clpool_trace_replay_result result = CLPOOL_TRACE_REPLAY_RESULT_INIT;
  EXPECT_EQ(clpool_trace_replay_allocator(trace.get(), allocator.get(), &options, &result),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_NE(std::string(clpool_last_error_message()).find("struct_size is 4"), std::string::npos)
      << clpool_last_error_message();
  EXPECT_EQ(numbers.allocations, 0u);
}

TEST(TraceReplay, ThePeakIsOfWhatWasThereHoweverMuchWasRefused) {
  const Trace trace = parse(
      "Thread,Time,Action,Pointer,Size,Stream\n"
      "0,1,allocate,0x1,5000,0\n"
      "0,2,allocate,0x2,300,0\n"
      "0,3,allocate,0x3,6000,0\n"
      "0,4,allocate,0x4,400,0\n");
  Numbers numbers;
  numbers.limit = 1000;
  const AllocatorHandle allocator = numbers.make_allocator();
  clpool_trace_replay_result result = CLPOOL_TRACE_REPLAY_RESULT_INIT;
  EXPECT_EQ(clpool_trace_replay_allocator(trace.get(), allocator.get(), nullptr, &result), CLPOOL_SUCCESS);
  EXPECT_EQ(result.peak_live_bytes, 700u);
}

TEST(TraceReplay, OutOfMemoryIsCountedAndIsNoFailure) {
  const Trace trace = parse(log_text);
  Numbers numbers;
  numbers.limit = 150;
  const AllocatorHandle allocator = numbers.make_allocator();
  clpool_trace_replay_result result = CLPOOL_TRACE_REPLAY_RESULT_INIT;
  ASSERT_EQ(clpool_trace_replay_allocator(trace.get(), allocator.get(), nullptr, &result), CLPOOL_SUCCESS)
      << clpool_last_error_message();
  EXPECT_EQ(result.allocations, 2u);
  EXPECT_EQ(result.out_of_memory, 1u);
  EXPECT_EQ(result.peak_live_bytes, 100u);
  EXPECT_EQ(numbers.live, 0u);
}

TEST(TraceReplay, TheProgressCallbackCanStopIt) {
  const Trace trace = parse(log_text);
  Numbers numbers;
  const AllocatorHandle allocator = numbers.make_allocator();
  clpool_trace_replay_options options = CLPOOL_TRACE_REPLAY_OPTIONS_INIT;
  options.progress_interval = 1;
  options.progress = [](void*, uint64_t done, uint64_t) -> int32_t { return done == 2 ? 1 : 0; };
  clpool_trace_replay_result result = CLPOOL_TRACE_REPLAY_RESULT_INIT;
  EXPECT_EQ(clpool_trace_replay_allocator(trace.get(), allocator.get(), &options, &result),
            CLPOOL_ERROR_CALLBACK);
  EXPECT_EQ(numbers.allocations, 2u);
  EXPECT_EQ(numbers.live, 0u);
  options.progress = [](void*, uint64_t done, uint64_t) -> int32_t {
    return done == 3 ? throw std::runtime_error("no more") : 0;
  };
  EXPECT_EQ(clpool_trace_replay_allocator(trace.get(), allocator.get(), &options, &result),
            CLPOOL_ERROR_CALLBACK);
  EXPECT_EQ(std::string(clpool_last_error_message()).find("the progress callback threw after 3 of "), 0u);
  EXPECT_NE(std::string(clpool_last_error_message()).find(": no more"), std::string::npos);
  EXPECT_EQ(numbers.live, 0u);
}

TEST(TraceReplay, APoolServesTheLogWithFewerDriverAllocations) {
  std::string text = "Thread,Time,Action,Pointer,Size,Stream\n";
  for (int i = 0; i < 1000; ++i) {
    text += "0,0,allocate,0x1,5000,0\n0,0,free,0x1,5000,0\n";
  }
  const Trace trace = parse(text);
  for (const uint32_t strategy : {CLPOOL_STRATEGY_COALESCING, CLPOOL_STRATEGY_BINNED}) {
    Numbers numbers;
    const AllocatorHandle allocator = numbers.make_allocator();
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.strategy = strategy;
    clpool_pool* pool = nullptr;
    ASSERT_EQ(clpool_pool_create(allocator.get(), &options, &pool), CLPOOL_SUCCESS)
        << clpool_last_error_message();
    clpool_trace_replay_result result = CLPOOL_TRACE_REPLAY_RESULT_INIT;
    ASSERT_EQ(clpool_trace_replay_pool(trace.get(), pool, nullptr, &result), CLPOOL_SUCCESS)
        << clpool_last_error_message();
    EXPECT_EQ(result.allocations, 1000u);
    EXPECT_EQ(result.releases, 1000u);
    EXPECT_EQ(result.driver_allocations, 1u);
    EXPECT_GE(result.peak_driver_bytes, 5000u);
    EXPECT_EQ(result.peak_live_bytes, 5000u);
    EXPECT_EQ(result.ratio_ppm, result.peak_driver_bytes * 1000000 / 5000);
    ASSERT_EQ(clpool_trace_replay_pool(trace.get(), pool, nullptr, &result), CLPOOL_SUCCESS);
    EXPECT_EQ(result.driver_allocations, 0u) << "the second time everything is held already";
    clpool_pool_release(pool);
    EXPECT_EQ(numbers.live, 0u);
  }
}

class TraceAllocatorOnADevice : public OpenClTest {};

TEST_F(TraceAllocatorOnADevice, RecordsWhatADeviceGaveAndTheLogCanBeReplayed) {
  const std::string path = temporary_file();
  clpool_allocator* made = nullptr;
  ASSERT_EQ(clpool_allocator_create_immediate(cl.queue, 0, &made), CLPOOL_SUCCESS)
      << clpool_last_error_message();
  const AllocatorHandle inner(made);
  ASSERT_EQ(clpool_allocator_create_trace(inner.get(), path.c_str(), &made), CLPOOL_SUCCESS)
      << clpool_last_error_message();
  AllocatorHandle traced(made);
  for (size_t size = 1000; size < 20000; size += 1000) {
    clpool_mem* mem = nullptr;
    ASSERT_EQ(clpool_allocator_allocate(traced.get(), size, &mem), CLPOOL_SUCCESS)
        << clpool_last_error_message();
    EXPECT_NE(clpool_mem_handle(mem), nullptr);
    EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
  }
  traced.reset();

  clpool_trace* read = nullptr;
  ASSERT_EQ(clpool_trace_open(path.c_str(), &read), CLPOOL_SUCCESS) << clpool_last_error_message();
  const Trace trace(read);
  clpool_trace_replay_result result = CLPOOL_TRACE_REPLAY_RESULT_INIT;
  ASSERT_EQ(clpool_trace_replay_allocator(trace.get(), inner.get(), nullptr, &result), CLPOOL_SUCCESS)
      << clpool_last_error_message();
  EXPECT_EQ(result.allocations, 19u);
  EXPECT_EQ(result.peak_live_bytes, 19000u);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace clpool::test
