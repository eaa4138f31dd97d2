// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What allocators enqueue to get memory to the device, and what comes after it; what directly made SVM is
// freed behind.
#include <string_view>
#include <thread>
#include <vector>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

class ImmediateAllocator : public testing::Test {
 protected:
  /// Memory that was allocated on `queue` just now.
  clpool_mem* allocate_on(cl_command_queue queue, std::uint32_t touch = CLPOOL_TOUCH_BYTE) {
    const AllocatorHandle allocator = make_allocator(clpool_allocator_create_touching, queue, 0, touch);
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_allocator_allocate(allocator.get(), operand_size, &mem));
    return mem;
  }
  Scene scene;
};

TEST_F(ImmediateAllocator, CommandsThatOvertakeComeAfterWhatWritesTheMemory) {
  const OwnedMem mem(allocate_on(scene.queue, CLPOOL_TOUCH_WHOLE));
  OwnedEvent filled;
  ASSERT_OK(clpool_mem_fill(scene.queue, mem.get(), &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr,
                            filled.receive()));
  EXPECT_EQ(stub_runnable(scene.queue), 1U);
  EXPECT_FALSE(stub_may_run(filled.get()));
  stub_run_all();
  EXPECT_TRUE(filled.is_complete());
}

/// NVIDIA's driver, where memory that several threads ask for is touched on another queue than its program's.
TEST_F(ImmediateAllocator, CommandsOfAnyOrderComeAfterWhatWritesTheMemoryElsewhere) {
  stub_configure("nvidia=1,mode=manual");
  for (const cl_command_queue queue : {scene.cl.queue, scene.queue}) {
    const AllocatorHandle allocator =
        make_allocator(clpool_allocator_create_touching, queue, 0, CLPOOL_TOUCH_WHOLE);
    clpool_mem* allocated = nullptr;
    std::thread([&] {
      ASSERT_OK(clpool_allocator_allocate(allocator.get(), operand_size, &allocated));
    }).join();
    const OwnedMem mem(allocated);
    OwnedEvent filled;
    ASSERT_OK(clpool_mem_fill(queue, mem.get(), &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr,
                              filled.receive()));
    EXPECT_EQ(stub_runnable(queue), 0U) << "what writes it is on the library's";
    EXPECT_EQ(stub_runnable(nullptr), 1U);
    EXPECT_FALSE(stub_may_run(filled.get()));
    stub_run_all();
    EXPECT_TRUE(filled.is_complete());
    EXPECT_TRUE(Scene::has(mem.get(), source_byte));
  }
}

/// On whichever queue a command is, and however late the touch: it changes nothing.
TEST_F(ImmediateAllocator, NoCommandHasToComeAfterTheTouchOfAByte) {
  for (const cl_command_queue toucher : {scene.cl.queue, scene.queue}) {
    for (const cl_command_queue user : {scene.queue, scene.cl.another_queue()}) {
      Gate gate(scene.cl.context);
      ASSERT_EQ(clEnqueueBarrierWithWaitList(toucher, 1, gate.list(), nullptr), CL_SUCCESS);
      const OwnedMem mem(allocate_on(toucher));
      OwnedEvent filled;
      ASSERT_EQ(clEnqueueFillBuffer(user, clpool_mem_handle(mem.get()), &source_byte, 1, 0, operand_size, 0,
                                    nullptr, filled.receive()),
                CL_SUCCESS);
      clFlush(user);
      EXPECT_TRUE(user == toucher || stub_may_run(filled.get())) << "behind no gate";
      while (const std::size_t count = stub_runnable(nullptr)) {
        stub_run_nth(nullptr, count - 1);  // the newest first
      }
      gate.open();
      stub_run_all();
      EXPECT_EQ(Scene::bytes(mem.get())[0], source_byte);
    }
  }
}

TEST_F(ImmediateAllocator, WhatWritesTheMemoryIsAllThatCommandsWaitFor) {
  Gate gate(scene.cl.context);
  clpool_mem* const held_up = scene.memory(Side::buffer, target_byte);
  ASSERT_OK(
      clpool_mem_fill(scene.queue, held_up, &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 1, gate.list(), nullptr));
  const OwnedMem mem(allocate_on(scene.queue, CLPOOL_TOUCH_WHOLE));
  OwnedEvent filled;
  ASSERT_OK(clpool_mem_fill(scene.queue, mem.get(), &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr,
                            filled.receive()));
  stub_run_all();
  EXPECT_TRUE(filled.is_complete());
  gate.open();
  stub_run_all();
}

TEST_F(ImmediateAllocator, GivesNoMemoryThatCommandsMightOvertake) {
  const AllocatorHandle allocator =
      make_allocator(clpool_allocator_create_touching, scene.queue, 0, CLPOOL_TOUCH_WHOLE);
  clpool_mem* mem = nullptr;
  stub_fail("clEnqueueBarrierWithWaitList", 1, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(clpool_allocator_allocate(allocator.get(), operand_size, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(mem, nullptr);
  stub_run_all();
}

TEST_F(ImmediateAllocator, TouchesByTheCommandThatWasChosen) {
  const struct {
    std::uint32_t touch;
    const char* command;
    const char* ran;  ///< the stub's count of such commands that have run
    bool waits;
  } ways[] = {{CLPOOL_TOUCH_BYTE, "clEnqueueCopyBuffer", "ran.copy", false},
              {CLPOOL_TOUCH_BYTE | CLPOOL_TOUCH_WAIT, "clEnqueueCopyBuffer", "ran.copy", true},
              {CLPOOL_TOUCH_MIGRATE, "clEnqueueMigrateMemObjects", "ran.migrate", false},
              {CLPOOL_TOUCH_MIGRATE | CLPOOL_TOUCH_WAIT, "clEnqueueMigrateMemObjects", "ran.migrate", true},
              {CLPOOL_TOUCH_WRITE, "clEnqueueWriteBuffer", "ran.write", true},
              {CLPOOL_TOUCH_WHOLE, "clEnqueueFillBuffer", "ran.fill", false},
              {CLPOOL_TOUCH_WHOLE | CLPOOL_TOUCH_WAIT, "clEnqueueFillBuffer", "ran.fill", true}};
  for (const auto& [touch, command, ran, waits] : ways) {
    for (const cl_command_queue queue : {scene.cl.queue, scene.queue}) {
      SCOPED_TRACE(std::to_string(touch) + (queue == scene.queue ? ", out of order" : ""));
      stub_run_all();
      const AllocatorHandle allocator = make_allocator(clpool_allocator_create_touching, queue, 0, touch);
      const std::uint64_t before = stub_calls(command);
      const std::uint64_t had_run = stub_count(ran);
      clpool_mem* mem = nullptr;
      ASSERT_OK(clpool_allocator_allocate(allocator.get(), operand_size, &mem));
      const OwnedMem owned(mem);
      EXPECT_EQ(stub_calls(command), before + 1);
      EXPECT_EQ(stub_count(ran), had_run + (waits ? 1 : 0)) << "it has run when memory is there, or not";
      stub_run_all();
      if ((touch & 0xFF) == CLPOOL_TOUCH_WHOLE) {
        EXPECT_NE(Scene::bytes(mem)[operand_size - 1], 0xA5);
      }
    }
  }
}

TEST_F(ImmediateAllocator, FailsWhereItsCommandIsRefused) {
  const std::pair<std::uint32_t, const char*> ways[] = {{CLPOOL_TOUCH_BYTE, "clEnqueueCopyBuffer"},
                                                        {CLPOOL_TOUCH_MIGRATE, "clEnqueueMigrateMemObjects"},
                                                        {CLPOOL_TOUCH_WRITE, "clEnqueueWriteBuffer"}};
  for (const auto& [touch, command] : ways) {
    const AllocatorHandle allocator =
        make_allocator(clpool_allocator_create_touching, scene.cl.queue, 0, touch);
    clpool_mem* mem = nullptr;
    stub_fail(command, 1, CL_OUT_OF_RESOURCES);
    EXPECT_EQ(clpool_allocator_allocate(allocator.get(), operand_size, &mem), CLPOOL_ERROR_OUT_OF_MEMORY)
        << command;
    EXPECT_TRUE(last_error_names(command)) << last_error();
  }
}

TEST_F(ImmediateAllocator, ThatWaitsTellsOfMemoryThatWasNotToBeHad) {
  const AllocatorHandle allocator = make_allocator(clpool_allocator_create_touching, scene.queue, 0,
                                                   CLPOOL_TOUCH_WHOLE | CLPOOL_TOUCH_WAIT);
  clpool_mem* mem = nullptr;
  stub_fail("clWaitForEvents", 1, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(clpool_allocator_allocate(allocator.get(), operand_size, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(mem, nullptr);
  stub_run_all();
}

TEST_F(ImmediateAllocator, OnNvidiasDriverNothingIsMigrated) {
  stub_configure("nvidia=1");
  clpool_allocator* made = nullptr;
  EXPECT_EQ(clpool_allocator_create_touching(scene.queue, 0, CLPOOL_TOUCH_MIGRATE, &made),
            CLPOOL_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(made, nullptr);
}

TEST_F(ImmediateAllocator, GivesMemoryTheFlagsItWasMadeWith) {
  const AllocatorHandle allocator =
      make_allocator(clpool_allocator_create_immediate, scene.cl.queue, CL_MEM_READ_ONLY);
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_allocator_allocate(allocator.get(), operand_size, &mem));
  const OwnedMem owned(mem);
  std::uint64_t flags = 0;
  ASSERT_OK(clpool_mem_info_number(mem, CL_MEM_FLAGS, &flags));
  EXPECT_EQ(flags & (CL_MEM_READ_ONLY | CL_MEM_READ_WRITE), std::uint64_t{CL_MEM_READ_ONLY});
  stub_run_all();
}

TEST_F(ImmediateAllocator, TouchesByACopyOnOpenCL11Too) {
  stub_configure("version=1.1,svm=none");
  const OwnedMem mem(allocate_on(scene.cl.queue));
  EXPECT_EQ(stub_calls("clEnqueueCopyBuffer"), 1U);
  EXPECT_EQ(stub_pending(scene.cl.queue), 1U) << "it waits for nothing";
  stub_run_all();
}

TEST_F(ImmediateAllocator, FailsWhereThereIsNoByteToCopyTo) {
  const AllocatorHandle allocator = immediate_allocator(scene.cl.queue);
  clpool_mem* mem = nullptr;
  stub_fail("clCreateBuffer", 2, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(clpool_allocator_allocate(allocator.get(), operand_size, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_TRUE(last_error_names("clCreateBuffer")) << last_error();
  ASSERT_OK(clpool_allocator_allocate(allocator.get(), operand_size, &mem))
      << "it is made when it is needed again";
  EXPECT_OK(clpool_mem_release(mem));
  stub_run_all();
}

/// Another allocation meanwhile, as by another thread, where a buffer of one byte is about to be made.
struct AllocatesMeanwhile {
  clpool_allocator* allocator;
  std::uint64_t buffers;  ///< that are made before
  clpool_mem* mem = nullptr;
  static void look(const char* entry_point, void* user) {
    auto& self = *static_cast<AllocatesMeanwhile*>(user);
    if (std::string_view(entry_point) == "clCreateBuffer" && self.buffers != 0 && --self.buffers == 0) {
      EXPECT_OK(clpool_allocator_allocate(self.allocator, operand_size, &self.mem));
    }
  }
};

TEST_F(ImmediateAllocator, KeepsOneByteHoweverManyThreadsNeedItFirst) {
  AllocatorHandle allocator = immediate_allocator(scene.cl.queue);
  const std::uint64_t before = stub_device_bytes();
  AllocatesMeanwhile meanwhile{allocator.get(), 2};
  stub_set_hook(AllocatesMeanwhile::look, &meanwhile);
  clpool_mem* mem = nullptr;
  EXPECT_OK(clpool_allocator_allocate(allocator.get(), operand_size, &mem));
  stub_set_hook(nullptr, nullptr);
  ASSERT_NE(meanwhile.mem, nullptr);
  stub_run_all();
  EXPECT_EQ(stub_device_bytes() - before, 2 * operand_size + 1);
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_OK(clpool_mem_release(meanwhile.mem));
  allocator.reset();
  EXPECT_EQ(stub_device_bytes(), before);
}

TEST_F(ImmediateAllocator, TouchesOnNvidiasDriverByOneThreadAtATime) {
  stub_configure("mode=immediate,nvidia=1,mixes_up_parts=1");
  for (const std::uint32_t touch : {CLPOOL_TOUCH_BYTE, CLPOOL_TOUCH_WRITE, CLPOOL_TOUCH_WHOLE}) {
    const AllocatorHandle allocator =
        make_allocator(clpool_allocator_create_touching, scene.cl.queue, 0, touch);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 200; ++k) {
          clpool_mem* mem = nullptr;
          ASSERT_OK(clpool_allocator_allocate(allocator.get(), operand_size, &mem));
          ASSERT_OK(clpool_mem_release(mem));
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
}

class PageLocked : public testing::Test {
 protected:
  PageLocked() { allocator = make_allocator(clpool_allocator_create_pinned, scene.cl.queue, 0); }
  static std::int64_t living(stub_kind kind) {
    stub_counts counts;
    stub_read_counts(&counts);
    return counts.live[kind];
  }
  Scene scene;
  AllocatorHandle allocator;
  clpool_mem* mem = nullptr;
};

TEST_F(PageLocked, IsAlignedWhereTheDriversMapsAreNot) {
  for (const char* shift : {"map_shift=64", "map_shift=1", "map_shift=0"}) {
    stub_configure(shift);
    ASSERT_OK(clpool_allocator_allocate(allocator.get(), operand_size, &mem));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(clpool_mem_pointer(mem)) % 128, 0U) << shift;
    std::memset(clpool_mem_pointer(mem), source_byte, operand_size);
    EXPECT_EQ(living(STUB_MAP), 1);
    EXPECT_EQ(living(STUB_BUFFER), 1);
    EXPECT_OK(clpool_mem_release(mem));
    stub_run_all();
    EXPECT_EQ(living(STUB_MAP), 0);
    EXPECT_EQ(living(STUB_BUFFER), 0);
  }
}

TEST_F(PageLocked, ThatCannotBeMappedLeavesNothing) {
  stub_configure("map_shift=64");
  for (const std::uint64_t nth : {1, 2, 3}) {  // as it comes; to see where it lies; from where it is aligned
    stub_fail("clEnqueueMapBuffer", nth, CL_MAP_FAILURE);
    EXPECT_EQ(clpool_allocator_allocate(allocator.get(), operand_size, &mem), CLPOOL_ERROR_OPENCL) << nth;
    EXPECT_EQ(stub_failures(), 1U);
    stub_run_all();
    EXPECT_EQ(living(STUB_BUFFER), 0);
  }
  for (const std::uint64_t nth : {1, 2}) {
    stub_fail("clEnqueueUnmapMemObject", nth, CL_INVALID_VALUE);
    EXPECT_EQ(clpool_allocator_allocate(allocator.get(), operand_size, &mem), CLPOOL_ERROR_OPENCL) << nth;
    EXPECT_EQ(stub_failures(), 1U);
    stub_run_all();
    EXPECT_EQ(living(STUB_BUFFER), 0);
  }
  for (const std::uint64_t nth : {1, 2}) {  // as it comes; with room to align it
    stub_fail("clCreateBuffer", nth, CL_INVALID_OPERATION);
    EXPECT_EQ(clpool_allocator_allocate(allocator.get(), operand_size, &mem), CLPOOL_ERROR_OPENCL) << nth;
    EXPECT_EQ(clpool_last_cl_error(), CL_INVALID_OPERATION) << nth;
    EXPECT_EQ(stub_failures(), 1U);
    stub_run_all();
    EXPECT_EQ(living(STUB_BUFFER), 0);
  }
}

TEST_F(PageLocked, IsRefusedWhereEachMapLiesElsewhere) {
  stub_configure("map_shift=64");
  const auto shift_the_third = [](const char* entry, void* count) {
    if (std::string_view(entry) == "clEnqueueMapBuffer" && ++*static_cast<int*>(count) == 3) {
      stub_configure("map_shift=1");
    }
  };
  for (const std::uint64_t failing_unmap : {0, 3}) {
    stub_configure("map_shift=64");
    int maps = 0;
    stub_set_hook(shift_the_third, &maps);
    if (failing_unmap != 0) {
      stub_fail("clEnqueueUnmapMemObject", failing_unmap, CL_INVALID_OPERATION);
    }
    EXPECT_EQ(clpool_allocator_allocate(allocator.get(), operand_size, &mem),
              failing_unmap == 0 ? CLPOOL_ERROR_NOT_SUPPORTED : CLPOOL_ERROR_OPENCL);
    EXPECT_TRUE(last_error_names(failing_unmap == 0 ? "not at multiples of" : "clEnqueueUnmapMemObject"))
        << last_error();
    stub_set_hook(nullptr, nullptr);
    stub_fail_none();
    stub_run_all();
    EXPECT_EQ(living(STUB_BUFFER), 0);
  }
}

TEST_F(PageLocked, ItsReleaseIsFlushed) {
  ASSERT_OK(clpool_allocator_allocate(allocator.get(), operand_size, &mem));
  stub_configure("needs_flush=1");
  ASSERT_OK(clpool_mem_release(mem));
  stub_run_all();
  EXPECT_EQ(living(STUB_MAP), 0);
}

TEST_F(PageLocked, WhoseUnmapIsRefusedIsUnmappedWhenItsCommandsHaveEnded) {
  ASSERT_OK(clpool_allocator_allocate(allocator.get(), operand_size, &mem));
  clpool_mem* const target = scene.memory(Side::buffer, target_byte);
  ASSERT_OK(clpool_mem_copy(scene.queue, target, 0, mem, 0, operand_size, 0, nullptr, nullptr));
  stub_fail("clEnqueueUnmapMemObject", 1, CL_OUT_OF_RESOURCES);
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(stub_failures(), 1U);
  EXPECT_EQ(stub_pending(scene.queue), 0U);
  stub_run_all();
  EXPECT_EQ(living(STUB_MAP), 0);
}

/// Memory that is made without a pool: what is asked for is at fault, or there is no memory.
class TooLarge : public testing::Test {
 protected:
  clpool_status make_svm(std::size_t size) {
    clpool_mem* mem = nullptr;
    const clpool_status status = clpool_svm_create(scene.cl.context, 0, size, 0, nullptr, &mem);
    EXPECT_OK(clpool_mem_release(mem));
    return status;
  }
  clpool_status make_buffer(std::size_t size) {
    const AllocatorHandle allocator = make_allocator(clpool_allocator_create_deferred, scene.cl.context, 0);
    clpool_mem* mem = nullptr;
    const clpool_status status = clpool_allocator_allocate(allocator.get(), size, &mem);
    EXPECT_OK(clpool_mem_release(mem));
    return status;
  }
  Scene scene;
  static constexpr std::size_t largest = std::size_t{1} << 30;  // a quarter of the device's
};

TEST_F(TooLarge, IsAMistakeAndNoWantOfMemory) {
  EXPECT_EQ(make_svm(largest + 1), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(make_buffer(largest + 1), CLPOOL_ERROR_INVALID_VALUE);
}

TEST_F(TooLarge, IsNotWhatTheDeviceAllowsButHasNot) {
  stub_fail("clSVMAlloc", 1, CL_SUCCESS);
  EXPECT_EQ(make_svm(largest), CLPOOL_ERROR_OUT_OF_MEMORY);
  stub_fail("clCreateBuffer", 1, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(make_buffer(largest), CLPOOL_ERROR_OUT_OF_MEMORY);
  stub_fail("clCreateBuffer", 1, CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(make_buffer(4096), CLPOOL_ERROR_INVALID_VALUE);
  stub_fail("clCreateBuffer", 1, CL_INVALID_CONTEXT);
  EXPECT_EQ(make_buffer(largest + 1), CLPOOL_ERROR_OPENCL);
}

class BoundSvm : public testing::Test {
 protected:
  /// A command that the library does not know of, on memory of its own.
  void hold_up(cl_command_queue queue, const Gate& gate) {
    clpool_mem* const buffer = scene.memory(Side::buffer, target_byte);
    const cl_event event = gate.get();
    ASSERT_EQ(clEnqueueFillBuffer(queue, clpool_mem_handle(buffer), &source_byte, 1, 0, operand_size, 1,
                                  &event, nullptr),
              CL_SUCCESS);
  }
  static std::int64_t living() {
    stub_counts counts;
    stub_read_counts(&counts);
    return counts.live[STUB_SVM];
  }
  clpool_mem* make(cl_command_queue queue) {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_svm_create(scene.cl.context, 0, operand_size, 0, queue, &mem));
    return mem;
  }
  Scene scene;
};

TEST_F(BoundSvm, IsFreedBehindWhatTheProgramGaveItsQueue) {
  clpool_mem* const mem = make(nullptr);
  ASSERT_OK(clpool_mem_bind_queue(mem, scene.cl.queue));
  Gate gate(scene.cl.context);
  hold_up(scene.cl.queue, gate);
  ASSERT_OK(clpool_mem_release(mem));
  stub_run_all();
  EXPECT_EQ(living(), 1);
  gate.open();
  stub_run_all();
  EXPECT_EQ(living(), 0);
}

TEST_F(BoundSvm, UnboundIsFreedAtOnce) {
  clpool_mem* const mem = make(nullptr);
  ASSERT_OK(clpool_mem_bind_queue(mem, scene.cl.queue));
  ASSERT_OK(clpool_mem_unbind_queue(mem));
  Gate gate(scene.cl.context);
  hold_up(scene.cl.queue, gate);
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(living(), 0);
  gate.open();
  stub_run_all();
}

TEST_F(BoundSvm, IsOfNoKindThatTheDeviceLacks) {
  const struct {
    const char* device;
    cl_svm_mem_flags flags;
    clpool_status status;
  } cases[] = {{"svm=none", 0, CLPOOL_ERROR_NOT_SUPPORTED},
               {"svm=coarse", 0, CLPOOL_SUCCESS},
               {"svm=coarse", CL_MEM_SVM_FINE_GRAIN_BUFFER, CLPOOL_ERROR_NOT_SUPPORTED},
               {"svm=fine", CL_MEM_SVM_FINE_GRAIN_BUFFER, CLPOOL_SUCCESS},
               {"svm=fine", CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, CLPOOL_ERROR_NOT_SUPPORTED},
               {"svm=atomics", CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, CLPOOL_SUCCESS}};
  for (const auto& each : cases) {
    stub_configure(each.device);
    clpool_mem* mem = nullptr;
    EXPECT_EQ(clpool_svm_create(scene.cl.context, each.flags, operand_size, 0, nullptr, &mem), each.status)
        << each.device << ", flags " << each.flags;
    EXPECT_OK(clpool_mem_release(mem));
  }
}

TEST_F(BoundSvm, IsNotBoundToAQueueThatIsOutOfOrder) {
  const OwnedMem mem(make(nullptr));
  EXPECT_EQ(clpool_mem_bind_queue(mem.get(), scene.queue), CLPOOL_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace clpool::test
