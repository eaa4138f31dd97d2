// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What comes before the first commands on a new chunk, on a driver whose markers end with any command that fails while
// others still run.
#include <cstring>
#include <string>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

/// Over which allocator the pool is, how many queues it is told of, and whether the block is used on the first.
struct NewChunk {
  enum class Over { context, first_queue, queue_of_its_own };
  const char* name;
  Over over;
  std::uint32_t queue_count;
  bool used_on_first;
  bool is_bound = false;  ///< to the queue on which it is used
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
  static constexpr std::size_t block_size = 4096;
  Scene scene;
};

TEST_P(NewChunks, AreReadyBeforeAnyCommandUsesThemWhateverElseFails) {
  stub_configure("fails_markers=1");
  const cl_command_queue overtaking = scene.queue;
  clpool_allocator* made = nullptr;
  const cl_command_queue toucher = GetParam().over == NewChunk::Over::first_queue
                                       ? overtaking
                                       : scene.cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const cl_command_queue queues[] = {overtaking, scene.cl.another_queue()};
  ASSERT_OK(GetParam().over == NewChunk::Over::context
                ? clpool_allocator_create_deferred(scene.cl.context, 0, &made)
                : clpool_allocator_create_immediate(toucher, 0, &made));
  const AllocatorHandle allocator(made);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = queues;
  options.queue_count = GetParam().queue_count;
  const PoolHandle pool = make_pool(allocator.get(), options);
  for (int chunks = 1; chunks <= 2; ++chunks) {  // the second one's touch comes after the first one's
    Gate failing(scene.cl.context);
    clpool_mem* const scratch = scene.memory(Side::buffer, target_byte);
    OwnedEvent fails;
    ASSERT_EQ(clEnqueueFillBuffer(overtaking, clpool_mem_handle(scratch), &source_byte, 1, 0, 64, 1,
                                  failing.list(), fails.receive()),
              CL_SUCCESS);
    std::vector<MemHandle> blocks;
    blocks.reserve(2);
    for (int i = 0; i < chunks; ++i) {
      blocks.push_back(allocate(pool, std::size_t{1} << (22 + i)));
    }
    const bool is_known = GetParam().used_on_first || GetParam().queue_count == 2;
    const cl_command_queue user = GetParam().used_on_first ? overtaking : queues[1];
    ASSERT_OK(GetParam().is_bound ? clpool_mem_bind_queue(blocks[0].get(), user) : CLPOOL_SUCCESS);
    fill(user, blocks[0].get(), is_known);
    failing.open(-1);
    stub_run(fails.get());
    while (const std::size_t count = stub_runnable(nullptr)) {
      stub_run_nth(nullptr, count - 1);  // the newest first: what may overtake does
    }
    EXPECT_EQ(stub_memory(clpool_mem_handle(blocks[0].get()))[0], source_byte) << chunks;
    blocks.clear();
    stub_run_all();
    EXPECT_OK(clpool_pool_free_held(pool.get()));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, NewChunks,
    testing::Values(
        NewChunk{"DeferredMemoryOnTheOneQueue", NewChunk::Over::context, 1, true},
        NewChunk{"DeferredMemoryOnTheOther", NewChunk::Over::context, 2, false},
        NewChunk{"DeferredMemoryOnAForeignQueue", NewChunk::Over::context, 1, false},
        NewChunk{"ImmediateMemoryOnTheOneQueue", NewChunk::Over::first_queue, 1, true},
        NewChunk{"ImmediateMemoryOnTheOther", NewChunk::Over::first_queue, 2, false},
        NewChunk{"ImmediateMemoryOnAForeignQueue", NewChunk::Over::first_queue, 1, false},
        NewChunk{"ImmediateMemoryBoundToAForeignQueue", NewChunk::Over::first_queue, 1, false, true},
        NewChunk{"MemoryOfAnotherQueueOnTheOneQueue", NewChunk::Over::queue_of_its_own, 1, true},
        NewChunk{"MemoryOfAnotherQueueOnAForeignQueue", NewChunk::Over::queue_of_its_own, 1, false}),
    [](const auto& of) { return std::string(of.param.name); });

TEST(NewChunksOnAnOvertakingQueue, AreNotHandedOutIfTheyCannotBeMadeReady) {
  Scene scene;
  clpool_allocator* made = nullptr;
  ASSERT_OK(clpool_allocator_create_deferred(scene.cl.context, 0, &made));
  const AllocatorHandle allocator(made);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = &scene.queue;
  options.queue_count = 1;
  const PoolHandle pool = make_pool(allocator.get(), options);
  for (const char* const call : {"clEnqueueFillBuffer", "clEnqueueBarrierWithWaitList", "clFlush"}) {
    stub_fail(call, 1, CL_INVALID_OPERATION);
    clpool_mem* mem = nullptr;
    EXPECT_EQ(clpool_pool_allocate(pool.get(), 4096, &mem), CLPOOL_ERROR_OPENCL);
    EXPECT_NE(std::strstr(clpool_last_error_message(), call), nullptr) << clpool_last_error_message();
    stub_fail_none();
    stub_run_all();
    EXPECT_EQ(stub_device_bytes(), 0u) << call;
  }
}

/// A driver that runs commands, and with them a program's functions, where it is called.
struct AllocatesWithinACall {
  clpool_pool* pool;
  cl_command_queue other;
  std::string call;
  clpool_status status = CLPOOL_ERROR_INTERNAL;
  static void look(const char* entry_point, void* user) {
    auto& self = *static_cast<AllocatesWithinACall*>(user);
    if (self.call != entry_point) {
      return;
    }
    self.call.clear();
    clpool_mem* mem = nullptr;
    self.status = clpool_pool_allocate(self.pool, 9 << 20, &mem);
    EXPECT_OK(clpool_mem_fill(self.other, mem, &source_byte, 1, 0, 64, 0, nullptr, nullptr));
    EXPECT_OK(clpool_mem_release(mem));
  }
};

TEST(NewChunksOnAnOvertakingQueue, AreMadeReadyWithoutALock) {
  Scene scene;
  clpool_allocator* made = nullptr;
  ASSERT_OK(clpool_allocator_create_deferred(scene.cl.context, 0, &made));
  const AllocatorHandle allocator(made);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = &scene.queue;
  options.queue_count = 1;
  for (const char* const call : {"clEnqueueFillBuffer", "clEnqueueBarrierWithWaitList", "clFlush"}) {
    const PoolHandle pool = make_pool(allocator.get(), options);
    AllocatesWithinACall within{pool.get(), scene.cl.queue, call};
    stub_set_hook(AllocatesWithinACall::look, &within);
    EXPECT_NE(allocate(pool, 4096), nullptr);
    stub_set_hook(nullptr, nullptr);
    EXPECT_OK(within.status);
    stub_run_all();
  }
}

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
  EXPECT_EQ(clpool_pool_allocate(pool.get(), 4096, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  stub_fail_none();
  stub_run_all();  // the driver aborts if memory has gone under its fill
  EXPECT_EQ(stub_device_bytes(), 0u);
}

class GuardedChunksOfAKind : public testing::TestWithParam<bool> {};

TEST_P(GuardedChunksOfAKind, AreFilledBeforeAQueueUsesThemThatIsNoneOfThePools) {
  Scene scene;
  clpool_allocator* made = nullptr;
  ASSERT_OK(GetParam() ? clpool_allocator_create_svm(scene.cl.context, 0, 0, nullptr, &made)
                       : clpool_allocator_create_deferred(scene.cl.context, 0, &made));
  const AllocatorHandle allocator(made);
  const cl_command_queue own[] = {scene.cl.queue, scene.queue};
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.guard = CLPOOL_GUARD_ON;
  options.queues = own;
  options.queue_count = 2;
  const PoolHandle pool = make_pool(allocator.get(), options);
  cl_int code = CL_SUCCESS;
  const cl_command_queue other =
      clCreateCommandQueueWithProperties(scene.cl.context, scene.cl.device, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_pool_allocate_on(pool.get(), other, 4096, &mem));
  ASSERT_OK(clpool_mem_fill(other, mem, &source_byte, 1, 0, 4096, 0, nullptr, nullptr));
  while (stub_run_next(other) != 0) {
  }
  stub_run_all();
  EXPECT_TRUE(Scene::has(mem, source_byte)) << "the guard's fill came last";
  stub_configure("mode=immediate");  // for what the guard and the pool's end enqueue
  EXPECT_OK(clpool_mem_release(mem));
  clReleaseCommandQueue(other);
}

INSTANTIATE_TEST_SUITE_P(Memory, GuardedChunksOfAKind, testing::Bool(),
                         [](const auto& kind) { return kind.param ? "Svm" : "Buffers"; });

}  // namespace
}  // namespace clpool::test
