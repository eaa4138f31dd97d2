// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Released blocks that wait for the pool's own queues in their threads' caches, each with the epoch of its release: what
// comes and goes in a thread needs no mutex, nor do threads take the memory of their blocks' descriptors from each other.
// Called without the mutex.
#include "pool/pool.hpp"

namespace clpool::core {
namespace {

/// Of what a cache may hold, one part in so many has a marker of its own.
constexpr std::uint64_t marked_part = 4;

/// Whether so much that its thread released waits for an epoch that is open that this had better be closed.
bool is_much_unmarked(const ThreadCache& cache, std::uint64_t open) noexcept {
  const WaitingList& waiting = cache.waiting;
  return waiting.newest_epoch() == open &&
         (waiting.unmarked.blocks >= Pending::releases_per_cheap_marker ||
          (waiting.unmarked.blocks >= Pending::releases_per_marker &&
           waiting.unmarked.bytes >= cache.limit.load(std::memory_order_relaxed) / marked_part));
}

}  // namespace

bool Pool::let_wait_in_own_cache(Mem& mem) noexcept {
  auto& cache = *static_cast<ThreadCache*>(mem.home);
  if (!may_wait_in_cache(mem) || cache.owner.load(std::memory_order_relaxed) != this_thread_record ||
      !cache.lock.try_enter(static_cast<const Pool&>(*mem.owner).revocation_)) {
    return false;
  }
  const QueueSet* const own = static_cast<const Pool*>(mem.owner)->returning_.waits_behind;
  // Read behind all that the program has enqueued: markers of this epoch that are enqueued later come behind that.
  const bool waits = cache.push_waiting(mem, own->epochs.open());
  cache.lock.leave();
  return waits;
}

Mem* Pool::take_waited(ThreadCache& cache, const Request& request, bool may_call) noexcept {
  if (!cache.lock.try_enter(revocation_)) {
    return nullptr;
  }
  QueueSet* const own = returning_.waits_behind;
  const std::uint64_t before = own->epochs.completed();
  if (may_call && cache.count_miss_and_ask(before, own->epochs.open())) {
    cache.lock.leave();
    own->epochs.poll();
    if (!cache.lock.try_enter(revocation_)) {
      return nullptr;
    }
    cache.note_asked(own->epochs.completed() == before);
  }
  Mem* const mem = cache.end_waits(own->epochs.completed(), ThreadCache::waits_ended_at_a_time)
                       ? cache.pop(request.rounded, request.size)
                       : nullptr;
  const bool needs_marker = may_call && mem != nullptr && is_much_unmarked(cache, own->epochs.open());
  cache.lock.leave();
  if (needs_marker) {
    // Before the last that has waited is taken, so that there are others by then.
    Visit visit(*this);
    if (caches_.is_own(cache)) {
      returns_.count_unmarked(cache);
      progress_.look_at_set(visit, *own, Progress::Close::due);
    }
  }
  return mem;
}

}  // namespace clpool::core
