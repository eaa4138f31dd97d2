// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Children of fork(): what a parent's pools give them is an error, never a wait for threads that the child
// does not have; pools of their own work.
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "support/child.hpp"
#include "support/pools.hpp"

/// A child lacks the parent's other threads, whose records then look lost: LeakSanitizer, where it is built
/// in, asks this at the end of a process.
static bool is_child = false;
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off() {
  return is_child ? 1 : 0;
}

namespace clpool::test {
namespace {

/// in_child(), of which LeakSanitizer knows.
template <typename Work>
int in_known_child(Work&& work) {
  return in_child([&] {
    is_child = true;
    work();
  });
}

/// Ends the child with the number of the check that failed.
void require(bool holds, int number) {
  if (!holds) {
    _exit(number);
  }
}
void require_refused(clpool_status status, int number) {
  require(status == CLPOOL_ERROR_INVALID_OPERATION, number);
}

/// A pool of the child's own, over numbers.
void use_own_pool() {
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  std::uint64_t next = 1 << 20;
  ops.allocate = [](void* user, std::uint64_t size, std::uint64_t, std::uint64_t* chunk) -> clpool_status {
    auto& address = *static_cast<std::uint64_t*>(user);
    *chunk = address;
    address += (size + 4095) / 4096 * 4096;
    return CLPOOL_SUCCESS;
  };
  ops.deallocate = [](void*, std::uint64_t, std::uint64_t) {};
  clpool_allocator* allocator = nullptr;
  require(clpool_allocator_create_custom(&ops, &next, &allocator) == CLPOOL_SUCCESS, 101);
  clpool_pool* pool = nullptr;
  require(clpool_pool_create(allocator, nullptr, &pool) == CLPOOL_SUCCESS, 102);
  for (std::size_t i = 0; i < 200; ++i) {
    clpool_mem* mem = nullptr;
    require(clpool_pool_allocate(pool, 512 * (1 + i % 5), &mem) == CLPOOL_SUCCESS, 103);
    std::thread([&] { require(clpool_mem_release(mem) == CLPOOL_SUCCESS, 104); }).join();
  }
  clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
  require(clpool_pool_statistics(pool, &stats) == CLPOOL_SUCCESS && stats.active_blocks == 0, 105);
  require(clpool_pool_check(pool) == CLPOOL_SUCCESS, 106);
  require(clpool_pool_release(pool) == CLPOOL_SUCCESS, 107);
  require(clpool_allocator_release(allocator) == CLPOOL_SUCCESS, 108);
}

/// A parent's pool, with a second thread that is busy with it when it forks.
class PoolFork : public testing::TestWithParam<std::uint32_t> {
 protected:
  void SetUp() override {
    allocator = numbers.allocator();
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.strategy = GetParam();
    pool = make_pool(allocator.get(), options);
    block = allocate(pool, 512);
    cached = allocate(pool, 700);
    cached.reset();
    busy = std::thread([this] {
      while (!stop) {
        allocate(pool, 512).reset();
        allocate(pool, 50'000).reset();
        ++rounds;
      }
    });
    while (rounds == 0) {
      std::this_thread::yield();
    }
  }
  void TearDown() override {
    stop = true;
    busy.join();
    expect_sound(pool);
  }

  NumberSource numbers;
  AllocatorHandle allocator;
  PoolHandle pool;
  MemHandle block;
  MemHandle cached;
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> rounds{0};
  std::thread busy;
};
INSTANTIATE_TEST_SUITE_P(, PoolFork, testing::Values(CLPOOL_STRATEGY_COALESCING, CLPOOL_STRATEGY_BINNED),
                         [](const auto& kind) {
                           return kind.param == CLPOOL_STRATEGY_BINNED ? "binned" : "coalescing";
                         });

TEST_P(PoolFork, EveryCallOnInheritedObjectsIsRefusedAndNoneHangs) {
  for (int i = 0; i < 20; ++i) {
    const int result = in_known_child([this] {
      clpool_mem* mem = nullptr;
      clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
      require_refused(clpool_pool_allocate(pool.get(), 1 << 20, &mem), 1);
      require_refused(clpool_pool_allocate(pool.get(), 512, &mem), 2);
      require(mem == nullptr, 3);
      require_refused(clpool_pool_statistics(pool.get(), &stats), 4);
      require_refused(clpool_pool_trim(pool.get(), 0), 5);
      require_refused(clpool_pool_free_held(pool.get()), 6);
      require_refused(clpool_pool_tick(pool.get()), 7);
      require_refused(clpool_mem_release(block.get()), 8);
      require_refused(clpool_pool_release(pool.get()), 9);
      require_refused(clpool_allocator_release(allocator.get()), 10);
      const auto visitor = [](void*, const clpool_pool_stretch*) -> std::int32_t { _exit(11); };
      require_refused(clpool_pool_visit(pool.get(), visitor, nullptr), 12);
      char text[] = "text";
      std::size_t needed = 77;
      require_refused(clpool_pool_dump_json(pool.get(), text, sizeof text, &needed), 13);
      require(*text == '\0' && needed == 0, 14);
      // No queue, which nobody looks at before.
      const auto queue = reinterpret_cast<cl_command_queue>(&needed);
      require_refused(clpool_mem_unbind_queue(block.get()), 15);
      require_refused(clpool_mem_bind_queue(block.get(), queue), 16);
      require_refused(clpool_mem_used_on(block.get(), queue), 17);
      require_refused(clpool_mem_release_after(block.get(), 0, nullptr), 18);
      require_refused(clpool_mem_release_on(block.get(), queue, 0, nullptr, nullptr), 19);
      require_refused(clpool_pool_allocate_on(pool.get(), queue, 512, &mem), 20);
      require_refused(clpool_mem_set_tag(block.get(), 1), 21);
    });
    EXPECT_EQ(result, 0) << "check of that number, or minus a signal, in child " << i;
  }
}

TEST_P(PoolFork, AnInheritedAllocatorIsNotDecorated) {
  const int result = in_known_child([this] {
    clpool_allocator* made = nullptr;
    require_refused(clpool_allocator_create_limit(allocator.get(), 1 << 20, &made), 1);
    require_refused(clpool_allocator_create_trace(allocator.get(), "/dev/null", &made), 2);
    require(made == nullptr, 3);
  });
  EXPECT_EQ(result, 0) << "check of that number, or minus a signal";
}

TEST_P(PoolFork, ACachedBlockIsNotHandedOutInTheChild) {
  // The forking thread's own cache has it, and a hit takes no lock that could be refused.
  const int result = in_known_child([this] {
    clpool_mem* mem = nullptr;
    require_refused(clpool_pool_allocate(pool.get(), 700, &mem), 1);
    require_refused(clpool_pool_try_allocate(pool.get(), 700, &mem), 2);
    require(mem == nullptr, 3);
  });
  EXPECT_EQ(result, 0) << "check of that number, or minus a signal";
}

TEST_P(PoolFork, AChildMayHaveAPoolOfItsOwn) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(in_known_child(use_own_pool), 0) << "check of that number, or minus a signal, in child " << i;
  }
}

TEST_P(PoolFork, AChildMayExit) {
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(in_known_child([] { std::_Exit(0); }), 0);
  }
  EXPECT_EQ(in_known_child([] {
              use_own_pool();
              std::exit(0);
            }),
            0);
}

}  // namespace
}  // namespace clpool::test
