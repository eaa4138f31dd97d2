// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a pool holds has a bound, also while some command, which a few blocks wait for, never ends.
#include <cstring>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

/// A device that gets on while somebody polls it, and only then: what a request asks in passing is too
/// little.
struct PolledDevice {
  const int in_passing;  ///< queries
  int queries = 0;

  explicit PolledDevice(int most) : in_passing(most) { stub_set_hook(look, this); }
  PolledDevice(const PolledDevice&) = delete;
  PolledDevice& operator=(const PolledDevice&) = delete;
  ~PolledDevice() { stub_set_hook(nullptr, nullptr); }
  static void look(const char* entry_point, void* user) {
    auto& self = *static_cast<PolledDevice*>(user);
    if (std::strcmp(entry_point, "clGetEventInfo") == 0 && ++self.queries > self.in_passing) {
      stub_run_all();
    }
  }
};

class PoolBounds : public testing::Test {
 protected:
  static constexpr std::size_t block = 8 * MiB;
  static constexpr std::uint64_t bound = 64 * MiB + 4 * block;  // what may be held back, and what is in use

  void SetUp() override { allocator = immediate_allocator(scene.cl.queue); }
  void open_pool(std::uint32_t queue_count) {
    const cl_command_queue queues[] = {scene.cl.queue, other};
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = queues;
    options.queue_count = queue_count;
    pool = make_pool(allocator.get(), options);
  }
  void close_pool() {
    stub_run_all();
    pool.reset();
  }
  clpool_mem* take(std::size_t size) {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_pool_allocate(pool.get(), size, &mem));
    return mem;
  }

  /// The most that a pool has while many blocks come and go. `get_stuck` gives it a block that is never free;
  /// `release` gives up one of the many. On a machine so busy that two polls lie further apart than a request
  /// polls at all, a run says nothing; so there are several.
  template <typename GetStuck, typename Release>
  std::uint64_t least_peak(std::uint32_t queue_count, GetStuck&& get_stuck, Release&& release) {
    std::uint64_t least = UINT64_MAX;
    for (int run = 0; run < 5 && least > bound; ++run) {
      Gate gate(scene.cl.context);
      open_pool(queue_count);
      get_stuck(gate);
      PolledDevice device(queue_count == 1 ? 30 : 6);  // each look also asks about some events
      for (int i = 0; i < 40; ++i) {
        device.queries = 0;
        release(take(block));
      }
      least = std::min<std::uint64_t>(least, stats_of(pool).peak_managed_bytes);
      gate.open();
      close_pool();
    }
    return least;
  }

  Scene scene;
  cl_command_queue other = scene.cl.another_queue();
  cl_command_queue third = scene.cl.another_queue();
  AllocatorHandle allocator;
  PoolHandle pool;
};

TEST_F(PoolBounds, HoldForTheOthersWhenAnEventNeverEnds) {
  const std::uint64_t peak = least_peak(
      2,
      [&](Gate& gate) {
        clpool_mem* const mem = take(4096);
        EXPECT_OK(clpool_mem_release_after(mem, 1, gate.list()));
        EXPECT_OK(clpool_mem_release(mem));
      },
      [](clpool_mem* mem) { EXPECT_OK(clpool_mem_release(mem)); });
  EXPECT_LE(peak, bound);
}

TEST_F(PoolBounds, HoldForTheOthersWhenADeclaredQueueIsStuck) {
  const std::uint64_t peak = least_peak(
      2,
      [&](Gate& gate) {
        clpool_mem* const mem = take(4096);
        EXPECT_OK(clpool_mem_used_on(mem, third));
        EXPECT_EQ(clEnqueueBarrierWithWaitList(third, 1, gate.list(), nullptr), CL_SUCCESS);
        EXPECT_OK(clpool_mem_release(mem));
      },
      [](clpool_mem* mem) { EXPECT_OK(clpool_mem_release(mem)); });
  EXPECT_LE(peak, bound);
}

TEST_F(PoolBounds, HoldForOtherEventsWhenOneNeverEnds) {
  const std::uint64_t peak = least_peak(
      1,
      [&](Gate& gate) {
        clpool_mem* const mem = take(4096);
        EXPECT_OK(clpool_mem_release_after(mem, 1, gate.list()));
        EXPECT_OK(clpool_mem_release(mem));
      },
      [&](clpool_mem* mem) {
        OwnedEvent used;
        EXPECT_EQ(clEnqueueMarkerWithWaitList(third, 0, nullptr, used.receive()), CL_SUCCESS);
        const cl_event event = used.get();
        EXPECT_OK(clpool_mem_release_after(mem, 1, &event));
        EXPECT_OK(clpool_mem_release(mem));
      });
  EXPECT_LE(peak, bound);
}

/// Whoever gives memory back polls for less long than a request that is about to let the pool grow.
TEST_F(PoolBounds, HoldWhereEventsWereWaitedForALittle) {
  allocator = make_allocator(clpool_allocator_create_deferred, scene.cl.context, 0);
  pool = make_pool(allocator.get());  // it knows no queue
  std::vector<clpool_mem*> blocks;
  for (int i = 0; i < 9; ++i) {
    blocks.push_back(take(block));
  }
  for (clpool_mem* const mem : blocks) {
    OwnedEvent used;
    ASSERT_EQ(clEnqueueMarkerWithWaitList(third, 0, nullptr, used.receive()), CL_SUCCESS);
    const cl_event event = used.get();
    ASSERT_OK(clpool_mem_release_after(mem, 1, &event));
    ASSERT_OK(clpool_mem_release(mem));
  }
  ASSERT_OK(clpool_pool_free_held(pool.get()));
  ASSERT_EQ(stats_of(pool).pending_bytes, 9 * block);
  {
    const PolledDevice device(12);
    EXPECT_OK(clpool_mem_release(take(block)));
  }
  EXPECT_EQ(stats_of(pool).managed_bytes, 9 * block);
  close_pool();
}

/// A chunk that commands use, which would go for what requests need, if it were idle.
TEST_F(PoolBounds, ADeviceThatIsFarBehindGetsOneMarkerAtATime) {
  const cl_command_queue queues[] = {scene.cl.queue};
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = queues;
  options.queue_count = 1;
  options.decay_ns = UINT64_MAX;  // nothing is cached then
  pool = make_pool(allocator.get(), options);
  Gate gate(scene.cl.context);
  clpool_mem* const large = take(64 * MiB);
  EXPECT_OK(clpool_mem_fill(scene.cl.queue, large, &source_byte, 1, 0, 64, 1, gate.list(), nullptr));
  EXPECT_OK(clpool_mem_release(large));
  const std::uint64_t before = stub_calls("clEnqueueMarkerWithWaitList");
  for (int i = 0; i < 20; ++i) {
    EXPECT_OK(clpool_mem_release(take((1 + i % 3) * MiB)));
  }
  EXPECT_LE(stub_calls("clEnqueueMarkerWithWaitList") - before, 2u);
  EXPECT_EQ(stats_of(pool).managed_bytes, 64 * MiB);
  gate.open();
  close_pool();
}

/// A pool that met a busy device once, when it grew.
class PoolBoundsAfterAVainWait : public PoolBounds, public testing::WithParamInterface<std::uint32_t> {
 protected:
  void SetUp() override {
    PoolBounds::SetUp();
    open_pool(GetParam());
    Gate gate(scene.cl.context);
    clpool_mem* const used = take(block);
    EXPECT_OK(clpool_mem_fill(scene.cl.queue, used, &source_byte, 1, 0, 64, 1, gate.list(), nullptr));
    EXPECT_OK(clpool_mem_release(used));
    clpool_mem* const larger = take(2 * block);  // while that runs
    gate.open();
    stub_run_all();
    EXPECT_OK(clpool_mem_release(larger));
    stub_run_all();
  }
  void TearDown() override { close_pool(); }
};

TEST_P(PoolBoundsAfterAVainWait, FreeChunksGoBeforeThePoolGrowsAgain) {
  const PolledDevice device(0);
  for (int i = 4; i < 12; ++i) {
    EXPECT_OK(clpool_mem_release(take(i * block)));
    EXPECT_LE(stats_of(pool).managed_bytes, (i + 3) * block) << "one is free at a time";
  }
}

INSTANTIATE_TEST_SUITE_P(Queues, PoolBoundsAfterAVainWait, testing::Values(1, 2));

/// All commands are through, but the last marker, which is seen by who asks again. Of memory that goes only when nothing
/// uses it.
TEST_F(PoolBounds, GivingBackPollsAgainAfterAVainWait) {
  allocator = make_allocator(clpool_allocator_create_svm, scene.cl.context, 0, 0, nullptr);
  open_pool(1);
  clpool_mem* const first = take(block);
  clpool_mem* second = nullptr;
  {
    Gate gate(scene.cl.context);
    EXPECT_OK(clpool_mem_fill(scene.cl.queue, first, &source_byte, 1, 0, 64, 1, gate.list(), nullptr));
    EXPECT_OK(clpool_mem_release(first));
    second = take(2 * block);  // waits for longer than who gives back, in vain
    EXPECT_GT(stats_of(pool).held_bytes, 0u);
    gate.open();
    stub_run_all();
  }
  EXPECT_OK(clpool_mem_release(second));
  const PolledDevice device(2);  // one look is too little, three are enough
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  EXPECT_EQ(stats_of(pool).managed_bytes, 0u);
  close_pool();
}

/// What another queue lets go is idle when the pool's own queue is through as well, which nothing but a marker there tells.
TEST_F(PoolBounds, HoldWhereBlocksWereUsedOnAnotherQueue) {
  for (int in_passing = 1; in_passing < 5; ++in_passing) {
    open_pool(1);
    for (int i = 1; i < 9; ++i) {
      PolledDevice device(in_passing);
      clpool_mem* const mem = take(i * block);
      EXPECT_LE(stats_of(pool).managed_bytes, (i + 3) * block) << "one is free at a time";
      EXPECT_OK(clpool_mem_used_on(mem, third));
      EXPECT_OK(clpool_mem_release(mem));
      stub_run_all();
    }
    close_pool();
  }
}

/// Two chunks are held beyond the limit, as commands use them; those of the first are through.
class HeldLimit : public PoolBounds {
 protected:
  void SetUp() override {
    PoolBounds::SetUp();
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.strategy = CLPOOL_STRATEGY_BINNED;
    options.max_held_bytes = MiB;
    pool = make_pool(allocator.get(), options);
    clpool_mem* const first = take(4 * MiB);
    clpool_mem* const second = take(16 * MiB);
    release_behind(first_gate, first);
    release_behind(second_gate, second);
    ASSERT_GE(stats_of(pool).held_bytes, 20 * MiB);
    first_gate.open();
    stub_run_all();
  }
  void TearDown() override { close_pool(); }
  void release_behind(Gate& gate, clpool_mem* mem) {
    EXPECT_OK(clpool_mem_fill(scene.cl.queue, mem, &source_byte, 1, 0, 64, 1, gate.list(), nullptr));
    EXPECT_OK(clpool_mem_release(mem));
  }
  Gate first_gate{scene.cl.context};
  Gate second_gate{scene.cl.context};
};

TEST_F(HeldLimit, IsKeptByTicksAsSoonAsCommandsAreThrough) {
  EXPECT_OK(clpool_pool_tick(pool.get()));
  EXPECT_EQ(stats_of(pool).chunks, 1u) << "the larger one is busy, the other goes";
  second_gate.open();
  stub_run_all();
  EXPECT_OK(clpool_pool_tick(pool.get()));
  EXPECT_EQ(stats_of(pool).chunks, 0u);
}

TEST_F(HeldLimit, IsNothingThatATickOrAFigureWaitsFor) {
  const std::uint64_t queries = stub_calls("clGetEventInfo");
  EXPECT_OK(clpool_pool_tick(pool.get()));
  EXPECT_LE(stub_calls("clGetEventInfo") - queries, 2u) << "one for each marker";
  const std::uint64_t calls = stub_calls(nullptr);
  EXPECT_EQ(stats_of(pool).chunks, 1u);
  EXPECT_EQ(stub_calls(nullptr), calls);
}

}  // namespace
}  // namespace clpool::test
