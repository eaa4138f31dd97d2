// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Chunk: one piece of raw memory, as an allocator makes it and takes it back.
#pragma once

#include <cstdint>

#include "base/cl_names.hpp"

namespace clpool::core {

struct Chunk {
  std::uint64_t value =
      0;  ///< a cl_mem, an SVM pointer, a mapped host pointer, or whatever a custom one returns
  std::uint64_t size = 0;    ///< bytes
  cl_mem backing = nullptr;  ///< pinned: the buffer whose mapping `value` is
};

/// The buffer that a chunk of a buffer allocator is.
inline cl_mem buffer_of(const Chunk& chunk) noexcept {
  return reinterpret_cast<cl_mem>(static_cast<std::uintptr_t>(chunk.value));
}

}  // namespace clpool::core
