// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Questions to the driver that fail, by their names.
#include "cl/info.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/fake_device.hpp"
#include "support/opencl.hpp"

namespace clpool::core {
namespace {

class ClQueries : public test::OpenClTest {};

TEST_F(ClQueries, AFailureNamesTheRoutineAndTheProperty) {
  std::string name;
  EXPECT_NE(cl::query_text(static_cast<cl_device_id>(nullptr), CL_DEVICE_NAME, name), Status::success);
  const std::string text = last_error_message();
  EXPECT_EQ(text.find("clGetDeviceInfo: CL_DEVICE_NAME of "), 0U) << text;
  EXPECT_EQ(last_cl_error(), CL_INVALID_DEVICE);
}

TEST_F(ClQueries, APropertyWithoutANameIsANumber) {
  cl_uint value = 0;
  EXPECT_NE(cl::query(cl.device, 0x7FFF, value), Status::success);
  const std::string text = last_error_message();
  EXPECT_EQ(text.find("clGetDeviceInfo: property 0x7FFF of "), 0U) << text;
}

TEST_F(ClQueries, AnExtensionIsAWholeWordOfTheList) {
  const auto has = [](const char* list, const char* name) {
    test::FakeDevice device("device", "somebody", 0x9999);
    device.extensions(list);
    bool result = false;
    EXPECT_EQ(cl::has_extension(device.id(), name, result), Status::success);
    return result;
  };
  EXPECT_TRUE(has("cl_a", "cl_a"));
  EXPECT_TRUE(has("cl_b cl_a", "cl_a"));
  EXPECT_TRUE(has("cl_a cl_b", "cl_a"));
  EXPECT_TRUE(has("cl_ab cl_a cl_b", "cl_a"));
  EXPECT_TRUE(has("cl_ab xcl_a cl_a", "cl_a"));
  EXPECT_FALSE(has("cl_ab cl_ac", "cl_a"));
  EXPECT_FALSE(has("xcl_a", "cl_a"));
  EXPECT_FALSE(has("", "cl_a"));
}

TEST_F(ClQueries, AnotherValueTakesThePlaceOfOneThatCannotBeRead) {
  EXPECT_EQ(cl::query_or<cl_uint>(cl.device, 0x7FFF, 7), 7U);
  EXPECT_NE(cl::query_or<cl_device_type>(cl.device, CL_DEVICE_TYPE, 0), 0U);
}

TEST(ClVersion, OfATextThatSaysNoneStaysAsItWas) {
  cl::Version version{1, 1};
  for (const char* const text : {"OpenCL 3", "OpenCL 3.", "OpenCL", "3.0", ""}) {
    EXPECT_NE(cl::parse_version(text, version), Status::success) << text;
    EXPECT_EQ(version.major, 1) << text;
    EXPECT_EQ(version.minor, 1) << text;
  }
  EXPECT_EQ(cl::parse_version("OpenCL 3.0 anything", version), Status::success);
  EXPECT_EQ(version.major, 3);
}

}  // namespace
}  // namespace clpool::core
