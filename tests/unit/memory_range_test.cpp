// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Ranges, boxes and image layouts as numbers: what is checked before any driver sees it.
#include "memory/range.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "memory/image.hpp"
#include "memory/rect.hpp"

namespace clpool::core {
namespace {

TEST(Range, ADefaultTakesWhatIsLeftOfTheSizeAndAGivenOneNoMore) {
  const Side side{"memory", 1000, 100};
  std::size_t size = whole_size;
  EXPECT_EQ(resolve_size(size, side), Status::success);
  EXPECT_EQ(size, 900u);
  size = 900;
  EXPECT_EQ(resolve_size(size, side), Status::success);
  size = 901;
  EXPECT_EQ(resolve_size(size, side), Status::invalid_value);
  EXPECT_STREQ(last_error_message(), "memory: 901 bytes from offset 100 on were asked for, it has 1000");
}

TEST(Range, WhatAPoolReservedBeyondTheRequestIsOutOfBounds) {
  Mem mem;
  mem.size = 1000;
  mem.capacity = 1024;
  std::size_t size = 1000;
  EXPECT_EQ(resolve_size(size, side_of("memory", mem, 0)), Status::success);
  size = 1001;
  EXPECT_EQ(resolve_size(size, side_of("memory", mem, 0)), Status::invalid_value);
  size = 0;
  EXPECT_EQ(resolve_size(size, side_of("memory", mem, 1000)), Status::success);
  EXPECT_EQ(resolve_size(size, side_of("memory", mem, 1001)), Status::invalid_value);
}

TEST(Range, MemoryOfNoBytesHasNothingToRead) {
  Mem mem;
  mem.capacity = 1;
  std::size_t size = whole_size;
  EXPECT_EQ(resolve_size(size, side_of("memory", mem, 0)), Status::success);
  EXPECT_EQ(size, 0u);
  size = 1;
  EXPECT_EQ(resolve_size(size, side_of("memory", mem, 0)), Status::invalid_value);
  EXPECT_STREQ(last_error_message(), "memory: 1 bytes from offset 0 on were asked for, it has 0");
}

TEST(Range, ADefaultBetweenTwoSidesIsTheSmallerRest) {
  std::size_t size = whole_size;
  EXPECT_EQ(resolve_size(size, {"a", 1000, 600}, {"b", 500, 0}), Status::success);
  EXPECT_EQ(size, 400u);
  size = whole_size;
  EXPECT_EQ(resolve_size(size, {"a", 1000, 0}, {"b", 500, 200}), Status::success);
  EXPECT_EQ(size, 300u);
}

TEST(Range, OffsetsBeyondTheEndAndSumsThatOverflowAreRefused) {
  std::size_t size = 0;
  EXPECT_EQ(resolve_size(size, {"a", 10, 10}), Status::success);
  EXPECT_EQ(resolve_size(size, {"a", 10, 11}), Status::invalid_value);
  size = SIZE_MAX - 4;
  EXPECT_EQ(resolve_size(size, {"a", 10, 5}), Status::invalid_value);
}

TEST(Range, AnUnknownSizeHasNoDefault) {
  std::size_t size = whole_size;
  const Side unknown{"svm", whole_size, 8};
  EXPECT_EQ(resolve_size(size, unknown), Status::invalid_value);
  size = whole_size;
  EXPECT_EQ(resolve_size(size, unknown, {"host", 16, 0}), Status::success);
  EXPECT_EQ(size, 16u);
}

TEST(Box, TightPitchesAreFilledInAndTheLastByteIsFound) {
  BoxPlace place;
  std::size_t extent = 0;
  EXPECT_EQ(lay_out("m", {10, 4, 3}, place, extent), Status::success);
  EXPECT_EQ(place.row_pitch, 10u);
  EXPECT_EQ(place.slice_pitch, 40u);
  EXPECT_EQ(extent, 120u);
  place = {{5, 1, 2}, 100, 1000};
  EXPECT_EQ(lay_out("m", {10, 4, 3}, place, extent), Status::success);
  EXPECT_EQ(extent, 4u * 1000 + 4 * 100 + 15);
}

TEST(Box, PitchesThatAreTooSmallAndBoxesBeyondTheAddressSpaceAreRefused) {
  std::size_t extent = 0;
  BoxPlace place{{0, 0, 0}, 9, 0};
  EXPECT_EQ(lay_out("m", {10, 4, 3}, place, extent), Status::invalid_value);
  place = {{0, 0, 0}, 10, 39};
  EXPECT_EQ(lay_out("m", {10, 4, 3}, place, extent), Status::invalid_value);
  place = {{0, 0, 0}, 10, 45};
  EXPECT_EQ(lay_out("m", {10, 4, 3}, place, extent), Status::invalid_value) << "no multiple of the row pitch";
  for (int axis = 0; axis < 3; ++axis) {
    place = {};
    place.origin[axis] = SIZE_MAX - 1;
    EXPECT_EQ(lay_out("m", {10, 4, 3}, place, extent), Status::invalid_value) << axis;
  }
  place = {};
  EXPECT_EQ(lay_out("m", {SIZE_MAX / 2, 4, 3}, place, extent), Status::invalid_value);
}

TEST(Box, AnEmptyBoxNeedsNothing) {
  BoxPlace place{{SIZE_MAX, 0, 0}, 1, 1};
  std::size_t extent = 7;
  EXPECT_EQ(lay_out("m", {10, 0, 3}, place, extent), Status::success);
  EXPECT_EQ(extent, 0u);
}

TEST(ImageLayout, LayersOfA1DArrayAreSlices) {
  std::size_t row = 0;
  std::size_t slice = 0;
  std::size_t extent = 0;
  EXPECT_EQ(lay_out_image(CL_MEM_OBJECT_IMAGE1D_ARRAY, {10, 3, 1}, 4, row, slice, extent), Status::success);
  EXPECT_EQ(row, 40u);
  EXPECT_EQ(slice, 40u);
  EXPECT_EQ(extent, 120u);
  slice = 100;
  EXPECT_EQ(lay_out_image(CL_MEM_OBJECT_IMAGE1D_ARRAY, {10, 3, 1}, 4, row, slice, extent), Status::success);
  EXPECT_EQ(extent, 240u);
}

TEST(ImageLayout, PitchesAreFilledInOrChecked) {
  std::size_t row = 0;
  std::size_t slice = 0;
  std::size_t extent = 0;
  EXPECT_EQ(lay_out_image(CL_MEM_OBJECT_IMAGE3D, {10, 3, 2}, 4, row, slice, extent), Status::success);
  EXPECT_EQ(slice, 120u);
  EXPECT_EQ(extent, 240u);
  row = 36;
  EXPECT_EQ(lay_out_image(CL_MEM_OBJECT_IMAGE3D, {10, 3, 2}, 4, row, slice, extent), Status::invalid_value);
  row = 42;
  EXPECT_EQ(lay_out_image(CL_MEM_OBJECT_IMAGE3D, {10, 3, 2}, 4, row, slice, extent), Status::invalid_value);
  row = 48;
  slice = 143;
  EXPECT_EQ(lay_out_image(CL_MEM_OBJECT_IMAGE3D, {10, 3, 2}, 4, row, slice, extent), Status::invalid_value);
  slice = 0;
  EXPECT_EQ(lay_out_image(CL_MEM_OBJECT_IMAGE2D, {SIZE_MAX / 2, 3, 1}, 4, row, slice, extent),
            Status::invalid_value);
}

}  // namespace
}  // namespace clpool::core
