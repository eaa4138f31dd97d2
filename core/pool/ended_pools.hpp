// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// EndedPools: the pools that have ended for their users, as long as they have memory: while some thread looks whether that
// can go, and while commands use it. One list a process, with a mutex of its own, under which nothing else is taken; a
// child of fork() begins with none. Never given up at process exit.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "base/fifo.hpp"
#include "base/process.hpp"

namespace clpool::core {

class Pool;

/// A pool in the list, in so far as the list knows it. All but the first three are guarded by the list's mutex.
struct EndedPool {
  Pool* pool;
  const std::vector<const void*>& sources;  ///< what its memory is of (AllocatorTraits::sources)
  /// Waits so long until nothing uses the pool's memory any more; the pool is gone then. False if it stays.
  bool (*end)(Pool& pool, std::uint64_t nanoseconds) noexcept = nullptr;
  EndedPool* next = nullptr;
  const void* looked_at_by = nullptr;  ///< the thread that looks whether its memory can go
  std::uint64_t ended_at_ns = 0;       ///< when it came into the list
  std::uint64_t waited_for_ns = 0;     ///< how long somebody waited for it in vain since

  /// Whether its memory may serve requests for memory of the others.
  bool helps(const std::vector<const void*>& others) const noexcept;
};

class EndedPools {
 public:
  constexpr EndedPools() = default;
  EndedPools(const EndedPools&) = delete;
  EndedPools& operator=(const EndedPools&) = delete;

  /// A pool comes into the list, and goes; in between the calling thread looks at it.
  void enter(EndedPool& ended, std::uint64_t now_ns) noexcept;
  void leave(EndedPool& ended) noexcept;
  /// The calling thread looks at the pool no more, which somebody else may do, after the others.
  void put_back(EndedPool& ended) noexcept;
  /// Ends up to `most` whose memory nothing uses any more, beginning with those that were not asked for longest, and waits for that
  /// altogether so long; true if there were any. Called without a mutex.
  bool end_some(std::uint64_t most, std::uint64_t nanoseconds = 0) noexcept;
  /// How many a call asks that only happens to come by.
  static constexpr std::uint64_t few = 8;

  /// The first pool that nobody looks at: from now on the calling thread does. Null if there is none.
  EndedPool* take() noexcept;
  /// How many the calling thread looks at, within functions of the user that their ends call.
  int nested() noexcept;

  std::uint64_t count() noexcept {
    const std::lock_guard lock(mutex_);
    return pools_.count;
  }
  /// Whether another thread looks at one.
  bool others_look() noexcept;
  /// Whether there are some whose memory helps, of other threads, that were not waited for as long yet.
  bool remain_for(const std::vector<const void*>& sources, std::uint64_t wait_ns) noexcept;
  /// Those that are there since then and help were waited for in vain, and not looked at meanwhile: nobody waits for them
  /// as long again.
  void note_late(const std::vector<const void*>& sources, std::uint64_t since_ns,
                 std::uint64_t now_ns) noexcept;

 private:
  bool remove(EndedPool& ended) noexcept;
  static void forget_in_child() noexcept;

  ForkMutex mutex_;
  Fifo<EndedPool> pools_;
};

extern EndedPools ended_pools;

}  // namespace clpool::core
