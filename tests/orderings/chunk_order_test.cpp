// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What comes before the first commands on a new chunk, on a driver whose markers end with any command that fails while
// others still run.
#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

constexpr std::size_t block_size = 4096;

/// Over which allocator the pool is, how many queues it is told of, and whether the block is used on the first.
struct NewChunk {
  const char* name;
  bool touched_by_allocator;
  std::uint32_t queue_count;
  bool used_on_first;
};

class NewChunks : public testing::TestWithParam<NewChunk> {
 protected:
  /// Fills the block on `queue`, by a command of the library's, or of the program's where the pool knows the queue.
  void fill(cl_command_queue queue, clpool_mem* mem, bool is_known) {
    if (is_known) {
      ASSERT_EQ(clEnqueueFillBuffer(queue, clpool_mem_handle(mem), &source_byte, 1, 0, block_size, 0, nullptr,
                                    nullptr),
                CL_SUCCESS);
    } else {
      ASSERT_OK(clpool_mem_fill(queue, mem, &source_byte, 1, 0, block_size, 0, nullptr, nullptr));
    }
    clFlush(queue);
  }
  Scene scene;
};

TEST_P(NewChunks, AreReadyBeforeAnyCommandUsesThemWhateverElseFails) {
  stub_configure("fails_markers=1");
  const cl_command_queue overtaking = scene.queue;
  const cl_command_queue queues[] = {overtaking, scene.cl.another_queue()};
  clpool_allocator* made = nullptr;
  ASSERT_OK(GetParam().touched_by_allocator ? clpool_allocator_create_immediate(overtaking, 0, &made)
                                            : clpool_allocator_create_deferred(scene.cl.context, 0, &made));
  const AllocatorHandle allocator(made);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = queues;
  options.queue_count = GetParam().queue_count;
  const PoolHandle pool = make_pool(allocator.get(), options);
  for (int chunks = 1; chunks <= 2; ++chunks) {  // the second one's touch comes after the first one's
    Gate gate(scene.cl.context);
    Gate failing(scene.cl.context);
    clpool_mem* const scratch = scene.memory(Side::buffer, target_byte);
    ASSERT_EQ(clEnqueueFillBuffer(overtaking, clpool_mem_handle(scratch), &source_byte, 1, 0, 64, 1,
                                  failing.list(), nullptr),
              CL_SUCCESS);
    ASSERT_EQ(clEnqueueBarrierWithWaitList(overtaking, 1, gate.list(), nullptr), CL_SUCCESS);
    std::vector<MemHandle> blocks;
    for (int i = 0; i < chunks; ++i) {
      blocks.push_back(allocate(pool, std::size_t{1} << (22 + i)));
    }
    const bool is_known = GetParam().used_on_first || GetParam().queue_count == 2;
    fill(GetParam().used_on_first ? overtaking : queues[1], blocks[0].get(), is_known);
    stub_run_all();
    failing.open(-1);
    stub_run_all();
    gate.open();
    stub_run_all();
    EXPECT_EQ(stub_memory(clpool_mem_handle(blocks[0].get()))[0], source_byte) << chunks;
    blocks.clear();
    stub_run_all();
    EXPECT_OK(clpool_pool_free_held(pool.get()));
  }
}

INSTANTIATE_TEST_SUITE_P(Of, NewChunks,
                         testing::Values(NewChunk{"DeferredMemoryOnTheOneQueue", false, 1, true},
                                         NewChunk{"DeferredMemoryOnTheOther", false, 2, false},
                                         NewChunk{"DeferredMemoryOnAForeignQueue", false, 1, false},
                                         NewChunk{"ImmediateMemoryOnTheOneQueue", true, 1, true},
                                         NewChunk{"ImmediateMemoryOnTheOther", true, 2, false},
                                         NewChunk{"ImmediateMemoryOnAForeignQueue", true, 1, false}),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(GuardedChunks, StayUntilTheyAreFilledIfNothingCanComeAfterThat) {
  Scene scene;
  clpool_allocator* made = nullptr;
  ASSERT_OK(clpool_allocator_create_svm(scene.cl.context, 0, 0, nullptr, &made));
  const AllocatorHandle allocator(made);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.guard = CLPOOL_GUARD_ON;
  options.queues = &scene.cl.queue;
  options.queue_count = 1;
  const PoolHandle pool = make_pool(allocator.get(), options);
  stub_fail_from("clEnqueueBarrierWithWaitList", 1, CL_OUT_OF_RESOURCES);
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(pool.get(), block_size, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  stub_fail_none();
  stub_run_all();  // the driver aborts if memory has gone under its fill
  EXPECT_EQ(stub_device_bytes(), 0u);
}

}  // namespace
}  // namespace clpool::test
