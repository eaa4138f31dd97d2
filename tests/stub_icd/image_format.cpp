// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Formats: one to four plain channels of one type, and depth.
#include "image_format.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "api.hpp"
#include "info.hpp"
#include "objects.hpp"

namespace stub {
namespace {

constexpr cl_channel_order orders[] = {CL_R,    CL_A,    CL_RG,        CL_RA,        CL_RGBA,
                                       CL_BGRA, CL_ARGB, CL_INTENSITY, CL_LUMINANCE, CL_DEPTH};
constexpr cl_channel_type types[] = {CL_SNORM_INT8,     CL_SNORM_INT16,    CL_UNORM_INT8,   CL_UNORM_INT16,
                                     CL_SIGNED_INT8,    CL_SIGNED_INT16,   CL_SIGNED_INT32, CL_UNSIGNED_INT8,
                                     CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,   CL_FLOAT};

std::size_t channel_bytes(cl_channel_type type) {
  switch (type) {
    case CL_SNORM_INT8:
    case CL_UNORM_INT8:
    case CL_SIGNED_INT8:
    case CL_UNSIGNED_INT8:
      return 1;
    case CL_SIGNED_INT32:
    case CL_UNSIGNED_INT32:
    case CL_FLOAT:
      return 4;
    default:
      return 2;
  }
}

/// Which of red, green, blue, alpha each channel is.
std::vector<int> components(cl_channel_order order) {
  switch (order) {
    case CL_A:
      return {3};
    case CL_RG:
      return {0, 1};
    case CL_RA:
      return {0, 3};
    case CL_RGBA:
      return {0, 1, 2, 3};
    case CL_BGRA:
      return {2, 1, 0, 3};
    case CL_ARGB:
      return {3, 0, 1, 2};
    default:
      return {0};
  }
}

bool is_combined(const cl_image_format& format) {
  const cl_channel_type type = format.image_channel_data_type;
  switch (format.image_channel_order) {
    case CL_BGRA:
    case CL_ARGB:
      return channel_bytes(type) == 1;
    case CL_INTENSITY:
    case CL_LUMINANCE:
      return type == CL_UNORM_INT8 || type == CL_UNORM_INT16 || type == CL_SNORM_INT8 ||
             type == CL_SNORM_INT16 || type == CL_HALF_FLOAT || type == CL_FLOAT;
    case CL_DEPTH:
      return type == CL_UNORM_INT16 || type == CL_FLOAT;
    default:
      return true;
  }
}

/// Rounds to half precision; subnormal results become 0.
std::uint16_t half_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000);
  const int exponent = static_cast<int>(bits >> 23 & 0xFF) - 127 + 15;
  if (exponent <= 0) {
    return sign;
  }
  if (exponent >= 31) {
    return static_cast<std::uint16_t>(sign | 0x7C00);
  }
  const std::uint32_t rounded =
      (static_cast<std::uint32_t>(exponent) << 10 | (bits >> 13 & 0x3FF)) + (bits >> 12 & 1);
  return static_cast<std::uint16_t>(sign | rounded);
}

template <typename T>
void store(unsigned char* target, T value) {
  std::memcpy(target, &value, sizeof value);
}

template <typename T>
T clamped(double value, double low, double high) {
  return static_cast<T>(std::lrint(std::clamp(value, low, high)));
}

void store_channel(unsigned char* target, cl_channel_type type, const unsigned char* color) {
  float real = 0;
  std::int32_t number = 0;
  std::uint32_t natural = 0;
  std::memcpy(&real, color, 4);
  std::memcpy(&number, color, 4);
  std::memcpy(&natural, color, 4);
  switch (type) {
    case CL_SNORM_INT8:
      return store(target, clamped<std::int8_t>(real * 127.0, -128, 127));
    case CL_SNORM_INT16:
      return store(target, clamped<std::int16_t>(real * 32767.0, -32768, 32767));
    case CL_UNORM_INT8:
      return store(target, clamped<std::uint8_t>(real * 255.0, 0, 255));
    case CL_UNORM_INT16:
      return store(target, clamped<std::uint16_t>(real * 65535.0, 0, 65535));
    case CL_SIGNED_INT8:
      return store(target, clamped<std::int8_t>(number, -128, 127));
    case CL_SIGNED_INT16:
      return store(target, clamped<std::int16_t>(number, -32768, 32767));
    case CL_UNSIGNED_INT8:
      return store(target, clamped<std::uint8_t>(natural, 0, 255));
    case CL_UNSIGNED_INT16:
      return store(target, clamped<std::uint16_t>(natural, 0, 65535));
    case CL_HALF_FLOAT:
      return store(target, half_of(real));
    default:
      std::memcpy(target, color, 4);
  }
}

}  // namespace

bool is_valid(const cl_image_format& format) {
  const bool known_order = (format.image_channel_order >= CL_R && format.image_channel_order <= CL_ABGR);
  const bool known_type = format.image_channel_data_type >= CL_SNORM_INT8 &&
                          format.image_channel_data_type <= CL_UNORM_INT_101010_2;
  return known_order && known_type;
}

bool is_supported(const cl_image_format& format) {
  const bool plain_order =
      std::find(std::begin(orders), std::end(orders), format.image_channel_order) != std::end(orders);
  const bool plain_type =
      std::find(std::begin(types), std::end(types), format.image_channel_data_type) != std::end(types);
  const bool allowed = format.image_channel_order != CL_DEPTH || state().options.version >= Version{2, 0};
  return plain_order && plain_type && allowed && is_combined(format);
}

std::size_t pixel_bytes(const cl_image_format& format) {
  return channel_bytes(format.image_channel_data_type) * components(format.image_channel_order).size();
}

std::vector<unsigned char> pack_pixel(const cl_image_format& format, const void* color) {
  const std::vector<int> order = components(format.image_channel_order);
  const std::size_t bytes = channel_bytes(format.image_channel_data_type);
  std::vector<unsigned char> pixel(order.size() * bytes);
  for (std::size_t i = 0; i < order.size(); ++i) {
    store_channel(pixel.data() + i * bytes, format.image_channel_data_type,
                  static_cast<const unsigned char*>(color) + 4 * order[i]);
  }
  return pixel;
}

std::vector<cl_image_format> supported_formats() {
  std::vector<cl_image_format> formats;
  for (const cl_channel_order order : orders) {
    for (const cl_channel_type type : types) {
      if (is_supported({order, type})) {
        formats.push_back({order, type});
      }
    }
  }
  return formats;
}

namespace api {

cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                                              cl_uint size, cl_image_format* formats, cl_uint* count) {
  return run(Entry::clGetSupportedImageFormats, [&](Call&) {
    checked(context, CL_INVALID_CONTEXT);
    require(type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER &&
                (size != 0 || formats == nullptr),
            CL_INVALID_VALUE);
    constexpr cl_mem_flags known = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY |
                                   CL_MEM_KERNEL_READ_AND_WRITE | CL_MEM_USE_HOST_PTR |
                                   CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    require((flags & ~known) == 0, CL_INVALID_VALUE);
    const std::vector<cl_image_format> found =
        state().options.images ? supported_formats() : std::vector<cl_image_format>();
    if (formats != nullptr) {
      std::copy_n(found.begin(), std::min<std::size_t>(size, found.size()), formats);
    }
    if (count != nullptr) {
      *count = static_cast<cl_uint>(found.size());
    }
  });
}

}  // namespace api
}  // namespace stub
