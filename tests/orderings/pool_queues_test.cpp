// Blocks of a pool over one in-order queue that are used on another one: what was enqueued on the pool's
// queue so far may still use their memory, and comes first.
#include "orderings/orderings.hpp"

namespace clpool::test {
namespace {

class PoolOverOneQueue : public testing::Test {
 protected:
  PoolOverOneQueue() {
    clpool_allocator* allocator = nullptr;
    EXPECT_OK(clpool_allocator_create_immediate(scene.cl.queue, 0, &allocator));
    EXPECT_OK(clpool_pool_create(allocator, nullptr, &pool));
    EXPECT_OK(clpool_allocator_release(allocator));
  }
  ~PoolOverOneQueue() override { EXPECT_OK(clpool_pool_release(pool)); }

  void fill(cl_command_queue queue, clpool_mem* mem, unsigned char byte) {
    ASSERT_EQ(
        clEnqueueFillBuffer(queue, clpool_mem_handle(mem), &byte, 1, 0, operand_size, 0, nullptr, nullptr),
        CL_SUCCESS);
  }
  /// Runs what may run on the other queue before anything else.
  void run_the_other_first() {
    while (stub_run_next(other) != 0) {
    }
    stub_run_all();
  }
  Scene scene;
  cl_command_queue other = scene.cl.another_queue();
  clpool_pool* pool = nullptr;
};

TEST_F(PoolOverOneQueue, ABlockAllocatedForAnotherComesAfterWhatWasEnqueuedOnTheMemory) {
  clpool_mem* first = nullptr;
  clpool_mem* second = nullptr;
  ASSERT_OK(clpool_pool_allocate(pool, operand_size, &first));
  fill(scene.cl.queue, first, source_byte);
  ASSERT_OK(clpool_mem_release(first));
  ASSERT_OK(clpool_pool_allocate_on(pool, other, operand_size, &second));
  fill(other, second, target_byte);
  run_the_other_first();
  EXPECT_TRUE(Scene::has(second, target_byte)) << "the former owner's fill came later";
  EXPECT_OK(clpool_mem_release(second));
}

TEST_F(PoolOverOneQueue, ABlockDeclaredForAnotherComesAfterWhatWasEnqueuedOnTheMemory) {
  clpool_mem* first = nullptr;
  clpool_mem* second = nullptr;
  ASSERT_OK(clpool_pool_allocate(pool, operand_size, &first));
  fill(scene.cl.queue, first, source_byte);
  ASSERT_OK(clpool_mem_release(first));
  ASSERT_OK(clpool_pool_allocate(pool, operand_size, &second));
  ASSERT_OK(clpool_mem_used_on(second, other));
  fill(other, second, target_byte);
  run_the_other_first();
  EXPECT_TRUE(Scene::has(second, target_byte)) << "the former owner's fill came later";
  EXPECT_OK(clpool_mem_release(second));
}

}  // namespace
}  // namespace clpool::test
