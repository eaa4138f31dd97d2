// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/sampler.h and clpool/pipe.h.
#include "clpool/sampler.h"

#include "memory.hpp"

namespace {

using clpool::test::last_error;
using clpool::test::last_error_names;
using clpool::test::OwnedMem;

class Sampler : public clpool::test::OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    cl_bool images = CL_FALSE;
    if (cl.queue != nullptr) {
      clGetDeviceInfo(cl.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, nullptr);
    }
    if (images == CL_FALSE) {
      GTEST_SKIP() << "the device has no images";
    }
  }
  template <typename T>
  T property(cl_sampler sampler, cl_sampler_info name) {
    T value = 0;
    EXPECT_EQ(clGetSamplerInfo(sampler, name, sizeof value, &value, nullptr), CL_SUCCESS);
    return value;
  }
};

TEST_F(Sampler, IsWhatWasAskedFor) {
  for (const cl_addressing_mode mode : {CL_ADDRESS_REPEAT, CL_ADDRESS_MIRRORED_REPEAT}) {
    cl_sampler sampler = nullptr;
    ASSERT_OK(clpool_sampler_create(cl.context, 1, mode, CL_FILTER_LINEAR, &sampler));
    EXPECT_EQ(property<cl_bool>(sampler, CL_SAMPLER_NORMALIZED_COORDS), cl_bool{CL_TRUE});
    EXPECT_EQ(property<cl_addressing_mode>(sampler, CL_SAMPLER_ADDRESSING_MODE), mode);
    EXPECT_EQ(property<cl_filter_mode>(sampler, CL_SAMPLER_FILTER_MODE), cl_filter_mode{CL_FILTER_LINEAR});
    EXPECT_EQ(property<cl_uint>(sampler, CL_SAMPLER_REFERENCE_COUNT), 1u);
    clReleaseSampler(sampler);
  }
}

TEST_F(Sampler, OfPropertiesIsTheSameOnEveryVersion) {
  const cl_bitfield properties[] = {CL_SAMPLER_NORMALIZED_COORDS,
                                    CL_FALSE,
                                    CL_SAMPLER_ADDRESSING_MODE,
                                    CL_ADDRESS_CLAMP_TO_EDGE,
                                    CL_SAMPLER_FILTER_MODE,
                                    CL_FILTER_NEAREST,
                                    0};
  cl_sampler sampler = nullptr;
  ASSERT_OK(clpool_sampler_create_with_properties(cl.context, properties, &sampler));
  EXPECT_EQ(property<cl_bool>(sampler, CL_SAMPLER_NORMALIZED_COORDS), cl_bool{CL_FALSE});
  EXPECT_EQ(property<cl_addressing_mode>(sampler, CL_SAMPLER_ADDRESSING_MODE),
            cl_addressing_mode{CL_ADDRESS_CLAMP_TO_EDGE});
  clReleaseSampler(sampler);
  for (const cl_bitfield mode : {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP}) {
    const cl_bitfield one[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, CL_SAMPLER_ADDRESSING_MODE, mode, 0};
    ASSERT_OK(clpool_sampler_create_with_properties(cl.context, one, &sampler));
    EXPECT_EQ(property<cl_addressing_mode>(sampler, CL_SAMPLER_ADDRESSING_MODE), mode);
    clReleaseSampler(sampler);
  }
  const cl_bitfield below[] = {CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_NONE - 1, 0};
  EXPECT_EQ(clpool_sampler_create_with_properties(cl.context, below, &sampler), CLPOOL_ERROR_INVALID_VALUE);
}

TEST_F(Sampler, WithoutPropertiesHasTheDefaults) {
  cl_sampler sampler = nullptr;
  ASSERT_OK(clpool_sampler_create_with_properties(cl.context, nullptr, &sampler));
  EXPECT_EQ(property<cl_bool>(sampler, CL_SAMPLER_NORMALIZED_COORDS), cl_bool{CL_TRUE});
  EXPECT_EQ(property<cl_filter_mode>(sampler, CL_SAMPLER_FILTER_MODE), cl_filter_mode{CL_FILTER_NEAREST});
  clReleaseSampler(sampler);
}

TEST_F(Sampler, WrongPropertiesAreRefused) {
  auto sampler = reinterpret_cast<cl_sampler>(this);
  const cl_bitfield properties[] = {0x7777, 1, 0};
  const clpool_status status = clpool_sampler_create_with_properties(cl.context, properties, &sampler);
  EXPECT_EQ(status, cl.has_version(2, 0) ? CLPOOL_ERROR_OPENCL : CLPOOL_ERROR_NOT_SUPPORTED) << last_error();
  EXPECT_EQ(sampler, nullptr);
  EXPECT_TRUE(!cl.has_version(2, 0) || last_error_names("0x7777=0x1")) << last_error();
  EXPECT_EQ(clpool_sampler_create(cl.context, 1, 7, CL_FILTER_LINEAR, &sampler), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("0x7") && last_error_names("0x1134")) << last_error();
  EXPECT_EQ(clpool_sampler_create(cl.context, 1, CL_ADDRESS_CLAMP, 9, &sampler), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("0x9") && last_error_names("0x1141")) << last_error();
  EXPECT_EQ(clpool_sampler_create(cl.context, 0, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &sampler),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("normalized")) << last_error();
  EXPECT_EQ(clpool_sampler_create(nullptr, 1, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &sampler),
            CLPOOL_ERROR_INVALID_VALUE);
}

class Pipe : public clpool::test::OpenClTest {};

TEST_F(Pipe, HasItsPacketsOrTheAnswerSaysWhatIsNeeded) {
  clpool_mem* pipe = nullptr;
  const clpool_status status = clpool_pipe_create(cl.context, 0, 16, 100, &pipe);
  cl_uint most = 0;
  if (cl.has_version(2, 0)) {
    clGetDeviceInfo(cl.device, CL_DEVICE_MAX_PIPE_ARGS, sizeof most, &most, nullptr);
  }
  if (most == 0) {
    EXPECT_EQ(status, CLPOOL_ERROR_NOT_SUPPORTED);
    EXPECT_TRUE(last_error_names("OpenCL 2.0")) << last_error();
    EXPECT_EQ(pipe, nullptr);
    GTEST_SKIP() << last_error();
  }
  ASSERT_OK(status);
  const OwnedMem owner(pipe);
  EXPECT_EQ(clpool_mem_kind(pipe), CLPOOL_MEM_KIND_PIPE);
  cl_uint value = 0;
  EXPECT_OK(clpool_pipe_info(pipe, CL_PIPE_PACKET_SIZE, sizeof value, &value, nullptr));
  EXPECT_EQ(value, 16u);
  EXPECT_OK(clpool_pipe_info(pipe, CL_PIPE_MAX_PACKETS, sizeof value, &value, nullptr));
  EXPECT_GE(value, 100u);
  cl_context context = nullptr;
  EXPECT_OK(clpool_mem_context(pipe, &context));
  EXPECT_EQ(context, cl.context);
  clpool_mem* wrapped = nullptr;
  ASSERT_OK(clpool_mem_wrap(clpool_mem_handle(pipe), 1, &wrapped));
  EXPECT_EQ(clpool_mem_kind(wrapped), CLPOOL_MEM_KIND_PIPE);
  EXPECT_OK(clpool_mem_release(wrapped));
  clpool_mem* part = nullptr;
  EXPECT_EQ(clpool_mem_sub_region(pipe, 0, 4, 0, &part), CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_TRUE(last_error_names("no sub-regions")) << last_error();
}

TEST_F(Pipe, QuestionsAboutOtherMemoryAreRefused) {
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_buffer_create(cl.context, 0, 64, nullptr, 0, &mem));
  const OwnedMem owner(mem);
  cl_uint value = 0;
  EXPECT_EQ(clpool_pipe_info(mem, CL_PIPE_PACKET_SIZE, sizeof value, &value, nullptr),
            CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_pipe_create(cl.context, 0, 16, 100, nullptr), CLPOOL_ERROR_INVALID_VALUE);
}

}  // namespace
