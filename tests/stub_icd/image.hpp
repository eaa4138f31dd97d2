// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Images: shape and layout, which their commands, maps and kernels need.
#pragma once

#include "commands.hpp"

namespace stub {

inline Mem& image_operand(const Queue& queue, cl_mem mem) {
  Mem& m = operand(queue, mem);
  require(m.is_image(), CL_INVALID_MEM_OBJECT);
  return m;
}

/// True for what has a slice pitch: 3-D images and arrays.
bool has_slices(const Mem& image);

/// Bytes of a row, rows and slices of a region of pixels. The layers of a 1-D array are slices.
Triple bytes_of_region(const Mem& image, const Triple& region);

/// Where a region lies in the image's memory; refuses what is out of bounds.
Box box_in_image(const Mem& image, const Triple& origin, const Triple& region);

}  // namespace stub
