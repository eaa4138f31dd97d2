// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Commands on images, each after a check of both sides' bounds.
#include "memory/image_transfer.hpp"

#include "memory/image.hpp"
#include "memory/object.hpp"
#include "memory/range.hpp"

namespace clpool::core {
namespace {

Status enqueued(cl_int code, const char* routine, const ImageRegion& part) noexcept {
  return code == CL_SUCCESS
             ? Status::success
             : fail_cl(code, routine, "%zu x %zu x %zu pixels from (%zu, %zu, %zu) on", part.region[0],
                       part.region[1], part.region[2], part.origin[0], part.origin[1], part.origin[2]);
}

/// Of two regions of one image; both lie within it.
bool overlap(const ImageRegion& part, const std::size_t (&target)[3]) noexcept {
  bool does = true;
  for (int i = 0; i < 3; ++i) {
    does = does && part.origin[i] < target[i] + part.region[i] && target[i] < part.origin[i] + part.region[i];
  }
  return does;
}

/// What memory outside the image a region needs, and the row pitch that the driver is told.
Status extent_of(const Mem& image, const ImageRegion& part, std::size_t& row_pitch, std::size_t slice_pitch,
                 std::size_t& extent) {
  ImageShape shape;
  CLPOOL_TRY(image_shape(image, shape));
  if (slice_pitch != 0 && !has_slices(shape.type)) {
    return fail(Status::invalid_value, "the slice pitch is %zu bytes, an image without slices needs 0",
                slice_pitch);
  }
  std::size_t item = 0;
  CLPOOL_TRY(image_item_size(image, item));
  std::size_t row = row_pitch;
  std::size_t slice = slice_pitch;
  CLPOOL_TRY(lay_out_image(shape.type, part.region, item, row, slice, extent));
  row_pitch = told_row_pitch(shape.type, row_pitch, slice_pitch);
  return Status::success;
}

Status check_host(const cl::Order& order, const Mem& image, const ImageRegion& part, const void* host,
                  std::size_t host_size, std::size_t& row_pitch, std::size_t slice_pitch) {
  CLPOOL_TRY(cl::check_order(order));
  CLPOOL_TRY(check_image_region(image, part.origin, part.region));
  std::size_t extent = 0;
  CLPOOL_TRY(extent_of(image, part, row_pitch, slice_pitch, extent));
  if (extent > host_size) {
    return fail(Status::invalid_value, "the region takes %zu bytes of host memory, %zu were given", extent,
                host_size);
  }
  return extent == 0 || host != nullptr ? Status::success
                                        : fail(Status::invalid_value, "host memory is NULL");
}

Status check_buffer(const cl::Order& order, const Mem& buffer, std::size_t offset, const Mem& image,
                    const ImageRegion& part) {
  CLPOOL_TRY(cl::check_order(order));
  CLPOOL_TRY(require_buffer(buffer));
  CLPOOL_TRY(check_image_region(image, part.origin, part.region));
  std::size_t row_pitch = 0;
  std::size_t extent = 0;
  CLPOOL_TRY(extent_of(image, part, row_pitch, 0, extent));
  return resolve_size(extent, side_of("the buffer", buffer, offset));
}

/// Bytes of a buffer by way of its root: PoCL (3.1 seen) crashes when one side is a sub-buffer.
Status find_place(const Mem& buffer, std::size_t offset, PlaceInBuffer& place) noexcept {
  CLPOOL_TRY(buffer.owner->root_of(buffer, place.buffer, place.offset));
  place.offset += offset;
  return Status::success;
}

}  // namespace

Status fill_image(const cl::Order& order, Mem& image, const Pattern& color, const ImageRegion& part) {
  CLPOOL_TRY(cl::check_order(order));
  CLPOOL_TRY(check_image_region(image, part.origin, part.region));
  cl_image_format format = {};
  CLPOOL_TRY(image_format(image, format));
  const std::size_t needed = format.image_channel_order == CL_DEPTH ? sizeof(cl_float) : 4 * sizeof(cl_float);
  if (color.data == nullptr) {
    return fail(Status::invalid_value, "the color is NULL, a fill of this image needs %zu bytes", needed);
  }
  if (color.size != needed) {
    return fail(Status::invalid_value, "the color has %zu bytes, a fill of this image needs %zu", color.size,
                needed);
  }
  CLPOOL_TRY(cl::require_queue_version(order.queue, {1, 2}, "filling images"));
  if (is_empty(part.region)) {
    return cl::do_nothing(order);
  }
  CLPOOL_TRY(begin_use(order, {&image}));
  return enqueued(clEnqueueFillImage(order.queue, image.handle, color.data, part.origin, part.region,
                                     order.wait_count, order.waits, order.event),
                  "clEnqueueFillImage", part);
}

Status read_image(const cl::Order& order, Mem& image, const ImageRegion& part, const HostTarget& host,
                  std::size_t row_pitch, std::size_t slice_pitch, bool blocking) {
  CLPOOL_TRY(check_host(order, image, part, host.data, host.size, row_pitch, slice_pitch));
  if (is_empty(part.region)) {
    return cl::do_nothing(order);
  }
  CLPOOL_TRY(begin_use(order, {&image}));
  return enqueued(
      clEnqueueReadImage(order.queue, image.handle, blocking ? CL_TRUE : CL_FALSE, part.origin, part.region,
                         row_pitch, slice_pitch, host.data, order.wait_count, order.waits, order.event),
      "clEnqueueReadImage", part);
}

Status write_image(const cl::Order& order, Mem& image, const ImageRegion& part, const HostSource& host,
                   std::size_t row_pitch, std::size_t slice_pitch, bool blocking) {
  CLPOOL_TRY(check_host(order, image, part, host.data, host.size, row_pitch, slice_pitch));
  if (is_empty(part.region)) {
    return cl::do_nothing(order);
  }
  CLPOOL_TRY(begin_use(order, {&image}));
  return enqueued(
      clEnqueueWriteImage(order.queue, image.handle, blocking ? CL_TRUE : CL_FALSE, part.origin, part.region,
                          row_pitch, slice_pitch, host.data, order.wait_count, order.waits, order.event),
      "clEnqueueWriteImage", part);
}

Status copy_image(const cl::Order& order, Mem& target, const std::size_t (&target_origin)[3], Mem& source,
                  const ImageRegion& part) {
  CLPOOL_TRY(cl::check_order(order));
  CLPOOL_TRY(check_image_region(source, part.origin, part.region));
  CLPOOL_TRY(check_image_region(target, target_origin, part.region));
  if (is_empty(part.region)) {
    return cl::do_nothing(order);
  }
  if (source.handle == target.handle && overlap(part, target_origin)) {  // which not every driver sees
    return fail_cl(CL_MEM_COPY_OVERLAP, "clEnqueueCopyImage", "the region of %zu x %zu x %zu overlaps itself",
                   part.region[0], part.region[1], part.region[2]);
  }
  CLPOOL_TRY(begin_use(order, {&target, &source}));
  return enqueued(clEnqueueCopyImage(order.queue, source.handle, target.handle, part.origin, target_origin,
                                     part.region, order.wait_count, order.waits, order.event),
                  "clEnqueueCopyImage", part);
}

Status copy_image_to_buffer(const cl::Order& order, Mem& buffer, std::size_t offset, Mem& image,
                            const ImageRegion& part) {
  CLPOOL_TRY(check_buffer(order, buffer, offset, image, part));
  if (is_empty(part.region)) {
    return cl::do_nothing(order);
  }
  CLPOOL_TRY(begin_use(order, {&buffer, &image}));
  PlaceInBuffer place;
  CLPOOL_TRY(find_place(buffer, offset, place));
  return enqueued(
      clEnqueueCopyImageToBuffer(order.queue, image.handle, place.buffer, part.origin, part.region,
                                 place.offset, order.wait_count, order.waits, order.event),
      "clEnqueueCopyImageToBuffer", part);
}

Status copy_buffer_to_image(const cl::Order& order, Mem& image, const ImageRegion& part, Mem& buffer,
                            std::size_t offset) {
  CLPOOL_TRY(check_buffer(order, buffer, offset, image, part));
  if (is_empty(part.region)) {
    return cl::do_nothing(order);
  }
  CLPOOL_TRY(begin_use(order, {&buffer, &image}));
  PlaceInBuffer place;
  CLPOOL_TRY(find_place(buffer, offset, place));
  return enqueued(
      clEnqueueCopyBufferToImage(order.queue, place.buffer, image.handle, place.offset, part.origin,
                                 part.region, order.wait_count, order.waits, order.event),
      "clEnqueueCopyBufferToImage", part);
}

}  // namespace clpool::core
