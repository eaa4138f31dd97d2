// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Guarded pools: what is filled and read in which order, and what cannot be filled or read.
#include <string_view>
#include <vector>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

class GuardedBlocks : public testing::Test {
 protected:
  ~GuardedBlocks() override {
    stub_set_hook(nullptr, nullptr);
    stub_fail_none();
    stub_configure("mode=immediate");
    stub_run_all();
  }
  void make(std::uint64_t max_bytes = 0) {
    allocator = immediate_allocator(scene.cl.queue);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.guard = CLPOOL_GUARD_ON;
    options.max_bytes = max_bytes;
    options.wait_ns = 1;
    pool = make_pool(allocator.get(), options);
  }
  clpool_mem* take(std::size_t size) {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_pool_allocate(pool.get(), size, &mem));
    return mem;
  }
  /// While chunks are made, also in vain, whose fills take longer than anybody waits.
  void expect_no_lock_held_in(const char* entry_point) {
    stub_configure("mode=manual");
    make();
    const auto look = [](void* looked_at) {
      clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
      EXPECT_OK(clpool_pool_statistics(static_cast<clpool_pool*>(looked_at), &stats));
    };
    stub_meanwhile(entry_point, look, pool.get());
    clpool_mem* const mem = take(1000);
    EXPECT_GT(stub_meanwhile_runs(), 0U);
    const std::uint64_t before = stub_meanwhile_runs();
    stub_fail("clEnqueueBarrierWithWaitList", 1, CL_INVALID_OPERATION);
    clpool_mem* refused = nullptr;
    EXPECT_EQ(clpool_pool_allocate(pool.get(), 8 << 20, &refused), CLPOOL_ERROR_OPENCL);
    EXPECT_GT(stub_meanwhile_runs(), before);
    EXPECT_EQ(stub_meanwhile_held_up(), 0U);
    stub_meanwhile(nullptr, nullptr, nullptr);
    EXPECT_OK(clpool_mem_release(mem));
    stub_run_all();
  }
  static unsigned char* bytes_of(clpool_mem* mem) {
    cl_mem root = nullptr;
    std::size_t offset = 0;
    EXPECT_OK(clpool_mem_root(mem, &root, &offset));
    return stub_memory(root) + offset;
  }

  Scene scene;
  AllocatorHandle allocator;
  PoolHandle pool;
  Heard heard;
};

TEST_F(GuardedBlocks, ThatAreWrittenTwiceAfterTheirReleaseAreNotBlamedOnTheNextOwner) {
  stub_configure("mode=immediate");
  make();
  clpool_mem* const neighbour = take(1000);
  clpool_mem* const first = take(1000);
  unsigned char* const beyond = bytes_of(first) + 1001;
  EXPECT_OK(clpool_mem_release(first));
  stub_set_hook(
      [](const char* entry, void* byte) {
        if (std::string_view(entry) == "clEnqueueReadBuffer") {
          *static_cast<unsigned char*>(byte) = 1;
        }
      },
      beyond);
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  stub_set_hook(nullptr, nullptr);
  EXPECT_EQ(heard.findings("1000 bytes"), 2U) << heard.text();
  clpool_mem* const second = take(1000);
  ASSERT_EQ(bytes_of(second) + 1001, beyond);
  EXPECT_OK(clpool_mem_release(second));
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  EXPECT_EQ(heard.findings(), 2U) << heard.text();
  EXPECT_OK(clpool_mem_release(neighbour));
}

/// Which is seen once: the end of the same block is no finding of its own.
TEST_F(GuardedBlocks, ThatTheHostWritesAfterTheirReleaseAreFoundOnce) {
  stub_configure("mode=immediate");
  const AllocatorHandle pinned = make_allocator(clpool_allocator_create_pinned, scene.cl.queue, 0);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.guard = CLPOOL_GUARD_ON;
  const PoolHandle own = make_pool(pinned.get(), options);
  MemHandle mem = allocate(own, 1000);
  auto* const bytes = static_cast<unsigned char*>(clpool_mem_pointer(mem.get()));
  mem.reset();
  for (int i = 0; i < 10 && bytes[0] != 0xDD; ++i) {
    EXPECT_OK(clpool_pool_tick(own.get()));
  }
  bytes[1001] = 1;
  for (int i = 0; i < 10; ++i) {
    EXPECT_OK(clpool_pool_free_held(own.get()));
  }
  EXPECT_EQ(heard.findings(), 1U) << heard.text();
}

TEST_F(GuardedBlocks, OfWhichOneEndCannotBeReadAreComparedAtTheOther) {
  constexpr std::size_t size = 3 << 20;  // of which the ends are read alone
  stub_configure("mode=immediate");
  make();
  for (const std::size_t damage : {size, std::size_t{0}, size - 1}) {
    clpool_mem* const mem = take(size);
    unsigned char* const bytes = bytes_of(mem);
    EXPECT_OK(clpool_mem_release(mem));
    EXPECT_OK(clpool_pool_tick(pool.get()));
    if (damage != size) {
      bytes[damage] = 1;
    }
    const std::size_t before = heard.findings();
    stub_fail("clEnqueueReadBuffer", 2, CL_OUT_OF_RESOURCES);
    EXPECT_OK(clpool_pool_free_held(pool.get()));
    EXPECT_EQ(stub_failures(), 1U);
    stub_fail_none();
    EXPECT_EQ(heard.findings() - before, damage == 0 ? 1U : 0U) << damage << heard.text();
  }
}

/// What a request waited for in vain it does not wait for again, as long as nothing moves.
TEST_F(GuardedBlocks, ThatAreLateAreWaitedForOnce) {
  constexpr std::size_t size = 600'000;
  stub_configure("mode=immediate");
  make(1'000'000);
  clpool_mem* mem = take(size);
  stub_configure("mode=manual");
  EXPECT_OK(clpool_mem_release(mem));
  std::uint64_t looks[2] = {};
  for (std::uint64_t& each : looks) {
    const std::uint64_t before = stub_calls("clGetEventInfo");
    EXPECT_EQ(clpool_pool_allocate(pool.get(), size, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
    each = stub_calls("clGetEventInfo") - before;
  }
  EXPECT_GT(looks[0], 10U);
  EXPECT_LT(looks[1], looks[0] / 2);
  // Then it goes on, by one of its commands, and is late again.
  ASSERT_NE(stub_run_nth(nullptr, 0), 0);
  EXPECT_OK(clpool_pool_tick(pool.get()));
  const std::uint64_t before = stub_calls("clGetEventInfo");
  EXPECT_EQ(clpool_pool_allocate(pool.get(), size, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_GT(stub_calls("clGetEventInfo") - before, 10U);
}

/// What fills a chunk may take longer than anybody waits; its queue goes without the pool's lock.
TEST_F(GuardedBlocks, LetTheQueueAndTheEventsOfAnUnfinishedFillGoWithoutALock) {
  for (const char* const released : {"clReleaseCommandQueue", "clReleaseEvent"}) {
    SCOPED_TRACE(released);
    expect_no_lock_held_in(released);
  }
}

/// Of buffers, or of SVM.
PoolHandle guarded_pool(const Scene& scene, bool svm, const std::vector<cl_command_queue>& queues) {
  clpool_allocator* made = nullptr;
  EXPECT_OK(svm ? clpool_allocator_create_svm(scene.cl.context, 0, 0, nullptr, &made)
                : clpool_allocator_create_deferred(scene.cl.context, 0, &made));
  const AllocatorHandle allocator(made);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.guard = CLPOOL_GUARD_ON;
  options.queues = queues.data();
  options.queue_count = static_cast<std::uint32_t>(queues.size());
  return make_pool(made, options);
}

/// Until nothing rests any more: of all commands that may run the newest first, and one at a time.
void end_rest_newest_first(const PoolHandle& pool) {
  for (int turn = 0; turn < 30; ++turn) {
    EXPECT_OK(clpool_pool_free_held(pool.get()));
    if (stub_runnable(nullptr) != 0) {
      stub_run_nth(nullptr, stub_runnable(nullptr) - 1);
    }
  }
  EXPECT_EQ(stats_of(pool).pending_bytes, 0U);
}

TEST(GuardedChunks, StayUntilTheyAreFilledIfNothingCanComeAfterThat) {
  Scene scene;
  const PoolHandle pool = guarded_pool(scene, true, {scene.cl.queue});
  stub_fail_from("clEnqueueBarrierWithWaitList", 1, CL_OUT_OF_RESOURCES);
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(pool.get(), 4096, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  stub_fail_none();
  stub_run_all();  // the driver aborts if memory has gone under its fill
  EXPECT_EQ(stub_device_bytes(), 0u);
}

PoolHandle guarded_buffers(const Scene& scene, std::uint64_t min_chunk_bytes) {
  const AllocatorHandle allocator = immediate_allocator(scene.cl.queue);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.guard = CLPOOL_GUARD_ON;
  options.min_chunk_bytes = min_chunk_bytes;
  return make_pool(allocator.get(), options);
}

TEST(GuardedChunks, AreNoReasonForAFindingWhereAReleasedBlockCannotBeFilled) {
  Scene scene;
  stub_configure("mode=immediate");
  const Heard heard;
  {
    const PoolHandle pool = guarded_buffers(scene, 0);
    MemHandle mem = allocate(pool, 4096);
    ASSERT_OK(clpool_mem_fill(scene.cl.queue, mem.get(), &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr,
                              nullptr));
    stub_fail_from("clEnqueueFillBuffer", 1, CL_INVALID_OPERATION);
    mem.reset();
    EXPECT_OK(clpool_pool_tick(pool.get()));
    EXPECT_NE(stub_failures(), 0U);
    stub_fail_none();
    for (int i = 0; i < 1000 && stats_of(pool).pending_bytes != 0; ++i) {
      EXPECT_OK(clpool_pool_free_held(pool.get()));
    }
    EXPECT_EQ(stats_of(pool).pending_bytes, 0U);
  }
  EXPECT_EQ(heard.findings(""), 0U) << "what is left in the block nobody wrote after its release";
}

/// Near the device's largest allocation a block has just the bytes that were asked for, which may be less than its chunk.
TEST(GuardedChunks, AreCutOnlyWhereBlocksMayBegin) {
  Scene scene;
  stub_configure("mode=immediate,global=32M,max_alloc=8M");
  const PoolHandle pool = guarded_buffers(scene, 8 << 20);
  const MemHandle block = allocate(pool, (8 << 20) - 77);
  EXPECT_OK(clpool_pool_check(pool.get()));
  stub_fail_from("clCreateBuffer", 1, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(pool.get(), 10, &mem), CLPOOL_ERROR_OUT_OF_MEMORY)
      << clpool_last_error_message();
  stub_fail_none();
}

class GuardedChunksOfAKind : public testing::TestWithParam<bool> {};

TEST_P(GuardedChunksOfAKind, AreFilledBeforeAQueueUsesThemThatIsNoneOfThePools) {
  Scene scene;
  const PoolHandle pool = guarded_pool(scene, GetParam(), {scene.cl.queue, scene.queue});
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

TEST_P(GuardedChunksOfAKind, AreLookedAtBeforeTheyAreFilledInWhateverOrderAQueueRunsItsCommands) {
  Scene scene;
  stub_configure("mode=immediate");
  const Heard heard;
  {
    const PoolHandle pool = guarded_pool(scene, GetParam(), {scene.queue});  // out of order
    MemHandle mem = allocate(pool, 1000);
    const unsigned char overrun = 9;
    if (GetParam()) {
      static_cast<unsigned char*>(clpool_mem_pointer(mem.get()))[1000] = overrun;
    } else {
      ASSERT_EQ(clEnqueueFillBuffer(scene.queue, clpool_mem_handle(mem.get()), &overrun, 1, 1000, 1, 0,
                                    nullptr, nullptr),
                CL_SUCCESS);
    }
    stub_configure("mode=manual");
    mem.reset();
    for (int turn = 0; turn < 10; ++turn) {
      EXPECT_OK(clpool_pool_tick(pool.get()));
      while (stub_runnable(nullptr) != 0) {  // the newest first
        stub_run_nth(nullptr, stub_runnable(nullptr) - 1);
      }
    }
    EXPECT_EQ(heard.findings("was written beyond"), 1U);
    stub_configure("mode=immediate");  // for what the pool's end enqueues
  }
}

/// Of a large block both ends are read.
TEST_P(GuardedChunksOfAKind, AreComparedWhenBothEndsAreReadInWhateverOrderAQueueRunsItsCommands) {
  Scene scene;
  stub_configure("mode=immediate");
  const Heard heard;
  {
    const PoolHandle pool = guarded_pool(scene, GetParam(), {scene.queue});  // out of order
    MemHandle mem = allocate(pool, 3 << 20);
    stub_configure("mode=manual");
    mem.reset();
    end_rest_newest_first(pool);
    EXPECT_EQ(heard.findings(), 0U) << heard.text();
    stub_configure("mode=immediate");  // for what the pool's end enqueues
  }
}

/// A device before OpenCL 1.2 writes the pattern piece by piece.
TEST(GuardedChunks, AreFilledWhenTheirLastPieceIsInWhateverOrderAQueueRunsItsCommands) {
  Scene scene;
  stub_configure("mode=immediate,version=1.1,svm=none");
  const Heard heard;
  {
    const PoolHandle pool = guarded_pool(scene, false, {scene.queue});  // out of order
    MemHandle mem = allocate(pool, 300'000);
    const std::vector<unsigned char> used(300'000, source_byte);
    ASSERT_OK(clpool_mem_write(scene.queue, mem.get(), 0, used.size(), used.data(), used.size(), 1, 0,
                               nullptr, nullptr));
    stub_configure("mode=manual");
    mem.reset();
    end_rest_newest_first(pool);
    EXPECT_EQ(heard.findings(), 0U) << heard.text();
    stub_configure("mode=immediate");  // for what the pool's end enqueues
  }
  stub_configure("version=3.0");
}

INSTANTIATE_TEST_SUITE_P(Memory, GuardedChunksOfAKind, testing::Bool(),
                         [](const auto& kind) { return kind.param ? "Svm" : "Buffers"; });

/// Rather than that the pool grows: what is held back besides is more than may be without a wait.
TEST_F(GuardedBlocks, DoNotRestWhileARequestLetsThingsSettle) {
  constexpr std::size_t large = 4 << 20;
  stub_configure("mode=immediate");
  make();
  Gate gate(scene.cl.context);
  std::vector<clpool_mem*> used(16);
  for (clpool_mem*& mem : used) {
    mem = take(large);
  }
  clpool_mem* const resting = take(large);
  for (clpool_mem* const mem : used) {
    EXPECT_OK(clpool_mem_release_after(mem, 1, gate.list()));
    EXPECT_OK(clpool_mem_release(mem));
  }
  EXPECT_OK(clpool_mem_release(resting));
  const std::uint64_t managed = stats_of(pool).managed_bytes;
  clpool_mem* const mem = take(large);
  EXPECT_EQ(stats_of(pool).managed_bytes, managed);
  EXPECT_OK(clpool_mem_release(mem));
  gate.open();
}

}  // namespace
}  // namespace clpool::test
