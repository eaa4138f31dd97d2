// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a test has called at entry points, on their thread or on another.
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>
#include <utility>

#include "state.hpp"

namespace stub {
namespace {

struct Hooks {
  std::mutex mutex;
  stub_hook hook = nullptr;
  void* hook_user = nullptr;
  stub_hook observer = nullptr;
  void* observer_user = nullptr;
  std::string meanwhile_in;  ///< empty: any
  stub_operation operation = nullptr;
  void* operation_user = nullptr;
  std::uint64_t runs = 0;
  std::uint64_t held_up = 0;
};

Hooks& hooks() {
  static Hooks& the_hooks = *new Hooks;
  return the_hooks;
}

/// True on threads that are in a hook or are an operation's: these are left alone. Initial-exec: see
/// state.cpp.
bool& is_inside() {
  static thread_local bool inside __attribute__((tls_model("initial-exec"))) = false;
  return inside;
}

struct Run {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_done = false;
};

/// True if the operation ended in time.
bool run_elsewhere(stub_operation operation, void* user) {
  State& s = state();
  s.mutex.lock();
  const std::chrono::nanoseconds patience(s.options.patience);
  s.mutex.unlock();
  const auto run = std::make_shared<Run>();
  std::thread([=] {
    is_inside() = true;
    operation(user);
    const std::lock_guard lock(run->mutex);
    run->is_done = true;
    run->changed.notify_all();
  }).detach();
  std::unique_lock lock(run->mutex);
  return run->changed.wait_for(lock, patience, [&] { return run->is_done; });
}

}  // namespace

void call_hooks(Entry entry) {
  if (is_inside()) {
    return;
  }
  Hooks& h = hooks();
  std::unique_lock lock(h.mutex);
  const stub_hook hook = h.hook;
  void* const hook_user = h.hook_user;
  const stub_hook observer = h.observer;
  void* const observer_user = h.observer_user;
  const bool meant = h.meanwhile_in.empty() || h.meanwhile_in == name_of(entry);
  const stub_operation operation = meant ? h.operation : nullptr;
  void* const operation_user = h.operation_user;
  lock.unlock();
  for (const auto& [called, user] : {std::pair(observer, observer_user), std::pair(hook, hook_user)}) {
    if (called != nullptr) {
      is_inside() = true;
      called(name_of(entry), user);
      is_inside() = false;
    }
  }
  if (operation == nullptr) {
    return;
  }
  const bool ended = run_elsewhere(operation, operation_user);
  if (!ended) {
    std::fprintf(stderr, "clpool stub: %s: what another thread does meanwhile is held up by a lock\n",
                 name_of(entry));
  }
  lock.lock();
  ++h.runs;
  h.held_up += ended ? 0 : 1;
}

}  // namespace stub

using stub::hooks;

void stub_set_hook(stub_hook hook, void* user) {
  const std::lock_guard lock(hooks().mutex);
  hooks().hook = hook;
  hooks().hook_user = user;
}

void stub_set_observer(stub_hook observer, void* user) {
  const std::lock_guard lock(hooks().mutex);
  hooks().observer = observer;
  hooks().observer_user = user;
}

void stub_meanwhile(const char* entry_point, stub_operation operation, void* user) {
  const std::lock_guard lock(hooks().mutex);
  hooks().meanwhile_in = entry_point == nullptr ? "" : entry_point;
  hooks().operation = operation;
  hooks().operation_user = user;
  hooks().runs = 0;
  hooks().held_up = 0;
}

uint64_t stub_meanwhile_runs(void) {
  const std::lock_guard lock(hooks().mutex);
  return hooks().runs;
}

uint64_t stub_meanwhile_held_up(void) {
  const std::lock_guard lock(hooks().mutex);
  return hooks().held_up;
}
