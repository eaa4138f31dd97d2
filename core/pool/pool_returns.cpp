// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Releases that no thread's cache takes by itself. Called without the mutex.
#include "pool/pool.hpp"

namespace clpool::core {

Status Pool::take_back(Mem& mem) noexcept {
  auto& cache = *static_cast<ThreadCache*>(mem.home);
  if (comes_back_after_others(mem)) {
    return Status::success;
  }
  trace("block of %llu bytes returned, of a request of %llu", mem.capacity, mem.size);
  note_released(mem);
  std::atomic<bool>& come_home = come_home_.get();
  if (may_leave_to_owner(cache) && cache.remote.add(mem)) {
    // The pool may be gone: the block kept it.
    if (!come_home.load(std::memory_order_seq_cst)) {
      come_home.store(true, std::memory_order_seq_cst);
    }
    return Status::success;
  }
  Visit visit(*this);
  visit.keep_to_held_limit();
  std::size_t most_flushed = Returns::most_flushed_of(cache);
  const bool had_left = caches_.is_own(cache) && cache.had_left_some();
  returns_.receive(pool_block(mem), visit.had_to_wait() || had_left, most_flushed);
  return Status::success;
}

bool Pool::may_leave_to_owner(ThreadCache& cache) noexcept {
  if (&cache == &caches_.central()) {
    return false;
  }
  if (cache.owner.load(std::memory_order_relaxed) != this_thread_record) {
    return holds_.load(std::memory_order_relaxed);
  }
  // Its own, which has no room: rather than wait for the mutex, unless nothing is to be cached.
  const bool leaves = mutex_.is_taken() && cache.limit.load(std::memory_order_relaxed) != 0;
  if (leaves) {
    cache.left_some.store(true, std::memory_order_relaxed);
  }
  return leaves;
}

Status Pool::release_idle(Mem& mem) noexcept {
  if (mem.references.load(std::memory_order_acquire) == 1 && (mem.marks & late_mark) == 0) {
    set_mark(mem, idle_mark);
  }
  return release_mem(mem);
}

}  // namespace clpool::core
