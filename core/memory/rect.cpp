// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Bounds and commands of rectangular copies.
#include "memory/rect.hpp"

#include "cl/quirks.hpp"
#include "memory/object.hpp"
#include "memory/range.hpp"

namespace clpool::core {
namespace {

/// Lays a box out and checks that it ends within `size` bytes.
Status check_box(const char* name, const std::size_t (&region)[3], BoxPlace& place,
                 std::size_t size) noexcept {
  std::size_t extent = 0;
  CLPOOL_TRY(lay_out(name, region, place, extent));
  return extent <= size
             ? Status::success
             : fail(Status::invalid_value,
                    "%s: the box of %zu x %zu x %zu from (%zu, %zu, %zu) on with pitches %zu and %zu ends "
                    "at byte %zu, it has %zu",
                    name, region[0], region[1], region[2], place.origin[0], place.origin[1], place.origin[2],
                    place.row_pitch, place.slice_pitch, extent, size);
}

Status copy_box_at(const cl::Order& order, const PlaceInBuffer& target, const PlaceInBuffer& source,
                   Box box) noexcept {
  box.target.origin[0] += target.offset;
  box.source.origin[0] += source.offset;
  const cl_int code =
      clEnqueueCopyBufferRect(order.queue, source.buffer, target.buffer, box.source.origin, box.target.origin,
                              box.region, box.source.row_pitch, box.source.slice_pitch, box.target.row_pitch,
                              box.target.slice_pitch, order.wait_count, order.waits, order.event);
  return code == CL_SUCCESS ? Status::success
                            : fail_cl(code, "clEnqueueCopyBufferRect", "%zu x %zu x %zu", box.region[0],
                                      box.region[1], box.region[2]);
}

std::size_t row_offset(const BoxPlace& place, std::size_t slice, std::size_t row) noexcept {
  return (place.origin[2] + slice) * place.slice_pitch + (place.origin[1] + row) * place.row_pitch +
         place.origin[0];
}

/// One command for each row: for parts of one root, which a single command on the root could not have with
/// different pitches.
Status copy_rows(const cl::Order& order, const PlaceInBuffer& target, const PlaceInBuffer& source,
                 const Box& box) {
  cl::Batch batch(order);
  for (std::size_t slice = 0; slice < box.region[2]; ++slice) {
    for (std::size_t row = 0; row < box.region[1]; ++row) {
      const cl_int code = clEnqueueCopyBuffer(
          order.queue, source.buffer, target.buffer, row_offset(box.source, slice, row),
          row_offset(box.target, slice, row), box.region[0], order.wait_count, order.waits, batch.next());
      if (code != CL_SUCCESS) {
        return fail_cl(code, "clEnqueueCopyBuffer", "row %zu of slice %zu", row, slice);
      }
    }
  }
  return batch.finish();
}

/// Whether some row of the source shares bytes with some row of the target, within one buffer. Rows follow
/// each other by rising offsets.
bool overlap(const Box& box, std::size_t source_offset, std::size_t target_offset) noexcept {
  const std::size_t rows = box.region[1] * box.region[2];
  std::size_t source = 0;
  std::size_t target = 0;
  while (source < rows && target < rows) {
    const std::size_t from =
        source_offset + row_offset(box.source, source / box.region[1], source % box.region[1]);
    const std::size_t to =
        target_offset + row_offset(box.target, target / box.region[1], target % box.region[1]);
    if (from < to + box.region[0] && to < from + box.region[0]) {
      return true;
    }
    (from < to ? source : target) += 1;
  }
  return false;
}

}  // namespace

Status lay_out(const char* name, const std::size_t (&region)[3], BoxPlace& place,
               std::size_t& extent) noexcept {
  extent = 0;
  if (is_empty(region)) {
    return Status::success;
  }
  if (place.row_pitch == 0) {
    place.row_pitch = region[0];
  }
  if (place.row_pitch < region[0]) {
    return fail(Status::invalid_value, "%s: the row pitch is %zu bytes, a row has %zu", name, place.row_pitch,
                region[0]);
  }
  std::size_t slice = 0;
  bool fits = multiply(place.row_pitch, region[1], slice);
  if (place.slice_pitch == 0) {
    place.slice_pitch = slice;
  }
  if (fits && (place.slice_pitch < slice || place.slice_pitch % place.row_pitch != 0)) {
    return fail(
        Status::invalid_value,
        "%s: the slice pitch is %zu bytes; %zu rows need %zu, and it must be a multiple of the row pitch %zu",
        name, place.slice_pitch, region[1], slice, place.row_pitch);
  }
  std::size_t last_slice = 0;
  std::size_t last_row = 0;
  fits = fits && add(place.origin[2], region[2] - 1, last_slice) &&
         multiply(last_slice, place.slice_pitch, last_slice) &&
         add(place.origin[1], region[1] - 1, last_row) && multiply(last_row, place.row_pitch, last_row) &&
         add(place.origin[0], region[0], extent) && add(extent, last_row, extent) &&
         add(extent, last_slice, extent);
  return fits
             ? Status::success
             : fail(
                   Status::invalid_value,
                   "%s: the box of %zu x %zu x %zu at %zu, %zu, %zu lies beyond the address space, with rows "
                   "of %zu bytes and slices of %zu",
                   name, region[0], region[1], region[2], place.origin[0], place.origin[1], place.origin[2],
                   place.row_pitch, place.slice_pitch);
}

Status copy_box(const cl::Order& order, Mem& target, Mem& source, Box box) {
  CLPOOL_TRY(cl::check_order(order));
  CLPOOL_TRY(require_buffer(target));
  CLPOOL_TRY(require_buffer(source));
  CLPOOL_TRY(check_box("the source", box.region, box.source, source.size));
  CLPOOL_TRY(check_box("the target", box.region, box.target, target.size));
  CLPOOL_TRY(cl::require_queue_version(order.queue, {1, 1}, "rectangular copies"));
  if (is_empty(box.region)) {
    return cl::do_nothing(order);
  }
  PlaceInBuffer to{target.handle, 0};
  PlaceInBuffer from{source.handle, 0};
  PlaceInBuffer roots[2];
  CLPOOL_TRY(target.owner->root_of(target, roots[0].buffer, roots[0].offset));
  CLPOOL_TRY(source.owner->root_of(source, roots[1].buffer, roots[1].offset));
  const bool within_one = roots[0].buffer == roots[1].buffer;
  if (within_one && overlap(box, roots[1].offset, roots[0].offset)) {
    return fail_cl(CL_MEM_COPY_OVERLAP, "clEnqueueCopyBufferRect",
                   "the box of %zu x %zu x %zu overlaps itself", box.region[0], box.region[1], box.region[2]);
  }
  if (to.buffer == from.buffer &&
      (box.source.row_pitch != box.target.row_pitch || box.source.slice_pitch != box.target.slice_pitch)) {
    return fail(Status::invalid_value,
                "within one buffer both sides of a box have the same pitches (OpenCL 3.0, "
                "clEnqueueCopyBufferRect); the source has %zu and %zu bytes, the target %zu and %zu",
                box.source.row_pitch, box.source.slice_pitch, box.target.row_pitch, box.target.slice_pitch);
  }
  CLPOOL_TRY(begin_use(order, {&target, &source}));
  bool avoids_sub_buffers = false;
  CLPOOL_TRY(cl::crashes_on_boxes_of_sub_buffers(order.queue, avoids_sub_buffers));
  if (avoids_sub_buffers) {
    if (within_one && to.buffer != from.buffer) {
      return copy_rows(order, to, from, box);
    }
    to = roots[0];
    from = roots[1];
  }
  return copy_box_at(order, to, from, box);
}

Status read_box(const cl::Order& order, Mem& source, const HostTarget& host, Box box, bool blocking) {
  CLPOOL_TRY(cl::check_order(order));
  CLPOOL_TRY(require_buffer(source));
  CLPOOL_TRY(check_box("the memory", box.region, box.source, source.size));
  CLPOOL_TRY(check_box("the host memory", box.region, box.target, host.size));
  CLPOOL_TRY(cl::require_queue_version(order.queue, {1, 1}, "rectangular copies"));
  if (is_empty(box.region)) {
    return cl::do_nothing(order);
  }
  if (host.data == nullptr) {
    return fail(Status::invalid_value, "host memory is NULL");
  }
  CLPOOL_TRY(begin_use(order, {&source}));
  const cl_int code = clEnqueueReadBufferRect(
      order.queue, source.handle, blocking ? CL_TRUE : CL_FALSE, box.source.origin, box.target.origin,
      box.region, box.source.row_pitch, box.source.slice_pitch, box.target.row_pitch, box.target.slice_pitch,
      host.data, order.wait_count, order.waits, order.event);
  return code == CL_SUCCESS ? Status::success
                            : fail_cl(code, "clEnqueueReadBufferRect", "%zu x %zu x %zu", box.region[0],
                                      box.region[1], box.region[2]);
}

Status write_box(const cl::Order& order, Mem& target, const HostSource& host, Box box, bool blocking) {
  CLPOOL_TRY(cl::check_order(order));
  CLPOOL_TRY(require_buffer(target));
  CLPOOL_TRY(check_box("the host memory", box.region, box.source, host.size));
  CLPOOL_TRY(check_box("the memory", box.region, box.target, target.size));
  CLPOOL_TRY(cl::require_queue_version(order.queue, {1, 1}, "rectangular copies"));
  if (is_empty(box.region)) {
    return cl::do_nothing(order);
  }
  if (host.data == nullptr) {
    return fail(Status::invalid_value, "host memory is NULL");
  }
  CLPOOL_TRY(begin_use(order, {&target}));
  const cl_int code = clEnqueueWriteBufferRect(
      order.queue, target.handle, blocking ? CL_TRUE : CL_FALSE, box.target.origin, box.source.origin,
      box.region, box.target.row_pitch, box.target.slice_pitch, box.source.row_pitch, box.source.slice_pitch,
      host.data, order.wait_count, order.waits, order.event);
  return code == CL_SUCCESS ? Status::success
                            : fail_cl(code, "clEnqueueWriteBufferRect", "%zu x %zu x %zu", box.region[0],
                                      box.region[1], box.region[2]);
}

}  // namespace clpool::core
