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

#include "orderings/parts_in_turn.hpp"

namespace clpool::test {
namespace {

class PartsInTurn : public ThreadsOnNvidia {};

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
        ASSERT_OK(clpool_pool_allocate(pool.get(), size * static_cast<std::size_t>(1 + i % 61), &mem));
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

/// What a thread enqueues on the queue that it shares with others is beside first uses of their parts.
TEST_F(PartsInTurn, AreUsedByThreadsThatShareAQueue) {
  make("mode=immediate,nvidia=1,mixes_up_parts=1");
  clpool_mem* const kept = allocate();
  const auto fill = [&] {
    ASSERT_OK(clpool_mem_fill(scene.cl.queue, kept, &source_byte, 1, 0, size, 0, nullptr, nullptr));
  };
  fill();  // for the first time
  const std::uint64_t copies = stub_calls("clEnqueueCopyBuffer");
  make_parts_beside(fill);
  EXPECT_GT(stub_calls("clEnqueueCopyBuffer"), copies + 100);
  EXPECT_OK(clpool_mem_release(kept));
}

/// So are the markers behind which page-locked memory of another pool is reused.
TEST_F(PartsInTurn, AreUsedBesideMarkersOnTheQueue) {
  make("mode=immediate,nvidia=1,mixes_up_parts=1");
  const AllocatorHandle pinned = make_allocator(clpool_allocator_create_pinned, scene.cl.queue, 0);
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
  make_parts_beside(release_one);
  EXPECT_GT(stub_calls("clEnqueueMarkerWithWaitList"), markers + 100);
}

/// So are those behind which commands on another queue than the pool's come, and those behind which the library waits for a queue.
TEST_F(PartsInTurn, AreUsedBesideDeclaredUsesAndQueuesThatAreWaitedFor) {
  for (const bool waits : {false, true}) {
    make("mode=immediate,nvidia=1,mixes_up_parts=1");
    clpool_mem* const kept = allocate_used();
    const cl_command_queue other = scene.cl.another_queue();
    const std::uint64_t markers = stub_calls("clEnqueueMarkerWithWaitList");
    make_parts_beside([&] {
      if (waits) {
        ASSERT_OK(clpool_mem_bind_queue(kept, other));
        ASSERT_OK(clpool_mem_unbind_queue(kept));
      } else {
        clpool_mem* const mem = allocate();
        ASSERT_OK(clpool_mem_used_on(mem, other));
        ASSERT_OK(clpool_mem_release_idle(mem));
      }
    });
    EXPECT_GT(stub_calls("clEnqueueMarkerWithWaitList"), markers + 100) << waits;
    EXPECT_OK(clpool_mem_release(kept));
  }
}

/// Threads from the beginning: the thread that made the pool uses it no more, and the queue is known only by
/// what the threads say.
TEST_F(PartsInTurn, OfAPoolWithoutAQueueAreUsedOnceOneIsNamed) {
  for (const bool allocates_on : {true, false}) {
    stub_configure("mode=immediate,nvidia=1,mixes_up_parts=1");
    allocator = make_allocator(clpool_allocator_create_deferred, scene.cl.context, 0);
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
  const AllocatorHandle pinned = make_allocator(clpool_allocator_create_pinned, scene.cl.queue, 0);
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

/// A receiver of messages may do what it likes, as that is without any lock.
TEST_F(PartsInTurn, GoOnWhileAReceiverOfMessagesWaitsForThem) {
  make("mode=immediate,nvidia=1");
  const AllocatorHandle pinned = make_allocator(clpool_allocator_create_pinned, scene.cl.queue, 0);
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
