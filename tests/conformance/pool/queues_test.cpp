// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Who may reuse what, and when: memory that commands still use is never handed
// out to others, whatever the queues, and no call of a pool waits for those commands unless memory is
// otherwise out. The commands are held back by user events, so that they are certainly not complete.
#include <atomic>
#include <chrono>
#include <thread>

#include "conformance/pool/backends.hpp"
#include "support/guard.hpp"

namespace clpool::test {
namespace {

constexpr std::size_t size = 64 * 1024;

/// A copy of a block's bytes that waits for a user event: it reads whatever the block holds by then.
class HeldCopy {
 public:
  HeldCopy(const OpenCl& cl, cl_command_queue queue, const MemHandle& source)
      : queue_(queue), is_svm_(clpool_mem_handle(source.get()) == nullptr) {
    gate_ = clCreateUserEvent(cl.context, nullptr);
    if (is_svm_) {
      EXPECT_EQ(clEnqueueSVMMemcpy(queue, CL_FALSE, bytes_.data(), clpool_mem_pointer(source.get()), size, 1,
                                   &gate_, &done_),
                CL_SUCCESS);
    } else {
      EXPECT_EQ(clEnqueueReadBuffer(queue, clpool_mem_handle(source.get()), CL_FALSE, 0, size, bytes_.data(),
                                    1, &gate_, &done_),
                CL_SUCCESS);
    }
    clFlush(queue);
  }
  HeldCopy(const HeldCopy&) = delete;
  HeldCopy& operator=(const HeldCopy&) = delete;
  ~HeldCopy() {
    let_go();
    finish(queue_);
    clReleaseEvent(done_);
    clReleaseEvent(gate_);
  }

  cl_event done() const { return done_; }
  void let_go(cl_int state = CL_COMPLETE) {
    if (!open_) {
      open_ = true;
      clSetUserEventStatus(gate_, state);
    }
  }
  /// Lets the copy run; true if it found `value` everywhere.
  bool reads(unsigned char value) {
    let_go();
    finish(queue_);
    return bytes_ == std::vector<unsigned char>(size, value);
  }

 private:
  cl_command_queue queue_;
  bool is_svm_;
  bool open_ = false;
  cl_event gate_ = nullptr;
  cl_event done_ = nullptr;
  std::vector<unsigned char> bytes_ = std::vector<unsigned char>(size);
};

/// What identifies a block's memory: a buffer's object, or an address.
const void* place_of(const MemHandle& mem) {
  const void* pointer = clpool_mem_pointer(mem.get());
  return pointer != nullptr ? pointer : clpool_mem_handle(mem.get());
}

std::vector<Backend> device_backends() {
  std::vector<Backend> backends;
  for (const Kind kind : {Kind::immediate, Kind::svm}) {
    backends.push_back({kind, CLPOOL_STRATEGY_COALESCING, 0});
    backends.push_back({kind, CLPOOL_STRATEGY_BINNED, 4});
  }
  return backends;
}

class PoolQueues : public PoolTest {
 protected:
  void SetUp() override {
    PoolTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    other = cl.another_queue();
    out_of_order = cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    if (out_of_order == nullptr) {
      GTEST_SKIP() << "the device has no out-of-order queues";
    }
  }

  /// A pool that was told of these queues.
  PoolHandle pool_used_on(std::vector<cl_command_queue> queues) {
    clpool_pool_options told = options();
    told.queues = queues.data();
    told.queue_count = static_cast<std::uint32_t>(queues.size());
    return make_pool(allocator.get(), told);
  }
  MemHandle written(const PoolHandle& pool, unsigned char value) {
    MemHandle mem = allocate(pool, size);
    fill(mem, value);
    finish(cl.queue);
    return mem;
  }
  /// Allocates again and overwrites; true if that got the memory at `place`.
  bool overwrites(const PoolHandle& pool, const void* place) {
    const MemHandle again = written(pool, 2);
    return place_of(again) == place;
  }
  /// After its users are through, the memory comes back into use.
  void expect_reused(const PoolHandle& pool, const void* place) {
    for (int i = 0; i < 1000 && stats_of(pool).pending_bytes != 0; ++i) {
      ASSERT_EQ(clpool_pool_tick(pool.get()), CLPOOL_SUCCESS);
      if (pools_are_guarded()) {
        ASSERT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS);  // or it rests
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(stats_of(pool).pending_bytes, 0u);
    std::vector<MemHandle> blocks;
    bool found = false;
    while (!found && blocks.size() < 100) {
      blocks.push_back(allocate(pool, size));
      found = place_of(blocks.back()) == place;
    }
    EXPECT_TRUE(found || stats_of(pool).driver_releases != 0) << "it is neither held nor given back";
    expect_sound(pool);
  }

  cl_command_queue other = nullptr;
  cl_command_queue out_of_order = nullptr;
};
INSTANTIATE_TEST_SUITE_P(, PoolQueues, testing::ValuesIn(device_backends()), name_of);

TEST_P(PoolQueues, AnUndeclaredUseOnAnotherQueueIsNotProtected) {
  // The control: all other tests would see the memory overwritten if it were not for what they declare.
  const PoolHandle tested = pool();
  MemHandle mem = written(tested, 1);
  const void* place = place_of(mem);
  HeldCopy copy(cl, other, mem);
  mem.reset();
  EXPECT_TRUE(overwrites(tested, place));
  EXPECT_TRUE(copy.reads(2)) << "the command sees what the next owner wrote";
}

TEST_P(PoolQueues, DeclaringAUseDoesNotEndTheProtectionOfThePoolsOwnQueues) {
  const PoolHandle tested = pool_used_on({cl.queue, out_of_order});
  MemHandle mem = written(tested, 1);
  const void* place = place_of(mem);
  ASSERT_EQ(clpool_mem_used_on(mem.get(), other), CLPOOL_SUCCESS);
  HeldCopy copy(cl, out_of_order, mem);
  mem.reset();
  finish(other);
  EXPECT_FALSE(overwrites(tested, place)) << "the declared use is through, the pool's own queue is not";
  EXPECT_TRUE(copy.reads(1));
  expect_reused(tested, place);
}

TEST_P(PoolQueues, ADeclaredUseOnAnotherQueueHoldsTheBlockBack) {
  const PoolHandle tested = pool();
  MemHandle mem = written(tested, 1);
  const void* place = place_of(mem);
  ASSERT_EQ(clpool_mem_used_on(mem.get(), other), CLPOOL_SUCCESS);
  ASSERT_EQ(clpool_mem_used_on(mem.get(), out_of_order), CLPOOL_SUCCESS);
  HeldCopy copy(cl, other, mem);
  HeldCopy second(cl, out_of_order, mem);
  mem.reset();
  EXPECT_GE(stats_of(tested).pending_bytes, size);
  EXPECT_FALSE(overwrites(tested, place));
  EXPECT_TRUE(copy.reads(1));
  EXPECT_FALSE(overwrites(tested, place)) << "the other queue is not through";
  EXPECT_TRUE(second.reads(1));
  expect_reused(tested, place);
}

TEST_P(PoolQueues, EventsOfUsesHoldTheBlockBack) {
  const PoolHandle tested = pool();
  MemHandle mem = written(tested, 1);
  const void* place = place_of(mem);
  HeldCopy copy(cl, out_of_order, mem);
  const cl_event done = copy.done();
  ASSERT_EQ(clpool_mem_release_after(mem.get(), 1, &done), CLPOOL_SUCCESS);
  mem.reset();
  EXPECT_FALSE(overwrites(tested, place));
  EXPECT_TRUE(copy.reads(1));
  expect_reused(tested, place);
}

TEST_P(PoolQueues, APoolToldOfSeveralQueuesProtectsItself) {
  const PoolHandle tested = pool_used_on({cl.queue, other});
  MemHandle mem = written(tested, 1);
  const void* place = place_of(mem);
  HeldCopy copy(cl, other, mem);
  mem.reset();
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(overwrites(tested, place));
  }
  EXPECT_TRUE(copy.reads(1));
  expect_reused(tested, place);
}

TEST_P(PoolQueues, APoolOverAnOutOfOrderQueueProtectsItself) {
  const PoolHandle tested = pool_used_on({out_of_order});
  MemHandle mem = written(tested, 1);
  const void* place = place_of(mem);
  HeldCopy copy(cl, out_of_order, mem);
  mem.reset();
  EXPECT_FALSE(overwrites(tested, place));
  EXPECT_TRUE(copy.reads(1));
  expect_reused(tested, place);
}

TEST_P(PoolQueues, AnOutOfOrderQueueWaitsForAllThatItWasToWaitFor) {
  const PoolHandle tested = pool();
  const PoolHandle another = pool_used_on({other});
  MemHandle mem = written(tested, 0);
  const void* place = place_of(mem);
  const MemHandle of_another = allocate(another, size);
  cl_event gate = clCreateUserEvent(cl.context, nullptr);
  clEnqueueBarrierWithWaitList(cl.queue, 1, &gate, nullptr);
  fill(mem, 1);
  mem.reset();
  mem = allocate(tested, size);  // by the order of its queue, which still uses it
  EXPECT_EQ(place_of(mem), place);
  EXPECT_EQ(clpool_mem_used_on(mem.get(), out_of_order), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_mem_used_on(of_another.get(), out_of_order), CLPOOL_SUCCESS);
  const unsigned char value = 2;
  cl_event filled = nullptr;
  EXPECT_EQ(clpool_mem_fill(out_of_order, mem.get(), &value, 1, 0, size, 0, nullptr, &filled),
            CLPOOL_SUCCESS);
  clFlush(out_of_order);
  finish(other);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));  // in which it may overtake
  cl_int state = CL_COMPLETE;
  clGetEventInfo(filled, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
  EXPECT_NE(state, CL_COMPLETE);
  clSetUserEventStatus(gate, CL_COMPLETE);
  finish(out_of_order);
  HeldCopy copy(cl, cl.queue, mem);
  EXPECT_TRUE(copy.reads(2));
  clReleaseEvent(filled);
  clReleaseEvent(gate);
}

TEST_P(PoolQueues, AUseOnTheAllocatorsQueueCountsWhereThePoolWasToldOfAnother) {
  const PoolHandle tested = pool_used_on({other});
  MemHandle mem = written(tested, 1);
  const void* place = place_of(mem);
  ASSERT_EQ(clpool_mem_used_on(mem.get(), cl.queue), CLPOOL_SUCCESS);
  cl_event gate = clCreateUserEvent(cl.context, nullptr);
  clEnqueueBarrierWithWaitList(cl.queue, 1, &gate, nullptr);
  mem.reset();
  const MemHandle again = allocate(tested, size);
  EXPECT_NE(place_of(again), place);
  clSetUserEventStatus(gate, CL_COMPLETE);
  finish(cl.queue);
  clReleaseEvent(gate);
}

TEST_P(PoolQueues, ABoundBlockIsHeldBackForItsQueue) {
  const PoolHandle tested = pool();
  MemHandle mem = written(tested, 1);
  const void* place = place_of(mem);
  EXPECT_EQ(clpool_mem_bind_queue(mem.get(), out_of_order), CLPOOL_ERROR_INVALID_VALUE);
  ASSERT_EQ(clpool_mem_bind_queue(mem.get(), other), CLPOOL_SUCCESS);
  HeldCopy copy(cl, other, mem);
  mem.reset();
  EXPECT_FALSE(overwrites(tested, place));
  EXPECT_TRUE(copy.reads(1));
  expect_reused(tested, place);
}

TEST_P(PoolQueues, AnUnboundBlockIsFreeToBeReused) {
  const PoolHandle tested = pool();
  MemHandle mem = written(tested, 1);
  const void* place = place_of(mem);
  ASSERT_EQ(clpool_mem_bind_queue(mem.get(), other), CLPOOL_SUCCESS);
  ASSERT_EQ(clpool_mem_unbind_queue(mem.get()), CLPOOL_SUCCESS);
  mem.reset();
  EXPECT_EQ(stats_of(tested).pending_bytes, 0u);
  EXPECT_TRUE(overwrites(tested, place));
}

TEST_P(PoolQueues, AReleaseOnAQueueWaitsForItAndTellsWhen) {
  const PoolHandle tested = pool();
  MemHandle mem = written(tested, 1);
  const void* place = place_of(mem);
  HeldCopy copy(cl, other, mem);
  cl_event released = nullptr;
  ASSERT_EQ(clpool_mem_release_on(mem.release(), other, 0, nullptr, &released), CLPOOL_SUCCESS)
      << clpool_last_error_message();
  cl_int state = CL_COMPLETE;
  clGetEventInfo(released, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr);
  EXPECT_GT(state, CL_COMPLETE);
  EXPECT_FALSE(overwrites(tested, place));
  EXPECT_TRUE(copy.reads(1));
  EXPECT_EQ(clWaitForEvents(1, &released), CL_SUCCESS);
  clReleaseEvent(released);
  expect_reused(tested, place);
}

TEST_P(PoolQueues, NothingWaitsForACommandThatIsHeld) {
  const PoolHandle tested = pool_used_on({cl.queue, other, out_of_order});
  MemHandle mem = written(tested, 1);
  HeldCopy copy(cl, out_of_order, mem);
  MemHandle declared = allocate(tested, 5000);
  ASSERT_EQ(clpool_mem_used_on(declared.get(), out_of_order), CLPOOL_SUCCESS);
  mem.reset();
  declared.reset();
  for (int i = 0; i < 40; ++i) {  // more releases than one marker serves
    allocate(tested, 3000).reset();
  }
  clpool_mem* tried = nullptr;
  static_cast<void>(clpool_pool_try_allocate(tested.get(), 100, &tried));
  clpool_mem_release(tried);
  EXPECT_EQ(clpool_pool_tick(tested.get()), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_pool_trim(tested.get(), 0), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_pool_free_held(tested.get()), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_pool_visit(
                tested.get(), [](void*, const clpool_pool_stretch*) -> int32_t { return 0; }, nullptr),
            CLPOOL_SUCCESS);
  EXPECT_GT(stats_of(tested).pending_bytes, 0u);
  EXPECT_GT(stats_of(tested).chunks, 0u) << "the command's memory is still there";
  expect_sound(tested);
  EXPECT_TRUE(copy.reads(1)) << "it had not run, so nothing waited for it";
}

TEST_P(PoolQueues, WithoutOtherMemoryTheHeldBlockIsWaitedFor) {
  for (const bool declared : {false, true}) {
    std::vector<cl_command_queue> queues = {cl.queue};
    if (!declared) {
      queues.push_back(other);
    }
    clpool_pool_options limited = options();
    limited.queues = queues.data();
    limited.queue_count = static_cast<std::uint32_t>(queues.size());
    limited.max_bytes = size + size / 8;
    const PoolHandle tested = make_pool(allocator.get(), limited);
    MemHandle mem = written(tested, 1);
    HeldCopy copy(cl, other, mem);
    if (declared) {
      ASSERT_EQ(clpool_mem_used_on(mem.get(), other), CLPOOL_SUCCESS);
    }
    mem.reset();
    std::thread releasing([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      copy.let_go();
    });
    const MemHandle again = written(tested, 2);
    releasing.join();
    ASSERT_NE(again, nullptr);
    EXPECT_TRUE(copy.reads(1));
    expect_sound(tested);
  }
}

TEST_P(PoolQueues, ACommandThatFailsFreesItsBlock) {
  const PoolHandle tested = pool();
  MemHandle mem = written(tested, 1);
  const cl_event failing = clCreateUserEvent(cl.context, nullptr);
  ASSERT_EQ(clpool_mem_release_after(mem.get(), 1, &failing), CLPOOL_SUCCESS);
  const void* place = place_of(mem);
  mem.reset();
  EXPECT_FALSE(overwrites(tested, place));
  clSetUserEventStatus(failing, -1);
  clReleaseEvent(failing);
  expect_reused(tested, place);
}

TEST_P(PoolQueues, BadUsesAreRefusedAndChangeNothing) {
  const PoolHandle tested = pool();
  const MemHandle mem = allocate(tested, size);
  const cl_event nothing = nullptr;
  EXPECT_EQ(clpool_mem_release_after(mem.get(), 1, nullptr), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_mem_release_after(mem.get(), 1, &nothing), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_mem_release_after(mem.get(), 0, nullptr), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_mem_used_on(mem.get(), nullptr), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_mem_used_on(nullptr, cl.queue), CLPOOL_ERROR_INVALID_VALUE);
  clpool_mem* direct = nullptr;
  ASSERT_EQ(clpool_allocator_allocate(allocator.get(), 100, &direct), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_mem_used_on(direct, cl.queue), CLPOOL_ERROR_INVALID_OPERATION) << "memory of no pool";
  EXPECT_EQ(clpool_mem_release(direct), CLPOOL_SUCCESS);
}

TEST(AddressesUnderAQueue, GoBackOnlyWhenTheQueueIsThrough) {
  OpenCl cl;
  if (cl.queue == nullptr) {
    GTEST_SKIP() << "no OpenCL device";
  }
  for (const char* by : {"free_held", "trim", "stop_holding", "out of memory", "the pool's end"}) {
    NumberSource numbers;  // which OpenCL does not protect: what is given back is gone
    const AllocatorHandle allocator = numbers.allocator();
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = &cl.queue;
    options.queue_count = 1;
    options.max_bytes = 1'500'000;
    options.strategy = CLPOOL_STRATEGY_BINNED;
    PoolHandle pool = make_pool(allocator.get(), options);
    MemHandle mem = allocate(pool, 1'000'000);
    cl_event gate = clCreateUserEvent(cl.context, nullptr);
    clEnqueueBarrierWithWaitList(cl.queue, 1, &gate, nullptr);
    std::atomic<bool> open{false};
    std::thread opening;
    const auto open_soon = [&] {
      opening = std::thread([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        EXPECT_GT(numbers.live_bytes(), 0u) << by;
        open = true;
        clSetUserEventStatus(gate, CL_COMPLETE);
      });
    };
    const std::string how = by;
    if (how == "stop_holding") {
      ASSERT_EQ(clpool_pool_stop_holding(pool.get()), CLPOOL_SUCCESS);
    }
    mem.reset();
    if (how == "free_held") {
      ASSERT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS);
    } else if (how == "trim") {
      ASSERT_EQ(clpool_pool_trim(pool.get(), 0), CLPOOL_SUCCESS);
    }
    open_soon();
    if (how == "out of memory") {
      mem = allocate(pool, 1'300'000);
      EXPECT_TRUE(open);
      mem.reset();
    } else if (how == "the pool's end") {
      pool.reset();
      EXPECT_TRUE(open);
    }
    opening.join();
    finish(cl.queue);
    clReleaseEvent(gate);
    for (int i = 0; i < 1000 && pool != nullptr && stats_of(pool).managed_bytes != 0; ++i) {
      ASSERT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(numbers.live_bytes(), 0u) << by;
  }
}

/// PyOpenCL's test_outoforderqueue_indexing: temporaries of an expression are released while the kernels that
/// read them wait in an out-of-order queue behind the events of those that write them.
class OutOfOrderIndexing : public PoolQueues {
 protected:
  static constexpr std::size_t count = 4096;

  void SetUp() override {
    PoolQueues::SetUp();
    if (IsSkipped()) {
      return;
    }
    const char* source =
        "kernel void iota(global int* a, int n, int shift) { int i = get_global_id(0); a[i] = (i * 7 + "
        "shift) % n; }"
        "kernel void take(global int* out, global const int* in, global const int* index) {"
        "  int i = get_global_id(0); int s = 0; for (int k = 0; k < 20; ++k) s += k % 3; out[i] = "
        "in[index[i]] + s; }";
    cl_int code = CL_SUCCESS;
    program = clCreateProgramWithSource(cl.context, 1, &source, nullptr, &code);
    ASSERT_EQ(clBuildProgram(program, 1, &cl.device, "", nullptr, nullptr), CL_SUCCESS);
    iota = clCreateKernel(program, "iota", &code);
    take = clCreateKernel(program, "take", &code);
  }
  void TearDown() override {
    if (iota != nullptr) {
      clReleaseKernel(iota);
      clReleaseKernel(take);
      clReleaseProgram(program);
    }
  }

  cl_event run(cl_kernel kernel, std::vector<cl_event> waits) {
    const std::size_t global = count;
    cl_event event = nullptr;
    EXPECT_EQ(clEnqueueNDRangeKernel(out_of_order, kernel, 1, nullptr, &global, nullptr,
                                     static_cast<cl_uint>(waits.size()), waits.data(), &event),
              CL_SUCCESS);
    return event;
  }
  static void set(cl_kernel kernel, cl_uint argument, const MemHandle& mem) {
    const cl_mem handle = clpool_mem_handle(mem.get());
    ASSERT_EQ(clSetKernelArg(kernel, argument, sizeof handle, &handle), CL_SUCCESS);
  }
  cl_event make(const MemHandle& mem, cl_int shift) {
    const cl_int n = count;
    set(iota, 0, mem);
    clSetKernelArg(iota, 1, sizeof n, &n);
    clSetKernelArg(iota, 2, sizeof shift, &shift);
    return run(iota, {});
  }

  /// One result computed from temporaries that are released before anything has run; true if it is right.
  bool once(const PoolHandle& pool, cl_int round) {
    constexpr std::size_t bytes = count * sizeof(cl_int);
    const MemHandle result = allocate(pool, bytes);
    cl_event last = nullptr;
    {
      const MemHandle values = allocate(pool, bytes);
      cl_event ready = make(values, round);
      for (int step = 0; step < 3; ++step) {
        const MemHandle index = allocate(pool, bytes);  // released at the end of each step, while in use
        cl_event index_ready = make(index, step);
        set(take, 0, result);
        set(take, 1, values);
        set(take, 2, index);
        std::vector<cl_event> waits = {ready, index_ready};
        if (last != nullptr) {
          waits.push_back(last);
        }
        const cl_event taken = run(take, waits);
        clReleaseEvent(index_ready);
        if (last != nullptr) {
          clReleaseEvent(last);
        }
        last = taken;
      }
      clReleaseEvent(ready);
    }
    std::vector<cl_int> got(count);
    EXPECT_EQ(clEnqueueReadBuffer(out_of_order, clpool_mem_handle(result.get()), CL_TRUE, 0, bytes,
                                  got.data(), 1, &last, nullptr),
              CL_SUCCESS);
    clReleaseEvent(last);
    for (std::size_t i = 0; i < count; ++i) {
      const auto n = static_cast<cl_int>(count);
      const cl_int index = (static_cast<cl_int>(i) * 7 + 2) % n;
      if (got[i] != (index * 7 + round) % n + 19) {
        return false;
      }
    }
    return true;
  }

  cl_program program = nullptr;
  cl_kernel iota = nullptr;
  cl_kernel take = nullptr;
};
INSTANTIATE_TEST_SUITE_P(, OutOfOrderIndexing,
                         testing::Values(Backend{Kind::immediate, CLPOOL_STRATEGY_COALESCING, 0},
                                         Backend{Kind::immediate, CLPOOL_STRATEGY_BINNED, 4}),
                         name_of);

TEST_P(OutOfOrderIndexing, IsRightAThousandTimesOfAThousand) {
  const PoolHandle tested = pool_used_on({out_of_order});
  int wrong = 0;
  for (cl_int round = 0; round < 1000; ++round) {
    wrong += once(tested, round) ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0);
  expect_sound(tested);
}

}  // namespace
}  // namespace clpool::test
