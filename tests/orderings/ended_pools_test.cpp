// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pools that have ended while commands still used their memory: what becomes of it, and what they cost.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "orderings/ended_pools.hpp"
#include "support/child.hpp"

namespace clpool::test {
namespace {

TEST_F(EndedPools, TellWhenNoneOfTheUsersFunctionsIsCalledAnyMore) {
  Owner owner;
  options.callbacks = &owner.callbacks;
  options.user = &owner;
  PoolHandle pool = make_pool(allocator.get(), options);
  MemHandle mem = allocate(pool, 4096);
  pool.reset();
  EXPECT_EQ(owner.destroyed, 0) << "a block is left";
  mem.reset();
  EXPECT_EQ(owner.destroyed, 1);

  pool = make_pool(allocator.get(), options);
  EXPECT_OK(clpool_pool_release_later(pool.release()));
  EXPECT_EQ(owner.destroyed, 1) << "put off";
  EXPECT_OK(clpool_pool_tick(make_pool(allocator.get()).get()));
  EXPECT_EQ(owner.destroyed, 2);

  Gate gate(scene.cl.context);
  end_a_pool(gate, 4096);
  EXPECT_EQ(owner.destroyed, 3) << "its memory is still in use";
  gate.open();
  options.callbacks = nullptr;
  stub_run_all();
}

/// Their memory goes back when anybody looks after that, also within that function.
TEST_F(EndedPools, AreAnybodysWhenTheirOwnerIsToldThatTheyMayGo) {
  struct Ends {
    Gate gate;
    clpool_pool* others = nullptr;
    std::uint64_t left = UINT64_MAX;  ///< bytes
    void look() {
      gate.open();
      for (int i = 0; i < 3; ++i) {
        stub_run_all();
        EXPECT_OK(clpool_pool_tick(others));
      }
      left = stub_device_bytes();
    }
  } ends{Gate(scene.cl.context)};
  const PoolHandle others = make_pool(allocator.get(), options);
  ends.others = others.get();
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  callbacks.destroy = [](void* user) { static_cast<Ends*>(user)->look(); };
  options.callbacks = &callbacks;
  options.user = &ends;
  const std::uint64_t before = stub_device_bytes();
  end_a_pool(ends.gate, 4096);
  EXPECT_EQ(ends.left, before) << "when it was told";
  options.callbacks = nullptr;
}

TEST_F(EndedPools, LeaveTheRequestInWhichTheyEndItsError) {
  struct Ends {
    clpool_pool* pool = nullptr;
    clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  } ends;
  ends.callbacks.collect = [](void* user) { EXPECT_OK(clpool_pool_release(static_cast<Ends*>(user)->pool)); };
  ends.callbacks.destroy = [](void*) {
    clpool_mem* mem = nullptr;
    EXPECT_EQ(clpool_pool_allocate(nullptr, 1, &mem), CLPOOL_ERROR_INVALID_VALUE);
  };
  options.callbacks = &ends.callbacks;
  options.user = &ends;
  options.max_bytes = MiB;
  ends.pool = make_pool(allocator.get(), options).release();
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(ends.pool, 2 * MiB, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_NE(std::strstr(clpool_last_error_message(), "asked for 2097152 bytes"), nullptr)
      << clpool_last_error_message();
  options.callbacks = nullptr;
}

TEST_F(EndedPools, TellNobodyWhoWasToldThatThePoolCouldNotBeMade) {
  Owner owner;
  const AllocatorHandle buffers = buffers_told_to(owner);
  for (const char* entry_point : {"clGetCommandQueueInfo", "clGetDeviceInfo", "clRetainCommandQueue"}) {
    for (std::uint64_t nth = 1; nth < 20; ++nth) {
      stub_fail(entry_point, nth, -6);
      clpool_pool* pool = nullptr;
      const int before = owner.destroyed;
      if (clpool_pool_create(buffers.get(), &options, &pool) == CLPOOL_SUCCESS) {
        EXPECT_OK(clpool_pool_release(pool));
        EXPECT_EQ(owner.destroyed, before + 1);
      } else {
        EXPECT_EQ(owner.destroyed, before) << entry_point << ' ' << nth;
      }
      stub_fail_none();
    }
  }
  options.callbacks = nullptr;
}

TEST_F(EndedPools, AreWaitedForWhileTheyEnd) {
  NumberSource source;
  const AllocatorHandle numbers = source.allocator();
  const AllocatorHandle narrow = make_allocator(clpool_allocator_create_limit, numbers.get(), 5000);
  options.wait_ns = 10'000'000'000;
  PoolHandle pool = make_pool(narrow.get(), options);
  PoolHandle other = make_pool(narrow.get(), options);
  expect_served_while_it_ends(scene.cl.context, std::move(pool), 4096,
                              [&](clpool_mem** mem) { return clpool_pool_allocate(other.get(), 4096, mem); });
  const RunsOnLook runs;
  other.reset();
}

TEST_F(EndedPools, GiveBackTheirMemoryWhenOneAllocatesWithoutAPool) {
  AllocatorHandle narrow = make_allocator(clpool_allocator_create_limit, allocator.get(), 5000);
  std::swap(narrow, allocator);
  Gate gate(scene.cl.context);
  end_a_pool(gate, 4096);
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_allocator_allocate(allocator.get(), 4096, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  gate.open();
  stub_run_all();
  EXPECT_OK(clpool_allocator_allocate(allocator.get(), 4096, &mem));
  OwnedMem(mem).reset();
  stub_run_all();
  std::swap(narrow, allocator);
}

TEST_F(EndedPools, GiveBackTheirMemoryWhenAnotherPoolIsMadeOrEnds) {
  PoolHandle another = make_pool(allocator.get(), options);
  for (const bool made : {true, false}) {
    Gate gate(scene.cl.context);
    end_a_pool(gate, 4096);
    EXPECT_NE(stub_device_bytes(), 0u);
    gate.open();
    stub_run_all();
    const PoolHandle next = made ? make_pool(allocator.get(), options) : nullptr;
    if (!made) {
      another.reset();
    }
    EXPECT_EQ(stub_device_bytes(), 0u) << made;
  }
}

TEST_F(EndedPools, OfCustomMemoryAreWaitedForHoweverLongTheyMayBe) {
  NumberSource source;
  const AllocatorHandle numbers = source.allocator();
  options.wait_ns = UINT64_MAX;
  PoolHandle pool = make_pool(numbers.get(), options);
  MemHandle mem = allocate(pool, 4096);
  SlowGate slow{Gate(scene.cl.context)};
  const cl_command_queue other = scene.cl.another_queue();
  ASSERT_OK(clpool_mem_used_on(mem.get(), other));
  ASSERT_EQ(clEnqueueBarrierWithWaitList(other, 1, slow.gate.list(), nullptr), CL_SUCCESS);
  mem.reset();
  slow.opens_after = 10;
  stub_set_hook(SlowGate::look, &slow);
  pool.reset();
  stub_set_hook(nullptr, nullptr);
  EXPECT_EQ(source.live_chunks(), 0u);
}

/// Custom memory whose deallocation asks another pool for memory.
struct AsksWhenTaken {
  clpool_pool* other = nullptr;
  clpool_status answer = CLPOOL_SUCCESS;
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  AsksWhenTaken() {
    ops.allocate = [](void*, std::uint64_t, std::uint64_t, std::uint64_t* chunk) -> clpool_status {
      *chunk = 4096;
      return CLPOOL_SUCCESS;
    };
    ops.deallocate = [](void* user, std::uint64_t, std::uint64_t) {
      auto& self = *static_cast<AsksWhenTaken*>(user);
      clpool_mem* mem = nullptr;
      self.answer = clpool_pool_allocate(self.other, 4096, &mem);
      EXPECT_OK(clpool_mem_release(mem));
    };
  }
};

TEST_F(EndedPools, AreNotWaitedForByWhatTheirEndCalls) {
  AsksWhenTaken asks;
  clpool_allocator* made = nullptr;
  ASSERT_OK(clpool_allocator_create_custom(&asks.ops, &asks, &made));
  const AllocatorHandle custom(made);
  ASSERT_OK(clpool_allocator_create_limit(custom.get(), 5000, &made));
  const AllocatorHandle narrow(made);
  options.wait_ns = 10'000'000'000;
  PoolHandle other = make_pool(narrow.get(), options);
  asks.other = other.get();
  PoolHandle pool = make_pool(narrow.get(), options);
  SlowGate slow{Gate(scene.cl.context)};
  MemHandle mem = allocate(pool, 4096);
  ASSERT_OK(clpool_mem_release_after(mem.get(), 1, slow.gate.list()));
  mem.reset();
  stub_set_hook(SlowGate::look, &slow);
  const auto began = std::chrono::steady_clock::now();
  pool.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
  EXPECT_EQ(asks.answer, CLPOOL_ERROR_OUT_OF_MEMORY);
  other.reset();
  stub_set_hook(nullptr, nullptr);
}

TEST_F(EndedPools, OfCustomMemoryThatIsStillUsedSaySo) {
  NumberSource source;
  const AllocatorHandle numbers = source.allocator();
  std::string told;
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  callbacks.message = [](void* user, std::int32_t severity, const char* text) {
    if (severity == CLPOOL_MESSAGE_ERROR) {
      *static_cast<std::string*>(user) += text;
    }
  };
  options.callbacks = &callbacks;
  options.user = &told;
  Gate gate(scene.cl.context);
  MemHandle mem = allocate(make_pool(numbers.get(), options), 4096);
  ASSERT_OK(clpool_mem_release_after(mem.get(), 1, gate.list()));
  mem.reset();
  EXPECT_NE(told.find("ends while commands still use its memory"), std::string::npos) << told;
  EXPECT_EQ(source.live_chunks(), 1U);
  gate.open();
  options.callbacks = nullptr;
  for (int i = 0; i < 5; ++i) {
    stub_run_all();
    EXPECT_OK(clpool_pool_tick(make_pool(allocator.get(), options).get()));
  }
  EXPECT_EQ(source.live_chunks(), 0U);
}

TEST_F(EndedPools, APoolThatStoppedHoldingGivesBackAtATickWhatItsQueueHasPassed) {
  NumberSource source;
  const AllocatorHandle numbers = source.allocator();
  const PoolHandle pool = make_pool(numbers.get(), options);
  Gate gate(scene.cl.context);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(scene.cl.queue, 1, gate.list(), nullptr), CL_SUCCESS);
  allocate(pool, 4096).reset();
  EXPECT_OK(clpool_pool_stop_holding(pool.get()));
  EXPECT_EQ(source.live_chunks(), 1U);
  gate.open();
  for (int i = 0; i < 2; ++i) {
    stub_run_all();
    EXPECT_OK(clpool_pool_tick(pool.get()));
  }
  EXPECT_EQ(source.live_chunks(), 0U);
}

TEST_F(EndedPools, TellNobodyOfWhatAGuardFindsLater) {
  Owner owner;
  const AllocatorHandle buffers = buffers_told_to(owner);
  options.guard = CLPOOL_GUARD_ON;
  PoolHandle pool = make_pool(buffers.get(), options);
  MemHandle mem = allocate(pool, 100);
  cl_mem root = nullptr;
  std::size_t offset = 0;
  ASSERT_OK(clpool_mem_root(mem.get(), &root, &offset));
  Gate gate(scene.cl.context);
  const char beyond[8] = {9, 9, 9, 9, 9, 9, 9, 9};
  ASSERT_EQ(clEnqueueWriteBuffer(scene.cl.queue, root, CL_FALSE, offset + 104, sizeof beyond, beyond, 1,
                                 gate.list(), nullptr),
            CL_SUCCESS);
  mem.reset();
  pool.reset();
  EXPECT_EQ(owner.destroyed, 1);
  const Heard heard;
  gate.open();
  end_guarded_pools_of(buffers.get());
  EXPECT_EQ(owner.told_too_late, 0);
  EXPECT_EQ(heard.findings("beyond its end"), 1U);
}

TEST_F(EndedPools, TellNobodyThatTheDriverDidNotReleaseAHandleLater) {
  Owner owner;
  const AllocatorHandle buffers = buffers_told_to(owner);
  options.guard = CLPOOL_GUARD_ON;
  PoolHandle pool = make_pool(buffers.get(), options);
  MemHandle mem = allocate(pool, 100);
  Gate gate(scene.cl.context);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(scene.cl.queue, 1, gate.list(), nullptr), CL_SUCCESS);
  mem.reset();
  pool.reset();
  EXPECT_EQ(owner.destroyed, 1);
  const Heard heard;
  gate.open();
  stub_fail("clReleaseMemObject", 1, CL_OUT_OF_RESOURCES);
  end_guarded_pools_of(buffers.get());
  stub_fail_none();
  EXPECT_EQ(owner.told_too_late, 0);
  EXPECT_EQ(heard.count(CLPOOL_MESSAGE_ERROR, "clReleaseMemObject failed"), 1U) << heard.text();
}

TEST_F(EndedPools, TellOfUsesOfWhatWasPutOff) {
  Owner owner;
  const AllocatorHandle buffers = buffers_told_to(owner);
  options.guard = CLPOOL_GUARD_ON;
  MemHandle mem = allocate(make_pool(buffers.get(), options), 100);
  ASSERT_OK(clpool_mem_release_later(mem.get()));
  const Heard heard;
  EXPECT_EQ(clpool_mem_retain(mem.release()), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(heard.findings("100 bytes"), 1U);
  end_guarded_pools_of(buffers.get());
}

TEST_F(EndedPools, OfCustomMemoryWaitAlsoForWhatWasPolledForInVain) {
  NumberSource source;
  const AllocatorHandle numbers = source.allocator();
  SlowGate slow{Gate(scene.cl.context)};
  options.wait_ns = 10'000'000'000;
  PoolHandle pool = make_pool(numbers.get(), options);
  MemHandle mem = allocate(pool, 4096);
  ASSERT_OK(clpool_mem_release_after(mem.get(), 1, slow.gate.list()));
  mem.reset();
  stub_run_all();
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  stub_run_all();
  EXPECT_EQ(source.live_chunks(), 1u);
  stub_set_hook(SlowGate::look, &slow);
  pool.reset();
  stub_set_hook(nullptr, nullptr);
  EXPECT_EQ(source.live_chunks(), 0u);
}

std::uint64_t markers() {
  return stub_calls("clEnqueueMarkerWithWaitList");
}

TEST_F(EndedPools, AreOnlyAskedWhereTheirMarkersAre) {
  Gate gate(scene.cl.context);
  for (int i = 0; i < 12; ++i) {
    end_a_pool(gate, 4096);
  }
  const std::uint64_t markers_before = markers();
  const std::uint64_t queries_before = stub_calls("clGetEventInfo");
  for (int i = 0; i < 10; ++i) {
    make_pool(allocator.get(), options).reset();
  }
  EXPECT_EQ(markers(), markers_before);
  EXPECT_LE(stub_calls("clGetEventInfo") - queries_before, 2 * 8 * 10u) << "a few of them each time";
}

TEST_F(EndedPools, AreNotTheOnlyOnesThatLeaveNoMarkersOnAStuckQueue) {
  Gate gate(scene.cl.context);
  options.strategy = CLPOOL_STRATEGY_BINNED;  // which has no caches
  const PoolHandle pool = make_pool(allocator.get(), options);
  MemHandle mem = allocate(pool, 4096);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(scene.cl.queue, 1, gate.list(), nullptr), CL_SUCCESS);
  mem.reset();
  const std::uint64_t before = markers();
  for (int i = 0; i < 100; ++i) {
    EXPECT_OK(clpool_pool_tick(pool.get()));
  }
  EXPECT_EQ(markers() - before, 1u) << "nothing was released since the first";
}

/// How many calls of the driver a child of fork() makes by having a pool of its own, over numbers.
int calls_of_a_childs_own_pool() {
  return in_child([] {
    const std::uint64_t before = stub_calls(nullptr);
    NumberSource source;
    const AllocatorHandle numbers = source.allocator();
    PoolHandle pool = make_pool(numbers.get());
    allocate(pool, 512).reset();
    clpool_pool_tick(pool.get());
    pool.reset();
    _exit(static_cast<int>(std::min<std::uint64_t>(stub_calls(nullptr) - before, 100)));
  });
}

TEST_F(EndedPools, AreNoBusinessOfAChildOfFork) {
  Gate gate(scene.cl.context);
  end_a_pool(gate, 4096);
  gate.open();
  stub_run_all();
  EXPECT_EQ(calls_of_a_childs_own_pool(), 0);
}

}  // namespace
}  // namespace clpool::test
