// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/testing/gtest.hpp: what it runs tests on, and what they get.
#include "clpool/testing/gtest.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/environment.hpp"

namespace {

using clpool::test::Variable;
using clpool::testing::TestDevice;

TEST(TestingSupport, RunsOnEveryDeviceUnlessAVariableNamesSome) {
  const clpool::test::NoDeviceVariables none;
  const auto all = clpool::testing::test_devices();
  if (all.front().device == nullptr) {
    GTEST_SKIP() << "no OpenCL device";
  }
  const Variable variable("CLPOOL_TEST", "0:0");
  const auto first = clpool::testing::test_devices();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].device, all[0].device);
  EXPECT_EQ(clpool::testing::test_platforms().size(), 1u);
}

TEST(TestingSupport, AVariableThatNamesNothingFailsTestsWithTheReason) {
  const clpool::test::NoDeviceVariables none;
  if (clpool::testing::test_devices().front().device == nullptr) {
    GTEST_SKIP() << "no OpenCL device";
  }
  const Variable variable("PYOPENCL_TEST", "no such platform");
  const auto devices = clpool::testing::test_devices();
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].device, nullptr);
  EXPECT_NE(devices[0].problem.find("PYOPENCL_TEST: no platform matches 'no such platform'"),
            std::string::npos)
      << devices[0].problem;
}

// As PyOpenCL's: parallel collection must find the same names in every process.
TEST(TestingSupport, NamesOfInstancesHaveNoAddressesAndAreValidForTests) {
  TestDevice device;
  device.device = reinterpret_cast<cl_device_id>(0x1234);
  device.device_name = "NVIDIA H200 (MIG 1g.18gb)";
  device.platform_name = "NVIDIA CUDA";
  EXPECT_EQ(clpool::testing::name_of_device({device, 3}), "3_NVIDIA_H200_MIG_1g_18gb_");
  EXPECT_EQ(clpool::testing::name_of_platform({device, 0}), "0_NVIDIA_CUDA");
  EXPECT_EQ(clpool::testing::name_of_device({TestDevice(), 0}), "0_no_device");
  EXPECT_EQ(testing::PrintToString(device), "NVIDIA H200 (MIG 1g.18gb) [NVIDIA CUDA]");
}

class OnContexts : public clpool::testing::ContextTest {};

TEST_P(OnContexts, EachTestHasAContextOfItsDeviceAndAQueue) {
  cl_uint count = 0;
  ASSERT_EQ(clGetContextInfo(context(), CL_CONTEXT_NUM_DEVICES, sizeof count, &count, nullptr), CL_SUCCESS);
  EXPECT_EQ(count, 1u);
  cl_device_id of_queue = nullptr;
  ASSERT_EQ(clGetCommandQueueInfo(queue(), CL_QUEUE_DEVICE, sizeof of_queue, &of_queue, nullptr), CL_SUCCESS);
  EXPECT_EQ(of_queue, device());
  EXPECT_NE(make_queue(), nullptr);
}

TEST_P(OnContexts, ANewContextForgetsWhatIsCachedForOlderOnes) {
  clpool_memo* memo = nullptr;
  ASSERT_EQ(clpool_memo_create(&memo), CLPOOL_SUCCESS);
  clpool_memo_ops ops = CLPOOL_MEMO_OPS_INIT;
  ops.compute = [](void*, void**) -> clpool_status { return CLPOOL_SUCCESS; };
  clpool_memo_value* value = nullptr;
  ASSERT_EQ(clpool_memo_get(memo, CLPOOL_MEMO_CONTEXT, context(), "k", 1, &ops, nullptr, &value),
            CLPOOL_SUCCESS);
  clpool_memo_value_release(value);
  EXPECT_NE(context_factory()(), nullptr);
  size_t size = 9;
  EXPECT_EQ(clpool_memo_size(memo, &size), CLPOOL_SUCCESS);
  EXPECT_EQ(size, 0u);
  clpool_memo_release(memo);
}

CLPOOL_INSTANTIATE_ON_CONTEXTS(OnContexts);

class OnPlatforms : public clpool::testing::PlatformTest {};

TEST_P(OnPlatforms, EachPlatformIsThereOnce) {
  const auto platforms = clpool::testing::test_platforms();
  EXPECT_EQ(std::count_if(platforms.begin(), platforms.end(),
                          [&](const TestDevice& each) { return each.platform == platform(); }),
            1);
}

CLPOOL_INSTANTIATE_ON_PLATFORMS(OnPlatforms);

}  // namespace
