// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Bins: PyOpenCL's numbers exactly, and the bounds that they promise for every number of leading bits.
#include "engine/bins.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace clpool::core {
namespace {

TEST(Bins, AgreeWithPyOpenClsTable) {
  std::ifstream table(CLPOOL_TEST_DATA "/pyopencl-bins.csv");
  ASSERT_TRUE(table) << "no table of bins";
  constexpr std::uint32_t columns[] = {0, 1, 2, 3, 4, 5, 6, 8};
  int sizes = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.empty() || line.front() == '#') {
      continue;
    }
    std::istringstream fields(line);
    std::uint64_t size = 0;
    char comma = 0;
    fields >> size;
    for (const std::uint32_t bits : columns) {
      std::uint64_t bin = 0;
      std::uint64_t rounded = 0;
      ASSERT_TRUE(fields >> comma >> bin >> rounded) << line;
      EXPECT_EQ(bin_number(size, bits), bin) << size << " with " << bits << " bits";
      EXPECT_EQ(bin_alloc_size(bin, bits), rounded) << "bin " << bin << " with " << bits << " bits";
    }
    ++sizes;
  }
  EXPECT_EQ(sizes, 50);
}

TEST(Bins, GiveTheSizesThatPowersOfTwoAreKnownFor) {
  const auto rounded = [](std::uint64_t size, std::uint32_t bits) {
    return bin_alloc_size(bin_number(size, bits), bits);
  };
  EXPECT_EQ(rounded(64 << 20, 4), 71'303'167u);
  EXPECT_EQ(rounded(1024, 2), 1279u);
  EXPECT_EQ(rounded(64 << 20, 2), 83'886'079u);
}

/// What holds for a size with any number of bits: the rounded size is not smaller, in the same bin, the
/// largest of it, and larger by less than one part in 2^bits.
void expect_bounds(std::uint64_t size, std::uint32_t bits) {
  const std::uint64_t bin = bin_number(size, bits);
  const std::uint64_t rounded = bin_alloc_size(bin, bits);
  ASSERT_GE(rounded, size) << bits << " bits";
  ASSERT_EQ(bin_number(rounded, bits), bin) << size << " with " << bits << " bits";
  if (rounded != UINT64_MAX) {
    ASSERT_GT(bin_number(rounded + 1, bits), bin) << size << " with " << bits << " bits";
  }
  ASSERT_LE(rounded - size, (size >> bits) + 1) << size << " with " << bits << " bits";
}

TEST(Bins, RoundByLessThanOnePartIn2ToTheBitsForEveryValidNumberOfBits) {
  std::mt19937_64 random(1);
  for (std::uint32_t bits = 0; bits <= max_leading_bits; ++bits) {
    for (int i = 0; i < 2000; ++i) {
      expect_bounds(random() >> (random() % 64), bits);
    }
    for (int k = 0; k < 64; ++k) {
      for (int d = -5; d <= 4; ++d) {
        const std::uint64_t size = (std::uint64_t{1} << k) + static_cast<std::uint64_t>(d);
        if (static_cast<int>(bitlog2(size)) <= k) {
          expect_bounds(size, bits);
        }
      }
    }
  }
}

TEST(SignedShift, LeavesNothingWhereEveryBitIsShiftedOut) {
  struct Case {
    std::uint64_t value;
    int shift;
    std::uint64_t shifted;
  };
  std::vector<Case> cases = {
      {3, 0, 3},           {3, 1, 6},  {3, -1, 1},           {1, 63, std::uint64_t{1} << 63},
      {1, 64, 0},          {1, 65, 0}, {UINT64_MAX, -63, 1}, {UINT64_MAX, -64, 0},
      {UINT64_MAX, -65, 0}};
  for (const Case& one : cases) {
    EXPECT_EQ(signed_shift(one.value, one.shift), one.shifted) << one.value << " by " << one.shift;
  }
}

TEST(Bins, NeverDecreaseWithTheSize) {
  for (const std::uint32_t bits : {0U, 4U, 26U}) {
    for (std::uint64_t size = 2; size < 5000; ++size) {
      ASSERT_LE(bin_number(size - 1, bits), bin_number(size, bits));
    }
  }
}

TEST(Bitlog2, IsTheIndexOfTheHighestBit) {
  EXPECT_EQ(bitlog2(0), 0u);
  EXPECT_EQ(bitlog2(1), 0u);
  EXPECT_EQ(bitlog2(17), 4u);
  EXPECT_EQ(bitlog2(0xAFFE), 15u);
  EXPECT_EQ(bitlog2(0x3AFFE), 17u);
  EXPECT_EQ(bitlog2(0xCC3AFFE), 27u);
  EXPECT_EQ(bitlog2(std::uint64_t{1} << 63), 63u);
}

}  // namespace
}  // namespace clpool::core
