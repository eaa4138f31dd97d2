// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// In which order pools, their blocks, allocators, queues and contexts end is the program's choice: each keeps
// what it needs. On the fake driver nothing may be left of them.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/pool/backends.hpp"
#include "stub_icd/stub.h"

namespace clpool::test {
namespace {

/// What there is before the fixture has made anything.
struct CountedBefore {
  CountedBefore() { stub_read_counts(&before); }
  /// What commands used a little longer than the end of its pool waits goes with a later call of the library; memory that
  /// is freed behind its queue goes when the queue is there, which nobody here can wait for.
  void expect_nothing_left() const {
    char text[512] = "";
    for (int i = 0; i < 20000 && stub_same_counts(&before, text, sizeof text) == 0; ++i) {
      call_later();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_STREQ(text, "") << "left in the driver";
  }
  stub_counts before = {};
};

class PoolEnds : private CountedBefore, public PoolTest {
 protected:
  /// Gives up the fixture's own references, as a program may at any time.
  void end_device() {
    if (cl.queue != nullptr) {
      clReleaseCommandQueue(cl.queue);
      clReleaseContext(cl.context);
      queue_ = std::exchange(cl.queue, nullptr);
      cl.context = nullptr;
    }
  }
  /// What the pool itself keeps must do for a block, commands included, by the queue that it has retained.
  void use(clpool_mem* mem) {
    if (has_buffers() || is(Kind::svm)) {
      const unsigned value = 0xC0FFEE;
      std::vector<unsigned> read(clpool_mem_size(mem) / sizeof value);
      ASSERT_EQ(clpool_mem_fill(queue_, mem, &value, sizeof value, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr),
                CLPOOL_SUCCESS)
          << clpool_last_error_message();
      ASSERT_EQ(clpool_mem_read(queue_, mem, 0, CLPOOL_WHOLE_SIZE, read.data(), clpool_mem_size(mem), 1, 0,
                                nullptr, nullptr),
                CLPOOL_SUCCESS)
          << clpool_last_error_message();
      EXPECT_EQ(read, std::vector<unsigned>(read.size(), value));
    }
  }
  PoolHandle pool_with_queue() {
    clpool_pool_options made = options();
    made.queues = is(Kind::custom) ? nullptr : &cl.queue;
    made.queue_count = is(Kind::custom) ? 0 : 1;
    return make_pool(allocator.get(), made);
  }
  void expect_nothing_left() {
    end_device();
    allocator.reset();
    CountedBefore::expect_nothing_left();
  }

  cl_command_queue queue_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(, PoolEnds, testing::ValuesIn(all_backends()), name_of);

TEST_P(PoolEnds, BlocksOutliveTheirPool) {
  std::vector<MemHandle> blocks;
  {
    const PoolHandle made = pool_with_queue();
    for (int i = 0; i < 50; ++i) {
      blocks.push_back(allocate(made, 4096 * (1 + static_cast<std::size_t>(i) % 3)));
    }
    blocks.resize(40);
    allocator.reset();
  }
  queue_ = cl.queue;
  for (const MemHandle& block : blocks) {
    use(block.get());
  }
  blocks.clear();
  EXPECT_EQ(numbers.live_chunks(), 0u) << "the last block ends the pool";
  expect_nothing_left();
}

TEST_P(PoolEnds, APoolOutlivesItsContextAndQueueAndAllocator) {
  PoolHandle made = pool_with_queue();
  MemHandle early = allocate(made, 4096);
  end_device();
  allocator.reset();
  MemHandle late = allocate(made, 1 << 20);
  use(early.get());
  use(late.get());
  early.reset();
  EXPECT_EQ(clpool_pool_free_held(made.get()), CLPOOL_SUCCESS);
  expect_sound(made);
  late.reset();
  made.reset();
  EXPECT_EQ(numbers.live_chunks(), 0u);
  expect_nothing_left();
}

TEST_P(PoolEnds, ABlockMayBeTheLastThatIsLeftOfAll) {
  PoolHandle made = pool_with_queue();
  MemHandle last = allocate(made, 4096);
  end_device();
  allocator.reset();
  made.reset();
  use(last.get());
  last.reset();
  EXPECT_EQ(numbers.live_chunks(), 0u);
  expect_nothing_left();
}

class DefaultPoolEnds : public testing::Test {
 protected:
  ~DefaultPoolEnds() override { counted.expect_nothing_left(); }
  clpool_status make(std::uint32_t memory, const clpool_pool_options* options = nullptr) {
    return clpool_pool_create_default(nullptr, memory, options, &pool, nullptr, &context, &queue);
  }
  CountedBefore counted;
  clpool_pool* pool = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
};

TEST_F(DefaultPoolEnds, ItsContextAndQueueAndAllocatorEndWithTheirLastReference) {
  for (const std::uint32_t memory : {CLPOOL_MEMORY_BUFFER, CLPOOL_MEMORY_SVM, CLPOOL_MEMORY_PINNED}) {
    const clpool_status status = make(memory);
    if (status == CLPOOL_ERROR_NOT_SUPPORTED && memory == CLPOOL_MEMORY_SVM) {
      continue;
    }
    ASSERT_EQ(status, CLPOOL_SUCCESS) << clpool_last_error_message();
    EXPECT_EQ(clpool_pool_release(pool), CLPOOL_SUCCESS);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
}

TEST_F(DefaultPoolEnds, WhatCannotBeMadeLeavesNothing) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.alignment = 3;
  EXPECT_EQ(make(CLPOOL_MEMORY_BUFFER, &options), CLPOOL_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace clpool::test
