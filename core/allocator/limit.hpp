// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Decorator: never lets more than a limit be taken from an allocator at a time.
#pragma once

#include <cstdint>

#include "allocator/allocator.hpp"

namespace clpool::core {

/// `max_bytes` must be over 0.
Status make_limit_allocator(Allocator& inner, std::uint64_t max_bytes, Reference<Allocator>& result);

}  // namespace clpool::core
