// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/device.h: choosing a device of this machine, and what the C ABI promises about it.
#include "clpool/device.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "support/environment.hpp"

namespace {

using clpool::test::Variable;

class Device : public testing::Test {
 protected:
  void SetUp() override {
    size_t count = 0;
    ASSERT_EQ(clpool_device_list_for_tests(nullptr, 0, &count), CLPOOL_SUCCESS)
        << clpool_last_error_message();
    if (count == 0) {
      GTEST_SKIP() << "no OpenCL device";
    }
  }
};

TEST_F(Device, OneCallGivesDeviceContextAndInOrderQueue) {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  ASSERT_EQ(clpool_context_create_default(nullptr, &device, &context, &queue), CLPOOL_SUCCESS)
      << clpool_last_error_message();
  cl_device_id of_queue = nullptr;
  cl_command_queue_properties properties = 1;
  EXPECT_EQ(clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof of_queue, &of_queue, nullptr), CL_SUCCESS);
  EXPECT_EQ(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(of_queue, device);
  EXPECT_EQ(properties, 0u);
  EXPECT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(clReleaseCommandQueue(queue), CL_SUCCESS);
  EXPECT_EQ(clReleaseContext(context), CL_SUCCESS);
}

TEST_F(Device, TheChosenDeviceIsTheFirstOfTheList) {
  cl_device_id chosen = nullptr;
  ASSERT_EQ(clpool_device_choose(nullptr, &chosen), CLPOOL_SUCCESS);
  size_t count = 0;
  ASSERT_EQ(clpool_device_list(nullptr, nullptr, 0, &count), CLPOOL_SUCCESS);
  ASSERT_GE(count, 1u);
  std::vector<cl_device_id> devices(count);
  ASSERT_EQ(clpool_device_list(nullptr, devices.data(), count, &count), CLPOOL_SUCCESS);
  EXPECT_EQ(devices.front(), chosen);
}

TEST_F(Device, OnlyDevicesOfTheGivenTypesAreChosen) {
  cl_device_id chosen = nullptr;
  ASSERT_EQ(clpool_device_choose(nullptr, &chosen), CLPOOL_SUCCESS);
  cl_device_type type = 0;
  ASSERT_EQ(clGetDeviceInfo(chosen, CL_DEVICE_TYPE, sizeof type, &type, nullptr), CL_SUCCESS);
  clpool_device_options options = CLPOOL_DEVICE_OPTIONS_INIT;
  options.types = type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR);
  EXPECT_EQ(clpool_device_choose(&options, &chosen), CLPOOL_SUCCESS) << clpool_last_error_message();
  options.types = CL_DEVICE_TYPE_CUSTOM;
  EXPECT_EQ(clpool_device_choose(&options, &chosen), CLPOOL_ERROR_NOT_FOUND);
  EXPECT_EQ(chosen, nullptr);
}

TEST_F(Device, AnUnmatchedVariableFailsWithAMessageAndLeavesNoResult) {
  const Variable variable("CLPOOL_DEVICE", "no such device");
  auto device = reinterpret_cast<cl_device_id>(1);
  EXPECT_EQ(clpool_device_choose(nullptr, &device), CLPOOL_ERROR_NOT_FOUND);
  EXPECT_EQ(device, nullptr);
  EXPECT_NE(std::strstr(clpool_last_error_message(), "'no such device'"), nullptr);
  auto context = reinterpret_cast<cl_context>(1);
  auto queue = reinterpret_cast<cl_command_queue>(1);
  EXPECT_EQ(clpool_context_create_default(nullptr, &device, &context, &queue), CLPOOL_ERROR_NOT_FOUND);
  EXPECT_EQ(context, nullptr);
  EXPECT_EQ(queue, nullptr);
  queue = reinterpret_cast<cl_command_queue>(1);
  EXPECT_EQ(clpool_context_create_default(nullptr, &device, nullptr, &queue), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(queue, nullptr) << "results are set whatever is wrong";
}

TEST_F(Device, OptionsOfAWrongSizeOrWithUnknownFlagsAreRefused) {
  cl_device_id device = nullptr;
  clpool_device_options options = CLPOOL_DEVICE_OPTIONS_INIT;
  options.struct_size = 3;
  EXPECT_EQ(clpool_device_choose(&options, &device), CLPOOL_ERROR_INVALID_VALUE);
  clpool_device_options_init(&options);
  options.flags = 64;
  EXPECT_EQ(clpool_device_choose(&options, &device), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_device_choose(nullptr, nullptr), CLPOOL_ERROR_INVALID_VALUE);
}

TEST_F(Device, ADescriptionIsCutToTheRoomThereIs) {
  cl_device_id device = nullptr;
  ASSERT_EQ(clpool_device_choose(nullptr, &device), CLPOOL_SUCCESS);
  size_t needed = 0;
  ASSERT_EQ(clpool_device_describe(device, nullptr, 0, &needed), CLPOOL_SUCCESS);
  std::string whole(needed, 'x');
  ASSERT_EQ(clpool_device_describe(device, whole.data(), needed, &needed), CLPOOL_SUCCESS);
  EXPECT_EQ(std::strlen(whole.c_str()) + 1, needed);
  char part[4] = "xxx";
  ASSERT_EQ(clpool_device_describe(device, part, sizeof part, &needed), CLPOOL_SUCCESS);
  EXPECT_EQ(std::string(part), whole.substr(0, 3));
  EXPECT_EQ(clpool_device_describe(nullptr, part, sizeof part, &needed), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(needed, 0u);
}

}  // namespace
