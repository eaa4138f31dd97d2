// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The process as fork() leaves it. A child has the parent's memory but neither its threads nor, with most
// drivers, a use of its OpenCL objects: what was made before fork() is refused in the child, with an error
// and without a lock or a driver call that could hang. What guards process-wide state is a ForkMutex, so that
// a child finds that state whole.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/status.hpp"

namespace clpool::core {

/// Counted by the handlers of fork().
extern constinit std::atomic<std::uint32_t> fork_count;

/// How many calls of fork() lie between the process that loaded the library and this one. Objects keep the
/// number with which they were made.
inline std::uint32_t process_generation() noexcept {
  return fork_count.load(std::memory_order_relaxed);
}

/// INVALID_OPERATION, naming `what`, if it was made in another process than this one.
inline Status require_own_process(std::uint32_t made_in, const char* what) noexcept {
  if (made_in == process_generation()) [[likely]] {
    return Status::success;
  }
  return fail(Status::invalid_operation,
              "%s was made before fork(); a child process cannot use it, it can only make its own", what);
}

/// Called in the child, before anything else of the library runs there. At most a handful, once each.
void after_fork_in_child(void (*action)() noexcept) noexcept;

/// A mutex that no thread holds while another one forks. Constant-initialized, never destroyed. Whoever holds
/// one takes no other of them, nor a mutex under which one is taken.
class ForkMutex {
 public:
  constexpr ForkMutex() = default;
  ForkMutex(const ForkMutex&) = delete;
  ForkMutex& operator=(const ForkMutex&) = delete;

  void lock() noexcept {
    if (!registered_.load(std::memory_order_acquire)) [[unlikely]] {
      enter_list();
    }
    mutex_.lock();
  }
  void unlock() noexcept { mutex_.unlock(); }

 private:
  friend struct ForkHandlers;
  void enter_list() noexcept;

  std::mutex mutex_;
  std::atomic<bool> registered_{false};
  ForkMutex* next_ = nullptr;  ///< all of them, the newest first
};

}  // namespace clpool::core
