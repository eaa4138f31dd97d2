// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A pool on the fake driver as NVIDIA's, which loses its lists of used memory where several threads are at them.
#pragma once

#include <atomic>
#include <thread>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {

class ThreadsOnNvidia : public testing::Test {
 protected:
  static constexpr std::size_t size = 4096;

  void make(const char* options) {
    stub_configure(options);
    allocator = immediate_allocator(scene.cl.queue);
    pool = make_pool(allocator.get(), CLPOOL_POOL_OPTIONS_INIT);
  }
  static clpool_mem* allocate_from(const PoolHandle& from) {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_pool_allocate(from.get(), size, &mem));
    return mem;
  }
  /// A block whose handle is a part that nobody used.
  clpool_mem* allocate() { return allocate_from(pool); }
  void allocate_in_another_thread() {
    std::thread([&] { EXPECT_OK(clpool_mem_release(allocate())); }).join();
  }

  /// A block that a command has used.
  clpool_mem* allocate_used() {
    clpool_mem* const mem = allocate();
    EXPECT_OK(clpool_mem_fill(scene.cl.queue, mem, &source_byte, 1, 0, size, 0, nullptr, nullptr));
    return mem;
  }
  /// While a thread does something again and again, another one takes blocks of ever other sizes, whose handles are made anew.
  template <typename Action>
  void make_parts_beside(Action&& action) {
    std::atomic<bool> stop{false};
    std::thread other([&] {
      while (!stop) {
        action();
      }
    });
    std::thread([&] {
      for (std::size_t i = 0; i < 300; ++i) {
        clpool_mem* mem = nullptr;
        ASSERT_OK(clpool_pool_allocate(pool.get(), size * (1 + i * 7 % 301), &mem));
        ASSERT_OK(clpool_mem_release(mem));
      }
    }).join();
    stop = true;
    other.join();
  }

  Scene scene;
  AllocatorHandle allocator;
  PoolHandle pool;
};

}  // namespace clpool::test
