// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// SVM of no pool whose free the driver refuses: it is freed when the commands that use it are done, if that
// can be found out; else it stays, and a message says so.
#include "orderings/orderings.hpp"

namespace clpool::test {
namespace {

class RefusedFree : public testing::Test {
 protected:
  RefusedFree() {
    clpool_set_message_callback(
        [](void* user, std::int32_t, const char* text) { *static_cast<std::string*>(user) += text; }, &said);
    EXPECT_OK(clpool_svm_create(scene.cl.context, 0, operand_size, 0, nullptr, &mem));
    pointer = clpool_mem_pointer(mem);
  }
  ~RefusedFree() override {
    clpool_set_message_callback(nullptr, nullptr);
    stub_fail_none();
    stub_run_all();
    if (living() != 0) {
      clSVMFree(scene.cl.context, pointer);
    }
  }
  static std::int64_t living() {
    stub_counts counts;
    stub_read_counts(&counts);
    return counts.live[STUB_SVM];
  }
  void fill(cl_command_queue queue) {
    ASSERT_OK(clpool_mem_fill(queue, mem, &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  }
  Scene scene;
  std::string said;
  clpool_mem* mem = nullptr;
  void* pointer = nullptr;
};

TEST_F(RefusedFree, ComesWhenItsCommandsHaveEnded) {
  fill(scene.queue);
  stub_fail("clEnqueueSVMFree", 1, CL_OUT_OF_RESOURCES);
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(stub_pending(nullptr), 0U);
  EXPECT_EQ(living(), 0);
  EXPECT_EQ(said, "");
}

TEST_F(RefusedFree, ComesAlsoWhenACommandEndedInAnError) {
  Gate gate(scene.cl.context);
  ASSERT_OK(
      clpool_mem_fill(scene.queue, mem, &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 1, gate.list(), nullptr));
  gate.open(CL_OUT_OF_RESOURCES);
  stub_fail("clEnqueueSVMFree", 1, CL_OUT_OF_RESOURCES);
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(living(), 0);
}

TEST_F(RefusedFree, DoesNotComeWhereTheEndOfItsEventsCannotBeWaitedFor) {
  fill(scene.queue);
  stub_fail("clEnqueueSVMFree", 1, CL_OUT_OF_RESOURCES);
  stub_set_hook(
      [](const char* entry_point, void*) {
        if (std::strcmp(entry_point, "clWaitForEvents") == 0 && stub_failures() == 1) {
          stub_fail("clWaitForEvents", 1, CL_OUT_OF_RESOURCES);
        }
      },
      nullptr);
  ASSERT_OK(clpool_mem_release(mem));
  stub_set_hook(nullptr, nullptr);
  EXPECT_EQ(living(), 1);
  EXPECT_NE(said.find("stay allocated"), std::string::npos) << said;
}

TEST_F(RefusedFree, WithoutAMarkerItsQueueIsWaitedFor) {
  fill(scene.cl.queue);
  stub_fail("clEnqueueMarkerWithWaitList", 1, CL_OUT_OF_RESOURCES);
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(stub_pending(scene.cl.queue), 0U);
  EXPECT_EQ(living(), 0);
}

/// A release that fails leaves the memory as it was, and what uses it in mind.
TEST_F(RefusedFree, OnAQueueChangesNothing) {
  for (const cl_command_queue queue : {scene.cl.queue, scene.queue}) {
    SCOPED_TRACE(queue == scene.queue ? "out of order" : "in order");
    for (const char* const call : {"clEnqueueSVMFree", "clEnqueueMarkerWithWaitList"}) {
      SCOPED_TRACE(call);
      const std::int64_t before = living();
      clpool_mem* svm = nullptr;
      ASSERT_OK(clpool_svm_create(scene.cl.context, 0, operand_size, 0, nullptr, &svm));
      ASSERT_OK(clpool_mem_fill(queue, svm, &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
      stub_fail_from(call, 1, CL_OUT_OF_RESOURCES);
      const clpool_status status = clpool_mem_release_on(svm, queue, 0, nullptr, nullptr);
      stub_fail_none();
      if (status == CLPOOL_SUCCESS) {  // the call was not needed
        stub_run_all();
        continue;
      }
      ASSERT_OK(clpool_mem_release(svm));
      stub_run_all();  // the driver aborts if the memory has gone under its fill
      EXPECT_EQ(living(), before);
    }
  }
  ASSERT_OK(clpool_mem_release(mem));
  stub_run_all();
}

}  // namespace
}  // namespace clpool::test
