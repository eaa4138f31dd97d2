// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/image.h: fills, copies and kernels on images; image maps of clpool/map.h.
#include <algorithm>
#include <cstring>

#include "clpool/image.h"
#include "image_fixture.hpp"

namespace {

using clpool::test::bytes;
using clpool::test::floats;
using clpool::test::Kernel;
using clpool::test::last_error;
using clpool::test::last_error_names;
using clpool::test::OwnedMap;
using clpool::test::OwnedMem;
using clpool::test::r_float;
using clpool::test::rgba_8;
using clpool::test::rgba_float;

class ImageCommands : public clpool::test::ImageTest {};

TEST_F(ImageCommands, AKernelReadsWhatWasCopiedIn2D) {
  if (!is_supported(CL_MEM_OBJECT_IMAGE2D, r_float, CL_MEM_READ_ONLY)) {
    GTEST_SKIP() << "CL_R CL_FLOAT is not supported";
  }
  const char* const source =
      "kernel void copy(read_only image2d_t image, sampler_t s, global float* out) {"
      "  int x = get_global_id(0), y = get_global_id(1);"
      "  out[y * get_global_size(0) + x] = read_imagef(image, s, (int2)(x, y)).x; }";
  const size_t shape[2] = {256, 128};
  std::vector<float> values = floats(shape[0] * shape[1]);
  clpool_image_options what = options(r_float, {shape[0], shape[1]});
  what.flags = CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR;
  what.host = values.data();
  what.host_size = values.size() * sizeof(float);
  const OwnedMem image = make(what);
  const OwnedMem out = buffer(what.host_size);
  cl_sampler sampler = nullptr;
  ASSERT_OK(clpool_sampler_create(cl.context, 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &sampler));
  const Kernel kernel(cl, source, "copy");
  ASSERT_NE(kernel.get(), nullptr);
  ASSERT_OK(clpool_mem_set_kernel_arg(image.get(), kernel.get(), 0));
  ASSERT_EQ(clSetKernelArg(kernel.get(), 1, sizeof sampler, &sampler), CL_SUCCESS);
  ASSERT_OK(clpool_mem_set_kernel_arg(out.get(), kernel.get(), 2));
  ASSERT_EQ(clEnqueueNDRangeKernel(cl.queue, kernel.get(), 2, nullptr, shape, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  std::vector<float> result(values.size());
  ASSERT_OK(clpool_mem_read(cl.queue, out.get(), 0, what.host_size, result.data(), what.host_size, 1, 0,
                            nullptr, nullptr));
  EXPECT_EQ(result, values);
  clReleaseSampler(sampler);
}

TEST_F(ImageCommands, AKernelReadsAnArrayIn3D) {
  if (!is_supported(CL_MEM_OBJECT_IMAGE3D, rgba_float, CL_MEM_READ_ONLY)) {
    GTEST_SKIP() << "CL_RGBA CL_FLOAT is not supported for 3-D images";
  }
  const char* const source =
      "kernel void copy(read_only image3d_t image, sampler_t s, global float4* out) {"
      "  int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);"
      "  out[(p.x * 4 + p.y) * 2 + p.z] = read_imagef(image, s, p.zyxw); }";
  const std::vector<float> values = floats(3 * 4 * 2 * 4);
  clpool_image_array array = CLPOOL_IMAGE_ARRAY_INIT;
  array.channels = 4;
  array.dimensions = 3;
  array.shape[0] = 3;
  array.shape[1] = 4;
  array.shape[2] = 2;
  array.data = values.data();
  array.size = values.size() * sizeof(float);
  clpool_mem* image = nullptr;
  ASSERT_OK(clpool_image_create_from_array(cl.context, &array, &image));
  const OwnedMem owner(image);
  uint32_t dimensions = 0;
  size_t shape[3] = {};
  EXPECT_OK(clpool_image_shape(image, &dimensions, shape));
  EXPECT_EQ(shape[0], 2u);  // the array's the other way round
  EXPECT_EQ(shape[2], 3u);
  const OwnedMem out = buffer(array.size);
  cl_sampler sampler = nullptr;
  ASSERT_OK(clpool_sampler_create(cl.context, 0, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &sampler));
  const Kernel kernel(cl, source, "copy");
  ASSERT_NE(kernel.get(), nullptr);
  ASSERT_OK(clpool_mem_set_kernel_arg(image, kernel.get(), 0));
  clSetKernelArg(kernel.get(), 1, sizeof sampler, &sampler);
  ASSERT_OK(clpool_mem_set_kernel_arg(out.get(), kernel.get(), 2));
  const size_t items[3] = {3, 4, 2};
  ASSERT_EQ(clEnqueueNDRangeKernel(cl.queue, kernel.get(), 3, nullptr, items, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  std::vector<float> result(values.size());
  ASSERT_OK(
      clpool_mem_read(cl.queue, out.get(), 0, array.size, result.data(), array.size, 1, 0, nullptr, nullptr));
  EXPECT_EQ(result, values);
  clReleaseSampler(sampler);
}

TEST_F(ImageCommands, LayersOfAnArrayAreCopiedInEveryDirection) {
  if (!is_supported(CL_MEM_OBJECT_IMAGE2D_ARRAY, rgba_float)) {
    GTEST_SKIP() << "2-D image arrays are not supported";
  }
  const std::vector<float> values = floats(32 * 16 * 3 * 4);
  const size_t size = values.size() * sizeof(float);
  const size_t region[3] = {32, 16, 3};
  const OwnedMem first = make(options(rgba_float, {32, 16, 3}, true));
  const OwnedMem second = make(options(rgba_float, {32, 16, 3}, true));
  const OwnedMem third = make(options(rgba_float, {32, 16, 3}, true));
  const OwnedMem flat = buffer(size + 64);
  std::vector<float> result(values.size());
  ASSERT_OK(clpool_image_write(cl.queue, first.get(), nullptr, region, 0, 0, values.data(), size, 1, 0,
                               nullptr, nullptr));
  ASSERT_OK(
      clpool_image_copy(cl.queue, second.get(), nullptr, first.get(), nullptr, region, 0, nullptr, nullptr));
  ASSERT_OK(clpool_image_copy_to_buffer(cl.queue, flat.get(), 64, second.get(), nullptr, region, 0, nullptr,
                                        nullptr));
  ASSERT_OK(clpool_image_copy_from_buffer(cl.queue, third.get(), nullptr, region, flat.get(), 64, 0, nullptr,
                                          nullptr));
  ASSERT_OK(clpool_image_read(cl.queue, third.get(), nullptr, region, 0, 0, result.data(), size, 1, 0,
                              nullptr, nullptr));
  EXPECT_EQ(result, values);
}

TEST_F(ImageCommands, RegionsOf2DImagesAreCopiedInEveryDirection) {
  const std::vector<unsigned char> values = bytes(64 * 32 * 4);
  const size_t whole[3] = {64, 32, 1};
  const size_t origin[3] = {8, 4, 0};
  const size_t region[3] = {16, 8, 1};
  const OwnedMem first = make(options(rgba_8, {64, 32}));
  const OwnedMem second = make(options(rgba_8, {64, 32}));
  const OwnedMem flat = buffer(16 * 8 * 4);
  ASSERT_OK(clpool_image_write(cl.queue, first.get(), nullptr, whole, 0, 0, values.data(), values.size(), 1,
                               0, nullptr, nullptr));
  ASSERT_OK(
      clpool_image_copy(cl.queue, second.get(), nullptr, first.get(), origin, region, 0, nullptr, nullptr));
  ASSERT_OK(clpool_image_copy_to_buffer(cl.queue, flat.get(), 0, second.get(), nullptr, region, 0, nullptr,
                                        nullptr));
  std::vector<unsigned char> result(16 * 8 * 4);
  ASSERT_OK(clpool_mem_read(cl.queue, flat.get(), 0, CLPOOL_WHOLE_SIZE, result.data(), result.size(), 1, 0,
                            nullptr, nullptr));
  for (size_t row = 0; row < 8; ++row) {
    EXPECT_EQ(std::memcmp(&result[row * 64], &values[((row + 4) * 64 + 8) * 4], 64), 0) << row;
  }
}

/// A row may end within a pixel: only the host memory that an image is made of has whole ones (OpenCL 3.0,
/// clEnqueueReadImage, clCreateImage).
TEST_F(ImageCommands, HostPitchesAreKept) {
  const OwnedMem image = make(options(rgba_8, {16, 8}));
  const std::vector<unsigned char> values = bytes(103 * 8);
  const size_t region[3] = {16, 8, 1};
  for (const size_t pitch : {size_t{100}, size_t{103}}) {
    ASSERT_OK(clpool_image_write(cl.queue, image.get(), nullptr, region, pitch, 0, values.data(),
                                 values.size(), 1, 0, nullptr, nullptr));
    std::vector<unsigned char> tight(16 * 4 * 8);
    ASSERT_OK(clpool_image_read(cl.queue, image.get(), nullptr, region, 0, 0, tight.data(), tight.size(), 1,
                                0, nullptr, nullptr));
    std::vector<unsigned char> spread(pitch * 8);
    ASSERT_OK(clpool_image_read(cl.queue, image.get(), nullptr, region, pitch, 0, spread.data(),
                                spread.size(), 1, 0, nullptr, nullptr));
    for (size_t row = 0; row < 8; ++row) {
      EXPECT_EQ(std::memcmp(&tight[row * 64], &values[row * pitch], 64), 0) << row;
      EXPECT_EQ(std::memcmp(&spread[row * pitch], &values[row * pitch], 64), 0) << row;
    }
  }
}

/// A 1-D image array whose layers are apart in host memory.
class LayersOfOneRow : public ImageCommands {
 protected:
  static constexpr size_t row = 37 * 4;
  static constexpr size_t pitch = 168;
  static constexpr size_t region[3] = {37, 5, 1};

  void SetUp() override {
    ImageCommands::SetUp();
    if (!IsSkipped() && (!cl.has_version(1, 2) || !is_supported(CL_MEM_OBJECT_IMAGE1D_ARRAY, rgba_8))) {
      GTEST_SKIP() << "1-D image arrays are not supported";
    }
  }
  /// What a read brings that knows no pitch, and one that is told them.
  void expect_layers(clpool_mem* image, size_t row_pitch) {
    std::vector<unsigned char> tight(row * 5);
    ASSERT_OK(clpool_image_read(cl.queue, image, nullptr, region, 0, 0, tight.data(), tight.size(), 1, 0,
                                nullptr, nullptr));
    std::vector<unsigned char> spread(values.size());
    ASSERT_OK(clpool_image_read(cl.queue, image, nullptr, region, row_pitch, pitch, spread.data(),
                                spread.size(), 1, 0, nullptr, nullptr));
    for (size_t layer = 0; layer < 5; ++layer) {
      EXPECT_EQ(std::memcmp(&tight[layer * row], &values[layer * pitch], row), 0) << layer;
      EXPECT_EQ(std::memcmp(&spread[layer * pitch], &values[layer * pitch], row), 0) << layer;
    }
  }

  const std::vector<unsigned char> values = bytes(pitch * 5);
};

TEST_F(LayersOfOneRow, AreWhereTheSlicePitchSays) {
  const OwnedMem image = make(options(rgba_8, {37, 5}, true));
  for (const size_t row_pitch : {size_t{0}, row, pitch}) {
    ASSERT_OK(clpool_image_write(cl.queue, image.get(), nullptr, region, row_pitch, pitch, values.data(),
                                 values.size(), 1, 0, nullptr, nullptr));
    expect_layers(image.get(), row_pitch);
  }
  std::vector<unsigned char> host(170 * 5);  // no multiple of a pixel
  ASSERT_OK(clpool_image_read(cl.queue, image.get(), nullptr, region, 0, 170, host.data(), host.size(), 1, 0,
                              nullptr, nullptr));
  for (size_t layer = 0; layer < 5; ++layer) {
    EXPECT_EQ(std::memcmp(&host[layer * 170], &values[layer * pitch], row), 0) << layer;
  }
}

TEST_F(LayersOfOneRow, AreNoCommandWhereTheThirdEntryIs0) {
  const OwnedMem layers = make(options(rgba_8, {16, 8}, true));
  const size_t nothing[3] = {16, 8, 0};
  EXPECT_OK(
      clpool_image_read(cl.queue, layers.get(), nullptr, nothing, 0, 0, nullptr, 0, 1, 0, nullptr, nullptr));
}

TEST_F(LayersOfOneRow, AreCopiedFromWhereTheSlicePitchSays) {
  if (cl.is_on("Oclgrind")) {
    GTEST_SKIP() << "Oclgrind takes the layers that an image is made from for adjacent, whatever the pitch";
  }
  clpool_image_options what = options(rgba_8, {37, 5}, true);
  what.flags = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
  what.slice_pitch = pitch;
  what.host = const_cast<unsigned char*>(values.data());
  what.host_size = values.size();
  const OwnedMem image = make(what);
  expect_layers(image.get(), row);
}

TEST_F(ImageCommands, ASlicePitchOfAnImageWithoutSlicesIsRefused) {
  const OwnedMem image = make(options(rgba_8, {16, 8}));
  std::vector<unsigned char> host(4096);
  const size_t region[3] = {16, 8, 1};
  EXPECT_EQ(clpool_image_read(cl.queue, image.get(), nullptr, region, 0, 512, host.data(), host.size(), 1, 0,
                              nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("slice pitch is 512")) << last_error();
  EXPECT_EQ(clpool_image_write(cl.queue, image.get(), nullptr, region, 0, 512, host.data(), host.size(), 1, 0,
                               nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
}

TEST_F(ImageCommands, ARowPitchLessThanARowIsRefused) {
  const OwnedMem image = make(options(rgba_8, {16, 8}));
  std::vector<unsigned char> host(16 * 8 * 4);
  const size_t region[3] = {16, 8, 1};
  EXPECT_EQ(clpool_image_write(cl.queue, image.get(), nullptr, region, 60, 0, host.data(), host.size(), 1, 0,
                               nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("row pitch is 60")) << last_error();
}

TEST_F(ImageCommands, PitchesBeyondTheAddressSpaceAreRefused) {
  const OwnedMem image = make(options(rgba_8, {4, 4, 4}));
  std::vector<unsigned char> host(4 * 4 * 4 * 4);
  const size_t region[3] = {4, 4, 4};
  for (const size_t pitch : {SIZE_MAX / 2, SIZE_MAX / 4 + 1, SIZE_MAX}) {
    EXPECT_EQ(clpool_image_write(cl.queue, image.get(), nullptr, region, 0, pitch, host.data(), host.size(),
                                 1, 0, nullptr, nullptr),
              CLPOOL_ERROR_INVALID_VALUE);
    EXPECT_TRUE(last_error_names("4 x 4 x 4 pixels lies beyond the address space")) << last_error();
    EXPECT_TRUE(last_error_names("slices of " + std::to_string(pitch))) << last_error();
  }
}

TEST_F(ImageCommands, AFillWithoutAColorIsToldSo) {
  const OwnedMem image = make(options(rgba_8, {16, 8}));
  const size_t region[3] = {16, 8, 1};
  EXPECT_EQ(clpool_image_fill(cl.queue, image.get(), nullptr, 16, nullptr, region, 0, nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("NULL")) << last_error();
}

TEST_F(ImageCommands, NoHostByteBeyondItsSizeIsTouched) {
  const OwnedMem image = make(options(rgba_8, {16, 8}));
  const auto host = std::make_unique<unsigned char[]>(16 * 8 * 4);
  const size_t region[3] = {16, 8, 1};
  EXPECT_EQ(clpool_image_read(cl.queue, image.get(), nullptr, region, 0, 0, host.get(), 511, 1, 0, nullptr,
                              nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("511") && last_error_names("512")) << last_error();
  EXPECT_EQ(clpool_image_write(cl.queue, image.get(), nullptr, region, 0, 0, host.get(), 511, 1, 0, nullptr,
                               nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_image_read(cl.queue, image.get(), nullptr, region, 68, 0, host.get(), 512, 1, 0, nullptr,
                              nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_OK(clpool_image_write(cl.queue, image.get(), nullptr, region, 0, 0, host.get(), 512, 1, 0, nullptr,
                               nullptr));
  EXPECT_OK(clpool_image_read(cl.queue, image.get(), nullptr, region, 0, 0, host.get(), 512, 1, 0, nullptr,
                              nullptr));
}

TEST_F(ImageCommands, ACopyWithinAnImageIsRefusedWhereItsRegionsOverlap) {
  const OwnedMem image = make(options(rgba_8, {16, 8}));
  const size_t region[3] = {16, 4, 1};
  const size_t nearly[3] = {0, 3, 0};
  EXPECT_EQ(
      clpool_image_copy(cl.queue, image.get(), nearly, image.get(), nullptr, region, 0, nullptr, nullptr),
      CLPOOL_ERROR_OPENCL);
  EXPECT_EQ(clpool_last_cl_error(), CL_MEM_COPY_OVERLAP);
  EXPECT_TRUE(last_error_names("16 x 4 x 1 overlaps itself")) << last_error();
  const size_t below[3] = {0, 4, 0};
  ASSERT_OK(
      clpool_image_copy(cl.queue, image.get(), below, image.get(), nullptr, region, 0, nullptr, nullptr));
}

TEST_F(ImageCommands, RegionsBeyondTheImageAreRefusedByAxis) {
  const OwnedMem image = make(options(rgba_8, {16, 8}));
  const OwnedMem other = make(options(rgba_8, {16, 8}));
  const OwnedMem flat = buffer(4096);
  std::vector<unsigned char> host(4096);
  const size_t origin[3] = {0, 4, 0};
  const size_t region[3] = {16, 5, 1};
  EXPECT_EQ(clpool_image_read(cl.queue, image.get(), origin, region, 0, 0, host.data(), host.size(), 1, 0,
                              nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("axis 1")) << last_error();
  EXPECT_EQ(
      clpool_image_copy(cl.queue, other.get(), origin, image.get(), nullptr, region, 0, nullptr, nullptr),
      CLPOOL_ERROR_INVALID_VALUE);
  const size_t deep[3] = {16, 8, 2};
  EXPECT_EQ(clpool_image_write(cl.queue, image.get(), nullptr, deep, 0, 0, host.data(), host.size(), 1, 0,
                               nullptr, nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  const size_t whole[3] = {16, 8, 1};
  EXPECT_EQ(clpool_image_copy_to_buffer(cl.queue, flat.get(), 3585, image.get(), nullptr, whole, 0, nullptr,
                                        nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(clpool_image_copy_from_buffer(cl.queue, image.get(), nullptr, whole, flat.get(), 4097, 0, nullptr,
                                          nullptr),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(
      clpool_image_copy_to_buffer(cl.queue, image.get(), 0, image.get(), nullptr, whole, 0, nullptr, nullptr),
      CLPOOL_ERROR_INVALID_OPERATION);
  EXPECT_EQ(clpool_image_read(cl.queue, flat.get(), nullptr, whole, 0, 0, host.data(), host.size(), 1, 0,
                              nullptr, nullptr),
            CLPOOL_ERROR_INVALID_OPERATION);
}

TEST_F(ImageCommands, AnEmptyRegionIsNoCommand) {
  const OwnedMem image = make(options(rgba_8, {16, 8}));
  const size_t region[3] = {16, 0, 1};
  cl_event event = nullptr;
  EXPECT_OK(
      clpool_image_read(cl.queue, image.get(), nullptr, region, 0, 0, nullptr, 0, 1, 0, nullptr, &event));
  ASSERT_NE(event, nullptr);
  clReleaseEvent(event);
}

TEST_F(ImageCommands, IsFilledWithOneColor) {
  const OwnedMem image = make(options(rgba_8, {16, 8}));
  const cl_uint color[4] = {1, 2, 3, 4};
  const size_t origin[3] = {4, 2, 0};
  const size_t part[3] = {2, 3, 1};
  const size_t whole[3] = {16, 8, 1};
  const cl_uint black[4] = {};
  const clpool_status status =
      clpool_image_fill(cl.queue, image.get(), black, sizeof black, nullptr, whole, 0, nullptr, nullptr);
  SKIP_IF_NOT_SUPPORTED(status);
  ASSERT_OK(status);
  EXPECT_EQ(
      clpool_image_fill(cl.queue, image.get(), color, sizeof color, nullptr, whole, 1, nullptr, nullptr),
      CLPOOL_ERROR_INVALID_VALUE)
      << "an event, but no list";
  ASSERT_OK(clpool_image_fill(cl.queue, image.get(), color, sizeof color, origin, part, 0, nullptr, nullptr));
  std::vector<unsigned char> pixels(16 * 8 * 4);
  ASSERT_OK(clpool_image_read(cl.queue, image.get(), nullptr, whole, 0, 0, pixels.data(), pixels.size(), 1, 0,
                              nullptr, nullptr));
  EXPECT_EQ(std::accumulate(pixels.begin(), pixels.end(), 0), 6 * (1 + 2 + 3 + 4));
  EXPECT_EQ(pixels[(2 * 16 + 4) * 4 + 3], 4);
}

TEST_F(ImageCommands, AColorOfTheWrongLengthIsRefused) {
  const OwnedMem image = make(options(rgba_8, {16, 8}));
  const unsigned char color[4] = {1, 2, 3, 4};
  const size_t whole[3] = {16, 8, 1};
  EXPECT_EQ(
      clpool_image_fill(cl.queue, image.get(), color, sizeof color, nullptr, whole, 0, nullptr, nullptr),
      CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("4 bytes") && last_error_names("16")) << last_error();
}

TEST_F(ImageCommands, AMapOfABufferAfterOneOfAnImageHasNoPitches) {
  const OwnedMem image = make(options(rgba_8, {16, 8, 2}));
  const OwnedMem bytes = buffer(64);
  const size_t whole[3] = {16, 8, 2};
  clpool_map* map = nullptr;
  ASSERT_OK(
      clpool_image_map(cl.queue, image.get(), CL_MAP_READ, nullptr, whole, 1, 0, nullptr, nullptr, &map));
  EXPECT_NE(clpool_map_row_pitch(map), 0u);
  EXPECT_OK(clpool_map_release(map));
  for (int i = 0; i < 200; ++i) {  // its descriptor rests for a while
    ASSERT_OK(clpool_mem_map(cl.queue, bytes.get(), CL_MAP_READ, 0, 64, 1, 0, nullptr, nullptr, &map));
    const OwnedMap owner(map);
    ASSERT_EQ(clpool_map_row_pitch(map), 0u);
    ASSERT_EQ(clpool_map_slice_pitch(map), 0u);
  }
}

TEST_F(ImageCommands, AMapTellsItsPitches) {
  const OwnedMem image = make(options(rgba_8, {16, 8}));
  const std::vector<unsigned char> values = bytes(16 * 8 * 4);
  const size_t whole[3] = {16, 8, 1};
  ASSERT_OK(clpool_image_write(cl.queue, image.get(), nullptr, whole, 0, 0, values.data(), values.size(), 1,
                               0, nullptr, nullptr));
  const size_t origin[3] = {4, 2, 0};
  const size_t region[3] = {8, 5, 1};
  clpool_map* map = nullptr;
  ASSERT_OK(clpool_image_map(cl.queue, image.get(), CL_MAP_READ | CL_MAP_WRITE, origin, region, 1, 0, nullptr,
                             nullptr, &map));
  const OwnedMap owner(map);
  const size_t pitch = clpool_map_row_pitch(map);
  EXPECT_GE(pitch, 32u);
  EXPECT_EQ(clpool_map_size(map), 4 * pitch + 32);
  for (size_t row = 0; row < 5; ++row) {
    EXPECT_EQ(std::memcmp(static_cast<char*>(clpool_map_pointer(map)) + row * pitch,
                          &values[((row + 2) * 16 + 4) * 4], 32),
              0)
        << row;
  }
  clpool_map* none = nullptr;
  const size_t beyond[3] = {17, 1, 1};
  EXPECT_EQ(
      clpool_image_map(cl.queue, image.get(), CL_MAP_READ, nullptr, beyond, 1, 0, nullptr, nullptr, &none),
      CLPOOL_ERROR_INVALID_VALUE);
  const size_t empty[3] = {0, 1, 1};
  EXPECT_EQ(
      clpool_image_map(cl.queue, image.get(), CL_MAP_READ, nullptr, empty, 1, 0, nullptr, nullptr, &none),
      CLPOOL_ERROR_INVALID_VALUE);
  const size_t one[3] = {1, 1, 1};
  EXPECT_EQ(clpool_image_map(cl.queue, image.get(), 0x400, nullptr, one, 1, 0, nullptr, nullptr, &none),
            CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("map flags are 0x400")) << last_error();
  EXPECT_EQ(clpool_image_map(cl.queue, image.get(), CL_MAP_READ, nullptr, one, 1, 2, nullptr, nullptr, &none),
            CLPOOL_ERROR_INVALID_VALUE)
      << "two events and no list";
  EXPECT_EQ(none, nullptr);
}

/// Pooled buffers take part in image copies as direct ones do.
class EveryImageBuffer : public clpool::test::EveryBuffer {};
INSTANTIATE_FOR_EVERY_BUFFER(EveryImageBuffer);

TEST_P(EveryImageBuffer, IsCopiedIntoAnImageAndBack) {
  clpool_image_options what = CLPOOL_IMAGE_OPTIONS_INIT;
  what.format = rgba_8;
  what.dimensions = 2;
  what.shape[0] = 16;
  what.shape[1] = 8;
  clpool_mem* image = nullptr;
  const clpool_status status = clpool_image_create(cl.context, &what, &image);
  SKIP_IF_NOT_SUPPORTED(status);
  ASSERT_OK(status);
  const OwnedMem owner(image);
  const size_t whole[3] = {16, 8, 1};
  const OwnedMem source = make_with(bytes(512));
  const OwnedMem target = make(512);
  ASSERT_OK(
      clpool_image_copy_from_buffer(cl.queue, image, nullptr, whole, source.get(), 0, 0, nullptr, nullptr));
  ASSERT_OK(
      clpool_image_copy_to_buffer(cl.queue, target.get(), 0, image, nullptr, whole, 0, nullptr, nullptr));
  EXPECT_EQ(content<unsigned char>(target.get(), 512), bytes(512));
}

TEST_F(ImageCommands, AnImageAsksNoMoreOfItsBufferThanThatAllows) {
  for (const cl_mem_flags access : {CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY}) {
    clpool_mem* made = nullptr;
    ASSERT_OK(clpool_buffer_create(cl.context, access, 4096, nullptr, 0, &made));
    const OwnedMem memory(made);
    clpool_image_options what = CLPOOL_IMAGE_OPTIONS_INIT;
    what.format = rgba_8;
    what.dimensions = 1;
    what.shape[0] = 64;
    what.buffer = made;
    clpool_mem* image = nullptr;
    const clpool_status status = clpool_image_create(cl.context, &what, &image);
    if (status != CLPOOL_SUCCESS && access == CL_MEM_READ_WRITE) {
      GTEST_SKIP() << "images in buffers: " << last_error();
    }
    ASSERT_OK(status);
    const OwnedMem owner(image);
  }
}

TEST_P(EveryImageBuffer, HoldsAnImage) {
  clpool_image_options what = CLPOOL_IMAGE_OPTIONS_INIT;
  what.format = rgba_8;
  what.dimensions = 1;
  what.shape[0] = 64;
  const OwnedMem memory = make_with(bytes(256));
  what.buffer = memory.get();
  clpool_mem* image = nullptr;
  const clpool_status status = clpool_image_create(cl.context, &what, &image);
  if (status == CLPOOL_ERROR_OPENCL || status == CLPOOL_ERROR_NOT_SUPPORTED) {
    GTEST_SKIP() << "images in buffers: " << last_error();
  }
  ASSERT_OK(status);
  const OwnedMem owner(image);
  const size_t whole[3] = {64, 1, 1};
  std::vector<unsigned char> result(256);
  ASSERT_OK(clpool_image_read(cl.queue, image, nullptr, whole, 0, 0, result.data(), result.size(), 1, 0,
                              nullptr, nullptr));
  EXPECT_EQ(result, bytes(256));
}

}  // namespace
