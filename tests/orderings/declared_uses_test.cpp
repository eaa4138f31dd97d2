// Uses that a program declares: which queues a released block waits for, and that nothing of them is left.
#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

constexpr std::size_t block_size = 4096;

class DeclaredUses : public testing::Test {
 protected:
  void make(std::vector<cl_command_queue> queues) {
    clpool_allocator* made = nullptr;
    ASSERT_OK(clpool_allocator_create_immediate(home, 0, &made));
    const AllocatorHandle allocator(made);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = queues.data();
    options.queue_count = static_cast<std::uint32_t>(queues.size());
    pool = make_pool(made, options);
    ASSERT_OK(clpool_pool_allocate(pool.get(), block_size, &mem));
    stub_run_all();
  }
  /// A command that the library knows nothing of.
  void hold_up(cl_command_queue queue, const Gate& gate) {
    const cl_event event = gate.get();
    ASSERT_EQ(clEnqueueFillBuffer(queue, clpool_mem_handle(mem), &source_byte, 1, 0, block_size, 1, &event,
                                  nullptr),
              CL_SUCCESS);
  }
  /// Bytes that are held back when all that may run has run.
  std::uint64_t pending() {
    for (int i = 0; i < 3; ++i) {  // look, mark, look
      EXPECT_OK(clpool_pool_tick(pool.get()));
      stub_run_all();
    }
    return stats_of(pool).pending_bytes;
  }
  static std::int64_t queue_references() {
    stub_counts counts;
    stub_read_counts(&counts);
    return counts.references[STUB_QUEUE];
  }

  Scene scene;
  cl_command_queue home = scene.cl.queue;
  cl_command_queue other = scene.cl.another_queue();
  cl_command_queue third = scene.cl.another_queue();
  cl_command_queue fourth = scene.cl.another_queue();
  PoolHandle pool;
  clpool_mem* mem = nullptr;
};

TEST_F(DeclaredUses, OfAPoolOverSeveralQueuesWaitForTheseToo) {
  make({home, other});
  Gate gate(scene.cl.context);
  hold_up(other, gate);
  ASSERT_OK(clpool_mem_used_on(mem, third));
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_GT(pending(), 0U);
  gate.open();
  EXPECT_EQ(pending(), 0U);
}

TEST_F(DeclaredUses, OfAPoolOverOneQueueWaitForTheDeclaredOnes) {
  make({home});
  Gate gate(scene.cl.context);
  hold_up(third, gate);
  ASSERT_OK(clpool_mem_used_on(mem, fourth));
  ASSERT_OK(clpool_mem_used_on(mem, third));
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_GT(pending(), 0U);
  gate.open();
  EXPECT_EQ(pending(), 0U);
}

TEST_F(DeclaredUses, KeepTheirQueuesNoLongerThanTheyLast) {
  make({home});
  const std::int64_t before = queue_references();
  ASSERT_OK(clpool_mem_used_on(mem, third));
  ASSERT_OK(clpool_mem_used_on(mem, fourth));
  EXPECT_GT(queue_references(), before);
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(pending(), 0U);
  EXPECT_EQ(queue_references(), before);
}

}  // namespace
}  // namespace clpool::test
