// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Images: creation, layout, queries. Formats are in image_format.cpp.
#include "image.hpp"

#include <algorithm>
#include <cstring>

#include "api.hpp"
#include "image_format.hpp"
#include "info.hpp"

namespace stub {
namespace {

bool is_array(cl_mem_object_type type) {
  return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

void check_shape(const cl_image_desc& desc) {
  constexpr std::size_t most = 16384;
  constexpr std::size_t most_in_buffer = 1 << 24;
  const bool in_buffer = desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
  const bool rows = desc.image_type == CL_MEM_OBJECT_IMAGE2D ||
                    desc.image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY ||
                    desc.image_type == CL_MEM_OBJECT_IMAGE3D;
  require(desc.image_type >= CL_MEM_OBJECT_IMAGE2D && desc.image_type <= CL_MEM_OBJECT_IMAGE1D_BUFFER &&
              desc.num_mip_levels == 0 && desc.num_samples == 0 && desc.image_width != 0,
          CL_INVALID_IMAGE_DESCRIPTOR);
  require(!rows || desc.image_height != 0, CL_INVALID_IMAGE_DESCRIPTOR);
  require(desc.image_type != CL_MEM_OBJECT_IMAGE3D || desc.image_depth != 0, CL_INVALID_IMAGE_DESCRIPTOR);
  require(!is_array(desc.image_type) || desc.image_array_size != 0, CL_INVALID_IMAGE_DESCRIPTOR);
  require(desc.image_width <= (in_buffer ? most_in_buffer : most) && (!rows || desc.image_height <= most) &&
              (!is_array(desc.image_type) || desc.image_array_size <= 2048),
          CL_INVALID_IMAGE_SIZE);
}

/// Sets shape and pitches: those given, or those of packed rows.
void lay_out(Mem& image, const cl_image_desc& desc, bool may_have_pitches) {
  const cl_mem_object_type type = desc.image_type;
  image.shape[0] = desc.image_width;
  image.shape[1] =
      type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE3D
          ? desc.image_height
          : 1;
  image.shape[2] = type == CL_MEM_OBJECT_IMAGE3D ? desc.image_depth
                   : is_array(type)              ? desc.image_array_size
                                                 : 1;
  const std::size_t row = image.shape[0] * image.item_size;
  require(may_have_pitches || (desc.image_row_pitch == 0 && desc.image_slice_pitch == 0),
          CL_INVALID_IMAGE_DESCRIPTOR);
  image.row_pitch = desc.image_row_pitch != 0 ? desc.image_row_pitch : row;
  require(image.row_pitch >= row && image.row_pitch % image.item_size == 0, CL_INVALID_IMAGE_DESCRIPTOR);
  const std::size_t slice = image.row_pitch * image.shape[1];
  image.slice_pitch = desc.image_slice_pitch != 0 ? desc.image_slice_pitch : slice;
  require(image.slice_pitch >= slice && image.slice_pitch % image.row_pitch == 0,
          CL_INVALID_IMAGE_DESCRIPTOR);
  image.size = image.slice_pitch * image.shape[2];
}

/// The image lies in a buffer, or a part of one.
void place_in(Mem& image, Mem& buffer) {
  require(buffer.context.get() == image.context.get(), CL_INVALID_CONTEXT);
  require(image.type == CL_MEM_OBJECT_IMAGE1D_BUFFER || image.type == CL_MEM_OBJECT_IMAGE2D,
          CL_INVALID_IMAGE_DESCRIPTOR);
  require(buffer.type == CL_MEM_OBJECT_BUFFER && image.size <= buffer.size, CL_INVALID_IMAGE_DESCRIPTOR);
  image.parent = Ref<Mem>(&buffer);
  image.data = buffer.data;
  image.host_pointer = buffer.host_pointer;
  image.svm = buffer.svm;
  image.flags = flags_within(buffer, image.flags);
}

/// The rows of host memory with CL_MEM_COPY_HOST_PTR become packed rows.
void copy_pixels(Mem& image, const void* host) {
  const Box from{0, image.row_pitch, image.slice_pitch};
  const Triple bytes = {image.shape[0] * image.item_size, image.shape[1], image.shape[2]};
  const Box to{0, bytes[0], bytes[0] * bytes[1]};
  copy_box(image.data, to, static_cast<const unsigned char*>(host), from, bytes);
  image.row_pitch = to.row_pitch;
  image.slice_pitch = to.slice_pitch;
}

Mem* make_image(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                const cl_image_desc* desc, void* host) {
  Context& c = checked(context, CL_INVALID_CONTEXT);
  require(state().options.images, CL_INVALID_OPERATION);
  check_flags(flags);
  require(format != nullptr && is_valid(*format), CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
  require(desc != nullptr, CL_INVALID_IMAGE_DESCRIPTOR);
  check_shape(*desc);
  require(is_supported(*format), CL_IMAGE_FORMAT_NOT_SUPPORTED);
  const bool has_host = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
  require((host != nullptr) == has_host, CL_INVALID_HOST_PTR);
  require(desc->mem_object != nullptr || desc->image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER,
          CL_INVALID_IMAGE_DESCRIPTOR);
  auto* const image = new Mem;
  image->type = desc->image_type;
  enlist(*image, STUB_IMAGE);
  image->context = Ref<Context>(&c);
  image->flags = flags;
  image->format = *format;
  image->item_size = pixel_bytes(*format);
  try {
    lay_out(*image, *desc, has_host || desc->mem_object != nullptr);
    require(image->size <= state().options.largest_allocation(), CL_INVALID_IMAGE_SIZE);
    if (desc->mem_object != nullptr) {
      place_in(*image, checked(desc->mem_object, CL_INVALID_IMAGE_DESCRIPTOR));
      return image;
    }
  } catch (const Refusal&) {
    drop_reference(*image);
    throw;
  }
  image->flags |=
      (flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY | CL_MEM_READ_WRITE)) == 0 ? CL_MEM_READ_WRITE : 0;
  set_memory(*image, host);  // drops it itself when it refuses
  if ((flags & CL_MEM_COPY_HOST_PTR) != 0) {
    copy_pixels(*image, host);
  }
  return image;
}

}  // namespace

bool has_slices(const Mem& image) {
  return image.type == CL_MEM_OBJECT_IMAGE3D || is_array(image.type);
}

/// Coordinates of a 1-D array are (x, layer), while its layers lie as slices of one row.
static Triple as_slices(const Mem& image, const Triple& coordinates, std::size_t middle) {
  return image.type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? Triple{coordinates[0], middle, coordinates[1]}
                                                   : coordinates;
}

Triple bytes_of_region(const Mem& image, const Triple& region) {
  const Triple lying = as_slices(image, region, 1);
  return {lying[0] * image.item_size, lying[1], lying[2]};
}

Box box_in_image(const Mem& image, const Triple& origin, const Triple& region) {
  require(image.type != CL_MEM_OBJECT_IMAGE1D_ARRAY || (origin[2] == 0 && region[2] == 1), CL_INVALID_VALUE);
  const Triple first = as_slices(image, origin, 0);
  const Triple extent = as_slices(image, region, 1);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    require(extent[axis] != 0 && first[axis] <= image.shape[axis] &&
                extent[axis] <= image.shape[axis] - first[axis],
            CL_INVALID_VALUE);
  }
  return {first[2] * image.slice_pitch + first[1] * image.row_pitch + first[0] * image.item_size,
          image.row_pitch, image.slice_pitch};
}

namespace api {

cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                                 const cl_image_desc* desc, void* host, cl_int* code) {
  return make(Entry::clCreateImage, code,
              [&](Call&) { return make_image(context, flags, format, desc, host); });
}

cl_mem CL_API_CALL clCreateImageWithProperties(cl_context context, const cl_mem_properties* properties,
                                               cl_mem_flags flags, const cl_image_format* format,
                                               const cl_image_desc* desc, void* host, cl_int* code) {
  return make(Entry::clCreateImageWithProperties, code, [&](Call&) {
    require(properties == nullptr || properties[0] == 0, CL_INVALID_PROPERTY);
    return make_image(context, flags, format, desc, host);
  });
}

cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                                   size_t width, size_t height, size_t row_pitch, void* host, cl_int* code) {
  return make(Entry::clCreateImage2D, code, [&](Call&) {
    cl_image_desc desc = {};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = width;
    desc.image_height = height;
    desc.image_row_pitch = row_pitch;
    return make_image(context, flags, format, &desc, host);
  });
}

cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags, const cl_image_format* format,
                                   size_t width, size_t height, size_t depth, size_t row_pitch,
                                   size_t slice_pitch, void* host, cl_int* code) {
  return make(Entry::clCreateImage3D, code, [&](Call&) {
    cl_image_desc desc = {};
    desc.image_type = CL_MEM_OBJECT_IMAGE3D;
    desc.image_width = width;
    desc.image_height = height;
    desc.image_depth = depth;
    desc.image_row_pitch = row_pitch;
    desc.image_slice_pitch = slice_pitch;
    return make_image(context, flags, format, &desc, host);
  });
}

cl_int CL_API_CALL clGetImageInfo(cl_mem image, cl_image_info name, size_t size, void* value,
                                  size_t* needed) {
  return run(Entry::clGetImageInfo, [&](Call&) {
    const Mem& m = checked(image, CL_INVALID_MEM_OBJECT);
    require(m.is_image(), CL_INVALID_MEM_OBJECT);
    const Answer answer(size, value, needed);
    const bool rows = m.type == CL_MEM_OBJECT_IMAGE2D || m.type == CL_MEM_OBJECT_IMAGE3D ||
                      m.type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    switch (name) {
      case CL_IMAGE_FORMAT:
        return answer.value(m.format);
      case CL_IMAGE_ELEMENT_SIZE:
        return answer.value(m.item_size);
      case CL_IMAGE_ROW_PITCH:
        return answer.value(m.row_pitch);
      case CL_IMAGE_SLICE_PITCH:
        return answer.value(has_slices(m) ? m.slice_pitch : std::size_t{0});
      case CL_IMAGE_WIDTH:
        return answer.value(m.shape[0]);
      case CL_IMAGE_HEIGHT:
        return answer.value(rows ? m.shape[1] : std::size_t{0});
      case CL_IMAGE_DEPTH:
        return answer.value(m.type == CL_MEM_OBJECT_IMAGE3D ? m.shape[2] : std::size_t{0});
      case CL_IMAGE_ARRAY_SIZE:
        return answer.value(is_array(m.type) ? m.shape[2] : std::size_t{0});
      case CL_IMAGE_BUFFER:
        return answer.value(m.parent.get());
      case CL_IMAGE_NUM_MIP_LEVELS:
      case CL_IMAGE_NUM_SAMPLES:
        return answer.value<cl_uint>(0);
      default:
        refuse(CL_INVALID_VALUE);
    }
  });
}

}  // namespace api
}  // namespace stub
