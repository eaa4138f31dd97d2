// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Questions about devices, put to made-up ones: which query is asked in which order, what is never asked, and
// what the tables say.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/local_memory.hpp"
#include "device/simd.hpp"
#include "device/support.hpp"
#include "support/fake_device.hpp"

namespace clpool::core::device {
namespace {

using test::FakeDevice;

Identity identity_of(const FakeDevice& device) {
  Identity identity;
  EXPECT_EQ(identify(device.id(), identity), Status::success) << last_error_message();
  return identity;
}

Answer width_of(const FakeDevice& device, Model model = Model::current) {
  Answer answer;
  EXPECT_EQ(simd_group_size(identity_of(device), model, answer), Status::success) << last_error_message();
  return answer;
}

void make_nvidia(FakeDevice& device, cl_uint major, cl_uint minor) {
  device.extensions("cl_khr_fp64 cl_nv_device_attribute_query");
  device.value<cl_uint>(0x4000, major).value<cl_uint>(0x4001, minor).value<cl_uint>(0x4003, 32);
  device.value<cl_uint>(0x4002, 65536);
}

TEST(Identities, AreOfAGpuWhereTheyAreNothingElse) {
  FakeDevice device("device", "somebody", 0x9999);
  EXPECT_TRUE(identity_of(device).is_gpu());
  for (const cl_device_type type :
       {CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU}) {
    device.type(type);
    EXPECT_FALSE(identity_of(device).is_gpu()) << type;
  }
}

TEST(SimdWidth, TheVendorsOwnQueryComesFirst) {
  FakeDevice nvidia("H200", "NVIDIA Corporation", 0x10DE);
  make_nvidia(nvidia, 9, 0);
  EXPECT_EQ(width_of(nvidia).value, 32);
  EXPECT_EQ(width_of(nvidia).source, Source::query);
  EXPECT_STREQ(width_of(nvidia).basis, "CL_DEVICE_WARP_SIZE_NV");

  FakeDevice amd("gfx90a", "Advanced Micro Devices, Inc.", 0x1002);
  amd.extensions("cl_amd_device_attribute_query").value<cl_uint>(0x4043, 64);
  EXPECT_EQ(width_of(amd).value, 64);
  EXPECT_STREQ(width_of(amd).basis, "CL_DEVICE_WAVEFRONT_WIDTH_AMD");
  EXPECT_STREQ(width_of(amd).note, "");
  amd.value<cl_uint>(0x4043, 32);
  EXPECT_STREQ(width_of(amd).note, "kernels may also be compiled for 64");
}

TEST(SimdWidth, PyOpenClsModelHasOneForProcessorsOfAmd) {
  FakeDevice processor("EPYC", "Advanced Micro Devices, Inc.", 0x1022);
  processor.type(CL_DEVICE_TYPE_CPU);
  EXPECT_EQ(width_of(processor, Model::pyopencl).value, 1);
  EXPECT_EQ(width_of(processor, Model::pyopencl).source, Source::table);
  EXPECT_STREQ(width_of(processor, Model::pyopencl).basis, "vendor text");
}

TEST(SimdWidth, AVendorsTokenIsNeverAskedWithoutItsExtension) {
  FakeDevice device("some GPU", "somebody", 0x9999);
  device.value<cl_uint>(0x4003, 7).value<cl_uint>(0x4043, 7).value<cl_uint>(0x4048, 7);
  EXPECT_EQ(width_of(device).value, 1);
  EXPECT_EQ(width_of(device).source, Source::guess);
  width_of(device, Model::pyopencl);
  Answer answer;
  EXPECT_EQ(local_bank_count(identity_of(device), Model::current, answer), Status::success);
  EXPECT_EQ(double_support(identity_of(device), Model::current).value, 1);
  source_build_cache(identity_of(device));
  for (cl_uint token = 0x4000; token <= 0x4300; ++token) {
    EXPECT_FALSE(device.was_asked(token)) << std::hex << token;
  }
}

TEST(SimdWidth, AnAnswerOfZeroIsNoAnswer) {
  FakeDevice device("Tesla", "NVIDIA Corporation", 0x10DE);
  device.extensions("cl_nv_device_attribute_query").value<cl_uint>(0x4003, 0);
  EXPECT_EQ(width_of(device).value, 32);
  EXPECT_EQ(width_of(device).source, Source::table);
}

TEST(SimdWidth, IntelsListIsReadWhateverItsLength) {
  FakeDevice device("Intel(R) Iris(R) Xe Graphics", "Intel(R) Corporation", 0x8086);
  struct {
    std::size_t sizes[3];
  } list{{32, 8, 16}};
  device.extensions("cl_intel_required_subgroup_size").value(0x4108, list);
  EXPECT_EQ(width_of(device).value, 16);
  std::vector<std::uint32_t> sizes;
  Answer answer;
  ASSERT_EQ(simd_group_sizes(identity_of(device), sizes, answer), Status::success);
  EXPECT_EQ(sizes, (std::vector<std::uint32_t>{8, 16, 32}));
  EXPECT_STRNE(answer.note, "") << "a single number is not well defined there";
  list = {{0, 32, 0}};
  device.value(0x4108, list);
  EXPECT_EQ(width_of(device).value, 32);
  EXPECT_STREQ(width_of(device).note, "") << "one size alone; a size of 0 is none";
  ASSERT_EQ(simd_group_sizes(identity_of(device), sizes, answer), Status::success);
  EXPECT_EQ(sizes, std::vector<std::uint32_t>{32});
}

TEST(SimdWidth, RdnaHasTwoWidths) {
  FakeDevice device("gfx1100", "Advanced Micro Devices, Inc.", 0x1002);
  device.extensions("cl_amd_device_attribute_query").value<cl_uint>(0x4043, 32);
  std::vector<std::uint32_t> sizes;
  Answer answer;
  ASSERT_EQ(simd_group_sizes(identity_of(device), sizes, answer), Status::success);
  EXPECT_EQ(answer.value, 32);
  EXPECT_EQ(sizes, (std::vector<std::uint32_t>{32, 64}));
}

TEST(SimdWidth, OpenCl3DevicesAnswerWithoutAKernel) {
  FakeDevice device("some GPU", "somebody", 0x9999);
  device.version("OpenCL 3.0 fake").value<std::size_t>(0x1067, 48);
  EXPECT_EQ(width_of(device).value, 48);
  EXPECT_STREQ(width_of(device).basis, "CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE");
  FakeDevice older("some GPU", "somebody", 0x9999);
  older.value<std::size_t>(0x1067, 48);
  EXPECT_EQ(width_of(older).value, 1);
  EXPECT_FALSE(older.was_asked(0x1067));
}

// PyOpenCL may answer None, and callers break; every vendor's devices have a width.
TEST(SimdWidth, EveryDeviceHasANumberAndAConfidence) {
  const struct {
    const char* vendor;
    cl_uint id;
    int width;
  } table[] = {{"NVIDIA Corporation", 0x10DE, 32},
               {"AMD", 0x1002, 64},
               {"Intel", 0x8086, 16},
               {"ARM", 0x60000000, 16},
               {"QUALCOMM", 0xBF4D, 64},
               {"Apple", 0x1027F00, 32}};
  for (const auto& row : table) {
    const FakeDevice device("device", row.vendor, row.id);
    EXPECT_EQ(width_of(device).value, row.width) << row.vendor;
    EXPECT_EQ(width_of(device).source, Source::table) << row.vendor;
  }
  const FakeDevice unknown("device", "nobody", 0x1234);
  EXPECT_EQ(width_of(unknown).source, Source::guess);
  EXPECT_GE(width_of(unknown).value, 1);
}

// "ati" is in "Corporation"; Intel's accelerators raised "unexpected AMD device type".
TEST(SimdWidth, AVendorIsKnownByItsNumberAndNotByAPartOfAName) {
  FakeDevice accelerator("Arria 10", "Intel(R) Corporation", 0x8086);
  accelerator.type(CL_DEVICE_TYPE_ACCELERATOR);
  EXPECT_EQ(width_of(accelerator).value, 16);
  Answer answer;
  EXPECT_EQ(simd_group_size(identity_of(accelerator), Model::pyopencl, answer), Status::not_supported);
  EXPECT_NE(std::string(last_error_message()).find("unexpected AMD device type"), std::string::npos);
  EXPECT_EQ(maker_of(0x1002, "Corporation"), Maker::amd);
  EXPECT_EQ(maker_of(0x9999, "Imagination Technologies"), Maker::unknown);
}

TEST(SimdWidth, PyOpenClsModelAnswersInItsOwnOrder) {
  FakeDevice nvidia("Tesla", "NVIDIA Corporation", 0x10DE);
  EXPECT_EQ(width_of(nvidia, Model::pyopencl).value, 32);
  EXPECT_STREQ(width_of(nvidia, Model::pyopencl).basis, "vendor text");
  FakeDevice cpu("EPYC", "AuthenticAMD", 0x1022);
  cpu.type(CL_DEVICE_TYPE_CPU);
  EXPECT_EQ(width_of(cpu, Model::pyopencl).value, 1);
  const FakeDevice adreno("Adreno", "QUALCOMM", 0x5143);
  EXPECT_EQ(width_of(adreno, Model::pyopencl).source, Source::none);
}

std::int64_t banks_of(const FakeDevice& device, Model model, Source expected) {
  Answer answer;
  EXPECT_EQ(local_bank_count(identity_of(device), model, answer), Status::success);
  EXPECT_EQ(answer.source, expected) << answer.value;
  return answer.value;
}

TEST(LocalMemory, BanksAreThoseOfTheComputeCapability) {
  for (const cl_uint major : {1u, 2u, 3u, 5u, 9u, 12u}) {
    FakeDevice device("GPU", "NVIDIA Corporation", 0x10DE);
    make_nvidia(device, major, 0);
    EXPECT_EQ(banks_of(device, Model::current, Source::table), major < 2 ? 16 : 32);
    // PyOpenCL guesses from 3.0 on.
    EXPECT_EQ(banks_of(device, Model::pyopencl, major < 3 ? Source::table : Source::guess),
              major < 2 ? 16 : 32);
    Answer granularity;
    EXPECT_EQ(local_access_granularity(identity_of(device), Model::current, granularity), Status::success);
    EXPECT_EQ(granularity.value, major == 3 ? 8 : 4);
  }
}

TEST(LocalMemory, OtherVendorsHaveTheirOwnBanks) {
  FakeDevice amd("gfx90a", "Advanced Micro Devices, Inc.", 0x1002);
  EXPECT_EQ(banks_of(amd, Model::current, Source::table), 32);
  amd.extensions("cl_amd_device_attribute_query").value<cl_uint>(0x4048, 64);
  EXPECT_EQ(banks_of(amd, Model::current, Source::query), 64);
  EXPECT_EQ(banks_of(amd, Model::pyopencl, Source::guess), 16);
  const FakeDevice cdna4("gfx950", "Advanced Micro Devices, Inc.", 0x1002);
  EXPECT_EQ(banks_of(cdna4, Model::current, Source::table), 64);
  const FakeDevice intel("Iris", "Intel(R) Corporation", 0x8086);
  EXPECT_EQ(banks_of(intel, Model::current, Source::table), 16);
}

TEST(LocalMemory, WhereItIsCachedMemoryTheQuestionDoesNotApplyAndNothingIsThrown) {
  FakeDevice cpu("EPYC", "AuthenticAMD", 0x1022);
  cpu.type(CL_DEVICE_TYPE_CPU).value<cl_device_local_mem_type>(CL_DEVICE_LOCAL_MEM_TYPE, CL_GLOBAL);
  EXPECT_EQ(banks_of(cpu, Model::current, Source::not_applicable), 0);
  Answer answer;
  EXPECT_EQ(local_bank_count(identity_of(cpu), Model::pyopencl, answer), Status::not_supported);
  const std::vector<std::size_t> shape{32, 32};
  BankConflict conflict;
  ASSERT_EQ(local_access_conflicts(identity_of(cpu), Model::current, {4, shape, shape}, conflict, answer),
            Status::success);
  EXPECT_EQ(answer.value, 1);
  EXPECT_EQ(answer.source, Source::not_applicable);
  EXPECT_EQ(conflict.text, "");
  ASSERT_EQ(local_access_conflicts(identity_of(cpu), Model::current, {8, shape, shape}, conflict, answer),
            Status::success);
  EXPECT_EQ(answer.value, 1);
  EXPECT_EQ(conflict.multiplicity, 1u);
  EXPECT_EQ(conflict.text, "") << "items of two words";
  for (const auto question : {local_access_granularity, local_access_work_items}) {
    answer = {7, Source::query, "", ""};
    ASSERT_EQ(question(identity_of(cpu), Model::current, answer), Status::success);
    EXPECT_EQ(answer.value, 0);
    EXPECT_EQ(answer.source, Source::not_applicable);
  }
}

TEST(LocalMemory, PyOpenClsModelLetsOneWorkItemOfAProcessorIn) {
  FakeDevice device("both", "somebody", 0x9999);
  Answer answer;
  device.type(CL_DEVICE_TYPE_CPU);
  ASSERT_EQ(local_access_work_items(identity_of(device), Model::pyopencl, answer), Status::success);
  EXPECT_EQ(answer.value, 1);
  EXPECT_EQ(answer.source, Source::table);
  for (const cl_device_type type : {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_CPU}) {
    device.type(type);
    ASSERT_EQ(local_access_work_items(identity_of(device), Model::pyopencl, answer), Status::success);
    EXPECT_EQ(answer.value, 16);
    EXPECT_EQ(answer.source, Source::guess);
  }
}

TEST(LocalMemory, ConflictsAreThoseOfTheDevicesBanks) {
  FakeDevice device("GPU", "NVIDIA Corporation", 0x10DE);
  make_nvidia(device, 9, 0);
  const std::vector<std::size_t> shape{32, 32};
  const std::vector<std::size_t> padded{32, 33};
  BankConflict conflict;
  Answer answer;
  ASSERT_EQ(local_access_conflicts(identity_of(device), Model::current, {4, shape, shape}, conflict, answer),
            Status::success);
  EXPECT_EQ(answer.value, 32);
  EXPECT_NE(conflict.text, "");
  ASSERT_EQ(local_access_conflicts(identity_of(device), Model::current, {8, shape, padded}, conflict, answer),
            Status::success);
  EXPECT_EQ(answer.value, 1) << "wide items go in two transactions";
  ASSERT_EQ(
      local_access_conflicts(identity_of(device), Model::pyopencl, {8, shape, padded}, conflict, answer),
      Status::success);
  EXPECT_EQ(answer.value, 2);
  EXPECT_EQ(answer.source, Source::guess);
}

TEST(LocalMemory, PyOpenClsConflictsOfOtherItemsThanItsWordsAreAGuess) {
  FakeDevice device("GPU", "NVIDIA Corporation", 0x10DE);
  make_nvidia(device, 2, 0);
  const std::vector<std::size_t> shape{32, 32};
  BankConflict conflict;
  Answer answer;
  ASSERT_EQ(local_access_conflicts(identity_of(device), Model::pyopencl, {4, shape, shape}, conflict, answer),
            Status::success);
  EXPECT_EQ(answer.source, Source::table);
  ASSERT_EQ(local_access_conflicts(identity_of(device), Model::pyopencl, {8, shape, shape}, conflict, answer),
            Status::success);
  EXPECT_EQ(answer.source, Source::guess);
  EXPECT_STREQ(answer.note, "PyOpenCL's model: local conflict info might be inaccurate for this item size");
}

TEST(LocalMemory, OldNvidiaDevicesKeepArgumentsInIt) {
  FakeDevice old("GPU", "NVIDIA Corporation", 0x10DE);
  make_nvidia(old, 1, 3);
  old.value<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE, 16384);
  Answer answer;
  ASSERT_EQ(usable_local_memory(identity_of(old), -1, answer), Status::success);
  EXPECT_EQ(answer.value, 16384 - 256);
  EXPECT_EQ(answer.source, Source::table);
  EXPECT_STREQ(answer.note, "kernel arguments of compute capabilities 1.x are in local memory");
  ASSERT_EQ(usable_local_memory(identity_of(old), 5, answer), Status::success);
  EXPECT_EQ(answer.value, 16384 - 20);
  ASSERT_EQ(usable_local_memory(identity_of(old), 0, answer), Status::success);
  EXPECT_EQ(answer.value, 16384);
  EXPECT_EQ(usable_local_memory(identity_of(old), -2, answer), Status::invalid_value);
  make_nvidia(old, 2, 0);
  ASSERT_EQ(usable_local_memory(identity_of(old), 5, answer), Status::success);
  EXPECT_EQ(answer.value, 16384);
  EXPECT_EQ(answer.source, Source::query);
}

TEST(Support, BuildOptionsLeaveOutWhatIsDeprecated) {
  const FakeDevice device("GPU", "NVIDIA Corporation", 0x10DE);
  EXPECT_EQ(fast_build_options(identity_of(device), Model::current),
            "-cl-mad-enable -cl-fast-relaxed-math -cl-no-signed-zeros");
  EXPECT_EQ(fast_build_options(identity_of(device), Model::pyopencl),
            "-cl-mad-enable -cl-fast-relaxed-math -cl-no-signed-zeros -cl-strict-aliasing");
  const FakeDevice other("GPU", "Intel(R) Corporation", 0x8086);
  EXPECT_EQ(fast_build_options(identity_of(other), Model::pyopencl),
            "-cl-mad-enable -cl-fast-relaxed-math -cl-no-signed-zeros");
}

TEST(Support, DoublesAreFoundByTheirAbilitiesToo) {
  FakeDevice device("GPU", "somebody", 0x9999);
  device.extensions("cl_khr_fp64_more cl_amd_fp64x");
  EXPECT_EQ(double_support(identity_of(device), Model::current).value, 0) << "words are compared whole";
  EXPECT_EQ(amd_double_support(identity_of(device)).value, 0);
  device.value<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG, 63);
  EXPECT_EQ(double_support(identity_of(device), Model::current).value, 1);
  EXPECT_EQ(double_support(identity_of(device), Model::pyopencl).value, 0);
  device.extensions("cl_amd_fp64");
  EXPECT_EQ(amd_double_support(identity_of(device)).value, 1);
}

std::int64_t svm_of(const FakeDevice& device, Svm kind, Model model) {
  Answer answer;
  EXPECT_EQ(svm_support(identity_of(device), kind, model, answer), Status::success);
  return answer.value;
}

TEST(Support, SvmIsWhatTheDeviceSaysAndNotItsPlatform) {
  FakeDevice device("GPU", "somebody", 0x9999);
  device.version("OpenCL 2.0 fake").platform("Fake", "somebody", "OpenCL 1.2 fake");
  device.value<cl_device_svm_capabilities>(CL_DEVICE_SVM_CAPABILITIES, 0xB);
  EXPECT_EQ(svm_of(device, Svm::coarse_buffer, Model::current), 1);
  EXPECT_EQ(svm_of(device, Svm::fine_buffer, Model::current), 1);
  EXPECT_EQ(svm_of(device, Svm::fine_system, Model::current), 0);
  EXPECT_EQ(svm_of(device, Svm::fine_buffer_atomics, Model::current), 1);
  EXPECT_EQ(svm_of(device, Svm::fine_system_atomics, Model::current), 0);
  EXPECT_EQ(svm_of(device, Svm::coarse_buffer, Model::pyopencl), 0) << "PyOpenCL asks the platform";
  device.platform("Portable Computing Language", "somebody", "OpenCL 2.0 PoCL 0.14");
  EXPECT_EQ(svm_of(device, Svm::coarse_buffer, Model::pyopencl), 0) << "PyOpenCL asks for PoCL 1.0";
  device.platform("Portable Computing Language", "somebody", "OpenCL 2.0 PoCL 1.0");
  EXPECT_EQ(svm_of(device, Svm::coarse_buffer, Model::pyopencl), 1);
  device.platform("Portable Computing Language", "somebody", "OpenCL 2.0 of no known version");
  EXPECT_EQ(svm_of(device, Svm::coarse_buffer, Model::pyopencl), 0);
  const FakeDevice old("GPU", "somebody", 0x9999);
  EXPECT_EQ(svm_of(old, Svm::coarse_buffer, Model::current), 0);
  EXPECT_FALSE(old.was_asked(CL_DEVICE_SVM_CAPABILITIES));
  Answer answer;
  EXPECT_EQ(svm_support(identity_of(device), static_cast<Svm>(9), Model::current, answer),
            Status::invalid_value);
}

TEST(Support, ThePoclVersionIsReadFromItsPlatform) {
  const auto pocl = pocl_version("Portable Computing Language", "OpenCL 3.0 PoCL 3.1+debian  Linux");
  EXPECT_TRUE(pocl.is_known);
  EXPECT_EQ(pocl.version, (cl::Version{3, 1}));
  EXPECT_EQ(pocl_version("Portable Computing Language", "OpenCL 1.2 pocl 0.13").version,
            (cl::Version{0, 13}));
  EXPECT_FALSE(pocl_version("Portable Computing Language", "OpenCL 1.2 something").is_known);
  EXPECT_FALSE(pocl_version("Portable Computing Language", "OpenGL 3.0 PoCL 3.1").is_known);
  EXPECT_FALSE(pocl_version("Portable Computing Language", "OpenCL PoCL 3.1").is_known);
  EXPECT_FALSE(pocl_version("Portable Computing Language 2", "OpenCL 3.0 PoCL 3.1").is_pocl);
}

TEST(Support, OnlyOldDriversMiscountStructArguments) {
  const auto bug_of = [](const char* platform, const char* version, cl_device_type type) {
    FakeDevice device("device", "somebody", 0x9999);
    device.platform(platform, "somebody", version).type(type);
    Answer answer;
    EXPECT_EQ(struct_argument_bug(identity_of(device), nullptr, answer), Status::success)
        << last_error_message();
    return answer.value;
  };
  EXPECT_EQ(bug_of("Apple", "OpenCL 1.2", CL_DEVICE_TYPE_CPU), 1);
  EXPECT_EQ(bug_of("Apple", "OpenCL 1.2", CL_DEVICE_TYPE_GPU), 0);
  EXPECT_EQ(bug_of("Portable Computing Language", "OpenCL 1.2 pocl 0.13", CL_DEVICE_TYPE_CPU), 2);
  EXPECT_EQ(bug_of("Portable Computing Language", "OpenCL 3.0 PoCL 3.1", CL_DEVICE_TYPE_CPU), 0);
  EXPECT_EQ(bug_of("NVIDIA CUDA", "OpenCL 3.0 CUDA", CL_DEVICE_TYPE_GPU), 0);
}

TEST(Support, WhetherDriversKeepBuiltProgramsIsKnownForSome) {
  const auto cache_of = [](const char* platform) {
    FakeDevice device("device", "somebody", 0x9999);
    device.platform(platform, "somebody", "OpenCL 1.2");
    return source_build_cache(identity_of(device));
  };
  EXPECT_EQ(cache_of("Portable Computing Language").value, 1);
  EXPECT_EQ(cache_of("AMD Accelerated Parallel Processing").value, 0);
  EXPECT_EQ(cache_of("Somebody's").source, Source::none);
  FakeDevice nvidia("GPU", "NVIDIA Corporation", 0x10DE);
  make_nvidia(nvidia, 9, 0);
  EXPECT_EQ(source_build_cache(identity_of(nvidia)).value, 1);
}

TEST(Support, SubGroupsAreThoseOfTheCoreOrAnExtension) {
  FakeDevice device("GPU", "somebody", 0x9999);
  Answer answer;
  ASSERT_EQ(sub_groups(identity_of(device), answer), Status::success);
  EXPECT_EQ(answer.value, 0);
  device.extensions("cl_khr_subgroups");
  ASSERT_EQ(sub_groups(identity_of(device), answer), Status::success);
  EXPECT_EQ(answer.value, 1);
  device.version("OpenCL 3.0 fake").value<cl_uint>(0x105C, 32);
  ASSERT_EQ(sub_groups(identity_of(device), answer), Status::success);
  EXPECT_EQ(answer.value, 32);
}

}  // namespace
}  // namespace clpool::core::device
