// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The list of the pools that have ended. Callable with a pool's mutex or without: it has its own, which all but helps() and
// remove() take for a moment; the latter is called with it.
#include "pool/ended_pools.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/clock.hpp"
#include "base/status.hpp"

namespace clpool::core {

namespace {

/// How deep a thread ends pools within functions of the user that the end of others calls.
constexpr int most_nested_ends = 4;

}  // namespace

constinit EndedPools ended_pools;

bool EndedPool::helps(const std::vector<const void*>& others) const noexcept {
  return std::find_first_of(sources.begin(), sources.end(), others.begin(), others.end()) != sources.end();
}

/// A child of fork() has none of the parent's pools: their mutexes may be held for ever, and their objects
/// are the parent's.
void EndedPools::forget_in_child() noexcept {
  ended_pools.pools_ = {};
}

void EndedPools::enter(EndedPool& ended, std::uint64_t now_ns) noexcept {
  after_fork_in_child(forget_in_child);
  const std::lock_guard lock(mutex_);
  ended.ended_at_ns = now_ns;
  ended.looked_at_by = mark_of_this_thread();
  pools_.add(ended);
}

void EndedPools::leave(EndedPool& ended) noexcept {
  const std::lock_guard lock(mutex_);
  static_cast<void>(remove(ended));
}

void EndedPools::put_back(EndedPool& ended) noexcept {
  const std::lock_guard lock(mutex_);
  ended.looked_at_by = nullptr;
  if (remove(ended)) {
    pools_.add(ended);
  }
}

bool EndedPools::end_some(std::uint64_t most, std::uint64_t nanoseconds) noexcept {
  bool any = false;
  const std::uint64_t deadline = nanoseconds == 0 ? 0 : clock_ns() + nanoseconds;
  if (nested() >= most_nested_ends) {
    return false;
  }
  for (most = std::min(most, count()); most > 0; --most) {
    EndedPool* const ended = take();
    if (ended == nullptr) {
      break;
    }
    const std::uint64_t now = deadline == 0 ? 0 : clock_ns();
    const std::uint64_t left = deadline > now ? deadline - now : 0;
    if (ended->end(*ended->pool, left)) {
      any = true;
    } else {
      put_back(*ended);
    }
  }
  return any;
}

EndedPool* EndedPools::take() noexcept {
  const std::lock_guard lock(mutex_);
  EndedPool* const ended = pools_.find_if([](const EndedPool& any) { return any.looked_at_by == nullptr; });
  if (ended != nullptr) {
    ended->looked_at_by = mark_of_this_thread();
  }
  return ended;
}

bool EndedPools::others_look() noexcept {
  const std::lock_guard lock(mutex_);
  return pools_.find_if([this_thread = mark_of_this_thread()](const EndedPool& ended) {
    return ended.looked_at_by != nullptr && ended.looked_at_by != this_thread;
  }) != nullptr;
}

int EndedPools::nested() noexcept {
  const std::lock_guard lock(mutex_);
  const void* const this_thread = mark_of_this_thread();
  int nested = 0;
  for (const EndedPool* ended = pools_.first; ended != nullptr; ended = ended->next) {
    nested += ended->looked_at_by == this_thread ? 1 : 0;
  }
  return nested;
}

bool EndedPools::remain_for(const std::vector<const void*>& sources, std::uint64_t wait_ns) noexcept {
  const std::lock_guard lock(mutex_);
  // What this very thread is ending, from whose callback the request comes, will not end while it waits.
  return pools_.find_if([&, this_thread = mark_of_this_thread()](const EndedPool& ended) {
    return ended.waited_for_ns < wait_ns && ended.looked_at_by != this_thread && ended.helps(sources);
  }) != nullptr;
}

void EndedPools::note_late(const std::vector<const void*>& sources, std::uint64_t since_ns,
                           std::uint64_t now_ns) noexcept {
  const std::lock_guard lock(mutex_);
  for (EndedPool* ended = pools_.first; ended != nullptr; ended = ended->next) {
    if (ended->ended_at_ns <= since_ns && ended->looked_at_by == nullptr && ended->helps(sources)) {
      ended->waited_for_ns = std::max(ended->waited_for_ns, now_ns - since_ns);
    }
  }
}

/// False in a child of fork() that began with an empty list.
bool EndedPools::remove(EndedPool& ended) noexcept {
  EndedPool* previous = nullptr;
  EndedPool* here = pools_.first;
  while (here != nullptr && here != &ended) {
    previous = std::exchange(here, here->next);
  }
  if (here == nullptr) {
    return false;
  }
  pools_.remove(ended, previous);
  return true;
}

}  // namespace clpool::core
