// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// DeclaredUses: a block of a pool on the fake driver, whose queues run nothing by themselves, and what is held back of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {

class DeclaredUses : public testing::Test {
 protected:
  static constexpr std::size_t block_size = 4096;

  void make(std::vector<cl_command_queue> queues, std::uint64_t max_bytes = 0) {
    const AllocatorHandle allocator = immediate_allocator(home);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = queues.data();
    options.queue_count = static_cast<std::uint32_t>(queues.size());
    options.max_bytes = max_bytes;
    pool = make_pool(allocator.get(), options);
    ASSERT_OK(clpool_pool_allocate(pool.get(), block_size, &mem));
    stub_run_all();
  }
  /// Whose allocator touches its chunks so.
  void make_guarded_pool(std::uint32_t touch) {
    stub_configure("mode=immediate");
    const AllocatorHandle allocator = make_allocator(clpool_allocator_create_touching, home, 0, touch);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.guard = CLPOOL_GUARD_ON;
    pool = make_pool(allocator.get(), options);
  }
  /// A command that the library knows nothing of.
  void hold_up(cl_command_queue queue, const Gate& gate) {
    const cl_event event = gate.get();
    ASSERT_EQ(clEnqueueFillBuffer(queue, clpool_mem_handle(mem), &source_byte, 1, 0, block_size, 1, &event,
                                  nullptr),
              CL_SUCCESS);
  }
  /// The same at once.
  static void use(cl_command_queue queue, const clpool_mem* block) {
    ASSERT_EQ(
        clEnqueueFillBuffer(queue, clpool_mem_handle(block), &source_byte, 1, 0, 1, 0, nullptr, nullptr),
        CL_SUCCESS);
  }
  /// Bytes that are held back when all that may run has run.
  std::uint64_t pending() {
    for (int i = 0; i < 3; ++i) {  // look, mark, look
      EXPECT_OK(clpool_pool_tick(pool.get()));
      stub_run_all();
    }
    return stats_of(pool).pending_bytes;
  }
  /// The same after as many looks as it takes: one ends after a millisecond, which is little under a sanitizer.
  std::uint64_t pending_at_last() {
    for (int i = 0; i < 1000 && pending() != 0; ++i) {
    }
    return pending();
  }
  static std::int64_t queue_references() {
    stub_counts counts;
    stub_read_counts(&counts);
    return counts.references[STUB_QUEUE];
  }

  static std::int64_t live_events() {
    stub_counts counts;
    stub_read_counts(&counts);
    return counts.live[STUB_EVENT];
  }

  Scene scene;
  cl_command_queue home = scene.cl.queue;
  cl_command_queue other = scene.cl.another_queue();
  cl_command_queue third = scene.cl.another_queue();
  cl_command_queue fourth = scene.cl.another_queue();
  NumberSource numbers;
  PoolHandle pool;
  clpool_mem* mem = nullptr;
};

}  // namespace clpool::test
