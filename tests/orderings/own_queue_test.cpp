// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Where new memory is first used on NVIDIA's driver: that of one thread alone on the program's queue, that of several on one
// of the library's own, which nobody else enqueues on.
#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "orderings/parts_in_turn.hpp"

namespace clpool::test {
namespace {

class OwnQueueOfTheLibrary : public ThreadsOnNvidia {
 protected:
  /// An allocator whose chunks are touched by itself, or by its pools, and what to make these with.
  clpool_pool_options begin(bool touched_by_the_allocator) {
    clpool_allocator* made = nullptr;
    EXPECT_OK(touched_by_the_allocator ? clpool_allocator_create_immediate(scene.cl.queue, 0, &made)
                                       : clpool_allocator_create_deferred(scene.cl.context, 0, &made));
    allocator.reset(made);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = &scene.cl.queue;
    options.queue_count = 1;
    return options;
  }
};

std::size_t queues_there() {
  stub_counts now = {};
  stub_read_counts(&now);
  return now.live[STUB_QUEUE];
}

/// So it is with chunks, from a pool or without one.
TEST_F(OwnQueueOfTheLibrary, TakesNewMemoryWhileOthersUseTheProgramsQueue) {
  for (const bool pooled : {true, false}) {
    make("mode=immediate,nvidia=1,mixes_up_parts=1");
    clpool_mem* const kept = allocate_used();
    std::atomic<bool> has_come{false};
    std::atomic<bool> stop{false};
    std::thread other([&] {
      clpool_mem* mem = nullptr;  // the library sees it
      ASSERT_OK(pooled ? clpool_pool_allocate(pool.get(), size, &mem)
                       : clpool_allocator_allocate(allocator.get(), size, &mem));
      ASSERT_OK(clpool_mem_release(mem));
      has_come = true;
      while (!stop) {
        ASSERT_OK(clpool_mem_fill(scene.cl.queue, kept, &source_byte, 1, 0, size, 0, nullptr, nullptr));
      }
    });
    while (!has_come && !HasFailure()) {
      std::this_thread::yield();
    }
    for (int i = 0; i < 300; ++i) {
      clpool_mem* mem = nullptr;
      EXPECT_OK(pooled ? clpool_pool_allocate(pool.get(), 4 << 20, &mem)
                       : clpool_allocator_allocate(allocator.get(), size, &mem));
      EXPECT_OK(clpool_mem_release(mem));
      EXPECT_OK(clpool_pool_free_held(pool.get()));
    }
    stop = true;
    other.join();
    EXPECT_OK(clpool_mem_release(kept));
  }
}

/// So is new memory of an allocator that one thread alone has.
TEST_F(OwnQueueOfTheLibrary, IsUsedBesideNewMemoryOfOneThreadAlone) {
  make("mode=immediate,nvidia=1,mixes_up_parts=1");
  EXPECT_OK(clpool_mem_release(allocate()));
  const cl_command_queue own = scene.cl.another_queue();
  AllocatorHandle of_one;
  int times = 0;
  make_parts_beside([&] {
    if (of_one == nullptr) {
      of_one = immediate_allocator(own);
    }
    clpool_mem* mem = nullptr;
    ASSERT_OK(clpool_allocator_allocate(of_one.get(), size, &mem));
    ASSERT_OK(clpool_mem_release(mem));
    ++times;
  });
  EXPECT_GT(times, 100);
}

/// New chunks are used for the first time, too, while other threads make and give up parts of older ones.
TEST_F(OwnQueueOfTheLibrary, TakesNewChunksOfAllPoolsOfAnAllocator) {
  for (const bool touched_by_the_allocator : {true, false}) {
    stub_configure("mode=immediate,nvidia=1,mixes_up_parts=1");
    const clpool_pool_options options = begin(touched_by_the_allocator);
    // Two pools, whose chunks come from one allocator and are used on one queue.
    const PoolHandle pools[] = {make_pool(allocator.get(), options), make_pool(allocator.get(), options)};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t i = 1; i < 100; ++i) {
          clpool_mem* mems[2] = {};
          for (std::size_t m = 0; m < 2; ++m) {
            ASSERT_OK(clpool_pool_allocate(pools[t % 2].get(), (i + m) * size, &mems[m]));
          }
          for (clpool_mem* const mem : mems) {
            ASSERT_OK(clpool_mem_release(mem));
          }
          if (i % 10 == 0) {
            ASSERT_OK(clpool_pool_free_held(pools[t % 2].get()));
          }
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
}

/// The copy from the part is the pool's own business: not even a gate on its queue makes anybody, or it, wait.
TEST_F(OwnQueueOfTheLibrary, WaitsForNoGateOfTheProgram) {
  make("mode=immediate,nvidia=1,mixes_up_parts=1");
  clpool_mem* first = allocate();
  allocate_in_another_thread();
  Gate gate(scene.cl.context);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(scene.cl.queue, 1, gate.list(), nullptr), CL_SUCCESS);
  clpool_mem* second = allocate();
  clpool_mem* third = allocate();
  EXPECT_EQ(stub_pending(nullptr), 1U) << "the gate's barrier";
  EXPECT_OK(clpool_mem_release(second));
  EXPECT_OK(clpool_mem_release(third));
  EXPECT_OK(clpool_mem_release(first));
  gate.open();
}

/// Nobody else uses the queue of those copies: what was enqueued there must not pile up and keep memory.
TEST_F(OwnQueueOfTheLibrary, IsFlushedBehindParts) {
  make("mode=immediate,nvidia=1,needs_flush=1");
  clpool_mem* first = allocate();
  const std::size_t before = stub_pending(nullptr);  // the chunk's first use
  allocate_in_another_thread();
  clpool_mem* second = allocate();
  EXPECT_GT(stub_calls("clEnqueueCopyBuffer"), 0U);
  EXPECT_EQ(stub_pending(nullptr), before);
  EXPECT_OK(clpool_mem_release(second));
  EXPECT_OK(clpool_mem_release(first));
}

/// So with chunks, whoever touches them.
TEST_F(OwnQueueOfTheLibrary, IsFlushedBehindChunks) {
  stub_configure("mode=immediate,nvidia=1,needs_flush=1");
  for (const bool touched_by_the_allocator : {true, false}) {
    const clpool_pool_options options = begin(touched_by_the_allocator);
    pool = make_pool(allocator.get(), options);
    const std::uint64_t copies = stub_calls("clEnqueueCopyBuffer");
    std::thread([&] {
      clpool_mem* mem = nullptr;  // all of a chunk: no part is used behind it
      EXPECT_OK(clpool_pool_allocate(pool.get(), std::size_t{64} << 20, &mem));
      EXPECT_OK(clpool_mem_release(mem));
    }).join();
    EXPECT_EQ(stub_calls("clEnqueueCopyBuffer"), copies + 1);
    EXPECT_EQ(stub_pending(nullptr), 0U);
  }
}

/// Two threads use the memory of a pool without queues for the first time, each on its own queue: only one of
/// them becomes the pool's, and the other may go.
TEST_F(OwnQueueOfTheLibrary, IsThatOfThePoolsQueueWhereItTookOneOfTwoOver) {
  stub_configure("mode=manual,nvidia=1");
  allocator = make_allocator(clpool_allocator_create_deferred, scene.cl.context, 0);
  pool = make_pool(allocator.get(), CLPOOL_POOL_OPTIONS_INIT);
  struct Use {
    cl_command_queue queue;
    clpool_mem* mem;
    static void make(void* user) {
      const auto& use = *static_cast<Use*>(user);
      EXPECT_OK(
          clpool_mem_fill(use.queue, use.mem, &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
    }
  } winner{scene.cl.queue, allocate()};
  cl_int code = CL_SUCCESS;
  const cl_command_queue other =
      clCreateCommandQueueWithProperties(scene.cl.context, scene.cl.device, nullptr, &code);
  Use loser{other, allocate()};
  stub_meanwhile("clRetainCommandQueue", Use::make, &winner);  // the loser is about to take its queue over
  Use::make(&loser);
  ASSERT_GT(stub_meanwhile_runs(), 0U);
  stub_meanwhile(nullptr, nullptr, nullptr);
  EXPECT_OK(clpool_mem_release(loser.mem));
  EXPECT_OK(clpool_mem_release(winner.mem));
  stub_run_all();
  ASSERT_EQ(stub_pending(other), 0U);
  std::vector<clpool_mem*> mems = {allocate()};
  allocate_in_another_thread();
  for (std::size_t pages = 2; pages < 8; ++pages) {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_pool_allocate(pool.get(), pages * size, &mem));
    mems.push_back(mem);
  }
  EXPECT_GT(stub_calls("clEnqueueCopyBuffer"), 0U);
  EXPECT_EQ(stub_pending(other), 0U);
  stub_run_all();
  EXPECT_EQ(clReleaseCommandQueue(other), CL_SUCCESS);
  for (clpool_mem* mem : mems) {
    EXPECT_OK(clpool_mem_release(mem));
  }
}

/// A queue is made where it is first needed, when a second thread comes, and goes with the last that has it.
TEST_F(OwnQueueOfTheLibrary, IsMadeWhenASecondThreadComes) {
  make("mode=manual,nvidia=1");
  const std::size_t before = queues_there();
  clpool_mem* const first = allocate();
  EXPECT_EQ(queues_there(), before);
  EXPECT_EQ(stub_pending(scene.cl.queue), 1U) << "one thread alone needs no other queue";
  stub_run_all();
  allocate_in_another_thread();
  EXPECT_EQ(queues_there(), before + 1);
  clpool_mem* second = nullptr;
  EXPECT_OK(clpool_pool_allocate(pool.get(), 3 * size, &second));
  clpool_mem* chunk = nullptr;
  EXPECT_OK(clpool_allocator_allocate(allocator.get(), size, &chunk));
  EXPECT_GT(stub_pending(nullptr), 0U);
  EXPECT_EQ(stub_pending(scene.cl.queue), 0U);
  EXPECT_EQ(queues_there(), before + 1);
  stub_run_all();
  EXPECT_OK(clpool_mem_release(chunk));
  EXPECT_OK(clpool_mem_release(second));
  EXPECT_OK(clpool_mem_release(first));
  pool.reset();
  allocator.reset();
  EXPECT_EQ(queues_there(), before);
}

/// On the program's the driver might break, and who comes after what would depend on which of them could have one.
TEST_F(OwnQueueOfTheLibrary, IsNeededOrNothingIsMade) {
  for (const bool deferred : {false, true}) {
    make("mode=manual,nvidia=1");
    const AllocatorHandle other = make_allocator(clpool_allocator_create_deferred, scene.cl.context, 0);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = &scene.cl.queue;
    options.queue_count = 1;
    pool = deferred ? make_pool(other.get(), options) : std::move(pool);
    std::thread([&] {
      clpool_mem* mem = nullptr;
      stub_fail_from("clCreateCommandQueue", 1, CL_OUT_OF_RESOURCES);
      EXPECT_EQ(clpool_pool_allocate(pool.get(), size, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
      EXPECT_TRUE(last_error_names("clCreateCommandQueue")) << last_error();
      EXPECT_EQ(mem, nullptr);
      EXPECT_EQ(stub_pending(nullptr), 0U);
      stub_fail("clCreateCommandQueue", 1, CL_OUT_OF_RESOURCES);
      EXPECT_OK(clpool_pool_allocate(pool.get(), size, &mem))
          << "memory that comes free may be all that it needs";
      EXPECT_EQ(stub_pending(scene.cl.queue), 0U);
      stub_fail_none();
      EXPECT_OK(clpool_mem_release(mem));
    }).join();
    stub_run_all();
    pool.reset();
  }
}

TEST_F(OwnQueueOfTheLibrary, IsOneForAllPoolsOfAContext) {
  make("mode=immediate,nvidia=1");
  const std::size_t before = queues_there();
  clpool_allocator* made = nullptr;
  ASSERT_OK(clpool_allocator_create_deferred(scene.cl.context, 0, &made));
  const AllocatorHandle deferred(made);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  const cl_command_queue queue = scene.cl.another_queue();
  options.queues = &queue;
  options.queue_count = 1;
  PoolHandle other = make_pool(deferred.get(), options);
  clpool_mem* const of_other = allocate_from(other);
  clpool_mem* const of_pool = allocate();
  allocate_in_another_thread();
  std::thread([&] { EXPECT_OK(clpool_mem_release(allocate_from(other))); }).join();
  EXPECT_EQ(queues_there(), before + 2) << "the program's second one, and the library's";
  OpenCl another_context;
  ASSERT_OK(clpool_allocator_create_immediate(another_context.queue, 0, &made));
  const AllocatorHandle elsewhere(made);
  const std::size_t there = queues_there();
  clpool_mem* mem = nullptr;
  std::thread([&] { ASSERT_OK(clpool_allocator_allocate(elsewhere.get(), size, &mem)); }).join();
  EXPECT_EQ(queues_there(), there + 1) << "a queue is of one context";
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_OK(clpool_mem_release(of_pool));
  pool.reset();
  allocator.reset();
  EXPECT_EQ(queues_there(), there + 1) << "the other pool has it still";
  EXPECT_OK(clpool_mem_release(of_other));
  other.reset();
  EXPECT_EQ(queues_there(), there);
}

/// There the chunks are touched as well: behind a kernel on the pool's queue many touches would wait, and all that take turns; and
/// the driver mixes them up with what other threads enqueue there.
TEST_F(OwnQueueOfTheLibrary, TakesTheChunksOfAPoolThatTouchesThem) {
  stub_configure("mode=manual,nvidia=1");
  allocator = make_allocator(clpool_allocator_create_deferred, scene.cl.context, 0);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = &scene.cl.queue;
  options.queue_count = 1;
  pool = make_pool(allocator.get(), options);
  clpool_mem* const first = allocate();
  EXPECT_EQ(stub_pending(scene.cl.queue), 1U) << "one thread alone needs no other queue";
  allocate_in_another_thread();
  stub_run_all();
  const std::uint64_t chunks = stats_of(pool).chunks;
  clpool_mem* second = nullptr;
  ASSERT_OK(clpool_pool_allocate(pool.get(), std::size_t{64} << 20, &second));
  EXPECT_EQ(stats_of(pool).chunks, chunks + 1);
  EXPECT_EQ(stub_pending(scene.cl.queue), 0U);
  EXPECT_GT(stub_pending(nullptr), 0U);
  stub_run_all();
  EXPECT_OK(clpool_mem_release(second));
  EXPECT_OK(clpool_mem_release(first));
}

/// A second thread comes between what makes a chunk, which is on the program's queue, and what tells the pool's other queues of
/// it, which is not: they come after both.
TEST_F(OwnQueueOfTheLibrary, ComesBehindWhatMadeAChunkWhereASecondThreadComesMeanwhile) {
  stub_configure("mode=manual,nvidia=1");
  allocator = make_allocator(clpool_allocator_create_touching, scene.cl.queue, 0, CLPOOL_TOUCH_WHOLE);
  const cl_command_queue queues[] = {scene.cl.queue, scene.cl.another_queue()};
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = queues;
  options.queue_count = 2;
  pool = make_pool(allocator.get(), options);
  Gate gate(scene.cl.context);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(scene.cl.queue, 1, gate.list(), nullptr), CL_SUCCESS);
  stub_meanwhile(
      "clEnqueueFillBuffer",
      [](void* user) {
        stub_meanwhile(nullptr, nullptr, nullptr);
        std::thread([&] {
          clpool_mem* mem = nullptr;
          EXPECT_NE(clpool_pool_try_allocate(static_cast<clpool_pool*>(user), size, &mem), CLPOOL_SUCCESS);
        }).join();
      },
      pool.get());
  const std::size_t queues_before = queues_there();
  clpool_mem* const mem = allocate();
  OwnedEvent filled;
  ASSERT_EQ(clEnqueueFillBuffer(queues[1], clpool_mem_handle(mem), &source_byte, 1, 0, size, 0, nullptr,
                                filled.receive()),
            CL_SUCCESS);
  clFlush(queues[1]);
  EXPECT_EQ(queues_there(), queues_before + 1) << "the copy is on the library's";
  stub_run_all();
  EXPECT_FALSE(filled.is_complete());
  gate.open();
  stub_run_all();
  EXPECT_TRUE(filled.is_complete());
  EXPECT_OK(clpool_mem_release(mem));
}

}  // namespace
}  // namespace clpool::test
