// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Custom allocator: memory from the user's own functions.
#pragma once

#include <cstdint>

#include "allocator/allocator.hpp"

namespace clpool::core {

/// The user's functions in the form in which the C ABI has them.
struct CustomFunctions {
  std::int32_t (*allocate)(void* user, std::uint64_t size, std::uint64_t alignment,
                           std::uint64_t* chunk) = nullptr;
  void (*deallocate)(void* user, std::uint64_t chunk, std::uint64_t size) = nullptr;
  void (*destroy)(void* user) = nullptr;  ///< may be null
  void* user = nullptr;
};

Status make_custom_allocator(const CustomFunctions& functions, Reference<Allocator>& result);

}  // namespace clpool::core
