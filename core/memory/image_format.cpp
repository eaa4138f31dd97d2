// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Tables of channel orders and channel types (OpenCL 3.0, "Image Format Descriptor").
#include "memory/image_format.hpp"

namespace clpool::core {
namespace {

struct Order {
  cl_channel_order order;
  std::uint32_t channels;
  const char* name;
};
#define CLPOOL_ORDER(name, channels) \
  { name, channels, #name }
constexpr Order orders[] = {
    CLPOOL_ORDER(CL_R, 1),         CLPOOL_ORDER(CL_A, 1),           CLPOOL_ORDER(CL_RG, 2),
    CLPOOL_ORDER(CL_RA, 2),        CLPOOL_ORDER(CL_RGB, 3),         CLPOOL_ORDER(CL_RGBA, 4),
    CLPOOL_ORDER(CL_BGRA, 4),      CLPOOL_ORDER(CL_ARGB, 4),        CLPOOL_ORDER(CL_INTENSITY, 1),
    CLPOOL_ORDER(CL_LUMINANCE, 1), CLPOOL_ORDER(CL_Rx, 1),          CLPOOL_ORDER(CL_RGx, 2),
    CLPOOL_ORDER(CL_RGBx, 3),      CLPOOL_ORDER(CL_DEPTH, 1),       CLPOOL_ORDER(CL_sRGB, 3),
    CLPOOL_ORDER(CL_sRGBx, 3),     CLPOOL_ORDER(CL_sRGBA, 4),       CLPOOL_ORDER(CL_sBGRA, 4),
    CLPOOL_ORDER(CL_ABGR, 4),      {0x10BE, 2, "CL_DEPTH_STENCIL"},  // cl_khr_gl_depth_images
};
#undef CLPOOL_ORDER

struct Type {
  cl_channel_type type;
  std::uint8_t bytes;
  bool packed;  ///< all channels in so many bytes
  const char* name;
};
#define CLPOOL_TYPE(name, bytes, packed) \
  { name, bytes, packed, #name }
constexpr Type types[] = {
    CLPOOL_TYPE(CL_SNORM_INT8, 1, false),
    CLPOOL_TYPE(CL_SNORM_INT16, 2, false),
    CLPOOL_TYPE(CL_UNORM_INT8, 1, false),
    CLPOOL_TYPE(CL_UNORM_INT16, 2, false),
    CLPOOL_TYPE(CL_UNORM_SHORT_565, 2, true),
    CLPOOL_TYPE(CL_UNORM_SHORT_555, 2, true),
    CLPOOL_TYPE(CL_UNORM_INT_101010, 4, true),
    CLPOOL_TYPE(CL_SIGNED_INT8, 1, false),
    CLPOOL_TYPE(CL_SIGNED_INT16, 2, false),
    CLPOOL_TYPE(CL_SIGNED_INT32, 4, false),
    CLPOOL_TYPE(CL_UNSIGNED_INT8, 1, false),
    CLPOOL_TYPE(CL_UNSIGNED_INT16, 2, false),
    CLPOOL_TYPE(CL_UNSIGNED_INT32, 4, false),
    CLPOOL_TYPE(CL_HALF_FLOAT, 2, false),
    CLPOOL_TYPE(CL_FLOAT, 4, false),
    {0x10DF, 4, true, "CL_UNORM_INT24"},
    CLPOOL_TYPE(CL_UNORM_INT_101010_2, 4, true),
};
#undef CLPOOL_TYPE

const Order* find_order(cl_channel_order order) noexcept {
  for (const Order& entry : orders) {
    if (entry.order == order) {
      return &entry;
    }
  }
  return nullptr;
}

const Type* find_type(cl_channel_type type) noexcept {
  for (const Type& entry : types) {
    if (entry.type == type) {
      return &entry;
    }
  }
  return nullptr;
}

}  // namespace

Status channel_count(cl_channel_order order, std::uint32_t& count) noexcept {
  const Order* const entry = find_order(order);
  if (entry == nullptr) {
    return fail(Status::not_found, "channel order 0x%X is unknown", order);
  }
  count = entry->channels;
  return Status::success;
}

Status channel_size(cl_channel_type type, std::size_t& bytes) noexcept {
  const Type* const entry = find_type(type);
  if (entry == nullptr) {
    return fail(Status::not_found, "channel type 0x%X is unknown", type);
  }
  bytes = entry->bytes;
  return Status::success;
}

Status item_size(const cl_image_format& format, std::size_t& bytes) noexcept {
  std::uint32_t channels = 0;
  CLPOOL_TRY(channel_count(format.image_channel_order, channels));
  CLPOOL_TRY(channel_size(format.image_channel_data_type, bytes));
  if (!find_type(format.image_channel_data_type)->packed) {
    bytes *= channels;
  }
  return Status::success;
}

const char* channel_order_name(cl_channel_order order) noexcept {
  const Order* const entry = find_order(order);
  return entry != nullptr ? entry->name : nullptr;
}

const char* channel_type_name(cl_channel_type type) noexcept {
  const Type* const entry = find_type(type);
  return entry != nullptr ? entry->name : nullptr;
}

Status supported_formats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                         std::vector<cl_image_format>& formats) {
  cl_uint count = 0;
  cl_int code = clGetSupportedImageFormats(context, flags, type, 0, nullptr, &count);
  if (code == CL_SUCCESS && count != 0) {
    formats.resize(count);
    code = clGetSupportedImageFormats(context, flags, type, count, formats.data(), nullptr);
  }
  return code == CL_SUCCESS ? Status::success
                            : fail_cl(code, "clGetSupportedImageFormats", "image type 0x%X with flags 0x%llX",
                                      type, static_cast<unsigned long long>(flags));
}

}  // namespace clpool::core
