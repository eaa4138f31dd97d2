// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// When commands of the stub run: modes, queues, waits, flushes, blocking calls.
#include <atomic>
#include <thread>

#include "stub_icd/tests/fixture.hpp"

namespace clpool::test {
namespace {

class Commands : public StubTest {
 protected:
  void SetUp() override {
    StubTest::SetUp();
    mem = buffer(256);
    out_of_order = cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  }
  void TearDown() override { clReleaseMemObject(mem); }
  unsigned char byte(std::size_t i = 0) const { return stub_memory(mem)[i]; }
  cl_event fill(cl_command_queue queue, unsigned char value, std::size_t offset = 0,
                std::vector<cl_event> waits = {}) {
    return StubTest::fill(queue, mem, value, 16, offset, std::move(waits));
  }

  cl_mem mem = nullptr;
  cl_command_queue out_of_order = nullptr;
};

TEST_F(Commands, RunWhenTheyAreToldToInModeManual) {
  const OwnedEvent event(fill(cl.queue, 7));
  EXPECT_EQ(byte(), 0xA5);  // fresh memory is poisoned
  EXPECT_FALSE(event.is_complete());
  EXPECT_EQ(stub_pending(cl.queue), 1u);
  EXPECT_EQ(stub_run_next(cl.queue), 1);
  EXPECT_EQ(byte(), 7);
  EXPECT_TRUE(event.is_complete());
  EXPECT_EQ(stub_run_next(cl.queue), 0);
}

TEST_F(Commands, RunAtOnceInModeImmediate) {
  stub_configure("mode=immediate");
  Gate gate(cl.context);
  const OwnedEvent first(fill(cl.queue, 7));
  EXPECT_EQ(byte(), 7);
  const OwnedEvent second(fill(cl.queue, 8, 0, {gate.get()}));
  EXPECT_EQ(byte(), 7);
  gate.open();
  EXPECT_EQ(byte(), 8);
}

TEST_F(Commands, RunOnAThreadInModeWorker) {
  stub_configure("mode=worker");
  const OwnedEvent event(fill(cl.queue, 7));
  const cl_event done = event.get();
  ASSERT_EQ(clWaitForEvents(1, &done), CL_SUCCESS);
  EXPECT_EQ(byte(), 7);
}

TEST_F(Commands, OfAnInOrderQueueRunInOrder) {
  const OwnedEvent first(fill(cl.queue, 1));
  const OwnedEvent second(fill(cl.queue, 2));
  EXPECT_FALSE(stub_may_run(second.get()));
  EXPECT_EQ(stub_run(second.get()), 0);
  EXPECT_EQ(stub_run(first.get()), 1);
  EXPECT_EQ(stub_run(second.get()), 1);
  EXPECT_EQ(byte(), 2);
}

TEST_F(Commands, OfAnOutOfOrderQueueRunInAnyOrder) {
  const OwnedEvent first(fill(out_of_order, 1));
  const OwnedEvent second(fill(out_of_order, 2));
  EXPECT_EQ(stub_runnable(out_of_order), 2u);
  EXPECT_EQ(stub_run_nth(out_of_order, 1), 1);
  EXPECT_EQ(byte(), 2);
  EXPECT_FALSE(first.is_complete());
  EXPECT_EQ(stub_run_all(), 1u);
  EXPECT_EQ(byte(), 1);
}

TEST_F(Commands, WaitForTheirWaitListAcrossQueues) {
  const OwnedEvent first(fill(cl.queue, 1));
  const OwnedEvent second(fill(out_of_order, 2, 0, {first.get()}));
  EXPECT_FALSE(stub_may_run(second.get()));
  stub_run(first.get());
  EXPECT_TRUE(stub_may_run(second.get()));
}

TEST_F(Commands, BehindABarrierWaitForAllBefore) {
  const OwnedEvent before(fill(out_of_order, 1));
  OwnedEvent barrier;
  ASSERT_EQ(clEnqueueBarrierWithWaitList(out_of_order, 0, nullptr, barrier.receive()), CL_SUCCESS);
  const OwnedEvent after(fill(out_of_order, 2));
  EXPECT_FALSE(stub_may_run(barrier.get()));
  EXPECT_FALSE(stub_may_run(after.get()));
  stub_run(before.get());
  EXPECT_FALSE(stub_may_run(after.get()));
  stub_run(barrier.get());
  EXPECT_TRUE(stub_may_run(after.get()));
}

TEST_F(Commands, AMarkerWaitsForAllBeforeAndHoldsUpNothing) {
  const OwnedEvent before(fill(out_of_order, 1));
  OwnedEvent marker;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(out_of_order, 0, nullptr, marker.receive()), CL_SUCCESS);
  const OwnedEvent after(fill(out_of_order, 2));
  EXPECT_FALSE(stub_may_run(marker.get()));
  EXPECT_TRUE(stub_may_run(after.get()));
}

TEST_F(Commands, FailWithWhatTheyWaitFor) {
  Gate gate(cl.context);
  const OwnedEvent event(fill(cl.queue, 7, 0, {gate.get()}));
  gate.open(-5);
  stub_run_all();
  EXPECT_EQ(byte(), 0xA5);
  cl_int status = 0;
  clGetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  EXPECT_EQ(status, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  const cl_event done = event.get();
  EXPECT_EQ(clWaitForEvents(1, &done), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

TEST_F(Commands, ABlockingCallRunsWhatItNeedsAndNoMore) {
  const OwnedEvent needed(fill(cl.queue, 1));
  const OwnedEvent other(fill(out_of_order, 2, 32));
  unsigned char value = 0;
  ASSERT_EQ(clEnqueueReadBuffer(cl.queue, mem, CL_TRUE, 0, 1, &value, 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(value, 1);
  EXPECT_FALSE(other.is_complete());
  ASSERT_EQ(clFinish(out_of_order), CL_SUCCESS);
  EXPECT_TRUE(other.is_complete());
}

TEST_F(Commands, ABlockingCallBehindAGateWaitsForAnotherThread) {
  Gate gate(cl.context);
  const OwnedEvent event(fill(cl.queue, 1, 0, {gate.get()}));
  std::atomic<bool> has_returned = false;
  std::thread waiting([&] {
    clFinish(cl.queue);
    has_returned = true;
  });
  while (stub_blocked() == 0 && !has_returned) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(has_returned);
  gate.open();
  waiting.join();
  EXPECT_EQ(byte(), 1);
}

TEST_F(Commands, AWaitThatNothingCanEndIsReportedWhereThatIsAskedFor) {
  stub_configure("deadlock=abort");
  Gate gate(cl.context);
  const OwnedEvent event(fill(cl.queue, 1, 0, {gate.get()}));
  EXPECT_DEATH(clFinish(cl.queue), "clFinish: this would wait for ever .* user event [0-9]+ is not set");
}

TEST_F(Commands, WithNeedsFlushNothingRunsBeforeAFlush) {
  stub_configure("needs_flush=1,mode=immediate");
  const OwnedEvent event(fill(cl.queue, 1));
  EXPECT_EQ(byte(), 0xA5);
  clFlush(cl.queue);
  EXPECT_EQ(byte(), 1);
}

TEST_F(Commands, WithNeedsFlushAnotherQueueWaitsForEver) {
  stub_configure("needs_flush=1,deadlock=abort");
  const OwnedEvent event(fill(cl.queue, 1));
  const OwnedEvent waiting(fill(out_of_order, 2, 0, {event.get()}));
  EXPECT_DEATH(clFinish(out_of_order), "command [0-9]+ was not flushed");
}

TEST_F(Commands, WithFinishForgetsOnlyWhatWasNotFlushedIsWaitedFor) {
  stub_configure("finish_forgets=1");
  const OwnedEvent event(fill(cl.queue, 1));
  ASSERT_EQ(clFlush(cl.queue), CL_SUCCESS);
  ASSERT_EQ(clFinish(cl.queue), CL_SUCCESS);
  EXPECT_FALSE(event.is_complete());
  OwnedEvent marker;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(cl.queue, 0, nullptr, marker.receive()), CL_SUCCESS);
  ASSERT_EQ(clFinish(cl.queue), CL_SUCCESS);
  EXPECT_TRUE(event.is_complete());
}

TEST_F(Commands, CallbacksAreMadeWithTheirStatus) {
  struct Record {
    std::vector<cl_int> statuses;
    static void CL_CALLBACK add(cl_event event, cl_int status, void* user) {
      cl_uint count = 0;
      EXPECT_EQ(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, nullptr), CL_SUCCESS);
      static_cast<Record*>(user)->statuses.push_back(status);
    }
  } record;
  {
    const OwnedEvent event(fill(cl.queue, 1));
    for (const cl_int when : {CL_SUBMITTED, CL_RUNNING, CL_COMPLETE}) {
      ASSERT_EQ(clSetEventCallback(event.get(), when, Record::add, &record), CL_SUCCESS);
    }
  }  // the program's reference goes before the command runs
  EXPECT_TRUE(record.statuses.empty());
  stub_run_all();
  EXPECT_EQ(record.statuses, (std::vector<cl_int>{CL_SUBMITTED, CL_RUNNING, CL_COMPLETE}));
}

TEST_F(Commands, TakeTheTimeThatIsScripted) {
  stub_configure("time.fill=1000,clFinish=50,clCreateUserEvent=7us");
  cl_command_queue profiled = cl.another_queue(CL_QUEUE_PROFILING_ENABLE);
  const OwnedEvent event(fill(profiled, 1));
  const std::uint64_t before = stub_now();
  clFinish(profiled);
  cl_ulong begin = 0;
  cl_ulong end = 0;
  ASSERT_EQ(clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_START, sizeof begin, &begin, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(clGetEventProfilingInfo(event.get(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(end - begin, 1000u);
  EXPECT_GE(stub_now() - before, 1000u);  // the wait took the command's time
  const std::uint64_t idle = stub_now();
  const Gate gate(cl.context);
  EXPECT_EQ(stub_now() - idle, 7000u);
}

TEST_F(Commands, SeveralDevicesRunTheirOwn) {
  stub_configure("devices=2,mode=worker");
  cl_device_id devices[2] = {};
  cl_uint count = 0;
  ASSERT_EQ(clGetDeviceIDs(cl.platform, CL_DEVICE_TYPE_ALL, 2, devices, &count), CL_SUCCESS);
  ASSERT_EQ(count, 2u);
  cl_context context = clCreateContext(nullptr, 2, devices, nullptr, nullptr, nullptr);
  cl_command_queue queues[2] = {clCreateCommandQueueWithProperties(context, devices[0], nullptr, nullptr),
                                clCreateCommandQueueWithProperties(context, devices[1], nullptr, nullptr)};
  cl_mem shared = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, nullptr, nullptr);
  const OwnedEvent first(StubTest::fill(queues[0], shared, 1, 64));
  const OwnedEvent second(StubTest::fill(queues[1], shared, 2, 32, 0, {first.get()}));
  clFinish(queues[1]);
  EXPECT_EQ(stub_memory(shared)[0], 2);
  EXPECT_EQ(stub_memory(shared)[63], 1);
  clReleaseMemObject(shared);
  clReleaseCommandQueue(queues[0]);
  clReleaseCommandQueue(queues[1]);
  clReleaseContext(context);
}

}  // namespace
}  // namespace clpool::test
