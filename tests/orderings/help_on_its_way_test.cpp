// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Requests that the device has no memory for, while that of pools that have ended is on its way back.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "orderings/ended_pools.hpp"

namespace clpool::test {
namespace {

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

TEST_F(EndedPoolsOnASmallDevice, AreWaitedForInVainOnlyOnce) {
  Gate gate(scene.cl.context);
  options.wait_ns = 500'000'000;
  const PoolHandle pool = make_pool(allocator.get(), options);
  options.wait_ns = 1'000'000;
  end_a_pool(gate, 40 * MiB);
  stub_run_all();
  std::uint64_t looks[2] = {};
  for (std::uint64_t& number : looks) {
    const std::uint64_t before = stub_calls("clGetEventInfo");
    clpool_mem* mem = nullptr;
    EXPECT_EQ(clpool_pool_allocate(pool.get(), 40 * MiB, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
    number = stub_calls("clGetEventInfo") - before;
  }
  EXPECT_LT(2 * looks[1], looks[0]) << "calls, the second time and the first";
  gate.open();
  stub_run_all();
}

TEST_F(EndedPoolsOnASmallDevice, GiveTheirMemoryToWhoeverAllocatesWithoutAPool) {
  clpool_mem* mem = nullptr;
  EXPECT_OK(clpool_allocator_allocate(allocator.get(), 40 * MiB, &mem));
  EXPECT_OK(clpool_mem_release(mem));
}

/// How the memory of the pool that ends, and of the one that is short, is had.
struct Sources {
  const char* name;
  clpool_status (*make)(cl_context context, cl_command_queue queue, clpool_allocator** allocator);
  bool of_two_contexts;
};
clpool_status svm_over_a_context(cl_context context, cl_command_queue, clpool_allocator** allocator) {
  return clpool_allocator_create_svm(context, 0, 0, nullptr, allocator);
}
clpool_status svm_over_a_queue(cl_context context, cl_command_queue queue, clpool_allocator** allocator) {
  return clpool_allocator_create_svm(context, 0, 0, queue, allocator);
}
clpool_status page_locked(cl_context, cl_command_queue queue, clpool_allocator** allocator) {
  return clpool_allocator_create_pinned(queue, 0, allocator);
}

class HelpOnItsWay : public testing::TestWithParam<Sources> {
 protected:
  void SetUp() override {
    stub_configure("limit=64M,max_alloc=64M,global=64M");
    options.queue_count = 1;
    options.wait_ns = 10'000'000'000;
  }
  PoolHandle pool_over(cl_context context, cl_command_queue queue) {
    clpool_allocator* made = nullptr;
    EXPECT_OK(GetParam().make(context, queue, &made));
    options.queues = &queue;
    return make_pool(AllocatorHandle(made).get(), options);
  }
  /// Has the queue of a pool wait, and gives up a block of the pool.
  void release_behind_gate(cl_command_queue queue, MemHandle mem, Gate& gate) {
    ASSERT_EQ(clEnqueueBarrierWithWaitList(queue, 1, gate.list(), nullptr), CL_SUCCESS);
    if (GetParam().make != page_locked) {
      ASSERT_OK(clpool_mem_fill(queue, mem.get(), &source_byte, 1, 0, 64, 0, nullptr, nullptr));
      mem.reset();
    } else {
      EXPECT_OK(clpool_mem_release_idle(mem.release()));
    }
  }

  Scene scene;
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
};

TEST_P(HelpOnItsWay, FromAPoolThatEndedIsWaitedFor) {
  OpenCl elsewhere;
  PoolHandle ended = pool_over(scene.cl.context, scene.cl.queue);
  const PoolHandle pool = GetParam().of_two_contexts ? pool_over(elsewhere.context, elsewhere.queue)
                                                     : pool_over(scene.cl.context, scene.cl.another_queue());
  SlowGate slow{Gate(scene.cl.context)};
  slow.opens_after = 50;  // looks: longer than the end of the pool takes
  release_behind_gate(scene.cl.queue, allocate(ended, 40 * MiB), slow.gate);
  ended.reset();
  stub_set_hook(SlowGate::look, &slow);
  EXPECT_NE(allocate(pool, 40 * MiB), nullptr);
  stub_set_hook(nullptr, nullptr);
}

/// Which asks the driver again when the queue is through, however long ago the pool had its memory freed behind that.
TEST_P(HelpOnItsWay, ServesWhoAllocatesWithoutAPool) {
  clpool_allocator* made = nullptr;
  ASSERT_OK(GetParam().make(scene.cl.context, scene.cl.another_queue(), &made));
  const AllocatorHandle allocator(made);
  PoolHandle ended = pool_over(scene.cl.context, scene.cl.queue);
  SlowGate slow{Gate(scene.cl.context)};
  release_behind_gate(scene.cl.queue, allocate(ended, 40 * MiB), slow.gate);
  ended.reset();
  slow.opens_after = 1;
  stub_set_hook(SlowGate::look, &slow);
  clpool_mem* mem = nullptr;
  EXPECT_OK(clpool_allocator_allocate(made, 40 * MiB, &mem));
  stub_set_hook(nullptr, nullptr);
  EXPECT_GE(slow.queries, 1) << "it was refused before";
  EXPECT_OK(clpool_mem_release(mem));
}

TEST_P(HelpOnItsWay, FromThePoolItselfIsWaitedFor) {
  stub_configure("mode=worker");
  const PoolHandle pool = pool_over(scene.cl.context, scene.cl.queue);
  Gate gate(scene.cl.context);
  release_behind_gate(scene.cl.queue, allocate(pool, 40 * MiB), gate);
  std::thread other([&] {
    std::this_thread::sleep_for(
        std::chrono::milliseconds(200));  // longer than a request polls that does not wait
    gate.open();
  });
  EXPECT_NE(allocate(pool, 50 * MiB), nullptr);
  other.join();
  clFinish(scene.cl.queue);
}

INSTANTIATE_TEST_SUITE_P(Of, HelpOnItsWay,
                         testing::Values(Sources{"Svm", svm_over_a_context, false},
                                         Sources{"SvmOfAnotherContext", svm_over_a_context, true},
                                         Sources{"SvmOverAQueue", svm_over_a_queue, false},
                                         Sources{"PageLocked", page_locked, false}),
                         [](const auto& of) { return std::string(of.param.name); });

TEST_P(HelpOnItsWay, GoesBackAlthoughAThreadWasKeptFromRunningAndAQueryFails) {
  constexpr auto slow_look = [](const char* entry_point, void* looks) {
    if (std::strcmp(entry_point, "clGetEventInfo") == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(11));  // longer than the end of a pool takes
      if (++*static_cast<int*>(looks) > 1) {
        stub_run_all();
      }
    }
  };
  stub_counts before = {};
  stub_read_counts(&before);
  for (std::uint64_t nth = 1; nth <= 3; ++nth) {
    PoolHandle pool = pool_over(scene.cl.context, scene.cl.queue);
    ASSERT_NE(allocate(pool, 40 * MiB), nullptr);
    stub_fail("clGetEventInfo", nth, CL_OUT_OF_RESOURCES);
    int looks = 0;
    stub_set_hook(slow_look, &looks);
    pool.reset();
    stub_set_hook(nullptr, nullptr);
    stub_fail_none();
    char difference[256] = "";
    EXPECT_TRUE(stub_same_counts(&before, difference, sizeof difference)) << nth << ": " << difference;
  }
}

TEST_P(HelpOnItsWay, IsWaitedForAlthoughMarkersWereRefusedAtTheEnd) {
  PoolHandle ended = pool_over(scene.cl.context, scene.cl.queue);
  const PoolHandle pool = pool_over(scene.cl.context, scene.cl.another_queue());
  SlowGate slow{Gate(scene.cl.context)};
  slow.opens_after = 50;
  release_behind_gate(scene.cl.queue, allocate(ended, 40 * MiB), slow.gate);
  stub_fail_from("clEnqueueMarkerWithWaitList", 1, CL_OUT_OF_HOST_MEMORY);
  ended.reset();
  stub_fail_none();
  stub_set_hook(SlowGate::look, &slow);
  EXPECT_NE(allocate(pool, 40 * MiB), nullptr);
  stub_set_hook(nullptr, nullptr);
}

TEST_F(EndedPoolsOnASmallDevice, GiveTheirMemoryToWhoeverAllocatesWithoutAPoolWhileTheyEnd) {
#if defined __SANITIZE_THREAD__
  GTEST_SKIP() << "whoever asks waits for 10 ms, in which a pool does not end under this sanitizer";
#endif
  int served = 0;
  for (int i = 0; i < 40 && served == 0; ++i) {  // in 10 ms this thread may not have come to run
    const auto ask = [&](clpool_mem** mem) {
      return clpool_allocator_allocate(allocator.get(), 40 * MiB, mem);
    };
    AskedMeanwhile ends{
        .gate = Gate(scene.cl.context), .ask = ask, .opens_after = std::chrono::milliseconds(2)};
    PoolHandle pool = make_pool(allocator.get(), options);
    MemHandle mem = allocate(pool, 40 * MiB);
    ASSERT_OK(
        clpool_mem_fill(scene.cl.queue, mem.get(), &source_byte, 1, 0, 64, 1, ends.gate.list(), nullptr));
    mem.reset();
    stub_set_hook(AskedMeanwhile::look, &ends);
    pool.reset();
    ends.other.join();
    stub_set_hook(nullptr, nullptr);
    stub_run_all();
    served += ends.answer == CLPOOL_SUCCESS ? 1 : 0;
  }
  EXPECT_GT(served, 0);
}

TEST_F(EndedPools, GiveBackAtOnceWhatAnotherQueueWasThroughWith) {
  const std::uint64_t before = stub_device_bytes();
  PoolHandle pool = make_pool(allocator.get(), options);
  MemHandle mem = allocate(pool, 4096);
  ASSERT_OK(
      clpool_mem_fill(scene.cl.another_queue(), mem.get(), &source_byte, 1, 0, 64, 0, nullptr, nullptr));
  mem.reset();
  stub_run_all();
  const RunsOnLook runs;
  pool.reset();
  EXPECT_EQ(stub_device_bytes(), before);
}

TEST_F(EndedPoolsOnASmallDevice, AreWaitedForByWhoHasMorePatience) {
  SlowGate slow{Gate(scene.cl.context)};
  const PoolHandle impatient = make_pool(allocator.get(), options);
  options.wait_ns = 10'000'000'000;
  const PoolHandle patient = make_pool(allocator.get(), options);
  options.wait_ns = 1'000'000;
  end_a_pool(slow.gate, 40 * MiB);
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(impatient.get(), 40 * MiB, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  stub_set_hook(SlowGate::look, &slow);
  EXPECT_NE(allocate(patient, 40 * MiB), nullptr);
  stub_set_hook(nullptr, nullptr);
}

TEST_F(EndedPoolsOnASmallDevice, GiveTheirMemoryToWhoeverAllocatesWithoutAPoolHoweverManyEventsItWaitedFor) {
  clpool_status answer = CLPOOL_ERROR_OUT_OF_MEMORY;
  for (int i = 0; i < 10 && answer != CLPOOL_SUCCESS; ++i) {  // in 10 ms this thread may not have come to run
    Gate gate(scene.cl.context);
    {
      const PoolHandle pool = make_pool(allocator.get(), options);
      for (int k = 0; k < 10'000 && stub_device_bytes() != 0; ++k) {
        stub_run_all();  // what the turn before has left
        EXPECT_OK(clpool_pool_tick(pool.get()));
      }
      std::vector<MemHandle> blocks;
      for (int k = 0; k < 400; ++k) {
        blocks.push_back(allocate(pool, 102'400));
        ASSERT_OK(clpool_mem_release_after(blocks.back().get(), 1, gate.list()));
      }
    }
    gate.open();
    stub_run_all();
    const RunsOnLook runs;
    clpool_mem* mem = nullptr;
    answer = clpool_allocator_allocate(allocator.get(), 40 * MiB, &mem);
    EXPECT_OK(clpool_mem_release(mem));
  }
  EXPECT_OK(answer);
}

/// Whoever lacks memory asks again only as long as others give something back.
TEST_F(EndedPoolsOnASmallDevice, AreAskedAgainOnlyWhileMemoryComesBack) {
  clpool_mem* keeps = nullptr;
  ASSERT_OK(clpool_allocator_allocate(allocator.get(), 20 * MiB, &keeps));
  Gate gate(scene.cl.context);
  end_a_pool(gate, 4 * MiB);
  gate.open();
  stub_run_all();
  const RunsOnLook runs;
  const std::uint64_t before = stub_calls("clSVMAlloc");
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_allocator_allocate(allocator.get(), 50 * MiB, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(stub_calls("clSVMAlloc") - before, 2U) << "once more after the pool's memory came back";
  EXPECT_OK(clpool_mem_release(keeps));
}

/// Custom memory whose deallocation makes a pool and releases it.
struct MakesPoolsWhenTaken {
  clpool_allocator* others = nullptr;
  int depth = 0;
  int deepest = 0;
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  MakesPoolsWhenTaken() {
    ops.allocate = [](void*, std::uint64_t, std::uint64_t, std::uint64_t* chunk) -> clpool_status {
      static std::uint64_t next = 4096;
      *chunk = next += 1 << 20;
      return CLPOOL_SUCCESS;
    };
    ops.deallocate = [](void* user, std::uint64_t, std::uint64_t) {
      auto& self = *static_cast<MakesPoolsWhenTaken*>(user);
      self.deepest = std::max(self.deepest, ++self.depth);
      make_pool(self.others).reset();
      --self.depth;
    };
  }
};

TEST_F(EndedPools, EndInOneAnotherOnlyAFewDeep) {
  NumberSource source;
  const AllocatorHandle numbers = source.allocator();
  MakesPoolsWhenTaken makes;
  makes.others = numbers.get();
  const AllocatorHandle custom = make_allocator(clpool_allocator_create_custom, &makes.ops, &makes);
  options.wait_ns = 1;
  {
    Gate gate(scene.cl.context);
    for (int i = 0; i < 100; ++i) {
      const PoolHandle pool = make_pool(custom.get(), options);
      const MemHandle mem = allocate(pool, 4096);
      ASSERT_OK(clpool_mem_release_after(mem.get(), 1, gate.list()));
    }
  }
  for (int i = 0; i < 5; ++i) {
    stub_run_all();
    EXPECT_OK(clpool_pool_tick(make_pool(numbers.get()).get()));
  }
  EXPECT_GT(makes.deepest, 0);
  EXPECT_LE(makes.deepest, 5);
}

TEST_F(EndedPools, OverADecoratorAreWaitedForByThoseOverWhatItDecorates) {
  NumberSource source;
  source.capacity = 64 * MiB;
  const AllocatorHandle numbers = source.allocator();
  const AllocatorHandle narrow = make_allocator(clpool_allocator_create_limit, numbers.get(), 60 * MiB);
  options.wait_ns = 10'000'000'000;
  PoolHandle pool = make_pool(narrow.get(), options);
  PoolHandle other = make_pool(numbers.get(), options);
  expect_served_while_it_ends(scene.cl.context, std::move(pool), 40 * MiB, [&](clpool_mem** mem) {
    return clpool_pool_allocate(other.get(), 40 * MiB, mem);
  });
  const RunsOnLook runs;
  other.reset();
}

}  // namespace
}  // namespace clpool::test
