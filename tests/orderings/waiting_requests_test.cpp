// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Requests that wait because a queue still uses all that could serve them, and memory that goes back only when
// a queue is through: whatever comes free meanwhile helps, each request has its own wait, and nothing stays.
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

/// Does something once when the library has asked for the state of an event so often. From then on the device
/// gets on as far as it may whenever it is asked.
struct AfterQueries {
  AfterQueries(int count, std::function<void()> what) : left(count), action(std::move(what)) {
    stub_set_hook(look, this);
  }
  AfterQueries(const AfterQueries&) = delete;
  AfterQueries& operator=(const AfterQueries&) = delete;
  ~AfterQueries() { stub_set_hook(nullptr, nullptr); }
  static void look(const char* entry_point, void* user) {
    auto& self = *static_cast<AfterQueries*>(user);
    if (std::strcmp(entry_point, "clGetEventInfo") != 0) {
      return;
    }
    const int left = --self.left;
    if (left == 0) {
      self.action();
    } else if (left < 0) {
      stub_run_all();
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
    begin(behind_its_queue, 150'000'000);
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

/// Requests over one or two queues, with the limit in the driver or in the pool.
class WaitingRequestOf : public WaitingRequest {
 protected:
  static constexpr std::uint64_t short_wait = 30'000'000;
  static constexpr std::uint64_t long_wait = 5'000'000'000;

  void begin_pool(clpool_allocator* made, std::uint32_t queue_count, clpool_pool_options options) {
    ASSERT_NE(made, nullptr);
    allocator.reset(made);
    const cl_command_queue queues[] = {scene.cl.queue, other};
    options.queues = queues;
    options.queue_count = queue_count;
    pool = make_pool(allocator.get(), options);
  }
  void begin_pool(clpool_allocator* made, std::uint32_t queue_count, std::uint64_t max_bytes,
                  std::uint64_t wait_ns) {
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.max_bytes = max_bytes;
    options.wait_ns = wait_ns;
    options.callbacks = &callbacks;
    options.user = this;
    begin_pool(made, queue_count, options);
  }
  clpool_allocator* svm(cl_command_queue queue = nullptr, cl_svm_mem_flags flags = CL_MEM_READ_WRITE) const {
    clpool_allocator* made = nullptr;
    EXPECT_OK(clpool_allocator_create_svm(scene.cl.context, flags, 0, queue, &made));
    return made;
  }
  clpool_mem* allocate(std::size_t size) const {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_pool_allocate(pool.get(), size, &mem));
    return mem;
  }
  /// What is enqueued from now on waits for the gate.
  static void close(cl_command_queue queue, Gate& gate) {
    stub_run_all();
    ASSERT_EQ(clEnqueueBarrierWithWaitList(queue, 1, gate.list(), nullptr), CL_SUCCESS);
  }

  cl_command_queue other = scene.cl.another_queue();
  cl_command_queue third = scene.cl.another_queue();
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
};

TEST_F(WaitingRequestOf, TwoThatFindNothingDoNotAskTheDriverInTurn) {
  stub_configure("mode=manual,limit=64M");
  begin_pool(svm(), 2, 0, short_wait);
  Gate gate(scene.cl.context);
  clpool_mem* const kept = allocate(20 * MiB);
  clpool_mem* const used = allocate(8 * MiB);
  close(scene.cl.queue, gate);
  EXPECT_OK(clpool_mem_release(used));
  const std::uint64_t before = stub_calls("clSVMAlloc");
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i) {
    threads.emplace_back([this, i] {
      clpool_mem* mem = nullptr;
      EXPECT_EQ(clpool_pool_allocate(pool.get(), (40 + i) * MiB, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
      const std::string text = clpool_last_error_message();
      EXPECT_EQ(text.find(", -4)"), text.rfind(", -4)")) << "the code is told once: " << text;
      EXPECT_NE(text.find("; the allocator: clSVMAlloc: "), std::string::npos) << text;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_LE(stub_calls("clSVMAlloc") - before, 12u);
  EXPECT_OK(clpool_mem_release(kept));
  end(gate);
}

TEST_F(WaitingRequestOf, DoesNotWaitOnWhenNothingIsUnderWayAnyMore) {
  stub_configure("mode=manual,limit=64M");
  begin_pool(svm(), 1, 0, long_wait);
  clpool_mem* const kept = allocate(60 * MiB);
  const auto began = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  std::atomic<std::size_t> ready{0};
  for (std::size_t i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      ++ready;
      while (ready < 8) {
      }
      clpool_mem* mem = nullptr;
      EXPECT_EQ(clpool_pool_allocate(pool.get(), 16 * MiB + i, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::nanoseconds(long_wait));
  EXPECT_OK(clpool_mem_release(kept));
  const RunningDevice device;
  pool.reset();
}

TEST_F(WaitingRequestOf, WaitsForMemoryOfAPoolThatHasEndedAndNothingElse) {
  stub_configure("mode=manual,limit=64M");
  begin_pool(svm(), 1, 0, long_wait);
  Gate gate(scene.cl.context);
  clpool_mem* const last = allocate(48 * MiB);
  close(scene.cl.queue, gate);
  EXPECT_OK(clpool_mem_release(last));
  pool.reset();
  begin_pool(svm(), 1, 0, long_wait);
  clpool_mem* mem = nullptr;
  {
    const AfterQueries then(20, [&] { gate.open(); });
    EXPECT_OK(clpool_pool_allocate(pool.get(), 48 * MiB, &mem));
  }
  EXPECT_OK(clpool_mem_release(mem));
  end(gate);
}

TEST_F(WaitingRequestOf, TakesWhatIsReleasedMeanwhileByAQueueThatWasDeclared) {
  begin_pool(svm(), 1, 8 * MiB, long_wait);
  Gate gate(scene.cl.context);
  clpool_mem* const busy = allocate(1 * MiB);
  clpool_mem* const wanted = allocate(5 * MiB);
  EXPECT_OK(clpool_mem_used_on(wanted, third));
  close(scene.cl.queue, gate);
  EXPECT_OK(clpool_mem_release(busy));
  clpool_mem* mem = nullptr;
  {
    // The third queue is through, but without a marker nobody would know.
    const AfterQueries then(20, [&] { EXPECT_OK(clpool_mem_release(wanted)); });
    EXPECT_OK(clpool_pool_allocate(pool.get(), 5 * MiB, &mem)) << "the pool's own queue is still busy";
  }
  EXPECT_OK(clpool_mem_release(mem));
  end(gate);
}

TEST_F(WaitingRequestOf, WaitsForSvmThatIsFreedBehindABusyQueueHoweverItWasHeldBack) {
  for (const bool fine : {false, true}) {
    stub_configure("mode=manual,limit=32M");
    begin_pool(
        svm(scene.cl.queue, fine ? CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER : CL_MEM_READ_WRITE),
        fine ? 1 : 2, 0, long_wait);
    Gate gate(scene.cl.context);
    EXPECT_OK(clpool_mem_release(allocate(16 * MiB)));
    EXPECT_OK(clpool_pool_tick(pool.get()));
    stub_run_all();
    EXPECT_OK(clpool_pool_tick(pool.get()));
    EXPECT_EQ(stats_of(pool).pending_bytes, 0u);
    close(scene.cl.queue, gate);
    clpool_mem* mem = nullptr;
    {
      const AfterQueries then(20, [&] { gate.open(); });
      EXPECT_OK(clpool_pool_allocate(pool.get(), 24 * MiB, &mem));
    }
    EXPECT_OK(clpool_mem_release(mem));
    end(gate);
    stub_run_all();
  }
}

TEST_F(WaitingRequestOf, WaitsAgainWhenTheUserWantsItTriedAgain) {
  callbacks.out_of_memory = [](void*, std::uint64_t, std::uint32_t attempt) {
    return static_cast<std::int32_t>(attempt < 3);
  };
  begin_pool(svm(), 1, 8 * MiB, short_wait);
  Gate gate(scene.cl.context);
  clpool_mem* const used = allocate(5 * MiB);
  close(scene.cl.queue, gate);
  EXPECT_OK(clpool_mem_release(used));
  const auto began = std::chrono::steady_clock::now();
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(pool.get(), 6 * MiB, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_GE(std::chrono::steady_clock::now() - began, std::chrono::nanoseconds(3 * short_wait));
  end(gate);
}

TEST_F(WaitingRequestOf, ForOneQueueTakesWhatThatQueueReleasesMeanwhile) {
  clpool_allocator* made = nullptr;
  ASSERT_OK(clpool_allocator_create_immediate(scene.cl.queue, 0, &made));
  begin_pool(made, 2, 3 * MiB, long_wait);
  Gate gate(scene.cl.context);
  clpool_mem* blocks[3] = {};
  const cl_command_queue queues[] = {scene.cl.queue, scene.cl.queue, other};
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK(clpool_pool_allocate_on(pool.get(), queues[i], 1 * MiB, &blocks[i]));
  }
  Gate second(scene.cl.context);
  close(scene.cl.queue, gate);
  close(other, second);
  EXPECT_OK(clpool_mem_release(blocks[2]));
  clpool_mem* mem = nullptr;
  {
    const AfterQueries then(20, [&] { EXPECT_OK(clpool_mem_release(blocks[0])); });
    EXPECT_OK(clpool_pool_allocate_on(pool.get(), scene.cl.queue, 1 * MiB, &mem)) << "both queues are busy";
  }
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_OK(clpool_mem_release(blocks[1]));
  second.open();
  end(gate);
}

TEST_F(WaitingRequestOf, TakesWhatAPoolThatHasEndedGivesBackMeanwhile) {
  stub_configure("mode=manual,limit=32M");
  begin_pool(svm(), 1, 0, long_wait);
  Gate gate(scene.cl.context);
  clpool_mem* const last = allocate(16 * MiB);
  close(scene.cl.queue, gate);
  EXPECT_OK(clpool_mem_release(last));
  pool.reset();
  begin_pool(svm(), 2, 0, long_wait);
  Gate second(scene.cl.context);
  clpool_mem* const kept = allocate(12 * MiB);
  clpool_mem* const used = allocate(2 * MiB);
  close(other, second);
  EXPECT_OK(clpool_mem_release(used));
  clpool_mem* mem = nullptr;
  {
    const AfterQueries then(20, [&] { gate.open(); });
    EXPECT_OK(clpool_pool_allocate(pool.get(), 15 * MiB, &mem)) << "this pool's second queue is still busy";
  }
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_OK(clpool_mem_release(kept));
  end(second);
}

TEST_F(WaitingRequestOf, TakesTheMemoryThatGoesBackMeanwhileWherePoolsHoldNone) {
  for (const bool in_the_driver : {false, true}) {
    stub_configure(in_the_driver ? "mode=manual,limit=33M" : "mode=manual");
    begin_pool(svm(), 2, in_the_driver ? 0 : 33 * MiB, long_wait);
    Gate gate(scene.cl.context);
    Gate second(scene.cl.context);
    clpool_mem* const wanted = allocate(20 * MiB);
    clpool_mem* const busy = allocate(2 * MiB);
    EXPECT_OK(clpool_mem_used_on(busy, third));
    EXPECT_OK(clpool_pool_stop_holding(pool.get()));
    close(scene.cl.queue, gate);
    close(third, second);
    EXPECT_OK(clpool_mem_release(busy));
    EXPECT_OK(clpool_mem_release(wanted));
    clpool_mem* mem = nullptr;
    {
      const AfterQueries then(30, [&] { gate.open(); });
      const auto began = std::chrono::steady_clock::now();
      EXPECT_OK(clpool_pool_allocate(pool.get(), 25 * MiB, &mem)) << in_the_driver;
      EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::nanoseconds(long_wait))
          << "it was told only in the end";
    }
    EXPECT_OK(clpool_mem_release(mem));
    second.open();
    stub_run_all();
    end(gate);
    stub_run_all();
  }
}

TEST_F(WaitingRequestOf, AsksAgainWhenMemoryOfNoPoolGoesBackMeanwhile) {
  for (const bool later : {false, true}) {
    stub_configure("mode=manual,limit=32M");
    begin_pool(svm(), 2, 0, long_wait);
    Gate gate(scene.cl.context);
    clpool_mem* direct = nullptr;
    ASSERT_OK(clpool_allocator_allocate(allocator.get(), 20 * MiB, &direct));
    clpool_mem* const busy = allocate(2 * MiB);
    close(scene.cl.queue, gate);
    EXPECT_OK(clpool_mem_release(busy));
    clpool_mem* mem = nullptr;
    {
      const AfterQueries then(
          20, [&] { EXPECT_OK(later ? clpool_mem_release_later(direct) : clpool_mem_release(direct)); });
      EXPECT_OK(clpool_pool_allocate(pool.get(), 15 * MiB, &mem)) << later;
    }
    EXPECT_OK(clpool_mem_release(mem));
    end(gate);
    stub_run_all();
  }
}

TEST_F(WaitingRequestOf, TakesWhatACallbackReleasesLaterWhateverItIs) {
  static clpool_mem* direct = nullptr;
  callbacks.collect = [](void*) { EXPECT_OK(clpool_mem_release_later(std::exchange(direct, nullptr))); };
  stub_configure("mode=manual,limit=32M");
  begin_pool(svm(), 1, 0, short_wait);
  ASSERT_OK(clpool_allocator_allocate(allocator.get(), 20 * MiB, &direct));
  EXPECT_OK(clpool_mem_release(allocate(25 * MiB)));
  EXPECT_EQ(direct, nullptr);
  const RunningDevice device;
  pool.reset();
}

TEST_F(WaitingRequestOf, ForOneQueueFindsItsBlockBehindManyOthers) {
  clpool_allocator* made = nullptr;
  ASSERT_OK(clpool_allocator_create_immediate(scene.cl.queue, 0, &made));
  begin_pool(made, 2, 3 * MiB, short_wait);
  Gate gate(scene.cl.context);
  std::vector<clpool_mem*> blocks(101);
  for (clpool_mem*& mem : blocks) {
    const std::size_t size = &mem == &blocks.back() ? 2 * MiB : 4096;
    ASSERT_OK(clpool_pool_allocate_on(pool.get(), scene.cl.queue, size, &mem));
  }
  close(scene.cl.queue, gate);
  for (clpool_mem* mem : blocks) {
    EXPECT_OK(clpool_mem_release(mem));
  }
  clpool_mem* mem = nullptr;
  EXPECT_OK(clpool_pool_allocate_on(pool.get(), scene.cl.queue, 2 * MiB, &mem));
  EXPECT_OK(clpool_mem_release(mem));
  end(gate);
}

TEST_F(WaitingRequestOf, TellsOnceThatTheDriverRefusesMarkers) {
  static int messages = 0;
  messages = 0;
  callbacks.message = [](void*, std::int32_t, const char*) { ++messages; };
  begin_pool(svm(), 2, 8 * MiB, short_wait);
  Gate gate(scene.cl.context);
  clpool_mem* const used = allocate(5 * MiB);
  close(scene.cl.queue, gate);
  EXPECT_OK(clpool_mem_release(used));
  stub_fail_from("clEnqueueMarkerWithWaitList", 1, CL_OUT_OF_RESOURCES);
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(pool.get(), 6 * MiB, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(messages, 1);
  stub_fail_none();
  end(gate);
}

TEST_F(WaitingRequestOf, InVainLetsTheEndOfAPoolOfCustomMemoryWaitAllTheSame) {
  NumberSource source;
  source.capacity = 1 * MiB;
  begin_pool(source.allocator().release(), 1, 0, 10 * short_wait);  // the end's too, on a busy machine
  Gate gate(scene.cl.context);
  clpool_mem* const used = allocate(1 * MiB);
  close(scene.cl.queue, gate);
  EXPECT_OK(clpool_mem_release(used));
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(pool.get(), 2 * MiB, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  {
    const AfterQueries then(8, [&] { gate.open(); });
    pool.reset();
  }
  EXPECT_EQ(source.live_chunks(), 0u);
}

class MemoryThatMustBeIdle : public WaitingRequestOf {
 protected:
  void open_pool(std::uint32_t queue_count, std::uint64_t max_held_bytes) {
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.max_held_bytes = max_held_bytes;
    begin_pool(svm(nullptr, 0), queue_count, options);
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
