// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What comes before the first commands on a new chunk, on a driver whose markers end with any command that fails while
// others still run.
#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <tuple>

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
  bool is_bound = false;     ///< to the queue on which it is used
  bool is_in_order = false;  ///< the pool's queue, but not the allocator's
};

/// Each way of touching that does not wait; allocators over a context have none.
struct Touch {
  const char* name;
  std::uint32_t touch;
};

class NewChunks : public testing::TestWithParam<std::tuple<NewChunk, Touch>> {
 protected:
  const NewChunk& chunk = std::get<0>(GetParam());
  const std::uint32_t touch = std::get<1>(GetParam()).touch;
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
  const cl_command_queue toucher = chunk.over == NewChunk::Over::first_queue
                                       ? overtaking
                                       : scene.cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const cl_command_queue first = chunk.is_in_order ? scene.cl.another_queue() : overtaking;
  const cl_command_queue queues[] = {first, scene.cl.another_queue()};
  ASSERT_OK(chunk.over == NewChunk::Over::context
                ? clpool_allocator_create_deferred(scene.cl.context, 0, &made)
                : clpool_allocator_create_touching(toucher, 0, touch, &made));
  const AllocatorHandle allocator(made);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = queues;
  options.queue_count = chunk.queue_count;
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
    const bool is_known = chunk.used_on_first || chunk.queue_count == 2;
    const cl_command_queue user = chunk.used_on_first ? first : queues[1];
    ASSERT_OK(chunk.is_bound ? clpool_mem_bind_queue(blocks[0].get(), user) : CLPOOL_SUCCESS);
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
    testing::Combine(
        testing::Values(
            NewChunk{"DeferredMemoryOnTheOneQueue", NewChunk::Over::context, 1, true},
            NewChunk{"DeferredMemoryOnTheOther", NewChunk::Over::context, 2, false},
            NewChunk{"DeferredMemoryOnAForeignQueue", NewChunk::Over::context, 1, false},
            NewChunk{"ImmediateMemoryOnTheOneQueue", NewChunk::Over::first_queue, 1, true},
            NewChunk{"ImmediateMemoryOnTheOther", NewChunk::Over::first_queue, 2, false},
            NewChunk{"ImmediateMemoryOnAForeignQueue", NewChunk::Over::first_queue, 1, false},
            NewChunk{"ImmediateMemoryBoundToAForeignQueue", NewChunk::Over::first_queue, 1, false, true},
            NewChunk{"ImmediateMemoryOnTheOneInOrderQueue", NewChunk::Over::first_queue, 1, true, false,
                     true},
            NewChunk{"ImmediateMemoryOnAForeignQueueBesideAnInOrderOne", NewChunk::Over::first_queue, 1,
                     false, false, true},
            NewChunk{"ImmediateMemoryOnTheOtherInOrderQueue", NewChunk::Over::first_queue, 2, false, false,
                     true},
            NewChunk{"MemoryOfAnotherQueueOnTheOneQueue", NewChunk::Over::queue_of_its_own, 1, true},
            NewChunk{"MemoryOfAnotherQueueOnAForeignQueue", NewChunk::Over::queue_of_its_own, 1, false}),
        testing::Values(Touch{"TouchedByACopy", CLPOOL_TOUCH_BYTE}, Touch{"Filled", CLPOOL_TOUCH_WHOLE},
                        Touch{"Migrated", CLPOOL_TOUCH_MIGRATE})),
    [](const auto& of) { return std::string(std::get<0>(of.param).name) + std::get<1>(of.param).name; });

/// What makes their memory exist changes nothing of it, however late it comes.
TEST(ChunksTouchedByACopy, MayBeUsedOnAQueueOfWhichNobodyToldThePool) {
  for (const bool over_queue : {false, true}) {
    Scene scene;
    const cl_command_queue home = scene.cl.queue;
    const cl_command_queue user = scene.cl.another_queue();
    Gate gate(scene.cl.context);
    ASSERT_EQ(clEnqueueBarrierWithWaitList(home, 1, gate.list(), nullptr), CL_SUCCESS);
    clpool_allocator* made = nullptr;
    ASSERT_OK(over_queue ? clpool_allocator_create_immediate(home, 0, &made)
                         : clpool_allocator_create_deferred(scene.cl.context, 0, &made));
    const AllocatorHandle allocator(made);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = &home;
    options.queue_count = 1;
    const PoolHandle pool = make_pool(allocator.get(), options);
    const MemHandle block = allocate(pool, 1 << 20);
    OwnedEvent filled;
    ASSERT_EQ(clEnqueueFillBuffer(user, clpool_mem_handle(block.get()), &source_byte, 1, 0, 4096, 0, nullptr,
                                  filled.receive()),
              CL_SUCCESS);
    clFlush(user);
    stub_run_all();
    EXPECT_TRUE(filled.is_complete()) << "the gate before the touch has not opened yet";
    gate.open();
    stub_run_all();
    EXPECT_EQ(stub_memory(clpool_mem_handle(block.get()))[0], source_byte) << over_queue;
  }
}

TEST(ChunksTouchedByACopy, CostNoCallThatOrdersThemHoweverManyQueuesThereAre) {
  for (const bool over_queue : {false, true}) {
    Scene scene;
    const cl_command_queue queues[] = {scene.cl.queue, scene.cl.another_queue(), scene.cl.another_queue()};
    clpool_allocator* made = nullptr;
    ASSERT_OK(over_queue ? clpool_allocator_create_immediate(queues[0], 0, &made)
                         : clpool_allocator_create_deferred(scene.cl.context, 0, &made));
    const AllocatorHandle allocator(made);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = queues;
    options.queue_count = 3;
    const PoolHandle pool = make_pool(allocator.get(), options);
    stub_forget_calls();
    const MemHandle block = allocate(pool, 1 << 20);
    EXPECT_EQ(stub_calls("clEnqueueCopyBuffer"), 1U) << over_queue;
    EXPECT_EQ(stub_calls("clEnqueueBarrierWithWaitList"), 0U) << over_queue;
    EXPECT_EQ(stub_calls("clFlush"), 0U) << over_queue;
    stub_run_all();
  }
}

TEST(FilledChunksOfOneQueue, CostNoCallThatOrdersThem) {
  Scene scene;
  const AllocatorHandle allocator =
      make_allocator(clpool_allocator_create_touching, scene.cl.queue, 0, CLPOOL_TOUCH_WHOLE);
  const PoolHandle pool = make_pool(allocator.get());
  stub_forget_calls();
  const MemHandle block = allocate(pool, 1 << 20);
  EXPECT_EQ(stub_calls("clEnqueueCopyBuffer"), 0U);
  EXPECT_EQ(stub_calls("clEnqueueBarrierWithWaitList"), 0U);
  stub_run_all();
}

/// A pool over two queues in order, of which the first is that of its allocator.
class FilledChunksOfTwoQueues : public testing::Test {
 protected:
  void make(std::uint32_t touch) {
    allocator = make_allocator(clpool_allocator_create_touching, first, 0, touch);
    const cl_command_queue queues[] = {first, second};
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = queues;
    options.queue_count = 2;
    pool = make_pool(allocator.get(), options);
  }
  Scene scene;
  cl_command_queue first = scene.cl.queue;
  cl_command_queue second = scene.cl.another_queue();
  AllocatorHandle allocator;
  PoolHandle pool;
};

TEST_F(FilledChunksOfTwoQueues, ComeBeforeCommandsOnTheOtherOne) {
  for (const std::uint32_t touch : {CLPOOL_TOUCH_WHOLE, CLPOOL_TOUCH_MIGRATE}) {
    make(touch);
    Gate gate(scene.cl.context);
    ASSERT_EQ(clEnqueueBarrierWithWaitList(first, 1, gate.list(), nullptr), CL_SUCCESS);
    const MemHandle block = allocate(pool, 1 << 20);
    OwnedEvent filled;
    ASSERT_EQ(clEnqueueFillBuffer(second, clpool_mem_handle(block.get()), &source_byte, 1, 0, 4096, 0,
                                  nullptr, filled.receive()),
              CL_SUCCESS);
    stub_run_all();
    EXPECT_FALSE(filled.is_complete()) << touch;
    gate.open();
    stub_run_all();
    EXPECT_EQ(stub_memory(clpool_mem_handle(block.get()))[0], source_byte) << touch;
  }
}

TEST_F(FilledChunksOfTwoQueues, NeedNoOrderWhereTheAllocationWaited) {
  for (const std::uint32_t touch : {CLPOOL_TOUCH_WHOLE, CLPOOL_TOUCH_MIGRATE}) {
    make(touch | CLPOOL_TOUCH_WAIT);
    const std::uint64_t before = stub_calls("clEnqueueBarrierWithWaitList");
    EXPECT_NE(allocate(pool, 1 << 20), nullptr);
    EXPECT_EQ(stub_calls("clEnqueueBarrierWithWaitList"), before);
    stub_run_all();
  }
}

/// A pool over another queue than its allocator's, which keeps the memory that it touches.
class ChunksOfAnAllocatorsOwnQueue : public testing::Test {
 protected:
  ChunksOfAnAllocatorsOwnQueue() {
    const AllocatorHandle allocator = immediate_allocator(scene.cl.queue);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = &other;
    options.queue_count = 1;
    pool = make_pool(allocator.get(), options);
  }
  Scene scene;
  cl_command_queue other = scene.cl.another_queue();
  PoolHandle pool;
};

TEST_F(ChunksOfAnAllocatorsOwnQueue, GoBackThoughNobodyElseFlushesIt) {
  stub_configure("needs_flush=1");
  EXPECT_NE(allocate(pool, 9 << 20), nullptr);
  stub_run_all();
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  stub_run_all();
  EXPECT_LE(stub_device_bytes(), 2U) << "the bytes that touches copy to, the allocator's and the pool's";
}

/// That queue may be busy with what the program lets go only when the pool's is through.
TEST(ChunksOfAnAllocatorsOvertakingQueue, DoNotWaitForItsOtherCommands) {
  for (const std::uint32_t touch :
       {std::uint32_t{CLPOOL_TOUCH_BYTE}, std::uint32_t{CLPOOL_TOUCH_WRITE},
        std::uint32_t{CLPOOL_TOUCH_WHOLE}, std::uint32_t{CLPOOL_TOUCH_BYTE} | CLPOOL_TOUCH_WAIT,
        std::uint32_t{CLPOOL_TOUCH_WHOLE} | CLPOOL_TOUCH_WAIT}) {
    Scene scene;
    const cl_command_queue busy = scene.cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    const AllocatorHandle allocator = make_allocator(clpool_allocator_create_touching, busy, 0, touch);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = &scene.cl.queue;
    options.queue_count = 1;
    const PoolHandle pool = make_pool(allocator.get(), options);
    Gate gate(scene.cl.context);
    ASSERT_EQ(clEnqueueMarkerWithWaitList(busy, 1, gate.list(), nullptr), CL_SUCCESS);
    const MemHandle block = allocate(pool, 1 << 20);
    OwnedEvent filled;
    ASSERT_EQ(clEnqueueFillBuffer(scene.cl.queue, clpool_mem_handle(block.get()), &source_byte, 1, 0, 4096, 0,
                                  nullptr, filled.receive()),
              CL_SUCCESS);
    stub_run_all();
    EXPECT_TRUE(filled.is_complete()) << touch;
    gate.open();
    stub_run_all();
  }
}

TEST(ChunksOfAnAllocatorsOvertakingQueue, NeedNoOrderWhereTheAllocationWaited) {
  for (const std::uint32_t touch : {std::uint32_t{CLPOOL_TOUCH_BYTE} | CLPOOL_TOUCH_WAIT,
                                    std::uint32_t{CLPOOL_TOUCH_WHOLE} | CLPOOL_TOUCH_WAIT}) {
    Scene scene;
    const AllocatorHandle allocator =
        make_allocator(clpool_allocator_create_touching,
                       scene.cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), 0, touch);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = &scene.cl.queue;
    options.queue_count = 1;
    const PoolHandle pool = make_pool(allocator.get(), options);
    const std::uint64_t copies = stub_calls("clEnqueueCopyBuffer");
    const std::uint64_t barriers = stub_calls("clEnqueueBarrierWithWaitList");
    EXPECT_NE(allocate(pool, 1 << 20), nullptr);
    EXPECT_LE(stub_calls("clEnqueueCopyBuffer"), copies + 1) << touch << ": the allocator's";
    EXPECT_EQ(stub_calls("clEnqueueBarrierWithWaitList"), barriers) << touch;
    stub_run_all();
  }
}

TEST_F(ChunksOfAnAllocatorsOwnQueue, AreWaitedForWhereTheDriverKeepsThemForIt) {
  stub_configure("limit=16M");
  Gate gate(scene.cl.context);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(scene.cl.queue, 1, gate.list(), nullptr), CL_SUCCESS);
  EXPECT_NE(allocate(pool, 9 << 20), nullptr);
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  std::atomic<bool> served{false};
  std::thread device([&] {
    for (int looks = 0; !served; ++looks) {
      if (looks == 20) {  // by then the pool's own queue has long been through
        gate.open();
      }
      stub_run_all();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  clpool_mem* mem = nullptr;
  EXPECT_OK(clpool_pool_allocate(pool.get(), 10 << 20, &mem));
  served = true;
  device.join();
  EXPECT_OK(clpool_mem_release(mem));
}

/// Pools whose allocator's queue is busy, so that many chunks are not ready.
class ManyChunksOfABusyQueue : public testing::Test {
 protected:
  static constexpr int count = 40;
  static constexpr std::size_t block_size = 1 << 20;  // of which each has a chunk of its own

  /// Over an allocator on `busy`.
  PoolHandle open_pool(cl_command_queue busy, const std::vector<cl_command_queue>& queues) {
    EXPECT_EQ(clEnqueueBarrierWithWaitList(busy, 1, gate.list(), nullptr), CL_SUCCESS);
    const AllocatorHandle allocator =
        make_allocator(clpool_allocator_create_touching, busy, 0, CLPOOL_TOUCH_WHOLE);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = queues.data();
    options.queue_count = static_cast<std::uint32_t>(queues.size());
    return make_pool(allocator.get(), options);
  }
  std::vector<MemHandle> many(const PoolHandle& pool) {
    std::vector<MemHandle> blocks;
    for (int i = 0; i < count; ++i) {
      blocks.push_back(allocate(pool, block_size));
    }
    EXPECT_GE(stats_of(pool).chunks, count / 2U);
    return blocks;
  }
  static std::uint64_t barriers() { return stub_calls("clEnqueueBarrierWithWaitList"); }
  static std::int64_t living_events() {
    stub_counts counts;
    stub_read_counts(&counts);
    return counts.live[STUB_EVENT];
  }

  Scene scene;
  Gate gate{scene.cl.context};
  cl_command_queue other = scene.cl.another_queue();
};

TEST_F(ManyChunksOfABusyQueue, CostAUseOnAnotherQueueNoMoreThanAFewDo) {
  const PoolHandle pool = open_pool(scene.queue, {scene.queue});
  std::vector<MemHandle> blocks = many(pool);
  const std::uint64_t before = barriers();
  ASSERT_OK(clpool_mem_used_on(blocks.front().get(), other));
  EXPECT_LE(barriers() - before, 2U) << "the pool's queue, and what made the one chunk";
  gate.open();
  stub_run_all();
}

TEST_F(ManyChunksOfABusyQueue, CostTheNextChunkNoMoreThanAFewDo) {
  const PoolHandle pool = open_pool(scene.queue, {scene.queue});
  const std::uint64_t before = stub_calls("clGetEventInfo");
  std::vector<MemHandle> blocks = many(pool);
  EXPECT_LE(stub_calls("clGetEventInfo") - before, 4U * count);
  gate.open();
  stub_run_all();
}

/// The order of the pool's queue, which comes after what makes its chunks, is all that others need.
TEST_F(ManyChunksOfABusyQueue, LeaveNothingBehindInAPoolOverAnInOrderQueue) {
  const std::int64_t before = living_events();
  const PoolHandle pool = open_pool(scene.cl.queue, {other});
  std::vector<MemHandle> blocks = many(pool);
  gate.open();
  stub_run_all();
  EXPECT_OK(clpool_pool_tick(pool.get()));
  EXPECT_LE(living_events() - before, 4);
  const cl_command_queue third = scene.cl.another_queue();
  for (int i = 0; i < 3; ++i) {
    const std::uint64_t barriers_before = barriers();
    ASSERT_OK(clpool_mem_used_on(blocks[i].get(), third));
    EXPECT_EQ(barriers() - barriers_before, 1U);
  }
  stub_run_all();
}

/// What made a chunk is kept in mind only until a use finds it through.
TEST_F(ManyChunksOfABusyQueue, AreForgottenToHaveBeenBusy) {
  const std::int64_t before = living_events();
  const PoolHandle pool = open_pool(scene.queue, {scene.queue});
  std::vector<MemHandle> blocks = many(pool);
  gate.open();
  stub_run_all();
  EXPECT_OK(clpool_pool_tick(pool.get()));
  for (const MemHandle& block : blocks) {
    const std::uint64_t barriers_before = barriers();
    ASSERT_OK(clpool_mem_used_on(block.get(), other));
    EXPECT_LE(barriers() - barriers_before, 2U);
    stub_run_all();
  }
  EXPECT_LE(living_events() - before, 4);
}

TEST(NewChunksOnAnOvertakingQueue, AreNotHandedOutIfTheyCannotBeMadeReady) {
  Scene scene;
  const AllocatorHandle allocator =
      make_allocator(clpool_allocator_create_touching, scene.queue, 0, CLPOOL_TOUCH_WHOLE);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = &scene.queue;
  options.queue_count = 1;
  const PoolHandle pool = make_pool(allocator.get(), options);
  for (const char* const call :
       {"clEnqueueFillBuffer", "clEnqueueCopyBuffer", "clEnqueueBarrierWithWaitList", "clFlush"}) {
    stub_fail(call, 1, CL_INVALID_OPERATION);
    clpool_mem* mem = nullptr;
    EXPECT_EQ(clpool_pool_allocate(pool.get(), 4096, &mem), CLPOOL_ERROR_OPENCL);
    EXPECT_NE(std::strstr(clpool_last_error_message(), call), nullptr) << clpool_last_error_message();
    stub_fail_none();
    stub_run_all();
    EXPECT_LE(stub_device_bytes(), 1u) << call << ": no more than the byte that touches copy to";
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
  const AllocatorHandle allocator =
      make_allocator(clpool_allocator_create_touching, scene.queue, 0, CLPOOL_TOUCH_WHOLE);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = &scene.queue;
  options.queue_count = 1;
  for (const char* const call :
       {"clEnqueueFillBuffer", "clEnqueueCopyBuffer", "clEnqueueBarrierWithWaitList", "clFlush"}) {
    const PoolHandle pool = make_pool(allocator.get(), options);
    AllocatesWithinACall within{pool.get(), scene.cl.queue, call};
    stub_set_hook(AllocatesWithinACall::look, &within);
    EXPECT_NE(allocate(pool, 4096), nullptr);
    stub_set_hook(nullptr, nullptr);
    EXPECT_OK(within.status);
    stub_run_all();
  }
}

/// Nobody has seen such a block, although nobody says that it is idle.
TEST(ChunkOrder, AChunkOfWhichABlockCouldNotBeHandedOutGoesBackInAPoolThatKnowsNoQueue) {
  Scene scene;
  const AllocatorHandle allocator =
      make_allocator(clpool_allocator_create_svm, scene.cl.context, 0, 0, nullptr);
  const PoolHandle pool = make_pool(allocator.get(), CLPOOL_POOL_OPTIONS_INIT);
  stub_fail("clRetainCommandQueue", 1, CL_OUT_OF_HOST_MEMORY);
  clpool_mem* mem = nullptr;
  EXPECT_NE(clpool_pool_allocate_on(pool.get(), scene.queue, 4096, &mem), CLPOOL_SUCCESS);
  EXPECT_EQ(stub_failures(), 1u);
  EXPECT_EQ(mem, nullptr);
  EXPECT_GT(stats_of(pool).managed_bytes, 0u);
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  EXPECT_EQ(stats_of(pool).managed_bytes, 0u);
}

}  // namespace
}  // namespace clpool::test
