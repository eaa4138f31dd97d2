// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Today's occupancy rules against NVIDIA's own answers, a golden table, and what no
// device can run.
#include "device/occupancy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "device/nvidia.hpp"

namespace clpool::core::device {
namespace {

Limits limits_of(int major, int minor) {
  Limits limits;
  EXPECT_EQ(nvidia_limits(major, minor, Model::current, limits), Status::success) << last_error_message();
  return limits;
}

OccupancyResult occupancy_of(int major, int minor, OccupancyRequest request) {
  OccupancyResult result;
  EXPECT_EQ(compute_occupancy(limits_of(major, minor), request, result), Status::success)
      << last_error_message();
  return result;
}

std::uint32_t groups_of(int major, int minor, OccupancyRequest request) {
  return occupancy_of(major, minor, request).groups_per_mp;
}

std::string factor_names(std::uint32_t factors) {
  static const std::array<std::pair<std::uint32_t, const char*>, 5> names{{{factor::warps, "warps"},
                                                                           {factor::registers, "registers"},
                                                                           {factor::local, "shared"},
                                                                           {factor::groups, "blocks"},
                                                                           {factor::barriers, "barriers"}}};
  std::string text;
  for (const auto& [bit, name] : names) {
    if ((factors & bit) != 0) {
      text += (text.empty() ? "" : "+") + std::string(name);
    }
  }
  return text;
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) {
    cells.push_back(cell);
  }
  return cells;
}

TEST(Occupancy, AgreesWithNvidiasCalculatorOnEveryRowOfItsAnswers) {
  std::ifstream file(CLPOOL_TEST_DATA "/occupancy-nvidia.csv");
  ASSERT_TRUE(file) << "cannot read " CLPOOL_TEST_DATA "/occupancy-nvidia.csv";
  std::string line;
  std::getline(file, line);
  ASSERT_EQ(line,
            "cc_major,cc_minor,threads,registers_per_thread,shared_bytes,blocks_per_sm,limiting_factors");
  int rows = 0;
  while (std::getline(file, line)) {
    const auto cells = split(line);
    ASSERT_EQ(cells.size(), 7u) << line;
    const OccupancyRequest request{.threads = std::stoll(cells[2]),
                                   .registers_per_thread = std::stoll(cells[3]),
                                   .local_bytes = std::stoll(cells[4])};
    const auto result = occupancy_of(std::stoi(cells[0]), std::stoi(cells[1]), request);
    EXPECT_EQ(result.groups_per_mp, std::stoul(cells[5])) << line;
    EXPECT_EQ(factor_names(result.limiting_factors), cells[6]) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 2000);
}

TEST(Occupancy, TheGoldenValuesOfTheCurrentModelHold) {
  using Cc = std::pair<int, int>;
  const std::vector<Cc> columns{{5, 0}, {6, 1}, {7, 0}, {7, 5}, {8, 0}, {8, 6}, {8, 9}, {9, 0}, {11, 0}};
  const std::map<Cc, Cc> twins{{{8, 9}, {12, 0}}, {{9, 0}, {10, 0}}};
  struct Row {
    OccupancyRequest request;
    std::array<std::uint32_t, 9> groups;
  };
  const std::vector<Row> table{
      {{64, 0, 0}, {32, 32, 32, 16, 32, 16, 24, 32, 24}}, {{256, 32, 0}, {8, 8, 8, 4, 8, 6, 6, 8, 6}},
      {{256, 33, 0}, {6, 6, 6, 4, 6, 6, 6, 6, 6}},        {{256, 128, 0}, {2, 2, 2, 2, 2, 2, 2, 2, 2}},
      {{224, 92, 0}, {2, 2, 2, 2, 2, 2, 2, 2, 2}},        {{128, 85, 0}, {5, 5, 5, 5, 5, 5, 5, 5, 5}},
      {{64, 200, 0}, {4, 4, 4, 4, 4, 4, 4, 4, 4}},        {{1024, 64, 0}, {1, 1, 1, 1, 1, 1, 1, 1, 1}},
      {{1024, 65, 0}, {0, 0, 0, 0, 0, 0, 0, 0, 0}},       {{128, 0, 16384}, {4, 6, 6, 4, 9, 5, 5, 13, 12}},
      {{128, 32, 49152}, {1, 2, 2, 1, 3, 2, 2, 4, 4}},    {{128, 32, 65536}, {0, 0, 1, 1, 2, 1, 1, 3, 3}},
      {{64, 168, 16888}, {3, 5, 5, 3, 6, 5, 5, 6, 6}},
  };
  for (const auto& row : table) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto [major, minor] = columns[i];
      EXPECT_EQ(groups_of(major, minor, row.request), row.groups[i])
          << major << '.' << minor << " with " << row.request.threads << " threads";
      if (const auto twin = twins.find(columns[i]); twin != twins.end()) {
        EXPECT_EQ(groups_of(twin->second.first, twin->second.second, row.request), row.groups[i]);
      }
    }
  }
}

TEST(Occupancy, NamesEveryLimitThatIsReachedAndNotOneOfThem) {
  const auto by_groups = occupancy_of(8, 6, {.threads = 64});
  EXPECT_EQ(factor_names(by_groups.limiting_factors), "blocks");
  EXPECT_NEAR(by_groups.occupancy, 2.0 / 3, 1e-9);
  const OccupancyRequest request{.threads = 256, .registers_per_thread = 33};
  EXPECT_EQ(factor_names(occupancy_of(5, 0, request).limiting_factors), "registers");
  EXPECT_EQ(factor_names(occupancy_of(7, 5, request).limiting_factors), "warps");
  EXPECT_EQ(factor_names(occupancy_of(8, 6, request).limiting_factors), "warps+registers");
  EXPECT_EQ(factor_names(occupancy_of(11, 0, request).limiting_factors), "warps+registers");
  EXPECT_EQ(factor_names(occupancy_of(11, 0, {.threads = 128, .local_bytes = 16384}).limiting_factors),
            "warps");
}

TEST(Occupancy, ANumberOfRegistersThatIsNotKnownLimitsNothing) {
  Limits limits = limits_of(9, 0);
  limits.registers_per_mp = 0;
  limits.registers_per_group = 0;
  OccupancyResult result;
  const OccupancyRequest request = {.threads = 256, .registers_per_thread = 64};
  ASSERT_EQ(compute_occupancy(limits, request, result), Status::success) << last_error_message();
  EXPECT_EQ(result.groups_per_mp, 8u);
  EXPECT_EQ(factor_names(result.limiting_factors), "warps");
}

// kokkos#5624, where leaving out the rounding of a group's warps to partitions gives 3; and programs
// that took 8 groups per multiprocessor for granted.
TEST(Occupancy, RegistersCountByWarpsAndPartitionsAndGroupsByTheCapability) {
  EXPECT_EQ(groups_of(9, 0, {.threads = 224, .registers_per_thread = 92}), 2u);
  EXPECT_EQ(occupancy_of(9, 0, {.threads = 32, .registers_per_thread = 33}).registers_per_group, 1280u);
  EXPECT_EQ(groups_of(2, 0, {.threads = 32}), 8u);
  EXPECT_EQ(groups_of(3, 5, {.threads = 32}), 16u);
  EXPECT_EQ(groups_of(9, 0, {.threads = 32}), 32u);
}

// NVIDIA's header computes cc 6.0 with two partitions, and lets a group run only if it also fits four.
TEST(Occupancy, CapabilitySixZeroCountsTwoPartitionsButAGroupMustFitFour) {
  EXPECT_EQ(groups_of(6, 0, {.threads = 64, .registers_per_thread = 200}), 5u);
  EXPECT_EQ(groups_of(6, 0, {.threads = 288, .registers_per_thread = 200}), 0u)
      << "9 warps count as 12 of 4 parts";
}

TEST(Occupancy, OldCapabilitiesGiveRegistersToGroupsOrInIrregularUnits) {
  EXPECT_EQ(groups_of(1, 0, {.threads = 256, .registers_per_thread = 16}), 2u);
  EXPECT_EQ(groups_of(1, 3, {.threads = 256, .registers_per_thread = 16}), 4u);
  EXPECT_EQ(occupancy_of(1, 0, {.threads = 33, .registers_per_thread = 10}).registers_per_group, 768u);
  EXPECT_EQ(occupancy_of(2, 0, {.threads = 32, .registers_per_thread = 21}).registers_per_group, 768u);
  EXPECT_EQ(occupancy_of(2, 0, {.threads = 32, .registers_per_thread = 20}).registers_per_group, 640u);
  EXPECT_EQ(occupancy_of(2, 0, {.threads = 32, .registers_per_thread = 23}).registers_per_group, 768u);
}

TEST(Occupancy, WithoutOptingInAGroupGetsTheDefaultLocalMemoryOnly) {
  EXPECT_EQ(groups_of(9, 0, {.threads = 128, .local_bytes = 49152, .opt_in = false}), 4u);
  const auto over = occupancy_of(9, 0, {.threads = 128, .local_bytes = 49153, .opt_in = false});
  EXPECT_EQ(over.groups_per_mp, 0u);
  EXPECT_EQ(factor_names(over.limiting_factors), "shared");
}

TEST(Occupancy, ACarveOutLimitsLocalMemoryAndGivesWayToAGroupThatNeedsMore) {
  const auto small = occupancy_of(8, 0, {.threads = 128, .local_bytes = 7168, .carve_out_bytes = 10000});
  EXPECT_EQ(small.local_per_mp, 16384u) << "the next one up";
  EXPECT_EQ(small.groups_per_mp, 2u);
  const auto needed = occupancy_of(8, 0, {.threads = 128, .local_bytes = 40000, .carve_out_bytes = 8192});
  EXPECT_EQ(needed.local_per_mp, 65536u);
  EXPECT_EQ(needed.groups_per_mp, 1u);
}

TEST(Occupancy, OnlyAsManyCarveOutsCountAsThereAre) {
  Limits limits = limits_of(8, 0);
  limits.carve_out_count = 2;
  limits.carve_outs[0] = 8192;
  limits.carve_outs[1] = 16384;
  limits.carve_outs[2] = 20480;
  OccupancyResult result;
  ASSERT_EQ(
      compute_occupancy(limits, {.threads = 128, .local_bytes = 7168, .carve_out_bytes = 17000}, result),
      Status::success)
      << last_error_message();
  EXPECT_EQ(result.local_per_mp, limits.local_per_mp) << "the largest that there is";
}

TEST(Occupancy, PartitionedCachingKeepsAGroupInOneHalf) {
  const OccupancyRequest request{.threads = 768, .partitioned_cache = true};
  EXPECT_EQ(groups_of(5, 2, request), 2u);
  EXPECT_EQ(groups_of(5, 2, {.threads = 704, .registers_per_thread = 8, .partitioned_cache = true}), 2u);
  EXPECT_EQ(groups_of(5, 0, {.threads = 352, .partitioned_cache = true}), 5u) << "5.0 has no such mode";
  EXPECT_EQ(groups_of(5, 2, {.threads = 352, .partitioned_cache = true}), 4u);
}

TEST(Occupancy, AGroupOfMoreRegistersThanAHalfHasIsInBoth) {
  OccupancyResult result;
  ASSERT_EQ(
      compute_occupancy(limits_of(5, 2),
                        {.threads = 384, .registers_per_thread = 128, .partitioned_cache = true}, result),
      Status::success)
      << last_error_message();
  EXPECT_EQ(result.limit_registers, 1u);
  EXPECT_EQ(result.limit_warps, 5u) << "of both halves";
}

TEST(Occupancy, NamedBarriersLimitWhereTheDeviceHasFewOfThem) {
  const auto many = occupancy_of(9, 0, {.threads = 32, .barriers = 16});
  EXPECT_EQ(many.groups_per_mp, 4u);
  EXPECT_EQ(factor_names(many.limiting_factors), "barriers");
  EXPECT_EQ(groups_of(8, 6, {.threads = 32, .barriers = 4}), 4u);
  EXPECT_EQ(groups_of(8, 0, {.threads = 32, .barriers = 4}), 32u);
}

TEST(Occupancy, ImpossibleFiguresAreRefusedWithTheValueAndTheLimit) {
  const Limits limits = limits_of(9, 0);
  OccupancyResult result;
  const auto refused = [&](const OccupancyRequest& request) {
    EXPECT_EQ(compute_occupancy(limits, request, result), Status::invalid_value);
    EXPECT_EQ(result.groups_per_mp, 0u);
    return std::string(last_error_message());
  };
  EXPECT_EQ(refused({.threads = 0}), "threads per group is 0, valid are 1 to 1024");
  EXPECT_EQ(refused({.threads = -5}), "threads per group is -5, valid are 1 to 1024");
  EXPECT_EQ(refused({.threads = 1025}), "too many threads: 1025 per group, at most 1024 are possible");
  EXPECT_NE(refused({.threads = 32, .registers_per_thread = -1}).find("registers per thread is -1"),
            std::string::npos);
  EXPECT_NE(refused({.threads = 32, .local_bytes = -1}).find("local memory per group in bytes is -1"),
            std::string::npos);
  EXPECT_NE(refused({.threads = 32, .carve_out_bytes = 1 << 30}).find("carve-out"), std::string::npos);
  refused({.threads = 32, .registers_per_thread = std::numeric_limits<std::int64_t>::max()});
  refused({.threads = 32, .local_bytes = std::numeric_limits<std::int64_t>::max()});
}

TEST(Occupancy, AnUnknownCapabilityIsAnErrorThatListsTheKnownOnes) {
  Limits limits;
  EXPECT_EQ(nvidia_limits(4, 0, Model::current, limits), Status::not_found);
  EXPECT_NE(std::string(last_error_message()).find("4.0 is not known; known are 1.0"), std::string::npos);
  EXPECT_NE(std::string(last_error_message()).find("12.1"), std::string::npos);
  EXPECT_EQ(nvidia_limits(-1, 0, Model::current, limits), Status::not_found);
  EXPECT_EQ(nearest_nvidia_limits(13, 0, Model::current, limits), Status::success);
  EXPECT_EQ(limits.compute_major, 12u);
  EXPECT_EQ(limits.source, Source::guess);
  EXPECT_EQ(nearest_nvidia_limits(0, 9, Model::current, limits), Status::not_found);
}

TEST(Occupancy, SuggestsExactlyTheGroupSizesWithTheHighestOccupancy) {
  std::vector<std::uint32_t> sizes;
  OccupancyResult best;
  const Limits limits = limits_of(9, 0);
  ASSERT_EQ(suggest_group_sizes(limits, {.registers_per_thread = 32}, sizes, best), Status::success);
  EXPECT_EQ(best.occupancy, 1.0);
  EXPECT_EQ(sizes, (std::vector<std::uint32_t>{64, 128, 256, 512, 1024}));
  ASSERT_EQ(suggest_group_sizes(limits, {.registers_per_thread = 64, .local_bytes = 16384}, sizes, best),
            Status::success);
  for (const std::uint32_t size : sizes) {
    EXPECT_EQ(groups_of(9, 0, {size, 64, 16384}) * ((size + 31) / 32), best.warps_per_mp);
  }
  EXPECT_EQ(suggest_group_sizes(limits, {.registers_per_thread = 256}, sizes, best), Status::not_found);
  EXPECT_EQ(suggest_group_sizes(limits, {.registers_per_thread = -1}, sizes, best), Status::invalid_value);
}

TEST(Occupancy, SuggestsTheLargestGroupWhereAWarpIsLarger) {
  Limits limits = limits_of(9, 0);
  limits.warp_size = 64;
  limits.max_threads_per_group = 32;
  std::vector<std::uint32_t> sizes;
  OccupancyResult best;
  ASSERT_EQ(suggest_group_sizes(limits, {}, sizes, best), Status::success) << last_error_message();
  EXPECT_EQ(sizes, std::vector<std::uint32_t>{32});
}

}  // namespace
}  // namespace clpool::core::device
