// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What is enqueued where a driver cannot take what OpenCL has for it.
#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

clpool_box small_box() {
  clpool_box box = CLPOOL_BOX_INIT;
  box.region[0] = 4;
  box.region[1] = 8;
  box.region[2] = 1;
  return box;
}

/// PoCL crashes at boxes of sub-buffers.
TEST(BoxesOfPartsOnPocl, AreCopiedInOneCommandBetweenTheBuffersThatHaveThem) {
  Scene scene;
  for (const Side from : buffer_sides) {
    for (const Side to : buffer_sides) {
      clpool_mem* const source = scene.memory(from, source_byte);
      clpool_mem* const target = scene.memory(to, target_byte);
      cl_mem roots[2] = {};
      std::size_t offset = 0;
      ASSERT_OK(clpool_mem_root(source, &roots[0], &offset));
      ASSERT_OK(clpool_mem_root(target, &roots[1], &offset));
      if (roots[0] == roots[1]) {
        continue;  // two blocks of a pool: row by row
      }
      stub_configure("name=Portable Computing Language");
      const std::uint64_t boxes = stub_calls("clEnqueueCopyBufferRect");
      const std::uint64_t rows = stub_calls("clEnqueueCopyBuffer");
      const clpool_box box = small_box();
      ASSERT_OK(clpool_mem_copy_box(scene.queue, target, source, &box, 0, nullptr, nullptr));
      EXPECT_EQ(stub_calls("clEnqueueCopyBufferRect") - boxes, 1U) << name_of(from) << name_of(to);
      EXPECT_EQ(stub_calls("clEnqueueCopyBuffer") - rows, 0U) << name_of(from) << name_of(to);
      stub_run_all();
      EXPECT_EQ(Scene::bytes(target)[0], source_byte) << name_of(from) << name_of(to);
      EXPECT_EQ(Scene::bytes(target)[31], source_byte) << name_of(from) << name_of(to);
      EXPECT_EQ(Scene::bytes(target)[32], target_byte) << name_of(from) << name_of(to);
    }
  }
}

TEST(BoxesOfPartsOnPocl, OfOneBufferAreCopiedRowByRowUntilOneFails) {
  Scene scene;
  const auto [source, target] = scene.two_parts();
  stub_configure("name=Portable Computing Language");
  const clpool_box box = small_box();
  const std::uint64_t rows = stub_calls("clEnqueueCopyBuffer");
  ASSERT_OK(clpool_mem_copy_box(scene.queue, target, source, &box, 0, nullptr, nullptr));
  EXPECT_EQ(stub_calls("clEnqueueCopyBuffer") - rows, 8U);
  stub_fail("clEnqueueCopyBuffer", 3, CL_INVALID_OPERATION);
  EXPECT_EQ(clpool_mem_copy_box(scene.queue, target, source, &box, 0, nullptr, nullptr), CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(clpool_last_cl_error(), CL_INVALID_OPERATION);
  EXPECT_TRUE(last_error_names("row 2 of slice 0")) << last_error();
  stub_run_all();
}

/// PoCL's queues without an order forget what a barrier with a list waits for.
TEST(QueuesOfPocl, WithoutAnOrderWaitForAnotherQueueAllTheSame) {
  Scene scene;
  stub_configure("name=Portable Computing Language");
  const AllocatorHandle allocator = make_allocator(clpool_allocator_create_deferred, scene.cl.context, 0);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = &scene.cl.queue;
  options.queue_count = 1;
  {
    const PoolHandle pool = make_pool(allocator.get(), options);
    MemHandle mem = allocate(pool, 4096);
    stub_run_all();
    Gate gate(scene.cl.context);
    const cl_event waits = gate.get();
    ASSERT_OK(clpool_mem_fill(scene.cl.queue, mem.get(), &source_byte, 1, 0, 4096, 1, &waits, nullptr));
    mem.reset();
    mem = allocate(pool, 4096);  // the same memory, by the order of its queue
    ASSERT_OK(clpool_mem_used_on(mem.get(), scene.queue));
    ASSERT_OK(clpool_mem_fill(scene.queue, mem.get(), &target_byte, 1, 0, 4096, 0, nullptr, nullptr));
    while (stub_run_next(scene.queue) != 0) {
    }
    EXPECT_NE(stub_pending(scene.queue), 0U) << "the fill comes after that of the former owner";
    gate.open();
    stub_run_all();
    EXPECT_TRUE(Scene::has(mem.get(), target_byte));
    stub_configure("mode=immediate");
  }
}

TEST(BoxesOfPartsOnPocl, AreCopiedInOneCommandWithinOneBlock) {
  Scene scene;
  clpool_mem* const both = scene.memory(Side::part, source_byte);
  stub_configure("name=Portable Computing Language");
  clpool_box box = small_box();
  box.target_origin[0] = 64;
  const std::uint64_t boxes = stub_calls("clEnqueueCopyBufferRect");
  ASSERT_OK(clpool_mem_copy_box(scene.queue, both, both, &box, 0, nullptr, nullptr));
  EXPECT_EQ(stub_calls("clEnqueueCopyBufferRect") - boxes, 1U);
  stub_run_all();
}

}  // namespace
}  // namespace clpool::test
