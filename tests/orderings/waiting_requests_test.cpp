// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Requests that wait because a queue still uses all that could serve them, and memory that goes back only when
// a queue is through: whatever comes free meanwhile helps, each request has its own wait, and nothing stays.
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

constexpr std::size_t MiB = 1024 * 1024;

/// Does something once when the library has asked for the state of an event so often.
struct AfterQueries {
  AfterQueries(int count, std::function<void()> what) : left(count), action(std::move(what)) {
    stub_set_hook(look, this);
  }
  AfterQueries(const AfterQueries&) = delete;
  AfterQueries& operator=(const AfterQueries&) = delete;
  ~AfterQueries() { stub_set_hook(nullptr, nullptr); }
  static void look(const char* entry_point, void* user) {
    auto& self = *static_cast<AfterQueries*>(user);
    if (std::strcmp(entry_point, "clGetEventInfo") == 0 && --self.left == 0) {
      self.action();
    }
  }
  std::atomic<int> left;
  std::function<void()> action;
};

/// A device that gets on whenever it is asked how far it is.
struct RunningDevice {
  RunningDevice() {
    stub_set_hook(
        [](const char* entry_point, void*) {
          if (std::strcmp(entry_point, "clGetEventInfo") == 0) {
            stub_run_all();
          }
        },
        nullptr);
  }
  RunningDevice(const RunningDevice&) = delete;
  RunningDevice& operator=(const RunningDevice&) = delete;
  ~RunningDevice() { stub_set_hook(nullptr, nullptr); }
};

/// A pool of SVM of 33 MiB, of which 12 are free but for a queue that is busy.
class WaitingRequest : public testing::Test {
 protected:
  static constexpr std::size_t large = 20 * MiB;
  static constexpr std::size_t small = 2 * MiB;

  /// `behind_its_queue`: the allocator frees behind the queue, and the driver has the limit.
  void begin(bool behind_its_queue, std::uint64_t wait_ns) {
    if (behind_its_queue) {
      stub_configure("mode=manual,limit=33M");
    }
    clpool_allocator* made = nullptr;
    ASSERT_OK(clpool_allocator_create_svm(scene.cl.context, 0, 0, behind_its_queue ? scene.cl.queue : nullptr,
                                          &made));
    allocator.reset(made);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = &scene.cl.queue;
    options.queue_count = 1;
    options.wait_ns = wait_ns;
    options.max_bytes = behind_its_queue ? 0 : 33 * MiB;
    pool = make_pool(allocator.get(), options);
  }
  void use_and_release_small_ones(Gate& gate) {
    std::vector<clpool_mem*> blocks(6);
    for (clpool_mem*& mem : blocks) {
      ASSERT_OK(clpool_pool_allocate(pool.get(), small, &mem));
    }
    stub_run_all();
    ASSERT_EQ(clEnqueueBarrierWithWaitList(scene.cl.queue, 1, gate.list(), nullptr), CL_SUCCESS);
    for (clpool_mem* mem : blocks) {
      EXPECT_OK(clpool_mem_fill(scene.cl.queue, mem, "x", 1, 0, small, 0, nullptr, nullptr));
      EXPECT_OK(clpool_mem_release(mem));
    }
  }
  void end(Gate& gate) {
    gate.open();
    const RunningDevice device;
    pool.reset();
  }

  Scene scene;
  AllocatorHandle allocator;
  PoolHandle pool;
};

TEST_F(WaitingRequest, TakesWhatAnotherThreadReleasesToItsCacheMeanwhile) {
  for (const bool allocates_itself : {true, false}) {
    Gate gate(scene.cl.context);
    begin(false, 10'000'000'000);
    std::atomic<clpool_mem*> block{nullptr};
    std::atomic<bool> is_wanted{false};
    std::atomic<bool> may_end{false};
    std::thread other([&] {
      clpool_mem* mem = nullptr;
      if (allocates_itself) {
        EXPECT_OK(clpool_pool_allocate(pool.get(), large, &mem));
        block = mem;
      }
      is_wanted.wait(false);
      EXPECT_OK(clpool_mem_release(block));
      may_end.wait(false);
    });
    if (!allocates_itself) {
      clpool_mem* mem = nullptr;
      EXPECT_OK(clpool_pool_allocate(pool.get(), large, &mem));
      block = mem;
    }
    while (block == nullptr) {
      std::this_thread::yield();
    }
    use_and_release_small_ones(gate);
    clpool_mem* mem = nullptr;
    {
      const AfterQueries then(50, [&] {
        is_wanted = true;
        is_wanted.notify_all();
      });
      EXPECT_OK(clpool_pool_allocate(pool.get(), large, &mem)) << "the queue is still busy";
    }
    EXPECT_OK(clpool_mem_release(mem));
    may_end = true;
    may_end.notify_all();
    other.join();
    end(gate);
  }
}

TEST_F(WaitingRequest, HasItsOwnWaitAlthoughOneBeforeItWaitedInVain) {
  for (const bool behind_its_queue : {false, true}) {
    Gate gate(scene.cl.context);
    begin(behind_its_queue, 20'000'000);
    use_and_release_small_ones(gate);
    clpool_mem* mem = nullptr;
    EXPECT_EQ(clpool_pool_allocate(pool.get(), 2 * large, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(clpool_pool_allocate(pool.get(), large + 2 * MiB, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
    {
      const AfterQueries then(5, [&] {
        gate.open();
        stub_run_all();
      });
      EXPECT_OK(clpool_pool_allocate(pool.get(), large + 2 * MiB, &mem));
    }
    EXPECT_OK(clpool_mem_release(mem));
    end(gate);
  }
}

class MemoryThatMustBeIdle : public WaitingRequest {
 protected:
  void open_pool(std::uint32_t queue_count, std::uint64_t max_held_bytes) {
    clpool_allocator* made = nullptr;
    ASSERT_OK(clpool_allocator_create_svm(scene.cl.context, 0, 0, nullptr, &made));
    allocator.reset(made);
    const cl_command_queue queues[] = {scene.cl.queue, other};
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = queues;
    options.queue_count = queue_count;
    options.max_held_bytes = max_held_bytes;
    pool = make_pool(allocator.get(), options);
  }
  void expect_that_nothing_stays() {
    std::vector<clpool_mem*> blocks(8);
    for (clpool_mem*& mem : blocks) {
      ASSERT_OK(clpool_pool_allocate(pool.get(), 4 * MiB, &mem));
      ASSERT_OK(clpool_mem_fill(scene.cl.queue, mem, "x", 1, 0, 4 * MiB, 0, nullptr, nullptr));
    }
    const RunningDevice device;
    for (clpool_mem* mem : blocks) {
      EXPECT_OK(clpool_mem_release(mem));
      EXPECT_EQ(stats_of(pool).held_bytes, 0u);
    }
    EXPECT_EQ(stats_of(pool).managed_bytes, 0u);
    pool.reset();
  }
  cl_command_queue other = scene.cl.another_queue();
};

TEST_F(MemoryThatMustBeIdle, GoesBackWithEachReleaseOnceThePoolHasStoppedHolding) {
  for (const std::uint32_t queue_count : {1, 2}) {
    open_pool(queue_count, 0);
    EXPECT_OK(clpool_pool_stop_holding(pool.get()));
    expect_that_nothing_stays();
  }
}

TEST_F(MemoryThatMustBeIdle, GoesBackWithEachReleaseBeyondTheHeldLimit) {
  for (const std::uint32_t queue_count : {1, 2}) {
    open_pool(queue_count, 1);
    expect_that_nothing_stays();
  }
}

TEST_F(MemoryThatMustBeIdle, GoesBackWithALaterReleaseWhereAPollWasInVain) {
  open_pool(1, 1);
  Gate gate(scene.cl.context);
  clpool_mem* blocks[3] = {};
  for (clpool_mem*& mem : blocks) {
    ASSERT_OK(clpool_pool_allocate(pool.get(), 4 * MiB, &mem));
  }
  stub_run_all();
  ASSERT_EQ(clEnqueueBarrierWithWaitList(scene.cl.queue, 1, gate.list(), nullptr), CL_SUCCESS);
  EXPECT_OK(clpool_mem_fill(scene.cl.queue, blocks[0], "x", 1, 0, 4 * MiB, 0, nullptr, nullptr));
  EXPECT_OK(clpool_mem_release(blocks[0]));
  EXPECT_OK(clpool_mem_release(blocks[1]));
  EXPECT_GE(stats_of(pool).held_bytes, 4 * MiB) << "the queue is busy";
  gate.open();
  stub_run_all();
  const RunningDevice device;
  EXPECT_OK(clpool_mem_release(blocks[2]));
  EXPECT_EQ(stats_of(pool).held_bytes, 0u);
  pool.reset();
}

}  // namespace
}  // namespace clpool::test
