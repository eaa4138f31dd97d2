// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a device says of itself, each figure from its own question.
#include "device/device_facts.hpp"

#include <gtest/gtest.h>

#include "support/fake_device.hpp"

namespace clpool::core::device {
namespace {

using test::FakeDevice;

TEST(DeviceFacts, AreTheDevicesOwnAnswers) {
  FakeDevice device("The device", "Its maker", 0x13B5);
  device.platform("The platform", "Somebody", "OpenCL 2.1 platform");
  device.version("OpenCL 2.0 something").text(CL_DRIVER_VERSION, "12.34");
  device.type(CL_DEVICE_TYPE_ACCELERATOR).value<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS, 17);
  device.value<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE, 1001).value<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE, 1002);
  device.value<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE, 1003).value<cl_uint>(CL_DEVICE_MEM_BASE_ADDR_ALIGN, 2048);
  device.value<cl_bool>(CL_DEVICE_HOST_UNIFIED_MEMORY, CL_TRUE);
  device.value<cl_command_queue_properties>(
      CL_DEVICE_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
  device.value<cl_device_svm_capabilities>(CL_DEVICE_SVM_CAPABILITIES, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
  DeviceFacts facts;
  ASSERT_EQ(read_device_facts(device.id(), facts), Status::success) << last_error_message();
  EXPECT_EQ(facts.name, "The device");
  EXPECT_EQ(facts.vendor, "Its maker");
  EXPECT_EQ(facts.platform, "The platform");
  EXPECT_EQ(facts.version, "OpenCL 2.0 something");
  EXPECT_EQ(facts.driver_version, "12.34");
  EXPECT_EQ(facts.type, static_cast<cl_device_type>(CL_DEVICE_TYPE_ACCELERATOR));
  EXPECT_EQ(facts.compute_units, 17u);
  EXPECT_EQ(facts.memory_bytes, 1001u);
  EXPECT_EQ(facts.largest_allocation_bytes, 1002u);
  EXPECT_EQ(facts.local_memory_bytes, 1003u);
  EXPECT_EQ(facts.alignment, 256u) << "2048 bits";
  EXPECT_TRUE(facts.has_unified_memory);
  EXPECT_TRUE(facts.has_out_of_order_queues);
  EXPECT_EQ(facts.svm_capabilities,
            static_cast<cl_device_svm_capabilities>(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER));
  EXPECT_EQ(facts.version_major, 2u);
  EXPECT_EQ(facts.version_minor, 0u);
}

TEST(DeviceFacts, AreEmptyWhereAnOlderDeviceKnowsNoAnswer) {
  FakeDevice device("The device", "Its maker", 0x13B5);
  device.version("OpenCL 1.2 something");
  device.value<cl_command_queue_properties>(CL_DEVICE_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE);
  device.value<cl_device_svm_capabilities>(CL_DEVICE_SVM_CAPABILITIES, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER);
  DeviceFacts facts;
  ASSERT_EQ(read_device_facts(device.id(), facts), Status::success) << last_error_message();
  EXPECT_EQ(facts.svm_capabilities, 0u) << "OpenCL 1.2 has no such question";
  EXPECT_FALSE(facts.has_out_of_order_queues);
  EXPECT_FALSE(facts.has_unified_memory);
  EXPECT_EQ(facts.compute_units, 0u);
  EXPECT_STREQ(last_error_message(), "") << "that is no error";
}

}  // namespace
}  // namespace clpool::core::device
