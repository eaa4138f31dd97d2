// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The side of OwnerLock that needs the operating system.
#include "base/owner_lock.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "base/look.hpp"
#include "base/process.hpp"

#if defined(__linux__)
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#if defined(__SANITIZE_THREAD__)
#define CLPOOL_SEES_NO_MEMBARRIER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CLPOOL_SEES_NO_MEMBARRIER 1
#endif
#endif

namespace clpool::core {

constinit bool OwnerLock::asymmetric_ = false;

namespace {

constinit ForkMutex initializing;
constinit std::atomic<bool> is_initialized{false};

}  // namespace

void OwnerLock::initialize() noexcept {
#if defined(__linux__) && defined(SYS_membarrier) && !defined(CLPOOL_SEES_NO_MEMBARRIER)
  // Once: nobody may use a lock before it is. Not by a local static, which a fork() meanwhile would leave half made.
  if (is_initialized.load(std::memory_order_acquire)) {
    return;
  }
  const std::lock_guard lock(initializing);
  if (!is_initialized.load(std::memory_order_relaxed)) {
    asymmetric_ = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    is_initialized.store(true, std::memory_order_release);
  }
#endif
}

namespace {

/// Where the kernel refuses membarrier: taking a right from a page that was just written makes it interrupt
/// every core that runs this process, which orders their memory accesses (x86; other processors may do
/// without the interrupt). A store that is older than a millisecond is visible everywhere in any case, as no
/// store buffer keeps one for that long and a thread that is not running has none.
void barrier_without_membarrier() noexcept {
#if defined(__linux__)
  const auto page_size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const page = mmap(nullptr, page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) {
    *static_cast<volatile char*>(page) = 1;
    static_cast<void>(mprotect(page, page_size, PROT_READ));
    static_cast<void>(munmap(page, page_size));
  }
#endif
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

void OwnerLock::barrier() noexcept {
  if (!asymmetric_) {
    return;
  }
#if defined(__linux__) && defined(SYS_membarrier) && !defined(CLPOOL_SEES_NO_MEMBARRIER)
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0) {
    return;
  }
#endif
  barrier_without_membarrier();
}

bool OwnerLock::Revocation::look_for_end() const noexcept {
  return look_for([this] { return !is_on(); });
}

void OwnerLock::wait() noexcept {
  const auto taken = [this] {
    return (asymmetric_ ? busy_.load(std::memory_order_acquire)
                        : busy_.exchange(1, std::memory_order_acquire)) != 0;
  };
  // The owner is inside for some nanoseconds, unless it was descheduled there.
  for (int looks = 0; taken(); ++looks) {
    if (looks < 2) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
}

}  // namespace clpool::core
