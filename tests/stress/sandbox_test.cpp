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
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <thread>

#include "support/pools.hpp"

namespace clpool::test {
namespace {

enum Verdict : int { sound = 0, no_sandbox = 77, failed_call = 1, handed_out_twice = 2, wrong_books = 3 };

bool refuse_membarrier() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  sock_fprog program = {4, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 && syscall(SYS_membarrier, 0, 0, 0) == -1;
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

TEST(OwnerLockInASandbox, IsSafeWhenMembarrierIsRefusedAfterTheFirstPool) {
  const pid_t process = fork();
  if (process == 0) {
    alarm(60);
    _exit(use_pool_in_sandbox());
  }
  int status = 0;
  ASSERT_EQ(waitpid(process, &status, 0), process);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  if (WEXITSTATUS(status) == no_sandbox) {
    GTEST_SKIP() << "no seccomp filter can be set";
  }
  EXPECT_EQ(WEXITSTATUS(status), sound)
      << "1: a call failed, 2: one block was handed out twice, 3: wrong figures";
}

}  // namespace
}  // namespace clpool::test
