// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/image.h: formats, creation and shape. Commands are in image_transfer_test.cpp.
#include "clpool/image.h"

#include <algorithm>
#include <cstring>

#include "image_fixture.hpp"

namespace {

using clpool::test::bytes;
using clpool::test::floats;
using clpool::test::last_error;
using clpool::test::last_error_names;
using clpool::test::OwnedMem;
using clpool::test::rgba_8;
using clpool::test::rgba_float;

TEST(ImageFormat, CountsTheChannelsOfEveryOrder) {
  const std::pair<cl_channel_order, uint32_t> counts[] = {
      {CL_R, 1},    {CL_A, 1},    {CL_INTENSITY, 1}, {CL_LUMINANCE, 1}, {CL_DEPTH, 1}, {CL_Rx, 1},
      {CL_RG, 2},   {CL_RA, 2},   {CL_RGx, 2},       {CL_RGB, 3},       {CL_RGBx, 3},  {CL_sRGB, 3},
      {CL_RGBA, 4}, {CL_BGRA, 4}, {CL_ARGB, 4},      {CL_ABGR, 4},      {CL_sRGBA, 4}, {CL_sBGRA, 4}};
  for (const auto& [order, expected] : counts) {
    uint32_t count = 0;
    EXPECT_OK(clpool_image_channel_count(order, &count));
    EXPECT_EQ(count, expected) << clpool_image_channel_order_name(order);
  }
  uint32_t count = 7;
  EXPECT_EQ(clpool_image_channel_count(0x1234, &count), CLPOOL_ERROR_NOT_FOUND);
  EXPECT_EQ(count, 0u);
  EXPECT_TRUE(last_error_names("0x1234")) << last_error();
}

TEST(ImageFormat, KnowsTheBytesOfAPixelAlsoOfPackedTypes) {
  struct Row {
    cl_image_format format;
    size_t channel;
    size_t item;
  };
  const Row rows[] = {
      {{CL_RGBA, CL_UNORM_INT8}, 1, 4},      {{CL_R, CL_FLOAT}, 4, 4},
      {{CL_RG, CL_HALF_FLOAT}, 2, 4},        {{CL_RGBA, CL_SIGNED_INT32}, 4, 16},
      {{CL_RGB, CL_UNORM_SHORT_565}, 2, 2},  {{CL_RGBx, CL_UNORM_SHORT_555}, 2, 2},
      {{CL_RGB, CL_UNORM_INT_101010}, 4, 4}, {{CL_RGBA, CL_UNORM_INT_101010_2}, 4, 4},
      {{CL_DEPTH, CL_UNORM_INT16}, 2, 2},    {{CL_A, CL_SNORM_INT16}, 2, 2},
  };
  for (const Row& row : rows) {
    size_t channel = 0;
    size_t item = 0;
    EXPECT_OK(clpool_image_channel_size(row.format.image_channel_data_type, &channel));
    EXPECT_OK(clpool_image_item_size(&row.format, &item));
    EXPECT_EQ(channel, row.channel) << clpool_image_channel_type_name(row.format.image_channel_data_type);
    EXPECT_EQ(item, row.item) << clpool_image_channel_type_name(row.format.image_channel_data_type);
  }
  size_t bytes_of = 0;
  EXPECT_EQ(clpool_image_channel_size(0x10FF, &bytes_of), CLPOOL_ERROR_NOT_FOUND);
}

TEST(ImageFormat, HasNamesForWhatItKnows) {
  EXPECT_STREQ(clpool_image_channel_order_name(CL_sBGRA), "CL_sBGRA");
  EXPECT_STREQ(clpool_image_channel_type_name(CL_UNORM_INT_101010_2), "CL_UNORM_INT_101010_2");
  EXPECT_EQ(clpool_image_channel_order_name(1), nullptr);
  EXPECT_EQ(clpool_image_channel_type_name(1), nullptr);
}

class Image : public clpool::test::ImageTest {};

TEST_F(Image, SomeTwoDimensionalFormatIsSupported) {
  std::size_t count = 0;
  ASSERT_OK(clpool_image_formats(cl.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, nullptr, 0, &count));
  ASSERT_GE(count, 1u);
  cl_image_format one = {};
  std::size_t again = 0;
  EXPECT_OK(clpool_image_formats(cl.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, &one, 1, &again));
  EXPECT_EQ(again, count);
  EXPECT_NE(one.image_channel_order, 0u);
}

TEST_F(Image, AFormatThatTheDriverLacksIsRefusedByNameAndWithTheRemedy) {
  const clpool_image_options what = options({CL_RGB, CL_FLOAT}, {4, 4});  // RGB is of packed types alone
  clpool_mem* image = nullptr;
  const clpool_status status = clpool_image_create(cl.context, &what, &image);
  const OwnedMem owned(image);
  if (status == CLPOOL_SUCCESS) {  // NVIDIA's driver makes images that it does not list
    return;
  }
  EXPECT_EQ(status, CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(image, nullptr);
  EXPECT_TRUE(last_error_names("CL_RGB CL_FLOAT")) << last_error();
  if (clpool_last_cl_error() == CL_IMAGE_FORMAT_NOT_SUPPORTED) {  // PoCL says CL_INVALID_OPERATION
    EXPECT_TRUE(last_error_names("clpool_image_formats()")) << last_error();
  }
}

TEST_F(Image, EveryTypeTellsItsShape) {
  struct Row {
    std::vector<size_t> shape;
    bool is_array;
    cl_mem_object_type type;
  };
  for (const Row& row :
       {Row{{40}, false, CL_MEM_OBJECT_IMAGE1D}, Row{{40, 3}, true, CL_MEM_OBJECT_IMAGE1D_ARRAY},
        Row{{40, 30}, false, CL_MEM_OBJECT_IMAGE2D}, Row{{40, 30, 5}, true, CL_MEM_OBJECT_IMAGE2D_ARRAY},
        Row{{40, 30, 5}, false, CL_MEM_OBJECT_IMAGE3D}}) {
    if (!is_supported(row.type, rgba_float)) {
      continue;
    }
    const OwnedMem image = make(options(rgba_float, row.shape, row.is_array));
    EXPECT_EQ(clpool_mem_kind(image.get()), CLPOOL_MEM_KIND_IMAGE);
    uint64_t type = 0;
    EXPECT_OK(clpool_mem_info_number(image.get(), CL_MEM_TYPE, &type));
    EXPECT_EQ(type, uint64_t{row.type});
    uint32_t dimensions = 0;
    size_t shape[3] = {};
    EXPECT_OK(clpool_image_shape(image.get(), &dimensions, shape));
    EXPECT_EQ(std::vector<size_t>(shape, shape + dimensions), row.shape);
    cl_image_format format = {};
    EXPECT_OK(clpool_image_format(image.get(), &format));
    EXPECT_EQ(format.image_channel_order, cl_channel_order{CL_RGBA});
    uint64_t item = 0;
    EXPECT_OK(clpool_mem_info_number(image.get(), CL_IMAGE_ELEMENT_SIZE, &item));
    EXPECT_EQ(item, 16u);
  }
}

TEST_F(Image, EveryPropertyCanBeRead) {
  const OwnedMem image = make(options(rgba_float, {40, 30}));
  for (const cl_uint name : {CL_IMAGE_ELEMENT_SIZE, CL_IMAGE_ROW_PITCH, CL_IMAGE_SLICE_PITCH, CL_IMAGE_WIDTH,
                             CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH}) {
    uint64_t value = 0;
    EXPECT_OK(clpool_mem_info_number(image.get(), name, &value));
  }
  if (cl.has_version(1, 2)) {
    for (const cl_uint name : {CL_IMAGE_ARRAY_SIZE, CL_IMAGE_NUM_MIP_LEVELS, CL_IMAGE_NUM_SAMPLES}) {
      uint64_t value = 0;
      EXPECT_OK(clpool_mem_info_number(image.get(), name, &value));
    }
  }
  cl_image_format format = {};
  EXPECT_EQ(clpool_image_info(image.get(), CL_IMAGE_FORMAT, 1, &format, nullptr), CLPOOL_ERROR_INVALID_VALUE);
  uint64_t value = 0;
  EXPECT_EQ(clpool_mem_info_number(image.get(), CL_IMAGE_FORMAT, &value), CLPOOL_ERROR_INVALID_VALUE)
      << "two numbers of 4 bytes are not one of 8";
  EXPECT_EQ(clpool_mem_info_number(image.get(), CL_PIPE_MAX_PACKETS, &value), CLPOOL_ERROR_INVALID_OPERATION);
  const OwnedMem plain = buffer(64);
  EXPECT_EQ(clpool_mem_info_number(plain.get(), CL_IMAGE_WIDTH, &value), CLPOOL_ERROR_INVALID_OPERATION);
  uint32_t dimensions = 0;
  size_t shape[3];
  EXPECT_EQ(clpool_image_shape(plain.get(), &dimensions, shape), CLPOOL_ERROR_INVALID_OPERATION);
}

/// Drivers name no limit, and not all refuse.
TEST_F(Image, TooLargeExtentsAreRefusedWithTheLimit) {
  const auto limit_of = [&](cl_device_info name) {
    size_t limit = 0;
    EXPECT_EQ(clGetDeviceInfo(cl.device, name, sizeof limit, &limit, nullptr), CL_SUCCESS);
    return limit;
  };
  const auto expect_refused = [&](const std::vector<size_t>& shape, bool is_array, size_t axis,
                                  size_t limit) {
    EXPECT_EQ(refused(options(rgba_float, shape, is_array)), CLPOOL_ERROR_INVALID_VALUE) << last_error();
    EXPECT_TRUE(last_error_names("shape[" + std::to_string(axis) + "] of the image is " +
                                 std::to_string(shape[axis]) + ", the devices allow " +
                                 std::to_string(limit)))
        << last_error();
  };
  const size_t width = limit_of(CL_DEVICE_IMAGE2D_MAX_WIDTH);
  expect_refused({width + 1, 1}, false, 0, width);
  const size_t height = limit_of(CL_DEVICE_IMAGE2D_MAX_HEIGHT);
  expect_refused({1, height + 1}, false, 1, height);
  make(options(rgba_float, {width, 1}));
  make(options(rgba_float, {1, height}));
  const size_t depth = limit_of(CL_DEVICE_IMAGE3D_MAX_DEPTH);
  if (depth != 0) {
    const size_t deep_width = limit_of(CL_DEVICE_IMAGE3D_MAX_WIDTH);
    expect_refused({deep_width + 1, 1, 1}, false, 0, deep_width);
    const size_t deep_height = limit_of(CL_DEVICE_IMAGE3D_MAX_HEIGHT);
    expect_refused({1, deep_height + 1, 1}, false, 1, deep_height);
    expect_refused({1, 1, depth + 1}, false, 2, depth);
  }
  if (cl.has_version(1, 2)) {
    const size_t layers = limit_of(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE);
    expect_refused({1, 1, layers + 1}, true, 2, layers);
  }
}

TEST_F(Image, ContradictionsAreRefusedByName) {
  std::vector<float> host(40 * 30 * 4);
  clpool_image_options what = options(rgba_float, {40, 30});
  what.dimensions = 4;
  EXPECT_EQ(refused(what), CLPOOL_ERROR_INVALID_VALUE);
  what = options(rgba_float, {40, 0});
  EXPECT_EQ(refused(what), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("shape[1]")) << last_error();
  what = options(rgba_float, {40}, true);
  EXPECT_EQ(refused(what), CLPOOL_ERROR_INVALID_VALUE);
  what = options(rgba_float, {40, 30});
  what.row_pitch = 640;
  EXPECT_EQ(refused(what), CLPOOL_ERROR_INVALID_VALUE);  // a pitch of nothing
  what.host = host.data();
  what.host_size = host.size() * sizeof(float);
  EXPECT_EQ(refused(what), CLPOOL_ERROR_INVALID_VALUE);  // no flag
  what.flags = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
  what.row_pitch = 639;
  EXPECT_EQ(refused(what), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("639")) << last_error();
  what.row_pitch = 0;
  what.host_size -= 1;
  EXPECT_EQ(refused(what), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("19200") && last_error_names("19199")) << last_error();
  what.host_size += 1;
  what.slice_pitch = 19200;
  EXPECT_EQ(refused(what), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("19200") && last_error_names("without slices")) << last_error();
  what = options(rgba_float, {10, 10, 3});
  what.host = host.data();
  what.host_size = host.size() * sizeof(float);
  what.flags = CL_MEM_COPY_HOST_PTR;
  what.slice_pitch = 1680;
  EXPECT_EQ(refused(what), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("1680") && last_error_names("160")) << last_error();
  what = options(rgba_float, {40, 30});
  what.flags = CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
  EXPECT_EQ(refused(what), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("only one is valid")) << last_error();
  what = options({0x1234, CL_FLOAT}, {40, 30});
  EXPECT_EQ(refused(what), CLPOOL_ERROR_NOT_FOUND);
  what = options(rgba_float, {40, 30});
  what.struct_size = 8;
  EXPECT_EQ(refused(what), CLPOOL_ERROR_INVALID_VALUE);
}

TEST_F(Image, ThreeChannelsBecomeFourWithAFullLastOne) {
  const std::vector<unsigned char> values = bytes(8 * 4 * 3);
  clpool_image_array array = CLPOOL_IMAGE_ARRAY_INIT;
  array.element = CLPOOL_ELEMENT_UINT8;
  array.channels = 3;
  array.normalized = 1;
  array.dimensions = 2;
  array.shape[0] = 4;
  array.shape[1] = 8;
  array.data = values.data();
  array.size = values.size();
  clpool_mem* image = nullptr;
  ASSERT_OK(clpool_image_create_from_array(cl.context, &array, &image));
  const OwnedMem owner(image);
  std::vector<unsigned char> pixels(8 * 4 * 4);
  const size_t region[3] = {8, 4, 1};
  ASSERT_OK(clpool_image_read(cl.queue, image, nullptr, region, 0, 0, pixels.data(), pixels.size(), 1, 0,
                              nullptr, nullptr));
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(std::memcmp(&pixels[4 * i], &values[3 * i], 3), 0) << i;
    EXPECT_EQ(pixels[4 * i + 3], 0xFF) << i;
  }
}

TEST_F(Image, ThreeChannelsOfSeveralBytesBecomeFourToo) {
  std::vector<cl_ushort> values(8 * 4 * 3);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<cl_ushort>(1000 + i);
  }
  clpool_image_array array = CLPOOL_IMAGE_ARRAY_INIT;
  array.element = CLPOOL_ELEMENT_UINT16;
  array.channels = 3;
  array.dimensions = 2;
  array.shape[0] = 4;
  array.shape[1] = 8;
  array.data = values.data();
  array.size = values.size() * sizeof values[0];
  clpool_mem* image = nullptr;
  ASSERT_OK(clpool_image_create_from_array(cl.context, &array, &image));
  const OwnedMem owner(image);
  std::vector<cl_ushort> pixels(8 * 4 * 4);
  const size_t region[3] = {8, 4, 1};
  ASSERT_OK(clpool_image_read(cl.queue, image, nullptr, region, 0, 0, pixels.data(),
                              pixels.size() * sizeof pixels[0], 1, 0, nullptr, nullptr));
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(std::memcmp(&pixels[4 * i], &values[3 * i], 6), 0) << i;
    EXPECT_EQ(pixels[4 * i + 3], 1) << i;
  }
}

TEST_F(Image, WrongArraysAreRefusedByName) {
  const std::vector<float> values = floats(100);
  clpool_image_array array;
  clpool_image_array_init(&array);
  array.dimensions = 2;
  array.shape[0] = 10;
  array.shape[1] = 10;
  array.data = values.data();
  array.size = 399;
  clpool_mem* image = nullptr;
  EXPECT_EQ(clpool_image_create_from_array(cl.context, &array, &image), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("399") && last_error_names("400")) << last_error();
  array.size = 400;
  array.struct_size = 5;
  EXPECT_EQ(clpool_image_create_from_array(cl.context, &array, &image), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("struct_size is 5")) << last_error();
  array.struct_size = sizeof array;
  array.element = 9;
  EXPECT_EQ(clpool_image_create_from_array(cl.context, &array, &image), CLPOOL_ERROR_INVALID_VALUE);
  array.element = CLPOOL_ELEMENT_FLOAT32;
  array.normalized = 1;
  EXPECT_EQ(clpool_image_create_from_array(cl.context, &array, &image), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("normalized")) << last_error();
  array.normalized = 0;
  for (const cl_mem_flags access :
       {cl_mem_flags{CL_MEM_ALLOC_HOST_PTR}, CL_MEM_READ_ONLY | cl_mem_flags{CL_MEM_USE_HOST_PTR}}) {
    array.access = access;
    EXPECT_EQ(clpool_image_create_from_array(cl.context, &array, &image), CLPOOL_ERROR_INVALID_VALUE);
  }
  array.access = CL_MEM_READ_ONLY;
  array.channels = 5;
  EXPECT_EQ(clpool_image_create_from_array(cl.context, &array, &image), CLPOOL_ERROR_INVALID_VALUE);
  array.channels = 1;
  array.shape[0] = SIZE_MAX / 2;
  EXPECT_EQ(clpool_image_create_from_array(cl.context, &array, &image), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(image, nullptr);
}

/// Three channels are copied to four, which is no reason to take memory for what no device can have.
TEST_F(Image, ThreeChannelsBeyondTheDevicesLimitsAreRefusedBeforeTheyAreCopied) {
  const unsigned char value = 0;
  clpool_image_array array = CLPOOL_IMAGE_ARRAY_INIT;
  array.element = CLPOOL_ELEMENT_UINT8;
  array.channels = 3;
  array.dimensions = 2;
  array.shape[0] = array.shape[1] = size_t{1} << 31;
  array.data = &value;
  array.size = SIZE_MAX;
  clpool_mem* image = nullptr;
  EXPECT_EQ(clpool_image_create_from_array(cl.context, &array, &image), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("address space")) << last_error();
  array.shape[0] = 1;
  EXPECT_EQ(clpool_image_create_from_array(cl.context, &array, &image), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("shape[0] of the image is 2147483648")) << last_error();
}

TEST_F(Image, OfABufferSharesItsMemoryAndKeepsItAlive) {
  OwnedMem memory = buffer(64 * 16);
  clpool_image_options what = options(rgba_float, {64});
  what.buffer = memory.get();
  clpool_mem* image = nullptr;
  const clpool_status status = clpool_image_create(cl.context, &what, &image);
  if (status == CLPOOL_ERROR_OPENCL || status == CLPOOL_ERROR_NOT_SUPPORTED) {
    GTEST_SKIP() << "images in buffers: " << last_error();
  }
  ASSERT_OK(status);
  const OwnedMem owner(image);
  uint64_t type = 0;
  EXPECT_OK(clpool_mem_info_number(image, CL_MEM_TYPE, &type));
  EXPECT_EQ(type, uint64_t{CL_MEM_OBJECT_IMAGE1D_BUFFER});
  uint32_t dimensions = 0;
  size_t shape[3] = {};
  EXPECT_OK(clpool_image_shape(image, &dimensions, shape));
  EXPECT_EQ(dimensions, 1u);
  EXPECT_EQ(shape[0], 64u);
  clpool_mem* const gone = memory.release();
  EXPECT_OK(clpool_mem_release(gone));
  EXPECT_EQ(clpool_mem_size(gone), 1024u);
}

TEST_F(Image, OfABufferMayBeWiderThanOthers) {
  size_t widest = 0;
  size_t others = 0;
  clGetDeviceInfo(cl.device, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, sizeof widest, &widest, nullptr);
  clGetDeviceInfo(cl.device, CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof others, &others, nullptr);
  if (widest <= others) {
    GTEST_SKIP() << "images of buffers have " << widest << " pixels at most, rows of others " << others;
  }
  const OwnedMem memory = buffer((others + 1) * 16);
  clpool_image_options what = options(rgba_float, {others + 1});
  what.buffer = memory.get();
  clpool_mem* image = nullptr;
  const clpool_status status = clpool_image_create(cl.context, &what, &image);
  const OwnedMem owner(image);
  if (status == CLPOOL_ERROR_OPENCL || status == CLPOOL_ERROR_NOT_SUPPORTED) {
    GTEST_SKIP() << "images in buffers: " << last_error();
  }
  EXPECT_OK(status);
}

TEST_F(Image, OfATooSmallBufferIsRefused) {
  const OwnedMem memory = buffer(64 * 16 - 1);
  clpool_image_options what = options(rgba_float, {64});
  what.buffer = memory.get();
  EXPECT_EQ(refused(what), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("1024") && last_error_names("1023")) << last_error();
  what.is_array = 1;
  EXPECT_EQ(refused(what), CLPOOL_ERROR_INVALID_VALUE);
}

TEST_F(Image, HasNoSubRegions) {
  const OwnedMem image = make(options(rgba_8, {16, 8}));
  clpool_mem* region = nullptr;
  EXPECT_EQ(clpool_mem_sub_region(image.get(), 0, 16, 0, &region), CLPOOL_ERROR_INVALID_OPERATION);
  char byte = 0;
  EXPECT_EQ(clpool_mem_read(cl.queue, image.get(), 0, 1, &byte, 1, 1, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_OPERATION);
}

TEST_F(Image, WrappedImagesKnowThemselves) {
  const OwnedMem image = make(options(rgba_8, {16, 8}));
  clpool_mem* wrapped = nullptr;
  ASSERT_OK(clpool_mem_wrap(clpool_mem_handle(image.get()), 1, &wrapped));
  const OwnedMem owner(wrapped);
  EXPECT_EQ(clpool_mem_kind(wrapped), CLPOOL_MEM_KIND_IMAGE);
  EXPECT_EQ(clpool_mem_equal(image.get(), wrapped), 1);
}

}  // namespace
