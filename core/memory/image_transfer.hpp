// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Fills and copies of images, in all directions. Origins and regions in pixels, x first; regions with a 0 in
// them do nothing and give a completed event.
#pragma once

#include <CL/cl.h>

#include <cstddef>

#include "base/mem.hpp"
#include "cl/order.hpp"
#include "memory/transfer.hpp"

namespace clpool::core {

struct ImageRegion {
  std::size_t origin[3] = {};
  std::size_t region[3] = {};
};

/// `color`: 16 bytes, four floats, ints or unsigned ints as the format wants; 4 bytes for depth images.
Status fill_image(const cl::Order& order, Mem& image, const Pattern& color, const ImageRegion& part);

/// Pitches of the host memory in bytes; 0 means tight.
Status read_image(const cl::Order& order, Mem& image, const ImageRegion& part, const HostTarget& host,
                  std::size_t row_pitch, std::size_t slice_pitch, bool blocking);
Status write_image(const cl::Order& order, Mem& image, const ImageRegion& part, const HostSource& host,
                   std::size_t row_pitch, std::size_t slice_pitch, bool blocking);

Status copy_image(const cl::Order& order, Mem& target, const std::size_t (&target_origin)[3], Mem& source,
                  const ImageRegion& part);
/// The buffer holds the region without gaps from `offset` (bytes) on.
Status copy_image_to_buffer(const cl::Order& order, Mem& buffer, std::size_t offset, Mem& image,
                            const ImageRegion& part);
Status copy_buffer_to_image(const cl::Order& order, Mem& image, const ImageRegion& part, Mem& buffer,
                            std::size_t offset);

}  // namespace clpool::core
