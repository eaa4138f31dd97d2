// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pattern: device memory is filled with one byte, and read back, behind the commands of a queue, without
// waiting. For guarded pools.
#pragma once

#include <CL/cl.h>

#include <cstdint>

#include "base/status.hpp"
#include "cl/handle.hpp"

namespace clpool::core::cl {

/// A stretch of a buffer, or of SVM.
struct Stretch {
  cl_mem buffer = nullptr;
  unsigned char* address = nullptr;  ///< of SVM, if there is no buffer
  std::uint64_t offset = 0;          ///< bytes in either
  std::uint64_t size = 0;            ///< bytes, over 0
};

inline constexpr unsigned char pattern_byte = 0xDD;

/// Fills a stretch once `done` (which may be empty) is complete; then `done` is the event of the fill. After
/// a failure `done` may be that of a part, or empty.
Status fill_with_pattern(cl_command_queue queue, const Stretch& stretch, Event& done) noexcept;

/// Reads a stretch to host memory, which must stay until then; `done` as above.
Status read_stretch(cl_command_queue queue, const Stretch& stretch, void* bytes, Event& done) noexcept;

/// Lets what was enqueued begin.
void flush(cl_command_queue queue) noexcept;

}  // namespace clpool::core::cl
