// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include "cl/turn.hpp"

#include <atomic>
#include <mutex>
#include <new>
#include <type_traits>

#include "base/process.hpp"

namespace clpool::core::cl {
namespace {

std::recursive_mutex turn;
static_assert(std::is_trivially_destructible_v<std::recursive_mutex>, "threads that outlive main() need it");

constinit std::atomic<bool> follows_forks{false};

/// The thread that had the turn is not there.
void begin_anew_in_child() noexcept {
  new (&turn) std::recursive_mutex;
}

}  // namespace

void Turn::take() noexcept {
  if (!follows_forks.load(std::memory_order_relaxed)) {
    after_fork_in_child(begin_anew_in_child);  // twice is as once
    follows_forks.store(true, std::memory_order_relaxed);
  }
  turn.lock();
}

void Turn::give_back() noexcept {
  turn.unlock();
}

}  // namespace clpool::core::cl
