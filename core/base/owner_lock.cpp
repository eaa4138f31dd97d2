// The side of OwnerLock that needs the operating system.
#include "base/owner_lock.hpp"

#include <sched.h>

#if defined(__linux__)
#include <linux/membarrier.h>
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

void OwnerLock::initialize() noexcept {
#if defined(__linux__) && defined(SYS_membarrier) && !defined(CLPOOL_SEES_NO_MEMBARRIER)
  // A local static is initialized once and thread-safely; nobody may use a lock before it is.
  static const bool available = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  static const bool stored = [] { return asymmetric_ = available; }();
  static_cast<void>(stored);
#endif
}

void OwnerLock::barrier() noexcept {
#if defined(__linux__) && defined(SYS_membarrier) && !defined(CLPOOL_SEES_NO_MEMBARRIER)
  if (asymmetric_) {
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  }
#endif
}

void OwnerLock::wait() noexcept {
  // The owner is inside for some nanoseconds, unless it was descheduled there.
  if (asymmetric_) {
    while (busy_.load(std::memory_order_acquire) != 0) {
      sched_yield();
    }
  } else {
    while (busy_.exchange(1, std::memory_order_acquire) != 0) {
      sched_yield();
    }
  }
}

}  // namespace clpool::core
