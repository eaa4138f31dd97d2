// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The memory runtime on devices that are older than the one at hand.
#include <gtest/gtest.h>

#include <string>

#include "allocator/immediate.hpp"
#include "cl/marker.hpp"
#include "memory/buffer.hpp"
#include "memory/image.hpp"
#include "memory/image_transfer.hpp"
#include "memory/info.hpp"
#include "memory/map.hpp"
#include "memory/object.hpp"
#include "memory/pipe.hpp"
#include "memory/range.hpp"
#include "memory/sampler.hpp"
#include "memory/svm.hpp"
#include "memory/transfer.hpp"
#include "support/driver.hpp"
#include "support/fake_device.hpp"
#include "support/opencl.hpp"
namespace clpool::core {
namespace {

namespace driver = test::driver;

class OlderDevice : public test::OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (cl.queue != nullptr) {
      ASSERT_EQ(create_buffer_object(cl.context, 0, 1000, nullptr, 0, mem), Status::success);
    }
  }
  void TearDown() override {
    if (mem != nullptr) {
      EXPECT_EQ(release_mem(*mem), Status::success);
    }
    driver::reset();
  }
  cl::Order order(cl_event* event = nullptr) const { return {cl.queue, 0, nullptr, event}; }
  static void expect_needs(Status status, const char* version) {
    EXPECT_EQ(status, Status::not_supported);
    EXPECT_NE(std::string(last_error_message()).find(version), std::string::npos) << last_error_message();
  }
  Mem* mem = nullptr;
  const test::PretendedVersion version{"OpenCL 1.1 pretended"};
};

TEST_F(OlderDevice, WhatItLacksIsNotSupportedWithTheNeededVersion) {
  expect_needs(fill(order(), *mem, {"x", 1}, 0, whole_size), "1.2");
  expect_needs(migrate(order(), &mem, 1, 0), "1.2");
  Mem* none = nullptr;
  expect_needs(create_svm(cl.context, 0, 64, 0, nullptr, none), "2.0");
  expect_needs(create_pipe(cl.context, 0, 16, 10, none), "2.0");
  ImageDescription plan;
  plan.format = {CL_RGBA, CL_UNSIGNED_INT8};
  plan.dimensions = 1;
  plan.shape[0] = 16;
  expect_needs(create_image(cl.context, plan, none), "1.2");
  const cl_bitfield properties[] = {0x1158, 1, 0};  // CL_SAMPLER_MIP_FILTER_MODE_KHR
  cl_sampler sampler = nullptr;
  expect_needs(create_sampler(cl.context, properties, sampler), "2.0");
  EXPECT_EQ(none, nullptr);
}

class QueueOfAnOlderDevice : public test::OpenClTest {};

/// In a context that has newer ones, which have SVM.
TEST_F(QueueOfAnOlderDevice, MapsNoSvm) {
  Mem* svm = nullptr;
  if (create_svm(cl.context, 0, 64, 0, nullptr, svm) != Status::success) {
    GTEST_SKIP() << last_error_message();
  }
  {
    const test::PretendedVersion version("OpenCL 1.2 pretended");
    Map* map = nullptr;
    EXPECT_EQ(map_memory({cl.queue, 0, nullptr, nullptr}, *svm, CL_MAP_READ, 0, whole_size, true, map),
              Status::not_supported);
    EXPECT_NE(std::string(last_error_message()).find("mapping SVM"), std::string::npos)
        << last_error_message();
    EXPECT_EQ(map, nullptr);
  }
  EXPECT_EQ(release_mem(*svm), Status::success);
}

TEST_F(OlderDevice, ANewerPropertyIsNotSupportedWithTheNeededVersion) {
  const test::driver::UnknownProperty property(CL_MEM_USES_SVM_POINTER);
  std::uint64_t value = 0;
  expect_needs(info_number(*mem, CL_MEM_USES_SVM_POINTER, value), "2.0");
  EXPECT_EQ(info_number(*mem, CL_MEM_SIZE, value), Status::success);
}

TEST_F(OlderDevice, AnAllocatorMayForceByABlockingWrite) {
  Reference<Allocator> allocator;
  ASSERT_EQ(make_immediate_allocator(cl.queue, 0, allocator, Touch::write), Status::success);
  for (const std::uint64_t size : {1, 2, 4, 1000}) {
    driver::reset();
    Chunk chunk;
    ASSERT_EQ(allocator->allocate(size, 1, chunk), Status::success) << last_error_message();
    EXPECT_EQ(driver::calls("clEnqueueWriteBuffer"), 1);
    EXPECT_EQ(driver::calls("clEnqueueFillBuffer"), 0);
    allocator->deallocate(chunk);
  }
}

TEST_F(OlderDevice, AMarkBehindEventsFailsWhereTheQueueCannotWaitForThem) {
  cl_int code = CL_SUCCESS;
  const cl_event gate = clCreateUserEvent(cl.context, &code);
  clSetUserEventStatus(gate, CL_COMPLETE);
  driver::reset();
  driver::fail_call("clEnqueueWaitForEvents", 1, CL_INVALID_OPERATION);
  cl::Event done;
  EXPECT_EQ(cl::mark_so_far({cl.queue, 1, &gate, nullptr}, done), Status::opencl);
  EXPECT_FALSE(done);
  clReleaseEvent(gate);
}

TEST_F(OlderDevice, AFailingWriteLeavesNothingBehind) {
  Reference<Allocator> allocator;
  ASSERT_EQ(make_immediate_allocator(cl.queue, 0, allocator, Touch::write), Status::success);
  Chunk chunk;
  ASSERT_EQ(allocator->allocate(1000, 1, chunk), Status::success);  // NVIDIA's driver needs a queue for it
  allocator->deallocate(chunk);
  const driver::Live before = driver::live();
  driver::fail_call("clEnqueueWriteBuffer", 1, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  EXPECT_EQ(allocator->allocate(1000, 1, chunk), Status::out_of_memory);
  EXPECT_EQ(driver::live(), before);
}

TEST_F(OlderDevice, ImagesAndSamplersAreMadeByTheCallsOfOld) {
  ImageDescription plan;
  plan.format = {CL_RGBA, CL_UNSIGNED_INT8};
  plan.shape[0] = 16;
  plan.shape[1] = 8;
  plan.shape[2] = 4;
  driver::reset();
  for (const std::uint32_t dimensions : {2u, 3u}) {
    plan.dimensions = dimensions;
    Mem* image = nullptr;
    const Status status = create_image(cl.context, plan, image);
    if (status == Status::not_supported) {
      GTEST_SKIP() << last_error_message();
    }
    ASSERT_EQ(status, Status::success) << last_error_message();
    ImageShape shape;
    EXPECT_EQ(image_shape(*image, shape), Status::success);
    EXPECT_EQ(shape.dimensions, dimensions);
    EXPECT_EQ(release_mem(*image), Status::success);
  }
  EXPECT_EQ(driver::calls("clCreateImage"), 0);
  cl_sampler sampler = nullptr;
  ASSERT_EQ(create_sampler(cl.context, true, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, sampler), Status::success);
  EXPECT_EQ(driver::calls("clCreateSampler"), 1);
  EXPECT_EQ(driver::calls("clCreateSamplerWithProperties"), 0);
  clReleaseSampler(sampler);
}

TEST_F(OlderDevice, ZeroBytesThatWaitForOneEventAreCompleteWithIt) {
  cl_int code = CL_SUCCESS;
  const cl_event gates[2] = {clCreateUserEvent(cl.context, &code), clCreateUserEvent(cl.context, &code)};
  cl_event event = nullptr;
  const Status status = write({cl.queue, 1, gates, &event}, *mem, 0, {nullptr, 0}, 0, false);
  ASSERT_EQ(status, Status::success) << last_error_message();
  EXPECT_EQ(event, gates[0]);
  clReleaseEvent(event);
  expect_needs(write({cl.queue, 2, gates, &event}, *mem, 0, {nullptr, 0}, 0, false), "1.2");
  for (cl_event gate : gates) {
    clSetUserEventStatus(gate, CL_COMPLETE);
    clReleaseEvent(gate);
  }
}

}  // namespace
}  // namespace clpool::core
