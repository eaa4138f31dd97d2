// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Contexts of several devices: a driver with several memories may move a chunk to the device that touches it, with what others
// write to it meanwhile, so that commands on the other devices come after the touch.
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

struct Devices {
  const char* name;
  bool over_queue;  ///< the allocator touches chunks, else the pool
  bool overtaking;  ///< on a queue that is out of order
  bool
      elsewhere;  ///< NVIDIA's driver, where chunks that several threads ask for are touched on a queue of the library's own
};

class ChunksOfSeveralDevices : public testing::TestWithParam<Devices> {
 protected:
  ChunksOfSeveralDevices() {
    stub_configure(GetParam().elsewhere ? "mode=manual,devices=2,nvidia=1"
                                        : "mode=manual,devices=2,nvidia=0");
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
    stub_configure("devices=1,nvidia=0");
  }
  void make(std::uint32_t queue_count) {
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = queues;
    options.queue_count = queue_count;
    pool = make_pool(allocator.get(), options);
    if (GetParam().elsewhere) {
      std::thread([&] { allocate(pool, 64).reset(); }).join();
      stub_run_all();
      EXPECT_OK(clpool_pool_free_held(pool.get()));
      stub_run_all();
    }
  }
  /// A block of a new chunk; `touches`: how many made that ready.
  MemHandle allocate_counting(std::uint64_t& touches) {
    ran_ = stub_count("ran.copy");
    const std::uint64_t before = stub_calls("clEnqueueCopyBuffer");
    MemHandle block = allocate(pool, 1 << 20);
    touches = stub_calls("clEnqueueCopyBuffer") - before;
    return block;
  }
  /// Fills it on a queue, and says how many of the touches come before that, where all others run as late as they may.
  std::uint64_t touches_before_a_fill(clpool_mem* block, cl_command_queue queue) {
    OwnedEvent filled;
    EXPECT_EQ(clEnqueueFillBuffer(queue, clpool_mem_handle(block), &source_byte, 1, 0, 4096, 0, nullptr,
                                  filled.receive()),
              CL_SUCCESS);
    clFlush(queue);
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
  EXPECT_EQ(touches_before_a_fill(block.get(), queues[1]), touches);
}

TEST_P(ChunksOfSeveralDevices, ComeBeforeCommandsOnAQueueThatUsesThemWithoutBeingThePools) {
  make(1);
  std::uint64_t touches = 0;
  const MemHandle block = allocate_counting(touches);
  EXPECT_OK(clpool_mem_used_on(block.get(), queues[1]));
  EXPECT_EQ(touches_before_a_fill(block.get(), queues[1]), touches);
}

/// So does whoever comes behind those, which need not themselves.
TEST_P(ChunksOfSeveralDevices, ComeBeforeCommandsOnTheirQueueInOrder) {
  for (const std::uint32_t queue_count : {1, 2}) {
    make(queue_count);
    std::uint64_t touches = 0;
    const MemHandle block = allocate_counting(touches);
    EXPECT_TRUE(GetParam().overtaking || touches_before_a_fill(block.get(), queues[0]) == touches);
  }
}

/// On a driver where the library uses them on queues of its own.
class ChunksOfSeveralDevicesElsewhere : public ChunksOfSeveralDevices {};

/// Nor does a part's first use, of which nobody knows on which device comes next.
TEST_P(ChunksOfSeveralDevicesElsewhere, HaveNoPartThatTheLibraryStillUses) {
  make(2);
  const MemHandle first = allocate(pool, 4096);
  stub_run_all();
  const std::uint64_t parts = stub_calls("clCreateSubBuffer");
  MemHandle second;
  std::thread([&] { second = allocate(pool, 8192); }).join();
  EXPECT_EQ(stub_calls("clCreateSubBuffer"), parts + 1);
  EXPECT_EQ(stub_pending(nullptr), 0U);
}

/// Where the library touches memory on a queue of its own, that is of the device that it was made for.
TEST_P(ChunksOfSeveralDevicesElsewhere, AreTouchedOnTheirs) {
  stub_counts counts = {};
  stub_read_counts(&counts);
  const std::size_t before = counts.live[STUB_QUEUE];
  std::vector<AllocatorHandle> allocators;
  std::vector<MemHandle> blocks;
  for (int i = 0; i < 4; ++i) {
    clpool_allocator* made = nullptr;
    ASSERT_OK(clpool_allocator_create_immediate(queues[i % 2], 0, &made));
    allocators.emplace_back(made);
    clpool_mem* mem = nullptr;
    std::thread([&] { ASSERT_OK(clpool_allocator_allocate(made, 4096, &mem)); }).join();
    blocks.emplace_back(mem);
  }
  stub_read_counts(&counts);
  EXPECT_EQ(counts.live[STUB_QUEUE] - before, 2U);
}

/// And parts on that of the pool's queue, if it is not their allocator's.
TEST_P(ChunksOfSeveralDevicesElsewhere, HavePartsThatAreFirstUsedOnThePools) {
  const AllocatorHandle of_first = immediate_allocator(queues[0]);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = &queues[1];
  options.queue_count = 1;
  pool = make_pool(of_first.get(), options);
  stub_counts counts = {};
  stub_read_counts(&counts);
  const std::size_t before = counts.live[STUB_QUEUE];
  std::thread([&] { allocate(pool, 4096).reset(); }).join();
  stub_read_counts(&counts);
  EXPECT_EQ(counts.live[STUB_QUEUE] - before, 2U);
  pool.reset();
}

INSTANTIATE_TEST_SUITE_P(All, ChunksOfSeveralDevices,
                         testing::Values(Devices{"TouchedByThePool", false, false, false},
                                         Devices{"TouchedByThePoolOutOfOrder", false, true, false},
                                         Devices{"TouchedByTheAllocator", true, false, false},
                                         Devices{"TouchedByTheAllocatorOutOfOrder", true, true, false},
                                         Devices{"TouchedByThePoolElsewhere", false, false, true},
                                         Devices{"TouchedByThePoolElsewhereOutOfOrder", false, true, true},
                                         Devices{"TouchedByTheAllocatorElsewhere", true, false, true},
                                         Devices{"TouchedByTheAllocatorElsewhereOutOfOrder", true, true,
                                                 true}),
                         [](const auto& of) { return std::string(of.param.name); });
INSTANTIATE_TEST_SUITE_P(All, ChunksOfSeveralDevicesElsewhere,
                         testing::Values(Devices{"TouchedByThePool", false, false, true},
                                         Devices{"TouchedByTheAllocator", true, false, true}),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace clpool::test
