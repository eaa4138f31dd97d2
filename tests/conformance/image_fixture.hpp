// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What the tests of images share.
#pragma once

#include <algorithm>
#include <vector>

#include "memory.hpp"

namespace clpool::test {

inline constexpr cl_image_format rgba_float = {CL_RGBA, CL_FLOAT};
inline constexpr cl_image_format r_float = {CL_R, CL_FLOAT};
inline constexpr cl_image_format rgba_8 = {CL_RGBA, CL_UNSIGNED_INT8};

/// Tests that need images; skipped where there are none.
class ImageTest : public OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    cl_bool images = CL_FALSE;
    clGetDeviceInfo(cl.device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, nullptr);
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
    std::size_t count = 0;
    if (clpool_image_formats(cl.context, flags, type, nullptr, 0, &count) != CLPOOL_SUCCESS) {
      return false;
    }
    std::vector<cl_image_format> formats(count);
    EXPECT_OK(clpool_image_formats(cl.context, flags, type, formats.data(), count, &count));
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

}  // namespace clpool::test
