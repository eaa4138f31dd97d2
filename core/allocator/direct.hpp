// Direct memory: one chunk of an allocator as a Mem, without a pool.
#pragma once

#include <cstddef>

#include "allocator/allocator.hpp"
#include "memory/mem.hpp"

namespace clpool {

/// Makes memory that goes straight back to `allocator` when it is released. 0 bytes: success and null (D-20).
Status allocate_direct(Allocator& allocator, std::size_t size, Mem*& result);

}  // namespace clpool
