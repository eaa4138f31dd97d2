// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A pool on the stub, the program's own commands on its blocks, of which the library knows nothing, and what they leave there.
#pragma once

#include <vector>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {

inline constexpr std::size_t block_size = 4096;

class PoolOrder : public testing::Test {
 protected:
  ~PoolOrder() override {
    stub_run_all();
    if (pool != nullptr) {
      EXPECT_OK(clpool_pool_tick(pool));
      stub_run_all();
      EXPECT_OK(clpool_pool_release(pool));
    }
  }

  void make_pool(std::vector<cl_command_queue> queues, bool svm = false) {
    clpool_allocator* allocator = nullptr;
    ASSERT_OK(svm ? clpool_allocator_create_svm(scene.cl.context, 0, 0, nullptr, &allocator)
                  // What makes its chunks writes to them: others have to come after it.
                  : clpool_allocator_create_touching(home, 0, CLPOOL_TOUCH_WHOLE, &allocator));
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = queues.data();
    options.queue_count = static_cast<std::uint32_t>(queues.size());
    ASSERT_OK(clpool_pool_create(allocator, &options, &pool));
    EXPECT_OK(clpool_allocator_release(allocator));
  }
  clpool_mem* allocate() {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_pool_allocate(pool, block_size, &mem));
    return mem;
  }
  clpool_mem* allocate_on(cl_command_queue queue) {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_pool_allocate_on(pool, queue, block_size, &mem));
    return mem;
  }
  /// A command of the program's own, of which the library knows nothing.
  void fill(cl_command_queue queue, clpool_mem* mem, unsigned char value, const Gate* gate = nullptr) {
    const cl_event event = gate != nullptr ? gate->get() : nullptr;
    const cl_uint count = gate != nullptr ? 1 : 0;
    const cl_event* const waits = gate != nullptr ? &event : nullptr;
    void* const pointer = clpool_mem_pointer(mem);
    ASSERT_EQ(pointer != nullptr
                  ? clEnqueueSVMMemFill(queue, pointer, &value, 1, block_size, count, waits, nullptr)
                  : clEnqueueFillBuffer(queue, clpool_mem_handle(mem), &value, 1, 0, block_size, count, waits,
                                        nullptr),
              CL_SUCCESS);
    clFlush(queue);
  }
  /// Opens the gate after all that may run before it, and tells what the block has in the end.
  unsigned char content_after(clpool_mem* mem, Gate& gate) {
    stub_run_all();
    gate.open();
    stub_run_all();
    const unsigned char value = stub_memory(clpool_mem_handle(mem))[0];
    EXPECT_OK(clpool_mem_release(mem));
    return value;
  }

  Scene scene;
  cl_command_queue home = scene.cl.queue;
  cl_command_queue other = scene.cl.another_queue();
  cl_command_queue third = scene.cl.another_queue();
  clpool_pool* pool = nullptr;
};

}  // namespace clpool::test
