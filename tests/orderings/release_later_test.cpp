// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Releases that are put off: no call of the driver and no change until a later call carries them out; then
// all is gone.
#include <functional>
#include <thread>

#include "clpool/memo.h"
#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

class ReleaseLater : public testing::Test {
 protected:
  clpool_allocator* make_allocator() {
    clpool_allocator* allocator = nullptr;
    EXPECT_OK(clpool_allocator_create_deferred(scene.cl.context, 0, &allocator));
    return allocator;
  }
  clpool_pool* make_pool() {
    clpool_pool* pool = nullptr;
    clpool_allocator* const allocator = make_allocator();
    EXPECT_OK(clpool_pool_create(allocator, nullptr, &pool));
    EXPECT_OK(clpool_allocator_release(allocator));
    return pool;
  }
  /// The number of objects of the driver that are alive.
  static bool same(const stub_counts& counts) {
    char text[512];
    return stub_same_counts(&counts, text, sizeof text) != 0;
  }
  static stub_counts now() {
    stub_counts counts = {};
    stub_read_counts(&counts);
    return counts;
  }
  /// `put_off` calls no driver; `carry_out` brings the driver's objects back to what they were before.
  template <typename PutOff>
  void expect_late(const stub_counts& before, PutOff&& put_off) {
    const stub_counts made = now();
    EXPECT_FALSE(same(before));
    put_off();
    EXPECT_TRUE(same(made)) << "nothing happens yet";
    EXPECT_OK(clpool_allocator_release(make_allocator()));
    EXPECT_TRUE(same(before)) << "another call carried it out";
  }

  Scene scene;
};

TEST_F(ReleaseLater, AnAllocatorGoesWithALaterCall) {
  const stub_counts before = now();
  clpool_allocator* const allocator = make_allocator();
  expect_late(before, [&] { EXPECT_OK(clpool_allocator_release_later(allocator)); });
}

TEST_F(ReleaseLater, ACollectorsGoBeforeTheRequestAsksTheDriverAgain) {
  stub_configure("limit=64M");
  constexpr std::size_t most_of_it = 40 << 20;
  struct Collected {
    clpool_mem* mem = nullptr;
    int asked = 0;
    clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  };
  for (const bool by_the_user : {false, true}) {
    Collected collected;
    if (by_the_user) {
      collected.callbacks.out_of_memory = [](void* user, std::uint64_t, std::uint32_t) {
        auto& own = *static_cast<Collected*>(user);
        EXPECT_OK(clpool_mem_release_later(own.mem));
        return own.asked++ == 0 ? 1 : 0;
      };
    } else {
      collected.callbacks.collect = [](void* user) {
        auto& own = *static_cast<Collected*>(user);
        EXPECT_OK(own.asked++ == 0 ? clpool_mem_release_later(own.mem) : CLPOOL_SUCCESS);
      };
    }
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.callbacks = &collected.callbacks;
    options.user = &collected;
    options.wait_ns = 1;
    clpool_allocator* const allocator = make_allocator();
    const PoolHandle pool = clpool::test::make_pool(allocator, options);
    EXPECT_OK(clpool_allocator_release(allocator));
    ASSERT_OK(clpool_buffer_create(scene.cl.context, 0, most_of_it, nullptr, 0, &collected.mem));
    clpool_mem* mem = nullptr;
    ASSERT_OK(clpool_pool_allocate(pool.get(), most_of_it, &mem)) << by_the_user;
    EXPECT_EQ(collected.asked, 1);
    EXPECT_OK(clpool_mem_release(mem));
  }
  stub_configure("limit=4G");
}

/// What a put-off release puts off itself is there for whoever carried that out.
TEST_F(ReleaseLater, OneThatPutsOffAnotherIsCarriedOutWithIt) {
  NumberSource all;
  NumberSource other;
  const AllocatorHandle source = all.allocator();
  AllocatorHandle last = all.allocator();
  struct Held {
    clpool_mem* mem = nullptr;
    clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  } held;
  held.callbacks.destroy = [](void* user) {
    EXPECT_OK(clpool_mem_release_later(static_cast<Held*>(user)->mem));
  };
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.callbacks = &held.callbacks;
  options.user = &held;
  PoolHandle pool = clpool::test::make_pool(other.allocator().get(), options);
  ASSERT_OK(clpool_allocator_allocate(source.get(), 100, &held.mem));
  EXPECT_OK(clpool_pool_release_later(pool.release()));
  EXPECT_EQ(all.live_bytes(), 100U);
  last.reset();  // one call, which carries out what was put off
  EXPECT_EQ(all.live_bytes(), 0U);
}

TEST_F(ReleaseLater, EachReferenceCounts) {
  const stub_counts before = now();
  clpool_allocator* const allocator = make_allocator();
  EXPECT_OK(clpool_allocator_retain(allocator));
  EXPECT_OK(clpool_allocator_retain(allocator));
  EXPECT_OK(clpool_allocator_release_later(allocator));
  EXPECT_OK(clpool_allocator_release(make_allocator()));
  clpool_mem* mem = nullptr;
  EXPECT_OK(clpool_allocator_allocate(allocator, 64, &mem)) << "two references are left";
  EXPECT_OK(clpool_mem_release(mem));
  expect_late(before, [&] {
    EXPECT_OK(clpool_allocator_release_later(allocator));
    EXPECT_OK(clpool_allocator_release_later(allocator));
  });
}

TEST_F(ReleaseLater, APoolGivesItsMemoryBackInALaterCall) {
  const stub_counts before = now();
  clpool_pool* const pool = make_pool();
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_pool_allocate(pool, 1000, &mem));
  EXPECT_OK(clpool_mem_release(mem));
  expect_late(before, [&] { EXPECT_OK(clpool_pool_release_later(pool)); });
}

TEST_F(ReleaseLater, ARequestThatNeedsMemoryCarriesThemOut) {
  clpool_pool* const pool = make_pool();
  const stub_counts before = now();
  clpool_allocator* const allocator = make_allocator();
  EXPECT_OK(clpool_allocator_release_later(allocator));
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_pool_allocate(pool, 1000, &mem));
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_OK(clpool_pool_free_held(pool));
  EXPECT_TRUE(same(before));
  EXPECT_OK(clpool_pool_release(pool));
}

TEST_F(ReleaseLater, WhateverGivesMemoryBackCarriesThemOut) {
  clpool_pool* const pool = make_pool();
  clpool_mem* svm = nullptr;
  ASSERT_OK(clpool_svm_create(scene.cl.context, 0, 64, 0, scene.cl.queue, &svm));
  const std::function<clpool_status()> calls[] = {
      [&] { return clpool_pool_tick(pool); },
      [&] { return clpool_pool_trim(pool, 0); },
      [&] { return clpool_pool_free_held(pool); },
      [&] { return clpool_pool_stop_holding(pool); },
      [&] { return clpool_mem_release_on(svm, nullptr, 0, nullptr, nullptr); },
  };
  for (const std::function<clpool_status()>& call : calls) {
    int destroyed = 0;
    clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
    ops.allocate = [](void*, uint64_t, uint64_t, uint64_t*) -> clpool_status {
      return CLPOOL_ERROR_OUT_OF_MEMORY;
    };
    ops.deallocate = [](void*, uint64_t, uint64_t) {};
    ops.destroy = [](void* user) { ++*static_cast<int*>(user); };
    clpool_allocator* allocator = nullptr;
    ASSERT_OK(clpool_allocator_create_custom(&ops, &destroyed, &allocator));
    EXPECT_OK(clpool_allocator_release_later(allocator));
    EXPECT_EQ(destroyed, 0);
    EXPECT_OK(call());
    EXPECT_EQ(destroyed, 1) << "by call " << &call - calls;
  }
  EXPECT_OK(clpool_pool_release(pool));
}

TEST_F(ReleaseLater, AMapCountsAsReleasedAtOnceAndIsUnmappedLater) {
  clpool_mem* const mem = scene.memory(Side::buffer, source_byte);
  clpool_map* map = nullptr;
  ASSERT_OK(
      clpool_mem_map(scene.queue, mem, CL_MAP_READ, 0, CLPOOL_WHOLE_SIZE, 1, 0, nullptr, nullptr, &map));
  const std::uint64_t unmapped = stub_calls("clEnqueueUnmapMemObject");
  EXPECT_OK(clpool_map_release_later(map));
  EXPECT_EQ(stub_calls("clEnqueueUnmapMemObject"), unmapped);
  EXPECT_EQ(clpool_map_pointer(map), nullptr);
  EXPECT_EQ(clpool_map_release(map), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_map_release_later(map), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_OK(clpool_allocator_release(make_allocator()));
  EXPECT_EQ(stub_calls("clEnqueueUnmapMemObject"), unmapped + 1);
  stub_run_all();
}

TEST_F(ReleaseLater, AnUnmappingThatWasPutOffIsWaitedForByReleasesOfWhatCallersBelieveIdle) {
  const AllocatorHandle allocator =
      test::make_allocator(clpool_allocator_create_svm, scene.cl.context, 0, 0, nullptr);
  for (const std::size_t queues : {1, 2}) {
    const cl_command_queue all[] = {scene.cl.queue, scene.cl.another_queue()};
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = all;
    options.queue_count = static_cast<std::uint32_t>(queues);
    const PoolHandle pool = test::make_pool(allocator.get(), options);
    for (const bool of_a_part : {false, true}) {
      clpool_mem* const mem = test::allocate(pool, 4096).release();
      clpool_mem* part = nullptr;
      ASSERT_OK(of_a_part ? clpool_mem_sub_region(mem, 0, 1024, 0, &part) : CLPOOL_SUCCESS);
      clpool_map* map = nullptr;
      ASSERT_OK(clpool_mem_map(all[1], of_a_part ? part : mem, CL_MAP_READ, 0, CLPOOL_WHOLE_SIZE, 1, 0,
                               nullptr, nullptr, &map));
      EXPECT_OK(clpool_mem_release(part));
      Gate gate(scene.cl.context);
      ASSERT_EQ(clEnqueueBarrierWithWaitList(all[1], 1, gate.list(), nullptr), CL_SUCCESS);
      EXPECT_OK(clpool_map_release_later(map));
      EXPECT_OK(clpool_pool_tick(pool.get()));  // carries it out
      EXPECT_OK(clpool_mem_release_idle(mem));
      EXPECT_OK(clpool_pool_free_held(pool.get()));
      EXPECT_NE(stub_device_bytes(), 0u) << "the unmapping has not been carried out";
      gate.open();
      stub_run_all();
      EXPECT_OK(clpool_pool_tick(pool.get()));
      stub_run_all();
      EXPECT_OK(clpool_pool_free_held(pool.get()));
      stub_run_all();
    }
  }
}

/// A result of a cache: a buffer, which goes with it.
clpool_memo_value* buffer_of(clpool_memo* memo, cl_context context) {
  clpool_memo_ops ops = CLPOOL_MEMO_OPS_INIT;
  ops.compute = [](void* user, void** value) -> clpool_status {
    *value = user;
    return CLPOOL_SUCCESS;
  };
  ops.destroy = [](void*, void* value) {
    EXPECT_EQ(clReleaseMemObject(static_cast<cl_mem>(value)), CL_SUCCESS);
  };
  clpool_memo_value* value = nullptr;
  cl_mem const buffer = clCreateBuffer(context, 0, 64, nullptr, nullptr);
  EXPECT_OK(clpool_memo_get(memo, CLPOOL_MEMO_ANY, nullptr, "key", 3, &ops, buffer, &value));
  return value;
}

TEST_F(ReleaseLater, ACacheGoesWithALaterCall) {
  const stub_counts before = now();
  clpool_memo* memo = nullptr;
  ASSERT_OK(clpool_memo_create(&memo));
  EXPECT_OK(clpool_memo_value_release(buffer_of(memo, scene.cl.context)));
  expect_late(before, [&] { EXPECT_OK(clpool_memo_release_later(memo)); });
}

TEST_F(ReleaseLater, AResultOfACacheGoesWithALaterCall) {
  const stub_counts before = now();
  clpool_memo* memo = nullptr;
  ASSERT_OK(clpool_memo_create(&memo));
  clpool_memo_value* const value = buffer_of(memo, scene.cl.context);
  EXPECT_OK(clpool_memo_release(memo));
  expect_late(before, [&] { EXPECT_OK(clpool_memo_value_release_later(value)); });
}

TEST_F(ReleaseLater, WhatHasNoDriversObjectsGoesToo) {
  clpool_trace* trace = nullptr;
  const std::string log = "Thread,Time,Action,Pointer,Size,Stream\n0,0,allocate,0x1,8,0\n";
  ASSERT_OK(clpool_trace_parse(log.data(), log.size(), "log", &trace));
  EXPECT_OK(clpool_trace_release_later(trace));
  clpool_device_data* data = nullptr;
  ASSERT_OK(clpool_device_data_create_from_architecture("9.0", CLPOOL_MODEL_CURRENT, &data));
  EXPECT_OK(clpool_device_data_release_later(data));
  EXPECT_OK(clpool_allocator_release(make_allocator()));  // AddressSanitizer would tell what is left
}

TEST_F(ReleaseLater, NothingIsNothing) {
  EXPECT_OK(clpool_allocator_release_later(nullptr));
  EXPECT_OK(clpool_pool_release_later(nullptr));
  EXPECT_OK(clpool_map_release_later(nullptr));
  EXPECT_OK(clpool_memo_release_later(nullptr));
  EXPECT_OK(clpool_memo_value_release_later(nullptr));
  EXPECT_OK(clpool_trace_release_later(nullptr));
  EXPECT_OK(clpool_trace_writer_release_later(nullptr));
  EXPECT_OK(clpool_device_data_release_later(nullptr));
}

TEST_F(ReleaseLater, ManyThreadsPutOffAndCarryOut) {
  const stub_counts before = now();
  stub_configure("mode=worker");
  clpool_allocator* const allocator = make_allocator();
  constexpr int threads = 4;
  constexpr int rounds = 2000;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      for (int i = 0; i < rounds; ++i) {
        EXPECT_OK(clpool_allocator_retain(allocator));
        if (t % 2 == 0) {
          EXPECT_OK(clpool_allocator_release_later(allocator));
        } else {
          EXPECT_OK(clpool_allocator_release(allocator));  // carries out the others'
        }
      }
    });
  }
  for (std::thread& thread : all) {
    thread.join();
  }
  EXPECT_OK(clpool_allocator_release(make_allocator()));
  clpool_mem* mem = nullptr;
  EXPECT_OK(clpool_allocator_allocate(allocator, 64, &mem)) << "one reference is left";
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_OK(clpool_allocator_release(allocator));
  EXPECT_TRUE(same(before));
}

TEST_F(ReleaseLater, AProcessMayEndBeforeTheyAreCarriedOut) {
  EXPECT_EXIT(
      {
        static_cast<void>(clpool_pool_release_later(make_pool()));
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(ResumeHolding, KeepsReleasedMemoryAgain) {
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  const PoolHandle pool = make_pool(allocator.get(), CLPOOL_POOL_OPTIONS_INIT);
  EXPECT_OK(clpool_pool_stop_holding(pool.get()));
  allocate(pool, 4096).reset();
  EXPECT_EQ(numbers.live_chunks(), 0u);
  EXPECT_OK(clpool_pool_resume_holding(pool.get()));
  allocate(pool, 4096).reset();
  EXPECT_EQ(numbers.live_chunks(), 1u);
  const std::uint64_t before = stats_of(pool).driver_allocations;
  allocate(pool, 4096).reset();
  EXPECT_EQ(stats_of(pool).driver_allocations, before);
  EXPECT_EQ(clpool_pool_resume_holding(nullptr), CLPOOL_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace clpool::test
