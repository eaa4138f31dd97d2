// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Every operator new and delete of the program, which libclpool.so uses as well; one that may be replaced by
// another is left to that.
#include "measured_memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace clpool::test::measured_memory {
namespace {

std::atomic<std::uint64_t> now{0};
std::atomic<std::uint64_t> most{0};

void* counted(void* block) {
  if (block == nullptr) {
    throw std::bad_alloc();
  }
  const std::uint64_t bytes = now += ::malloc_usable_size(block);
  std::uint64_t former = most;
  while (former < bytes && !most.compare_exchange_weak(former, bytes)) {
  }
  return block;
}

void release(void* block) {
  now -= block == nullptr ? 0 : ::malloc_usable_size(block);
  std::free(block);
}

}  // namespace

std::uint64_t live() {
  return now;
}
std::uint64_t peak() {
  return most;
}
void restart() {
  most = now.load();
}

}  // namespace clpool::test::measured_memory

namespace memory = clpool::test::measured_memory;

void* operator new(std::size_t size) {
  return memory::counted(std::malloc(std::max<std::size_t>(size, 1)));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto step = static_cast<std::size_t>(alignment);
  return memory::counted(std::aligned_alloc(step, (size + step - 1) / step * step));
}
void operator delete(void* block) noexcept {
  memory::release(block);
}
void operator delete(void* block, std::size_t) noexcept {
  memory::release(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  memory::release(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  memory::release(block);
}
