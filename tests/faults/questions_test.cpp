// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Questions to devices that fail, or have no simple answer: an error with OpenCL's code, or the answer from elsewhere, and
// never a number that nobody gave.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "conformance/memory.hpp"
#include "stub_icd/stub.h"
#include "stub_icd/tests/fixture.hpp"
#include "support/environment.hpp"

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

TEST_F(FailedQuestions, OfAKernelsWidthAreAskedByIntelsExtensionFirst) {
  stub_configure("with=cl_intel_required_subgroup_size");
  ASSERT_OK(clpool_characterize_simd_group_size_of_kernel(cl.device, kernel.get(), &answer));
  EXPECT_EQ(answer.value, 8);
  EXPECT_EQ(answer.source, CLPOOL_SOURCE_KERNEL_QUERY);
  EXPECT_STREQ(answer.basis, "CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL");
}

TEST_F(FailedQuestions, BeforeMemoryIsTouchedByMigrationsAreErrors) {
  for (std::uint64_t nth = 1;; ++nth) {
    stub_fail("clGetDeviceInfo", nth, CL_OUT_OF_RESOURCES);
    clpool_allocator* allocator = nullptr;
    const clpool_status status =
        clpool_allocator_create_touching(cl.queue, 0, CLPOOL_TOUCH_MIGRATE, &allocator);
    const std::uint64_t failures = stub_failures();
    stub_fail_none();
    if (failures == 0) {
      EXPECT_EQ(status, CLPOOL_SUCCESS) << last_error();
      EXPECT_OK(clpool_allocator_release(allocator));
      EXPECT_GT(nth, 5U);
      break;
    }
    EXPECT_EQ(status, CLPOOL_ERROR_OUT_OF_MEMORY) << "question " << nth;
    EXPECT_EQ(clpool_last_cl_error(), CL_OUT_OF_RESOURCES);
    EXPECT_EQ(allocator, nullptr);
  }
}

TEST_F(FailedQuestions, OfAKernelsLocalMemoryAreErrors) {
  ASSERT_OK(clpool_characterize_usable_local_memory_of_kernel(cl.device, kernel.get(), &answer));
  EXPECT_EQ(answer.source, CLPOOL_SOURCE_KERNEL_QUERY);
  EXPECT_STREQ(answer.basis, "CL_DEVICE_LOCAL_MEM_SIZE less CL_KERNEL_LOCAL_MEM_SIZE");
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

TEST_F(FailedQuestions, WhetherAPropertyIsTooNewLeaveWhatTheDriverSaidOfIt) {
  stub_configure("version=1.2");
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_buffer_create(cl.context, 0, 64, nullptr, 0, &mem));
  const OwnedMem owned(mem);
  std::uint64_t value = 0;
  EXPECT_EQ(clpool_mem_info_number(mem, CL_MEM_USES_SVM_POINTER, &value), CLPOOL_ERROR_NOT_SUPPORTED);
  stub_fail("clGetContextInfo", 1, CL_OUT_OF_HOST_MEMORY);
  EXPECT_EQ(clpool_mem_info_number(mem, CL_MEM_USES_SVM_POINTER, &value), CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(clpool_last_cl_error(), CL_INVALID_VALUE) << "what the driver said of the property";
  EXPECT_EQ(stub_failures(), 1U);
}

/// Whether `question` fails wherever the driver does not answer what it is asked by `entry`.
template <typename Question>
void expect_errors(const char* entry, std::uint64_t least, Question&& question) {
  for (std::uint64_t nth = 1;; ++nth) {
    stub_fail(entry, nth, CL_OUT_OF_RESOURCES);
    const clpool_status status = question();
    const bool failed = stub_failures() != 0;
    stub_fail_none();
    if (!failed) {
      EXPECT_EQ(status, CLPOOL_SUCCESS) << last_error();
      EXPECT_GT(nth, least) << entry;
      return;
    }
    EXPECT_EQ(status, CLPOOL_ERROR_OUT_OF_MEMORY) << entry << " " << nth;
    EXPECT_EQ(clpool_last_cl_error(), CL_OUT_OF_RESOURCES) << entry << " " << nth;
  }
}

TEST_F(FailedQuestions, OfAnImagesShapeAreErrors) {
  clpool_image_options options = CLPOOL_IMAGE_OPTIONS_INIT;
  options.format = {CL_RGBA, CL_UNSIGNED_INT8};
  options.dimensions = 3;
  options.shape[0] = options.shape[1] = options.shape[2] = 4;
  for (const std::uint32_t is_array : {0U, 1U}) {
    options.is_array = is_array;
    clpool_mem* image = nullptr;
    ASSERT_OK(clpool_image_create(cl.context, &options, &image));
    const OwnedMem owned(image);
    expect_errors("clGetImageInfo", 3, [&] {
      std::uint32_t dimensions = 0;
      std::size_t shape[3] = {};
      return clpool_image_shape(image, &dimensions, shape);
    });
  }
}

/// A part that another library made, of which the driver alone knows where it lies.
TEST_F(FailedQuestions, OfAPartsPlaceAreErrors) {
  clpool_image_options options = CLPOOL_IMAGE_OPTIONS_INIT;
  options.format = {CL_RGBA, CL_UNSIGNED_INT8};
  options.dimensions = 2;
  options.shape[0] = options.shape[1] = 4;
  clpool_mem* made = nullptr;
  ASSERT_OK(clpool_image_create(cl.context, &options, &made));
  const OwnedMem image(made);
  const cl_mem whole = clCreateBuffer(cl.context, 0, 8192, nullptr, nullptr);
  cl_int code = CL_SUCCESS;
  const cl_buffer_region region{4096, 4096};
  const cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  ASSERT_OK(clpool_mem_wrap(part, 0, &made));
  const OwnedMem wrapped(made);
  ASSERT_OK(clpool_buffer_create(cl.context, 0, 4096, nullptr, 0, &made));
  const OwnedMem other(made);
  const std::size_t extent[3] = {4, 4, 1};
  expect_errors("clGetMemObjectInfo", 1, [&] {
    return clpool_image_copy_to_buffer(cl.queue, wrapped.get(), 0, image.get(), nullptr, extent, 0, nullptr,
                                       nullptr);
  });
  clpool_box box = CLPOOL_BOX_INIT;
  box.region[0] = 4;
  box.region[1] = 4;
  box.region[2] = 1;
  expect_errors("clGetMemObjectInfo", 1, [&] {
    clpool_mem* smaller = nullptr;
    const clpool_status status = clpool_mem_sub_region(wrapped.get(), 0, 1024, 0, &smaller);
    EXPECT_OK(clpool_mem_release(smaller));
    return status;
  });
  for (const auto& [to, from] :
       {std::pair(wrapped.get(), other.get()), std::pair(other.get(), wrapped.get())}) {
    expect_errors("clGetMemObjectInfo", 1, [&, to = to, from = from] {
      return clpool_mem_copy_box(cl.queue, to, from, &box, 0, nullptr, nullptr);
    });
  }
  clReleaseMemObject(whole);
}

TEST_F(FailedQuestions, OfTheAlignmentThatAPartLacksAreErrors) {
  clpool_mem* made = nullptr;
  ASSERT_OK(clpool_buffer_create(cl.context, 0, 4096, nullptr, 0, &made));
  const OwnedMem whole(made);
  clpool_mem* part = nullptr;
  stub_fail("clGetContextInfo", 1, CL_OUT_OF_RESOURCES);
  EXPECT_NE(clpool_mem_sub_region(made, 1, 64, 0, &part), CLPOOL_SUCCESS);
  EXPECT_EQ(stub_failures(), 1U);
  EXPECT_EQ(clpool_last_cl_error(), CL_OUT_OF_RESOURCES);
}

TEST_F(FailedQuestions, OfImageFormatsAreErrors) {
  std::size_t count = 7;
  for (const std::uint64_t nth : {1, 2}) {  // how many there are; which
    stub_fail("clGetSupportedImageFormats", nth, CL_OUT_OF_RESOURCES);
    EXPECT_NE(clpool_image_formats(cl.context, 0, CL_MEM_OBJECT_IMAGE2D, nullptr, 0, &count), CLPOOL_SUCCESS)
        << nth;
    EXPECT_EQ(stub_failures(), 1U) << nth;
    EXPECT_EQ(clpool_last_cl_error(), CL_OUT_OF_RESOURCES) << nth;
    EXPECT_EQ(count, 0U) << nth;
  }
}

TEST_F(FailedQuestions, OfADevicesNameAreErrors) {
  clpool_device_facts facts = CLPOOL_DEVICE_FACTS_INIT;
  stub_fail_from("clGetDeviceInfo", 1, CL_OUT_OF_RESOURCES);
  EXPECT_NE(clpool_device_read_facts(cl.device, &facts), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_last_cl_error(), CL_OUT_OF_RESOURCES);
}

TEST_F(FailedQuestions, OfADevicesPlaceLeaveItWithoutOne) {
  clpool_device_facts facts = CLPOOL_DEVICE_FACTS_INIT;
  stub_fail("clGetDeviceIDs", 1, CL_OUT_OF_HOST_MEMORY);
  ASSERT_OK(clpool_device_read_facts(cl.device, &facts));
  EXPECT_EQ(stub_failures(), 1U);
  EXPECT_EQ(facts.platform_index, UINT32_MAX);
  EXPECT_EQ(facts.device_index, UINT32_MAX);
  stub_fail_none();
  ASSERT_OK(clpool_device_read_facts(cl.device, &facts));
  EXPECT_EQ(facts.platform_index, 0U);
  EXPECT_EQ(facts.device_index, 0U);
}

TEST_F(FailedQuestions, WhetherMemoryIsSharedWithTheHostIsTheDevicesAnswer) {
  clpool_device_facts facts = CLPOOL_DEVICE_FACTS_INIT;
  for (const std::uint32_t unified : {1U, 0U}) {
    stub_configure(unified != 0 ? "unified=1" : "unified=0");
    ASSERT_OK(clpool_device_read_facts(cl.device, &facts));
    EXPECT_EQ(facts.has_unified_memory, unified);
  }
}

TEST_F(FailedQuestions, WhatWasTriedIsToldWhereNoContextCanBeMade) {
  const NoDeviceVariables none;
  const Variable home("HOME", "/nonexistent");
  clpool_device_options options = CLPOOL_DEVICE_OPTIONS_INIT;
  options.flags = CLPOOL_DEVICE_BY_RANK;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  stub_fail_from("clCreateContext", 1, CL_OUT_OF_HOST_MEMORY);
  EXPECT_NE(clpool_context_create_default(&options, &device, &context, &queue), CLPOOL_SUCCESS);
  EXPECT_TRUE(last_error_names("GPUs before accelerators before CPUs, no launcher's rank is set"))
      << last_error();
  const Variable rank("SLURM_LOCALID", "0");
  EXPECT_NE(clpool_context_create_default(&options, &device, &context, &queue), CLPOOL_SUCCESS);
  EXPECT_TRUE(last_error_names("GPUs before accelerators before CPUs, SLURM_LOCALID=0")) << last_error();
}

TEST_F(FailedQuestions, TheVersionOfPoclIsReadOrUnknown) {
  std::uint32_t major = 7;
  std::uint32_t minor = 7;
  ASSERT_OK(clpool_characterize_pocl_version(cl.platform, &major, &minor, &answer));
  EXPECT_EQ(answer.source, CLPOOL_SOURCE_NOT_APPLICABLE);
  stub_configure("name=Portable Computing Language");  // whose version is not one of PoCL's
  ASSERT_OK(clpool_characterize_pocl_version(cl.platform, &major, &minor, &answer));
  EXPECT_EQ(answer.source, CLPOOL_SOURCE_NONE);
  EXPECT_STREQ(answer.note, "the version text cannot be read");
  EXPECT_EQ(major, 0U);
}

TEST_F(FailedQuestions, PoclOfNoKnownVersionIsAskedByAKernel) {
  stub_configure("name=Portable Computing Language");
  ASSERT_OK(clpool_characterize_struct_argument_bug(cl.device, cl.context, &answer));
  EXPECT_EQ(answer.value, 0);
  EXPECT_EQ(answer.source, CLPOOL_SOURCE_KERNEL_QUERY);
  EXPECT_STREQ(answer.basis, "CL_KERNEL_NUM_ARGS");
  EXPECT_STREQ(answer.note, "the version of PoCL cannot be read, 0.14 is assumed");
  stub_fail("clGetKernelInfo", 1, CL_INVALID_KERNEL);
  EXPECT_EQ(clpool_characterize_struct_argument_bug(cl.device, cl.context, &answer), CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(clpool_last_cl_error(), CL_INVALID_KERNEL);
  stub_fail("clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE);
  EXPECT_EQ(clpool_characterize_struct_argument_bug(cl.device, cl.context, &answer), CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(clpool_last_cl_error(), CL_BUILD_PROGRAM_FAILURE);
}

TEST_F(FailedQuestions, AComputeCapabilityIsOneNumberToo) {
  stub_configure("nvidia=1");
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  ASSERT_OK(clpool_characterize_compute_capability(cl.device, &major, &minor, &answer));
  EXPECT_EQ(major, 9U);
  EXPECT_EQ(minor, 0U);
  EXPECT_EQ(answer.value, 900);
}

TEST_F(FailedQuestions, ALongNameIsCutBetweenItsLetters) {
  const auto named = [&](const std::string& name) {
    stub_configure(("name=" + name).c_str());
    clpool_device_facts facts = CLPOOL_DEVICE_FACTS_INIT;
    EXPECT_OK(clpool_device_read_facts(cl.device, &facts));
    return std::string(facts.platform);
  };
  std::string letters;  // of two bytes each
  for (int i = 0; i < 64; ++i) {
    letters += "\xC3\xA9";
  }
  EXPECT_EQ(named(letters), letters.substr(0, 126)) << "there is room for 127 bytes";
  EXPECT_EQ(named("x" + letters), "x" + letters.substr(0, 126));
  EXPECT_EQ(named(std::string(200, 'x')), std::string(127, 'x'));
  EXPECT_EQ(named(std::string(200, '\x80')), "") << "of which no letter begins";
}

TEST_F(FailedQuestions, PerformanceIsMeasuredWithAsMuchAsTheDeviceTakes) {
  stub_configure("mode=worker");
  clpool_performance_options options = CLPOOL_PERFORMANCE_OPTIONS_INIT;
  options.repetitions = 1;
  options.warm_ups = 1;
  options.least_ns = 3'000'000;  // many calls
  clpool_performance figures = CLPOOL_PERFORMANCE_INIT;
  for (const auto& [max_alloc, expected] :
       {std::pair{"max_alloc=64K", 16U << 10}, {"max_alloc=4", 1U}, {"max_alloc=3", 4096U}}) {
    stub_configure(max_alloc);
    const clpool_status status = clpool_characterize_performance(cl.context, cl.device, &options, &figures);
    if (status == CLPOOL_SUCCESS) {
      EXPECT_EQ(figures.transfer_bytes, expected) << max_alloc;
    } else {
      EXPECT_EQ(expected, 4096U) << "more than such a device can allocate; " << last_error();
    }
  }
}

}  // namespace
}  // namespace clpool::test
