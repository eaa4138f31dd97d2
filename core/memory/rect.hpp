// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Rectangular copies: a box of bytes cut out of one memory and put into another.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>

#include "base/mem.hpp"
#include "cl/order.hpp"
#include "memory/transfer.hpp"

namespace clpool::core {

/// Where a box lies in one memory. Index 0 counts bytes, 1 rows, 2 slices; pitches in bytes, 0 means tight.
struct BoxPlace {
  std::size_t origin[3] = {};
  std::size_t row_pitch = 0;
  std::size_t slice_pitch = 0;
};

struct Box {
  std::size_t region[3] = {};  ///< bytes, rows, slices
  BoxPlace source;
  BoxPlace target;
};

/// Replaces tight pitches by numbers and gives the bytes from the start of the memory to the end of the box.
/// INVALID_VALUE for pitches that are too small (naming them) and for overflow. `extent` is 0 for an empty
/// box.
Status lay_out(const char* name, const std::size_t (&region)[3], BoxPlace& place,
               std::size_t& extent) noexcept;

Status copy_box(const cl::Order& order, Mem& target, Mem& source, Box box);
Status read_box(const cl::Order& order, Mem& source, const HostTarget& host, Box box, bool blocking);
Status write_box(const cl::Order& order, Mem& target, const HostSource& host, Box box, bool blocking);

}  // namespace clpool::core
