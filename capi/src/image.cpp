// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Shims of clpool/image.h: formats, creation and shape. Commands are in image_transfer.cpp.
#include "clpool/image.h"

#include <algorithm>
#include <vector>

#include "command.hpp"
#include "memory/image.hpp"
#include "memory/image_array.hpp"
#include "memory/image_format.hpp"
#include "text.hpp"

using clpool::capi::begin_output;
using clpool::capi::clear_result;
using clpool::capi::create_mem;
using clpool::capi::guarded;
using clpool::capi::read_triple;
using clpool::capi::require;
using clpool::capi::to_core;
using clpool::core::ElementType;
using clpool::core::Mem;
using clpool::core::Status;

static_assert(CLPOOL_ELEMENT_INT8 == static_cast<int>(ElementType::int8));
static_assert(CLPOOL_ELEMENT_UINT8 == static_cast<int>(ElementType::uint8));
static_assert(CLPOOL_ELEMENT_INT16 == static_cast<int>(ElementType::int16));
static_assert(CLPOOL_ELEMENT_UINT16 == static_cast<int>(ElementType::uint16));
static_assert(CLPOOL_ELEMENT_INT32 == static_cast<int>(ElementType::int32));
static_assert(CLPOOL_ELEMENT_UINT32 == static_cast<int>(ElementType::uint32));
static_assert(CLPOOL_ELEMENT_FLOAT16 == static_cast<int>(ElementType::float16));
static_assert(CLPOOL_ELEMENT_FLOAT32 == static_cast<int>(ElementType::float32));

namespace {}  // namespace

clpool_status clpool_image_channel_count(cl_channel_order order, uint32_t* count) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(clear_result(count, "clpool_image_channel_count", "count"));
    return clpool::core::channel_count(order, *count);
  });
}

clpool_status clpool_image_channel_size(cl_channel_type type, size_t* bytes) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(clear_result(bytes, "clpool_image_channel_size", "bytes"));
    return clpool::core::channel_size(type, *bytes);
  });
}

clpool_status clpool_image_item_size(const cl_image_format* format, size_t* bytes) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(clear_result(bytes, "clpool_image_item_size", "bytes"));
    CLPOOL_TRY(require(format, "clpool_image_item_size", "format"));
    return clpool::core::item_size(*format, *bytes);
  });
}

const char* clpool_image_channel_order_name(cl_channel_order order) noexcept {
  return clpool::core::channel_order_name(order);
}

const char* clpool_image_channel_type_name(cl_channel_type type) noexcept {
  return clpool::core::channel_type_name(type);
}

clpool_status clpool_image_formats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                                   cl_image_format* formats, size_t capacity, size_t* count) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(begin_output(formats, capacity, count, "clpool_image_formats"));
    CLPOOL_TRY(require(context, "clpool_image_formats", "context"));
    std::vector<cl_image_format> found;
    CLPOOL_TRY(clpool::core::supported_formats(context, flags, type, found));
    std::copy_n(found.begin(), std::min(capacity, found.size()), formats);
    *count = found.size();
    return Status::success;
  });
}

void clpool_image_options_init(clpool_image_options* options) noexcept {
  clpool::capi::initialize<clpool_image_options>(options, CLPOOL_IMAGE_OPTIONS_INIT);
}

clpool_status clpool_image_create(cl_context context, const clpool_image_options* options,
                                  clpool_mem** out) noexcept {
  return create_mem(out, __func__, [&](Mem*& mem) -> Status {
    constexpr const char* function = "clpool_image_create";
    CLPOOL_TRY(require(context, function, "context"));
    CLPOOL_TRY(require(options, function, "options"));
    clpool_image_options known = CLPOOL_IMAGE_OPTIONS_INIT;
    CLPOOL_TRY(clpool::capi::read_options(options, known, function));
    CLPOOL_TRY(clpool::capi::require_zero(known.reserved, function));
    clpool::core::ImageDescription image;
    image.flags = known.flags;
    image.format = known.format;
    image.dimensions = known.dimensions;
    read_triple(known.shape, image.shape);
    image.is_array = known.is_array != 0;
    image.row_pitch = known.row_pitch;
    image.slice_pitch = known.slice_pitch;
    image.host = known.host;
    image.host_size = known.host_size;
    image.buffer = to_core(known.buffer);
    return clpool::core::create_image(context, image, mem);
  });
}

void clpool_image_array_init(clpool_image_array* array) noexcept {
  clpool::capi::initialize<clpool_image_array>(array, CLPOOL_IMAGE_ARRAY_INIT);
}

clpool_status clpool_image_create_from_array(cl_context context, const clpool_image_array* array,
                                             clpool_mem** out) noexcept {
  return create_mem(out, __func__, [&](Mem*& mem) -> Status {
    constexpr const char* function = "clpool_image_create_from_array";
    CLPOOL_TRY(require(context, function, "context"));
    CLPOOL_TRY(require(array, function, "array"));
    clpool_image_array known = CLPOOL_IMAGE_ARRAY_INIT;
    CLPOOL_TRY(clpool::capi::read_options(array, known, function));
    CLPOOL_TRY(clpool::capi::require_zero(known.reserved, function));
    clpool::core::ArrayDescription description;
    description.access = known.access;
    description.element = static_cast<ElementType>(known.element);
    description.channels = known.channels;
    description.is_normalized = known.normalized != 0;
    description.dimensions = known.dimensions;
    read_triple(known.shape, description.shape);
    description.data = known.data;
    description.size = known.size;
    return clpool::core::create_image_from_array(context, description, mem);
  });
}

clpool_status clpool_image_shape(const clpool_mem* image, uint32_t* dimensions, size_t shape[3]) noexcept {
  return guarded([&]() -> Status {
    if (shape != nullptr) {
      std::fill_n(shape, 3, std::size_t{0});
    }
    CLPOOL_TRY(clear_result(dimensions, "clpool_image_shape", "dimensions"));
    CLPOOL_TRY(require(shape, "clpool_image_shape", "shape"));
    CLPOOL_TRY(require(image, "clpool_image_shape", "image"));
    clpool::core::ImageShape found;
    CLPOOL_TRY(clpool::core::image_shape(*to_core(image), found));
    *dimensions = found.dimensions;
    std::copy_n(found.shape, 3, shape);
    return Status::success;
  });
}

clpool_status clpool_image_format(const clpool_mem* image, cl_image_format* format) noexcept {
  return guarded([&]() -> Status {
    CLPOOL_TRY(clear_result(format, "clpool_image_format", "format"));
    CLPOOL_TRY(require(image, "clpool_image_format", "image"));
    return clpool::core::image_format(*to_core(image), *format);
  });
}
