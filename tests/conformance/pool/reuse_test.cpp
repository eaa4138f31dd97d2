// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// When memory is reused, and when it is not: what commands may still use, how much memory queues may cost,
// what a request waits for, and what callbacks may do.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "conformance/pool/backends.hpp"

namespace clpool::test {
namespace {

constexpr std::size_t mib = 1024 * 1024;

class PoolReuse : public testing::TestWithParam<std::uint32_t> {
 protected:
  clpool_pool_options options() const {
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.strategy = GetParam();
    return options;
  }
  /// Bytes that a block has.
  static std::uint64_t bytes_of(std::uint64_t size) {
    std::uint64_t bin = 0;
    if (GetParam() == CLPOOL_STRATEGY_BINNED) {
      EXPECT_EQ(clpool_bin_number(size, 4, &bin), CLPOOL_SUCCESS);
      EXPECT_EQ(clpool_bin_alloc_size(bin, 4, &size), CLPOOL_SUCCESS);
    }
    return size;
  }
};
std::string strategy_name(const testing::TestParamInfo<std::uint32_t>& info) {
  return info.param == CLPOOL_STRATEGY_BINNED ? "binned" : "coalescing";
}
INSTANTIATE_TEST_SUITE_P(, PoolReuse, testing::Values(CLPOOL_STRATEGY_COALESCING, CLPOOL_STRATEGY_BINNED),
                         strategy_name);

// Limits.

TEST_P(PoolReuse, ASmallBlockDoesNotPinAFreeChunkThatIsHuge) {
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  clpool_pool_options told = options();
  told.max_bytes = 3ULL << 29;
  const PoolHandle pool = make_pool(allocator.get(), told);
  allocate(pool, 1U << 30).reset();
  const MemHandle kept = allocate(pool, 256);
  const MemHandle again = allocate(pool, 1U << 30);
  expect_sound(pool);
}

/// A large block that its thread's cache has kept, as its size came twice, is as free as any where another size comes.
TEST(PoolOfLargeBlocks, HandsOutACachedBlockForAnotherSizeWithoutAWait) {
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.guard = CLPOOL_GUARD_OFF;  // blocks rest else
  const PoolHandle pool = make_pool(allocator.get(), options);
  for (int i = 0; i < 3; ++i) {
    MemHandle large = allocate(pool, 8 * mib);
    large.reset();
  }
  ASSERT_EQ(stats_of(pool).cached_bytes, 8 * mib);
  clpool_mem* mem = nullptr;
  ASSERT_EQ(clpool_pool_try_allocate(pool.get(), 5 * mib, &mem), CLPOOL_SUCCESS);
  EXPECT_EQ(stats_of(pool).managed_bytes, 8 * mib);
  EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
  expect_sound(pool);
}

/// Steps of ever other sizes, each of one thread, that take an input and a workspace and leave nothing.
TEST(PoolOfRaggedSteps, HasWhatTheLargestStepNeedsWhicheverThreadsMakeThem) {
  constexpr int steps = 3000;
  for (const int threads : {1, 3}) {
    NumberSource numbers;
    const AllocatorHandle allocator = numbers.allocator();
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.guard = CLPOOL_GUARD_OFF;  // blocks rest else
    const PoolHandle pool = make_pool(allocator.get(), options);
    std::atomic<int> step{0};
    std::vector<std::thread> workers;
    for (int i = 0; i < threads; ++i) {
      workers.emplace_back([&, i] {
        std::mt19937 random(static_cast<unsigned>(i));
        for (int mine = i; mine < steps; mine += threads) {
          for (int now = step; now != mine; now = step) {
            step.wait(now);
          }
          const std::size_t size = mib + random() % (3 * mib);
          MemHandle input = allocate(pool, size);
          MemHandle workspace = allocate(pool, 8 * size);
          input.reset();
          workspace.reset();
          step = mine + 1;
          step.notify_all();
        }
      });
    }
    for (std::thread& worker : workers) {
      worker.join();
    }
    EXPECT_LE(stats_of(pool).peak_managed_bytes, 48 * mib)
        << threads << " threads, and steps of 36 MiB at most";
    expect_sound(pool);
  }
}

TEST_P(PoolReuse, AsManyThreadsAsThereIsRoomForNeverFail) {
  for (const std::size_t threads : {2U, 4U, 8U}) {
    for (const std::size_t size : {std::size_t{4096}, mib}) {
      SCOPED_TRACE(testing::Message() << threads << " threads, " << size << " bytes");
      NumberSource numbers;
      const AllocatorHandle allocator = numbers.allocator();
      clpool_pool_options told = options();
      const std::uint64_t most = threads * bytes_of(size);
      told.max_bytes = most;
      const PoolHandle pool = make_pool(allocator.get(), told);
      std::atomic<int> failures{0};
      std::vector<std::thread> workers;
      for (std::size_t i = 0; i < threads; ++i) {
        workers.emplace_back([&, i] {
          for (std::size_t round = 0; round < 300; ++round) {
            clpool_mem* mem = nullptr;
            if (clpool_pool_allocate(pool.get(), size, &mem) != CLPOOL_SUCCESS) {
              ++failures;
              continue;
            }
            if ((round + i) % 4 == 0) {
              std::this_thread::yield();
            }
            failures += clpool_mem_release(mem) == CLPOOL_SUCCESS ? 0 : 1;
          }
        });
      }
      for (std::thread& worker : workers) {
        worker.join();
      }
      EXPECT_EQ(failures, 0);
      EXPECT_LE(numbers.peak_bytes(), most);
      expect_sound(pool);
    }
  }
}

// Callbacks.

struct Reentrant {
  clpool_pool* pool = nullptr;
  int calls = 0;
  int depth = 0;
  int deepest = 0;
  bool releases_pool = false;
  std::vector<clpool_status> inner;
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;

  /// As collector, or else where memory is out.
  void is_called_by(bool collector) {
    if (collector) {
      callbacks.collect = collect;
    } else {
      callbacks.out_of_memory = out_of_memory;
    }
  }
  void enter(std::size_t size) {
    ++calls;
    deepest = std::max(deepest, ++depth);
    if (releases_pool) {
      releases_pool = false;
      EXPECT_EQ(clpool_pool_release(pool), CLPOOL_SUCCESS);
    } else if (pool != nullptr && depth < 50) {
      clpool_mem* mem = nullptr;
      inner.push_back(clpool_pool_allocate(pool, size, &mem));
      static_cast<void>(clpool_mem_release(mem));
    }
    --depth;
  }
  static void collect(void* user) { static_cast<Reentrant*>(user)->enter(mib); }
  static std::int32_t out_of_memory(void* user, std::uint64_t, std::uint32_t) {
    static_cast<Reentrant*>(user)->enter(mib);
    return 0;
  }
  static void message(void* user, std::int32_t, const char*) {
    static_cast<Reentrant*>(user)->enter(3 * mib);
  }
  static clpool_status take(void* user, std::uint64_t, std::uint64_t, std::uint64_t* chunk) {
    *chunk = 1 << 20;
    static_cast<Reentrant*>(user)->enter(3 * mib);
    return CLPOOL_SUCCESS;
  }

  /// A full pool of 3 MiB.
  PoolHandle full_pool(clpool_pool_options options, clpool_allocator* allocator, MemHandle& block) {
    options.max_bytes = 3 * mib;
    options.callbacks = &callbacks;
    options.user = this;
    PoolHandle made = make_pool(allocator, options);
    block = allocate(made, 3 * mib);
    pool = made.get();
    calls = 0;
    inner.clear();
    return made;
  }
};

TEST_P(PoolReuse, ACollectorThatAllocatesGetsAnErrorAndIsNotCalledAgain) {
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  Reentrant user;
  user.callbacks.collect = Reentrant::collect;
  MemHandle block;
  const PoolHandle pool = user.full_pool(options(), allocator.get(), block);
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(pool.get(), mib, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(user.deepest, 1);
  EXPECT_EQ(user.inner,
            std::vector<clpool_status>(static_cast<std::size_t>(user.calls), CLPOOL_ERROR_OUT_OF_MEMORY));
  EXPECT_GT(user.calls, 0);
  expect_sound(pool);
}

TEST_P(PoolReuse, AnOutOfMemoryCallbackThatAllocatesGetsAnErrorAndIsNotCalledAgain) {
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  Reentrant user;
  user.callbacks.out_of_memory = Reentrant::out_of_memory;
  MemHandle block;
  const PoolHandle pool = user.full_pool(options(), allocator.get(), block);
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(pool.get(), mib, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(user.calls, 1);
  EXPECT_EQ(user.deepest, 1);
  EXPECT_EQ(user.inner, std::vector<clpool_status>{CLPOOL_ERROR_OUT_OF_MEMORY});
  expect_sound(pool);
}

TEST_P(PoolReuse, AMessageCallbackMayAllocate) {
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  Reentrant user;
  user.callbacks.message = Reentrant::message;
  clpool_pool_options told = options();
  told.trace_messages = 1;
  MemHandle block;
  const PoolHandle pool = user.full_pool(told, allocator.get(), block);
  user.pool = nullptr;
  block.reset();
  user.pool = pool.get();
  user.depth = 49;  // the messages of what the callback does itself must not call back for ever
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(pool.get(), mib, &mem), CLPOOL_SUCCESS);
  EXPECT_GT(user.calls, 0);
  user.pool = nullptr;
  EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
  expect_sound(pool);
}

TEST_P(PoolReuse, AnAllocatorThatAllocatesFromItsPoolGetsAnError) {
  Reentrant user;
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  ops.allocate = Reentrant::take;
  ops.deallocate = [](void*, std::uint64_t, std::uint64_t) {};
  clpool_allocator* made = nullptr;
  ASSERT_EQ(clpool_allocator_create_custom(&ops, &user, &made), CLPOOL_SUCCESS);
  const AllocatorHandle allocator(made);
  clpool_pool_options told = options();
  told.max_bytes = 3 * mib;
  const PoolHandle pool = make_pool(allocator.get(), told);
  user.pool = pool.get();
  const MemHandle block = allocate(pool, mib);
  EXPECT_EQ(user.deepest, 1);
  EXPECT_EQ(user.inner, std::vector<clpool_status>{CLPOOL_ERROR_OUT_OF_MEMORY});
  user.pool = nullptr;
  expect_sound(pool);
}

TEST_P(PoolReuse, CallbacksMayReleaseThePoolItself) {
  for (const bool in_collector : {true, false}) {
    NumberSource numbers;
    const AllocatorHandle allocator = numbers.allocator();
    Reentrant user;
    user.is_called_by(in_collector);
    MemHandle block;
    clpool_pool* const pool = user.full_pool(options(), allocator.get(), block).release();
    user.releases_pool = true;
    clpool_mem* mem = nullptr;
    EXPECT_EQ(clpool_pool_allocate(pool, mib, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
    EXPECT_FALSE(user.releases_pool);
    block.reset();
    EXPECT_EQ(numbers.live_chunks(), 0u) << "the pool has ended with its last block";
  }
}

TEST_P(PoolReuse, APoolOfWhichNothingLivesEndsWhenTheCallThatAskedHasFailed) {
  for (const bool in_collector : {true, false}) {
    NumberSource numbers;
    const AllocatorHandle allocator = numbers.allocator();
    Reentrant user;
    user.is_called_by(in_collector);
    MemHandle block;
    clpool_pool* const pool = user.full_pool(options(), allocator.get(), block).release();
    block.reset();
    user.releases_pool = true;
    clpool_mem* mem = nullptr;
    EXPECT_EQ(clpool_pool_allocate(pool, std::size_t{1} << 40, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
    EXPECT_NE(std::string(clpool_last_error_message()).find("out of memory in pool"), std::string::npos)
        << clpool_last_error_message();
    EXPECT_FALSE(user.releases_pool);
    EXPECT_EQ(numbers.live_chunks(), 0u);
  }
}

TEST_P(PoolReuse, ATagOrAnIdleReleaseLastsForOneLifeOfABlock) {
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  const PoolHandle pool = make_pool(allocator.get(), options());
  const auto is_released_by_its_cache = [&] {
    clpool_mem* const mem = allocate(pool, 512).release();
    const clpool_status status = clpool_mem_try_release(mem);
    if (status != CLPOOL_SUCCESS) {
      EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
    }
    return status == CLPOOL_SUCCESS;
  };
  is_released_by_its_cache();
  if (!is_released_by_its_cache()) {
    GTEST_SKIP() << "this pool has no caches";
  }
  MemHandle mem = allocate(pool, 512);
  EXPECT_EQ(clpool_mem_set_tag(mem.get(), 7), CLPOOL_SUCCESS);
  mem.reset();
  EXPECT_TRUE(is_released_by_its_cache());
  EXPECT_EQ(clpool_mem_set_tag((mem = allocate(pool, 512)).get(), 7), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_mem_release_idle(mem.release()), CLPOOL_SUCCESS);
  EXPECT_TRUE(is_released_by_its_cache());
}

TEST_P(PoolReuse, UseAfterReleaseIsAnErrorThatTheNextLifeOfABlockKnowsNothingOf) {
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  const PoolHandle pool = make_pool(allocator.get(), options());
  allocate(pool, 512).reset();
  clpool_mem* mem = allocate(pool, 512).release();
  if (clpool_mem_try_release(mem) != CLPOOL_SUCCESS) {
    EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
    GTEST_SKIP() << "this pool has no caches";
  }
  EXPECT_EQ(clpool_mem_release_idle(mem), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_mem_set_tag(mem, 7), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_NE(std::string(clpool_last_error_message()).find("released"), std::string::npos)
      << clpool_last_error_message();
  mem = allocate(pool, 512).release();
  EXPECT_EQ(clpool_mem_try_release(mem), CLPOOL_SUCCESS) << "its cache takes it without a look";
}

// With queues.

class PoolReuseOnQueues : public PoolReuse {
 protected:
  void SetUp() override {
    if (cl.queue == nullptr) {
      GTEST_SKIP() << "no OpenCL device";
    }
  }
  PoolHandle pool_on(clpool_allocator* allocator, std::vector<cl_command_queue> queues) {
    clpool_pool_options told = options();
    told.queues = queues.data();
    told.queue_count = static_cast<std::uint32_t>(queues.size());
    return make_pool(allocator, told);
  }
  /// True if some of the next blocks lies where `pointer` points.
  static bool hands_out(const PoolHandle& pool, std::size_t size, const void* pointer) {
    std::vector<MemHandle> blocks;
    bool found = false;
    for (int i = 0; i < 8; ++i) {
      clpool_mem* mem = nullptr;  // without the driver, which may wait for the queue when it maps memory
      EXPECT_EQ(clpool_pool_try_allocate(pool.get(), size, &mem), CLPOOL_SUCCESS);
      blocks.emplace_back(mem);
      const auto* begin = static_cast<const char*>(clpool_mem_pointer(blocks.back().get()));
      const auto* place = static_cast<const char*>(pointer);
      found = found || (begin < place + size && place < begin + size);
    }
    return found;
  }
  /// A command that reads a block's bytes on the host, held back by a gate.
  void expect_protected(clpool_allocator* allocator) {
    const PoolHandle pool = make_pool(allocator, options());
    cl_int code = CL_SUCCESS;
    cl_mem target = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, size, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    cl_event gate = clCreateUserEvent(cl.context, nullptr);
    std::vector<clpool_mem*> blocks(12);
    for (clpool_mem*& block : blocks) {
      ASSERT_EQ(clpool_pool_allocate(pool.get(), size, &block), CLPOOL_SUCCESS);
    }
    for (clpool_mem* const block : blocks) {
      EXPECT_EQ(clpool_mem_release_idle(block), CLPOOL_SUCCESS);
    }
    clpool_mem* mem = nullptr;
    ASSERT_EQ(clpool_pool_allocate(pool.get(), size, &mem), CLPOOL_SUCCESS);
    const void* const place = clpool_mem_pointer(mem);
    ASSERT_EQ(clEnqueueWriteBuffer(cl.queue, target, CL_FALSE, 0, size, place, 1, &gate, nullptr),
              CL_SUCCESS);
    clFlush(cl.queue);
    EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
    EXPECT_FALSE(hands_out(pool, size, place)) << "the host would write what the command has yet to read";
    clSetUserEventStatus(gate, CL_COMPLETE);
    finish(cl.queue);
    clReleaseEvent(gate);
    clReleaseMemObject(target);
    for (int i = 0; i < 1000 && stats_of(pool).pending_bytes != 0; ++i) {
      ASSERT_EQ(clpool_pool_tick(pool.get()), CLPOOL_SUCCESS);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(stats_of(pool).pending_bytes, 0u);
    // And what nobody uses is there at once.
    ASSERT_EQ(clpool_pool_allocate(pool.get(), size, &mem), CLPOOL_SUCCESS);
    const void* const idle = clpool_mem_pointer(mem);
    EXPECT_EQ(clpool_mem_release_idle(mem), CLPOOL_SUCCESS);
    EXPECT_EQ(stats_of(pool).pending_bytes, 0u);
    const MemHandle again = allocate(pool, size);
    EXPECT_EQ(clpool_mem_pointer(again.get()), idle);
    expect_sound(pool);
  }

  static constexpr std::size_t size = 64 * 1024;
  OpenCl cl;
};
INSTANTIATE_TEST_SUITE_P(, PoolReuseOnQueues,
                         testing::Values(CLPOOL_STRATEGY_COALESCING, CLPOOL_STRATEGY_BINNED), strategy_name);

TEST_P(PoolReuseOnQueues, PageLockedMemoryIsNotHandedOutWhileACommandUsesIt) {
  clpool_allocator* made = nullptr;
  ASSERT_EQ(clpool_allocator_create_pinned(cl.queue, 0, &made), CLPOOL_SUCCESS);
  expect_protected(AllocatorHandle(made).get());
}

TEST_P(PoolReuseOnQueues, FineGrainSvmIsNotHandedOutWhileACommandUsesIt) {
  cl_device_svm_capabilities can = 0;
  clGetDeviceInfo(cl.device, CL_DEVICE_SVM_CAPABILITIES, sizeof can, &can, nullptr);
  if ((can & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) == 0) {
    GTEST_SKIP() << "the device has no fine-grain SVM";
  }
  clpool_allocator* made = nullptr;
  ASSERT_EQ(clpool_allocator_create_svm(cl.context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, 0,
                                        cl.queue, &made),
            CLPOOL_SUCCESS)
      << clpool_last_error_message();
  expect_protected(AllocatorHandle(made).get());
}

TEST_P(PoolReuseOnQueues, ABlockForOneQueueIsReusedAtOnceOnThatQueueOnly) {
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  cl_command_queue other = cl.another_queue();
  const PoolHandle pool = pool_on(allocator.get(), {cl.queue, other});
  cl_event gate = clCreateUserEvent(cl.context, nullptr);
  cl_event marker = nullptr;
  clpool_mem* mem = nullptr;
  ASSERT_EQ(clpool_pool_allocate_on(pool.get(), cl.queue, size, &mem), CLPOOL_SUCCESS);
  const void* const place = clpool_mem_pointer(mem);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(cl.queue, 1, &gate, &marker), CL_SUCCESS);
  clFlush(cl.queue);
  EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
  clpool_mem* elsewhere = nullptr;
  ASSERT_EQ(clpool_pool_allocate_on(pool.get(), other, size, &elsewhere), CLPOOL_SUCCESS);
  EXPECT_NE(clpool_mem_pointer(elsewhere), place);
  clpool_mem* anywhere = nullptr;
  ASSERT_EQ(clpool_pool_allocate(pool.get(), size, &anywhere), CLPOOL_SUCCESS);
  EXPECT_NE(clpool_mem_pointer(anywhere), place);
  clpool_mem* here = nullptr;
  ASSERT_EQ(clpool_pool_allocate_on(pool.get(), cl.queue, size, &here), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_mem_pointer(here), place);
  clSetUserEventStatus(gate, CL_COMPLETE);
  finish(cl.queue);
  clReleaseEvent(gate);
  clReleaseEvent(marker);
  for (clpool_mem* const one : {elsewhere, anywhere, here}) {
    EXPECT_EQ(clpool_mem_release(one), CLPOOL_SUCCESS);
  }
  expect_sound(pool);
}

TEST_P(PoolReuseOnQueues, QueuesOfAnIdleDeviceCostABoundedAmountOfMemory) {
  const cl_command_queue other = cl.another_queue();
  const cl_command_queue unordered = cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  for (const std::vector<cl_command_queue>& queues :
       {std::vector<cl_command_queue>{cl.queue, other}, std::vector<cl_command_queue>{unordered}}) {
    if (queues.back() == nullptr) {
      continue;
    }
    const std::uint64_t most = 65 * mib;
    std::uint64_t peak = UINT64_MAX;
    // A marker that takes more than 10 ms on a loaded machine counts as one of a busy device: once more,
    // then.
    for (int attempt = 0; attempt < 5 && peak > most + most / 2; ++attempt) {
      NumberSource numbers;
      const AllocatorHandle allocator = numbers.allocator();
      const PoolHandle pool = pool_on(allocator.get(), queues);
      for (int i = 0; i < 5000; ++i) {
        allocate(pool, mib).reset();
      }
      peak = stats_of(pool).peak_managed_bytes;
      expect_sound(pool);
    }
    EXPECT_LE(peak, most + most / 2) << queues.size() << " queues";
  }
}

TEST_P(PoolReuseOnQueues, WaitingEndsWhenAnyBlockComesBack) {
  for (const bool by_event : {true, false}) {
    SCOPED_TRACE(by_event ? "by its event" : "by another thread's release");
    NumberSource numbers;
    const AllocatorHandle allocator = numbers.allocator();
    clpool_pool_options told = options();
    told.max_bytes = 2 * bytes_of(mib);
    const PoolHandle pool = make_pool(allocator.get(), told);
    cl_event never = clCreateUserEvent(cl.context, nullptr);
    cl_event soon = clCreateUserEvent(cl.context, nullptr);
    clpool_mem* stuck = nullptr;
    clpool_mem* block = nullptr;
    ASSERT_EQ(clpool_pool_allocate(pool.get(), mib, &stuck), CLPOOL_SUCCESS);
    ASSERT_EQ(clpool_pool_allocate(pool.get(), mib, &block), CLPOOL_SUCCESS);
    EXPECT_EQ(clpool_mem_release_after(stuck, 1, &never), CLPOOL_SUCCESS);
    EXPECT_EQ(clpool_mem_release(stuck), CLPOOL_SUCCESS);
    if (by_event) {
      EXPECT_EQ(clpool_mem_release_after(block, 1, &soon), CLPOOL_SUCCESS);
      EXPECT_EQ(clpool_mem_release(block), CLPOOL_SUCCESS);
    }
    std::thread releaser([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (by_event) {
        clSetUserEventStatus(soon, CL_COMPLETE);
      } else {
        EXPECT_EQ(clpool_mem_release(block), CLPOOL_SUCCESS);
      }
    });
    const MemHandle again = allocate(pool, mib);
    releaser.join();
    EXPECT_EQ(stats_of(pool).pending_bytes, bytes_of(mib)) << "the other is still in use";
    clSetUserEventStatus(never, CL_COMPLETE);
    clReleaseEvent(never);
    clReleaseEvent(soon);
    expect_sound(pool);
  }
}

TEST(PoolFigures, TheLargestFreeBlockIsWhatEmptyCachesWouldGive) {
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  clpool_pool_options told = CLPOOL_POOL_OPTIONS_INIT;
  told.min_chunk_bytes = 16 * 4096;
  told.guard = CLPOOL_GUARD_OFF;  // guarded pools have no caches
  const PoolHandle pool = make_pool(allocator.get(), told);
  std::vector<MemHandle> blocks;
  for (int i = 0; i < 16; ++i) {
    blocks.push_back(allocate(pool, 4096));
  }
  ASSERT_EQ(stats_of(pool).managed_bytes, 16U * 4096) << "the chunk is full";
  std::sort(blocks.begin(), blocks.end(), [](const MemHandle& a, const MemHandle& b) {
    return clpool_mem_pointer(a.get()) < clpool_mem_pointer(b.get());
  });
  const auto largest_without = [&](std::size_t place) {
    blocks[place].reset();
    return stats_of(pool).largest_free_bytes / 4096;
  };
  EXPECT_EQ(largest_without(6), 1U);
  EXPECT_EQ(largest_without(5), 2U);
  EXPECT_EQ(largest_without(8), 2U);
  EXPECT_EQ(largest_without(7), 4U);
}

TEST(PoolThatMayNotWait, HasWhatOtherThreadsGaveBack) {
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  clpool_pool_options told = CLPOOL_POOL_OPTIONS_INIT;
  told.max_bytes = 1 << 20;
  told.guard = CLPOOL_GUARD_OFF;  // where what was given back rests
  const PoolHandle pool = make_pool(allocator.get(), told);
  for (int i = 0; i < 3; ++i) {
    MemHandle mem = allocate(pool, 1 << 20);
    std::thread([&] { mem.reset(); }).join();
    clpool_mem* again = nullptr;
    ASSERT_EQ(clpool_pool_try_allocate(pool.get(), (1 << 20) - 1, &again), CLPOOL_SUCCESS)
        << clpool_last_error_message();
    EXPECT_EQ(clpool_mem_size(again), (1u << 20) - 1);
    EXPECT_EQ(clpool_mem_release(again), CLPOOL_SUCCESS);
  }
}

}  // namespace
}  // namespace clpool::test
