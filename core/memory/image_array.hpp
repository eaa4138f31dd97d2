// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Images made from arrays of numbers, three channels included, which OpenCL itself takes in packed formats
// only.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>

#include "base/mem.hpp"

namespace clpool::core {

/// Types of numbers; the values are those of the C ABI.
enum class ElementType : std::uint32_t {
  int8 = 1,
  uint8 = 2,
  int16 = 3,
  uint16 = 4,
  int32 = 5,
  uint32 = 6,
  float16 = 7,
  float32 = 8,
};

/// A contiguous array, its last index fastest: [depth][height][width][channels].
struct ArrayDescription {
  cl_mem_flags access = 0;  ///< 0: CL_MEM_READ_ONLY
  ElementType element = ElementType::float32;
  std::uint32_t channels = 1;  ///< 1…4
  bool is_normalized = false;  ///< integers stand for -1…1 or 0…1
  std::uint32_t dimensions = 0;
  std::size_t shape[3] = {};  ///< slowest first, without the channels
  const void* data = nullptr;
  std::size_t size = 0;  ///< bytes of data
};

/// Copies the array into a new image. Three channels become four, the last being 1.
Status create_image_from_array(cl_context context, const ArrayDescription& array, Mem*& result);

}  // namespace clpool::core
