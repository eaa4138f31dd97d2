// Blocks of pools that are used on other queues: what was enqueued before on their memory comes first. All of
// these were found by tests/fuzz (pool_orders).
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

class PoolOverTwoQueues : public testing::Test {
 protected:
  PoolOverTwoQueues() {
    clpool_allocator* allocator = nullptr;
    const cl_command_queue queues[] = {scene.cl.queue, second};
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = queues;
    options.queue_count = 2;
    EXPECT_OK(clpool_allocator_create_deferred(scene.cl.context, 0, &allocator));
    EXPECT_OK(clpool_pool_create(allocator, &options, &pool));
    EXPECT_OK(clpool_allocator_release(allocator));
  }
  ~PoolOverTwoQueues() override { EXPECT_OK(clpool_pool_release(pool)); }

  void fill(cl_command_queue queue, clpool_mem* mem, unsigned char byte) {
    ASSERT_OK(clpool_mem_fill(queue, mem, &byte, 1, 0, operand_size, 0, nullptr, nullptr));
  }
  void run_first(cl_command_queue queue) {
    while (stub_run_next(queue) != 0) {
    }
    stub_run_all();
  }
  Scene scene;
  cl_command_queue second = scene.cl.another_queue();
  cl_command_queue foreign = scene.cl.another_queue();
  clpool_pool* pool = nullptr;
};

TEST_F(PoolOverTwoQueues, ABlockUsedOnAForeignOneComesAfterWhatMadeItsChunkExist) {
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_pool_allocate(pool, operand_size, &mem));
  fill(foreign, mem, target_byte);
  run_first(foreign);
  EXPECT_TRUE(Scene::has(mem, target_byte))
      << "the chunk was touched later, which leaves its content undefined";
  EXPECT_OK(clpool_mem_release(mem));
}

TEST_F(PoolOverTwoQueues, ABlockReusedAtOnceOnItsQueueComesAfterItOnOthers) {
  clpool_mem* first = nullptr;
  clpool_mem* again = nullptr;
  ASSERT_OK(clpool_pool_allocate_on(pool, second, operand_size, &first));
  stub_run_all();
  const cl_mem memory = clpool_mem_handle(first);
  fill(second, first, source_byte);
  ASSERT_OK(clpool_mem_release(first));
  ASSERT_OK(clpool_pool_allocate_on(pool, second, operand_size, &again));
  ASSERT_EQ(clpool_mem_handle(again), memory) << "reused behind the order of its queue";
  fill(foreign, again, target_byte);
  run_first(foreign);
  EXPECT_TRUE(Scene::has(again, target_byte)) << "the former owner's fill came later";
  EXPECT_OK(clpool_mem_release(again));
}

TEST_F(PoolOverTwoQueues, ABlockReusedAtOnceOnItsQueueComesAfterItOnTheOneThatItIsBoundTo) {
  clpool_mem* first = nullptr;
  clpool_mem* again = nullptr;
  ASSERT_OK(clpool_pool_allocate_on(pool, second, operand_size, &first));
  stub_run_all();
  fill(second, first, source_byte);
  ASSERT_OK(clpool_mem_release(first));
  ASSERT_OK(clpool_pool_allocate_on(pool, second, operand_size, &again));
  ASSERT_OK(clpool_svm_bind_queue(again, foreign));
  fill(foreign, again, target_byte);
  run_first(foreign);
  EXPECT_TRUE(Scene::has(again, target_byte)) << "the former owner's fill came later";
  EXPECT_OK(clpool_mem_release(again));
}

TEST(PoolOfSvm, KeepsMemoryThatItsOwnQueueUsesThoughADeclaredOneIsThrough) {
  Scene scene;
  const cl_command_queue other = scene.cl.another_queue();
  clpool_allocator* allocator = nullptr;
  clpool_pool* pool = nullptr;
  clpool_mem* mem = nullptr;
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = &scene.cl.queue;
  options.queue_count = 1;
  ASSERT_OK(clpool_allocator_create_svm(scene.cl.context, 0, 0, nullptr, &allocator));
  ASSERT_OK(clpool_pool_create(allocator, &options, &pool));
  ASSERT_OK(clpool_pool_allocate(pool, operand_size, &mem));
  const auto living = [] {
    stub_counts counts;
    stub_read_counts(&counts);
    return counts.live[STUB_SVM];
  };
  const std::int64_t before = living();
  Gate gate(scene.cl.context);
  ASSERT_OK(clpool_mem_fill(other, mem, &source_byte, 1, 0, operand_size, 0, nullptr, nullptr));
  ASSERT_OK(clpool_mem_fill(scene.cl.queue, mem, &target_byte, 1, 0, operand_size, 1, gate.list(), nullptr));
  ASSERT_OK(clpool_mem_release(mem));
  for (int i = 0; i < 3; ++i) {  // the other queue is through, and the pool knows it
    EXPECT_OK(clpool_pool_tick(pool));
    stub_run_all();
  }
  EXPECT_OK(clpool_pool_free_held(pool));
  EXPECT_EQ(living(), before) << "a fill on the pool's own queue has not run";
  gate.open();
  stub_run_all();
  EXPECT_OK(clpool_pool_tick(pool));
  EXPECT_OK(clpool_pool_free_held(pool));
  stub_run_all();
  EXPECT_OK(clpool_pool_free_held(pool));
  EXPECT_LT(living(), before);
  EXPECT_OK(clpool_pool_release(pool));
  EXPECT_OK(clpool_allocator_release(allocator));
}

}  // namespace
}  // namespace clpool::test
