// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What every shim of the C ABI uses: the one place where exceptions become statuses, casts between the opaque
// C handles and the core's types, and the struct_size rule. No logic of the library lives here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

#include "base/mem.hpp"
#include "base/status.hpp"
#include "clpool/status.h"
#include "oldest_sizes.hpp"

namespace clpool::capi {

using namespace core;

/// Runs `body` (returning Status) and turns any exception into a status, so that none crosses the ABI.
template <typename Body>
clpool_status guarded(Body&& body) noexcept {
  try {
    return static_cast<clpool_status>(body());
  } catch (const std::bad_alloc&) {
    return static_cast<clpool_status>(fail(Status::out_of_host_memory, "out of host memory"));
  } catch (const std::exception& exception) {
    return static_cast<clpool_status>(fail(Status::internal, "unexpected exception: %s", exception.what()));
  } catch (...) {
    return static_cast<clpool_status>(fail(Status::internal, "unexpected exception"));
  }
}

/// Sets out-parameters to their empty values, those that are null left out: whatever is wrong with the others.
template <typename... T>
void clear(T*... results) noexcept {
  ((results != nullptr ? static_cast<void>(*results = T{}) : static_cast<void>(0)), ...);
}

/// Sets an out-parameter to its empty value; INVALID_VALUE naming the parameter if its address is null.
template <typename T>
Status clear_result(T* result, const char* function, const char* parameter) noexcept {
  if (result == nullptr) {
    return fail(Status::invalid_value, "%s: %s is NULL", function, parameter);
  }
  *result = T{};
  return Status::success;
}

/// clear_result() of functions that make an object: they carry out releases that were put off first.
template <typename T>
Status begin_object(T** result, const char* function) noexcept {
  CLPOOL_TRY(clear_result(result, function, "out"));
  finish_later_releases();
  return Status::success;
}

template <typename T>
Status require(const T* pointer, const char* function, const char* parameter) noexcept {
  return pointer != nullptr ? Status::success
                            : fail(Status::invalid_value, "%s: %s is NULL", function, parameter);
}

/// INVALID_VALUE for a size that no version of a struct can have, as it ends within a field.
template <typename Struct>
Status require_whole(std::uint32_t size, const char* function) noexcept {
  return size % alignof(Struct) == 0
             ? Status::success
             : fail(Status::invalid_value, "%s: struct_size is %u, it must be a multiple of %zu", function,
                    size, alignof(Struct));
}

/// Copies a caller's options struct of any version of the ABI into the library's own (which must already hold
/// the defaults and whose first field is `uint32_t struct_size`). A shorter struct keeps the defaults of the
/// fields it lacks, but must be at least the oldest valid one; in a longer one every byte beyond ours must be 0.
template <typename Options>
Status read_options(const Options* source, Options& target, const char* function) noexcept {
  constexpr std::size_t oldest = oldest_size<Options>;
  static_assert(oldest != 0, "capi/src/oldest_sizes.hpp lacks this struct");
  const std::uint32_t size = source->struct_size;
  if (size < oldest) {
    return fail(Status::invalid_value,
                "%s: struct_size is %u, the smallest valid one is %zu (use the _INIT macro)", function, size,
                oldest);
  }
  CLPOOL_TRY(require_whole<Options>(size, function));
  if (size > sizeof(Options)) {
    if (size > 65536) {
      return fail(Status::invalid_value, "%s: struct_size is %u, the largest valid one is 65536", function,
                  size);
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(source);
    for (std::size_t i = sizeof(Options); i < size; ++i) {
      if (bytes[i] != 0) {
        return fail(Status::not_supported,
                    "%s: struct_size is %u and byte %zu is set; this library knows the first %zu bytes",
                    function, size, i, sizeof(Options));
      }
    }
  }
  std::memcpy(&target, source, size < sizeof(Options) ? size : sizeof(Options));
  target.struct_size = sizeof(Options);
  return Status::success;
}

/// INVALID_VALUE unless a field that a later version may use is 0.
inline Status require_zero(std::uint32_t reserved, const char* function) noexcept {
  return reserved == 0 ? Status::success
                       : fail(Status::invalid_value, "%s: reserved is %u, it must be 0", function, reserved);
}

/// Sets a caller's struct to its initial value, as the first release has it: the caller may know no more of it.
template <typename Struct>
void initialize(Struct* target, const Struct& initial) noexcept {
  if (target != nullptr) {
    std::memcpy(target, &initial, first_release_size<Struct>);
    target->struct_size = first_release_size<Struct>;
  }
}

/// Copies a result struct to the caller's, of whatever version, keeping the caller's struct_size.
template <typename Result>
Status write_result(const Result& source, Result* target, const char* function) noexcept {
  constexpr std::size_t oldest = oldest_size<Result>;
  static_assert(oldest != 0, "capi/src/oldest_sizes.hpp lacks this struct");
  const std::uint32_t size = target->struct_size;
  if (size < oldest || size > 65536) {
    return fail(Status::invalid_value, "%s: struct_size is %u, valid are %zu to 65536 (use the _INIT macro)",
                function, size, oldest);
  }
  CLPOOL_TRY(require_whole<Result>(size, function));
  if constexpr (requires { target->reserved; }) {
    CLPOOL_TRY(require_zero(target->reserved, function));
  }
  const std::size_t known = std::min<std::size_t>(size, sizeof(Result));
  std::memcpy(target, &source, known);
  std::memset(reinterpret_cast<unsigned char*>(target) + known, 0, size - known);
  target->struct_size = size;
  return Status::success;
}

/// Sets a caller's result struct to its initial value, for the case of a failure; INVALID_VALUE naming the
/// parameter if its address is null.
template <typename Result>
Status begin_result(const Result& initial, Result* target, const char* function,
                    const char* parameter) noexcept {
  CLPOOL_TRY(require(target, function, parameter));
  return write_result(initial, target, function);
}

}  // namespace clpool::capi
