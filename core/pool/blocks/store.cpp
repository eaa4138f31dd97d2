// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The host memory of all stores. Called without any lock of the process's held.
#include "pool/blocks/store.hpp"

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace clpool::core {
namespace {

constexpr std::size_t region_bytes = std::size_t{2} * 1024 * 1024;

// Never given up, and linked by what each begins with, so that tools that look for leaks find all of them.
constinit ForkMutex region_mutex;
constinit std::byte* region = nullptr;
constinit std::size_t taken = region_bytes;

std::byte* make_region() {
  auto* const made = static_cast<std::byte*>(::operator new (region_bytes, std::align_val_t{region_bytes}));
#ifdef MADV_HUGEPAGE
  static_cast<void>(::madvise(made, region_bytes, MADV_HUGEPAGE));  // no more than a hint
#endif
  return made;
}

}  // namespace

void* take_pages(std::size_t bytes) {
  const std::lock_guard lock(region_mutex);
  if (taken == region_bytes) {
    std::byte* const made = make_region();
    new (made) std::byte*(region);
    region = made;
    taken = bytes;  // the first piece is the link's
  }
  return region + std::exchange(taken, taken + bytes);
}

}  // namespace clpool::core
