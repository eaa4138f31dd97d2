// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Map: one mapping of a buffer, an image or SVM into the host's address space. It keeps the memory and the
// queue alive, is unmapped once, and at the latest when it is released.
#pragma once

#include <CL/cl.h>

#include <cstddef>

#include "base/late_release.hpp"
#include "base/mem.hpp"
#include "cl/handle.hpp"
#include "cl/order.hpp"

namespace clpool::core {

struct Map : LateRelease {
  Map() noexcept;
  Map* next = nullptr;  ///< link of the recycler
  MemState state = MemState::released;
  bool is_mapped = false;
  void* pointer = nullptr;
  std::size_t size = 0;         ///< bytes from `pointer` on that belong to the mapping
  std::size_t row_pitch = 0;    ///< bytes, images only, as the driver laid them out
  std::size_t slice_pitch = 0;  ///< bytes; 0 where there are no slices
  Mem* mem = nullptr;           ///< holds a reference
  cl::Queue queue;
  cl::Event mapped;  ///< of the mapping, unless it blocked: what unmaps comes after it
};

/// Maps bytes of a buffer or of SVM.
Status map_memory(const cl::Order& order, Mem& mem, cl_map_flags flags, std::size_t offset, std::size_t size,
                  bool blocking, Map*& result);

/// Maps a part of an image; origin and region in pixels.
Status map_image(const cl::Order& order, Mem& image, cl_map_flags flags, const std::size_t (&origin)[3],
                 const std::size_t (&region)[3], bool blocking, Map*& result);

/// Unmaps on `order.queue` (null: the queue that mapped). Doing it again does nothing and succeeds.
Status unmap(Map& map, cl::Order order);

/// Unmaps if need be and gives everything back. INVALID_OPERATION if it was released before.
Status release_map(Map& map);

/// The same in a later call of the library that may call drivers; the map counts as released at once.
Status release_map_later(Map& map) noexcept;

/// INVALID_OPERATION for a released map.
Status require_live(const Map& map) noexcept;

}  // namespace clpool::core
