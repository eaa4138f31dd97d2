// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Statuses, OpenCL code names and the per-thread last error.
#include "base/status.hpp"

#include <CL/cl.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace clpool::core {
namespace {

TEST(Status, AFailureKeepsItsTextAndForgetsTheFormerOpenClCode) {
  EXPECT_EQ(fail_cl(CL_INVALID_CONTEXT, "clCreateBuffer", "%d bytes", 7), Status::opencl);
  EXPECT_EQ(last_cl_error(), CL_INVALID_CONTEXT);
  EXPECT_STREQ(last_error_message(), "clCreateBuffer: 7 bytes (CL_INVALID_CONTEXT, -34)");
  EXPECT_EQ(fail(Status::invalid_value, "size is %d", 0), Status::invalid_value);
  EXPECT_EQ(last_cl_error(), CL_SUCCESS);
  EXPECT_STREQ(last_error_message(), "size is 0");
}

TEST(Status, TheThreeOutOfMemoryCodesOfOpenClAreOutOfMemory) {
  EXPECT_EQ(fail_cl(CL_MEM_OBJECT_ALLOCATION_FAILURE, "f", "x"), Status::out_of_memory);
  EXPECT_EQ(fail_cl(CL_OUT_OF_RESOURCES, "f", "x"), Status::out_of_memory);
  EXPECT_EQ(fail_cl(CL_OUT_OF_HOST_MEMORY, "f", "x"), Status::out_of_memory);
  EXPECT_EQ(fail_cl(CL_INVALID_BUFFER_SIZE, "f", "x"), Status::opencl);
}

TEST(Status, EachThreadHasItsOwnLastError) {
  EXPECT_EQ(fail(Status::io, "mine"), Status::io);
  std::string other = "not set";
  std::thread([&] { other = last_error_message(); }).join();
  EXPECT_EQ(other, "");
  EXPECT_STREQ(last_error_message(), "mine");
}

TEST(Status, ATextThatIsTooLongIsCutAndNotWrittenBeyondItsPlace) {
  const std::string text(5000, 'x');
  EXPECT_EQ(fail_cl(-4, text.c_str(), "%s", text.c_str()), Status::out_of_memory);
  EXPECT_EQ(std::string(last_error_message()).size(), 1023u);
}

}  // namespace
}  // namespace clpool::core
