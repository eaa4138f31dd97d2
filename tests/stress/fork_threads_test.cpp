// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// fork() in one thread while others begin, use pools for the first time, and end: what one of them holds and
// another waits for must not depend on each other in a ring.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "host_memory.hpp"
#include "support/child.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

/// A pool whose descriptors are all in use soon, so that it asks for more.
void use_new_pool(clpool_allocator* allocator) {
  const PoolHandle pool = make_pool(allocator);
  std::vector<MemHandle> blocks;
  for (int i = 0; i < 100; ++i) {
    blocks.push_back(allocate(pool, 1000));
  }
}

TEST(ForkWhileThreadsWork, HangsNobody) {
  constexpr int forks = 100;
  HostMemory memory;
  const PoolHandle shared = make_pool(memory.allocator());
  use_new_pool(memory.allocator());
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!is_over) {
        use_new_pool(memory.allocator());
      }
    });
    threads.emplace_back([&] {
      while (!is_over) {
        std::thread([&] { const MemHandle block = allocate(shared, 100); }).join();
      }
    });
  }
  for (int i = 0; i < forks; ++i) {
    ASSERT_EQ(in_child([] {}), 0);
  }
  is_over = true;
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace clpool::test
