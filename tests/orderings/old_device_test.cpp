// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// OpenCL 1.1 has neither markers nor barriers with wait lists: queues come after one another by older calls.
// The stub ends the process when a newer function is called.
#include "orderings/orderings.hpp"

namespace clpool::test {
namespace {

class OldDevice : public testing::Test {
 protected:
  OldDevice() { stub_configure("version=1.1,svm=none,align=4096"); }
  ~OldDevice() override {
    EXPECT_OK(clpool_pool_release(pool));
    stub_run_all();
  }

  /// A pool over `queues`.
  void make_pool(std::vector<cl_command_queue> queues) {
    clpool_allocator* allocator = nullptr;
    ASSERT_OK(clpool_allocator_create_immediate(scene.cl.queue, 0, &allocator));
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = queues.data();
    options.queue_count = static_cast<std::uint32_t>(queues.size());
    EXPECT_OK(clpool_pool_create(allocator, &options, &pool));
    ASSERT_OK(clpool_allocator_release(allocator));
  }
  clpool_mem* allocate() {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_pool_allocate(pool, operand_size, &mem));
    return mem;
  }
  /// Reads a block, behind a gate if there is one.
  void read(cl_command_queue queue, clpool_mem* mem, const cl_event* gate, cl_event* event) {
    ASSERT_OK(clpool_mem_read(queue, mem, 0, operand_size, host.data(), operand_size, 0,
                              gate != nullptr ? 1 : 0, gate, event));
  }
  static std::size_t place_of(clpool_mem* mem) {
    std::size_t origin = 0;
    EXPECT_EQ(clGetMemObjectInfo(clpool_mem_handle(mem), CL_MEM_OFFSET, sizeof origin, &origin, nullptr),
              CL_SUCCESS);
    return origin;
  }

  Scene scene;
  cl_command_queue home = scene.cl.queue;
  cl_command_queue other = scene.cl.another_queue();
  clpool_pool* pool = nullptr;
  std::vector<unsigned char> host = std::vector<unsigned char>(operand_size);
};

TEST_F(OldDevice, AQueueToldOfABlockComesAfterThePoolsOwn) {
  make_pool({home});
  clpool_mem* mem = allocate();
  Gate gate(scene.cl.context);
  OwnedEvent before;
  OwnedEvent after;
  read(home, mem, gate.list(), before.receive());
  EXPECT_OK(clpool_mem_release(mem));
  mem = allocate();  // by the order of its queue, which still uses it
  ASSERT_OK(clpool_mem_used_on(mem, other));
  read(other, mem, nullptr, after.receive());
  stub_run_all();
  EXPECT_FALSE(after.is_complete());
  gate.open();
  stub_run_all();
  EXPECT_TRUE(after.is_complete());
  EXPECT_OK(clpool_mem_release(mem));
}

TEST_F(OldDevice, ABlockOfTwoQueuesIsReusedOnlyWhenBothAreDone) {
  make_pool({home, other});
  stub_run_all();
  clpool_mem* const mem = allocate();
  const std::size_t place = place_of(mem);
  Gate gate(scene.cl.context);
  read(other, mem, gate.list(), nullptr);
  EXPECT_OK(clpool_mem_release(mem));
  stub_run_all();
  clpool_mem* next = allocate();
  EXPECT_NE(place_of(next), place);
  EXPECT_OK(clpool_mem_release(next));
  gate.open();
  stub_run_all();
  EXPECT_OK(clpool_pool_tick(pool));
  stub_run_all();
  EXPECT_OK(clpool_pool_tick(pool));
  clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
  ASSERT_OK(clpool_pool_statistics(pool, &stats));
  EXPECT_EQ(stats.active_blocks, 0u);
}

TEST_F(OldDevice, TheEventOfAReleaseOnAQueueIsCompleteAfterTheQueueAndTheWaitList) {
  make_pool({home});
  clpool_mem* const mem = allocate();
  Gate first(scene.cl.context);
  Gate second(scene.cl.context);
  read(home, mem, first.list(), nullptr);
  OwnedEvent released;
  ASSERT_OK(clpool_mem_release_on(mem, home, 1, second.list(), released.receive()));
  stub_run_all();
  EXPECT_FALSE(released.is_complete());
  first.open();
  stub_run_all();
  EXPECT_FALSE(released.is_complete());
  second.open();
  stub_run_all();
  EXPECT_TRUE(released.is_complete());
}

TEST(TheOldestDevice, IsRefusedMemoryByName) {
  const Scene scene;
  stub_configure("version=1.0,svm=none");
  clpool_allocator* allocator = nullptr;
  EXPECT_EQ(clpool_allocator_create_immediate(scene.cl.queue, 0, &allocator), CLPOOL_ERROR_NOT_SUPPORTED);
  EXPECT_STREQ(clpool_last_error_message(), "memory needs OpenCL 1.1, a device of the context has 1.0");
}

TEST(ADeviceWithoutImagesInBuffers, IsToldByTheNameOfTheExtension) {
  Scene scene;
  stub_configure("without=cl_khr_image2d_from_buffer");
  clpool_image_options what = CLPOOL_IMAGE_OPTIONS_INIT;
  what.format = {CL_RGBA, CL_UNSIGNED_INT8};
  what.dimensions = 2;
  what.shape[0] = what.shape[1] = 2;
  what.buffer = scene.memory(Side::buffer, 1);
  clpool_mem* image = nullptr;
  EXPECT_EQ(clpool_image_create(scene.cl.context, &what, &image), CLPOOL_ERROR_NOT_SUPPORTED);
  EXPECT_STREQ(clpool_last_error_message(),
               "2-D images over buffers need cl_khr_image2d_from_buffer, which no device of the context has");
}

}  // namespace
}  // namespace clpool::test
