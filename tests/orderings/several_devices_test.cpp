// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Contexts of several devices: a driver with several memories may move a chunk to the device that touches it, with what others
// write to it meanwhile, so that commands on the other devices come after the touch.
#include <cstdint>
#include <string>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

struct Devices {
  const char* name;
  bool over_queue;  ///< the allocator touches chunks, else the pool
  bool overtaking;  ///< on a queue that is out of order
};

class ChunksOfSeveralDevices : public testing::TestWithParam<Devices> {
 protected:
  ChunksOfSeveralDevices() {
    stub_configure("mode=manual,devices=2");
    cl_platform_id platform = nullptr;
    EXPECT_EQ(clGetPlatformIDs(1, &platform, nullptr), CL_SUCCESS);
    cl_device_id devices[2] = {};
    EXPECT_EQ(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, nullptr), CL_SUCCESS);
    cl_int code = CL_SUCCESS;
    context = clCreateContext(nullptr, 2, devices, nullptr, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    const cl_queue_properties overtaking[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    queues[0] = clCreateCommandQueueWithProperties(context, devices[0],
                                                   GetParam().overtaking ? overtaking : nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    queues[1] = clCreateCommandQueueWithProperties(context, devices[1], nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    clpool_allocator* made = nullptr;
    EXPECT_OK(GetParam().over_queue ? clpool_allocator_create_immediate(queues[0], 0, &made)
                                    : clpool_allocator_create_deferred(context, 0, &made));
    allocator.reset(made);
  }
  ~ChunksOfSeveralDevices() override {
    stub_run_all();
    pool.reset();
    allocator.reset();
    stub_run_all();
    for (const cl_command_queue queue : queues) {
      clReleaseCommandQueue(queue);
    }
    clReleaseContext(context);
    stub_configure("devices=1");
  }
  void make(std::uint32_t queue_count) {
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = queues;
    options.queue_count = queue_count;
    pool = make_pool(allocator.get(), options);
  }
  /// A block of a new chunk; `touches`: how many made that ready.
  MemHandle allocate_counting(std::uint64_t& touches) {
    ran_ = stub_count("ran.copy");
    const std::uint64_t before = stub_calls("clEnqueueCopyBuffer");
    MemHandle block = allocate(pool, 1 << 20);
    touches = stub_calls("clEnqueueCopyBuffer") - before;
    return block;
  }
  /// Fills it on the second device, and says how many of the touches come before that, where all others run as late as they may.
  std::uint64_t touches_before_a_fill(clpool_mem* block) {
    OwnedEvent filled;
    EXPECT_EQ(clEnqueueFillBuffer(queues[1], clpool_mem_handle(block), &source_byte, 1, 0, 4096, 0, nullptr,
                                  filled.receive()),
              CL_SUCCESS);
    clFlush(queues[1]);
    while (stub_may_run(filled.get()) == 0 && stub_runnable(nullptr) != 0) {
      stub_run_nth(nullptr, stub_runnable(nullptr) - 1);
    }
    EXPECT_NE(stub_may_run(filled.get()), 0);
    return stub_count("ran.copy") - ran_;
  }
  cl_context context = nullptr;
  cl_command_queue queues[2] = {};
  AllocatorHandle allocator;
  PoolHandle pool;

 private:
  std::uint64_t ran_ = 0;
};

TEST_P(ChunksOfSeveralDevices, ComeBeforeCommandsOnTheOtherOne) {
  make(2);
  std::uint64_t touches = 0;
  const MemHandle block = allocate_counting(touches);
  EXPECT_GE(touches, 1U);
  EXPECT_LE(touches, GetParam().over_queue ? 2U : 1U) << "the allocator's, and one whose event the pool has";
  EXPECT_EQ(touches_before_a_fill(block.get()), touches);
}

TEST_P(ChunksOfSeveralDevices, ComeBeforeCommandsOnAQueueThatUsesThemWithoutBeingThePools) {
  make(1);
  std::uint64_t touches = 0;
  const MemHandle block = allocate_counting(touches);
  EXPECT_OK(clpool_mem_used_on(block.get(), queues[1]));
  EXPECT_EQ(touches_before_a_fill(block.get()), touches);
}

INSTANTIATE_TEST_SUITE_P(All, ChunksOfSeveralDevices,
                         testing::Values(Devices{"TouchedByThePool", false, false},
                                         Devices{"TouchedByThePoolOutOfOrder", false, true},
                                         Devices{"TouchedByTheAllocator", true, false},
                                         Devices{"TouchedByTheAllocatorOutOfOrder", true, true}),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace clpool::test
