// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Blocks that ever new queues use, as in programs with a queue for each task: those that have ended are found.
#include <algorithm>
#include <vector>

#include "orderings/declared_uses.hpp"

namespace clpool::test {
namespace {

class QueuesOfTasks : public DeclaredUses {
 protected:
  cl_command_queue new_queue() {
    cl_int code = CL_SUCCESS;
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(scene.cl.context, scene.cl.device, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return queue;
  }
  static std::int64_t live_queues() {
    stub_counts counts;
    stub_read_counts(&counts);
    return counts.live[STUB_QUEUE];
  }
  /// Tasks one after the other, each of which has ended when the next one comes. The most queues that were alive.
  std::int64_t run_short_tasks(int count) {
    const std::int64_t before = live_queues();
    std::int64_t most = 0;
    for (int i = 0; i < count; ++i) {
      cl_command_queue queue = new_queue();
      clpool_mem* block = nullptr;
      EXPECT_OK(clpool_pool_allocate_on(pool.get(), queue, block_size, &block));
      EXPECT_OK(clpool_mem_release(block));
      EXPECT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
      stub_run_all();
      most = std::max(most, live_queues() - before);
    }
    return most;
  }
  /// Tasks behind a gate, whose queues the program keeps.
  void begin_tasks(int count, Gate& gate) {
    for (int i = 0; i < count; ++i) {
      queues.push_back(new_queue());
      clpool_mem* block = nullptr;
      ASSERT_OK(clpool_pool_allocate_on(pool.get(), queues.back(), block_size, &block));
      ASSERT_EQ(clEnqueueBarrierWithWaitList(queues.back(), 1, gate.list(), nullptr), CL_SUCCESS);
      ASSERT_OK(clpool_mem_release(block));
    }
  }
  void end_queues() {
    for (cl_command_queue queue : queues) {
      ASSERT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
    }
    queues.clear();
  }
  std::vector<cl_command_queue> queues;
};

/// The blocks are too little that anybody would look for what is free.
TEST_F(QueuesOfTasks, AreLetGoWhenTheyHaveEnded) {
  make({home});
  EXPECT_LE(run_short_tasks(2000), 256);
  EXPECT_LE(stats_of(pool).managed_bytes, 2U << 20) << "of 8 MiB";
  ASSERT_OK(clpool_mem_release(mem));
}

/// … also where many had to be kept once.
TEST_F(QueuesOfTasks, AreLetGoAfterManyStoodStill) {
  make({home});
  Gate gate(scene.cl.context);
  begin_tasks(3000, gate);
  gate.open();
  EXPECT_EQ(pending_at_last(), 0U);
  end_queues();
  EXPECT_LE(run_short_tasks(1000), 256);
  ASSERT_OK(clpool_mem_release(mem));
}

/// … and nearly so beside many that still do.
TEST_F(QueuesOfTasks, AreLetGoBesideThoseThatStandStill) {
  make({home});
  Gate gate(scene.cl.context);
  begin_tasks(1000, gate);
  EXPECT_LE(run_short_tasks(1000), 512);
  gate.open();
  EXPECT_EQ(pending_at_last(), 0U);
  end_queues();
  ASSERT_OK(clpool_mem_release(mem));
}

/// Those that stand still are not asked about with each one that comes.
TEST_F(QueuesOfTasks, ThatStandStillAreAskedAboutRarely) {
  constexpr int count = 2000;
  make({home});
  Gate gate(scene.cl.context);
  const std::uint64_t asked = stub_calls("clGetEventInfo");
  begin_tasks(count, gate);
  EXPECT_LE(stub_calls("clGetEventInfo") - asked, 14U * count);
  gate.open();
  EXPECT_EQ(pending_at_last(), 0U);
  end_queues();
  ASSERT_OK(clpool_mem_release(mem));
}

}  // namespace
}  // namespace clpool::test
