// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A block that lives long and is used on ever new queues, as weights are by programs with a queue for each task: it keeps few
// of those that the program has released, and waits for what they have got all the same.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "orderings/declared_uses.hpp"

namespace clpool::test {
namespace {

class LeftQueues : public DeclaredUses {
 protected:
  cl_command_queue make_queue(cl_command_queue_properties properties = 0) {
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_int code = CL_SUCCESS;
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(scene.cl.context, scene.cl.device, list, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return queue;
  }
  /// Uses the block on so many new queues, each of which the program releases at once.
  void use_on_new_queues(int count) {
    for (int i = 0; i < count; ++i) {
      cl_command_queue queue = make_queue();
      ASSERT_OK(clpool_mem_used_on(mem, queue));
      ASSERT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
      stub_run_all();
    }
  }
  static std::int64_t live_queues() {
    stub_counts counts;
    stub_read_counts(&counts);
    return counts.live[STUB_QUEUE];
  }
};

TEST_F(LeftQueues, AreNotKeptWithABlockForEver) {
  make({home});
  const std::int64_t before = live_queues();
  const std::uint64_t retained = stub_calls("clRetainCommandQueue");
  std::int64_t most = 0;
  for (int i = 0; i < 50; ++i) {
    use_on_new_queues(20);
    most = std::max(most, live_queues() - before);
  }
  EXPECT_LE(most, 128);
  EXPECT_LE(stub_calls("clRetainCommandQueue") - retained, 1000U * 64)
      << "it does not grow with those before";
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(pending(), 0U);
  EXPECT_EQ(live_queues(), before);
}

TEST_F(LeftQueues, AreWaitedForByTheBlockThatTheyUse) {
  make({home});
  Gate gate(scene.cl.context);
  cl_command_queue queue = make_queue();
  ASSERT_OK(clpool_mem_used_on(mem, queue));
  hold_up(queue, gate);
  ASSERT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
  use_on_new_queues(200);
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(pending_at_last(), block_size) << "the queue is not through with its command";
  gate.open();
  EXPECT_EQ(pending_at_last(), 0U);
}

/// What it gets later uses the block as well.
TEST_F(LeftQueues, AreNoneThatTheProgramHas) {
  make({home});
  Gate gate(scene.cl.context);
  ASSERT_OK(clpool_mem_used_on(mem, third));
  use_on_new_queues(200);
  hold_up(third, gate);
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(pending_at_last(), block_size);
  gate.open();
  EXPECT_EQ(pending_at_last(), 0U);
}

/// A new queue may have the address of one that is gone: on the fake driver when thousands of others have gone, too.
TEST_F(LeftQueues, AreNotTakenForNewOnes) {
  make({home});
  std::set<cl_command_queue> gone;
  cl_command_queue again = nullptr;
  for (int i = 0; i < 20'000 && again == nullptr; ++i) {
    cl_command_queue queue = make_queue();
    ASSERT_OK(clpool_mem_used_on(mem, queue));
    stub_run_all();
    if (gone.insert(queue).second) {
      ASSERT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
    } else {
      again = queue;
    }
  }
  if (again == nullptr) {  // a sanitizer keeps addresses apart
    ASSERT_OK(clpool_mem_release(mem));
    GTEST_SKIP() << "none came again";
  }
  Gate gate(scene.cl.context);
  hold_up(again, gate);
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(pending_at_last(), block_size);
  gate.open();
  EXPECT_EQ(pending_at_last(), 0U);
  ASSERT_EQ(clReleaseCommandQueue(again), CL_SUCCESS);
}

/// Each queue uses all of them.
TEST_F(LeftQueues, AreNotKeptBySeveralBlocksEither) {
  make({home});
  std::vector<clpool_mem*> blocks(12, mem);
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    ASSERT_OK(clpool_pool_allocate(pool.get(), block_size, &blocks[i]));
  }
  const std::int64_t before = live_queues();
  for (int i = 0; i < 500; ++i) {
    cl_command_queue queue = make_queue();
    for (clpool_mem* const block : blocks) {
      ASSERT_OK(clpool_mem_used_on(block, queue));
    }
    ASSERT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
    stub_run_all();
  }
  EXPECT_LE(live_queues() - before, 160);
  for (clpool_mem* const block : blocks) {
    ASSERT_OK(clpool_mem_release(block));
  }
  EXPECT_EQ(pending_at_last(), 0U);
  EXPECT_EQ(live_queues(), before);
}

/// Blocks that each queue uses for a moment, too few of them that anybody would look for one that is free.
TEST_F(LeftQueues, AreNotKeptByReleasedBlocks) {
  make({home});
  const std::int64_t before = live_queues();
  std::int64_t most = 0;
  for (int i = 0; i < 1000; ++i) {
    cl_command_queue queue = make_queue();
    ASSERT_OK(clpool_mem_used_on(mem, queue));
    clpool_mem* block = nullptr;
    ASSERT_OK(clpool_pool_allocate_on(pool.get(), queue, block_size, &block));
    ASSERT_OK(clpool_mem_release(block));
    ASSERT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
    stub_run_all();
    most = std::max(most, live_queues() - before);
  }
  EXPECT_LE(most, 256);
  ASSERT_OK(clpool_mem_release(mem));
}

/// Where commands overtake each other one that fails takes a marker along while others still run.
TEST_F(LeftQueues, AreWaitedForWhereAMarkerFailsBeforeTheirCommandsEnd) {
  stub_configure("fails_markers=1");
  make({home});
  cl_command_queue queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  ASSERT_OK(clpool_mem_used_on(mem, queue));
  Gate gate(scene.cl.context);
  hold_up(queue, gate);
  cl_int code = CL_SUCCESS;
  cl_event failing = clCreateUserEvent(scene.cl.context, &code);
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue, 1, &failing, nullptr), CL_SUCCESS);
  ASSERT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
  use_on_new_queues(100);
  ASSERT_EQ(clSetUserEventStatus(failing, -1), CL_SUCCESS);
  stub_run_all();
  use_on_new_queues(200);
  ASSERT_EQ(clReleaseEvent(failing), CL_SUCCESS);
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(pending_at_last(), block_size) << "a command of it still waits";
  gate.open();
  EXPECT_EQ(pending_at_last(), 0U);
}

TEST_F(LeftQueues, LeaveNoErrorBehindWhereTheyCannotBeMarked) {
  make({home});
  use_on_new_queues(31);
  cl_command_queue queue = make_queue();
  ASSERT_OK(clpool_mem_used_on(mem, third));
  const cl_int before = clpool_last_cl_error();
  stub_fail_from("clEnqueueMarkerWithWaitList", 2,
                 CL_OUT_OF_RESOURCES);  // the first one orders the queue behind the pool's
  EXPECT_OK(clpool_mem_used_on(mem, queue));
  EXPECT_GT(stub_failures(), 0U);
  stub_fail_none();
  EXPECT_EQ(clpool_last_cl_error(), before);
  EXPECT_NE(before, CL_OUT_OF_RESOURCES);
  ASSERT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
  ASSERT_OK(clpool_mem_release(mem));
}

TEST_F(LeftQueues, StayWithABlockThatIsBoundToThem) {
  make({home});
  cl_command_queue queue = make_queue();
  ASSERT_OK(clpool_mem_bind_queue(mem, queue));
  ASSERT_OK(clpool_mem_used_on(mem, queue));
  ASSERT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
  use_on_new_queues(200);
  ASSERT_OK(clpool_mem_unbind_queue(mem)) << "for which it waits";
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(pending_at_last(), 0U);
}

/// Handed out to a queue that still used it: others come after that.
TEST_F(LeftQueues, StayWhereOthersComeAfterThem) {
  make({home});
  ASSERT_OK(clpool_mem_release(mem));
  cl_command_queue queue = make_queue();
  Gate gate(scene.cl.context);
  ASSERT_OK(clpool_pool_allocate_on(pool.get(), queue, block_size, &mem));
  hold_up(queue, gate);
  ASSERT_OK(clpool_mem_release(mem));
  ASSERT_OK(clpool_pool_allocate_on(pool.get(), queue, block_size, &mem));
  ASSERT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
  gate.open();
  use_on_new_queues(200);
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(pending_at_last(), 0U);
}

/// The same where another block, which nothing ties to the queue, has let it go.
TEST_F(LeftQueues, StayWhereOthersComeAfterThemWhateverOtherBlocksDo) {
  make({home});
  clpool_mem* second = nullptr;
  ASSERT_OK(clpool_pool_allocate(pool.get(), 2 * block_size, &second));
  ASSERT_OK(clpool_mem_release(mem));
  cl_command_queue queue = make_queue();
  Gate gate(scene.cl.context);
  ASSERT_OK(clpool_pool_allocate_on(pool.get(), queue, block_size, &mem));
  hold_up(queue, gate);
  ASSERT_OK(clpool_mem_release(mem));
  ASSERT_OK(clpool_pool_allocate_on(pool.get(), queue, block_size, &mem));
  ASSERT_OK(clpool_mem_used_on(second, queue));
  ASSERT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
  gate.open();
  for (int i = 0; i < 200; ++i) {
    std::swap(mem, second);
    use_on_new_queues(1);
  }
  ASSERT_OK(clpool_mem_release(second));
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(pending_at_last(), 0U);
}

/// A driver that cannot tell, or refuses the marker: they stay.
TEST_F(LeftQueues, StayWhereTheDriverDoesNotMarkThem) {
  make({home});
  Gate gate(scene.cl.context);
  cl_command_queue queue = make_queue();
  ASSERT_OK(clpool_mem_used_on(mem, queue));
  hold_up(queue, gate);
  ASSERT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
  for (const char* call : {"clGetCommandQueueInfo", "clEnqueueMarkerWithWaitList", "clRetainCommandQueue"}) {
    for (int i = 0; i < 40; ++i) {
      cl_command_queue next = make_queue();
      bool was_refused = true;
      for (std::uint64_t nth = 1; was_refused; ++nth) {  // each of the calls that it makes
        stub_fail(call, nth, CL_OUT_OF_RESOURCES);
        const std::uint64_t before = stub_failures();
        const clpool_status status = clpool_mem_used_on(mem, next);
        was_refused = stub_failures() != before;
        stub_fail_none();
        EXPECT_TRUE(was_refused || status == CLPOOL_SUCCESS) << clpool_last_error_message();
      }
      ASSERT_EQ(clReleaseCommandQueue(next), CL_SUCCESS);
      stub_run_all();
    }
  }
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(pending_at_last(), block_size);
  gate.open();
  EXPECT_EQ(pending_at_last(), 0U);
}

}  // namespace
}  // namespace clpool::test
