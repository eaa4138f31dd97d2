// Casts between the opaque handles of the C ABI and the core's types. One pair a type, so that a wrong cast
// does not compile.
#pragma once

#include "allocator/allocator.hpp"
#include "clpool/allocator.h"
#include "clpool/mem.h"
#include "memory/mem.hpp"

namespace clpool::capi {

inline Allocator* to_core(clpool_allocator* handle) noexcept {
  return reinterpret_cast<Allocator*>(handle);
}
inline clpool_allocator* to_handle(Allocator* object) noexcept {
  return reinterpret_cast<clpool_allocator*>(object);
}

inline Mem* to_core(clpool_mem* handle) noexcept {
  return reinterpret_cast<Mem*>(handle);
}
inline const Mem* to_core(const clpool_mem* handle) noexcept {
  return reinterpret_cast<const Mem*>(handle);
}
inline clpool_mem* to_handle(Mem* object) noexcept {
  return reinterpret_cast<clpool_mem*>(object);
}

}  // namespace clpool::capi
