// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pools that have ended while commands still used their memory: what becomes of it, and what they cost.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

constexpr std::size_t MiB = 1024 * 1024;

class EndedPools : public testing::Test {
 protected:
  void SetUp() override {
    clpool_allocator* made = nullptr;
    ASSERT_OK(clpool_allocator_create_svm(scene.cl.context, 0, 0, nullptr, &made));
    allocator.reset(made);
    options.queues = &scene.cl.queue;
    options.queue_count = 1;
    options.wait_ns = 1'000'000;
  }
  void TearDown() override {
    stub_run_all();
    const PoolHandle pool = make_pool(allocator.get(), options);
    EXPECT_OK(clpool_pool_tick(pool.get()));
  }
  /// Makes a pool with one block, which a command that waits for `gate` uses, and gives up both.
  void end_a_pool(Gate& gate, std::size_t size) {
    PoolHandle pool = make_pool(allocator.get(), options);
    MemHandle mem = allocate(pool, size);
    ASSERT_OK(clpool_mem_fill(scene.cl.queue, mem.get(), &source_byte, 1, 0, 64, 1, gate.list(), nullptr));
  }

  Scene scene;
  AllocatorHandle allocator;
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
};

/// A device that gets on, past a gate, when events were asked about a few times.
struct SlowGate {
  Gate gate;
  int queries = 0;
  static void look(const char* entry_point, void* user) {
    auto& self = *static_cast<SlowGate*>(user);
    if (std::strcmp(entry_point, "clGetEventInfo") == 0 && ++self.queries >= 3) {
      if (self.queries == 3) {
        self.gate.open();
      }
      stub_run_all();
    }
  }
};

TEST_F(EndedPools, OfCustomMemoryWaitAlsoForWhatWasPolledForInVain) {
  NumberSource source;
  const AllocatorHandle numbers = source.allocator();
  SlowGate slow{Gate(scene.cl.context)};
  options.wait_ns = 10'000'000'000;
  PoolHandle pool = make_pool(numbers.get(), options);
  MemHandle mem = allocate(pool, 4096);
  ASSERT_OK(clpool_mem_release_after(mem.get(), 1, slow.gate.list()));
  mem.reset();
  stub_run_all();
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  stub_run_all();
  EXPECT_EQ(source.live_chunks(), 1u);
  stub_set_hook(SlowGate::look, &slow);
  pool.reset();
  stub_set_hook(nullptr, nullptr);
  EXPECT_EQ(source.live_chunks(), 0u);
}

std::uint64_t markers() {
  return stub_calls("clEnqueueMarkerWithWaitList");
}

TEST_F(EndedPools, AreOnlyAskedWhereTheirMarkersAre) {
  Gate gate(scene.cl.context);
  for (int i = 0; i < 12; ++i) {
    end_a_pool(gate, 4096);
  }
  const std::uint64_t markers_before = markers();
  const std::uint64_t queries_before = stub_calls("clGetEventInfo");
  for (int i = 0; i < 10; ++i) {
    make_pool(allocator.get(), options).reset();
  }
  EXPECT_EQ(markers(), markers_before);
  EXPECT_LE(stub_calls("clGetEventInfo") - queries_before, 2 * 8 * 10u) << "a few of them each time";
}

TEST_F(EndedPools, AreNotTheOnlyOnesThatLeaveNoMarkersOnAStuckQueue) {
  Gate gate(scene.cl.context);
  options.strategy = CLPOOL_STRATEGY_BINNED;  // which has no caches
  const PoolHandle pool = make_pool(allocator.get(), options);
  MemHandle mem = allocate(pool, 4096);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(scene.cl.queue, 1, gate.list(), nullptr), CL_SUCCESS);
  mem.reset();
  const std::uint64_t before = markers();
  for (int i = 0; i < 100; ++i) {
    EXPECT_OK(clpool_pool_tick(pool.get()));
  }
  EXPECT_EQ(markers() - before, 1u) << "nothing was released since the first";
}

/// How many calls of the driver a child of fork() makes by having a pool of its own, over numbers.
int calls_of_a_childs_own_pool() {
  const pid_t child = fork();
  if (child == 0) {
    const std::uint64_t before = stub_calls(nullptr);
    NumberSource source;
    const AllocatorHandle numbers = source.allocator();
    PoolHandle pool = make_pool(numbers.get());
    allocate(pool, 512).reset();
    clpool_pool_tick(pool.get());
    pool.reset();
    _exit(static_cast<int>(std::min<std::uint64_t>(stub_calls(nullptr) - before, 100)));
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST_F(EndedPools, AreNoBusinessOfAChildOfFork) {
  Gate gate(scene.cl.context);
  end_a_pool(gate, 4096);
  gate.open();
  stub_run_all();
  EXPECT_EQ(calls_of_a_childs_own_pool(), 0);
}

class EndedPoolsOnASmallDevice : public EndedPools {
 protected:
  void SetUp() override {
    stub_configure("limit=64M,max_alloc=64M,global=64M");
    EndedPools::SetUp();
    Gate gate(scene.cl.context);
    end_a_pool(gate, 40 * MiB);
    clpool_mem* mem = nullptr;
    EXPECT_EQ(clpool_allocator_allocate(allocator.get(), 40 * MiB, &mem), CLPOOL_ERROR_OUT_OF_MEMORY)
        << "a command still uses the pool's memory";
    gate.open();
    stub_run_all();
  }
};

TEST_F(EndedPoolsOnASmallDevice, GiveTheirMemoryToAnotherPoolThatIsShort) {
  const PoolHandle pool = make_pool(allocator.get(), options);
  // Whatever ended meanwhile is no longer there to help: end another one after the pool is made.
  stub_run_all();
  Gate gate(scene.cl.context);
  end_a_pool(gate, 40 * MiB);
  gate.open();
  stub_run_all();
  EXPECT_NE(allocate(pool, 40 * MiB), nullptr);
}

TEST_F(EndedPoolsOnASmallDevice, GiveTheirMemoryToWhoeverAllocatesWithoutAPool) {
  clpool_mem* mem = nullptr;
  EXPECT_OK(clpool_allocator_allocate(allocator.get(), 40 * MiB, &mem));
  EXPECT_OK(clpool_mem_release(mem));
}

}  // namespace
}  // namespace clpool::test
