// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Images of every type: creation, shape, bounds. Pixels are counted x first: width, height or layers, depth
// or layers.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>

#include "base/mem.hpp"

namespace clpool::core {

/// What a new image is to be.
struct ImageDescription {
  cl_mem_flags flags = 0;
  cl_image_format format = {};
  std::uint32_t dimensions = 0;  ///< entries of shape, 1…3; the last one of an array counts its layers
  std::size_t shape[3] = {};
  bool is_array = false;
  std::size_t row_pitch = 0;    ///< bytes in host memory or buffer; 0: tight
  std::size_t slice_pitch = 0;  ///< bytes
  void* host = nullptr;
  std::size_t host_size = 0;
  Mem* buffer = nullptr;  ///< the image lies in this buffer, which it keeps alive
};
Status create_image(cl_context context, const ImageDescription& description, Mem*& result);

/// Refuses what create_image() refuses without asking the driver: all but what its devices say of the format.
Status check_image(cl_context context, const ImageDescription& description);

/// Shape of an image, as many entries as dimensions.
struct ImageShape {
  cl_mem_object_type type = 0;
  std::uint32_t dimensions = 0;
  std::size_t shape[3] = {1, 1, 1};
};
Status image_shape(const Mem& image, ImageShape& shape);
Status image_format(const Mem& image, cl_image_format& format);
Status image_item_size(const Mem& image, std::size_t& bytes);

/// INVALID_VALUE, naming the axis, for a region that is not within the image.
Status check_image_region(const Mem& image, const std::size_t (&origin)[3], const std::size_t (&region)[3]);

/// Host memory of a region of an image: fills in tight pitches, checks given ones, and gives the bytes from
/// the first pixel to the end of the last one.
Status lay_out_image(cl_mem_object_type type, const std::size_t (&region)[3], std::size_t item_bytes,
                     std::size_t& row_pitch, std::size_t& slice_pitch, std::size_t& extent) noexcept;

/// Whether there is anything to step over from slice to slice, or layer to layer.
bool has_slices(cl_mem_object_type type) noexcept;

/// The row pitch that a driver is told. PoCL 3.1 and rusticl 22.3 go from layer to layer of an array of 1-D images by
/// the rows' pitch instead of the slices'; as each layer is one row, both may be the same.
std::size_t told_row_pitch(cl_mem_object_type type, std::size_t row_pitch, std::size_t slice_pitch) noexcept;

}  // namespace clpool::core
