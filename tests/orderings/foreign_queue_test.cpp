// Blocks that are used on a queue of which their pool was told nothing: its commands come after those that
// may still use the memory, and after those that made it exist, whose content is undefined.
#include <gtest/gtest.h>

#include "stub_icd/tests/fixture.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

constexpr std::size_t size = 1024;

class ForeignQueue : public StubTest {
 protected:
  AllocatorHandle immediate() {
    clpool_allocator* made = nullptr;
    EXPECT_EQ(clpool_allocator_create_immediate(cl.queue, 0, &made), CLPOOL_SUCCESS);
    return AllocatorHandle(made);
  }
  MemHandle allocate_on(const PoolHandle& pool, cl_command_queue queue) {
    clpool_mem* mem = nullptr;
    EXPECT_EQ(clpool_pool_allocate_on(pool.get(), queue, size, &mem), CLPOOL_SUCCESS)
        << clpool_last_error_message();
    return MemHandle(mem);
  }
  /// A command on the foreign queue that the library does not see.
  void fill_there(const MemHandle& mem) {
    *written_.receive() = fill(foreign_, clpool_mem_handle(mem.get()), 7, size);
  }
  cl_command_queue foreign_ = cl.another_queue();
  OwnedEvent written_;
};

TEST_F(ForeignQueue, UsesABlockThatWasAllocatedForItAfterTheCommandsOfThePoolsQueue) {
  const AllocatorHandle allocator = immediate();
  const PoolHandle pool = make_pool(allocator.get());
  MemHandle mem = allocate(pool, size);
  stub_run_all();
  const cl_mem handle = clpool_mem_handle(mem.get());
  const OwnedEvent before(fill(cl.queue, handle, 1, size));
  mem.reset();
  mem = allocate_on(pool, foreign_);
  ASSERT_EQ(clpool_mem_handle(mem.get()), handle)
      << "another block was handed out, so that nothing is tested";
  fill_there(mem);
  while (stub_run_next(foreign_) != 0) {
  }
  EXPECT_FALSE(written_.is_complete()) << "it overtook a command that uses the same memory";
  stub_run_all();
  EXPECT_TRUE(written_.is_complete());
}

/// Pools that hold released blocks back need no order for their reuse.
class ForeignQueueOfAPoolOverSeveral : public ForeignQueue {
 protected:
  PoolHandle pool_over_two() {
    const cl_command_queue queues[] = {cl.queue, second_};
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = queues;
    options.queue_count = 2;
    return make_pool(allocator_.get(), options);
  }
  void expect_not_before_the_chunk_exists(const MemHandle& mem) {
    fill_there(mem);
    while (stub_run_next(foreign_) != 0) {
    }
    EXPECT_FALSE(written_.is_complete()) << "what makes the memory exist is to come yet";
    stub_run_all();
    EXPECT_EQ(stub_memory(clpool_mem_handle(mem.get()))[size - 1], 7);
  }
  cl_command_queue second_ = cl.another_queue();
  AllocatorHandle allocator_ = immediate();
};

TEST_F(ForeignQueueOfAPoolOverSeveral, UsesABlockThatWasAllocatedForItAfterItsChunkWasMade) {
  const PoolHandle pool = pool_over_two();
  expect_not_before_the_chunk_exists(allocate_on(pool, foreign_));
}

TEST_F(ForeignQueueOfAPoolOverSeveral, UsesADeclaredBlockAfterItsChunkWasMade) {
  const PoolHandle pool = pool_over_two();
  const MemHandle mem = allocate(pool, size);
  ASSERT_EQ(clpool_mem_used_on(mem.get(), foreign_), CLPOOL_SUCCESS);
  expect_not_before_the_chunk_exists(mem);
}

TEST_F(ForeignQueue, AndEventsOfOneBlockAreBothWaitedForWhenAPoolOfCustomMemoryEnds) {
  stub_configure("mode=worker");
  Messages messages;
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  callbacks.message = Messages::receive;
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.callbacks = &callbacks;
  options.user = &messages;
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  PoolHandle pool = make_pool(allocator.get(), options);
  MemHandle mem = allocate(pool, size);
  ASSERT_EQ(clpool_mem_used_on(mem.get(), foreign_), CLPOOL_SUCCESS);
  Gate gate(cl.context);
  ASSERT_EQ(clpool_mem_release_after(mem.get(), 1, gate.list()), CLPOOL_SUCCESS);
  mem.reset();
  gate.open();
  pool.reset();
  EXPECT_EQ(messages.count(CLPOOL_MESSAGE_ERROR, ""), 0u) << "everything had ended";
  EXPECT_EQ(numbers.live_chunks(), 0u);
}

}  // namespace
}  // namespace clpool::test
