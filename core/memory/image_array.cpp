// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// From element types to channel types, from RGB to RGBA.
#include "memory/image_array.hpp"

#include <cstring>
#include <vector>

#include "memory/image.hpp"
#include "memory/range.hpp"

namespace clpool::core {
namespace {

struct Element {
  ElementType type;
  std::size_t bytes;
  cl_channel_type channel;
  cl_channel_type normalized;  ///< 0: there is none
  std::uint32_t one;           ///< the bits of a full last channel
  std::uint32_t normalized_one;
};
constexpr Element elements[] = {
    {ElementType::int8, 1, CL_SIGNED_INT8, CL_SNORM_INT8, 1, 0x7F},
    {ElementType::uint8, 1, CL_UNSIGNED_INT8, CL_UNORM_INT8, 1, 0xFF},
    {ElementType::int16, 2, CL_SIGNED_INT16, CL_SNORM_INT16, 1, 0x7FFF},
    {ElementType::uint16, 2, CL_UNSIGNED_INT16, CL_UNORM_INT16, 1, 0xFFFF},
    {ElementType::int32, 4, CL_SIGNED_INT32, 0, 1, 0},
    {ElementType::uint32, 4, CL_UNSIGNED_INT32, 0, 1, 0},
    {ElementType::float16, 2, CL_HALF_FLOAT, 0, 0x3C00, 0},
    {ElementType::float32, 4, CL_FLOAT, 0, 0x3F800000, 0},
};

Status find_element(const ArrayDescription& array, const Element*& found) noexcept {
  for (const Element& element : elements) {
    if (element.type == array.element) {
      found = &element;
      return array.is_normalized && element.normalized == 0
                 ? fail(Status::invalid_value,
                        "element type %u cannot be normalized, only 8- and 16-bit integers can",
                        static_cast<unsigned>(array.element))
                 : Status::success;
    }
  }
  return fail(Status::invalid_value, "element type %u is unknown, valid are 1 to 8",
              static_cast<unsigned>(array.element));
}

Status check_array(const ArrayDescription& array, std::size_t element_bytes, std::size_t& pixels) noexcept {
  if (array.channels < 1 || array.channels > 4) {
    return fail(Status::invalid_value, "channels is %u, valid are 1 to 4", array.channels);
  }
  if (array.dimensions < 1 || array.dimensions > 3) {
    return fail(Status::invalid_value, "dimensions is %u, valid are 1 to 3", array.dimensions);
  }
  if (array.data == nullptr) {
    return fail(Status::invalid_value, "data is NULL");
  }
  pixels = 1;
  std::size_t bytes = element_bytes * array.channels;
  for (std::uint32_t i = 0; i < array.dimensions; ++i) {
    if (!multiply(pixels, array.shape[i], pixels) || !multiply(bytes, array.shape[i], bytes)) {
      return fail(Status::invalid_value, "the array lies beyond the address space");
    }
  }
  return bytes <= array.size
             ? Status::success
             : fail(Status::invalid_value, "the array has %zu bytes, %zu were given", bytes, array.size);
}

std::vector<unsigned char> pad_to_four_channels(const ArrayDescription& array, std::size_t element_bytes,
                                                std::uint32_t one, std::size_t pixels) {
  std::vector<unsigned char> padded(pixels * 4 * element_bytes);  // what check_image() found to fit
  const auto* from = static_cast<const unsigned char*>(array.data);
  for (std::size_t i = 0; i < pixels; ++i) {
    unsigned char* const to = padded.data() + i * 4 * element_bytes;
    std::memcpy(to, from + i * 3 * element_bytes, 3 * element_bytes);
    std::memcpy(to + 3 * element_bytes, &one, element_bytes);  // little-endian, as OpenCL hosts are
  }
  return padded;
}

}  // namespace

Status create_image_from_array(cl_context context, const ArrayDescription& array, Mem*& result) {
  const Element* element = nullptr;
  CLPOOL_TRY(find_element(array, element));
  std::size_t pixels = 0;
  CLPOOL_TRY(check_array(array, element->bytes, pixels));
  if ((array.access & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR)) != 0) {
    return fail(Status::invalid_value,
                "flags are 0x%llX; the array is copied, CL_MEM_COPY_HOST_PTR is implied",
                static_cast<unsigned long long>(array.access));
  }
  constexpr cl_channel_order channel_orders[] = {CL_R, CL_RG, CL_RGBA, CL_RGBA};
  ImageDescription image;
  image.flags = (array.access == 0 ? CL_MEM_READ_ONLY : array.access) | CL_MEM_COPY_HOST_PTR;
  image.format.image_channel_order = channel_orders[array.channels - 1];
  image.format.image_channel_data_type = array.is_normalized ? element->normalized : element->channel;
  image.dimensions = array.dimensions;
  for (std::uint32_t i = 0; i < array.dimensions; ++i) {  // images count x first
    // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): check_array() has looked
    image.shape[i] = array.shape[array.dimensions - 1 - i];
  }
  std::vector<unsigned char> padded;
  image.host = const_cast<void*>(array.data);  // only read: CL_MEM_COPY_HOST_PTR
  image.host_size = array.size;
  if (array.channels == 3) {
    image.host_size = SIZE_MAX;
    CLPOOL_TRY(check_image(context, image));  // before memory is taken for the copy
    padded = pad_to_four_channels(array, element->bytes,
                                  array.is_normalized ? element->normalized_one : element->one, pixels);
    image.host = padded.data();
    image.host_size = padded.size();
  }
  return create_image(context, image, result);
}

}  // namespace clpool::core
