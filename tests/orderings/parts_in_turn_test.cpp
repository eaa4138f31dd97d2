// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// NVIDIA's driver loses its list of a buffer's parts where several threads change it at once: by the first
// use of a part, and by its release after use; and its queue where another thread enqueues anything there
// beside a first use. A pool that several threads use does both for one of them at a time, first uses on a
// queue that nobody else has, and leaves all later uses to them.
#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

constexpr std::size_t size = 4096;

class PartsInTurn : public testing::Test {
 protected:
  void make(const char* options) {
    stub_configure(options);
    clpool_allocator* made = nullptr;
    ASSERT_OK(clpool_allocator_create_immediate(scene.cl.queue, 0, &made));
    allocator.reset(made);
    pool = make_pool(allocator.get(), CLPOOL_POOL_OPTIONS_INIT);
  }
  static clpool_mem* allocate_from(const PoolHandle& from) {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_pool_allocate(from.get(), size, &mem));
    return mem;
  }
  /// A block whose handle is a part that nobody used.
  clpool_mem* allocate() { return allocate_from(pool); }
  void allocate_in_another_thread() {
    std::thread([&] { EXPECT_OK(clpool_mem_release(allocate())); }).join();
  }

  Scene scene;
  AllocatorHandle allocator;
  PoolHandle pool;
};

TEST_F(PartsInTurn, AreUsedAndReleasedByThreadsWithQueuesOfTheirOwn) {
  make("mode=immediate,nvidia=1,mixes_up_parts=1");
  clpool_mem* first = allocate();
  allocate_in_another_thread();
  std::vector<cl_command_queue> queues;
  for (int i = 0; i < 4; ++i) {
    queues.push_back(scene.cl.another_queue());
  }
  std::vector<std::thread> threads;
  for (const cl_command_queue queue : queues) {
    threads.emplace_back([&, queue] {
      for (int i = 0; i < 200; ++i) {
        // Sizes of their own, so that handles are made and given up all the time.
        clpool_mem* mem = nullptr;
        ASSERT_OK(clpool_pool_allocate(pool.get(), size * static_cast<std::size_t>(1 + i % 13), &mem));
        const int zero = 0;
        ASSERT_EQ(clEnqueueFillBuffer(queue, clpool_mem_handle(mem), &zero, sizeof zero, 0, size, 0, nullptr,
                                      nullptr),
                  CL_SUCCESS);
        ASSERT_EQ(clFinish(queue), CL_SUCCESS);
        ASSERT_OK(clpool_mem_release(mem));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_OK(clpool_mem_release(first));
  EXPECT_GT(stub_calls("clEnqueueCopyBuffer"), 100U);
}

/// While a thread does something again and again, another one takes blocks of ever other sizes, whose handles are made anew.
template <typename Action>
void make_parts_beside(clpool_pool* pool, Action&& action) {
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) {
      action();
    }
  });
  std::thread([&] {
    for (std::size_t i = 0; i < 300; ++i) {
      clpool_mem* mem = nullptr;
      ASSERT_OK(clpool_pool_allocate(pool, size * (1 + i * 7 % 301), &mem));
      ASSERT_OK(clpool_mem_release(mem));
    }
  }).join();
  stop = true;
  other.join();
}

/// What a thread enqueues on the queue that it shares with others is beside first uses of their parts.
TEST_F(PartsInTurn, AreUsedByThreadsThatShareAQueue) {
  make("mode=immediate,nvidia=1,mixes_up_parts=1");
  clpool_mem* const kept = allocate();
  const auto fill = [&] {
    ASSERT_OK(clpool_mem_fill(scene.cl.queue, kept, &source_byte, 1, 0, size, 0, nullptr, nullptr));
  };
  fill();  // for the first time
  const std::uint64_t copies = stub_calls("clEnqueueCopyBuffer");
  make_parts_beside(pool.get(), fill);
  EXPECT_GT(stub_calls("clEnqueueCopyBuffer"), copies + 100);
  EXPECT_OK(clpool_mem_release(kept));
}

/// So it is with chunks, from a pool or without one.
TEST_F(PartsInTurn, AreOfChunksThatAreMadeWhileOthersUseTheQueue) {
  for (const bool pooled : {true, false}) {
    make("mode=immediate,nvidia=1,mixes_up_parts=1");
    clpool_mem* const kept = allocate();
    ASSERT_OK(clpool_mem_fill(scene.cl.queue, kept, &source_byte, 1, 0, size, 0, nullptr, nullptr));
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

/// So are the markers behind which page-locked memory of another pool is reused.
TEST_F(PartsInTurn, AreUsedBesideMarkersOnTheQueue) {
  make("mode=immediate,nvidia=1,mixes_up_parts=1");
  clpool_allocator* made = nullptr;
  ASSERT_OK(clpool_allocator_create_pinned(scene.cl.queue, 0, &made));
  const AllocatorHandle pinned(made);
  const PoolHandle marked = make_pool(pinned.get(), CLPOOL_POOL_OPTIONS_INIT);
  const auto release_one = [&] {
    clpool_mem* mem = nullptr;
    ASSERT_OK(clpool_pool_allocate(marked.get(), size, &mem));
    ASSERT_OK(clpool_mem_release(mem));
  };
  for (int i = 0; i < 2000; ++i) {
    release_one();  // until it makes no more parts
  }
  const std::uint64_t markers = stub_calls("clEnqueueMarkerWithWaitList");
  make_parts_beside(pool.get(), release_one);
  EXPECT_GT(stub_calls("clEnqueueMarkerWithWaitList"), markers + 100);
}

/// So is new memory of an allocator that one thread alone has.
TEST_F(PartsInTurn, AreUsedBesideMemoryOfOneThreadAlone) {
  make("mode=immediate,nvidia=1,mixes_up_parts=1");
  EXPECT_OK(clpool_mem_release(allocate()));
  const cl_command_queue own = scene.cl.another_queue();
  AllocatorHandle of_one;
  int times = 0;
  make_parts_beside(pool.get(), [&] {
    if (of_one == nullptr) {
      clpool_allocator* made = nullptr;
      ASSERT_OK(clpool_allocator_create_immediate(own, 0, &made));
      of_one.reset(made);
    }
    clpool_mem* mem = nullptr;
    ASSERT_OK(clpool_allocator_allocate(of_one.get(), size, &mem));
    ASSERT_OK(clpool_mem_release(mem));
    ++times;
  });
  EXPECT_GT(times, 100);
}

/// So are those behind which commands on another queue than the pool's come.
TEST_F(PartsInTurn, AreUsedBesideDeclaredUses) {
  make("mode=immediate,nvidia=1,mixes_up_parts=1");
  clpool_mem* const kept = allocate();
  ASSERT_OK(clpool_mem_fill(scene.cl.queue, kept, &source_byte, 1, 0, size, 0, nullptr, nullptr));
  const cl_command_queue other = scene.cl.another_queue();
  const std::uint64_t markers = stub_calls("clEnqueueMarkerWithWaitList");
  make_parts_beside(pool.get(), [&] {
    clpool_mem* const mem = allocate();
    ASSERT_OK(clpool_mem_used_on(mem, other));
    ASSERT_OK(clpool_mem_release_idle(mem));
  });
  EXPECT_GT(stub_calls("clEnqueueMarkerWithWaitList"), markers + 100);
  EXPECT_OK(clpool_mem_release(kept));
}

/// So are those behind which the library waits for a queue.
TEST_F(PartsInTurn, AreUsedBesideQueuesThatAreWaitedFor) {
  make("mode=immediate,nvidia=1,mixes_up_parts=1");
  clpool_mem* const kept = allocate();
  ASSERT_OK(clpool_mem_fill(scene.cl.queue, kept, &source_byte, 1, 0, size, 0, nullptr, nullptr));
  const cl_command_queue other = scene.cl.another_queue();
  const std::uint64_t markers = stub_calls("clEnqueueMarkerWithWaitList");
  make_parts_beside(pool.get(), [&] {
    ASSERT_OK(clpool_mem_bind_queue(kept, other));
    ASSERT_OK(clpool_mem_unbind_queue(kept));
  });
  EXPECT_GT(stub_calls("clEnqueueMarkerWithWaitList"), markers + 100);
  EXPECT_OK(clpool_mem_release(kept));
}

/// Threads from the beginning: the thread that made the pool uses it no more, and the queue is known only by
/// what the threads say.
TEST_F(PartsInTurn, OfAPoolWithoutAQueueAreUsedOnceOneIsNamed) {
  for (const bool allocates_on : {true, false}) {
    stub_configure("mode=immediate,nvidia=1,mixes_up_parts=1");
    clpool_allocator* made = nullptr;
    ASSERT_OK(clpool_allocator_create_deferred(scene.cl.context, 0, &made));
    allocator.reset(made);
    pool = make_pool(allocator.get(), CLPOOL_POOL_OPTIONS_INIT);
    if (!allocates_on) {
      clpool_mem* first = allocate();
      ASSERT_OK(clpool_mem_used_on(first, scene.cl.another_queue()));
      ASSERT_OK(clpool_mem_release(first));
    }
    const std::uint64_t copies = stub_calls("clEnqueueCopyBuffer");
    std::vector<std::thread> threads;
    for (const cl_command_queue queue : {scene.cl.another_queue(), scene.cl.another_queue()}) {
      threads.emplace_back([&, queue] {
        for (std::size_t i = 1; i < 60; ++i) {
          clpool_mem* mem = nullptr;
          if (allocates_on) {
            ASSERT_OK(clpool_pool_allocate_on(pool.get(), queue, i * size, &mem));
          } else {
            ASSERT_OK(clpool_pool_allocate(pool.get(), i * size, &mem));
            ASSERT_OK(clpool_mem_used_on(mem, queue));
          }
          const int zero = 0;
          ASSERT_EQ(clEnqueueFillBuffer(queue, clpool_mem_handle(mem), &zero, sizeof zero, 0, size, 0,
                                        nullptr, nullptr),
                    CL_SUCCESS);
          ASSERT_EQ(clFinish(queue), CL_SUCCESS);
          ASSERT_OK(clpool_mem_release(mem));
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_GT(stub_calls("clEnqueueCopyBuffer"), copies);
  }
}

/// New chunks are used for the first time, too, while other threads make and give up parts of older ones.
TEST_F(PartsInTurn, AndTheChunksThatTheyAreOf) {
  for (const bool touched_by_the_allocator : {true, false}) {
    stub_configure("mode=immediate,nvidia=1,mixes_up_parts=1");
    clpool_allocator* made = nullptr;
    ASSERT_OK(touched_by_the_allocator ? clpool_allocator_create_immediate(scene.cl.queue, 0, &made)
                                       : clpool_allocator_create_deferred(scene.cl.context, 0, &made));
    allocator.reset(made);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = &scene.cl.queue;
    options.queue_count = 1;
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

/// Whoever may not call the driver cannot use it for the first time either.
TEST_F(PartsInTurn, AreNotHandedUnusedToAnotherThreadThatMayNotWait) {
  make("mode=immediate,nvidia=1,mixes_up_parts=1");
  clpool_mem* const kept = allocate();  // and its chunk with it
  clpool_mem* const unused = allocate();
  ASSERT_OK(clpool_mem_release(unused));
  ASSERT_OK(clpool_pool_trim(pool.get(), UINT64_MAX));  // from its thread's cache
  clpool_mem* mem = nullptr;
  std::thread([&] {
    EXPECT_EQ(clpool_pool_try_allocate(pool.get(), size, &mem), CLPOOL_ERROR_WOULD_BLOCK);
  }).join();
  EXPECT_EQ(mem, nullptr);
  ASSERT_OK(clpool_mem_release(kept));
}

/// Handles that one thread made and gave back unused wait for whoever asks for their shape.
TEST_F(PartsInTurn, BesidePageLockedMemoryOfOneQueue) {
  make("mode=immediate,nvidia=1,mixes_up_parts=1");
  clpool_allocator* made = nullptr;
  ASSERT_OK(clpool_allocator_create_pinned(scene.cl.queue, 0, &made));
  const AllocatorHandle pinned(made);
  const PoolHandle pools[] = {make_pool(pinned.get(), CLPOOL_POOL_OPTIONS_INIT), std::move(pool)};
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (std::size_t i = 0; i < 200; ++i) {
        const PoolHandle& mine = pools[(thread + i) % 2];
        clpool_mem* mem = nullptr;
        ASSERT_OK(clpool_pool_allocate(mine.get(), size * (1 + i % 32), &mem));
        ASSERT_OK(clpool_mem_release(mem));
        if (i % 16 == thread) {
          ASSERT_OK(clpool_pool_free_held(mine.get()));
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST_F(PartsInTurn, ThatWereNeverUsedAreMadeAgainForSeveralThreads) {
  make("mode=immediate,nvidia=1,mixes_up_parts=1");
  clpool_mem* const first = allocate();
  std::vector<clpool_mem*> mems;
  std::vector<clpool_mem*> between;
  for (std::size_t i = 2; i < 20; ++i) {
    ASSERT_OK(clpool_pool_allocate(pool.get(), i * size, &mems.emplace_back()));
    between.push_back(allocate());  // so that nothing merges
  }
  for (clpool_mem* const mem : mems) {
    ASSERT_OK(clpool_mem_release(mem));
  }
  ASSERT_OK(clpool_pool_trim(pool.get(), UINT64_MAX));  // nothing is cached
  const std::uint64_t touched = stub_calls("clEnqueueCopyBuffer");
  EXPECT_EQ(touched, stats_of(pool).chunks) << "each chunk once, and no part";
  std::thread([&] {
    for (std::size_t i = 2; i < 20; ++i) {
      clpool_mem* mem = nullptr;
      ASSERT_OK(clpool_pool_allocate(pool.get(), i * size, &mem));
      EXPECT_GE(stub_calls("clEnqueueCopyBuffer") - touched, i - 1) << "a handle that nobody used";
      ASSERT_OK(clpool_mem_release(mem));
    }
  }).join();
  for (clpool_mem* const mem : between) {
    ASSERT_OK(clpool_mem_release(mem));
  }
  EXPECT_OK(clpool_mem_release(first));
}

TEST_F(PartsInTurn, OfOneThreadAreNotUsedForIt) {
  make("mode=immediate,nvidia=1");
  clpool_mem* mems[] = {allocate(), allocate(), allocate()};
  EXPECT_EQ(stub_calls("clEnqueueCopyBuffer"), stats_of(pool).chunks);
  for (clpool_mem* mem : mems) {
    EXPECT_OK(clpool_mem_release(mem));
  }
}

TEST_F(PartsInTurn, AreNotNeededByOtherDrivers) {
  make("mode=immediate");
  clpool_mem* first = allocate();
  allocate_in_another_thread();
  EXPECT_EQ(stub_calls("clEnqueueCopyBuffer"), stats_of(pool).chunks);
  EXPECT_OK(clpool_mem_release(first));
}

/// The copy from the part is the pool's own business: not even a gate on its queue makes anybody, or it, wait.
TEST_F(PartsInTurn, AreMadeBehindAGateWithoutWaiting) {
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
TEST_F(PartsInTurn, ArePutBehindAFlush) {
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
TEST_F(PartsInTurn, AreOfChunksThatArePutBehindAFlush) {
  stub_configure("mode=immediate,nvidia=1,needs_flush=1");
  for (const bool touched_by_the_allocator : {true, false}) {
    clpool_allocator* made = nullptr;
    ASSERT_OK(touched_by_the_allocator ? clpool_allocator_create_immediate(scene.cl.queue, 0, &made)
                                       : clpool_allocator_create_deferred(scene.cl.context, 0, &made));
    allocator.reset(made);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = &scene.cl.queue;
    options.queue_count = 1;
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
TEST_F(PartsInTurn, AreUsedForThePoolThatTookOneOfTwoQueuesOver) {
  stub_configure("mode=manual,nvidia=1");
  clpool_allocator* made = nullptr;
  ASSERT_OK(clpool_allocator_create_deferred(scene.cl.context, 0, &made));
  allocator.reset(made);
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

/// A program's own callback, made by the driver while the pool releases a part, asks the pool for another
/// one.
TEST_F(PartsInTurn, MayBeAllocatedByACallbackOfARelease) {
  make("mode=immediate,nvidia=1");
  clpool_mem* first = allocate();
  allocate_in_another_thread();
  struct Answer {
    clpool_pool* pool;
    clpool_status status = CLPOOL_ERROR_INTERNAL;
  } answer{pool.get()};
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_pool_allocate(pool.get(), 2 * size, &mem));
  const auto ask = [](cl_mem, void* user) {
    auto& asked = *static_cast<Answer*>(user);
    clpool_mem* made = nullptr;
    asked.status = clpool_pool_allocate(asked.pool, size, &made);
    EXPECT_TRUE(asked.status != CLPOOL_SUCCESS || clpool_mem_release(made) == CLPOOL_SUCCESS);
  };
  ASSERT_EQ(clSetMemObjectDestructorCallback(clpool_mem_handle(mem), ask, &answer), CL_SUCCESS);
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_OK(clpool_mem_release(first));
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  EXPECT_NE(answer.status, CLPOOL_ERROR_INTERNAL) << "the callback was not made";
}

std::size_t queues_there() {
  stub_counts now = {};
  stub_read_counts(&now);
  return now.live[STUB_QUEUE];
}

/// A queue is made where it is first needed, when a second thread comes, and goes with the last that has it.
TEST_F(PartsInTurn, AreUsedOnAQueueOfTheLibrarysOwn) {
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
TEST_F(PartsInTurn, AreNotMadeWhereTheLibraryCannotHaveAQueue) {
  for (const bool deferred : {false, true}) {
    make("mode=manual,nvidia=1");
    clpool_allocator* made = nullptr;
    ASSERT_OK(clpool_allocator_create_deferred(scene.cl.context, 0, &made));
    const AllocatorHandle other(made);
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

/// A receiver of messages may do what it likes, as that is without any lock.
TEST_F(PartsInTurn, GoOnWhileAReceiverOfMessagesWaitsForThem) {
  make("mode=immediate,nvidia=1");
  clpool_allocator* made = nullptr;
  ASSERT_OK(clpool_allocator_create_pinned(scene.cl.queue, 0, &made));
  const AllocatorHandle pinned(made);
  const PoolHandle marked = make_pool(pinned.get(), CLPOOL_POOL_OPTIONS_INIT);
  struct Receiver {
    clpool_pool* pool;
    std::size_t pages = 1;
    int waited_in_vain = 0;
    int messages = 0;
    static void receive(void* user, int32_t, const char* text) {
      auto& receiver = *static_cast<Receiver*>(user);
      ++receiver.messages;
      EXPECT_NE(std::string(text).find("clReleaseEvent"), std::string::npos) << text;
      auto made_elsewhere = std::async(std::launch::async, [&] {
        clpool_mem* mem = nullptr;
        EXPECT_OK(clpool_pool_allocate(receiver.pool, ++receiver.pages * size, &mem));
        EXPECT_OK(clpool_mem_release(mem));
      });
      // The future's destructor waits for the rest, by when the lock would have been given up.
      static std::vector<std::future<void>> late;
      if (made_elsewhere.wait_for(std::chrono::seconds(5)) != std::future_status::ready) {
        ++receiver.waited_in_vain;
        late.push_back(std::move(made_elsewhere));
      }
    }
  } receiver{pool.get()};
  clpool_set_message_callback(Receiver::receive, &receiver);
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_pool_allocate(marked.get(), size, &mem));
  ASSERT_OK(clpool_mem_release(mem));
  stub_fail("clReleaseEvent", 1, CL_OUT_OF_RESOURCES);
  ASSERT_OK(clpool_pool_tick(marked.get()));
  clpool_set_message_callback(nullptr, nullptr);
  EXPECT_EQ(receiver.messages, 1);
  EXPECT_EQ(receiver.waited_in_vain, 0);
}

TEST_F(PartsInTurn, AreUsedOnOneQueueForAllPoolsOfAContext) {
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
TEST_F(PartsInTurn, AreOfChunksThatAreTouchedOnThatQueue) {
  stub_configure("mode=manual,nvidia=1");
  clpool_allocator* made = nullptr;
  ASSERT_OK(clpool_allocator_create_deferred(scene.cl.context, 0, &made));
  allocator.reset(made);
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
TEST_F(PartsInTurn, AreBehindWhatMadeTheirChunkWhereASecondThreadComesMeanwhile) {
  stub_configure("mode=manual,nvidia=1");
  clpool_allocator* made = nullptr;
  ASSERT_OK(clpool_allocator_create_touching(scene.cl.queue, 0, CLPOOL_TOUCH_WHOLE, &made));
  allocator.reset(made);
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

TEST_F(PartsInTurn, ThatCannotBeUsedAreNotHandedOut) {
  make("mode=immediate,nvidia=1");
  clpool_mem* first = allocate();
  allocate_in_another_thread();
  stub_fail("clEnqueueCopyBuffer", 1, CL_INVALID_COMMAND_QUEUE);
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(pool.get(), 3 * size, &mem), CLPOOL_ERROR_OPENCL);
  EXPECT_NE(std::string(clpool_last_error_message()).find("clEnqueueCopyBuffer"), std::string::npos)
      << clpool_last_error_message();
  EXPECT_EQ(mem, nullptr);
  EXPECT_OK(clpool_pool_allocate(pool.get(), 3 * size, &mem));
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_OK(clpool_mem_release(first));
}

TEST_F(PartsInTurn, OfWhichNoByteCanBeCopiedAreNotHandedOut) {
  make("mode=immediate,nvidia=1");
  clpool_mem* first = allocate();
  clpool_mem* mem = nullptr;
  std::thread([&] {
    stub_fail("clCreateBuffer", 1, CL_INVALID_CONTEXT);  // that of one byte, to which they are copied
    EXPECT_EQ(clpool_pool_allocate(pool.get(), size, &mem), CLPOOL_ERROR_OPENCL);
    EXPECT_TRUE(last_error_names("clCreateBuffer: 1 byte")) << last_error();
    EXPECT_EQ(mem, nullptr);
    EXPECT_OK(clpool_pool_allocate(pool.get(), size, &mem));
  }).join();
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_OK(clpool_mem_release(first));
}

}  // namespace
}  // namespace clpool::test
