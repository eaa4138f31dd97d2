// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What comes before the commands on a block that a pool hands out: earlier commands on the same memory, on
// whatever queue they are, and what made its chunk.
#include <atomic>
#include <memory>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

constexpr std::size_t block_size = 4096;

class PoolOrder : public testing::Test {
 protected:
  ~PoolOrder() override {
    stub_run_all();
    if (pool != nullptr) {
      EXPECT_OK(clpool_pool_tick(pool));
      stub_run_all();
      EXPECT_OK(clpool_pool_release(pool));
    }
  }

  void make_pool(std::vector<cl_command_queue> queues, bool svm = false) {
    clpool_allocator* allocator = nullptr;
    ASSERT_OK(svm ? clpool_allocator_create_svm(scene.cl.context, 0, 0, nullptr, &allocator)
                  : clpool_allocator_create_immediate(home, 0, &allocator));
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = queues.data();
    options.queue_count = static_cast<std::uint32_t>(queues.size());
    ASSERT_OK(clpool_pool_create(allocator, &options, &pool));
    EXPECT_OK(clpool_allocator_release(allocator));
  }
  clpool_mem* allocate() {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_pool_allocate(pool, block_size, &mem));
    return mem;
  }
  clpool_mem* allocate_on(cl_command_queue queue) {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_pool_allocate_on(pool, queue, block_size, &mem));
    return mem;
  }
  /// A command of the program's own, of which the library knows nothing.
  void fill(cl_command_queue queue, clpool_mem* mem, unsigned char value, const Gate* gate = nullptr) {
    const cl_event event = gate != nullptr ? gate->get() : nullptr;
    const cl_uint count = gate != nullptr ? 1 : 0;
    const cl_event* const waits = gate != nullptr ? &event : nullptr;
    void* const pointer = clpool_mem_pointer(mem);
    ASSERT_EQ(pointer != nullptr
                  ? clEnqueueSVMMemFill(queue, pointer, &value, 1, block_size, count, waits, nullptr)
                  : clEnqueueFillBuffer(queue, clpool_mem_handle(mem), &value, 1, 0, block_size, count, waits,
                                        nullptr),
              CL_SUCCESS);
    clFlush(queue);
  }
  /// Opens the gate after all that may run before it, and tells what the block has in the end.
  unsigned char content_after(clpool_mem* mem, Gate& gate) {
    stub_run_all();
    gate.open();
    stub_run_all();
    const unsigned char value = stub_memory(clpool_mem_handle(mem))[0];
    EXPECT_OK(clpool_mem_release(mem));
    return value;
  }

  Scene scene;
  cl_command_queue home = scene.cl.queue;
  cl_command_queue other = scene.cl.another_queue();
  cl_command_queue third = scene.cl.another_queue();
  clpool_pool* pool = nullptr;
};

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

TEST_F(PoolOrder, ADeclaredQueueComesAfterThePoolsQueue) {
  make_pool({home});
  clpool_mem* const mem = allocate();
  Gate gate(scene.cl.context);
  fill(home, mem, 1, &gate);
  EXPECT_OK(clpool_mem_used_on(mem, other));
  fill(other, mem, 2);
  EXPECT_EQ(content_after(mem, gate), 2);
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
  clpool_allocator* made = nullptr;
  ASSERT_OK(clpool_allocator_create_immediate(overtaking, 0, &made));
  const AllocatorHandle allocator(made);
  Gate gate(scene.cl.context);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(overtaking, 1, gate.list(), nullptr), CL_SUCCESS);
  clpool_mem* first = nullptr;
  ASSERT_OK(clpool_allocator_allocate(made, block_size, &first));
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

/// Commands that fail one after the other, in a queue whose markers fail with them.
class FailingCommands : public PoolOrder, public testing::WithParamInterface<int> {
 protected:
  /// Has a block used behind `gate`.
  void use_a_block() {
    stub_configure("fails_markers=1");
    make_pool({home, overtaking});
    mem = allocate();
    stub_run_all();
    fill(overtaking, mem, 1, &gate);
  }
  const cl_command_queue overtaking = scene.queue;
  Gate gate{scene.cl.context};
  clpool_mem* mem = nullptr;
};

TEST_P(FailingCommands, DoNotFreeTheBlockOfOneThatStillRuns) {
  use_a_block();
  std::vector<std::unique_ptr<Gate>> failing;
  for (int i = 0; i < GetParam(); ++i) {
    failing.push_back(std::make_unique<Gate>(scene.cl.context));
    fill(overtaking, mem, 1, failing.back().get());
  }
  EXPECT_OK(clpool_mem_release(mem));
  for (const std::unique_ptr<Gate>& one : failing) {
    EXPECT_OK(clpool_pool_tick(pool));  // marks the queues behind them
    stub_run_all();
    ASSERT_EQ(clSetUserEventStatus(one->get(), -1), CL_SUCCESS);
    stub_run_all();
  }
  EXPECT_OK(clpool_pool_tick(pool));
  EXPECT_NE(stats_of(pool).pending_bytes, 0U);
  clpool_mem* const next = allocate();
  fill(home, next, 2);
  EXPECT_EQ(content_after(next, gate), 2);
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(clpool_pool_tick(pool));
    stub_run_all();
  }
  EXPECT_EQ(stats_of(pool).pending_bytes, 0U);
}

TEST_P(FailingCommands, DoNotFreeABlockWhileTheDriverLacksMemoryForMarkers) {
  use_a_block();
  Gate failing(scene.cl.context);
  fill(overtaking, mem, 1, &failing);
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_OK(clpool_pool_tick(pool));
  stub_run_all();
  ASSERT_EQ(clSetUserEventStatus(failing.get(), -1), CL_SUCCESS);
  stub_run_all();
  stub_fail_from("clEnqueueMarkerWithWaitList", 1, CL_OUT_OF_HOST_MEMORY);
  for (int i = 0; i < 100; ++i) {
    EXPECT_OK(clpool_pool_tick(pool));
  }
  EXPECT_NE(stats_of(pool).pending_bytes, 0U);
  stub_fail_none();
  gate.open();
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(clpool_pool_tick(pool));
    stub_run_all();
  }
  EXPECT_OK(clpool_pool_tick(pool));
  EXPECT_EQ(stats_of(pool).pending_bytes, 0U);
}

TEST_F(PoolOrder, HoweverManyMarkersFailedOneNewOneStandsForAll) {
  stub_configure("fails_markers=1");
  make_pool({home, scene.queue});
  std::vector<clpool_mem*> blocks(30);
  for (clpool_mem*& block : blocks) {
    block = allocate();
  }
  stub_run_all();
  Gate failing(scene.cl.context);
  fill(scene.queue, blocks[0], 1, &failing);
  for (clpool_mem* const block : blocks) {
    EXPECT_OK(clpool_mem_release(block));
    EXPECT_OK(clpool_pool_tick(pool));
  }
  failing.open(-1);
  stub_run_all();
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(clpool_pool_tick(pool));
    stub_run_all();
  }
  EXPECT_EQ(stats_of(pool).pending_bytes, 0U);
}

TEST_F(PoolOrder, AMarkerThatStandsForLaterReleasesWaitsForTheirOtherQueuesToo) {
  stub_configure("fails_markers=1");
  make_pool({scene.queue, home});
  clpool_mem* const first = allocate();
  clpool_mem* const second = allocate();
  stub_run_all();
  Gate failing(scene.cl.context);
  Gate gate(scene.cl.context);
  fill(scene.queue, first, 1, &failing);
  EXPECT_OK(clpool_mem_release(first));
  EXPECT_OK(clpool_pool_tick(pool));
  fill(home, second, 1, &gate);
  EXPECT_OK(clpool_mem_release(second));
  EXPECT_OK(clpool_pool_tick(pool));
  stub_run_all();
  failing.open(-1);
  for (int i = 0; i < 3; ++i) {
    stub_run_all();
    EXPECT_OK(clpool_pool_tick(pool));
  }
  EXPECT_NE(stats_of(pool).pending_bytes, 0U) << "the second block is still to be filled";
  gate.open();
  stub_run_all();
  EXPECT_OK(clpool_pool_tick(pool));
  EXPECT_EQ(stats_of(pool).pending_bytes, 0U);
}

/// Two threads that look at the same time, in this order: the first has the first epoch in hand, the second takes the second
/// one, the first puts its own back, then the second.
class TwoLooks {
 public:
  explicit TwoLooks(clpool_pool* pool) {
    stub_set_hook(
        [](const char* entry, void* self) {
          static_cast<TwoLooks*>(self)->asked(std::string_view(entry) == "clGetEventInfo");
        },
        this);
    std::thread first([&] {
      which_ = 1;
      EXPECT_OK(clpool_pool_tick(pool));
      go_on(3);
    });
    std::thread second([&] {
      wait_for(1);
      which_ = 2;
      EXPECT_OK(clpool_pool_tick(pool));
    });
    first.join();
    second.join();
    stub_set_hook(nullptr, nullptr);
  }

 private:
  void asked(bool about_an_event) {
    if (about_an_event && which_ == 1 && stage_ == 0) {
      go_on(1);
      wait_for(2);
    } else if (about_an_event && which_ == 2 && stage_ == 1) {
      go_on(2);
      wait_for(3);
    }
  }
  void go_on(int stage) {
    stage_ = stage;
    stage_.notify_all();
  }
  void wait_for(int stage) {
    for (int now = stage_; now < stage; now = stage_) {
      stage_.wait(now);
    }
  }

  std::atomic<int> stage_{0};
  static thread_local int which_;
};
thread_local int TwoLooks::which_ = 0;

TEST_F(PoolOrder, NoEpochIsLostWhereTwoThreadsMarkAnew) {
  stub_configure("fails_markers=1");
  make_pool({home, scene.queue});
  clpool_mem* const first = allocate();
  clpool_mem* const second = allocate();
  stub_run_all();
  Gate failing(scene.cl.context);
  fill(scene.queue, first, 1, &failing);
  for (clpool_mem* const block : {first, second}) {
    EXPECT_OK(clpool_mem_release(block));
    EXPECT_OK(clpool_pool_tick(pool));
  }
  failing.open(-1);
  stub_run_all();
  const TwoLooks looks(pool);
  for (int i = 0; i < 6; ++i) {
    stub_run_all();
    EXPECT_OK(clpool_pool_tick(pool));
  }
  EXPECT_EQ(stats_of(pool).pending_bytes, 0U);
}

TEST_F(PoolOrder, AQueueThatTakesNoMarkersSaysNothingOfAnother) {
  stub_configure("fails_markers=1");
  const cl_command_queue dead = scene.queue;
  const cl_command_queue living = scene.cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  make_pool({dead, living});
  clpool_mem* const mem = allocate();
  clpool_mem* const scratch = allocate();
  stub_run_all();
  Gate gate(scene.cl.context);
  Gate failing_first(scene.cl.context);
  Gate failing_later(scene.cl.context);
  fill(living, mem, 1, &gate);
  fill(dead, scratch, 1, &failing_first);
  fill(living, scratch, 1, &failing_later);
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_OK(clpool_pool_tick(pool));
  stub_run_all();
  ASSERT_EQ(clSetUserEventStatus(failing_first.get(), -1), CL_SUCCESS);
  stub_run_all();
  stub_fail_from("clEnqueueMarkerWithWaitList", 1, CL_INVALID_COMMAND_QUEUE);
  for (int i = 0; i < 40; ++i) {
    EXPECT_OK(clpool_pool_tick(pool));
  }
  stub_fail_none();
  ASSERT_EQ(clSetUserEventStatus(failing_later.get(), -1), CL_SUCCESS);
  for (int i = 0; i < 3; ++i) {
    stub_run_all();
    EXPECT_OK(clpool_pool_tick(pool));
  }
  EXPECT_NE(stats_of(pool).pending_bytes, 0U);
  gate.open();
  for (int i = 0; i < 3; ++i) {
    stub_run_all();
    EXPECT_OK(clpool_pool_tick(pool));
  }
  EXPECT_EQ(stats_of(pool).pending_bytes, 0U);
  EXPECT_OK(clpool_mem_release(scratch));
}
INSTANTIATE_TEST_SUITE_P(HoweverMany, FailingCommands, testing::Values(1, 20));

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

TEST_F(PoolOrder, AQueueThatThePoolAdoptsIsWaitedForByBlocksThatWereUsedElsewhereBefore) {
  stub_configure("svm=atomics");
  for (const bool binds : {false, true}) {
    clpool_allocator* made = nullptr;
    ASSERT_OK(clpool_allocator_create_svm(scene.cl.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 0, nullptr, &made));
    const AllocatorHandle allocator(made);
    const PoolHandle svm = test::make_pool(allocator.get());
    MemHandle mem = test::allocate(svm, block_size);
    const void* const address = clpool_mem_pointer(mem.get());
    const unsigned char value = 1;
    Gate gate(scene.cl.context);
    if (binds) {
      ASSERT_OK(clpool_mem_bind_queue(mem.get(), other));
    } else {
      ASSERT_OK(clpool_mem_fill(scene.queue, mem.get(), &value, 1, 0, block_size, 0, nullptr, nullptr));
    }
    ASSERT_OK(clpool_mem_fill(home, mem.get(), &value, 1, 0, block_size, 1, gate.list(), nullptr));
    mem.reset();
    for (int i = 0; i < 3; ++i) {
      stub_run_all();
      EXPECT_OK(clpool_pool_tick(svm.get()));
    }
    EXPECT_NE(clpool_mem_pointer(test::allocate(svm, block_size).get()), address)
        << "the second command still runs";
    gate.open();
    stub_run_all();
  }
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
