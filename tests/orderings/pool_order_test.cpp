// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What comes before the commands on a block that a pool hands out: earlier commands on the same memory, on
// whatever queue they are, and what made its chunk.
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "orderings/pool_order.hpp"

namespace clpool::test {
namespace {

TEST_F(PoolOrder, ABlockForAnotherQueueComesAfterThePoolsQueue) {
  make_pool({home});
  clpool_mem* const mem = allocate();
  Gate gate(scene.cl.context);
  fill(home, mem, 1, &gate);
  EXPECT_OK(clpool_mem_release(mem));
  clpool_mem* const next = allocate_on(other);
  fill(other, next, 2);
  EXPECT_EQ(content_after(next, gate), 2);
}

/// A pool of one queue and a block that was handed out by the order of that queue, which still uses it for its former owner.
class HandedOutByTheOrderOfItsQueue : public PoolOrder {
 protected:
  void SetUp() override {
    make_pool({home});
    clpool_mem* const former = allocate();
    const cl_mem handle = clpool_mem_handle(former);
    fill(home, former, 1, &gate);
    EXPECT_OK(clpool_mem_release(former));
    mem = allocate();
    EXPECT_EQ(clpool_mem_handle(mem), handle);
  }
  Gate gate{scene.cl.context};
  clpool_mem* mem = nullptr;
};

TEST_F(HandedOutByTheOrderOfItsQueue, ADeclaredQueueComesAfterItsFormerCommands) {
  EXPECT_OK(clpool_mem_used_on(mem, other));
  fill(other, mem, 2);
  EXPECT_EQ(content_after(mem, gate), 2);
}

TEST_F(HandedOutByTheOrderOfItsQueue, EachDeclaredQueueComesAfterItsFormerCommandsAlsoInOtherOrders) {
  EXPECT_OK(clpool_mem_used_on(mem, third));
  EXPECT_OK(clpool_mem_used_on(mem, other));
  EXPECT_OK(clpool_mem_used_on(mem, third));  // says nothing new
  fill(other, mem, 2);
  EXPECT_EQ(content_after(mem, gate), 2);
}

TEST_F(HandedOutByTheOrderOfItsQueue, ItIsWrittenByTheLibraryOnAnotherQueueAfterItsFormerCommands) {
  const unsigned char value = 2;
  EXPECT_OK(clpool_mem_fill(other, mem, &value, 1, 0, block_size, 0, nullptr, nullptr));
  EXPECT_EQ(content_after(mem, gate), 2);
}

/// It was mapped on the pool's queue, whose order says nothing of the other one.
TEST_F(HandedOutByTheOrderOfItsQueue, ItsUnmappingOnAnotherQueueIsAUse) {
  gate.open();
  clpool_map* map = nullptr;
  ASSERT_OK(clpool_mem_map(home, mem, CL_MAP_WRITE_INVALIDATE_REGION, 0, CLPOOL_WHOLE_SIZE, 1, 0, nullptr,
                           nullptr, &map));
  const cl_mem handle = clpool_mem_handle(mem);
  std::memset(clpool_map_pointer(map), 1, block_size);
  Gate unmapping(scene.cl.context);
  ASSERT_OK(clpool_map_unmap(map, other, 1, unmapping.list(), nullptr));
  ASSERT_OK(clpool_map_release(map));
  ASSERT_OK(clpool_mem_release(mem));
  stub_run_all();
  clpool_mem* const next = allocate();
  EXPECT_NE(clpool_mem_handle(next), handle) << "the other queue has not written to it yet";
  fill(home, next, 2);
  EXPECT_EQ(content_after(next, unmapping), 2);
}

/// That somebody released it on a queue says nothing of what the queue comes after.
TEST_F(HandedOutByTheOrderOfItsQueue, ItsPartIsWrittenAfterItsFormerCommandsWhereAReferenceWasGivenUpThere) {
  clpool_mem* part = nullptr;
  ASSERT_OK(clpool_mem_sub_region(mem, 0, block_size, 0, &part));
  const cl_mem handle = clpool_mem_handle(mem);
  EXPECT_OK(clpool_mem_release_on(mem, other, 0, nullptr, nullptr));
  const unsigned char value = 2;
  EXPECT_OK(clpool_mem_fill(other, part, &value, 1, 0, block_size, 0, nullptr, nullptr));
  stub_run_all();
  gate.open();
  stub_run_all();
  EXPECT_EQ(stub_memory(handle)[0], value);
  EXPECT_OK(clpool_mem_release(part));
}

TEST_F(PoolOrder, ABlockThatWasDeclaredForAnotherQueueStillComesAfterThePoolsQueue) {
  make_pool({home});
  clpool_mem* const mem = allocate();
  EXPECT_OK(clpool_mem_used_on(mem, other));
  stub_run_all();
  Gate gate(scene.cl.context);
  fill(home, mem, 1, &gate);
  EXPECT_OK(clpool_mem_release(mem));
  clpool_mem* const next = allocate_on(other);
  fill(other, next, 2);
  EXPECT_EQ(content_after(next, gate), 2);
}

/// A pool of one queue and a block that was allocated for another one, and goes back to that, which came after the pool's queue
/// before.
class HandedOutToTheOtherQueueAgain : public PoolOrder {
 protected:
  void SetUp() override {
    make_pool({home});
    clpool_mem* const mem = allocate_on(other);
    stub_run_all();
    handle = clpool_mem_handle(mem);
    ASSERT_EQ(clEnqueueBarrierWithWaitList(home, 1, gate.list(), nullptr), CL_SUCCESS);
    fill(other, mem, 1);
    EXPECT_OK(clpool_mem_release(mem));
  }
  /// True if its queue waits for what the pool's was given since.
  bool is_kept_up() {
    clpool_mem* const again = allocate_on(other);
    EXPECT_EQ(clpool_mem_handle(again), handle);
    fill(other, again, 2);
    stub_run_all();
    const bool is_filled = stub_memory(handle)[0] == 2;
    EXPECT_OK(clpool_mem_release(again));
    return !is_filled;
  }
  ~HandedOutToTheOtherQueueAgain() override { gate.open(); }
  Gate gate{scene.cl.context};
  cl_mem handle = nullptr;
};

TEST_F(HandedOutToTheOtherQueueAgain, ItWaitsForNothing) {
  const std::uint64_t markers = stub_calls("clEnqueueMarkerWithWaitList");
  const std::uint64_t barriers = stub_calls("clEnqueueBarrierWithWaitList");
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(is_kept_up());
  }
  EXPECT_EQ(stub_calls("clEnqueueMarkerWithWaitList"), markers);
  EXPECT_EQ(stub_calls("clEnqueueBarrierWithWaitList"), barriers);
}

TEST_F(HandedOutToTheOtherQueueAgain, ItWaitsWhereThePoolsQueueUsedItSince) {
  stub_run_all();
  EXPECT_OK(clpool_pool_tick(pool));
  stub_run_all();
  EXPECT_OK(clpool_pool_tick(pool));
  clpool_mem* const mem = allocate();
  ASSERT_EQ(clpool_mem_handle(mem), handle) << "its queue is through with it";
  fill(home, mem, 1);
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_TRUE(is_kept_up());
}

/// So that its queue need not come after these, and does not when the use of another one is declared.
TEST_F(PoolOrder, ABlockForOneOfSeveralQueuesIsNoneThatAnotherStillUses) {
  make_pool({home, other});
  EXPECT_OK(clpool_mem_release(allocate()));
  for (int i = 0; i < 2; ++i) {  // until the pool knows that its chunk exists
    stub_run_all();
    EXPECT_OK(clpool_pool_tick(pool));
  }
  clpool_mem* const used = allocate();
  const cl_mem handle = clpool_mem_handle(used);
  Gate gate(scene.cl.context);
  fill(home, used, 1, &gate);
  EXPECT_OK(clpool_mem_release(used));
  clpool_mem* const mem = allocate_on(other);
  EXPECT_NE(clpool_mem_handle(mem), handle);
  EXPECT_OK(clpool_mem_used_on(mem, third));
  fill(third, mem, 2);
  EXPECT_EQ(clFinish(third), CL_SUCCESS) << "what home was given does not keep it";
  EXPECT_OK(clpool_mem_release(mem));
  gate.open();
}

/// A pool of two queues and a block that `other` still uses, handed out to that queue again.
class HandedOutAgain : public PoolOrder {
 protected:
  void SetUp() override {
    make_pool({home, other});
    clpool_mem* const mem = allocate_on(other);
    stub_run_all();
    const cl_mem handle = clpool_mem_handle(mem);
    fill(other, mem, 1, &gate);
    EXPECT_OK(clpool_mem_release(mem));
    again = allocate_on(other);
    EXPECT_EQ(clpool_mem_handle(again), handle) << "its queue need not wait for itself";
  }
  Gate gate{scene.cl.context};
  clpool_mem* again = nullptr;
};

TEST_F(HandedOutAgain, ItIsWrittenByTheLibraryOnAnotherQueueAfterItsFormerCommands) {
  const std::vector<unsigned char> host(block_size, 2);
  EXPECT_OK(clpool_mem_write(home, again, 0, block_size, host.data(), block_size, 0, 0, nullptr, nullptr));
  EXPECT_EQ(content_after(again, gate), 2);
}

TEST_F(HandedOutAgain, AnotherQueueThatIsDeclaredComesAfterItsFormerCommands) {
  EXPECT_OK(clpool_mem_used_on(again, home));
  fill(home, again, 2);
  EXPECT_EQ(content_after(again, gate), 2);
}

TEST_F(HandedOutAgain, TheQueueThatItIsBoundToComesAfterItsFormerCommands) {
  EXPECT_OK(clpool_mem_bind_queue(again, third));
  fill(third, again, 2);
  EXPECT_EQ(content_after(again, gate), 2);
}

/// A block that is bound to a queue, whose command on it waits for the gate.
class BoundToAQueue : public PoolOrder {
 protected:
  void SetUp() override {
    make_pool({home});
    mem = allocate();
    stub_run_all();
    EXPECT_OK(clpool_mem_bind_queue(mem, other));
    stub_run_all();
    fill(other, mem, 1, &gate);
  }
  Gate gate{scene.cl.context};
  clpool_mem* mem = nullptr;
};

TEST_F(BoundToAQueue, CommandsOfTheQueueThatItIsBoundToNextComeAfterThoseOfTheFormer) {
  EXPECT_OK(clpool_mem_bind_queue(mem, third));
  fill(third, mem, 2);
  EXPECT_EQ(content_after(mem, gate), 2);
}

TEST_F(BoundToAQueue, NobodyWaitsForItsQueueAfterItWasUnbound) {
  gate.open();
  ASSERT_NE(stub_pending(other), 0U);
  EXPECT_OK(clpool_mem_unbind_queue(mem));
  EXPECT_EQ(stub_pending(other), 0U) << "the queue was waited for";
  EXPECT_EQ(content_after(mem, gate), 1);
}

TEST_F(HandedOutAgain, ThatItIsIdleIsNotSaidOfItsFormerCommands) {
  EXPECT_OK(clpool_mem_release_idle(again));
  clpool_mem* const next = allocate();
  fill(home, next, 2);
  EXPECT_EQ(content_after(next, gate), 2);
}

TEST_F(PoolOrder, ANewChunkIsReadyBeforeAnyQueueUsesIt) {
  make_pool({home, other});
  using Declare = std::function<clpool_mem*()>;
  const Declare ways[] = {
      [&] {
        clpool_mem* const mem = allocate();
        EXPECT_OK(clpool_mem_used_on(mem, third));
        return mem;
      },
      [&] { return allocate_on(third); },
      [&] {
        clpool_mem* const mem = allocate();
        const unsigned char value = 1;
        EXPECT_OK(clpool_mem_fill(third, mem, &value, 1, 0, block_size, 0, nullptr, nullptr));
        return mem;
      },
  };
  for (const Declare& declare : ways) {
    EXPECT_OK(clpool_pool_free_held(pool));
    Gate gate(scene.cl.context);
    ASSERT_EQ(clEnqueueBarrierWithWaitList(home, 1, gate.list(), nullptr), CL_SUCCESS);
    clpool_mem* const mem = declare();
    fill(third, mem, 2);
    EXPECT_EQ(content_after(mem, gate), 2);
    EXPECT_OK(clpool_pool_tick(pool));
    stub_run_all();
    EXPECT_OK(clpool_pool_tick(pool));
  }
}

TEST_F(PoolOrder, WhatADriverForgetsOfBarriersDoesNotMatter) {
  stub_configure("name=Portable Computing Language,forgets_barriers=1");
  const cl_command_queue overtaking = scene.queue;
  const AllocatorHandle allocator = immediate_allocator(overtaking);
  Gate gate(scene.cl.context);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(overtaking, 1, gate.list(), nullptr), CL_SUCCESS);
  clpool_mem* first = nullptr;
  ASSERT_OK(clpool_allocator_allocate(allocator.get(), block_size, &first));
  const OwnedMem mem(first);
  make_pool({home});
  clpool_mem* const used = allocate();
  EXPECT_OK(clpool_mem_used_on(used, overtaking));
  OwnedEvent filled;
  const unsigned char value = 2;
  ASSERT_OK(clpool_mem_fill(overtaking, first, &value, 1, 0, block_size, 0, nullptr, filled.receive()));
  stub_run_all();
  EXPECT_FALSE(filled.is_complete()) << "it overtook what makes the memory resident";
  gate.open();
  stub_run_all();
  EXPECT_EQ(stub_memory(clpool_mem_handle(first))[0], value);
  EXPECT_OK(clpool_mem_release(used));
}

TEST_F(PoolOrder, AnOrderThatADriverCannotKeepIsAnError) {
  stub_configure("name=Portable Computing Language,forgets_barriers=1");
  make_pool({home});
  for (const std::uint64_t nth : {1, 2}) {  // behind the block's queue; before the barrier of the other
    clpool_mem* const mem = allocate();
    stub_fail("clEnqueueMarkerWithWaitList", nth, CL_INVALID_OPERATION);
    EXPECT_EQ(clpool_mem_used_on(mem, scene.queue), CLPOOL_ERROR_OPENCL) << nth;
    EXPECT_EQ(stub_failures(), 1U) << nth;
    stub_fail_none();
    EXPECT_OK(clpool_mem_release(mem));
  }
}

TEST_F(PoolOrder, NoCommandIsEnqueuedWhoseOrderTheDriverRefuses) {
  make_pool({home});
  clpool_mem* const target = scene.memory(Side::buffer, target_byte);
  unsigned char host[64] = {};
  clpool_box box = CLPOOL_BOX_INIT;
  box.region[0] = box.region[1] = 8;
  box.region[2] = 1;
  const std::pair<const char*, std::function<clpool_status(clpool_mem*)>> commands[] = {
      {"fill",
       [&](clpool_mem* mem) { return clpool_mem_fill(other, mem, host, 1, 0, 64, 0, nullptr, nullptr); }},
      {"read",
       [&](clpool_mem* mem) { return clpool_mem_read(other, mem, 0, 64, host, 64, 0, 0, nullptr, nullptr); }},
      {"write",
       [&](clpool_mem* mem) {
         return clpool_mem_write(other, mem, 0, 64, host, 64, 0, 0, nullptr, nullptr);
       }},
      {"copy from",
       [&](clpool_mem* mem) { return clpool_mem_copy(other, target, 0, mem, 0, 64, 0, nullptr, nullptr); }},
      {"copy to",
       [&](clpool_mem* mem) { return clpool_mem_copy(other, mem, 0, target, 0, 64, 0, nullptr, nullptr); }},
      {"read box",
       [&](clpool_mem* mem) {
         return clpool_mem_read_box(other, mem, &box, host, 64, 0, 0, nullptr, nullptr);
       }},
      {"write box",
       [&](clpool_mem* mem) {
         return clpool_mem_write_box(other, mem, &box, host, 64, 0, 0, nullptr, nullptr);
       }},
      {"copy box from",
       [&](clpool_mem* mem) { return clpool_mem_copy_box(other, target, mem, &box, 0, nullptr, nullptr); }},
      {"copy box to",
       [&](clpool_mem* mem) { return clpool_mem_copy_box(other, mem, target, &box, 0, nullptr, nullptr); }},
      {"migrate",
       [&](clpool_mem* mem) { return clpool_mem_migrate(other, &mem, 1, 0, 0, nullptr, nullptr); }}};
  for (const auto& [name, command] : commands) {
    clpool_mem* const mem = allocate();
    stub_run_all();
    stub_fail("clEnqueueMarkerWithWaitList", 1, CL_INVALID_OPERATION);
    EXPECT_EQ(command(mem), CLPOOL_ERROR_OPENCL) << name;
    EXPECT_EQ(stub_failures(), 1U) << name;
    EXPECT_EQ(stub_pending(other), 0U) << name;
    stub_fail_none();
    EXPECT_OK(clpool_mem_release(mem));
  }
}

/// Behind the block's queue; behind what makes its chunk ready.
TEST_F(PoolOrder, NoUseIsDeclaredWhoseOrderTheDriverRefuses) {
  make_pool({home, scene.queue});
  for (const std::uint64_t nth : {1, 2}) {
    clpool_mem* const mem = allocate();  // of which nothing has run yet
    stub_fail("clEnqueueBarrierWithWaitList", nth, CL_INVALID_OPERATION);
    EXPECT_EQ(clpool_mem_used_on(mem, third), CLPOOL_ERROR_OPENCL) << nth;
    EXPECT_EQ(stub_failures(), 1U) << nth;
    stub_fail_none();
    EXPECT_OK(clpool_mem_release(mem));
  }
}

TEST_F(PoolOrder, AQueueThatWaitedForAChunkOnceWaitsNoMore) {
  make_pool({home, other});
  EXPECT_OK(clpool_mem_release(allocate()));
  stub_run_all();
  EXPECT_OK(clpool_pool_tick(pool));
  stub_run_all();
  EXPECT_OK(clpool_pool_tick(pool));
  const std::uint64_t before = stub_calls("clEnqueueBarrierWithWaitList");
  clpool_mem* const mem = allocate();
  EXPECT_OK(clpool_mem_used_on(mem, third));
  EXPECT_EQ(stub_calls("clEnqueueBarrierWithWaitList"), before);
  EXPECT_OK(clpool_mem_release(mem));
}

TEST_F(PoolOrder, AnIdleReleaseFreesNoSharedMemoryUnderItsFormerCommands) {
  make_pool({home}, true);
  clpool_mem* const mem = allocate();
  void* const place = clpool_mem_pointer(mem);
  Gate gate(scene.cl.context);
  fill(home, mem, 1, &gate);
  EXPECT_OK(clpool_mem_release(mem));
  clpool_mem* const next = allocate();
  EXPECT_EQ(clpool_mem_pointer(next), place) << "by the order of the queue";
  EXPECT_OK(clpool_pool_stop_holding(pool));
  EXPECT_OK(clpool_mem_release_idle(next));  // its new owner has not used it
  stub_run_all();
  gate.open();
  stub_run_all();  // the stub ends the process if the memory was freed
}

TEST_F(PoolOrder, ADeclaredQueueThatIsThroughFreesNoSharedMemoryUnderThePoolsQueue) {
  make_pool({home}, true);
  clpool_mem* const mem = allocate();
  EXPECT_OK(clpool_mem_used_on(mem, other));
  stub_run_all();
  Gate gate(scene.cl.context);
  fill(home, mem, 1, &gate);
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_OK(clpool_pool_tick(pool));
  while (stub_run_next(other) != 0) {
  }
  EXPECT_OK(clpool_pool_tick(pool));
  EXPECT_OK(clpool_pool_free_held(pool));
  stub_run_all();
  gate.open();
  stub_run_all();
}

TEST_F(PoolOrder, ADeclarationThatFailsChangesNothing) {
  make_pool({home, other});
  clpool_mem* const mem = allocate();
  stub_fail("clRetainCommandQueue", 1, CL_OUT_OF_RESOURCES);
  EXPECT_NE(clpool_mem_used_on(mem, third), CLPOOL_SUCCESS);
  stub_fail_none();
  const cl_command_queue fourth = scene.cl.another_queue();
  EXPECT_OK(clpool_mem_used_on(mem, fourth));
  Gate gate(scene.cl.context);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(third, 1, gate.list(), nullptr), CL_SUCCESS);
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_OK(clpool_pool_tick(pool));
  stub_run_all();
  EXPECT_OK(clpool_pool_tick(pool));
  clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
  ASSERT_OK(clpool_pool_statistics(pool, &stats));
  EXPECT_EQ(stats.pending_bytes, 0u) << "the queue that could not be retained is not waited for";
}

TEST_F(PoolOrder, QueuesAndEventsOfOneBlockAreBothWaitedForWhenAPoolOfCustomMemoryEnds) {
  stub_configure("mode=worker");
  Messages messages;
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  callbacks.message = Messages::receive;
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.callbacks = &callbacks;
  options.user = &messages;
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  PoolHandle ending = test::make_pool(allocator.get(), options);
  MemHandle mem = test::allocate(ending, block_size);
  ASSERT_EQ(clpool_mem_used_on(mem.get(), other), CLPOOL_SUCCESS);
  Gate gate(scene.cl.context);
  ASSERT_EQ(clpool_mem_release_after(mem.get(), 1, gate.list()), CLPOOL_SUCCESS);
  mem.reset();
  gate.open();
  ending.reset();
  EXPECT_EQ(messages.count(CLPOOL_MESSAGE_ERROR, ""), 0u) << "everything had ended";
  EXPECT_EQ(numbers.live_chunks(), 0u);
}

TEST_F(PoolOrder, WhatIsThroughIsGivenBackWhetherOrNotItWasWaitedForInVainBefore) {
  for (const bool trims : {false, true}) {
    const auto give_back = [&] { return trims ? clpool_pool_trim(pool, 0) : clpool_pool_free_held(pool); };
    make_pool({home}, true);
    MemHandle first(allocate());
    MemHandle second(allocate());
    Gate gate(scene.cl.context);
    ASSERT_OK(clpool_mem_used_on(first.get(), other));
    for (cl_command_queue queue : {home, other}) {
      ASSERT_EQ(clEnqueueBarrierWithWaitList(queue, 1, gate.list(), nullptr), CL_SUCCESS);
    }
    first.reset();
    second.reset();
    EXPECT_OK(give_back());
    EXPECT_NE(stub_device_bytes(), 0u);
    gate.open();
    stub_set_hook([](const char*, void*) { stub_run_all(); }, nullptr);
    EXPECT_OK(give_back());
    stub_set_hook(nullptr, nullptr);
    EXPECT_EQ(stub_device_bytes(), 0u);
    EXPECT_OK(clpool_pool_release(std::exchange(pool, nullptr)));
  }
}

TEST_F(PoolOrder, AChunkMadeForOneBlockIsTouchedToo) {
  stub_configure("nvidia=1,align=512");
  clpool_allocator* allocator = nullptr;
  ASSERT_OK(clpool_allocator_create_deferred(scene.cl.context, 0, &allocator));
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = &home;
  options.queue_count = 1;
  ASSERT_OK(clpool_pool_create(allocator, &options, &pool));
  EXPECT_OK(clpool_allocator_release(allocator));
  clpool_mem* whole = nullptr;
  ASSERT_OK(clpool_pool_allocate(pool, 1 << 20, &whole));
  EXPECT_OK(clpool_mem_release(whole));
  clpool_mem* const part = allocate();
  clpool_mem* const next = allocate();
  fill(home, part, 1);
  fill(home, next, 1);
  EXPECT_EQ(stub_count("first_use_waits"), 0u);
  EXPECT_OK(clpool_mem_release(next));
  EXPECT_OK(clpool_mem_release(part));
}

}  // namespace
}  // namespace clpool::test
