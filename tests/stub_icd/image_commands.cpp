// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Commands on images, all of them copies of boxes of bytes.
#include "api.hpp"
#include "image.hpp"
#include "image_format.hpp"

namespace stub {
namespace {

/// Host memory of a region with the caller's pitches, 0 meaning packed. Drivers differ in which of two they take for the layers
/// of one row of a 1-D array: here it is the row pitch.
Box host_box(const Mem& image, const Triple& bytes, std::size_t row_pitch, std::size_t slice_pitch) {
  if (image.type == CL_MEM_OBJECT_IMAGE1D_ARRAY && row_pitch != 0 && slice_pitch != 0) {
    slice_pitch = row_pitch;
  }
  Box box{0, row_pitch != 0 ? row_pitch : bytes[0], 0};
  require(box.row_pitch >= bytes[0], CL_INVALID_VALUE);
  require(slice_pitch == 0 || has_slices(image), CL_INVALID_VALUE);
  box.slice_pitch = slice_pitch != 0 ? slice_pitch : box.row_pitch * bytes[1];
  require(box.slice_pitch >= box.row_pitch * bytes[1], CL_INVALID_VALUE);
  return box;
}

/// Packed pixels in a buffer.
Box buffer_box(const Mem& buffer, std::size_t offset, const Triple& bytes) {
  require_range(buffer, offset, bytes[0] * bytes[1] * bytes[2]);
  return {offset, bytes[0], bytes[0] * bytes[1]};
}

bool same_format(const Mem& a, const Mem& b) {
  return a.format.image_channel_order == b.format.image_channel_order &&
         a.format.image_channel_data_type == b.format.image_channel_data_type;
}

bool regions_overlap(const Triple& a, const Triple& b, const Triple& region) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (a[axis] >= b[axis] + region[axis] || b[axis] >= a[axis] + region[axis]) {
      return false;
    }
  }
  return true;
}

/// Between an image and a buffer.
struct Transfer {
  Mem& image;
  Mem& buffer;
  Box in_image, in_buffer;
  Triple bytes;
};

Transfer plan_transfer(const Queue& queue, cl_mem image, cl_mem buffer, const size_t* origin,
                       const size_t* region, std::size_t offset) {
  Mem& i = image_operand(queue, image);
  Mem& b = buffer_operand(queue, buffer);
  const Triple extent = triple(region);
  const Box in_image = box_in_image(i, triple(origin), extent);
  const Triple bytes = bytes_of_region(i, extent);
  return {i, b, in_image, buffer_box(b, offset, bytes), bytes};
}

}  // namespace

namespace api {

cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                      const size_t* origin, const size_t* region, size_t row_pitch,
                                      size_t slice_pitch, void* pointer, cl_uint count, const cl_event* waits,
                                      cl_event* event) {
  return run(Entry::clEnqueueReadImage, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    Mem& source = image_operand(q, image);
    const Triple extent = triple(region);
    const Box from = box_in_image(source, triple(origin), extent);
    const Triple bytes = bytes_of_region(source, extent);
    const Box to = host_box(source, bytes, row_pitch, slice_pitch);
    require(pointer != nullptr, CL_INVALID_VALUE);
    require_host_can(source, CL_MEM_HOST_WRITE_ONLY);
    const Order order{blocking, count, waits, event};
    check_order(q, order);
    use(call, source);
    enqueue(call, q, CL_COMMAND_READ_IMAGE, order, [=, s = Ref<Mem>(&source), host = place_at(pointer)] {
      copy_box(host.bytes(), to, bytes_of(s), from, bytes);
    });
  });
}

cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking,
                                       const size_t* origin, const size_t* region, size_t row_pitch,
                                       size_t slice_pitch, const void* pointer, cl_uint count,
                                       const cl_event* waits, cl_event* event) {
  return run(Entry::clEnqueueWriteImage, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    Mem& target = image_operand(q, image);
    const Triple extent = triple(region);
    const Box to = box_in_image(target, triple(origin), extent);
    const Triple bytes = bytes_of_region(target, extent);
    const Box from = host_box(target, bytes, row_pitch, slice_pitch);
    require(pointer != nullptr, CL_INVALID_VALUE);
    require_host_can(target, CL_MEM_HOST_READ_ONLY);
    const Order order{blocking, count, waits, event};
    check_order(q, order);
    use(call, target);
    enqueue(call, q, CL_COMMAND_WRITE_IMAGE, order, [=, t = Ref<Mem>(&target), host = place_at(pointer)] {
      copy_box(bytes_of(t), to, host.bytes(), from, bytes);
    });
  });
}

cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue, cl_mem source, cl_mem target,
                                      const size_t* source_origin, const size_t* target_origin,
                                      const size_t* region, cl_uint count, const cl_event* waits,
                                      cl_event* event) {
  return run(Entry::clEnqueueCopyImage, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    Mem& s = image_operand(q, source);
    Mem& t = image_operand(q, target);
    require(same_format(s, t), CL_IMAGE_FORMAT_MISMATCH);
    // A region that spans layers of a 1-D array and rows of a 2-D image is one of rows for both.
    const Triple extent = triple(region);
    const Triple from_origin = triple(source_origin);
    const Triple to_origin = triple(target_origin);
    Box from = box_in_image(s, from_origin, extent);
    Box to = box_in_image(t, to_origin, extent);
    if (s.type == CL_MEM_OBJECT_IMAGE1D_ARRAY) {
      from.row_pitch = from.slice_pitch;
    }
    if (t.type == CL_MEM_OBJECT_IMAGE1D_ARRAY) {
      to.row_pitch = to.slice_pitch;
    }
    require(&s != &t || !regions_overlap(from_origin, to_origin, extent), CL_MEM_COPY_OVERLAP);
    const Order order{CL_FALSE, count, waits, event};
    check_order(q, order);
    use(call, s);
    use(call, t);
    const Triple bytes = {extent[0] * s.item_size, extent[1], extent[2]};
    enqueue(call, q, CL_COMMAND_COPY_IMAGE, order, [=, held_s = Ref<Mem>(&s), held_t = Ref<Mem>(&t)] {
      copy_box(bytes_of(held_t), to, bytes_of(held_s), from, bytes);
    });
  });
}

cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void* color,
                                      const size_t* origin, const size_t* region, cl_uint count,
                                      const cl_event* waits, cl_event* event) {
  return run(Entry::clEnqueueFillImage, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    Mem& target = image_operand(q, image);
    require(color != nullptr, CL_INVALID_VALUE);
    const Triple extent = triple(region);
    const Box to = box_in_image(target, triple(origin), extent);
    const Triple bytes = bytes_of_region(target, extent);
    const Order order{CL_FALSE, count, waits, event};
    check_order(q, order);
    use(call, target);
    enqueue(call, q, CL_COMMAND_FILL_IMAGE, order,
            [=, t = Ref<Mem>(&target), pixel = pack_pixel(target.format, color)] {
              std::vector<unsigned char> row(bytes[0]);
              repeat(pixel, row.data(), row.size());
              copy_box(bytes_of(t), to, row.data(), {0, 0, 0}, bytes);
            });
  });
}

cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem image, cl_mem buffer,
                                              const size_t* origin, const size_t* region, size_t offset,
                                              cl_uint count, const cl_event* waits, cl_event* event) {
  return run(Entry::clEnqueueCopyImageToBuffer, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    const Transfer plan = plan_transfer(q, image, buffer, origin, region, offset);
    const Order order{CL_FALSE, count, waits, event};
    check_order(q, order);
    use(call, plan.image);
    use(call, plan.buffer);
    enqueue(call, q, CL_COMMAND_COPY_IMAGE_TO_BUFFER, order,
            [from = plan.in_image, to = plan.in_buffer, bytes = plan.bytes, i = Ref<Mem>(&plan.image),
             b = Ref<Mem>(&plan.buffer)] { copy_box(bytes_of(b), to, bytes_of(i), from, bytes); });
  });
}

cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem buffer, cl_mem image,
                                              size_t offset, const size_t* origin, const size_t* region,
                                              cl_uint count, const cl_event* waits, cl_event* event) {
  return run(Entry::clEnqueueCopyBufferToImage, [&](Call& call) {
    Queue& q = checked(queue, CL_INVALID_COMMAND_QUEUE);
    const Transfer plan = plan_transfer(q, image, buffer, origin, region, offset);
    const Order order{CL_FALSE, count, waits, event};
    check_order(q, order);
    use(call, plan.image);
    use(call, plan.buffer);
    enqueue(call, q, CL_COMMAND_COPY_BUFFER_TO_IMAGE, order,
            [from = plan.in_buffer, to = plan.in_image, bytes = plan.bytes, i = Ref<Mem>(&plan.image),
             b = Ref<Mem>(&plan.buffer)] { copy_box(bytes_of(i), to, bytes_of(b), from, bytes); });
  });
}

}  // namespace api
}  // namespace stub
