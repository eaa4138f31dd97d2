// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Creation and shape of images.
#include "memory/image.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "allocator/facts.hpp"
#include "cl/info.hpp"
#include "cl/quirks.hpp"
#include "memory/image_format.hpp"
#include "memory/info.hpp"
#include "memory/object.hpp"
#include "memory/range.hpp"

namespace clpool::core {
namespace {

Status choose_type(const ImageDescription& description, cl_mem_object_type& type) noexcept {
  if (description.dimensions < 1 || description.dimensions > 3) {
    return fail(Status::invalid_value, "dimensions is %u, valid are 1 to 3", description.dimensions);
  }
  if (description.is_array) {
    if (description.dimensions == 1 || description.buffer != nullptr) {
      return fail(Status::invalid_value,
                  "an image array has 2 or 3 dimensions, the last its layers, and no buffer");
    }
    type = description.dimensions == 2 ? CL_MEM_OBJECT_IMAGE1D_ARRAY : CL_MEM_OBJECT_IMAGE2D_ARRAY;
    return Status::success;
  }
  if (description.buffer != nullptr && description.dimensions == 3) {
    return fail(Status::invalid_value, "an image in a buffer has 1 or 2 dimensions, not 3");
  }
  constexpr cl_mem_object_type plain[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE2D,
                                          CL_MEM_OBJECT_IMAGE3D};
  type = description.buffer != nullptr && description.dimensions == 1 ? CL_MEM_OBJECT_IMAGE1D_BUFFER
                                                                      : plain[description.dimensions - 1];
  return Status::success;
}

Status check_shape(const ImageDescription& description) noexcept {
  for (std::uint32_t i = 0; i < description.dimensions; ++i) {
    if (description.shape[i] == 0) {
      return fail(Status::invalid_value, "shape[%u] is 0, the least is 1", i);
    }
  }
  const bool has_memory = description.host != nullptr || description.buffer != nullptr;
  if (!has_memory && (description.row_pitch != 0 || description.slice_pitch != 0)) {
    return fail(Status::invalid_value, "pitches %zu and %zu are given, but neither host memory nor a buffer",
                description.row_pitch, description.slice_pitch);
  }
  CLPOOL_TRY(check_access_flags(description.flags));
  CLPOOL_TRY(check_host_memory_flags(description.flags, description.host));
  return Status::success;
}

/// Checks that the memory behind the image is large enough. The standard lets the driver read whole rows and
/// slices, the padding after the last one included.
Status check_memory(const ImageDescription& description, cl_mem_object_type type) noexcept {
  std::size_t item = 0;
  CLPOOL_TRY(item_size(description.format, item));
  const std::size_t region[3] = {description.shape[0], description.dimensions > 1 ? description.shape[1] : 1,
                                 description.dimensions > 2 ? description.shape[2] : 1};
  std::size_t row = description.row_pitch;
  std::size_t slice = description.slice_pitch;
  std::size_t needed = 0;
  CLPOOL_TRY(lay_out_image(type, region, item, row, slice, needed));
  if (description.slice_pitch != 0 && !has_slices(type)) {
    return fail(Status::invalid_value, "the slice pitch is %zu bytes, an image without slices needs 0",
                description.slice_pitch);
  }
  // OpenCL 3.0, clCreateImage; what is copied to and from host memory may lie in it as it likes.
  const bool rows_are_slices = type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  if (row % item != 0 || (rows_are_slices && slice % item != 0)) {
    return fail(Status::invalid_value, "the %s pitch is %zu bytes, no multiple of a pixel's %zu",
                row % item != 0 ? "row" : "slice", row % item != 0 ? row : slice, item);
  }
  if (!rows_are_slices && slice % row != 0) {
    return fail(Status::invalid_value, "the slice pitch is %zu bytes, no multiple of the row pitch of %zu",
                slice, row);
  }
  needed = has_slices(type) ? slice * region[description.dimensions - 1] : row * region[1];
  if (description.host != nullptr && needed > description.host_size) {
    return fail(Status::invalid_value, "the image takes %zu bytes of host memory, %zu were given", needed,
                description.host_size);
  }
  if (description.buffer != nullptr && needed > description.buffer->size) {
    return fail(Status::invalid_value, "the image takes %zu bytes of the buffer, which has %zu", needed,
                description.buffer->size);
  }
  return Status::success;
}

Status require_images(const ContextFacts& facts) {
  for (cl_device_id device : facts.devices) {
    cl_bool images = CL_FALSE;
    CLPOOL_TRY(cl::query(device, CL_DEVICE_IMAGE_SUPPORT, images));
    if (images != CL_FALSE) {
      return Status::success;
    }
  }
  return fail(Status::not_supported,
              "images need CL_DEVICE_IMAGE_SUPPORT, which no device of the context has");
}

/// 2-D ones, that is: an extension, but for OpenCL 2's devices with images, which all have it.
Status require_images_over_buffers(const ContextFacts& facts) {
  constexpr const char* extension = "cl_khr_image2d_from_buffer";
  for (cl_device_id device : facts.devices) {
    bool has_it = false;
    CLPOOL_TRY(cl::has_extension(device, extension, has_it));
    cl::Version version;
    CLPOOL_TRY(cl::device_version(device, version));
    if (has_it || version.major == 2) {
      return Status::success;
    }
  }
  return fail(Status::not_supported, "2-D images over buffers need %s, which no device of the context has",
              extension);
}

/// NOT_SUPPORTED where the image would silently have memory of its own instead of the buffer's.
Status require_shared_memory(const ContextFacts& facts, const Mem& buffer) {
  cl_mem root = nullptr;
  std::size_t offset = 0;
  CLPOOL_TRY(buffer.owner->root_of(buffer, root, offset));
  if (root == buffer.handle) {
    return Status::success;
  }
  for (cl_device_id device : facts.devices) {
    bool loses = false;
    CLPOOL_TRY(cl::loses_images_over_sub_buffers(device, loses));
    if (loses) {
      return fail(
          Status::not_supported,
          "an image needs a whole buffer on rusticl, this is a part of one, at offset %zu: the driver "
          "would read zeros and lose what is written",
          offset);
    }
  }
  return Status::success;
}

cl_mem create(cl_context context, const ImageDescription& description, cl_mem_object_type type,
              cl_mem_flags flags, cl_int& code) noexcept {
  cl_image_desc plan = {};
  plan.image_type = type;
  plan.image_width = description.shape[0];
  const bool rows = type != CL_MEM_OBJECT_IMAGE1D_ARRAY && description.dimensions > 1;
  plan.image_height = rows ? description.shape[1] : 0;
  plan.image_depth = type == CL_MEM_OBJECT_IMAGE3D ? description.shape[2] : 0;
  plan.image_array_size = description.is_array ? description.shape[description.dimensions - 1] : 0;
  plan.image_row_pitch = told_row_pitch(type, description.row_pitch, description.slice_pitch);
  plan.image_slice_pitch = description.slice_pitch;
  plan.mem_object = description.buffer != nullptr ? description.buffer->handle : nullptr;
  return clCreateImage(context, flags, &description.format, &plan, description.host, &code);
}

/// What an extent of an image may be at most, on the device that allows the most; `largest` is 0 before.
Status largest_extent(const ContextFacts& facts, cl_device_info limit, std::size_t& largest) {
  for (cl_device_id device : facts.devices) {
    std::size_t value = 0;
    CLPOOL_TRY(cl::query(device, limit, value));
    largest = std::max(largest, value);
  }
  return Status::success;
}

/// INVALID_VALUE for an extent that is too large. Drivers name no limit, and not all refuse.
Status check_extents(const ContextFacts& facts, const ImageDescription& description,
                     cl_mem_object_type type) {
  const bool is_deep = type == CL_MEM_OBJECT_IMAGE3D;
  cl_device_info limits[3] = {
      static_cast<cl_device_info>(is_deep ? CL_DEVICE_IMAGE3D_MAX_WIDTH : CL_DEVICE_IMAGE2D_MAX_WIDTH),
      static_cast<cl_device_info>(is_deep ? CL_DEVICE_IMAGE3D_MAX_HEIGHT : CL_DEVICE_IMAGE2D_MAX_HEIGHT),
      CL_DEVICE_IMAGE3D_MAX_DEPTH};
  if (type == CL_MEM_OBJECT_IMAGE1D_BUFFER) {
    limits[0] = CL_DEVICE_IMAGE_MAX_BUFFER_SIZE;
  }
  if (description.is_array) {
    limits[description.dimensions - 1] = CL_DEVICE_IMAGE_MAX_ARRAY_SIZE;
  }
  for (std::size_t axis = 0; axis < description.dimensions; ++axis) {
    std::size_t largest = 0;
    CLPOOL_TRY(largest_extent(facts, limits[axis], largest));
    if (description.shape[axis] > largest) {
      return fail(Status::invalid_value, "shape[%zu] of the image is %zu, the devices allow %zu", axis,
                  description.shape[axis], largest);
    }
  }
  return Status::success;
}

/// Devices before OpenCL 1.2 have these two only.
cl_mem create_1_1(cl_context context, const ImageDescription& d, cl_mem_flags flags, cl_int& code) noexcept {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  return d.dimensions == 2
             ? clCreateImage2D(context, flags, &d.format, d.shape[0], d.shape[1], d.row_pitch, d.host, &code)
             : clCreateImage3D(context, flags, &d.format, d.shape[0], d.shape[1], d.shape[2], d.row_pitch,
                               d.slice_pitch, d.host, &code);
#pragma GCC diagnostic pop
}

/// All that can be said of an image without asking a driver for it: what it is for OpenCL, and the version of the
/// devices.
Status check(cl_context context, const ImageDescription& description, cl_mem_object_type& type,
             cl::Version& version) {
  CLPOOL_TRY(choose_type(description, type));
  CLPOOL_TRY(check_shape(description));
  if (description.buffer != nullptr) {
    CLPOOL_TRY(require_buffer(*description.buffer));
  }
  CLPOOL_TRY(check_memory(description, type));
  ContextFacts facts;
  CLPOOL_TRY(read_context_facts(context, facts));
  CLPOOL_TRY(require_images(facts));
  if (description.buffer != nullptr) {
    CLPOOL_TRY(require_shared_memory(facts, *description.buffer));
  }
  version = facts.newest;
  const bool is_1_1 = type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE3D;
  if (version < cl::Version{1, 2} && (!is_1_1 || description.buffer != nullptr)) {
    return fail(Status::not_supported, "%s need OpenCL 1.2, the devices have %d.%d",
                description.buffer != nullptr ? "images over buffers" : "images other than 2-D and 3-D ones",
                version.major, version.minor);
  }
  if (description.buffer != nullptr && type == CL_MEM_OBJECT_IMAGE2D) {
    CLPOOL_TRY(require_images_over_buffers(facts));
  }
  return check_extents(facts, description, type);
}

}  // namespace

Status check_image(cl_context context, const ImageDescription& description) {
  cl_mem_object_type type = 0;
  cl::Version version;
  return check(context, description, type, version);
}

Status create_image(cl_context context, const ImageDescription& description, Mem*& result) {
  cl_mem_object_type type = 0;
  cl::Version version;
  CLPOOL_TRY(check(context, description, type, version));
  // An image in a buffer inherits the buffer's access.
  const cl_mem_flags flags =
      description.flags == 0 && description.buffer == nullptr ? CL_MEM_READ_WRITE : description.flags;
  cl_int code = CL_SUCCESS;
  ObjectParts parts;
  parts.kind = MemKind::image;
  parts.handle =
      cl::Memory::adopt(version < cl::Version{1, 2} ? create_1_1(context, description, flags, code)
                                                    : create(context, description, type, flags, code));
  if (code != CL_SUCCESS) {
    const char* const order = channel_order_name(description.format.image_channel_order);
    const char* const channel = channel_type_name(description.format.image_channel_data_type);
    std::string shape = std::to_string(description.shape[0]);
    for (std::uint32_t axis = 1; axis < description.dimensions; ++axis) {
      shape += " x " + std::to_string(description.shape[axis]);
    }
    return fail_cl(code, "clCreateImage",
                   "%s%u-D image%s of %s, format %s %s, pitches %zu and %zu, flags 0x%llX%s",
                   description.is_array ? "array of " : "",
                   description.dimensions - (description.is_array ? 1 : 0), description.is_array ? "s" : "",
                   shape.c_str(), order != nullptr ? order : "?", channel != nullptr ? channel : "?",
                   description.row_pitch, description.slice_pitch, static_cast<unsigned long long>(flags),
                   code == CL_IMAGE_FORMAT_NOT_SUPPORTED || code == CL_INVALID_OPERATION  // PoCL's answer
                       ? "; clpool_image_formats() tells which formats there are"
                       : "");
  }
  CLPOOL_TRY(cl::query(parts.handle.get(), CL_MEM_SIZE, parts.size));
  parts.context = context;
  parts.parent = description.buffer;
  return make_object(std::move(parts), result);
}

Status image_shape(const Mem& image, ImageShape& shape) {
  CLPOOL_TRY(require_image(image));
  CLPOOL_TRY(cl::query(image.handle, CL_MEM_TYPE, shape.type));
  const auto read = [&](cl_image_info name, std::size_t& value) {
    return image_info(image, name, {sizeof value, &value, nullptr});
  };
  CLPOOL_TRY(read(CL_IMAGE_WIDTH, shape.shape[0]));
  switch (shape.type) {
    case CL_MEM_OBJECT_IMAGE1D:
    case CL_MEM_OBJECT_IMAGE1D_BUFFER:
      shape.dimensions = 1;
      return Status::success;
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
      shape.dimensions = 2;
      return read(CL_IMAGE_ARRAY_SIZE, shape.shape[1]);
    case CL_MEM_OBJECT_IMAGE2D:
      shape.dimensions = 2;
      return read(CL_IMAGE_HEIGHT, shape.shape[1]);
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
      shape.dimensions = 3;
      CLPOOL_TRY(read(CL_IMAGE_HEIGHT, shape.shape[1]));
      return read(CL_IMAGE_ARRAY_SIZE, shape.shape[2]);
    case CL_MEM_OBJECT_IMAGE3D:
      shape.dimensions = 3;
      CLPOOL_TRY(read(CL_IMAGE_HEIGHT, shape.shape[1]));
      return read(CL_IMAGE_DEPTH, shape.shape[2]);
    default:
      return fail(Status::not_supported, "image type 0x%X is unknown", shape.type);
  }
}

Status image_format(const Mem& image, cl_image_format& format) {
  return image_info(image, CL_IMAGE_FORMAT, {sizeof format, &format, nullptr});
}

Status image_item_size(const Mem& image, std::size_t& bytes) {
  return image_info(image, CL_IMAGE_ELEMENT_SIZE, {sizeof bytes, &bytes, nullptr});
}

Status check_image_region(const Mem& image, const std::size_t (&origin)[3], const std::size_t (&region)[3]) {
  ImageShape shape;
  CLPOOL_TRY(image_shape(image, shape));
  for (int axis = 0; axis < 3; ++axis) {
    const std::size_t extent = shape.shape[axis];
    if (origin[axis] > extent || region[axis] > extent - origin[axis]) {
      return fail(Status::invalid_value, "axis %d: %zu pixels from %zu on were asked for, the image has %zu",
                  axis, region[axis], origin[axis], extent);
    }
  }
  return Status::success;
}

Status lay_out_image(cl_mem_object_type type, const std::size_t (&region)[3], std::size_t item_bytes,
                     std::size_t& row_pitch, std::size_t& slice_pitch, std::size_t& extent) noexcept {
  std::size_t row = 0;
  bool fits = multiply(region[0], item_bytes, row);
  if (row_pitch == 0) {
    row_pitch = row;
  }
  if (fits && row_pitch < row) {
    return fail(Status::invalid_value, "the row pitch is %zu bytes, a row has %zu", row_pitch, row);
  }
  // The layers of a 1-D array are its slices, of one row each, and drivers are told one pitch for both.
  const bool rows_are_slices = type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  const std::size_t rows = rows_are_slices ? 1 : region[1];
  const std::size_t slices = rows_are_slices ? region[1] : region[2];
  std::size_t slice = 0;
  fits = fits && multiply(row_pitch, rows, slice);
  if (slice_pitch == 0) {
    slice_pitch = slice;
  }
  if (fits && slice_pitch < slice) {
    return fail(Status::invalid_value, "the slice pitch is %zu bytes, %zu rows need %zu", slice_pitch, rows,
                slice);
  }
  std::size_t before = 0;
  fits = fits && multiply(slice_pitch, std::max<std::size_t>(slices, 1), before);
  if (!fits) {
    return fail(
        Status::invalid_value,
        "a region of %zu x %zu x %zu pixels lies beyond the address space, with rows of %zu bytes and "
        "slices of %zu",
        region[0], region[1], region[2], row_pitch, slice_pitch);
  }
  extent = is_empty(region) ? 0 : slice_pitch * (slices - 1) + row_pitch * (rows - 1) + row;
  return Status::success;
}

bool has_slices(cl_mem_object_type type) noexcept {
  return type == CL_MEM_OBJECT_IMAGE3D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
         type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
}

std::size_t told_row_pitch(cl_mem_object_type type, std::size_t row_pitch, std::size_t slice_pitch) noexcept {
  return type == CL_MEM_OBJECT_IMAGE1D_ARRAY && slice_pitch != 0 ? slice_pitch : row_pitch;
}

}  // namespace clpool::core
