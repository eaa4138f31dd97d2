// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Handlers of fork().
#include "base/process.hpp"

#include <pthread.h>

namespace clpool::core {

constinit std::atomic<std::uint32_t> fork_count{0};

namespace {

constinit std::atomic<ForkMutex*> all_mutexes{nullptr};
constinit std::mutex list_mutex;

constexpr std::size_t most_actions = 8;
constinit std::atomic<void (*)() noexcept> child_actions[most_actions] = {};

}  // namespace

/// What pthread_atfork() calls. The list cannot grow meanwhile: its mutex is held, too.
struct ForkHandlers {
  static void prepare() noexcept {
    list_mutex.lock();
    for (ForkMutex* mutex = all_mutexes.load(); mutex != nullptr; mutex = mutex->next_) {
      mutex->mutex_.lock();
    }
  }
  static void release() noexcept {
    for (ForkMutex* mutex = all_mutexes.load(); mutex != nullptr; mutex = mutex->next_) {
      mutex->mutex_.unlock();
    }
    list_mutex.unlock();
  }
  static void in_child() noexcept {
    fork_count.fetch_add(1, std::memory_order_relaxed);
    for (const auto& action : child_actions) {
      if (const auto function = action.load(); function != nullptr) {
        function();
      }
    }
    release();
  }
  static void install() noexcept {
    static const int installed = pthread_atfork(prepare, release, in_child);
    static_cast<void>(installed);  // without host memory for it, a child is not told; nothing else is lost
  }
};

namespace {

/// From the beginning: the child must tell the parent's objects from its own also where no mutex was taken
/// and no action was entered before fork(), as when only an allocator was made.
[[maybe_unused]] const bool installed_at_load = (ForkHandlers::install(), true);

}  // namespace

void after_fork_in_child(void (*action)() noexcept) noexcept {
  ForkHandlers::install();
  for (auto& place : child_actions) {
    void (*expected)() noexcept = nullptr;
    if (place.compare_exchange_strong(expected, action) || expected == action) {
      return;
    }
  }
}

void ForkMutex::enter_list() noexcept {
  ForkHandlers::install();
  const std::lock_guard lock(list_mutex);
  if (!registered_.load(std::memory_order_relaxed)) {
    next_ = all_mutexes.load();
    all_mutexes.store(this);
    registered_.store(true, std::memory_order_release);
  }
}

}  // namespace clpool::core
