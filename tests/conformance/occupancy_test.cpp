// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/device_data.h and clpool/occupancy.h, as C programs use them.
#include "clpool/occupancy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "clpool/testing/gtest.hpp"

namespace {

class OccupancyApi : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(clpool_device_data_release(data), CLPOOL_SUCCESS); }
  void take(int32_t major, int32_t minor, uint32_t model = CLPOOL_MODEL_CURRENT) {
    clpool_device_data_release(data);
    ASSERT_EQ(clpool_device_data_create_from_compute_capability(major, minor, model, &data), CLPOOL_SUCCESS)
        << clpool_last_error_message();
  }
  clpool_occupancy compute(int64_t threads, int64_t registers, int64_t local,
                           clpool_status expected = CLPOOL_SUCCESS) {
    clpool_occupancy_request request = CLPOOL_OCCUPANCY_REQUEST_INIT;
    request.threads = threads;
    request.registers_per_thread = registers;
    request.local_bytes = local;
    clpool_occupancy occupancy = CLPOOL_OCCUPANCY_INIT;
    occupancy.groups_per_mp = 99;
    EXPECT_EQ(clpool_occupancy_compute(data, &request, &occupancy), expected) << clpool_last_error_message();
    return occupancy;
  }
  clpool_device_data* data = nullptr;
};

TEST_F(OccupancyApi, AnswersFromAComputeCapabilityAlone) {
  take(9, 0);
  const clpool_occupancy answer = compute(256, 64, 16384);
  EXPECT_EQ(answer.groups_per_mp, 4u);
  EXPECT_EQ(answer.limiting_factors, static_cast<uint32_t>(CLPOOL_LIMITED_BY_REGISTERS));
  EXPECT_EQ(answer.warps_per_mp, 32u);
  EXPECT_EQ(answer.occupancy, 0.5);
  EXPECT_EQ(answer.limit_warps, 8u);
  EXPECT_EQ(answer.limit_local_memory, 13u);
  EXPECT_EQ(answer.limit_groups, 32u);
  EXPECT_EQ(answer.limit_barriers, CLPOOL_OCCUPANCY_UNLIMITED);
  EXPECT_EQ(answer.limit_registers, 4u);
  EXPECT_EQ(answer.registers_per_group, 256u * 64);
  EXPECT_EQ(answer.local_per_group, 16384u + 1024);
  EXPECT_EQ(answer.local_per_mp, 228u * 1024);
}

TEST_F(OccupancyApi, PyCudasModelHasOneFactorAndItsNames) {
  take(1, 3, CLPOOL_MODEL_PYOPENCL);
  const clpool_occupancy answer = compute(256, 16, 4096);
  EXPECT_EQ(answer.groups_per_mp, 4u);
  EXPECT_STREQ(clpool_occupancy_factor_name(answer.limiting_factors, CLPOOL_MODEL_PYOPENCL), "regs");
  EXPECT_STREQ(clpool_occupancy_factor_name(CLPOOL_LIMITED_BY_GROUPS, CLPOOL_MODEL_PYOPENCL), "device");
  EXPECT_STREQ(clpool_occupancy_factor_name(CLPOOL_LIMITED_BY_GROUPS, CLPOOL_MODEL_CURRENT), "groups");
  EXPECT_STREQ(clpool_occupancy_factor_name(CLPOOL_LIMITED_BY_LOCAL_MEMORY, CLPOOL_MODEL_PYCUDA_2014),
               "smem");
  EXPECT_STREQ(clpool_occupancy_factor_name(CLPOOL_LIMITED_BY_WARPS, CLPOOL_MODEL_PYCUDA_2014 + 1),
               "unknown");
  EXPECT_STREQ(clpool_occupancy_factor_name(3, CLPOOL_MODEL_CURRENT), "unknown");
}

TEST_F(OccupancyApi, NumbersThatWereReadGiveTheSameAnswersAgain) {
  take(8, 6);
  const uint32_t groups = compute(128, 40, 20000).groups_per_mp;
  clpool_device_limits limits = CLPOOL_DEVICE_LIMITS_INIT;
  ASSERT_EQ(clpool_device_data_limits(data, &limits), CLPOOL_SUCCESS);
  EXPECT_EQ(limits.max_warps_per_mp, 48u);
  EXPECT_EQ(limits.source, static_cast<uint32_t>(CLPOOL_SOURCE_TABLE));
  clpool_device_data_release(data);
  data = nullptr;
  ASSERT_EQ(clpool_device_data_create_from_limits(&limits, &data), CLPOOL_SUCCESS)
      << clpool_last_error_message();
  EXPECT_EQ(compute(128, 40, 20000).groups_per_mp, groups);
  clpool_device_limits again = CLPOOL_DEVICE_LIMITS_INIT;
  ASSERT_EQ(clpool_device_data_limits(data, &again), CLPOOL_SUCCESS);
  again.source = limits.source;
  again.note = limits.note;
  EXPECT_EQ(std::memcmp(&again, &limits, sizeof limits), 0);
}

TEST_F(OccupancyApi, EveryNumberThatIsGivenCanBeReadAgain) {
  ASSERT_EQ(clpool_device_data_create_from_compute_capability(9, 0, 0, &data), CLPOOL_SUCCESS);
  clpool_device_limits limits = CLPOOL_DEVICE_LIMITS_INIT;
  ASSERT_EQ(clpool_device_data_limits(data, &limits), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_device_data_release(data), CLPOOL_SUCCESS);
  // What that device has none of, so that no number is 0.
  limits.compute_minor = 1;
  limits.max_lone_warp_groups_per_mp = 8;
  limits.register_allocation = CLPOOL_REGISTERS_BY_GROUP;
  limits.min_sub_partitions_check = 2;
  limits.partitioned_cache = 1;
  limits.local_carve_outs[0] = 1024;
  // What it has as devices have that say nothing.
  limits.register_unit = 128;
  limits.warp_granularity = 2;
  limits.local_unit = 512;
  ASSERT_EQ(clpool_device_data_create_from_limits(&limits, &data), CLPOOL_SUCCESS)
      << clpool_last_error_message();
  clpool_device_limits again = CLPOOL_DEVICE_LIMITS_INIT;
  ASSERT_EQ(clpool_device_data_limits(data, &again), CLPOOL_SUCCESS);
  const auto numbers_of = [](const clpool_device_limits& of) {
    return std::vector<std::uint64_t>{of.vendor,
                                      of.compute_major,
                                      of.compute_minor,
                                      of.warp_size,
                                      of.max_threads_per_group,
                                      of.max_warps_per_mp,
                                      of.max_groups_per_mp,
                                      of.max_lone_warp_groups_per_mp,
                                      of.registers_per_mp,
                                      of.registers_per_group,
                                      of.max_registers_per_thread,
                                      of.register_unit,
                                      of.register_lanes,
                                      of.register_allocation,
                                      of.warp_granularity,
                                      of.sub_partitions,
                                      of.min_sub_partitions_check,
                                      of.barriers_per_mp,
                                      of.partitioned_cache,
                                      of.local_access_threads,
                                      of.local_carve_out_count,
                                      of.local_per_mp,
                                      of.local_per_group,
                                      of.local_per_group_opt_in,
                                      of.local_unit,
                                      of.local_reserved,
                                      of.local_carve_outs[0],
                                      of.local_carve_outs[9]};
  };
  EXPECT_THAT(numbers_of(limits), testing::Not(testing::Contains(0U)));
  EXPECT_EQ(numbers_of(again), numbers_of(limits));
  EXPECT_STREQ(again.note, "as given");
  EXPECT_EQ(again.source, static_cast<std::uint32_t>(CLPOOL_SOURCE_QUERY));
}

TEST_F(OccupancyApi, WithAPartitionedCacheAGroupIsKeptInOneHalf) {
  ASSERT_EQ(clpool_device_data_create_from_compute_capability(5, 2, 0, &data), CLPOOL_SUCCESS);
  clpool_occupancy_request request = CLPOOL_OCCUPANCY_REQUEST_INIT;
  request.threads = 256;
  request.registers_per_thread = 48;
  clpool_occupancy occupancy = CLPOOL_OCCUPANCY_INIT;
  ASSERT_EQ(clpool_occupancy_compute(data, &request, &occupancy), CLPOOL_SUCCESS);
  EXPECT_EQ(occupancy.groups_per_mp, 5u);
  request.flags = CLPOOL_OCCUPANCY_PARTITIONED_CACHE;
  ASSERT_EQ(clpool_occupancy_compute(data, &request, &occupancy), CLPOOL_SUCCESS);
  EXPECT_EQ(occupancy.groups_per_mp, 4u);
}

TEST_F(OccupancyApi, NumbersThatDescribeNoDeviceAreRefusedByName) {
  clpool_device_limits limits;
  clpool_device_limits_init(&limits);
  EXPECT_EQ(clpool_device_data_create_from_limits(&limits, &data), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_NE(std::strstr(clpool_last_error_message(), "warp_size is 0"), nullptr);
  EXPECT_EQ(data, nullptr);
  limits.warp_size = 32;
  limits.max_threads_per_group = 1024;
  limits.max_warps_per_mp = 64;
  limits.max_groups_per_mp = 16;
  limits.sub_partitions = 0;
  EXPECT_EQ(clpool_device_data_create_from_limits(&limits, &data), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_NE(std::strstr(clpool_last_error_message(), "sub_partitions is 0"), nullptr);
  limits.sub_partitions = 1;
  limits.vendor = CLPOOL_DEVICE_VENDOR_INTEL + 1;
  EXPECT_EQ(clpool_device_data_create_from_limits(&limits, &data), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_NE(std::strstr(clpool_last_error_message(), "vendor is 4 (0 to 3)"), nullptr);
  limits.vendor = CLPOOL_DEVICE_VENDOR_INTEL;
  ASSERT_EQ(clpool_device_data_create_from_limits(&limits, &data), CLPOOL_SUCCESS)
      << clpool_last_error_message();
  EXPECT_EQ(clpool_device_data_retain(data), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_device_data_release(data), CLPOOL_SUCCESS);
  clpool_device_limits same = CLPOOL_DEVICE_LIMITS_INIT;
  EXPECT_EQ(clpool_device_data_limits(data, &same), CLPOOL_SUCCESS) << "one reference is left";
  EXPECT_EQ(same.vendor, limits.vendor);
  EXPECT_EQ(clpool_device_data_release(data), CLPOOL_SUCCESS);
  limits.vendor = 0;
  limits.model = 3;
  EXPECT_EQ(clpool_device_data_create_from_limits(&limits, &data), CLPOOL_ERROR_INVALID_VALUE);
  limits.model = 0;
  limits.register_allocation = 2;
  EXPECT_EQ(clpool_device_data_create_from_limits(&limits, &data), CLPOOL_ERROR_INVALID_VALUE);
  limits.register_allocation = 0;
  limits.partitioned_cache = 2;
  EXPECT_EQ(clpool_device_data_create_from_limits(&limits, &data), CLPOOL_ERROR_INVALID_VALUE);
  limits.partitioned_cache = 0;
  limits.local_per_mp = 65536;
  limits.local_per_group = 65537;
  EXPECT_EQ(clpool_device_data_create_from_limits(&limits, &data), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_NE(std::strstr(clpool_last_error_message(), "local_per_group is 65537, valid are 0 to 65536"),
            nullptr);
  limits.local_per_group = 65536;
  EXPECT_EQ(clpool_device_data_create_from_limits(&limits, &data), CLPOOL_SUCCESS)
      << clpool_last_error_message();
  EXPECT_EQ(compute(1024, 0, 0).groups_per_mp, 2u);
}

TEST_F(OccupancyApi, UnknownCapabilitiesAndArchitecturesAreErrors) {
  EXPECT_EQ(clpool_device_data_create_from_compute_capability(4, 2, 0, &data), CLPOOL_ERROR_NOT_FOUND);
  EXPECT_EQ(clpool_device_data_create_from_compute_capability(-1, 0, 0, &data), CLPOOL_ERROR_NOT_FOUND);
  EXPECT_EQ(clpool_device_data_create_from_compute_capability(9, 0, 5, &data), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_device_data_create_from_architecture("pentium", 0, &data), CLPOOL_ERROR_NOT_FOUND);
  EXPECT_EQ(clpool_device_data_create_from_architecture(nullptr, 0, &data), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(data, nullptr);
}

TEST_F(OccupancyApi, ImpossibleKernelsAreErrorsAndLeaveNoAnswer) {
  take(9, 0);
  EXPECT_EQ(compute(0, 0, 0, CLPOOL_ERROR_INVALID_VALUE).groups_per_mp, 0u);
  EXPECT_NE(std::strstr(clpool_last_error_message(), "threads per group is 0, valid are 1 to 1024"), nullptr);
  compute(-1, 0, 0, CLPOOL_ERROR_INVALID_VALUE);
  compute(2000, 0, 0, CLPOOL_ERROR_INVALID_VALUE);
  compute(32, -1, 0, CLPOOL_ERROR_INVALID_VALUE);
  compute(32, 0, -1, CLPOOL_ERROR_INVALID_VALUE);
  clpool_occupancy_request request;
  clpool_occupancy_request_init(&request);
  request.threads = 32;
  request.barriers = 65537;
  clpool_occupancy occupancy;
  clpool_occupancy_init(&occupancy);
  EXPECT_EQ(clpool_occupancy_compute(data, &request, &occupancy), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_NE(std::strstr(clpool_last_error_message(), "barriers per group is 65537"), nullptr)
      << clpool_last_error_message();
  request.barriers = 0;
  request.struct_size = 5;
  EXPECT_EQ(clpool_occupancy_compute(data, &request, &occupancy), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_NE(std::strstr(clpool_last_error_message(), "struct_size is 5"), nullptr);
  request.struct_size = sizeof request;
  request.flags = 128;
  EXPECT_EQ(clpool_occupancy_compute(data, &request, &occupancy), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_occupancy_compute(nullptr, &request, &occupancy), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_occupancy_compute(data, nullptr, &occupancy), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_occupancy_compute(data, &request, nullptr), CLPOOL_ERROR_INVALID_VALUE);
}

TEST_F(OccupancyApi, SuggestsGroupSizes) {
  take(9, 0);
  clpool_occupancy_request request = CLPOOL_OCCUPANCY_REQUEST_INIT;
  request.registers_per_thread = 64;
  size_t count = 0;
  ASSERT_EQ(clpool_occupancy_suggest(data, &request, nullptr, 0, &count, nullptr), CLPOOL_SUCCESS);
  std::vector<uint32_t> sizes(count);
  clpool_occupancy best = CLPOOL_OCCUPANCY_INIT;
  ASSERT_EQ(clpool_occupancy_suggest(data, &request, sizes.data(), count, &count, &best), CLPOOL_SUCCESS);
  ASSERT_FALSE(sizes.empty());
  EXPECT_EQ(best.occupancy, 0.5);
  for (const uint32_t size : sizes) {
    EXPECT_EQ(compute(size, 64, 0).occupancy, best.occupancy) << size;
  }
  request.registers_per_thread = 256;
  EXPECT_EQ(clpool_occupancy_suggest(data, &request, nullptr, 0, &count, &best), CLPOOL_ERROR_NOT_FOUND);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(best.occupancy, 0.0) << "what an earlier call answered is gone";
}

TEST_F(OccupancyApi, DeviceDataAreCounted) {
  take(9, 0);
  EXPECT_EQ(clpool_device_data_retain(data), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_device_data_release(data), CLPOOL_SUCCESS);
  EXPECT_EQ(compute(32, 0, 0).groups_per_mp, 32u);
  EXPECT_EQ(clpool_device_data_retain(nullptr), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_device_data_release(nullptr), CLPOOL_SUCCESS);
}

TEST_F(OccupancyApi, AlignmentHelpersAnswerAsPycudas) {
  uint64_t value = 0;
  uint32_t channels = 0;
  EXPECT_EQ(clpool_align_bytes(8, &value), CLPOOL_SUCCESS);
  EXPECT_EQ(value, 128u);
  EXPECT_EQ(clpool_align(100, 4, &value), CLPOOL_SUCCESS);
  EXPECT_EQ(value, 128u);
  EXPECT_EQ(clpool_align_words(16, &value), CLPOOL_SUCCESS);
  EXPECT_EQ(value, 8u);
  EXPECT_EQ(clpool_align_elements(17, 4, &value), CLPOOL_SUCCESS);
  EXPECT_EQ(value, 32u);
  EXPECT_EQ(clpool_coalesce_threads(17, &value), CLPOOL_SUCCESS);
  EXPECT_EQ(value, 32u);
  EXPECT_EQ(clpool_valid_channel_count(3, &channels), CLPOOL_SUCCESS);
  EXPECT_EQ(channels, 4u);
  EXPECT_EQ(clpool_align(UINT64_MAX - 3, 4, &value), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(value, 0u);
  EXPECT_EQ(clpool_align_bytes(5, &value), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(value, 0u);
  EXPECT_EQ(clpool_valid_channel_count(5, &channels), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_coalesce_threads(1, nullptr), CLPOOL_ERROR_INVALID_VALUE);
}

class OccupancyOfDevice : public clpool::testing::DeviceTest {};

TEST_P(OccupancyOfDevice, AnyDeviceHasLimitsThatAnswer) {
  clpool_device_data* data = nullptr;
  ASSERT_EQ(clpool_device_data_create_from_device(device(), CLPOOL_MODEL_CURRENT, &data), CLPOOL_SUCCESS)
      << clpool_last_error_message();
  clpool_occupancy_request request = CLPOOL_OCCUPANCY_REQUEST_INIT;
  request.threads = 1;
  clpool_occupancy occupancy = CLPOOL_OCCUPANCY_INIT;
  EXPECT_EQ(clpool_occupancy_compute(data, &request, &occupancy), CLPOOL_SUCCESS)
      << clpool_last_error_message();
  EXPECT_GE(occupancy.groups_per_mp, 1u);
  EXPECT_EQ(clpool_device_data_release(data), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_device_data_create_from_device(nullptr, CLPOOL_MODEL_CURRENT, &data),
            CLPOOL_ERROR_INVALID_VALUE);
}

CLPOOL_INSTANTIATE_ON_DEVICES(OccupancyOfDevice);

}  // namespace
