// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
#include "cl/turn.hpp"

#include <atomic>
#include <mutex>
#include <new>
#include <type_traits>

#include "base/message.hpp"
#include "base/process.hpp"

namespace clpool::core::cl {
namespace {

std::recursive_mutex turn;
static_assert(std::is_trivially_destructible_v<std::recursive_mutex>, "threads that outlive main() need it");

constinit std::atomic<bool> follows_forks{false};

/// How many turns the thread has that has one.
constinit unsigned depth = 0;

/// The thread that had the turn is not there.
void begin_anew_in_child() noexcept {
  new (&turn) std::recursive_mutex;
  depth = 0;
  static_cast<void>(PutOffMessages::end());
}

}  // namespace

void Turn::take() noexcept {
  if (!follows_forks.load(std::memory_order_relaxed)) {
    after_fork_in_child(begin_anew_in_child);  // twice is as once
    follows_forks.store(true, std::memory_order_relaxed);
  }
  turn.lock();
  if (++depth == 1) {
    PutOffMessages::begin();
  }
}

void Turn::give_back() noexcept {
  if (depth == 0) {
    return;  // a child of a fork() that was made in it
  }
  PutOffMessages::Line* const messages = --depth == 0 ? PutOffMessages::end() : nullptr;
  turn.unlock();
  PutOffMessages::send(messages);
}

}  // namespace clpool::core::cl
