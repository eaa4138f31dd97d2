// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/characterize.h on this machine's device: every question has an answer, and the rules of the C ABI
// hold.
#include "clpool/characterize.h"

#include "clpool/bank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "clpool/testing/gtest.hpp"

namespace {

class Characterize : public clpool::testing::ContextTest {
 protected:
  static bool is_complete(const clpool_answer& answer) {
    return answer.basis != nullptr && answer.note != nullptr &&
           std::string(clpool_source_name(answer.source)) != "unknown";
  }
};

TEST_P(Characterize, EveryQuestionAboutAValidDeviceHasAnAnswer) {
  clpool_answer answer = CLPOOL_ANSWER_INIT;
  const auto answered = [&](clpool_status status) {
    EXPECT_EQ(status, CLPOOL_SUCCESS) << clpool_last_error_message();
    EXPECT_TRUE(is_complete(answer));
    return answer.value;
  };
  constexpr uint32_t now = CLPOOL_MODEL_CURRENT;
  EXPECT_GE(answered(clpool_characterize_simd_group_size(device(), now, &answer)), 1);
  EXPECT_NE(answer.source, static_cast<uint32_t>(CLPOOL_SOURCE_NONE));
  EXPECT_GE(answered(clpool_characterize_work_group_size_multiple(device(), nullptr, now, &answer)), 1);
  EXPECT_GE(answered(clpool_characterize_work_group_size_multiple(device(), context(), CLPOOL_MODEL_PYOPENCL,
                                                                  &answer)),
            1);
  EXPECT_GE(answered(clpool_characterize_sub_groups(device(), &answer)), 0);
  EXPECT_GE(answered(clpool_characterize_double_support(device(), now, &answer)), 0);
  EXPECT_GE(answered(clpool_characterize_amd_double_support(device(), &answer)), 0);
  EXPECT_GE(answered(clpool_characterize_local_access_granularity(device(), now, &answer)), 0);
  EXPECT_GE(answered(clpool_characterize_local_bank_count(device(), now, &answer)), 0);
  EXPECT_GE(answered(clpool_characterize_local_access_work_items(device(), now, &answer)), 0);
  EXPECT_GT(answered(clpool_characterize_usable_local_memory(device(), -1, &answer)), 0);
  EXPECT_GE(answered(clpool_characterize_struct_argument_bug(device(), nullptr, &answer)), 0);
  EXPECT_GE(answered(clpool_characterize_source_build_cache(device(), &answer)), -1);
  for (uint32_t kind = CLPOOL_SVM_KIND_COARSE_BUFFER; kind <= CLPOOL_SVM_KIND_FINE_SYSTEM_ATOMICS; ++kind) {
    EXPECT_LE(answered(clpool_characterize_svm(device(), kind, now, &answer)), 1);
    EXPECT_LE(answered(clpool_characterize_svm(device(), kind, CLPOOL_MODEL_PYOPENCL, &answer)), 1);
  }
}

TEST_P(Characterize, TheDefaultWidthIsOneOfAllWidths) {
  clpool_answer answer = CLPOOL_ANSWER_INIT;
  size_t count = 0;
  ASSERT_EQ(clpool_characterize_simd_group_sizes(device(), nullptr, 0, &count, &answer), CLPOOL_SUCCESS);
  ASSERT_GE(count, 1u);
  std::vector<uint32_t> sizes(count);
  ASSERT_EQ(clpool_characterize_simd_group_sizes(device(), sizes.data(), count, &count, &answer),
            CLPOOL_SUCCESS);
  EXPECT_EQ(std::count(sizes.begin(), sizes.end(), static_cast<uint32_t>(answer.value)), 1);
}

TEST_P(Characterize, PoclsVersionIsThatOfThePlatform) {
  clpool_answer answer = CLPOOL_ANSWER_INIT;
  uint32_t major = 9;
  uint32_t minor = 9;
  ASSERT_EQ(clpool_characterize_pocl_version(platform(), &major, &minor, &answer), CLPOOL_SUCCESS);
  EXPECT_EQ(answer.value, int64_t{major} * 100 + minor);
  if (answer.source == CLPOOL_SOURCE_NOT_APPLICABLE) {
    EXPECT_EQ(major, 0u);
    GTEST_SKIP() << "the platform is not PoCL";
  }
  EXPECT_GE(major, 1u);
}

TEST_P(Characterize, OnlyNvidiasDevicesHaveAComputeCapability) {
  clpool_answer answer = CLPOOL_ANSWER_INIT;
  uint32_t major = 99;
  uint32_t minor = 99;
  ASSERT_EQ(clpool_characterize_compute_capability(device(), &major, &minor, &answer), CLPOOL_SUCCESS);
  cl_uint vendor = 0;
  ASSERT_EQ(clGetDeviceInfo(device(), CL_DEVICE_VENDOR_ID, sizeof vendor, &vendor, nullptr), CL_SUCCESS);
  EXPECT_EQ(major != 0, vendor == 0x10DE);
  EXPECT_EQ(answer.source == CLPOOL_SOURCE_NOT_APPLICABLE, vendor != 0x10DE);
}

TEST_P(Characterize, AKernelHasItsOwnWidthAndLocalMemory) {
  const char* source =
      "__kernel void with_local(__global int* out) {"
      "  __local int values[1024]; values[get_local_id(0)] = out[0]; barrier(CLK_LOCAL_MEM_FENCE);"
      "  out[get_global_id(0)] = values[0]; }";
  cl_int code = CL_SUCCESS;
  const cl_device_id id = device();
  cl_program program = clCreateProgramWithSource(context(), 1, &source, nullptr, &code);
  ASSERT_EQ(clBuildProgram(program, 1, &id, "", nullptr, nullptr), CL_SUCCESS);
  cl_kernel kernel = clCreateKernel(program, "with_local", &code);
  ASSERT_EQ(code, CL_SUCCESS);
  clpool_answer all = CLPOOL_ANSWER_INIT;
  clpool_answer left = CLPOOL_ANSWER_INIT;
  EXPECT_EQ(clpool_characterize_usable_local_memory(device(), 1, &all), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_characterize_usable_local_memory_of_kernel(device(), kernel, &left), CLPOOL_SUCCESS)
      << clpool_last_error_message();
  cl_ulong used = 0;
  EXPECT_EQ(clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_LOCAL_MEM_SIZE, sizeof used, &used, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(left.value, std::max(int64_t{0}, all.value - static_cast<int64_t>(used)));
  EXPECT_EQ(left.source, static_cast<uint32_t>(CLPOOL_SOURCE_KERNEL_QUERY));
  clpool_answer width = CLPOOL_ANSWER_INIT;
  EXPECT_EQ(clpool_characterize_simd_group_size_of_kernel(device(), kernel, &width), CLPOOL_SUCCESS)
      << clpool_last_error_message();
  EXPECT_GE(width.value, 1);
  EXPECT_EQ(clpool_characterize_simd_group_size_of_kernel(device(), nullptr, &width),
            CLPOOL_ERROR_INVALID_VALUE);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
}

TEST_P(Characterize, BuildOptionsAreAcceptedByTheCompiler) {
  char options[256];
  size_t needed = 0;
  ASSERT_EQ(clpool_characterize_fast_build_options(device(), CLPOOL_MODEL_CURRENT, options, sizeof options,
                                                   &needed),
            CLPOOL_SUCCESS);
  ASSERT_LE(needed, sizeof options);
  const char* source = "__kernel void f(__global float* x) { x[0] += 1; }";
  cl_int code = CL_SUCCESS;
  const cl_device_id id = device();
  cl_program program = clCreateProgramWithSource(context(), 1, &source, nullptr, &code);
  EXPECT_EQ(clBuildProgram(program, 1, &id, options, nullptr, nullptr), CL_SUCCESS);
  clReleaseProgram(program);
}

TEST_P(Characterize, ConflictsOfADeviceWithoutBanksDoNotApply) {
  const size_t shape[] = {32, 32};
  clpool_answer banks = CLPOOL_ANSWER_INIT;
  clpool_answer answer = CLPOOL_ANSWER_INIT;
  char text[2048];
  size_t needed = 0;
  ASSERT_EQ(clpool_characterize_local_bank_count(device(), CLPOOL_MODEL_CURRENT, &banks), CLPOOL_SUCCESS);
  ASSERT_EQ(clpool_characterize_local_access_conflicts(device(), CLPOOL_MODEL_CURRENT, 4, shape, 2, nullptr,
                                                       0, &answer, text, sizeof text, &needed),
            CLPOOL_SUCCESS)
      << clpool_last_error_message();
  EXPECT_EQ(answer.source == CLPOOL_SOURCE_NOT_APPLICABLE, banks.source == CLPOOL_SOURCE_NOT_APPLICABLE);
  EXPECT_EQ(answer.value > 1, needed > 1) << text;

  answer.value = 77;
  for (const std::size_t capacity : {sizeof text, std::size_t{0}}) {
    std::strcpy(text, "what an earlier call answered");
    EXPECT_EQ(clpool_characterize_local_access_conflicts(device(), 9, 4, shape, 2, nullptr, 0, &answer, text,
                                                         capacity, &needed),
              CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_STREQ(text, capacity != 0 ? "" : "what an earlier call answered");
  }
  EXPECT_EQ(clpool_characterize_local_access_conflicts(device(), 9, 4, shape, 2, nullptr, 0, &answer, nullptr,
                                                       7, &needed),
            CLPOOL_ERROR_INVALID_VALUE);
  std::strcpy(text, "what an earlier call answered");
  EXPECT_EQ(clpool_characterize_local_access_conflicts(device(), CLPOOL_MODEL_CURRENT, 0, shape, 2, nullptr,
                                                       0, &answer, text, sizeof text, &needed),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(answer.value, 0);
  EXPECT_STREQ(text, "");
  EXPECT_EQ(needed, 0u);
}

TEST_P(Characterize, WrongArgumentsAreNamedAndLeaveAnEmptyAnswer) {
  clpool_answer answer = CLPOOL_ANSWER_INIT;
  answer.value = 77;
  EXPECT_EQ(clpool_characterize_simd_group_size(device(), 9, &answer), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(answer.value, 0);
  EXPECT_NE(std::strstr(clpool_last_error_message(), "model is 9"), nullptr);
  EXPECT_EQ(clpool_characterize_simd_group_size(nullptr, 0, &answer), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_characterize_simd_group_size(device(), 0, nullptr), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_characterize_svm(device(), 0, 0, &answer), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_characterize_usable_local_memory(device(), -2, &answer), CLPOOL_ERROR_INVALID_VALUE);
  answer.struct_size = 4;
  EXPECT_EQ(clpool_characterize_double_support(device(), 0, &answer), CLPOOL_ERROR_INVALID_VALUE);
}

TEST_P(Characterize, PerformanceIsMeasuredWhateverTheDevicesSpeed) {
  clpool_performance_options options = CLPOOL_PERFORMANCE_OPTIONS_INIT;
  options.transfer_bytes = 4096;
  options.repetitions = 3;
  options.warm_ups = 1;
  options.least_ns = 1;
  clpool_performance figures = CLPOOL_PERFORMANCE_INIT;
  ASSERT_EQ(clpool_characterize_performance(context(), device(), &options, &figures), CLPOOL_SUCCESS)
      << clpool_last_error_message();
  EXPECT_EQ(figures.transfer_bytes, 4096u);
  EXPECT_GT(figures.write_bandwidth, 0u);
  EXPECT_GT(figures.read_bandwidth, 0u);
  EXPECT_GT(figures.copy_bandwidth, 0u);
  EXPECT_GT(figures.empty_kernel_ns, 0u);
  options.struct_size = 6;
  EXPECT_EQ(clpool_characterize_performance(context(), device(), &options, &figures),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_NE(std::string(clpool_last_error_message()).find("struct_size is 6"), std::string::npos);
  options.struct_size = sizeof options;
  options.repetitions = 0;  // some
  ASSERT_EQ(clpool_characterize_performance(context(), device(), &options, &figures), CLPOOL_SUCCESS);
  EXPECT_GT(figures.write_bandwidth, 0u);
  const auto refuse = [&](const char* number) {
    EXPECT_EQ(clpool_characterize_performance(context(), device(), &options, &figures),
              CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_NE(std::string(clpool_last_error_message()).find(number), std::string::npos)
        << clpool_last_error_message();
  };
  options.repetitions = UINT32_MAX;
  refuse("4294967295 repetitions");
  options.repetitions = 1;
  options.warm_ups = 10'001;
  refuse("10001 before them");
  options.warm_ups = 1;
  options.least_ns = 60'000'000'001;
  refuse("60000000001 ns, at most 60000000000");
  options.least_ns = 1;
  options.transfer_bytes = UINT64_MAX;
  EXPECT_EQ(clpool_characterize_performance(context(), device(), &options, &figures),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_NE(std::string(clpool_last_error_message()).find("18446744073709551615"), std::string::npos)
      << clpool_last_error_message();
  EXPECT_EQ(clpool_characterize_performance(nullptr, device(), &options, &figures),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(figures.write_bandwidth, 0u) << "nothing is left of a former answer";
}

CLPOOL_INSTANTIATE_ON_CONTEXTS(Characterize);

TEST(Bank, ConflictsNeedNoDevice) {
  const size_t shape[] = {32, 32};
  const size_t padded[] = {32, 33};
  uint64_t multiplicity = 0;
  char text[64];
  size_t needed = 0;
  ASSERT_EQ(
      clpool_bank_conflicts(nullptr, 4, shape, 2, nullptr, 0, &multiplicity, text, sizeof text, &needed),
      CLPOOL_SUCCESS);
  EXPECT_EQ(multiplicity, 32u);
  EXPECT_GT(needed, sizeof text);
  EXPECT_EQ(std::strlen(text), sizeof text - 1);
  ASSERT_EQ(clpool_bank_conflicts(nullptr, 4, shape, 2, padded, 2, &multiplicity, nullptr, 0, nullptr),
            CLPOOL_SUCCESS);
  EXPECT_EQ(multiplicity, 1u);
  clpool_bank_memory memory;
  clpool_bank_memory_init(&memory);
  memory.model = CLPOOL_MODEL_PYOPENCL;
  memory.work_items = 16;
  memory.banks = 16;
  ASSERT_EQ(clpool_bank_conflicts(&memory, 2, shape, 1, nullptr, 0, &multiplicity, nullptr, 0, nullptr),
            CLPOOL_SUCCESS);
  EXPECT_EQ(multiplicity, 2u);
  EXPECT_EQ(clpool_bank_conflicts(nullptr, 4, nullptr, 0, nullptr, 0, &multiplicity, nullptr, 0, nullptr),
            CLPOOL_SUCCESS);
  EXPECT_EQ(multiplicity, 1u);
}

TEST(Bank, WrongArgumentsAreErrorsAndLeaveNoResult) {
  const size_t shape[] = {32, 0};
  uint64_t multiplicity = 7;
  clpool_bank_memory memory = CLPOOL_BANK_MEMORY_INIT;
  memory.model = 3;
  EXPECT_EQ(clpool_bank_conflicts(&memory, 4, shape, 1, nullptr, 0, &multiplicity, nullptr, 0, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_NE(std::strstr(clpool_last_error_message(), "3"), nullptr);
  clpool_bank_memory_init(&memory);
  memory.struct_size = 3;
  EXPECT_EQ(clpool_bank_conflicts(&memory, 4, shape, 1, nullptr, 0, &multiplicity, nullptr, 0, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_NE(std::strstr(clpool_last_error_message(), "struct_size is 3"), nullptr);
  EXPECT_EQ(clpool_bank_conflicts(nullptr, 4, shape, 2, nullptr, 0, &multiplicity, nullptr, 0, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(multiplicity, 0u);
  EXPECT_EQ(clpool_bank_conflicts(nullptr, 4, shape, 1, shape, 2, &multiplicity, nullptr, 0, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_bank_conflicts(nullptr, 4, nullptr, 1, nullptr, 0, &multiplicity, nullptr, 0, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_STREQ(clpool_last_error_message(), "clpool_bank_conflicts: shape is NULL but has 1 axes");
  EXPECT_EQ(clpool_bank_conflicts(nullptr, 4, shape, 1, nullptr, 0, nullptr, nullptr, 0, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_bank_conflicts(nullptr, 4, shape, 1, nullptr, 0, &multiplicity, nullptr, 5, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
}

TEST(Answers, SourcesHaveNames) {
  EXPECT_STREQ(clpool_source_name(CLPOOL_SOURCE_QUERY), "query");
  EXPECT_STREQ(clpool_source_name(CLPOOL_SOURCE_KERNEL_QUERY), "kernel query");
  EXPECT_STREQ(clpool_source_name(77), "unknown");
  clpool_answer answer;
  clpool_answer_init(&answer);
  EXPECT_EQ(answer.struct_size, sizeof answer);
  clpool_answer_init(nullptr);
}

}  // namespace
