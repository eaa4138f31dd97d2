// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// PyCUDA's DeviceData and OccupancyRecord: a golden table of what they answer.
#include "device/pycuda_occupancy.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "device/nvidia.hpp"

namespace clpool::core::device {
namespace {

struct Golden {
  std::uint32_t groups;
  std::string limited_by;  ///< PyCUDA's names; an error's beginning where groups is 0
  std::uint32_t warps;
  double occupancy;
};

std::string pycuda_name(std::uint32_t factor_bit) {
  switch (factor_bit) {
    case factor::groups:
      return "device";
    case factor::registers:
      return "regs";
    case factor::local:
      return "smem";
    default:
      return "warps";
  }
}

TEST(PyCudaOccupancy, TheGoldenTableHolds) {
  const Golden no_registers{0, "too many registers", 0, 0};
  const Golden no_threads{0, "too many threads", 0, 0};
  struct Column {
    int major, minor;
    Model model;
  };
  const std::vector<Column> columns{{1, 1, Model::pyopencl},
                                    {1, 3, Model::pyopencl},
                                    {2, 0, Model::pyopencl},
                                    {3, 5, Model::pycuda_2014},
                                    {3, 5, Model::pyopencl}};
  struct Row {
    int threads, local, registers;
    std::vector<Golden> answers;
  };
  const std::vector<Row> table{
      {32,
       0,
       0,
       {{8, "device", 8, .3333},
        {8, "device", 8, .25},
        {8, "device", 8, .1667},
        {8, "device", 8, .1667},
        {8, "device", 8, .125}}},
      {64,
       0,
       0,
       {{8, "device", 16, .6667},
        {8, "device", 16, .5},
        {8, "device", 16, .3333},
        {8, "device", 16, .3333},
        {8, "device", 16, .25}}},
      {33,
       1,
       1,
       {{8, "device", 16, .6667},
        {8, "device", 16, .5},
        {8, "device", 16, .3333},
        {8, "device", 16, .3333},
        {8, "device", 16, .25}}},
      {128,
       0,
       20,
       {{3, "regs", 12, .5},
        {6, "regs", 24, .75},
        {8, "device", 32, .6667},
        {8, "device", 32, .6667},
        {8, "device", 32, .5}}},
      {192,
       0,
       21,
       {{2, "regs", 12, .5},
        {4, "regs", 24, .75},
        {8, "device", 48, 1},
        {8, "device", 48, 1},
        {8, "device", 48, .75}}},
      {256,
       4096,
       16,
       {{2, "regs", 16, .6667},
        {4, "regs", 32, 1},
        {6, "warps", 48, 1},
        {6, "warps", 48, 1},
        {8, "device", 64, 1}}},
      {256,
       0,
       33,
       {no_registers, {1, "regs", 8, .25}, {3, "regs", 24, .5}, {6, "warps", 48, 1}, {7, "regs", 56, .875}}},
      {256,
       16384,
       32,
       {{1, "regs", 8, .3333},
        {1, "smem", 8, .25},
        {3, "smem", 24, .5},
        {3, "smem", 24, .5},
        {3, "smem", 24, .375}}},
      {512,
       1000,
       10,
       {{1, "regs", 16, .6667},
        {2, "warps", 32, 1},
        {3, "warps", 48, 1},
        {3, "warps", 48, 1},
        {4, "warps", 64, 1}}},
      {512,
       0,
       64,
       {no_registers, no_registers, {1, "regs", 16, .3333}, {2, "regs", 32, .6667}, {2, "regs", 32, .5}}},
      {1024,
       0,
       0,
       {no_threads, no_threads, {1, "warps", 32, .6667}, {1, "warps", 32, .6667}, {2, "warps", 64, 1}}},
  };
  for (const Row& row : table) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Golden& golden = row.answers[i];
      SCOPED_TRACE(std::to_string(row.threads) + ", " + std::to_string(row.local) + ", " +
                   std::to_string(row.registers) + " in column " + std::to_string(i));
      Limits limits;
      ASSERT_EQ(nvidia_limits(columns[i].major, columns[i].minor, columns[i].model, limits), Status::success);
      OccupancyResult result;
      const Status status = compute_occupancy(
          limits, {.threads = row.threads, .registers_per_thread = row.registers, .local_bytes = row.local},
          result);
      if (golden.groups == 0) {
        EXPECT_EQ(status, Status::invalid_value);
        EXPECT_EQ(std::string(last_error_message()).rfind(golden.limited_by, 0), 0u) << last_error_message();
        continue;
      }
      ASSERT_EQ(status, Status::success) << last_error_message();
      EXPECT_EQ(result.groups_per_mp, golden.groups);
      EXPECT_EQ(pycuda_name(result.limiting_factors), golden.limited_by);
      EXPECT_EQ(result.warps_per_mp, golden.warps);
      EXPECT_NEAR(result.occupancy, golden.occupancy, 5e-5);
    }
  }
}

TEST(PyCudaOccupancy, TooMuchLocalMemoryIsAnError) {
  Limits limits;
  ASSERT_EQ(nvidia_limits(2, 0, Model::pyopencl, limits), Status::success);
  OccupancyResult result;
  EXPECT_EQ(compute_occupancy(limits, {.threads = 32, .local_bytes = 49153}, result), Status::invalid_value);
  EXPECT_STREQ(last_error_message(), "too much local memory: the group needs 49280 bytes, there are 49152");
}

// Upstream divides by zero.
TEST(PyCudaOccupancy, NoThreadsIsAnError) {
  Limits limits;
  ASSERT_EQ(nvidia_limits(2, 0, Model::pyopencl, limits), Status::success);
  OccupancyResult result;
  EXPECT_EQ(compute_occupancy(limits, {.threads = 0}, result), Status::invalid_value);
}

}  // namespace
}  // namespace clpool::core::device
