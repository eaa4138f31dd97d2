// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Limits of devices and architectures, and PyCUDA's alignment helpers.
#include "device/device_data.hpp"

#include <gtest/gtest.h>

#include <string>

#include "device/architectures.hpp"
#include "device/occupancy.hpp"
#include "support/fake_device.hpp"

namespace clpool::core::device {
namespace {

using test::FakeDevice;

TEST(DeviceData, ADevicesOwnAnswersComeBeforeTheTable) {
  FakeDevice device("H200", "NVIDIA Corporation", 0x10DE);
  device.extensions("cl_nv_device_attribute_query");
  device.value<cl_uint>(0x4000, 9).value<cl_uint>(0x4001, 0).value<cl_uint>(0x4002, 32768);
  device.value<cl_uint>(0x4003, 32).value<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE, 48128);
  Limits limits;
  ASSERT_EQ(limits_of_device(device.id(), Model::current, limits), Status::success) << last_error_message();
  EXPECT_EQ(limits.registers_per_group, 32768u);
  EXPECT_EQ(limits.registers_per_mp, 65536u) << "of the multiprocessor, which only the table knows";
  EXPECT_EQ(limits.local_per_group, 48128u);
  EXPECT_EQ(limits.local_per_group_opt_in, 48128u) << "OpenCL cannot opt in";
  EXPECT_EQ(limits.local_per_mp, 228u * 1024);
  ASSERT_EQ(limits_of_device(device.id(), Model::pyopencl, limits), Status::success);
  EXPECT_EQ(limits.registers_per_mp, 32768u) << "PyCUDA takes the group's for the multiprocessor's";
  EXPECT_EQ(limits.max_groups_per_mp, 8u);
  EXPECT_EQ(limits.max_warps_per_mp, 64u);
  EXPECT_EQ(limits.local_unit, 128u);
  EXPECT_EQ(limits.local_access_threads, 32u);
}

TEST(DeviceData, PyCudasRulesRoundLocalMemoryTheirOwnWay) {
  FakeDevice device("Tesla K40", "NVIDIA Corporation", 0x10DE);
  device.extensions("cl_nv_device_attribute_query").value<cl_uint>(0x4000, 3).value<cl_uint>(0x4001, 5);
  Limits limits;
  ASSERT_EQ(limits_of_device(device.id(), Model::current, limits), Status::success);
  EXPECT_EQ(limits.local_unit, 256u);
  ASSERT_EQ(limits_of_device(device.id(), Model::pyopencl, limits), Status::success);
  EXPECT_EQ(limits.local_unit, 128u);
}

TEST(DeviceData, ADeviceNewerThanTheTableHasTheClosestFiguresAndSaysSo) {
  FakeDevice device("GPU of tomorrow", "NVIDIA Corporation", 0x10DE);
  device.extensions("cl_nv_device_attribute_query").value<cl_uint>(0x4000, 15).value<cl_uint>(0x4001, 3);
  Limits limits;
  ASSERT_EQ(limits_of_device(device.id(), Model::current, limits), Status::success);
  EXPECT_EQ(limits.compute_major, 15u);
  EXPECT_EQ(limits.source, Source::guess);
  EXPECT_EQ(limits.max_warps_per_mp, 48u);
}

TEST(DeviceData, ADeviceOfWhichNothingIsKnownHoldsOneGroup) {
  FakeDevice device("CPU", "AuthenticAMD", 0x1022);
  device.type(CL_DEVICE_TYPE_CPU).value<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE, 4096);
  Limits limits;
  ASSERT_EQ(limits_of_device(device.id(), Model::current, limits), Status::success);
  EXPECT_EQ(limits.source, Source::guess);
  OccupancyResult result;
  ASSERT_EQ(compute_occupancy(limits, {.threads = 64}, result), Status::success) << last_error_message();
  EXPECT_EQ(result.groups_per_mp, 1u);
  EXPECT_EQ(limits_of_device(device.id(), Model::pyopencl, limits), Status::not_supported);
}

TEST(DeviceData, IntelsDevicesAreTakenByTheirOwnFigures) {
  FakeDevice device("Intel Data Center GPU Max", "Intel(R) Corporation", 0x8086);
  device.extensions("cl_intel_device_attribute_query");
  device.value<cl_uint>(0x4250, 12u << 22 | 60u << 14).value<cl_uint>(0x4254, 8).value<cl_uint>(0x4255, 8);
  device.value<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE, 131072);
  Limits limits;
  ASSERT_EQ(limits_of_device(device.id(), Model::current, limits), Status::success);
  EXPECT_EQ(limits.max_warps_per_mp, 64u);
  EXPECT_EQ(limits.local_per_group, 131072u);
  EXPECT_EQ(limits.source, Source::table);
}

TEST(DeviceData, WhatAnNvidiaDeviceSaysOfItselfIsTakenWhateverTheTableHas) {
  FakeDevice device("H200", "NVIDIA Corporation", 0x10DE);
  device.extensions("cl_nv_device_attribute_query");
  device.value<cl_uint>(0x4000, 9).value<cl_uint>(0x4001, 0).value<cl_uint>(0x4003, 16);
  device.value<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE, 512);
  Limits limits;
  ASSERT_EQ(limits_of_device(device.id(), Model::current, limits), Status::success) << last_error_message();
  EXPECT_EQ(limits.warp_size, 16u);
  EXPECT_EQ(limits.compute_major, 9u);
  EXPECT_EQ(limits.compute_minor, 0u);
  EXPECT_EQ(limits.max_threads_per_group, 512u);
  EXPECT_EQ(limits.source, Source::query);
  EXPECT_STREQ(limits.note,
               "the device's own answers per group, the table of its compute capability per multiprocessor");
}

TEST(DeviceData, AnAmdDeviceIsTakenByItsTargetWithItsOwnLocalMemory) {
  FakeDevice device("gfx90a:sramecc+:xnack-", "Advanced Micro Devices, Inc.", 0x1002);
  device.value<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE, 32768);
  Limits limits;
  Limits of_architecture;
  ASSERT_EQ(limits_of_device(device.id(), Model::current, limits), Status::success) << last_error_message();
  ASSERT_EQ(limits_of_architecture("gfx90a", Model::current, of_architecture), Status::success);
  EXPECT_EQ(limits.vendor, Vendor::amd);
  EXPECT_EQ(limits.max_warps_per_mp, of_architecture.max_warps_per_mp);
  EXPECT_EQ(limits.local_per_group, 32768u);
  FakeDevice processor("gfx90a", "Advanced Micro Devices, Inc.", 0x1002);
  processor.type(CL_DEVICE_TYPE_CPU);
  ASSERT_EQ(limits_of_device(processor.id(), Model::current, limits), Status::success)
      << last_error_message();
  EXPECT_EQ(limits.vendor, Vendor::generic) << "no GPU";
}

TEST(DeviceData, AnAmdDeviceOfNoKnownTargetHoldsOneGroup) {
  FakeDevice device("Radeon of tomorrow", "Advanced Micro Devices, Inc.", 0x1002);
  Limits limits;
  ASSERT_EQ(limits_of_device(device.id(), Model::current, limits), Status::success) << last_error_message();
  EXPECT_EQ(limits.source, Source::guess);
  EXPECT_EQ(limits.max_groups_per_mp, 1u);
}

TEST(DeviceData, AnNvidiaDeviceOfNoKnownCapabilityKeepsItsOwn) {
  FakeDevice device("GPU", "NVIDIA Corporation", 0x10DE);
  device.extensions("cl_nv_device_attribute_query");
  device.value<cl_uint>(0x4000, 9).value<cl_uint>(0x4001, 7).value<cl_uint>(0x4003, 32);
  Limits limits;
  ASSERT_EQ(limits_of_device(device.id(), Model::current, limits), Status::success) << last_error_message();
  EXPECT_EQ(limits.compute_major, 9u);
  EXPECT_EQ(limits.compute_minor, 7u);
}

TEST(DeviceData, IntelsNumbersAreThoseOfTheirArchitectures) {
  const auto architecture_of = [](cl_uint major, cl_uint minor) {
    const char* const name = intel_architecture(major << 22 | minor << 14);
    return std::string(name != nullptr ? name : "none");
  };
  EXPECT_EQ(architecture_of(12, 0), "xe-lp");
  EXPECT_EQ(architecture_of(12, 49), "xe-lp");
  EXPECT_EQ(architecture_of(12, 50), "xe-hpg");
  EXPECT_EQ(architecture_of(12, 59), "xe-hpg");
  EXPECT_EQ(architecture_of(12, 60), "xe-hpc");
  EXPECT_EQ(architecture_of(12, 61), "xe-hpc");
  EXPECT_EQ(architecture_of(12, 62), "xe-hpg");
  EXPECT_EQ(architecture_of(10, 0), "none");
}

TEST(DeviceData, NamesOfArchitecturesAreTakenAsAWhole) {
  Limits limits;
  for (const char* wrong : {"gfx90", "gfx90a0b", "gfx9x06", "gfx", "gfxa06", "gfx9g6", "gfx906x", "gfx12345",
                            "gfx1x06", "abc906", "sm_", "sm_9x", "9.", ".0", "9.0x", "x9.0", "9", "9.0.0"}) {
    EXPECT_NE(limits_of_architecture(wrong, Model::current, limits), Status::success) << wrong;
  }
  for (const char* right : {"gfx906", "gfx90a", "gfx1100", "sm_90", "sm_90a", "sm_120", "9.0"}) {
    EXPECT_EQ(limits_of_architecture(right, Model::current, limits), Status::success) << right;
  }
}

TEST(DeviceData, AnIntelDeviceOfNoKnownArchitectureHasItsOwnFiguresAndSaysWhatIsGuessed) {
  FakeDevice device("Intel Graphics of tomorrow", "Intel(R) Corporation", 0x8086);
  device.extensions("cl_intel_device_attribute_query");
  device.value<cl_uint>(0x4250, 99u << 22).value<cl_uint>(0x4254, 6).value<cl_uint>(0x4255, 10);
  device.value<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE, 400);
  device.value<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE, 40000);
  Limits limits;
  ASSERT_EQ(limits_of_device(device.id(), Model::current, limits), Status::success) << last_error_message();
  EXPECT_EQ(limits.vendor, Vendor::intel);
  EXPECT_EQ(limits.max_warps_per_mp, 60u);
  EXPECT_EQ(limits.max_lone_warp_groups_per_mp, 60u);
  EXPECT_EQ(limits.sub_partitions, 6u);
  EXPECT_EQ(limits.registers_per_mp, 60u * 128) << "128 for each hardware thread";
  EXPECT_EQ(limits.registers_per_group, 60u * 128);
  EXPECT_EQ(limits.max_threads_per_group, 400u);
  EXPECT_EQ(limits.local_per_group, 40000u);
  EXPECT_EQ(limits.source, Source::guess);
  EXPECT_STREQ(limits.note,
               "the device does not name its architecture: local memory and groups as Xe-LP has them");
  FakeDevice processor("Intel(R) Xeon(R)", "Intel(R) Corporation", 0x8086);
  processor.type(CL_DEVICE_TYPE_CPU);
  ASSERT_EQ(limits_of_device(processor.id(), Model::current, limits), Status::success)
      << last_error_message();
  EXPECT_EQ(limits.vendor, Vendor::generic) << "no GPU";
}

TEST(DeviceData, ADeviceOfWhichNothingIsKnownHasAsManyWarpsAsOneGroupNeeds) {
  FakeDevice device("Mali", "ARM", 0x13B5);
  device.value<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE, 99)
      .value<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE, 1234);
  Limits limits;
  ASSERT_EQ(limits_of_device(device.id(), Model::current, limits), Status::success) << last_error_message();
  EXPECT_EQ(limits.warp_size, 16u) << "ARM's, by the table of widths";
  EXPECT_EQ(limits.max_threads_per_group, 99u);
  EXPECT_EQ(limits.max_warps_per_mp, 7u);
  EXPECT_EQ(limits.max_groups_per_mp, 1u);
  EXPECT_EQ(limits.local_per_group, 1234u);
  EXPECT_EQ(limits.local_per_mp, 1234u);
  EXPECT_STREQ(limits.note, "nothing is published: one group at a time on each compute unit is assumed");
  device.value<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE, 96);
  ASSERT_EQ(limits_of_device(device.id(), Model::current, limits), Status::success) << last_error_message();
  EXPECT_EQ(limits.max_warps_per_mp, 6u);
  FakeDevice silent("Mali", "ARM", 0x13B5);
  silent.value<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE, 0);
  ASSERT_EQ(limits_of_device(silent.id(), Model::current, limits), Status::success) << last_error_message();
  EXPECT_EQ(limits.max_threads_per_group, 1u) << "which every device can";
  FakeDevice processor("CPU", "AuthenticAMD", 0x1022);
  processor.type(CL_DEVICE_TYPE_CPU);
  ASSERT_EQ(limits_of_device(processor.id(), Model::current, limits), Status::success)
      << last_error_message();
  EXPECT_STREQ(limits.note, "a CPU runs one group at a time on each compute unit");
}

TEST(DeviceData, IntelsDevicesThatTellHalfOfTheirFiguresHaveThoseOfTheirArchitecture) {
  FakeDevice device("Intel Data Center GPU Max", "Intel(R) Corporation", 0x8086);
  device.extensions("cl_intel_device_attribute_query");
  device.value<cl_uint>(0x4250, 12u << 22 | 60u << 14).value<cl_uint>(0x4254, 8);
  Limits limits;
  Limits of_architecture;
  ASSERT_EQ(limits_of_device(device.id(), Model::current, limits), Status::success);
  ASSERT_EQ(limits_of_architecture("xe-hpc", Model::current, of_architecture), Status::success);
  EXPECT_EQ(limits.max_warps_per_mp, of_architecture.max_warps_per_mp);
  EXPECT_EQ(limits.registers_per_mp, of_architecture.registers_per_mp);
}

std::uint32_t groups_of(const char* architecture, const OccupancyRequest& request) {
  Limits limits;
  EXPECT_EQ(limits_of_architecture(architecture, Model::current, limits), Status::success)
      << last_error_message();
  EXPECT_EQ(check_limits(limits), Status::success) << last_error_message();
  OccupancyResult result;
  EXPECT_EQ(compute_occupancy(limits, request, result), Status::success) << last_error_message();
  return result.groups_per_mp;
}

// Waves per SIMD as LLVM's AMDGPU backend counts them for a number of vector registers.
TEST(DeviceData, AmdsWavesAreLimitedByVectorRegistersInTheirUnits) {
  EXPECT_EQ(groups_of("gfx906", {64, 24, 0}), 40u) << "10 waves on each of 4 SIMDs";
  EXPECT_EQ(groups_of("gfx906", {64, 25, 0}), 36u) << "25 are 28, 256 / 28 = 9";
  EXPECT_EQ(groups_of("gfx906", {64, 128, 0}), 8u);
  EXPECT_EQ(groups_of("gfx906", {64, 256, 0}), 4u);
  EXPECT_EQ(groups_of("gfx906", {64, 257, 0}), 0u);
  EXPECT_EQ(groups_of("gfx90a:sramecc+:xnack-", {64, 64, 0}), 32u) << "512 registers, 8 waves";
  EXPECT_EQ(groups_of("gfx90a", {64, 512, 0}), 4u);
  EXPECT_EQ(groups_of("gfx1030", {32, 64, 0}), 32u) << "16 waves on each of 2 SIMDs";
  EXPECT_EQ(groups_of("gfx1030", {32, 65, 0}), 24u) << "65 are 80, 1024 / 80 = 12";
  EXPECT_EQ(groups_of("gfx1100", {32, 97, 0}), 24u) << "97 are 120, 1536 / 120 = 12";
}

TEST(DeviceData, AmdsLdsAndGroupSlotsLimitToo) {
  EXPECT_EQ(groups_of("gfx942", {256, 0, 65536}), 1u);
  EXPECT_EQ(groups_of("gfx950", {256, 0, 65536}), 2u);
  EXPECT_EQ(groups_of("gfx942", {128, 0, 0}), 16u) << "16 groups of more than one wave";
}

TEST(DeviceData, IntelsThreadsAreHalvedByTheLargeRegisterFile) {
  EXPECT_EQ(groups_of("xe-hpc", {256, 128, 0}), 4u) << "16 threads of 16 of 64";
  EXPECT_EQ(groups_of("xe-hpc", {256, 256, 0}), 2u);
  EXPECT_EQ(groups_of("gen9", {256, 256, 0}), 0u) << "no such file";
  EXPECT_EQ(groups_of("gen9", {256, 0, 32768}), 2u);
}

TEST(DeviceData, ArchitecturesAreNamedAsTheirCompilersNameThem) {
  EXPECT_EQ(groups_of("9.0", {256, 32, 0}), 8u);
  EXPECT_EQ(groups_of("sm_90a", {256, 32, 0}), 8u);
  EXPECT_EQ(groups_of("sm_120", {256, 32, 0}), 6u);
  Limits limits;
  for (const char* name :
       {"", "9", "9.", "sm_", "sm_9", "gfx", "gfx13zz", "gfx1", "xe-hp", "gen7", "volta"}) {
    EXPECT_EQ(limits_of_architecture(name, Model::current, limits), Status::not_found) << name;
  }
  EXPECT_EQ(limits_of_architecture("gfx90a", Model::pyopencl, limits), Status::not_supported);
  EXPECT_EQ(amd_limits("xyz906", 0, limits), Status::not_found);
  EXPECT_EQ(amd_limits("gfx90a", 32, limits), Status::invalid_value);
  EXPECT_EQ(intel_limits("gen9", 64, limits), Status::invalid_value);
}

TEST(DeviceData, FiguresOfAnArchitectureLeaveNothingOfWhatWasThereBefore) {
  Limits fresh;
  Limits used;
  used.barriers_per_mp = 7;
  used.carve_out_count = 1;
  used.local_reserved = 1024;
  ASSERT_EQ(intel_limits("gen9", 0, fresh), Status::success);
  ASSERT_EQ(intel_limits("gen9", 0, used), Status::success);
  EXPECT_EQ(used.barriers_per_mp, fresh.barriers_per_mp);
  EXPECT_EQ(used.carve_out_count, fresh.carve_out_count);
  EXPECT_EQ(used.local_reserved, fresh.local_reserved);
}

TEST(Alignment, PyCudasHelpersRoundUp) {
  std::uint64_t value = 0;
  const auto result = [&](Status status) { return status == Status::success ? value : UINT64_MAX; };
  EXPECT_EQ(result(align_bytes(4, value)), 64u);
  EXPECT_EQ(result(align_bytes(8, value)), 128u);
  EXPECT_EQ(result(align_bytes(16, value)), 128u);
  EXPECT_EQ(result(align(0, 4, value)), 0u);
  EXPECT_EQ(result(align(1, 4, value)), 64u);
  EXPECT_EQ(result(align(129, 8, value)), 256u);
  EXPECT_EQ(result(align_words(4, value)), 16u);
  EXPECT_EQ(result(align_words(8, value)), 16u);
  EXPECT_EQ(result(align_words(16, value)), 8u);
  EXPECT_EQ(result(align_elements(17, 4, value)), 32u);
  EXPECT_EQ(result(align_elements(9, 16, value)), 16u);
  EXPECT_EQ(result(coalesce(1, value)), 16u);
  EXPECT_EQ(result(coalesce(32, value)), 32u);
  std::uint32_t channels = 0;
  for (const auto& [size, expected] : {std::pair{-3, 1u}, {0, 1u}, {1, 1u}, {2, 2u}, {3, 4u}, {4, 4u}}) {
    EXPECT_EQ(valid_channel_count(size, channels), Status::success);
    EXPECT_EQ(channels, expected);
  }
}

TEST(Alignment, WordSizesAndChannelsThatDoNotExistAreErrors) {
  std::uint64_t value = 7;
  EXPECT_EQ(align_bytes(3, value), Status::invalid_value);
  EXPECT_EQ(value, 0u);
  EXPECT_STREQ(last_error_message(), "the word size is 3 bytes, valid are 4, 8 and 16");
  EXPECT_EQ(align(5, 0, value), Status::invalid_value);
  std::uint32_t channels = 7;
  EXPECT_EQ(valid_channel_count(5, channels), Status::invalid_value);
  EXPECT_EQ(channels, 0u);
}

// PyCUDA rounds through floating point, exact only below 2^53.
TEST(Alignment, RoundingIsExactUpToTheEndOf64Bits) {
  std::uint64_t value = 0;
  ASSERT_EQ(align((std::uint64_t{1} << 53) + 1, 4, value), Status::success);
  EXPECT_EQ(value, (std::uint64_t{1} << 53) + 64);
  EXPECT_EQ(align(UINT64_MAX, 4, value), Status::invalid_value);
}

}  // namespace
}  // namespace clpool::core::device
