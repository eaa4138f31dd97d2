// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Every number that the tables of architectures give, and what follows from them, against tests/data/limits.txt: a change of
// any of them shows there, to be compared with the vendors' documents. CLPOOL_WRITE_TABLES=FILE writes it anew.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "device/architectures.hpp"
#include "device/nvidia.hpp"
#include "device/occupancy.hpp"
#include "device/pycuda_occupancy.hpp"

namespace clpool::core::device {
namespace {

std::string text_of(const Limits& limits) {
  std::ostringstream text;
  text << "model " << static_cast<int>(limits.model) << " vendor " << static_cast<int>(limits.vendor) << " "
       << limits.compute_major << "." << limits.compute_minor << "; warp " << limits.warp_size << ", group "
       << limits.max_threads_per_group << ", warps " << limits.max_warps_per_mp << ", groups "
       << limits.max_groups_per_mp << "/" << limits.max_lone_warp_groups_per_mp << "; registers "
       << limits.registers_per_mp << "/" << limits.registers_per_group << "/"
       << limits.max_registers_per_thread << " by " << limits.register_unit << " x " << limits.register_lanes
       << " to " << static_cast<int>(limits.register_allocation) << " of " << limits.warp_granularity
       << ", parts " << limits.sub_partitions << "/" << limits.min_sub_partitions_check << "; barriers "
       << limits.barriers_per_mp << "; halves " << limits.partitioned_cache << "; local "
       << limits.local_per_mp << "/" << limits.local_per_group << "/" << limits.local_per_group_opt_in
       << " by " << limits.local_unit << " + " << limits.local_reserved << ", access "
       << limits.local_access_threads << "; carve-outs";
  for (std::uint32_t i = 0; i < limits.carve_out_count; ++i) {
    text << " " << limits.carve_outs[i];
  }
  text << "; source " << static_cast<int>(limits.source) << "; " << limits.note;
  return text.str();
}

std::string text_of(const OccupancyResult& result) {
  std::ostringstream text;
  text << result.groups_per_mp << " " << result.warps_per_group << " " << result.warps_per_mp << " "
       << result.max_warps_per_mp << " " << result.limiting_factors << " " << result.limit_warps << " "
       << result.limit_registers << " " << result.limit_local << " " << result.limit_groups << " "
       << result.limit_barriers << " " << result.registers_per_group << " " << result.local_per_group << " "
       << result.local_per_mp << " " << result.occupancy;
  return text.str();
}

using Compute = Status (*)(const Limits&, const OccupancyRequest&, OccupancyResult&) noexcept;

/// What many requests are answered, in one number (FNV-1a): too many to be read.
std::string occupancies(const Limits& limits, Compute compute) {
  std::uint64_t sum = 14695981039346656037U;
  const auto add = [&](const std::string& text) {
    for (const char c : text) {
      sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211U;
    }
  };
  const std::uint64_t local = limits.local_per_group;
  for (const std::int64_t threads : {1, 32, 33, 96, 256, 1024}) {
    for (const std::int64_t registers : {0, 1, 21, 32, 33, 65, 128, 255, 256}) {
      for (const std::uint64_t bytes :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1024}, local / 3,
            local / 2, local / 2 + 1, local, local + 1}) {
        for (const std::uint32_t other : {0U, 1U, 2U, 3U}) {
          OccupancyRequest request;
          request.threads = threads;
          request.registers_per_thread = registers;
          request.local_bytes = static_cast<std::int64_t>(bytes);
          request.barriers = other == 1 ? 4 : 0;
          request.opt_in = other != 2;
          request.partitioned_cache = other == 3 && limits.partitioned_cache;
          request.carve_out_bytes =
              other == 2 && limits.carve_out_count > 1 ? static_cast<std::int64_t>(limits.carve_outs[1]) : 0;
          OccupancyResult result;
          const Status status = compute(limits, request, result);
          add(std::to_string(static_cast<int>(status)) + " " +
              (status == Status::success ? text_of(result) : last_error_message()) + "\n");
        }
      }
    }
  }
  return std::to_string(sum);
}

std::string all_tables() {
  std::ostringstream text;
  const auto enter = [&](const std::string& name, Status status, const Limits& limits) {
    text << name << ": " << (status == Status::success ? text_of(limits) : last_error_message()) << "\n";
    if (status == Status::success) {
      text << "  occupancies " << occupancies(limits, compute_occupancy) << "\n";
    }
  };
  for (const Model model : {Model::current, Model::pyopencl, Model::pycuda_2014}) {
    for (int major = 0; major <= 13; ++major) {
      for (int minor = 0; minor <= 9; ++minor) {
        Limits limits;
        if (nvidia_limits(major, minor, model, limits) == Status::success) {
          enter("nvidia " + std::to_string(major) + "." + std::to_string(minor), Status::success, limits);
          if (model != Model::current) {
            text << "  PyCUDA's " << occupancies(limits, compute_pycuda_occupancy) << "\n";
          }
        }
      }
      Limits nearest;
      enter("nearest nvidia " + std::to_string(major) + ".7", nearest_nvidia_limits(major, 7, model, nearest),
            nearest);
    }
  }
  for (const char* target : {"gfx600",  "gfx700",  "gfx701",  "gfx803",  "gfx900",
                             "gfx906",  "gfx908",  "gfx90a",  "gfx90c",  "gfx940",
                             "gfx942",  "gfx950",  "gfx1010", "gfx1012", "gfx1030",
                             "gfx1036", "gfx1100", "gfx1101", "gfx1102", "gfx1103",
                             "gfx1150", "gfx1151", "gfx1200", "gfx1201", "gfx90a:sramecc+:xnack-",
                             "gfx500",  "gfx1300", "gfx9",    "gfx9zz",  "gfxabc",
                             "gfx90a0", "gf900",   "gfx9g0",  "gfx10x0", "gfx-90",
                             ""}) {
    for (const std::uint32_t wave : {0U, 32U, 64U, 16U}) {
      Limits limits;
      enter("amd '" + std::string(target) + "' " + std::to_string(wave), amd_limits(target, wave, limits),
            limits);
    }
  }
  for (const char* name : {"gen9", "gen11", "xe-lp", "xe-hpg", "xe-hpc", "xe2", "gen10"}) {
    for (const std::uint32_t simd : {0U, 8U, 16U, 32U, 4U}) {
      Limits limits;
      enter("intel '" + std::string(name) + "' " + std::to_string(simd), intel_limits(name, simd, limits),
            limits);
    }
  }
  return text.str();
}

TEST(DeviceTables, AreWhatIsWrittenDown) {
  const std::string now = all_tables();
  if (const char* path = std::getenv("CLPOOL_WRITE_TABLES"); path != nullptr) {
    std::ofstream(path) << now;
  }
  std::ifstream file(CLPOOL_TEST_DATA "/limits.txt");
  ASSERT_TRUE(file) << CLPOOL_TEST_DATA "/limits.txt";
  std::istringstream lines(now);
  std::string expected;
  std::string line;
  int number = 0;
  while (std::getline(file, expected)) {
    ++number;
    ASSERT_TRUE(std::getline(lines, line)) << "there are only " << number - 1 << " lines";
    ASSERT_EQ(line, expected) << "line " << number;
  }
  EXPECT_FALSE(std::getline(lines, line)) << line;
}

/// A field of Limits, and what is valid there besides the rest of a usable one.
struct Field {
  const char* name;
  void (*set)(Limits& limits, std::uint64_t value);
  std::uint64_t least;
  std::uint64_t most;
};

template <auto member>
void set(Limits& limits, std::uint64_t value) {
  using Type = std::remove_reference_t<decltype(limits.*member)>;
  limits.*member = static_cast<Type>(value);
}

class LimitsField : public testing::TestWithParam<Field> {
 protected:
  Limits limits = [] {
    Limits usable;
    usable.warp_size = 32;
    usable.max_threads_per_group = 256;
    usable.max_warps_per_mp = 32;
    usable.max_groups_per_mp = 16;
    return usable;
  }();
};

TEST_P(LimitsField, HasAGivenRange) {
  const Field& field = GetParam();
  field.set(limits, field.least);
  EXPECT_EQ(check_limits(limits), Status::success) << last_error_message();
  field.set(limits, field.most);
  EXPECT_EQ(check_limits(limits), Status::success) << last_error_message();
  const auto refused = [&](std::uint64_t value) {
    field.set(limits, value);
    EXPECT_EQ(check_limits(limits), Status::invalid_value) << value;
    const std::string expected = std::string(field.name) + " is " + std::to_string(value) + ", valid are " +
                                 std::to_string(field.least) + " to " + std::to_string(field.most);
    EXPECT_EQ(last_error_message(), expected);
  };
  if (field.least > 0) {
    refused(field.least - 1);
  }
  if (field.most < UINT32_MAX || field.most > std::uint64_t{UINT32_MAX} + 1) {
    refused(field.most + 1);
  }
}

constexpr std::uint64_t many = std::uint64_t{1} << 28;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 40;

INSTANTIATE_TEST_SUITE_P(
    All, LimitsField,
    testing::Values(Field{"warp_size", set<&Limits::warp_size>, 1, 65536},
                    Field{"max_threads_per_group", set<&Limits::max_threads_per_group>, 1, 1U << 20},
                    Field{"max_warps_per_mp", set<&Limits::max_warps_per_mp>, 1, many},
                    Field{"max_groups_per_mp", set<&Limits::max_groups_per_mp>, 1, many},
                    Field{"max_lone_warp_groups_per_mp", set<&Limits::max_lone_warp_groups_per_mp>, 0, many},
                    Field{"registers_per_mp", set<&Limits::registers_per_mp>, 0, UINT32_MAX},
                    Field{"register_unit", set<&Limits::register_unit>, 1, many},
                    Field{"register_lanes", set<&Limits::register_lanes>, 0, 65536},
                    Field{"warp_granularity", set<&Limits::warp_granularity>, 1, 65536},
                    Field{"sub_partitions", set<&Limits::sub_partitions>, 1, 65536},
                    Field{"local_per_mp", set<&Limits::local_per_mp>, 0, most_bytes},
                    Field{"local_per_group", set<&Limits::local_per_group>, 0, most_bytes},
                    Field{"local_per_group_opt_in", set<&Limits::local_per_group_opt_in>, 0, most_bytes},
                    Field{"local_unit", set<&Limits::local_unit>, 1, many},
                    Field{"local_reserved", set<&Limits::local_reserved>, 0, most_bytes},
                    Field{"carve-outs of local memory", set<&Limits::carve_out_count>, 0, max_carve_outs},
                    Field{"local_carve_outs[0]",
                          [](Limits& limits, std::uint64_t value) {
                            limits.carve_out_count = 1;
                            limits.carve_outs[0] = value;
                          },
                          0, most_bytes},
                    Field{"local_carve_outs[1]",
                          [](Limits& limits, std::uint64_t value) {
                            limits.carve_out_count = 2;
                            limits.local_per_mp = 500;
                            limits.carve_outs[0] = 100;
                            limits.carve_outs[1] = value;
                          },
                          100, 500},
                    Field{"local_per_group",
                          [](Limits& limits, std::uint64_t value) {
                            limits.local_per_mp = 1000;
                            limits.local_per_group = value;
                          },
                          0, 1000}),
    [](const testing::TestParamInfo<Field>& field) { return "Field" + std::to_string(field.index); });

}  // namespace
}  // namespace clpool::core::device
