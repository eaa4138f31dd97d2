// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool_mem_copy_p2p() between two contexts, which is what it is for.
#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

class CopyBetweenContexts : public testing::TestWithParam<Side> {
 protected:
  CopyBetweenContexts() : source(here.memory(GetParam(), source_byte)) {
    // A pool keeps the queues that it has met, which the other scene would count as left behind.
    EXPECT_OK(
        clpool_mem_fill(here.queue, source, &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
    stub_run_all();
  }
  Scene here;
  clpool_mem* source;
};
INSTANTIATE_TEST_SUITE_P(, CopyBetweenContexts, testing::Values(Side::buffer, Side::part, Side::pooled),
                         [](const auto& side) { return std::string(name_of(side.param)); });

TEST_P(CopyBetweenContexts, RunsOnAQueueOfEitherSideBehindItsWaitList) {
  Scene there;
  stub_configure("with=cl_amd_copy_buffer_p2p");  // a scene sets everything back
  clpool_mem* const target = there.memory(GetParam(), target_byte);
  for (Scene* side : {&here, &there}) {
    ASSERT_OK(
        clpool_mem_fill(there.queue, target, &target_byte, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
    stub_run_all();
    Gate gate(side->cl.context);
    ASSERT_OK(
        clpool_mem_copy_p2p(side->queue, target, 0, source, 0, CLPOOL_WHOLE_SIZE, 1, gate.list(), nullptr));
    stub_run_all();
    EXPECT_TRUE(Scene::has(target, target_byte));
    gate.open();
    stub_run_all();
    EXPECT_TRUE(Scene::has(target, source_byte));
  }
}

TEST_P(CopyBetweenContexts, CopiesARangeToARange) {
  Scene there;
  stub_configure("with=cl_amd_copy_buffer_p2p");
  clpool_mem* const target = there.memory(GetParam(), target_byte);
  const unsigned char marked = 77;
  ASSERT_OK(clpool_mem_fill(here.queue, source, &marked, 1, 8, 4, 0, nullptr, nullptr));
  stub_run_all();
  ASSERT_OK(clpool_mem_copy_p2p(there.queue, target, 16, source, 8, 4, 0, nullptr, nullptr));
  stub_run_all();
  unsigned char found[24] = {};
  ASSERT_OK(
      clpool_mem_read(there.queue, target, 0, sizeof found, found, sizeof found, 1, 0, nullptr, nullptr));
  for (std::size_t i = 0; i < sizeof found; ++i) {
    EXPECT_EQ(found[i], i >= 16 && i < 20 ? marked : target_byte) << i;
  }
  EXPECT_EQ(
      clpool_mem_copy_p2p(there.queue, target, clpool_mem_size(target), source, 0, 1, 0, nullptr, nullptr),
      CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("the target")) << last_error();
}

TEST_P(CopyBetweenContexts, NeedsAWaitListWhereEventsAreCountedAndOpenCl12) {
  Scene there;
  clpool_mem* const target = there.memory(GetParam(), target_byte);
  stub_configure("with=cl_amd_copy_buffer_p2p");
  EXPECT_EQ(clpool_mem_copy_p2p(there.queue, target, 0, source, 0, CLPOOL_WHOLE_SIZE, 1, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  stub_configure("version=1.1");
  EXPECT_EQ(clpool_mem_copy_p2p(there.queue, target, 0, source, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr),
            CLPOOL_ERROR_NOT_SUPPORTED);
  EXPECT_TRUE(last_error_names("OpenCL 1.2")) << last_error();
  stub_configure("version=3.0");
}

TEST_P(CopyBetweenContexts, ComesAfterWhatUsesAPoolsBlockOnTheQueueItWasHandedOutOn) {
  Scene there;
  stub_configure("with=cl_amd_copy_buffer_p2p");
  clpool_allocator* made = nullptr;
  ASSERT_OK(clpool_allocator_create_immediate(there.cl.queue, 0, &made));
  {
    const AllocatorHandle allocator(made);
    const PoolHandle pool = make_pool(made, CLPOOL_POOL_OPTIONS_INIT);
    const MemHandle target = allocate(pool, operand_size);
    Gate gate(there.cl.context);
    ASSERT_OK(clpool_mem_fill(there.cl.queue, target.get(), &target_byte, 1, 0, operand_size, 1, gate.list(),
                              nullptr));
    ASSERT_OK(clpool_mem_copy_p2p(there.cl.another_queue(), target.get(), 0, source, 0, operand_size, 0,
                                  nullptr, nullptr));
    stub_run_all();
    gate.open();
    stub_run_all();
    EXPECT_TRUE(Scene::has(target.get(), source_byte)) << "copied before the fill";
  }
  stub_run_all();
}

TEST_P(CopyBetweenContexts, RefusesAQueueOfNeither) {
  Scene there;
  stub_configure("with=cl_amd_copy_buffer_p2p");  // a scene sets everything back
  clpool_mem* const target = there.memory(GetParam(), target_byte);
  const OpenCl elsewhere;
  EXPECT_EQ(
      clpool_mem_copy_p2p(elsewhere.queue, target, 0, source, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr),
      CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("of context")) << last_error();
}

}  // namespace
}  // namespace clpool::test
