// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Image formats as plain facts: how many channels an order has, how many bytes a pixel takes, names.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/status.hpp"

namespace clpool::core {

/// Channels of an order, as Khronos' conformance tests count them. NOT_FOUND for unknown ones.
Status channel_count(cl_channel_order order, std::uint32_t& count) noexcept;

/// Bytes of one channel; for packed types such as CL_UNORM_SHORT_565 those of the whole pixel. NOT_FOUND for
/// unknown ones.
Status channel_size(cl_channel_type type, std::size_t& bytes) noexcept;

/// Bytes of one pixel.
Status item_size(const cl_image_format& format, std::size_t& bytes) noexcept;

/// "CL_RGBA"; null for unknown numbers.
const char* channel_order_name(cl_channel_order order) noexcept;
/// "CL_UNORM_INT8"; null for unknown numbers.
const char* channel_type_name(cl_channel_type type) noexcept;

/// clGetSupportedImageFormats.
Status supported_formats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                         std::vector<cl_image_format>& formats);

}  // namespace clpool::core
