// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A sandbox that is entered when pools are already in use, and refuses membarrier from then on: the owner's
// lock must still keep the owner and the borrowers apart.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <barrier>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "support/pools.hpp"

namespace clpool::test {
namespace {

enum Verdict : int { sound = 0, no_sandbox = 77, failed_call = 1, handed_out_twice = 2, wrong_books = 3 };

/// From here on, the calling thread's membarrier is answered with `answer`.
bool filter_membarrier(std::uint32_t answer) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, answer),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program = {4, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
bool refuse_membarrier() {
  return filter_membarrier(SECCOMP_RET_ERRNO | EPERM) && syscall(SYS_membarrier, 0, 0, 0) == -1;
}

/// One thread that hits its cache, and another that takes the cache's content from it all the time.
Verdict use_pool_in_sandbox() {
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  const PoolHandle pool = make_pool(allocator.get());
  const MemHandle large = allocate(pool, 64 << 20);
  if (!refuse_membarrier()) {
    return no_sandbox;
  }
  std::atomic<bool> stop{false};
  std::atomic<int> verdict{sound};
  std::thread owner([&] {
    std::array<clpool_mem*, 8> blocks{};
    while (!stop) {
      for (clpool_mem*& block : blocks) {
        verdict =
            clpool_pool_allocate(pool.get(), 512, &block) == CLPOOL_SUCCESS ? verdict.load() : failed_call;
      }
      for (std::size_t i = 0; i < blocks.size() && verdict == sound; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (blocks[i] == blocks[j] || clpool_mem_pointer(blocks[i]) == clpool_mem_pointer(blocks[j])) {
            verdict = handed_out_twice;
          }
        }
      }
      if (verdict != sound) {
        return;
      }
      for (clpool_mem* const block : blocks) {
        verdict = clpool_mem_release(block) == CLPOOL_SUCCESS ? verdict.load() : failed_call;
      }
    }
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (verdict == sound && std::chrono::steady_clock::now() < end) {
    const clpool_pool_stats stats = stats_of(pool);
    if (stats.active_blocks > 9 || stats.cached_bytes > stats.managed_bytes) {
      verdict = wrong_books;
    } else if (clpool_pool_free_held(pool.get()) != CLPOOL_SUCCESS) {
      verdict = failed_call;
    }
  }
  stop = true;
  owner.join();
  if (verdict == sound &&
      (clpool_pool_check(pool.get()) != CLPOOL_SUCCESS || stats_of(pool).active_blocks != 1)) {
    verdict = wrong_books;
  }
  return static_cast<Verdict>(verdict.load());
}

/// Threads that have each had a block, one after the other, and then allocate and release all at once: far
/// more than the pool's peak. From there on, membarrier ends the process.
Verdict use_pool_without_membarrier() {
  constexpr unsigned count = 32;
  constexpr std::size_t size = 16 << 10;
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  const PoolHandle pool = make_pool(allocator.get());
  std::atomic<int> verdict{sound};
  std::barrier next(count);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      for (unsigned turn = 0; turn < count; ++turn) {
        if (turn == i) {
          allocate(pool, size).reset();
        }
        next.arrive_and_wait();
      }
      if (!filter_membarrier(SECCOMP_RET_KILL_PROCESS)) {
        verdict = no_sandbox;
        return;
      }
      for (int step = 0; step < 500; ++step) {
        const MemHandle block = allocate(pool, size);
        std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return static_cast<Verdict>(verdict.load());
}

/// What threads that have ended had in their caches is counted and taken back; where membarrier ends the process.
Verdict take_what_ended_threads_had() {
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  const PoolHandle pool = make_pool(allocator.get());
  const MemHandle large = allocate(pool, 64 << 20);
  for (int i = 0; i < 4; ++i) {
    std::thread([&] { allocate(pool, 512).reset(); }).join();
  }
  if (!filter_membarrier(SECCOMP_RET_KILL_PROCESS)) {
    return no_sandbox;
  }
  const clpool_pool_stats before = stats_of(pool);
  if (before.active_blocks != 1 || before.allocations != 5) {
    return wrong_books;
  }
  if (clpool_pool_free_held(pool.get()) != CLPOOL_SUCCESS ||
      clpool_pool_check(pool.get()) != CLPOOL_SUCCESS) {
    return failed_call;
  }
  return stats_of(pool).cached_bytes == 0 ? sound : wrong_books;
}

/// Runs `use` in a process of its own, as a filter stays for good, and one begun anew: ThreadSanitizer lets a child of
/// fork() begin no threads where its parent had several, and a driver's may be among these.
void run_apart(Verdict (*use)()) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  int verdict = sound;
  EXPECT_EXIT(
      {
        alarm(60);
        _exit(use());
      },
      [&verdict](int status) {
        verdict = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
        return verdict == sound || verdict == no_sandbox;
      },
      "")
      << verdict << " (1: a call failed, 2: one block was handed out twice, 3: wrong figures, <0: a signal)";
  if (verdict == no_sandbox) {
    GTEST_SKIP() << "no seccomp filter can be set";
  }
}

TEST(OwnerLockInASandbox, IsSafeWhenMembarrierIsRefusedAfterTheFirstPool) {
  run_apart(use_pool_in_sandbox);
}

TEST(OwnerLockInASandbox, IsNotTakenFromThreadsThatFindTheirBlocksInTheirCaches) {
  run_apart(use_pool_without_membarrier);
}

TEST(OwnerLockInASandbox, IsNotTakenFromThreadsThatHaveEnded) {
  run_apart(take_what_ended_threads_had);
}

}  // namespace
}  // namespace clpool::test
