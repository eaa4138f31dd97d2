// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Questions to a device that fail: an error with OpenCL's code, or the answer that needs no driver, and never
// a number that nobody gave.
#include <gtest/gtest.h>

#include "conformance/memory.hpp"
#include "stub_icd/stub.h"
#include "stub_icd/tests/fixture.hpp"

namespace clpool::test {
namespace {

class FailedQuestions : public testing::Test {
 protected:
  ~FailedQuestions() override { stub_fail_none(); }
  StubWatch watch;
  OpenCl cl;
  Kernel kernel{cl, "kernel void f(global int* a) { a[0] = 1; }", "f"};
  clpool_answer answer = CLPOOL_ANSWER_INIT;
};

TEST_F(FailedQuestions, APlatformThatCannotCountItsDevicesOffersNone) {
  std::size_t count = 0;
  for (const std::uint64_t nth : {1, 2}) {  // how many there are; which
    stub_fail("clGetDeviceIDs", nth, CL_OUT_OF_HOST_MEMORY);
    EXPECT_EQ(clpool_device_list(nullptr, nullptr, 0, &count), CLPOOL_ERROR_NOT_FOUND);
    EXPECT_EQ(count, 0U);
    EXPECT_EQ(stub_failures(), 1U);
  }
  EXPECT_OK(clpool_device_list(nullptr, nullptr, 0, &count));
  EXPECT_EQ(count, 1U);
}

TEST_F(FailedQuestions, OfAKernelsWidthAreErrors) {
  ASSERT_NE(kernel.get(), nullptr);
  stub_fail("clGetKernelWorkGroupInfo", 1, CL_INVALID_KERNEL);
  EXPECT_EQ(clpool_characterize_simd_group_size_of_kernel(cl.device, kernel.get(), &answer),
            CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(clpool_last_cl_error(), CL_INVALID_KERNEL);
}

TEST_F(FailedQuestions, OfAKernelsSubGroupsFallBackToItsMultiple) {
  ASSERT_OK(clpool_characterize_simd_group_size_of_kernel(cl.device, kernel.get(), &answer));
  EXPECT_STREQ(answer.basis, "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE");
  stub_fail("clGetKernelSubGroupInfo", 1, CL_INVALID_KERNEL);
  ASSERT_OK(clpool_characterize_simd_group_size_of_kernel(cl.device, kernel.get(), &answer));
  EXPECT_STREQ(answer.basis, "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE");
}

TEST_F(FailedQuestions, OfAKernelsLocalMemoryAreErrors) {
  for (const char* question : {"clGetKernelInfo", "clGetKernelWorkGroupInfo"}) {
    stub_fail(question, 1, CL_INVALID_KERNEL);
    EXPECT_EQ(clpool_characterize_usable_local_memory_of_kernel(cl.device, kernel.get(), &answer),
              CLPOOL_ERROR_OPENCL)
        << question;
    EXPECT_EQ(clpool_last_cl_error(), CL_INVALID_KERNEL);
  }
}

TEST_F(FailedQuestions, AnEmptyCommandWhoseEventCannotBeSharedFails) {
  const cl_event event = clCreateUserEvent(cl.context, nullptr);
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_buffer_create(cl.context, 0, 64, nullptr, 0, &mem));
  cl_event done = nullptr;
  stub_fail("clRetainEvent", 1, CL_OUT_OF_HOST_MEMORY);
  EXPECT_NE(clpool_mem_fill(cl.queue, mem, "", 1, 0, 0, 1, &event, &done), CLPOOL_SUCCESS);
  EXPECT_EQ(done, nullptr);
  clSetUserEventStatus(event, CL_COMPLETE);
  clReleaseEvent(event);
  EXPECT_OK(clpool_mem_release(mem));
}

}  // namespace
}  // namespace clpool::test
