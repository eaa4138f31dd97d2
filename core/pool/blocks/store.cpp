// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The host memory of all stores. Called without any lock of the process's held.
#include "pool/blocks/store.hpp"

#include <cerrno>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace clpool::core {
namespace {

constexpr std::size_t region_bytes = std::size_t{2} * 1024 * 1024;

// Never given up, and linked by what each begins with, so that tools that look for leaks find all of them.
constinit ForkMutex region_mutex;
constinit std::byte* region = nullptr;
constinit std::size_t taken = 0;  ///< bytes of the newest
constinit std::size_t size = 0;   ///< its own

std::byte* make(std::size_t bytes, std::size_t alignment) {
  return static_cast<std::byte*>(::operator new (bytes, std::align_val_t{alignment}));
}

void hint_at_large_page([[maybe_unused]] std::byte* made) noexcept {
#ifdef MADV_HUGEPAGE
  const int before = errno;
  static_cast<void>(::madvise(made, region_bytes, MADV_HUGEPAGE));
  errno = before;
#endif
}

/// Whose first `first` bytes are taken.
void add_region(std::size_t first) {
  std::byte* made = nullptr;
  std::size_t bytes = region_bytes;
  try {
    made = make(bytes, bytes);
    hint_at_large_page(made);
  } catch (const std::bad_alloc&) {
    bytes = 2 * first;  // for its link and the one piece that is wanted
    made = make(bytes, 128);
  }
  new (made) std::byte*(region);
  region = made;
  taken = first;
  size = bytes;
}

}  // namespace

void* take_pages(std::size_t bytes) {
  const std::lock_guard lock(region_mutex);
  if (taken == size) {
    add_region(bytes);
  }
  return region + std::exchange(taken, taken + bytes);
}

}  // namespace clpool::core
