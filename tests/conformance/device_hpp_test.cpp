// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/device.hpp and clpool/error.hpp: the C++ layer owns, throws and returns containers.
#include "clpool/device.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "clpool/testing/gtest.hpp"

namespace {

TEST(DeviceHpp, AFailureIsAnExceptionWithStatusAndMessage) {
  try {
    clpool::DeviceData::of_compute_capability(4, 0);
    FAIL() << "nothing was thrown";
  } catch (const clpool::Error& error) {
    EXPECT_EQ(error.status(), CLPOOL_ERROR_NOT_FOUND);
    EXPECT_EQ(error.cl_error(), CL_SUCCESS);
    EXPECT_NE(std::string(error.what()).find("4.0 is not known"), std::string::npos);
  }
}

TEST(DeviceHpp, OutOfMemoryIsAnExceptionOfItsOwn) {
  EXPECT_THROW(clpool::check(CLPOOL_ERROR_OUT_OF_MEMORY), clpool::OutOfMemory);
  EXPECT_THROW(clpool::check(CLPOOL_ERROR_IO), clpool::Error);
  EXPECT_NO_THROW(clpool::check(CLPOOL_SUCCESS));
}

TEST(DeviceHpp, OccupancyIsAskedInOneLine) {
  const auto data = clpool::DeviceData::of_architecture("sm_90");
  EXPECT_EQ(data.occupancy(clpool::occupancy_request(256, 64, 16384)).groups_per_mp, 4u);
  EXPECT_EQ(data.suggest(clpool::occupancy_request(0, 32)), (std::vector<uint32_t>{64, 128, 256, 512, 1024}));
  const auto same = clpool::DeviceData::of_limits(data.limits());
  EXPECT_EQ(same.limits().max_warps_per_mp, 64u);
}

TEST(DeviceHpp, AMemoComputesOnceAndPassesExceptionsOn) {
  clpool::Memo<std::string> memo;
  int computed = 0;
  const auto compute = [&] {
    ++computed;
    return std::string("result");
  };
  int object = 0;
  const auto first = memo.get(CLPOOL_MEMO_ANY, &object, "key", compute);
  const auto second = memo.get(CLPOOL_MEMO_ANY, &object, "key", compute);
  EXPECT_EQ(computed, 1);
  EXPECT_EQ(first, second);
  memo.clear_object(&object);
  EXPECT_EQ(*first, "result") << "outlives the clearing";
  EXPECT_THROW(
      memo.get(CLPOOL_MEMO_ANY, &object, "key", []() -> std::string { throw std::out_of_range("mine"); }),
      std::out_of_range);
  EXPECT_EQ(*memo.get(CLPOOL_MEMO_ANY, &object, "key", compute), "result");
  EXPECT_EQ(computed, 2);
  memo.clear();
}

class DeviceHppOn : public clpool::testing::DeviceTest {};

TEST_P(DeviceHppOn, OneLineGivesDeviceContextAndQueue) {
  const clpool::DefaultContext start;
  EXPECT_EQ(start.device(), clpool::choose_device());
  EXPECT_EQ(start.device(), clpool::list_devices().front());
  EXPECT_EQ(clFinish(start.queue()), CL_SUCCESS);
  EXPECT_FALSE(clpool::describe_device(start.device()).empty());
  EXPECT_NE(clpool::device_facts(start.device()).name[0], '\0');
  clpool::Memo<int> memo;
  EXPECT_EQ(*memo.get(start.context(), "answer", [] { return 42; }), 42);
  EXPECT_EQ(*memo.get(start.queue(), "answer", [] { return 43; }), 43);
  EXPECT_EQ(*memo.get(start.device(), "answer", [] { return 44; }), 44);
}

CLPOOL_INSTANTIATE_ON_DEVICES(DeviceHppOn);

}  // namespace
