// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pools that adopt a queue, as the first in-order one on which the library uses their memory: what was released or declared
// before waits for that queue, too, and shared virtual memory goes back once its uses are known.
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "orderings/pool_order.hpp"

namespace clpool::test {
namespace {

TEST_F(PoolOrder, AQueueThatThePoolAdoptsIsWaitedForByBlocksThatWereUsedElsewhereBefore) {
  stub_configure("svm=atomics");
  for (const bool binds : {false, true}) {
    const AllocatorHandle allocator = make_allocator(clpool_allocator_create_svm, scene.cl.context,
                                                     CL_MEM_SVM_FINE_GRAIN_BUFFER, 0, nullptr);
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

/// Blocks of a pool of memory to which the host writes, of which something was declared before it adopted `home`.
class DeclaredBeforeTheAdoption : public PoolOrder {
 protected:
  void SetUp() override {
    stub_configure("svm=atomics");
    const AllocatorHandle allocator = make_allocator(clpool_allocator_create_svm, scene.cl.context,
                                                     CL_MEM_SVM_FINE_GRAIN_BUFFER, 0, nullptr);
    svm = test::make_pool(allocator.get());
  }
  void adopt_home() {
    MemHandle another = test::allocate(svm, block_size);
    const unsigned char value = 1;
    ASSERT_OK(clpool_mem_fill(home, another.get(), &value, 1, 0, block_size, 0, nullptr, nullptr));
    EXPECT_EQ(pending_after_release(another), 0U);
  }
  /// Bytes that are held back when all that may run has run.
  std::uint64_t pending_after_release(MemHandle& mem) {
    mem.reset();
    return pending();
  }
  std::uint64_t pending() {
    for (int i = 0; i < 3; ++i) {
      EXPECT_OK(clpool_pool_tick(svm.get()));
      stub_run_all();
    }
    return stats_of(svm).pending_bytes;
  }
  /// A command on the queue that cannot begin yet uses the block, which is held back until it has ended.
  void expect_wait_behind(cl_command_queue queue, MemHandle& mem) {
    Gate gate(scene.cl.context);
    fill(queue, mem.get(), 1, &gate);
    EXPECT_EQ(pending_after_release(mem), block_size);
    gate.open();
    EXPECT_EQ(pending(), 0U);
  }
  static std::int64_t references() {
    stub_counts counts;
    stub_read_counts(&counts);
    return counts.references[STUB_QUEUE];
  }
  PoolHandle svm;
};

/// As by another thread: the last block that waits for a queue comes home, and nobody else has that, while the pool adopts one.
TEST_F(DeclaredBeforeTheAdoption, UsesMayEndMeanwhile) {
  struct Ending {
    clpool_pool* pool;
    int calls_before;  ///< of what asks about queues, whichever
    bool is_done = false;
    static void look(const char* entry_point, void* user) {
      auto& self = *static_cast<Ending*>(user);
      if (std::strcmp(entry_point, "clGetCommandQueueInfo") == 0 && self.calls_before-- == 0) {
        for (int i = 0; i < 3; ++i) {
          EXPECT_OK(clpool_pool_tick(self.pool));
          stub_run_all();
        }
        self.is_done = true;
      }
    }
  };
  int done = 0;
  for (int calls = 0; calls < 16; ++calls) {
    SetUp();
    cl_int code = CL_SUCCESS;
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(scene.cl.context, scene.cl.device, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    MemHandle mem = test::allocate(svm, block_size);
    ASSERT_OK(clpool_mem_used_on(mem.get(), queue));
    mem.reset();
    ASSERT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
    Ending ending{svm.get(), calls};
    stub_set_hook(Ending::look, &ending);
    adopt_home();
    stub_set_hook(nullptr, nullptr);
    done += ending.is_done ? 1 : 0;
    EXPECT_EQ(pending(), 0U);
  }
  EXPECT_GE(done, 5);
}

TEST_F(DeclaredBeforeTheAdoption, UsesWaitForThePoolsQueueToo) {
  using Declare = std::function<clpool_status(clpool_mem*)>;
  const std::pair<const char*, Declare> ways[] = {
      {"used_on", [&](clpool_mem* mem) { return clpool_mem_used_on(mem, other); }},
      {"bind_queue", [&](clpool_mem* mem) { return clpool_mem_bind_queue(mem, third); }},
      {"used_on, twice",
       [&](clpool_mem* mem) {
         EXPECT_OK(clpool_mem_used_on(mem, other));
         return clpool_mem_used_on(mem, third);
       }},
      {"used_on, of that queue too",
       [&](clpool_mem* mem) {
         EXPECT_OK(clpool_mem_used_on(mem, other));
         return clpool_mem_used_on(mem, home);
       }},
      {"used_on and release_after", [&](clpool_mem* mem) {
         EXPECT_OK(clpool_mem_used_on(mem, other));
         OwnedEvent ended;
         EXPECT_EQ(clEnqueueMarkerWithWaitList(third, 0, nullptr, ended.receive()), CL_SUCCESS);
         const cl_event event = ended.get();
         return clpool_mem_release_after(mem, 1, &event);
       }}};
  std::vector<MemHandle> mems;
  for (const auto& [name, declare] : ways) {
    mems.push_back(test::allocate(svm, block_size));
    EXPECT_OK(declare(mems.back().get())) << name;
  }
  adopt_home();
  for (std::size_t i = 0; i < mems.size(); ++i) {
    Gate gate(scene.cl.context);
    fill(home, mems[i].get(), 1, &gate);  // of which the library knows nothing
    EXPECT_EQ(pending_after_release(mems[i]), block_size) << ways[i].first;
    gate.open();
    EXPECT_EQ(pending(), 0U) << ways[i].first;
  }
}

TEST_F(DeclaredBeforeTheAdoption, UsesWaitForTheirOwnQueueStill) {
  MemHandle mem = test::allocate(svm, block_size);
  ASSERT_OK(clpool_mem_used_on(mem.get(), other));
  adopt_home();
  expect_wait_behind(other, mem);
}

TEST_F(DeclaredBeforeTheAdoption, BlocksForOneQueueAloneWaitForNoOther) {
  MemHandle declared = test::allocate(svm, block_size);
  ASSERT_OK(clpool_mem_used_on(declared.get(), other));
  clpool_mem* made = nullptr;
  ASSERT_OK(clpool_pool_allocate_on(svm.get(), other, block_size, &made));
  MemHandle mem(made);
  adopt_home();
  Gate gate(scene.cl.context);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(home, 1, gate.list(), nullptr), CL_SUCCESS);
  EXPECT_EQ(pending_after_release(mem), 0U);
  EXPECT_EQ(pending_after_release(declared), block_size);
  gate.open();
  EXPECT_EQ(pending(), 0U);
}

/// The driver refuses what the adoption needs: the command is refused, and the next one adopts the queue.
TEST_F(DeclaredBeforeTheAdoption, UsesWaitForAQueueWhoseAdoptionFailedFirst) {
  MemHandle mem = test::allocate(svm, block_size);
  ASSERT_OK(clpool_mem_used_on(mem.get(), other));
  const MemHandle another = test::allocate(svm, block_size);
  const unsigned char value = 1;
  for (const std::uint64_t nth : {1, 2, 3}) {  // for the pool's own set, and for both queues of the other one
    stub_fail("clRetainCommandQueue", nth, CL_OUT_OF_HOST_MEMORY);
    EXPECT_NE(clpool_mem_fill(home, another.get(), &value, 1, 0, block_size, 0, nullptr, nullptr),
              CLPOOL_SUCCESS)
        << nth;
    EXPECT_EQ(stub_failures(), 1U) << nth;
    stub_fail_none();
  }
  adopt_home();
  expect_wait_behind(home, mem);
}

TEST_F(DeclaredBeforeTheAdoption, UsesKeepTheirQueuesNoLongerThanTheyLast) {
  const std::int64_t before = references();
  MemHandle mem = test::allocate(svm, block_size);
  ASSERT_OK(clpool_mem_used_on(mem.get(), other));
  adopt_home();
  mem.reset();
  EXPECT_EQ(pending(), 0U);
  EXPECT_OK(clpool_pool_tick(svm.get()));
  EXPECT_EQ(references(), before + 1) << "the pool's own";
}

/// The pool says when it is made that it does not know them, and nothing that the library enqueues elsewhere tells of them.
TEST_F(PoolOrder, SvmWhoseUsesNobodyToldOfStaysAlsoWhenThePoolHasAdoptedAQueue) {
  constexpr std::size_t size = 1 << 20;
  const AllocatorHandle allocator =
      make_allocator(clpool_allocator_create_svm, scene.cl.context, 0, 0, nullptr);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.max_bytes = 3 * size;
  options.min_chunk_bytes = size;
  options.wait_ns = 1;
  const PoolHandle svm = test::make_pool(allocator.get(), options);
  MemHandle used = test::allocate(svm, size);
  MemHandle known = test::allocate(svm, size);
  Gate gate(scene.cl.context);
  const unsigned char value = 1;
  ASSERT_EQ(
      clEnqueueSVMMemFill(other, clpool_mem_pointer(used.get()), &value, 1, size, 1, gate.list(), nullptr),
      CL_SUCCESS);
  ASSERT_OK(clpool_mem_fill(home, known.get(), &value, 1, 0, size, 0, nullptr, nullptr));
  stub_run_all();
  used.reset();
  known.reset();
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(clpool_pool_free_held(svm.get()));
    stub_run_all();
  }
  EXPECT_EQ(stats_of(svm).managed_bytes, size) << "what the library itself used is free";
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(svm.get(), 3 * size, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  gate.open();
  stub_run_all();                             // the driver aborts if the memory has gone
  mem = test::allocate(svm, size).release();  // which is reused, of course
  EXPECT_OK(clpool_mem_release_idle(mem));
}

/// Pools of SVM that were told of no queue, and have adopted one.
class SvmPoolOfAnAdoptedQueue : public PoolOrder {
 protected:
  static constexpr std::size_t size = 1 << 20;

  void make(std::uint64_t max_bytes = 0) {
    const AllocatorHandle allocator =
        make_allocator(clpool_allocator_create_svm, scene.cl.context, 0, 0, nullptr);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.min_chunk_bytes = size;
    options.max_bytes = max_bytes;
    svm = test::make_pool(allocator.get(), options);
    const MemHandle first = test::allocate(svm, size);
    fill_by_library(first);
    stub_run_all();
  }
  void fill_by_library(const MemHandle& mem) {
    ASSERT_OK(
        clpool_mem_fill(home, mem.get(), &value, 1, 0, clpool_mem_size(mem.get()), 0, nullptr, nullptr));
  }
  void give_back_what_may_go() {
    for (int i = 0; i < 3; ++i) {
      EXPECT_OK(clpool_pool_free_held(svm.get()));
      stub_run_all();
    }
  }
  const unsigned char value = 1;
  PoolHandle svm;
};

TEST_F(SvmPoolOfAnAdoptedQueue, KnowsNothingOfABlockFromItsFormerLife) {
  for (const std::size_t bytes : {size, std::size_t{4096}}) {  // a chunk, and what a cache keeps
    make();
    give_back_what_may_go();
    MemHandle mem = test::allocate(svm, bytes);
    fill_by_library(mem);
    stub_run_all();
    const void* const place = clpool_mem_pointer(mem.get());
    ASSERT_OK(clpool_mem_release_idle(mem.release()));
    mem = test::allocate(svm, bytes);
    ASSERT_EQ(clpool_mem_pointer(mem.get()), place);
    Gate gate(scene.cl.context);
    ASSERT_EQ(
        clEnqueueSVMMemFill(other, clpool_mem_pointer(mem.get()), &value, 1, bytes, 1, gate.list(), nullptr),
        CL_SUCCESS);
    mem.reset();
    give_back_what_may_go();
    EXPECT_EQ(stats_of(svm).managed_bytes, size) << bytes;
    gate.open();
    stub_run_all();
  }
}

TEST_F(SvmPoolOfAnAdoptedQueue, GivesBackWhatWasAllocatedForThatQueue) {
  make();
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_pool_allocate_on(svm.get(), home, size, &mem));
  ASSERT_OK(clpool_mem_release(mem));
  give_back_what_may_go();
  EXPECT_EQ(stats_of(svm).managed_bytes, 0U);
}

/// It would wait for the queue, in vain, however long that takes.
TEST_F(SvmPoolOfAnAdoptedQueue, NobodyWaitsForMemoryThatStays) {
  make(2 * size);
  give_back_what_may_go();
  MemHandle mem = test::allocate(svm, size);
  Gate gate(scene.cl.context);
  ASSERT_EQ(clEnqueueBarrierWithWaitList(home, 1, gate.list(), nullptr), CL_SUCCESS);
  mem.reset();
  const std::uint64_t before = stub_calls("clGetEventInfo");
  clpool_mem* refused = nullptr;
  EXPECT_EQ(clpool_pool_allocate(svm.get(), 2 * size, &refused), CLPOOL_ERROR_OUT_OF_MEMORY);
  EXPECT_LT(stub_calls("clGetEventInfo") - before, 1000U) << "ten seconds of looks";
  EXPECT_FALSE(last_error_names("while a queue may still use them")) << last_error();
  gate.open();
  stub_run_all();
}

}  // namespace
}  // namespace clpool::test
