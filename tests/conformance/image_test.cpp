// clpool/image.h: formats, creation, shape, fills and copies; image maps of clpool/map.h.
#include "clpool/image.h"

#include <algorithm>
#include <cstring>

#include "memory.hpp"

namespace {

using clpool::test::bytes;
using clpool::test::floats;
using clpool::test::Kernel;
using clpool::test::last_error;
using clpool::test::last_error_names;
using clpool::test::OwnedMap;
using clpool::test::OwnedMem;

TEST(ImageFormat, CountsTheChannelsOfEveryOrder) {  // D-23
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

TEST(ImageFormat, KnowsTheBytesOfAPixelAlsoOfPackedTypes) {  // D-23
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

constexpr cl_image_format rgba_float = {CL_RGBA, CL_FLOAT};
constexpr cl_image_format r_float = {CL_R, CL_FLOAT};
constexpr cl_image_format rgba_8 = {CL_RGBA, CL_UNSIGNED_INT8};

class Image : public clpool::test::OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    cl_bool images = CL_FALSE;
    if (cl.queue != nullptr) {
      clGetDeviceInfo(cl.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, nullptr);
    }
    if (images == CL_FALSE) {
      GTEST_SKIP() << "the device has no images";
    }
  }
  static clpool_image_options options(cl_image_format format, std::vector<size_t> shape,
                                      bool is_array = false) {
    clpool_image_options result = CLPOOL_IMAGE_OPTIONS_INIT;
    result.format = format;
    result.dimensions = static_cast<uint32_t>(shape.size());
    std::copy(shape.begin(), shape.end(), result.shape);
    result.is_array = is_array ? 1 : 0;
    return result;
  }
  OwnedMem make(const clpool_image_options& what) {
    clpool_mem* image = nullptr;
    EXPECT_OK(clpool_image_create(cl.context, &what, &image));
    return OwnedMem(image);
  }
  clpool_status refused(const clpool_image_options& what) {
    auto* image = reinterpret_cast<clpool_mem*>(this);
    const clpool_status status = clpool_image_create(cl.context, &what, &image);
    EXPECT_EQ(image, nullptr);
    return status;
  }
  bool is_supported(cl_mem_object_type type, cl_image_format format, cl_mem_flags flags = CL_MEM_READ_WRITE) {
    uint32_t count = 0;
    if (clpool_image_formats(cl.context, flags, type, 0, nullptr, &count) != CLPOOL_SUCCESS) {
      return false;
    }
    std::vector<cl_image_format> formats(count);
    EXPECT_OK(clpool_image_formats(cl.context, flags, type, count, formats.data(), &count));
    return std::any_of(formats.begin(), formats.end(), [&](const cl_image_format& known) {
      return known.image_channel_order == format.image_channel_order &&
             known.image_channel_data_type == format.image_channel_data_type;
    });
  }
  OwnedMem buffer(size_t size) {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_buffer_create(cl.context, 0, size, nullptr, 0, &mem));
    return OwnedMem(mem);
  }
};

TEST_F(Image, SomeTwoDimensionalFormatIsSupported) {
  uint32_t count = 0;
  ASSERT_OK(clpool_image_formats(cl.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count));
  ASSERT_GE(count, 1u);
  cl_image_format one = {};
  uint32_t again = 0;
  EXPECT_OK(clpool_image_formats(cl.context, CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D, 1, &one, &again));
  EXPECT_EQ(again, count);
  EXPECT_NE(one.image_channel_order, 0u);
}

TEST_F(Image, EveryTypeTellsItsShape) {  // D-25
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
  EXPECT_EQ(clpool_image_info(image.get(), CL_IMAGE_FORMAT, 1, &format, nullptr), CLPOOL_ERROR_OPENCL);
  uint64_t value = 0;
  EXPECT_EQ(clpool_mem_info_number(image.get(), CL_PIPE_MAX_PACKETS, &value), CLPOOL_ERROR_INVALID_OPERATION);
  const OwnedMem plain = buffer(64);
  EXPECT_EQ(clpool_mem_info_number(plain.get(), CL_IMAGE_WIDTH, &value), CLPOOL_ERROR_INVALID_OPERATION);
  uint32_t dimensions = 0;
  size_t shape[3];
  EXPECT_EQ(clpool_image_shape(plain.get(), &dimensions, shape), CLPOOL_ERROR_INVALID_OPERATION);
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
  what.host_size -= 1;  // D-37
  EXPECT_EQ(refused(what), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("19200") && last_error_names("19199")) << last_error();
  what = options({0x1234, CL_FLOAT}, {40, 30});
  EXPECT_EQ(refused(what), CLPOOL_ERROR_NOT_FOUND);
  what = options(rgba_float, {40, 30});
  what.struct_size = 8;
  EXPECT_EQ(refused(what), CLPOOL_ERROR_INVALID_VALUE);
}

TEST_F(Image, AKernelReadsWhatWasCopiedIn2D) {
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

TEST_F(Image, AKernelReadsAnArrayIn3D) {
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

TEST_F(Image, ThreeChannelsBecomeFourWithAFullLastOne) {  // D-24, W-18
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
  array.element = 9;
  EXPECT_EQ(clpool_image_create_from_array(cl.context, &array, &image), CLPOOL_ERROR_INVALID_VALUE);
  array.element = CLPOOL_ELEMENT_FLOAT32;
  array.normalized = 1;
  EXPECT_EQ(clpool_image_create_from_array(cl.context, &array, &image), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("normalized")) << last_error();
  array.normalized = 0;
  array.channels = 5;
  EXPECT_EQ(clpool_image_create_from_array(cl.context, &array, &image), CLPOOL_ERROR_INVALID_VALUE);
  array.channels = 1;
  array.shape[0] = SIZE_MAX / 2;
  EXPECT_EQ(clpool_image_create_from_array(cl.context, &array, &image), CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_EQ(image, nullptr);
}

TEST_F(Image, LayersOfAnArrayAreCopiedInEveryDirection) {  // W-18
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

TEST_F(Image, RegionsOf2DImagesAreCopiedInEveryDirection) {
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

TEST_F(Image, HostPitchesAreKept) {
  const OwnedMem image = make(options(rgba_8, {16, 8}));
  const std::vector<unsigned char> values = bytes(100 * 8);
  const size_t region[3] = {16, 8, 1};
  ASSERT_OK(clpool_image_write(cl.queue, image.get(), nullptr, region, 100, 0, values.data(), values.size(),
                               1, 0, nullptr, nullptr));
  std::vector<unsigned char> result(16 * 4 * 8);
  ASSERT_OK(clpool_image_read(cl.queue, image.get(), nullptr, region, 0, 0, result.data(), result.size(), 1,
                              0, nullptr, nullptr));
  for (size_t row = 0; row < 8; ++row) {
    EXPECT_EQ(std::memcmp(&result[row * 64], &values[row * 100], 64), 0) << row;
  }
}

TEST_F(Image, NoHostByteBeyondItsSizeIsTouched) {  // D-37
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

TEST_F(Image, RegionsBeyondTheImageAreRefusedByAxis) {
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

TEST_F(Image, AnEmptyRegionIsNoCommand) {
  const OwnedMem image = make(options(rgba_8, {16, 8}));
  const size_t region[3] = {16, 0, 1};
  cl_event event = nullptr;
  EXPECT_OK(
      clpool_image_read(cl.queue, image.get(), nullptr, region, 0, 0, nullptr, 0, 1, 0, nullptr, &event));
  ASSERT_NE(event, nullptr);
  clReleaseEvent(event);
}

TEST_F(Image, IsFilledWithOneColor) {
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
  ASSERT_OK(clpool_image_fill(cl.queue, image.get(), color, sizeof color, origin, part, 0, nullptr, nullptr));
  std::vector<unsigned char> pixels(16 * 8 * 4);
  ASSERT_OK(clpool_image_read(cl.queue, image.get(), nullptr, whole, 0, 0, pixels.data(), pixels.size(), 1, 0,
                              nullptr, nullptr));
  EXPECT_EQ(std::accumulate(pixels.begin(), pixels.end(), 0), 6 * (1 + 2 + 3 + 4));
  EXPECT_EQ(pixels[(2 * 16 + 4) * 4 + 3], 4);
}

TEST_F(Image, AColorOfTheWrongLengthIsRefused) {  // D-37
  const OwnedMem image = make(options(rgba_8, {16, 8}));
  const unsigned char color[4] = {1, 2, 3, 4};
  const size_t whole[3] = {16, 8, 1};
  EXPECT_EQ(
      clpool_image_fill(cl.queue, image.get(), color, sizeof color, nullptr, whole, 0, nullptr, nullptr),
      CLPOOL_ERROR_INVALID_VALUE);
  EXPECT_TRUE(last_error_names("4 bytes") && last_error_names("16")) << last_error();
}

TEST_F(Image, AMapTellsItsPitches) {  // D-26, W-20
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
  EXPECT_EQ(none, nullptr);
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
