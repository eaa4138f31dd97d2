// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Blocks of a pool that are released on a queue, with waits: what they wait for then, and what a refused release leaves.
#include "orderings/declared_uses.hpp"

namespace clpool::test {
namespace {

class ReleaseOn : public DeclaredUses {
 protected:
  clpool_mem* allocate_on(cl_command_queue queue) {
    clpool_mem* block = nullptr;
    EXPECT_OK(clpool_pool_allocate_on(pool.get(), queue, block_size, &block));
    return block;
  }
  clpool_status release_on(clpool_mem* block, cl_command_queue queue) {
    return clpool_mem_release_on(block, queue, 0, nullptr, nullptr);
  }
};

TEST_F(ReleaseOn, ThePoolsOneQueueWaitsForNothingAsItsOrderSuffices) {
  make({home});
  const Gate gate(scene.cl.context);
  hold_up(home, gate);
  const cl_mem handle = clpool_mem_handle(mem);
  for (int i = 0; i < 100; ++i) {
    EXPECT_OK(release_on(mem, home));
    EXPECT_EQ(stats_of(pool).pending_bytes, 0U);
    EXPECT_OK(clpool_pool_allocate(pool.get(), block_size, &mem));
    EXPECT_EQ(clpool_mem_handle(mem), handle);
  }
  EXPECT_OK(clpool_mem_release(mem));
}

TEST_F(ReleaseOn, ThePoolsOneQueueIsWaitedForWhereTheBlockWasHandedToAnother) {
  make({home});
  clpool_mem* const block = allocate_on(other);
  const Gate gate(scene.cl.context);
  const cl_event event = gate.get();
  ASSERT_EQ(clEnqueueFillBuffer(home, clpool_mem_handle(block), &source_byte, 1, 0, 1, 1, &event, nullptr),
            CL_SUCCESS);
  const cl_mem handle = clpool_mem_handle(block);
  EXPECT_OK(release_on(block, home));
  EXPECT_EQ(pending(), block_size);
  clpool_mem* const next = allocate_on(other);
  EXPECT_NE(clpool_mem_handle(next), handle);
  EXPECT_OK(clpool_mem_release(next));
  EXPECT_OK(clpool_mem_release(mem));
}

TEST_F(ReleaseOn, ThePoolsOneQueueStillWaitsForTheEvents) {
  make({home});
  const Gate gate(scene.cl.context);
  const cl_event event = gate.get();
  EXPECT_OK(clpool_mem_release_on(mem, home, 1, &event, nullptr));
  EXPECT_EQ(pending(), block_size);
}

TEST_F(ReleaseOn, QueuesOfAPoolOverSeveralAreWaitedFor) {
  make({home, other});
  const Gate gate(scene.cl.context);
  hold_up(other, gate);
  EXPECT_OK(release_on(mem, home));
  EXPECT_EQ(pending(), block_size);
}

TEST_F(ReleaseOn, ThatIsRefusedLeavesTheBlockAsItWas) {
  make({home});
  clpool_mem* part = nullptr;
  ASSERT_OK(clpool_mem_sub_region(mem, 0, block_size / 2, 0, &part));
  EXPECT_OK(clpool_mem_release(mem));
  const Gate gate(scene.cl.context);
  const cl_event event = gate.get();
  cl_event done = nullptr;
  stub_counts before;
  stub_read_counts(&before);
  EXPECT_EQ(clpool_mem_release_on(mem, other, 1, &event, &done), CLPOOL_ERROR_INVALID_OPERATION)
      << "the part alone keeps it";
  EXPECT_EQ(done, nullptr);
  stub_counts after;
  stub_read_counts(&after);
  EXPECT_EQ(after.references[STUB_QUEUE], before.references[STUB_QUEUE]);
  EXPECT_EQ(after.live[STUB_EVENT], before.live[STUB_EVENT]);
  EXPECT_OK(clpool_mem_release(part));
  EXPECT_EQ(pending(), 0U);
}

/// In pools over several queues, too: else each block would have a set of queues, and wait in the books.
TEST_F(ReleaseOn, AQueueOfThePoolsIsAPlainRelease) {
  stub_configure("mode=immediate");
  make({home, other});
  EXPECT_OK(clpool_mem_release(mem));
  for (int i = 0; i < 4000; ++i) {
    EXPECT_OK(clpool_pool_allocate(pool.get(), block_size, &mem));
    use(home, mem);
    EXPECT_OK(release_on(mem, i % 2 != 0 ? home : other));
  }
  EXPECT_LT(stats_of(pool).sub_buffers_created, 2500U) << "what has waited in the cache is handed out again";
  EXPECT_GT(stats_of(pool).cached_bytes, 0U);
}

/// Its memory was handed to a queue that still uses it for its former owner: that a reference is given up on another queue of the
/// pool's orders nothing there.
TEST_F(ReleaseOn, AQueueIsNoUseThere) {
  for (const std::vector<cl_command_queue>& queues :
       {std::vector{home}, std::vector{home, third}, std::vector{home, other}}) {
    make(queues);
    EXPECT_OK(clpool_mem_release(mem));
    clpool_mem* const former = allocate_on(other);
    const cl_mem handle = clpool_mem_handle(former);
    Gate gate(scene.cl.context);
    const cl_event event = gate.get();
    unsigned char seen = 0;
    const unsigned char first = 1;
    const unsigned char second = 2;
    EXPECT_OK(clpool_mem_fill(other, former, &first, 1, 0, block_size, 0, nullptr, nullptr));
    EXPECT_OK(clpool_mem_read(other, former, 0, 1, &seen, 1, 0, 1, &event, nullptr));
    EXPECT_OK(clpool_mem_release(former));
    mem = allocate_on(other);
    ASSERT_EQ(clpool_mem_handle(mem), handle);
    clpool_mem* part = nullptr;
    ASSERT_OK(clpool_mem_sub_region(mem, 0, block_size, 0, &part));
    EXPECT_OK(release_on(mem, home));
    EXPECT_OK(clpool_mem_fill(home, part, &second, 1, 0, block_size, 0, nullptr, nullptr));
    stub_run_all();
    gate.open();
    stub_run_all();
    EXPECT_EQ(seen, first);
    EXPECT_OK(clpool_mem_release(part));
    EXPECT_EQ(pending_at_last(), 0U);
    pool.reset();
  }
}

TEST_F(ReleaseOn, ThatCannotKeepItsQueueOrEventKeepsNeither) {
  make({home});
  const Gate gate(scene.cl.context);
  const cl_event event = gate.get();
  const std::int64_t references = queue_references();
  for (const char* const entry : {"clRetainCommandQueue", "clRetainEvent"}) {
    stub_fail(entry, 1, CL_OUT_OF_HOST_MEMORY);
    EXPECT_EQ(clpool_mem_release_on(mem, other, 1, &event, nullptr), CLPOOL_ERROR_OUT_OF_MEMORY) << entry;
    EXPECT_EQ(stub_failures(), 1U) << entry;
    stub_fail_none();
    EXPECT_EQ(queue_references(), references) << entry;
  }
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_EQ(pending(), 0U);
}

}  // namespace
}  // namespace clpool::test
