// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The operators new and delete of the program, which libclpool.so uses as well: a block has a header in front
// that tells whether it is the library's.
#include "faults/host_memory.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

#include "stub_icd/stub.h"

namespace clpool::test::host_memory {
namespace {

thread_local bool in_library = false;

std::atomic<std::uint64_t> count{0};
std::atomic<std::uint64_t> fail_at{0};  ///< the number of the allocation; 0: none
std::atomic<bool> fails_on{false};
std::atomic<std::uint64_t> failed{0};
std::atomic<std::int64_t> alive{0};

struct Header {
  void* block;  ///< as malloc() gave it
  bool is_librarys;
};

bool is_refused() {
  const std::uint64_t number = ++count;
  const std::uint64_t at = fail_at;
  if (at == 0 || number < at || (number > at && !fails_on)) {
    return false;
  }
  ++failed;
  return true;
}

void* allocate(std::size_t size, std::size_t alignment) {
  const bool is_librarys = in_library && stub_activity() == nullptr;
  if (is_librarys && is_refused()) {
    return nullptr;
  }
  const std::size_t step = alignment < alignof(std::max_align_t) ? alignof(std::max_align_t) : alignment;
  if (size > SIZE_MAX - 2 * step - sizeof(Header)) {
    return nullptr;
  }
  void* const block = std::malloc(size + 2 * step + sizeof(Header));
  if (block == nullptr) {
    return nullptr;
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(block) + sizeof(Header);
  const std::uintptr_t start = (begin + step - 1) / step * step;
  *(reinterpret_cast<Header*>(start) - 1) = {block, is_librarys};
  alive += is_librarys ? 1 : 0;
  return reinterpret_cast<void*>(start);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* const memory = allocate(size, alignment);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

void deallocate(void* memory) {
  if (memory != nullptr) {
    const Header header = *(static_cast<Header*>(memory) - 1);
    alive -= header.is_librarys ? 1 : 0;
    std::free(header.block);
  }
}

}  // namespace

InLibrary::InLibrary() : outer_(std::exchange(in_library, true)) {}
InLibrary::~InLibrary() {
  in_library = outer_;
}
InTest::InTest() : outer_(std::exchange(in_library, false)) {}
InTest::~InTest() {
  in_library = outer_;
}

std::uint64_t allocations() {
  return count;
}
void start_counting() {
  count = 0;
}
void fail(std::uint64_t nth, bool lasts) {
  count = 0;
  failed = 0;
  fails_on = lasts;
  fail_at = nth;
}
void fail_none() {
  fail_at = 0;
}
std::uint64_t failures() {
  return failed;
}
std::int64_t live() {
  return alive;
}

}  // namespace clpool::test::host_memory

namespace memory = clpool::test::host_memory;

void* operator new(std::size_t size) {
  return memory::allocate_or_throw(size, 1);
}
void* operator new[](std::size_t size) {
  return memory::allocate_or_throw(size, 1);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return memory::allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return memory::allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return memory::allocate(size, 1);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return memory::allocate(size, 1);
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return memory::allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return memory::allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept {
  memory::deallocate(block);
}
void operator delete[](void* block) noexcept {
  memory::deallocate(block);
}
void operator delete(void* block, std::size_t) noexcept {
  memory::deallocate(block);
}
void operator delete[](void* block, std::size_t) noexcept {
  memory::deallocate(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  memory::deallocate(block);
}
void operator delete[](void* block, std::align_val_t) noexcept {
  memory::deallocate(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  memory::deallocate(block);
}
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept {
  memory::deallocate(block);
}
void operator delete(void* block, const std::nothrow_t&) noexcept {
  memory::deallocate(block);
}
void operator delete[](void* block, const std::nothrow_t&) noexcept {
  memory::deallocate(block);
}
void operator delete(void* block, std::align_val_t, const std::nothrow_t&) noexcept {
  memory::deallocate(block);
}
void operator delete[](void* block, std::align_val_t, const std::nothrow_t&) noexcept {
  memory::deallocate(block);
}
