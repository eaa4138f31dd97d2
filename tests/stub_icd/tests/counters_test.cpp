// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Counters, leaks, failures, dead handles, hooks.
#include <atomic>
#include <mutex>

#include "stub_icd/tests/fixture.hpp"

namespace clpool::test {
namespace {

class Counters : public StubTest {
 protected:
  std::string difference(const stub_counts& before) {
    char text[1024] = "";
    stub_same_counts(&before, text, sizeof text);
    return text;
  }
};

TEST_F(Counters, CountCallsByEntryPoint) {
  const std::uint64_t before = stub_calls("clFlush");
  const std::uint64_t all = stub_calls(nullptr);
  clFlush(cl.queue);
  clFlush(cl.queue);
  EXPECT_EQ(stub_calls("clFlush") - before, 2u);
  EXPECT_EQ(stub_calls(nullptr) - all, 2u);
}

TEST_F(Counters, SeeEveryObjectAndEveryReference) {
  stub_counts before;
  stub_read_counts(&before);
  EXPECT_EQ(difference(before), "");
  cl_mem mem = buffer(4096);
  EXPECT_EQ(difference(before), "buffers 1 (references 1), bytes of the device 4096");
  clRetainMemObject(mem);
  clRetainContext(cl.context);
  EXPECT_EQ(difference(before),
            "contexts 0 (references 1), buffers 1 (references 2), bytes of the device 4096");
  clReleaseContext(cl.context);
  clReleaseMemObject(mem);
  clReleaseMemObject(mem);
  EXPECT_EQ(difference(before), "");
  EXPECT_EQ(stub_device_bytes(), before.device_bytes);
}

TEST_F(Counters, CountMapsSvmSubBuffersAndEvents) {
  stub_counts before;
  stub_read_counts(&before);
  cl_mem mem = buffer(4096);
  cl_mem half = part(mem, 0, 2048);
  void* const svm = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 64, 0);
  OwnedEvent mapped;
  void* const map =
      clEnqueueMapBuffer(cl.queue, mem, CL_FALSE, CL_MAP_READ, 0, 16, 0, nullptr, mapped.receive(), nullptr);
  stub_counts now;
  stub_read_counts(&now);
  for (const stub_kind kind : {STUB_BUFFER, STUB_SUB_BUFFER, STUB_SVM, STUB_EVENT, STUB_MAP}) {
    EXPECT_EQ(now.live[kind] - before.live[kind], 1) << kind;
  }
  clEnqueueUnmapMemObject(cl.queue, mem, map, 0, nullptr, nullptr);
  stub_run_all();
  clSVMFree(cl.context, svm);
  clReleaseMemObject(half);
  clReleaseMemObject(mem);
}

TEST_F(Counters, AMemoryObjectLivesUntilItsCommandsAreThrough) {
  cl_mem mem = buffer(4096);
  const OwnedEvent event(fill(cl.queue, mem, 1, 4096));
  clReleaseMemObject(mem);
  EXPECT_EQ(stub_device_bytes(), 4096u);
  stub_run_all();
  EXPECT_EQ(stub_device_bytes(), 0u);
}

TEST(LeakReport, NamesWhatIsLeftAtTheEndOfTheProcess) {
  const auto leak = [] {
    setenv("CLPOOL_STUB", "leaks", 1);
    OpenCl cl;
    clCreateUserEvent(cl.context, nullptr);
    std::exit(0);
  };
  EXPECT_EXIT(leak(), testing::ExitedWithCode(0), "left at the end of the process: .*events 1 ");
}

TEST_F(Counters, TheNthCallOfAnEntryPointFails) {
  stub_fail("clCreateBuffer", 2, CL_OUT_OF_RESOURCES);
  cl_mem mem = buffer(64);
  cl_int code = CL_SUCCESS;
  EXPECT_EQ(clCreateBuffer(cl.context, 0, 64, nullptr, &code), nullptr);
  EXPECT_EQ(code, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(stub_failures(), 1u);
  clReleaseMemObject(mem);
  clReleaseMemObject(buffer(64));  // once only
}

TEST_F(Counters, EveryCallFromTheNthOnFails) {
  stub_fail_from("clFlush", 2, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(clFlush(cl.queue), CL_SUCCESS);
  EXPECT_EQ(clFlush(cl.queue), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(clFlush(cl.queue), CL_OUT_OF_RESOURCES);
  stub_fail_none();
  EXPECT_EQ(clFlush(cl.queue), CL_SUCCESS);
}

TEST_F(Counters, TheNthCallOfAnyEntryPointFailsButReleases) {
  cl_mem mem = buffer(64);
  stub_fail(nullptr, 2, CL_OUT_OF_HOST_MEMORY);
  EXPECT_EQ(clFlush(cl.queue), CL_SUCCESS);
  EXPECT_EQ(clReleaseMemObject(mem), CL_SUCCESS);
  EXPECT_EQ(clFinish(cl.queue), CL_OUT_OF_HOST_MEMORY);
}

TEST_F(Counters, AReleaseThatFailsReleasesAllTheSame) {
  cl_mem mem = buffer(64);
  stub_fail("clReleaseMemObject", 1, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(clReleaseMemObject(mem), CL_OUT_OF_RESOURCES);
  EXPECT_EQ(stub_device_bytes(), 0u);
}

TEST_F(Counters, CallsNeitherFailNorCountWhileFaultsAreHeld) {
  stub_fail("clFlush", 2, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(stub_hold_faults(1), 0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(clFlush(cl.queue), CL_SUCCESS);
  }
  EXPECT_EQ(stub_hold_faults(0), 1);
  EXPECT_EQ(clFlush(cl.queue), CL_SUCCESS);
  EXPECT_EQ(clFlush(cl.queue), CL_OUT_OF_RESOURCES);
}

TEST_F(Counters, AThreadIsKnownToBeInTheDriver) {
  EXPECT_EQ(stub_activity(), nullptr);
  std::string seen;
  stub_set_hook([](const char*, void* user) { *static_cast<std::string*>(user) = stub_activity(); }, &seen);
  clFlush(cl.queue);
  stub_set_hook(nullptr, nullptr);
  EXPECT_EQ(seen, "clFlush");
  EXPECT_EQ(stub_activity(), nullptr);
}

TEST(Environment, MakesACallFailAndPrintsAllCalls) {
  const auto run = [](const char* options) {
    setenv("CLPOOL_STUB", options, 1);
    OpenCl cl;
    int failures = 0;
    for (int i = 0; i < 4; ++i) {
      failures += clFlush(cl.queue) == CL_OUT_OF_RESOURCES ? 1 : 0;
    }
    std::exit(failures);
  };
  EXPECT_EXIT(run("fail=clFlush:2:-5,calls"), testing::ExitedWithCode(1), "calls:.* clFlush=4");
  EXPECT_EXIT(run("fail=clFlush:2:-5:on"), testing::ExitedWithCode(3), "");
}

TEST_F(Counters, SvmThatFailsIsNull) {
  stub_fail("clSVMAlloc", 1, CL_OUT_OF_RESOURCES);
  EXPECT_EQ(clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 64, 0), nullptr);
}

TEST_F(Counters, AReleasedHandleKillsTheProcess) {
  cl_mem mem = buffer(64);
  clReleaseMemObject(mem);
  EXPECT_DEATH(clRetainMemObject(mem), "clRetainMemObject: the memory object .* was released");
  stub_configure("handles=error");
  EXPECT_EQ(clRetainMemObject(mem), CL_INVALID_MEM_OBJECT);
}

TEST_F(Counters, AnEventOfAWaitListMustLive) {
  cl_event event = clCreateUserEvent(cl.context, nullptr);
  clSetUserEventStatus(event, CL_COMPLETE);
  clReleaseEvent(event);
  EXPECT_DEATH(clEnqueueMarkerWithWaitList(cl.queue, 1, &event, nullptr), "the event .* was released");
}

TEST_F(Counters, WhatTheVersionDoesNotHaveKillsTheProcess) {
  stub_configure("version=1.1");
  EXPECT_DEATH(clEnqueueMarkerWithWaitList(cl.queue, 0, nullptr, nullptr),
               "is of OpenCL 1.2, the device has 1.1");
}

TEST_F(Counters, AHookSeesEveryEntryPointWithNoLockHeld) {
  static std::vector<std::string> seen;
  seen.clear();
  stub_set_hook(
      [](const char* entry_point, void* queue) {
        seen.push_back(entry_point);
        clFlush(static_cast<cl_command_queue>(
            queue));  // would hang if the stub held its lock; is not seen itself
      },
      cl.queue);
  clFinish(cl.queue);
  stub_set_hook(nullptr, nullptr);
  clFinish(cl.queue);
  EXPECT_EQ(seen, std::vector<std::string>{"clFinish"});
}

TEST_F(Counters, AnotherThreadRunsDuringAnEntryPoint) {
  static std::atomic<int> runs;
  runs = 0;
  stub_meanwhile(
      "clFlush", [](void*) { ++runs; }, nullptr);
  clFinish(cl.queue);
  EXPECT_EQ(runs, 0);
  clFlush(cl.queue);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(stub_meanwhile_runs(), 1u);
  EXPECT_EQ(stub_meanwhile_held_up(), 0u);
}

TEST_F(Counters, ALockThatIsHeldAcrossAnEntryPointIsFound) {
  stub_configure("patience=50ms");
  static std::mutex held;
  stub_meanwhile(
      "clFlush", [](void*) { const std::lock_guard lock(held); }, nullptr);
  {
    const std::lock_guard lock(held);
    clFlush(cl.queue);
  }
  EXPECT_EQ(stub_meanwhile_held_up(), 1u);
}

}  // namespace
}  // namespace clpool::test
