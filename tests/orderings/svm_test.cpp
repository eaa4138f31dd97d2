// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// SVM and queues: what it is freed behind, and the hand-over from one queue to another.
#include <thread>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

class SvmOrder : public testing::Test {
 protected:
  /// SVM that is not the scene's: the test releases it.
  clpool_mem* make(cl_command_queue queue) {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_svm_create(scene.cl.context, 0, operand_size, 0, queue, &mem));
    std::memset(clpool_mem_pointer(mem), target_byte, operand_size);
    return mem;
  }
  static std::int64_t living() {
    stub_counts counts;
    stub_read_counts(&counts);
    return counts.live[STUB_SVM];
  }
  void fill(cl_command_queue queue, clpool_mem* mem, Gate& gate) {
    ASSERT_OK(clpool_mem_fill(queue, mem, &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 1, gate.list(), nullptr));
  }
  Scene scene;
  cl_command_queue in_order = scene.cl.queue;
  cl_command_queue other = scene.cl.another_queue();
};

TEST_F(SvmOrder, ReleasedOnAQueueItWaitsForTheWaitList) {
  Gate first(scene.cl.context);
  Gate second(scene.cl.context);
  const cl_event gates[] = {first.get(), second.get()};
  clpool_mem* const mem = make(in_order);
  OwnedEvent event;
  ASSERT_OK(clpool_mem_release_on(mem, other, 2, gates, event.receive()));
  ASSERT_TRUE(event);
  stub_run_all();
  EXPECT_EQ(living(), 1);
  EXPECT_FALSE(event.is_complete());
  first.open();
  stub_run_all();
  EXPECT_EQ(living(), 1);
  second.open();
  stub_run_all();
  EXPECT_EQ(living(), 0);
  EXPECT_TRUE(event.is_complete());
}

TEST_F(SvmOrder, ReleasedOnAnOutOfOrderQueueItWaitsForAllThatCameBefore) {
  Gate gate(scene.cl.context);
  clpool_mem* const mem = make(nullptr);
  // A command that the library does not know of.
  ASSERT_EQ(clEnqueueSVMMemFill(scene.queue, clpool_mem_pointer(mem), &source_byte, 1, operand_size, 1,
                                gate.list(), nullptr),
            CL_SUCCESS);
  OwnedEvent event;
  ASSERT_OK(clpool_mem_release_on(mem, scene.queue, 0, nullptr, event.receive()));
  stub_run_all();
  EXPECT_EQ(living(), 1);
  EXPECT_FALSE(event.is_complete());
  gate.open();
  stub_run_all();
  EXPECT_EQ(living(), 0);
  EXPECT_TRUE(event.is_complete());
}

TEST_F(SvmOrder, ReleasedOnAQueueItLetsGoOfItsQueues) {
  const auto references = [] {
    stub_counts counts;
    stub_read_counts(&counts);
    return counts.references[STUB_QUEUE];
  };
  const std::int64_t before = references();
  clpool_mem* const mem = make(nullptr);
  ASSERT_OK(clpool_mem_bind_queue(mem, in_order));
  ASSERT_OK(clpool_mem_fill(other, mem, &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  EXPECT_GT(references(), before);
  ASSERT_OK(clpool_mem_release_on(mem, nullptr, 0, nullptr, nullptr));
  stub_run_all();
  EXPECT_EQ(references(), before);
}

TEST_F(SvmOrder, WhoseReleaseFailsStays) {
  clpool_mem* const mem = make(nullptr);
  stub_fail("clEnqueueMarkerWithWaitList", 1, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(clpool_mem_release_on(mem, scene.queue, 0, nullptr, nullptr), CLPOOL_ERROR_OUT_OF_MEMORY);
  stub_run_all();
  EXPECT_EQ(living(), 1);
  EXPECT_OK(clpool_mem_release(mem));
  stub_run_all();
  EXPECT_EQ(living(), 0);
}

TEST_F(SvmOrder, ReleasedItIsFreedBehindTheCommandsOfItsQueue) {
  Gate gate(scene.cl.context);
  clpool_mem* const mem = make(in_order);
  fill(in_order, mem, gate);
  EXPECT_OK(clpool_mem_release(mem));
  stub_run_all();
  EXPECT_EQ(living(), 1);
  gate.open();
  stub_run_all();
  EXPECT_EQ(living(), 0);
}

TEST_F(SvmOrder, OfAPoolThatEndsItIsFreedOnlyWhenItsDeclaredUsesAreOver) {
  Gate gate(scene.cl.context);
  clpool_allocator* allocator = nullptr;
  ASSERT_OK(clpool_allocator_create_svm(scene.cl.context, 0, 0, in_order, &allocator));
  clpool_pool* pool = nullptr;
  ASSERT_OK(clpool_pool_create(allocator, nullptr, &pool));
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_pool_allocate(pool, operand_size, &mem));
  ASSERT_OK(clpool_mem_release_after(mem, 1, gate.list()));
  ASSERT_OK(clpool_mem_release(mem));
  ASSERT_OK(clpool_pool_release(pool));
  stub_run_all();
  EXPECT_EQ(living(), 1);
  gate.open();
  ASSERT_OK(clpool_pool_create(allocator, nullptr, &pool));  // a later call carries the free out
  ASSERT_OK(clpool_pool_release(pool));
  stub_run_all();
  EXPECT_EQ(living(), 0);
  ASSERT_OK(clpool_allocator_release(allocator));
}

TEST_F(SvmOrder, ItsReleaseIsFlushed) {
  stub_configure("needs_flush=1");
  clpool_allocator* allocator = nullptr;  // keeps its queue, whose release would flush it
  ASSERT_OK(clpool_allocator_create_svm(scene.cl.context, 0, 0, in_order, &allocator));
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_allocator_allocate(allocator, operand_size, &mem));
  EXPECT_OK(clpool_mem_release(mem));
  stub_run_all();
  EXPECT_EQ(living(), 0);
  ASSERT_OK(clpool_allocator_allocate(allocator, operand_size, &mem));
  ASSERT_OK(clpool_mem_release_on(mem, nullptr, 0, nullptr, nullptr));
  stub_run_all();
  EXPECT_EQ(living(), 0);
  clpool_allocator_release(allocator);
}

TEST_F(SvmOrder, ReleasedWithReferencesLeftItStaysAndTheEventIsOfTheWaitList) {
  Gate gate(scene.cl.context);
  clpool_mem* const mem = make(in_order);
  ASSERT_OK(clpool_mem_retain(mem));
  OwnedEvent event;
  ASSERT_OK(clpool_mem_release_on(mem, in_order, 1, gate.list(), event.receive()));
  stub_run_all();
  EXPECT_FALSE(event.is_complete());
  gate.open();
  stub_run_all();
  EXPECT_TRUE(event.is_complete());
  EXPECT_EQ(living(), 1);
  EXPECT_OK(clpool_mem_release(mem));
  stub_run_all();
  EXPECT_EQ(living(), 0);
}

TEST_F(SvmOrder, BoundToAnotherQueueItsCommandsWaitForThoseOfTheOld) {
  Gate gate(scene.cl.context);
  clpool_mem* const mem = make(in_order);
  fill(in_order, mem, gate);
  ASSERT_OK(clpool_mem_bind_queue(mem, other));
  constexpr unsigned char last = 'L';
  ASSERT_OK(clpool_mem_fill(other, mem, &last, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  stub_run_all();
  EXPECT_TRUE(Scene::has(mem, target_byte));
  gate.open();
  stub_run_all();
  EXPECT_TRUE(Scene::has(mem, last));
  EXPECT_OK(clpool_mem_release(mem));
}

TEST_F(SvmOrder, BoundToAnotherQueueTheOldOneIsFlushed) {
  stub_configure("needs_flush=1");
  Gate gate(scene.cl.context);
  clpool_mem* const mem = make(in_order);
  fill(in_order, mem, gate);
  ASSERT_OK(clpool_mem_bind_queue(mem, other));
  ASSERT_OK(clpool_mem_fill(other, mem, &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  gate.open();
  clFlush(other);
  stub_run_all();
  EXPECT_EQ(stub_pending(other), 0u);
  EXPECT_OK(clpool_mem_release(mem));
}

TEST_F(SvmOrder, BoundToAnotherQueueItIsFreedBehindThat) {
  Gate gate(scene.cl.context);
  clpool_mem* const mem = make(in_order);
  ASSERT_OK(clpool_mem_bind_queue(mem, other));
  fill(other, mem, gate);
  EXPECT_OK(clpool_mem_release(mem));
  stub_run_all();
  EXPECT_EQ(living(), 1);
  gate.open();
  stub_run_all();
  EXPECT_EQ(living(), 0);
}

/// clSVMAlloc has no codes; what it refuses for its flags is not out of memory.
TEST_F(SvmOrder, FlagsThatTheDriverRefusesAreToldWhenItIsMade) {
  clpool_allocator* allocator = nullptr;
  clpool_mem* mem = nullptr;
  for (const cl_svm_mem_flags flags : {cl_svm_mem_flags{CL_MEM_HOST_WRITE_ONLY}, cl_svm_mem_flags{1} << 40}) {
    EXPECT_EQ(clpool_allocator_create_svm(scene.cl.context, flags, 0, nullptr, &allocator),
              CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_NE(std::string_view(clpool_last_error_message()).find("which the driver refuses"),
              std::string_view::npos);
    EXPECT_EQ(clpool_svm_create(scene.cl.context, flags, operand_size, 0, nullptr, &mem),
              CLPOOL_ERROR_INVALID_VALUE);
  }
}

TEST_F(SvmOrder, UnboundItsQueueWasWaitedFor) {
  clpool_mem* const mem = make(in_order);
  ASSERT_OK(clpool_mem_fill(in_order, mem, &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  ASSERT_OK(clpool_mem_unbind_queue(mem));
  EXPECT_TRUE(Scene::has(mem, source_byte));
  EXPECT_OK(clpool_mem_release(mem));
}

TEST_F(SvmOrder, UnboundItsQueueWasWaitedForThoughTheDriverForgetsWhatWasFlushed) {
  stub_configure("finish_forgets=1");
  clpool_mem* const mem = make(in_order);
  ASSERT_OK(clpool_mem_fill(in_order, mem, &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  ASSERT_EQ(clFlush(in_order), CL_SUCCESS);
  // As another thread may at any time, by whatever it does with a pool over the queue.
  stub_meanwhile(
      "clFinish", [](void* queue) { clFlush(static_cast<cl_command_queue>(queue)); }, in_order);
  ASSERT_OK(clpool_mem_unbind_queue(mem));
  stub_meanwhile(nullptr, nullptr, nullptr);
  EXPECT_TRUE(Scene::has(mem, source_byte));
  EXPECT_OK(clpool_mem_release(mem));
}

TEST(SystemSvm, IsOfNoContextOfItsOwn) {
  Scene scene;
  stub_configure("svm=system");
  const OpenCl elsewhere;
  char host[64] = {};
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_svm_wrap(scene.cl.context, host, sizeof host, 1, &mem));
  const OwnedMem owner(mem);
  for (const cl_command_queue queue : {scene.cl.queue, elsewhere.queue}) {
    EXPECT_OK(clpool_mem_fill(queue, mem, "x", 1, 0, sizeof host, 0, nullptr, nullptr));
    stub_run_all();
    EXPECT_EQ(std::exchange(host[63], '\0'), 'x');
  }
  clpool_mem* coarse = nullptr;
  ASSERT_OK(clpool_svm_create(scene.cl.context, 0, 64, 0, nullptr, &coarse));
  const OwnedMem owned(coarse);
  EXPECT_EQ(clpool_mem_fill(elsewhere.queue, coarse, "x", 1, 0, 64, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
}

TEST(SvmOfAKindThatADeviceLacks, IsRefusedNamingAllThatItNeeds) {
  Scene scene;
  stub_configure("svm=coarse");
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_svm_create(scene.cl.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0, nullptr, &mem),
            CLPOOL_ERROR_NOT_SUPPORTED);
  EXPECT_TRUE(last_error_names("CL_DEVICE_SVM_COARSE_GRAIN_BUFFER + CL_DEVICE_SVM_FINE_GRAIN_BUFFER (0x3 in"))
      << last_error();
}

/// Nobody says when memory is through that a pool without a queue has.
TEST(SvmOfAPoolWithoutAQueue, StaysWhoeverGivesItBack) {
  Scene scene;
  const AllocatorHandle allocator =
      make_allocator(clpool_allocator_create_svm, scene.cl.context, 0, 0, nullptr);
  Gate gate(scene.cl.context);
  {
    const PoolHandle pool = make_pool(allocator.get(), CLPOOL_POOL_OPTIONS_INIT);
    MemHandle mem = allocate(pool, 4096);
    ASSERT_EQ(clEnqueueSVMMemFill(scene.cl.queue, clpool_mem_pointer(mem.get()), &source_byte, 1, 4096, 1,
                                  gate.list(), nullptr),
              CL_SUCCESS);  // of which the library does not know
    std::thread([&] { mem.reset(); }).join();
    EXPECT_OK(clpool_pool_free_held(pool.get()));
    EXPECT_NE(stub_device_bytes(), 0U);
    gate.open();
    stub_run_all();  // the driver aborts if memory has gone under its fill
    MemHandle idle = allocate(pool, 4096);
    EXPECT_OK(clpool_mem_release_idle(idle.release()));
  }
}

}  // namespace
}  // namespace clpool::test
