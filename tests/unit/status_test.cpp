// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Statuses, OpenCL code names and the per-thread last error.
#include "base/status.hpp"
#include "base/reported.hpp"

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

TEST(Status, ATextIsOneLineWhateverIsNamedInIt) {
  EXPECT_EQ(fail(Status::io, "'%s' is missing", "a\nb\x1B[31m\x7F\xC3\xA9"), Status::io);
  EXPECT_STREQ(last_error_message(), "'a?b?[31m?\xC3\xA9' is missing");
  EXPECT_EQ(fail_cl(-30, "clDo", "'%s'", "a\nb"), Status::opencl);
  EXPECT_STREQ(last_error_message(), "clDo: 'a?b' (CL_INVALID_VALUE, -30)");
}

TEST(Status, ATextThatIsTooLongIsCutInItsMiddleBetweenCharacters) {
  for (std::size_t more = 0; more < 4; ++more) {
    std::string path(more, 'x');
    for (int i = 0; i < 1000; ++i) {
      path += "\xE2\x82\xAC";
    }
    EXPECT_EQ(fail(Status::io, "%s: the reason", path.c_str()), Status::io);
    const std::string text = last_error_message();
    EXPECT_LE(text.size(), 1023u);
    EXPECT_GE(text.size(), 1018u);
    EXPECT_TRUE(text.starts_with(std::string(more, 'x') + "\xE2\x82\xAC"));
    EXPECT_TRUE(text.ends_with("\xE2\x82\xAC: the reason")) << text;
    const std::size_t gap = text.find(" ... ");
    ASSERT_NE(gap, std::string::npos);
    EXPECT_EQ((gap - more) % 3, 0u) << "between characters";
    EXPECT_EQ(text.substr(gap + 5, 3), "\xE2\x82\xAC");
  }
}

TEST(Status, ATextThatIsTooLongAndHasNoBeginningOfACharacterHasNothingBeforeTheGap) {
  EXPECT_EQ(fail(Status::io, "%s", std::string(5000, '\x80').c_str()), Status::io);
  EXPECT_STREQ(last_error_message(), " ... ");
}

TEST(Reported, AStatusStandsForTheFailureBehindItOnlyWhereThatIsTheLastOne) {
  const auto opencl = static_cast<std::int32_t>(Status::opencl);
  Reported reported;
  EXPECT_EQ(fail_cl(CL_INVALID_CONTEXT, "clDo", "it"), Status::opencl);
  reported.look(opencl);
  EXPECT_EQ(reported.code(), CL_INVALID_CONTEXT);
  EXPECT_STREQ(reported.text(), ": clDo: it (CL_INVALID_CONTEXT, -34)");
  reported.look(CL_INVALID_CONTEXT);
  EXPECT_EQ(reported.code(), CL_INVALID_CONTEXT);
  EXPECT_STREQ(reported.text(), ": clDo: it (CL_INVALID_CONTEXT, -34)");
  for (const std::int32_t other : {opencl + 1, 77}) {
    reported.look(other);
    EXPECT_EQ(reported.code(), CL_SUCCESS);
    EXPECT_STREQ(reported.text(), "");
  }
  reported.look(CL_INVALID_VALUE);
  EXPECT_EQ(reported.code(), CL_INVALID_VALUE);
  EXPECT_STREQ(reported.text(), "");
}

}  // namespace
}  // namespace clpool::core
