// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A custom allocator over host memory that counts what it gives, for pools that several threads use.
#pragma once

#include <clpool/clpool.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>

namespace clpool::test {

/// Where the memory of a test's pools comes from, with the figures of what is out.
class HostMemory {
 public:
  HostMemory() {
    clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
    ops.allocate = allocate;
    ops.deallocate = deallocate;
    EXPECT_EQ(clpool_allocator_create_custom(&ops, this, &allocator_), CLPOOL_SUCCESS)
        << clpool_last_error_message();
  }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;
  ~HostMemory() { clpool_allocator_release(allocator_); }

  clpool_allocator* allocator() const { return allocator_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t peak() const { return peak_; }

 private:
  static clpool_status allocate(void* user, std::uint64_t size, std::uint64_t alignment,
                                std::uint64_t* chunk) {
    auto& self = *static_cast<HostMemory*>(user);
    const std::uint64_t step = alignment < sizeof(void*) ? sizeof(void*) : alignment;
    void* memory = std::aligned_alloc(step, (size + step - 1) / step * step);
    if (memory == nullptr) {
      return CLPOOL_ERROR_OUT_OF_MEMORY;
    }
    const std::uint64_t now = self.bytes_ += size;
    std::uint64_t peak = self.peak_;
    while (now > peak && !self.peak_.compare_exchange_weak(peak, now)) {
    }
    *chunk = reinterpret_cast<std::uintptr_t>(memory);
    return CLPOOL_SUCCESS;
  }

  static void deallocate(void* user, std::uint64_t chunk, std::uint64_t size) {
    static_cast<HostMemory*>(user)->bytes_ -= size;
    std::free(reinterpret_cast<void*>(static_cast<std::uintptr_t>(chunk)));
  }

  clpool_allocator* allocator_ = nullptr;
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint64_t> peak_{0};
};

}  // namespace clpool::test
