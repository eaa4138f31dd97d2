// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Uses that a program declares: which queues a released block waits for, and that nothing of them is left.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "orderings/declared_uses.hpp"
#include "support/sleeps.hpp"

namespace clpool::test {
namespace {

TEST_F(DeclaredUses, OfOneQueueWaitForNoOther) {
  make({home});
  clpool_mem* second = nullptr;
  ASSERT_OK(clpool_pool_allocate(pool.get(), block_size, &second));
  stub_run_all();
  Gate gates[] = {Gate(scene.cl.context), Gate(scene.cl.context)};
  hold_up(third, gates[0]);
  ASSERT_OK(clpool_mem_used_on(mem, third));
  std::swap(mem, second);
  hold_up(fourth, gates[1]);
  ASSERT_OK(clpool_mem_used_on(mem, fourth));
  ASSERT_OK(clpool_mem_release(mem));
  ASSERT_OK(clpool_mem_release(second));
  EXPECT_EQ(pending(), 2 * block_size);
  gates[0].open();
  EXPECT_EQ(pending(), block_size) << "the other queue still uses its block";
  gates[1].open();
  EXPECT_EQ(pending(), 0U);
}

TEST_F(DeclaredUses, OfAPoolOverSeveralQueuesWaitForTheseToo) {
  make({home, other});
  Gate gate(scene.cl.context);
  hold_up(other, gate);
  ASSERT_OK(clpool_mem_used_on(mem, third));
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_GT(pending(), 0U);
  gate.open();
  EXPECT_EQ(pending(), 0U);
}

TEST_F(DeclaredUses, OfAPoolOverOneQueueWaitForTheDeclaredOnes) {
  make({home});
  Gate gate(scene.cl.context);
  hold_up(third, gate);
  ASSERT_OK(clpool_mem_used_on(mem, fourth));
  ASSERT_OK(clpool_mem_used_on(mem, third));
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_GT(pending(), 0U);
  gate.open();
  EXPECT_EQ(pending(), 0U);
}

TEST_F(DeclaredUses, LastLongerThanTheBlockIsBoundToTheirQueue) {
  make({home});
  for (const bool unbinds : {true, false}) {
    ASSERT_OK(clpool_mem_bind_queue(mem, other));
    ASSERT_OK(clpool_mem_used_on(mem, other));
    ASSERT_OK(unbinds ? clpool_mem_unbind_queue(mem) : clpool_mem_bind_queue(mem, third));
    Gate gate(scene.cl.context);
    hold_up(other, gate);
    ASSERT_OK(clpool_mem_release(mem));
    EXPECT_GT(pending(), 0U);
    gate.open();
    EXPECT_EQ(pending(), 0U);
    ASSERT_OK(clpool_pool_allocate(pool.get(), block_size, &mem));
  }
  EXPECT_OK(clpool_mem_release(mem));
}

/// What made a block's chunk is all that such a queue waits for, and no longer than it takes.
TEST_F(DeclaredUses, OfAQueueThatIsNoneOfThePoolsWaitForNoneOfThese) {
  make({home, other});
  clpool_mem* block = nullptr;
  ASSERT_OK(clpool_pool_allocate_on(pool.get(), third, block_size, &block));
  stub_run_all();
  ASSERT_OK(clpool_mem_release(block));
  Gate gate(scene.cl.context);
  hold_up(home, gate);
  hold_up(other, gate);
  ASSERT_OK(clpool_pool_allocate_on(pool.get(), third, block_size, &block));
  ASSERT_EQ(clEnqueueFillBuffer(third, clpool_mem_handle(block), &source_byte, 1, 0, block_size, 0, nullptr,
                                nullptr),
            CL_SUCCESS);
  EXPECT_EQ(clFinish(third), CL_SUCCESS);
  ASSERT_OK(clpool_mem_release(block));
  gate.open();
  EXPECT_EQ(pending(), 0U);
  ASSERT_OK(clpool_mem_release(mem));
}

TEST_F(DeclaredUses, KeepTheirQueuesNoLongerThanTheyLast) {
  make({home});
  const std::int64_t before = queue_references();
  ASSERT_OK(clpool_mem_used_on(mem, third));
  ASSERT_OK(clpool_mem_used_on(mem, fourth));
  EXPECT_GT(queue_references(), before);
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(pending(), 0U);
  EXPECT_EQ(queue_references(), before);
}

/// A block that a queue still uses is handed out to that queue again, but the marker that orders it behind the pool's own is
/// refused: what was known of the queue's commands is known still.
TEST_F(DeclaredUses, OfABlockThatCouldNotBeHandedOutAgainAreKept) {
  make({home});
  clpool_mem* block = nullptr;
  ASSERT_OK(clpool_pool_allocate(pool.get(), 4 * block_size, &block));
  ASSERT_OK(clpool_mem_used_on(block, third));
  stub_run_all();
  Gate gate(scene.cl.context);
  std::swap(mem, block);
  hold_up(third, gate);
  std::swap(mem, block);
  ASSERT_OK(clpool_mem_release(block));
  const std::uint64_t held_back = pending();
  ASSERT_GE(held_back, 4 * block_size);
  clpool_mem* again = nullptr;
  stub_fail("clEnqueueMarkerWithWaitList", 1, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(clpool_pool_allocate_on(pool.get(), third, 4 * block_size, &again), CLPOOL_ERROR_OUT_OF_MEMORY);
  stub_fail_none();
  EXPECT_EQ(again, nullptr);
  EXPECT_EQ(pending(), held_back);
  const std::uint64_t barriers = stub_calls("clEnqueueBarrierWithWaitList");
  ASSERT_OK(clpool_pool_allocate_on(pool.get(), third, 4 * block_size, &again));
  EXPECT_EQ(stub_calls("clEnqueueBarrierWithWaitList"), barriers + 1) << "nothing of the first try orders it";
  ASSERT_OK(clpool_mem_release(again));
  gate.open();
  EXPECT_EQ(pending(), 0U);
  ASSERT_OK(clpool_mem_release(mem));
}

TEST_F(DeclaredUses, OfManyBlocksOfAQueueServeItBeforeThePoolGrows) {
  constexpr std::size_t count = 300;
  make({home});
  Gate gate(scene.cl.context);
  std::array<clpool_mem*, count> blocks{};
  const auto take = [&](std::size_t i) {
    ASSERT_OK(clpool_pool_allocate_on(pool.get(), third, (i + 1) * block_size, &blocks[i]));
    use(third, blocks[i]);
  };
  for (std::size_t i = 0; i < count; ++i) {
    take(i);
  }
  stub_run_all();
  hold_up(third, gate);
  for (clpool_mem* const block : blocks) {
    ASSERT_OK(clpool_mem_release(block));
  }
  const std::uint64_t managed = stats_of(pool).managed_bytes;
  for (std::size_t i = count; i-- > 0;) {
    take(i);
  }
  EXPECT_EQ(stats_of(pool).managed_bytes, managed);
  for (clpool_mem* const block : blocks) {
    ASSERT_OK(clpool_mem_release(block));
  }
  gate.open();
  EXPECT_EQ(pending(), 0U);
  ASSERT_OK(clpool_mem_release(mem));
}

/// A queue is far behind, and what is asked for it is one block of 1 MiB at a time, and small ones of ever other sizes.
TEST_F(DeclaredUses, OfSizesThatNeverComeAgainHideNoOthers) {
  constexpr std::size_t mib = std::size_t{1} << 20;
  constexpr std::size_t granule = 256;
  make({home}, 8 * mib);
  Gate gate(scene.cl.context);
  hold_up(third, gate);
  std::vector<clpool_mem*> front(1000);
  for (clpool_mem*& block : front) {
    ASSERT_OK(clpool_pool_allocate_on(pool.get(), third, granule, &block));
    use(third, block);
  }
  for (clpool_mem* const block : front) {
    ASSERT_OK(clpool_mem_release(block));
  }
  for (std::size_t i = 0; i < 150; ++i) {
    for (const std::size_t size : {block_size + i * granule, mib}) {
      clpool_mem* block = nullptr;
      ASSERT_OK(clpool_pool_allocate_on(pool.get(), third, size, &block)) << i;
      use(third, block);
      ASSERT_OK(clpool_mem_release(block));
    }
  }
  gate.open();
  EXPECT_EQ(pending(), 0U);
  ASSERT_OK(clpool_mem_release(mem));
}

/// The last other block of a queue comes home, idle, at the moment at which a block is handed out to that
/// queue again: what is known of the queue stays.
TEST_F(DeclaredUses, StayWhileTheLastOtherBlockOfTheQueueComesHome) {
  make({home});
  clpool_mem* first = nullptr;
  clpool_mem* second = nullptr;
  ASSERT_OK(clpool_pool_allocate_on(pool.get(), third, 4 * block_size - 100, &first));
  ASSERT_OK(clpool_pool_allocate_on(pool.get(), third, block_size, &second));
  Gate gate(scene.cl.context);
  std::swap(mem, first);
  hold_up(third, gate);
  std::swap(mem, first);
  ASSERT_OK(clpool_mem_release(first));
  std::thread([&] { ASSERT_OK(clpool_mem_release_idle(second)); }).join();
  // A new peak of what is handed out, for which the pool takes in what other threads released.
  ASSERT_OK(clpool_pool_allocate_on(pool.get(), third, 4 * block_size, &first));
  ASSERT_OK(clpool_mem_release(first));
  EXPECT_EQ(pending(), 4 * block_size);
  gate.open();
  EXPECT_EQ(pending(), 0U);
  ASSERT_OK(clpool_mem_release(mem));
}

/// As of a buffer that a program uses in a loop as long as it runs.
TEST_F(DeclaredUses, OfALivingBlockAreForgottenWhenTheyHaveEnded) {
  constexpr int count = 10'000;
  make({home});
  Gate gate(scene.cl.context);
  ASSERT_OK(clpool_mem_release_after(mem, 1, gate.list()));
  const std::int64_t events = live_events();
  const std::uint64_t asked = stub_calls("clGetEventInfo");
  std::int64_t most = 0;
  for (int i = 0; i < count; ++i) {
    OwnedEvent used;
    ASSERT_EQ(clEnqueueMarkerWithWaitList(third, 0, nullptr, used.receive()), CL_SUCCESS);
    stub_run_all();
    const cl_event event = used.get();
    ASSERT_OK(clpool_mem_release_after(mem, 1, &event));
    most = std::max(most, live_events() - events);
  }
  EXPECT_LE(most, 65);
  EXPECT_LE(stub_calls("clGetEventInfo") - asked, 2U * count) << "however long it lives";
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(pending(), block_size) << "the event from before all these has not ended";
  gate.open();
  EXPECT_EQ(pending(), 0U);
}

TEST_F(DeclaredUses, OfALivingBlockAreAskedAboutRarelyWhileTheyRun) {
  constexpr std::uint64_t count = 4000;
  make({home});
  Gate gate(scene.cl.context);
  const std::uint64_t asked = stub_calls("clGetEventInfo");
  for (std::uint64_t i = 0; i < count; ++i) {
    ASSERT_OK(clpool_mem_release_after(mem, 1, gate.list()));
  }
  EXPECT_LE(stub_calls("clGetEventInfo") - asked, 2 * count);
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(pending(), block_size);
  gate.open();
  EXPECT_EQ(pending_at_last(), 0U);
}

/// However many events were waited for in vain, a request asks about each of them once at most.
TEST_F(DeclaredUses, ThatNeverEndCostARequestLittle) {
  make({home});
  Gate gate(scene.cl.context);
  std::vector<clpool_mem*> mems(2000);
  for (clpool_mem*& each : mems) {
    ASSERT_OK(clpool_pool_allocate(pool.get(), block_size, &each));
  }
  for (clpool_mem* each : mems) {
    ASSERT_OK(clpool_mem_release_after(each, 1, gate.list()));
    ASSERT_OK(clpool_mem_release(each));
  }
  clpool_mem* large = nullptr;
  for (std::size_t mib = 64; mib < 80; ++mib) {  // which wait for them in vain, until that is enough
    ASSERT_OK(clpool_pool_allocate(pool.get(), mib << 20, &large));
    ASSERT_OK(clpool_mem_release_after(large, 1, gate.list()));
    ASSERT_OK(clpool_mem_release(large));
  }
  ASSERT_OK(clpool_pool_allocate(pool.get(), 100 << 20, &large));
  ASSERT_OK(clpool_mem_release(large));
  stub_run_all();  // so that there is something to settle again
  const std::uint64_t asked = stub_calls("clGetEventInfo");
  ASSERT_OK(clpool_pool_allocate(pool.get(), 200 << 20, &large));
  EXPECT_LT(stub_calls("clGetEventInfo") - asked, mems.size() + 500U) << "once about each";
  gate.open();
  EXPECT_EQ(pending_at_last(), 0U) << "looks find them all";
  ASSERT_OK(clpool_mem_release(large));
  ASSERT_OK(clpool_mem_release(mem));
}

/// Ten milliseconds for each set of queues would be a second.
TEST_F(DeclaredUses, OfManySetsOfQueuesThatGetNowhereAreNotWaitedForOneAfterTheOther) {
  constexpr std::size_t count = 14;  // and 91 pairs of them
  make({home});
  Gate gate(scene.cl.context);
  std::vector<cl_command_queue> queues;
  for (std::size_t i = 0; i < count; ++i) {
    cl_int code = CL_SUCCESS;
    queues.push_back(clCreateCommandQueueWithProperties(scene.cl.context, scene.cl.device, nullptr, &code));
    ASSERT_EQ(code, CL_SUCCESS);
    const cl_event event = gate.get();
    ASSERT_EQ(clEnqueueMarkerWithWaitList(queues.back(), 1, &event, nullptr), CL_SUCCESS);
  }
  int waited = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      clpool_mem* one = nullptr;
      const Sleeps sleeps;
      ASSERT_OK(clpool_pool_allocate(pool.get(), 4 << 20, &one));
      waited += sleeps.were_many() ? 1 : 0;
      ASSERT_OK(clpool_mem_used_on(one, queues[i]));
      ASSERT_OK(clpool_mem_used_on(one, queues[j]));
      ASSERT_OK(clpool_mem_release(one));
    }
  }
  EXPECT_LT(waited, 45) << "of 91";
  EXPECT_OK(clpool_mem_release(mem));
  gate.open();
  EXPECT_EQ(pending(), 0U);
  for (cl_command_queue queue : queues) {
    clReleaseCommandQueue(queue);
  }
}

/// A request that waited for them, since more is held back than the pool may grow by, would look dozens of times.
TEST_F(DeclaredUses, OfNewBlocksBehindADeviceThatGetsNowhereAreNotWaitedForEachTime) {
  make({home});
  Gate gate(scene.cl.context);
  const auto take_and_release = [&](std::size_t size) {
    clpool_mem* one = nullptr;
    ASSERT_OK(clpool_pool_allocate(pool.get(), size, &one));
    EXPECT_OK(clpool_mem_release_after(one, 1, gate.list()));
    EXPECT_OK(clpool_mem_release(one));
  };
  take_and_release(80 << 20);
  take_and_release(1 << 20);
  const std::uint64_t before = stub_calls("clGetEventInfo");
  for (int i = 0; i < 60; ++i) {
    take_and_release(1 << 20);
  }
  EXPECT_LT(stub_calls("clGetEventInfo") - before, 60U * 150) << "events asked about by 60 requests";
  EXPECT_OK(clpool_mem_release(mem));
  gate.open();
  EXPECT_EQ(pending(), 0U);
}

/// Whatever requests look for: more is held back than may be.
TEST_F(DeclaredUses, OfQueuesThatStandStillAreMarkedForManyReleasesAtATime) {
  constexpr std::uint64_t requests = 3000;
  make({home, other});
  Gate gate(scene.cl.context);
  for (cl_command_queue queue : {home, other}) {
    ASSERT_EQ(clEnqueueMarkerWithWaitList(queue, 1, gate.list(), nullptr), CL_SUCCESS);
  }
  clpool_mem* one = nullptr;
  ASSERT_OK(clpool_pool_allocate(pool.get(), 80 << 20, &one));
  ASSERT_OK(clpool_mem_release(one));
  const std::uint64_t before = stub_calls("clEnqueueMarkerWithWaitList");
  for (std::uint64_t i = 0; i < requests; ++i) {
    ASSERT_OK(clpool_pool_allocate(pool.get(), block_size, &one));
    ASSERT_OK(clpool_mem_release(one));
  }
  EXPECT_LE(stub_calls("clEnqueueMarkerWithWaitList") - before, 2 * (requests / 64 + 40));
  ASSERT_OK(clpool_mem_release(mem));
  gate.open();
  EXPECT_EQ(pending_at_last(), 0U);
}

/// Although they have no markers yet, and others that are behind are not waited for at the moment.
TEST_F(DeclaredUses, OfIdleQueuesAreOverWithoutAWait) {
  constexpr std::size_t size = 5 << 20;
  const AllocatorHandle source = numbers.allocator();
  pool = make_pool(source.get());
  stub_configure("mode=immediate");
  Gate gate(scene.cl.context);
  const cl_event event = gate.get();
  ASSERT_EQ(clEnqueueMarkerWithWaitList(fourth, 1, &event, nullptr), CL_SUCCESS);
  const auto use_on = [&](std::vector<clpool_mem*> blocks, const std::vector<cl_command_queue>& queues) {
    for (clpool_mem*& each : blocks) {
      ASSERT_OK(clpool_pool_allocate(pool.get(), size, &each));
    }
    for (clpool_mem* const each : blocks) {
      for (cl_command_queue queue : queues) {
        ASSERT_OK(clpool_mem_used_on(each, queue));
      }
      ASSERT_OK(clpool_mem_release(each));
    }
  };
  use_on(std::vector<clpool_mem*>(14), {fourth});  // more than may be held back
  use_on({nullptr}, {fourth});                     // which waits in vain
  const std::uint64_t before = stats_of(pool).managed_bytes;
  for (int i = 0; i < 4; ++i) {
    use_on({nullptr}, {third});
    use_on({nullptr}, {other});
    use_on({nullptr}, {third, other});
  }
  EXPECT_LE(stats_of(pool).managed_bytes, before + 2 * size);
  gate.open();
  EXPECT_EQ(pending(), 0U);
}

TEST_F(DeclaredUses, AreNotRecordedOfCommandsThatAreRefused) {
  make({home});
  Gate gate(scene.cl.context);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(other, 1, gate.list(), nullptr), CL_SUCCESS);
  clpool_box box = CLPOOL_BOX_INIT;
  std::fill(std::begin(box.region), std::end(box.region), 2);
  EXPECT_EQ(clpool_mem_read_box(other, mem, &box, nullptr, 64, 0, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_mem_write_box(other, mem, &box, nullptr, 64, 0, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_mem_copy_box(other, mem, mem, &box, 0, nullptr, nullptr), CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(clpool_mem_copy(other, mem, 0, mem, 4, 8, 0, nullptr, nullptr), CLPOOL_ERROR_OPENCL);
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(pending(), 0U);
}

/// Who asks for memory to go has a reason to think that it can.
TEST_F(DeclaredUses, OfNewBlocksAreWaitedForByWhoGivesBackThoughRequestsPause) {
  make({home});
  Gate gate(scene.cl.context);
  Gate another(scene.cl.context);
  const auto take_and_release = [&](std::size_t size, Gate& after) {
    clpool_mem* one = nullptr;
    ASSERT_OK(clpool_pool_allocate(pool.get(), size, &one));
    EXPECT_OK(clpool_mem_release_after(one, 1, after.list()));
    EXPECT_OK(clpool_mem_release(one));
  };
  take_and_release(80 << 20, gate);
  take_and_release(1 << 20, gate);
  EXPECT_OK(clpool_pool_free_held(pool.get()));  // in vain: for a multiple of its time requests do not wait
  take_and_release(1 << 20, another);
  const std::uint64_t before = stub_calls("clGetEventInfo");
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  EXPECT_GT(stub_calls("clGetEventInfo") - before, 10U) << "looks until its time is over, not one alone";
  EXPECT_OK(clpool_mem_release(mem));
  gate.open();
  another.open();
  EXPECT_EQ(pending(), 0U);
}

/// NVIDIA's driver waits in a release for the commands that use the memory, a chunk's touch too.
TEST_F(DeclaredUses, AChunkThatIsBeingTouchedStaysThoughItsBlocksAreIdle) {
  stub_configure("mode=manual,nvidia=1");
  const AllocatorHandle allocator = immediate_allocator(home);
  const cl_command_queue queues[] = {scene.cl.another_queue(), other};
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = queues;
  options.queue_count = 2;
  options.max_held_bytes = 1;
  pool = make_pool(allocator.get(), options);
  ASSERT_OK(clpool_pool_allocate(pool.get(), 1 << 20, &mem));
  const std::uint64_t waits = stub_count("release_waits");
  ASSERT_OK(clpool_mem_release_idle(mem));
  EXPECT_EQ(stub_count("release_waits"), waits);
  stub_run_all();
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  EXPECT_EQ(stats_of(pool).managed_bytes, 0U);
}

/// A guard fills what is new; it does not wait for what the program has enqueued, which may wait for the
/// program.
TEST_F(DeclaredUses, AGuardedChunkIsFilledWithoutThem) {
  make_guarded_pool(CLPOOL_TOUCH_BYTE);
  Gate gate(scene.cl.context);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(home, 1, gate.list(), nullptr), CL_SUCCESS);
  ASSERT_OK(clpool_pool_allocate(pool.get(), block_size, &mem));
  EXPECT_TRUE(Scene::has(mem, 0xDD)) << "the gate is closed";
  gate.open();
  ASSERT_OK(clpool_mem_release(mem));
}

/// A block that waited for one queue alone comes free while the other is waited for, whose order its guard needs.
TEST_F(DeclaredUses, OfAGuardedBlockKeepWhatItIsToldBy) {
  make_guarded_pool(CLPOOL_TOUCH_BYTE);
  Gate gate(scene.cl.context);
  ASSERT_OK(clpool_pool_allocate(pool.get(), 4001, &mem));
  ASSERT_OK(clpool_mem_used_on(mem, third));
  clpool_mem* second = nullptr;
  ASSERT_OK(clpool_pool_allocate(pool.get(), 4001, &second));
  ASSERT_OK(clpool_mem_used_on(second, third));
  ASSERT_EQ(clEnqueueBarrierWithWaitList(third, 1, gate.list(), nullptr), CL_SUCCESS);
  ASSERT_OK(clpool_mem_release(mem));
  ASSERT_OK(clpool_mem_release(second));
  for (clpool_mem* const block : {mem, second}) {
    EXPECT_EQ(clpool_mem_release(block), CLPOOL_ERROR_INVALID_OPERATION);
    EXPECT_NE(std::string(clpool_last_error_message()).find("a block of 4001 bytes"), std::string::npos)
        << clpool_last_error_message();
  }
  gate.open();
}

TEST_F(DeclaredUses, OfGuardedBlocksAreWaitedForOnceBehindABusyQueue) {
  stub_configure("mode=immediate");
  const AllocatorHandle allocator = immediate_allocator(home);
  const cl_command_queue queues[] = {home, other};
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = queues;
  options.queue_count = 2;
  options.guard = CLPOOL_GUARD_ON;
  pool = make_pool(allocator.get(), options);
  clpool_mem* on_other = nullptr;
  ASSERT_OK(clpool_pool_allocate_on(pool.get(), other, block_size, &on_other));
  ASSERT_OK(clpool_pool_allocate(pool.get(), block_size, &mem));
  Gate gate(scene.cl.context);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(home, 1, gate.list(), nullptr), CL_SUCCESS);
  ASSERT_OK(clpool_mem_release(mem));
  ASSERT_OK(clpool_mem_release(on_other));
  const auto began = std::chrono::steady_clock::now();
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::milliseconds(1800)) << "a second";
  gate.open();
}

/// A migration loses the content of what it makes resident.
TEST_F(DeclaredUses, AGuardedChunkIsFilledAfterItsMigration) {
  make_guarded_pool(CLPOOL_TOUCH_MIGRATE);
  Gate gate(scene.cl.context);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(home, 1, gate.list(), nullptr), CL_SUCCESS);
  ASSERT_OK(clpool_pool_allocate(pool.get(), block_size, &mem));
  stub_run_all();
  gate.open();
  stub_run_all();
  EXPECT_TRUE(Scene::has(mem, 0xDD)) << "the fill waited for the migration";
  ASSERT_OK(clpool_mem_release(mem));
}

}  // namespace
}  // namespace clpool::test
