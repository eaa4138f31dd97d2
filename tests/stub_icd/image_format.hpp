// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pixel formats: which there are, how large their pixels are, and what bytes a color is.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <vector>

namespace stub {

/// Orders and types that OpenCL knows, in a combination that it allows.
bool is_valid(const cl_image_format& format);

bool is_supported(const cl_image_format& format);

/// Bytes of a pixel of a valid format.
std::size_t pixel_bytes(const cl_image_format& format);

/// The pixel that clEnqueueFillImage makes of four floats, ints or uints (CL_DEPTH: one float).
std::vector<unsigned char> pack_pixel(const cl_image_format& format, const void* color);

std::vector<cl_image_format> supported_formats();

}  // namespace stub
