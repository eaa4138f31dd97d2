// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a guarded pool finds wrong in the program that uses it, over every kind of pool, and that it finds
// nothing in a right one. Mistakes are made as programs make them: with handles and pointers that were kept.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

#include "conformance/pool/backends.hpp"
#include "support/environment.hpp"
#include "support/guard.hpp"

namespace clpool::test {
namespace {

constexpr unsigned char pattern = 0xDD;
constexpr std::size_t size = 1000;

class GuardedPool : public PoolTest {
 protected:
  clpool_pool_options guarded_options() {
    clpool_pool_options result = options();
    result.guard = CLPOOL_GUARD_ON;
    if (is(Kind::deferred)) {  // which has no queue of its own
      result.queues = &cl.queue;
      result.queue_count = 1;
    }
    return result;
  }
  PoolHandle guarded() { return make_pool(allocator.get(), guarded_options()); }

  /// Memory as a program knows it that keeps more than it should.
  struct Kept {
    clpool_mem* mem = nullptr;
    cl_mem buffer = nullptr;
    unsigned char* pointer = nullptr;
  };
  Kept make(const PoolHandle& pool, std::uint64_t tag, std::size_t bytes = size) {
    Kept kept;
    EXPECT_EQ(clpool_pool_allocate(pool.get(), bytes, &kept.mem), CLPOOL_SUCCESS)
        << clpool_last_error_message();
    EXPECT_EQ(clpool_mem_set_tag(kept.mem, tag), CLPOOL_SUCCESS);
    kept.buffer = clpool_mem_handle(kept.mem);
    kept.pointer = static_cast<unsigned char*>(clpool_mem_pointer(kept.mem));
    return kept;
  }
  /// Writes as a command or a program does that no longer asks the library.
  void write(const Kept& kept, std::size_t offset, std::vector<unsigned char> bytes) {
    if (kept.buffer != nullptr) {
      ASSERT_EQ(clEnqueueWriteBuffer(cl.queue, kept.buffer, CL_TRUE, offset, bytes.size(), bytes.data(), 0,
                                     nullptr, nullptr),
                CL_SUCCESS);
    } else if (is(Kind::svm)) {
      ASSERT_EQ(clEnqueueSVMMemcpy(cl.queue, CL_TRUE, kept.pointer + offset, bytes.data(), bytes.size(), 0,
                                   nullptr, nullptr),
                CL_SUCCESS);
    } else {
      std::memcpy(kept.pointer + offset, bytes.data(), bytes.size());
    }
  }
  /// Writes all that was asked for, with a command that every device has.
  void fill(const MemHandle& mem, unsigned char value) {
    const Kept kept{mem.get(), clpool_mem_handle(mem.get()),
                    static_cast<unsigned char*>(clpool_mem_pointer(mem.get()))};
    if (is_reached()) {
      write(kept, 0, std::vector<unsigned char>(clpool_mem_size(mem.get()), value));
    }
  }
  /// Until the pool has filled what was released.
  void let_it_rest(const PoolHandle& pool, const Kept& kept) {
    ASSERT_EQ(finish(cl.queue), CL_SUCCESS);
    for (int i = 0; is(Kind::pinned) && i < 5000 && *kept.pointer != pattern; ++i) {
      ASSERT_EQ(clpool_pool_tick(pool.get()), CLPOOL_SUCCESS);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  /// Until nothing rests any more, and all that could be found is.
  void end_rest(const PoolHandle& pool) {
    for (int i = 0; i < 5000 && stats_of(pool).pending_bytes != 0; ++i) {
      ASSERT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS);
      ASSERT_EQ(clpool_pool_tick(pool.get()), CLPOOL_SUCCESS);
      std::this_thread::sleep_for(std::chrono::milliseconds(i == 0 ? 0 : 1));
    }
    ASSERT_EQ(stats_of(pool).pending_bytes, 0u);
  }
  bool is_reached() const { return !is(Kind::custom); }

  Heard heard;
};
INSTANTIATE_TEST_SUITE_P(, GuardedPool, testing::ValuesIn(all_backends()), name_of);

TEST_P(GuardedPool, ASecondReleaseIsAFindingWithSizeAndTag) {
  const PoolHandle pool = guarded();
  const Kept kept = make(pool, 77);
  ASSERT_EQ(clpool_mem_release(kept.mem), CLPOOL_SUCCESS);
  EXPECT_EQ(heard.findings(), 0u) << heard.text();
  EXPECT_EQ(clpool_mem_release(kept.mem), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_NE(std::string(clpool_last_error_message()).find("1000 bytes with tag 77"), std::string::npos)
      << clpool_last_error_message();
  EXPECT_EQ(heard.findings("released memory is used"), 1u) << heard.text();
  EXPECT_EQ(heard.findings("1000 bytes with tag 77"), 1u) << heard.text();
  EXPECT_EQ(stats_of(pool).active_blocks, 0u);
  expect_sound(pool);
}

// The pool may have ended by then, and its receiver with it.
TEST_P(GuardedPool, ASecondReleaseIsAFindingThoughAPartKeepsTheMemory) {
  const PoolHandle pool = guarded();
  const Kept kept = make(pool, 78);
  clpool_mem* part = nullptr;
  ASSERT_EQ(clpool_mem_sub_region(kept.mem, 0, 100, 0, &part), CLPOOL_SUCCESS) << clpool_last_error_message();
  ASSERT_EQ(clpool_mem_release(kept.mem), CLPOOL_SUCCESS);
  EXPECT_EQ(heard.findings(), 0u) << heard.text();
  EXPECT_EQ(clpool_mem_release(kept.mem), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(heard.findings("1000 bytes with tag 78"), 1u) << heard.text();
  EXPECT_EQ(clpool_mem_release(part), CLPOOL_SUCCESS);
  EXPECT_EQ(heard.findings(), 1u) << heard.text();
  EXPECT_EQ(stats_of(pool).active_blocks, 0u);
}

TEST_P(GuardedPool, ASecondReleaseIsToldToTheProcessAndAWriteToThePool) {
  Messages own;
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  callbacks.message = &Messages::receive;
  clpool_pool_options options = guarded_options();
  options.callbacks = &callbacks;
  options.user = &own;
  const PoolHandle pool = make_pool(allocator.get(), options);
  const Kept kept = make(pool, 78);
  if (is_reached()) {
    write(kept, size, {1});
  }
  ASSERT_EQ(clpool_mem_release(kept.mem), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_mem_release(kept.mem), CLPOOL_ERROR_INVALID_OPERATION);
  end_rest(pool);
  EXPECT_EQ(heard.findings(), 1u) << heard.text();
  EXPECT_EQ(heard.findings("released memory is used"), 1u) << heard.text();
  EXPECT_EQ(own.count(CLPOOL_MESSAGE_ERROR, "released memory is used"), 0u);
  EXPECT_EQ(own.count(CLPOOL_MESSAGE_ERROR, "written beyond its end"), is_reached() ? 1u : 0u);
}

TEST_P(GuardedPool, EveryUseOfAReleasedHandleIsAFinding) {
  const PoolHandle pool = guarded();
  clpool_mem* const mem = make(pool, 5).mem;
  ASSERT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_mem_retain(mem), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_mem_set_tag(mem, 1), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_mem_release_later(mem), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_mem_release_idle(mem), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_mem_handle(mem), nullptr);
  EXPECT_EQ(clpool_mem_pointer(mem), nullptr);
  EXPECT_EQ(clpool_mem_size(mem), 0u);
  EXPECT_EQ(heard.findings("tag 5"), 7u) << heard.text();
  EXPECT_EQ(clpool_mem_bind_queue(mem, cl.queue), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_mem_unbind_queue(mem), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_mem_release_on(mem, cl.queue, 0, nullptr, nullptr), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(heard.findings("tag 5"), 10u) << heard.text();
}

TEST_P(GuardedPool, AHandleWhoseReleaseWasPutOffIsReleased) {
  const PoolHandle pool = guarded();
  clpool_mem* const mem = make(pool, 6).mem;
  ASSERT_EQ(clpool_mem_release_later(mem), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_mem_release(mem), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(heard.findings("tag 6"), 1u) << heard.text();
  EXPECT_EQ(stats_of(pool).active_blocks, 0u);
}

TEST_P(GuardedPool, AReleasedHandleIsNobodyElsesForLong) {
  const PoolHandle pool = guarded();
  clpool_mem* const stale = make(pool, 9).mem;
  ASSERT_EQ(clpool_mem_release(stale), CLPOOL_SUCCESS);
  for (int i = 0; i < 600; ++i) {  // its memory is handed out again, many times
    clpool_mem* mem = nullptr;
    ASSERT_EQ(clpool_pool_allocate(pool.get(), size, &mem), CLPOOL_SUCCESS);
    ASSERT_NE(mem, stale);
    ASSERT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
    if (i % 50 == 0) {
      ASSERT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS);
    }
  }
  EXPECT_EQ(clpool_mem_release(stale), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(heard.findings("tag 9"), 1u) << heard.text();
  expect_sound(pool);
}

TEST_P(GuardedPool, AReleasedHandleIsKnownAfterItsPoolHasEnded) {
  clpool_mem* mem = nullptr;
  {
    const PoolHandle pool = guarded();
    mem = make(pool, 10).mem;
    ASSERT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
  }
  const PoolHandle next = guarded();
  const MemHandle other = allocate(next, size);
  EXPECT_NE(other.get(), mem);
  EXPECT_EQ(clpool_mem_release(mem), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(heard.findings("tag 10"), 1u) << heard.text();
}

TEST_P(GuardedPool, AWriteBeyondTheEndIsAFinding) {
  if (!is_reached()) {
    GTEST_SKIP() << "custom memory is not touched";
  }
  for (const std::size_t bytes : {std::size_t{1}, size, std::size_t{4096}, std::size_t{3'000'000}}) {
    const PoolHandle pool = guarded();
    const Kept kept = make(pool, bytes, bytes);
    write(kept, 0, std::vector<unsigned char>(bytes, 1));
    write(kept, bytes, {2});
    ASSERT_EQ(clpool_mem_release(kept.mem), CLPOOL_SUCCESS);
    end_rest(pool);
    const std::string number = std::to_string(bytes);
    EXPECT_EQ(heard.findings("a block of " + number + " bytes with tag " + number +
                             ", was written beyond its end: at offset " + number + " stands 0x02"),
              1u)
        << heard.text();
  }
  EXPECT_EQ(heard.findings(), 4u) << heard.text();
}

TEST_P(GuardedPool, AnOverrunIsFoundAtThePoolsEnd) {
  if (!is_reached()) {
    GTEST_SKIP() << "custom memory is not touched";
  }
  {
    const PoolHandle pool = guarded();
    const Kept kept = make(pool, 11);
    write(kept, size + 3, {0});
    ASSERT_EQ(clpool_mem_release(kept.mem), CLPOOL_SUCCESS);
  }
  for (int i = 0; i < 5000 && heard.findings() == 0; ++i) {
    const PoolHandle later = guarded();  // looks after ended pools
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(heard.findings("with tag 11, was written beyond its end: at offset 1003"), 1u) << heard.text();
}

TEST_P(GuardedPool, AWriteAfterTheReleaseIsAFinding) {
  if (!is_reached()) {
    GTEST_SKIP() << "custom memory is not touched";
  }
  const PoolHandle pool = guarded();
  for (const std::size_t offset : {std::size_t{0}, size - 1}) {
    const Kept kept = make(pool, 12 + offset);
    write(kept, 0, {1});
    ASSERT_EQ(clpool_mem_release(kept.mem), CLPOOL_SUCCESS);
    let_it_rest(pool, kept);
    write(kept, offset, {3});
    end_rest(pool);
    EXPECT_EQ(heard.findings("with tag " + std::to_string(12 + offset) +
                             ", was written after its release: at offset " + std::to_string(offset) +
                             " stands 0x03"),
              1u)
        << heard.text();
  }
  EXPECT_EQ(heard.findings(), 2u) << heard.text();
  const MemHandle next = allocate(pool, 2 * size);
  EXPECT_TRUE(holds(next, pattern)) << "what was written is gone before the memory is handed out again";
}

TEST_P(GuardedPool, AllOfABlockWrittenAfterTheReleaseIsAFinding) {
  if (!is_reached()) {
    GTEST_SKIP() << "custom memory is not touched";
  }
  constexpr std::size_t large = 1 << 20;  // nothing of the pattern is left at either end
  const PoolHandle pool = guarded();
  const Kept kept = make(pool, 14, large);
  write(kept, 0, {1});
  ASSERT_EQ(clpool_mem_release(kept.mem), CLPOOL_SUCCESS);
  let_it_rest(pool, kept);
  write(kept, 0, std::vector<unsigned char>(large, 7));  // all bytes alike, as a pattern's are
  end_rest(pool);
  EXPECT_EQ(heard.findings("with tag 14, was written after its release: at offset 0 stands 0x07"), 1u)
      << heard.text();
}

TEST_P(GuardedPool, BothEndsOfALargeBlockAreLookedAtAfterItsRelease) {
  if (!is_reached()) {
    GTEST_SKIP() << "custom memory is not touched";
  }
  constexpr std::size_t large = 3'000'000;
  const PoolHandle pool = guarded();
  for (const std::size_t offset : {std::size_t{100}, large - 1}) {
    const Kept kept = make(pool, offset, large);
    write(kept, 0, {1});
    ASSERT_EQ(clpool_mem_release(kept.mem), CLPOOL_SUCCESS);
    let_it_rest(pool, kept);
    write(kept, offset, {3});
    end_rest(pool);
    EXPECT_EQ(heard.findings("at offset " + std::to_string(offset)), 1u) << heard.text();
  }
}

TEST_P(GuardedPool, MemoryThatWasNotWrittenHoldsThePattern) {
  const PoolHandle pool = guarded();
  MemHandle mem = allocate(pool, size);
  EXPECT_TRUE(holds(mem, is_reached() ? pattern : 0) || !is_reached());
  fill(mem, 1);
  mem.reset();
  end_rest(pool);
  mem = allocate(pool, size);
  EXPECT_TRUE(holds(mem, pattern));
}

TEST_P(GuardedPool, ReleasedMemoryIsNotHandedOutAtOnce) {
  const PoolHandle pool = guarded();
  const Kept first = make(pool, 0);
  ASSERT_EQ(clpool_mem_release(first.mem), CLPOOL_SUCCESS);
  for (int i = 0; i < 100; ++i) {
    const Kept next = make(pool, 0);
    EXPECT_TRUE(first.buffer == nullptr || next.buffer != first.buffer);
    EXPECT_TRUE(first.pointer == nullptr || next.pointer != first.pointer);
    ASSERT_EQ(clpool_mem_release(next.mem), CLPOOL_SUCCESS);
  }
  expect_sound(pool);
}

TEST_P(GuardedPool, WhatRestsIsBounded) {
  const PoolHandle pool = guarded();
  for (int i = 0; i < 200; ++i) {
    const std::size_t bytes = i % 2 == 0 ? 1'000'000 : 100;
    MemHandle mem = allocate(pool, bytes);
    mem.reset();
    if (cl.queue != nullptr) {
      ASSERT_EQ(finish(cl.queue), CL_SUCCESS);
    }
    ASSERT_LE(stats_of(pool).pending_bytes, 64'000'000u) << "what rests, and what is looked at";
  }
  EXPECT_LE(stats_of(pool).held_blocks, 200u);
  expect_sound(pool);
}

TEST_P(GuardedPool, NothingRestsWhereMemoryIsOut) {
  clpool_pool_options limited = guarded_options();
  limited.max_bytes = 2'500'000;
  const PoolHandle pool = make_pool(allocator.get(), limited);
  for (int i = 0; i < 20; ++i) {
    MemHandle mem = allocate(pool, 2'000'000 + 10 * static_cast<std::size_t>(i));
    ASSERT_NE(mem, nullptr);
    fill(mem, 1);
  }
  EXPECT_EQ(heard.findings(), 0u) << heard.text();
  expect_sound(pool);
}

TEST_P(GuardedPool, AllMemoryGoesBackAtOnceWhereItWasUsedOnSeveralQueues) {
  cl_command_queue queues[] = {cl.queue, cl.another_queue()};
  clpool_pool_options several = guarded_options();
  several.queues = is_reached() ? queues : nullptr;
  several.queue_count = is_reached() ? 2 : 0;
  const PoolHandle pool = make_pool(allocator.get(), several);
  {
    std::vector<MemHandle> blocks;
    for (std::size_t i = 0; i < 20; ++i) {
      blocks.push_back(allocate(pool, 1000 + 977 * i));
      fill(blocks.back(), 1);
    }
  }
  for (cl_command_queue queue : queues) {
    ASSERT_EQ(finish(queue), CL_SUCCESS);
  }
  ASSERT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS);
  EXPECT_EQ(stats_of(pool).managed_bytes, 0u);
  EXPECT_EQ(heard.findings(), 0u) << heard.text();
}

TEST_P(GuardedPool, TheMarginIsGivenUpBeforeARequestFails) {
  clpool_pool_options limited = guarded_options();
  limited.max_bytes = 1 << 20;
  const PoolHandle pool = make_pool(allocator.get(), limited);
  const MemHandle mem = allocate(pool, 1 << 20);
  ASSERT_NE(mem, nullptr);
  fill(mem, 1);
}

TEST_P(GuardedPool, NothingIsFoundInARightProgram) {
  std::mt19937 random(7);
  {
    const PoolHandle pool = guarded();
    std::vector<std::pair<MemHandle, unsigned char>> blocks;
    for (int i = 0; i < 400; ++i) {
      if (blocks.size() < 20 && random() % 3 != 0) {
        const std::size_t bytes = random() % (random() % 10 == 0 ? 2'000'000 : 5'000) + 1;
        const auto value = static_cast<unsigned char>(random());
        blocks.emplace_back(allocate(pool, bytes), value);
        fill(blocks.back().first, value);
      } else if (!blocks.empty()) {
        const std::size_t place = random() % blocks.size();
        ASSERT_TRUE(holds(blocks[place].first, blocks[place].second));
        blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(place));
      }
      if (i % 97 == 0) {
        ASSERT_EQ(clpool_pool_trim(pool.get(), 1'000'000), CLPOOL_SUCCESS);
      }
    }
    expect_sound(pool);
    blocks.clear();
    end_rest(pool);
    EXPECT_EQ(stats_of(pool).managed_bytes, 0u);
  }
  EXPECT_EQ(heard.findings(), 0u) << heard.text();
}

TEST_P(GuardedPool, ABlockThatOutlivesItsPoolIsToldWithItsTag) {
  PoolHandle pool = guarded();
  const Kept kept = make(pool, 4711);
  pool.reset();
  EXPECT_EQ(heard.count(CLPOOL_MESSAGE_WARNING,
                        "1 block of 1000 bytes with tag 4711 is handed out; it stays valid"),
            1u)
      << heard.text();
  EXPECT_EQ(clpool_mem_release(kept.mem), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_mem_release(kept.mem), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(heard.findings("tag 4711"), 1u) << heard.text();
}

// Without a kind: memory that is only numbers.

class GuardSwitch : public testing::Test {
 protected:
  PoolHandle pool_with(std::uint32_t guard) {
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.guard = guard;
    return make_pool(allocator.get(), options);
  }
  std::size_t findings_of_a_second_release(std::uint32_t guard) {
    const Heard heard;
    const PoolHandle pool = pool_with(guard);
    clpool_mem* const mem = allocate(pool, size).release();
    EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
    EXPECT_EQ(clpool_mem_release(mem), CLPOOL_ERROR_INVALID_OPERATION);
    return heard.findings();
  }
  NumberSource numbers;
  AllocatorHandle allocator = numbers.allocator();
};

TEST_F(GuardSwitch, TheOptionTurnsItOnAndOff) {
  EXPECT_EQ(findings_of_a_second_release(CLPOOL_GUARD_ON), 1u);
  EXPECT_EQ(findings_of_a_second_release(CLPOOL_GUARD_OFF), 0u);
}

TEST_F(GuardSwitch, TheEnvironmentDecidesWhereTheOptionDoesNot) {
  EXPECT_EQ(findings_of_a_second_release(CLPOOL_GUARD_DEFAULT), pools_are_guarded() ? 1u : 0u);
}

TEST_F(GuardSwitch, OtherNumbersAreRefused) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  clpool_pool* pool = nullptr;
  options.guard = 3;
  EXPECT_EQ(clpool_pool_create(allocator.get(), &options, &pool), CLPOOL_ERROR_INVALID_VALUE);
  options = CLPOOL_POOL_OPTIONS_INIT;
  options.reserved_2 = 1;
  EXPECT_EQ(clpool_pool_create(allocator.get(), &options, &pool), CLPOOL_ERROR_INVALID_VALUE);
}

TEST_F(GuardSwitch, AStaleHandleDoesNotReleaseTheBlockOfAnother) {
  const Heard heard;
  const PoolHandle pool = pool_with(CLPOOL_GUARD_ON);
  clpool_mem* const stale = allocate(pool, size).release();
  ASSERT_EQ(clpool_mem_release(stale), CLPOOL_SUCCESS);
  const MemHandle other = allocate(pool, size);
  EXPECT_EQ(clpool_mem_release(stale), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(stats_of(pool).active_blocks, 1u);
  EXPECT_NE(clpool_mem_pointer(other.get()), nullptr);
}

TEST_F(GuardSwitch, FindingsGoToStandardErrorWhereNobodyReceivesThem) {
  const PoolHandle pool = pool_with(CLPOOL_GUARD_ON);
  clpool_mem* const mem = allocate(pool, size).release();
  ASSERT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
  testing::internal::CaptureStderr();
  EXPECT_EQ(clpool_mem_release(mem), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("clpool guard: released memory is used"),
            std::string::npos);
}

TEST(GuardSwitchDeathTest, OnlyAHundredFindingsArePrinted) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // a process that has printed none
  const auto find = [](int count) {
    NumberSource numbers;
    const AllocatorHandle allocator = numbers.allocator();
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.guard = CLPOOL_GUARD_ON;
    const PoolHandle pool = make_pool(allocator.get(), options);
    clpool_mem* const mem = allocate(pool, size).release();
    for (int i = 0; i <= count; ++i) {
      clpool_mem_release(mem);
    }
    std::fputs("end\n", stderr);
    std::fflush(stderr);
  };
  EXPECT_EXIT((find(100), _exit(0)), testing::ExitedWithCode(0), "released memory is used[^\n]*\nend");
  EXPECT_EXIT((find(101), _exit(0)), testing::ExitedWithCode(0),
              "clpool guard: there are more findings, which are not printed\nend");
  EXPECT_EXIT((find(102), _exit(0)), testing::ExitedWithCode(0),
              "clpool guard: there are more findings, which are not printed\nend");
}

TEST(GuardSwitchDeathTest, AFindingEndsTheProcessWhereTheEnvironmentWantsThat) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const Variable variable("CLPOOL_GUARD", "abort");
  EXPECT_DEATH(
      {
        NumberSource numbers;
        const AllocatorHandle allocator = numbers.allocator();
        const PoolHandle pool = make_pool(allocator.get());
        clpool_mem* const mem = allocate(pool, size).release();
        clpool_mem_release(mem);
        clpool_mem_release(mem);
      },
      "clpool guard: released memory is used");
}

}  // namespace
}  // namespace clpool::test
