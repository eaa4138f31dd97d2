// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Line by itself: who came first, and for how long that counts.
#include <gtest/gtest.h>

#include "pool/books/line.hpp"

namespace clpool::core {
namespace {

constexpr std::uint64_t most = 1000;

/// 0 if there is none.
std::uint64_t first_needs(const Line& line, std::uint64_t freed, std::uint64_t since_ns = 1000) {
  const Line::Place* const first = line.first(freed, most, since_ns);
  return first != nullptr ? first->needed : 0;
}

TEST(Line, TheFirstIsWhoCameFirstOfThoseThatAreThere) {
  Line line;
  EXPECT_EQ(first_needs(line, 0), 0u);
  EXPECT_TRUE(line.join(7, 40, 0, 100));
  EXPECT_TRUE(line.join(3, 90, 0, 100));
  EXPECT_TRUE(line.join(31, 50, 0, 100));
  EXPECT_EQ(first_needs(line, 0), 40u);
  EXPECT_EQ(line.first(0, most, 1000)->account, 7u);
  line.leave(7);
  EXPECT_EQ(first_needs(line, 0), 90u);
  EXPECT_TRUE(line.join(7, 60, 0, 100)) << "behind the others";
  line.leave(3);
  EXPECT_EQ(first_needs(line, 0), 50u);
  line.leave(31);
  EXPECT_EQ(first_needs(line, 0), 60u);
  line.leave(7);
  EXPECT_EQ(first_needs(line, 0), 0u);
}

TEST(Line, AnAccountHasOnePlace) {
  Line line;
  EXPECT_TRUE(line.join(1, 40, 0, 100));
  EXPECT_FALSE(line.join(1, 90, 0, 100));
  EXPECT_EQ(first_needs(line, 0), 40u);
  line.leave(1);
  EXPECT_EQ(first_needs(line, 0), 0u);
}

TEST(Line, IsEmptyWhereNobodyStands) {
  Line line;
  EXPECT_TRUE(line.is_empty());
  EXPECT_TRUE(line.join(1, 40, 0, 100));
  EXPECT_FALSE(line.is_empty());
  line.leave(1);
  EXPECT_TRUE(line.is_empty());
}

TEST(Line, WhoHasWaitedForLongerIsNotTheFirst) {
  Line line;
  EXPECT_TRUE(line.join(1, 40, 500, 100));
  EXPECT_TRUE(line.join(2, 90, 600, 100));
  EXPECT_EQ(first_needs(line, 500 + most), 40u);
  EXPECT_EQ(first_needs(line, 501 + most), 90u);
  EXPECT_EQ(first_needs(line, 601 + most), 0u);
  EXPECT_EQ(first_needs(line, 601 + most, 101), 0u);
  EXPECT_EQ(first_needs(line, 601 + most, 100), 40u) << "but not for as long as that";
}

}  // namespace
}  // namespace clpool::core
