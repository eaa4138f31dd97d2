// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Guarded pools: what a pool does for its guard. rests() and functions that take a Visit are called with the mutex held,
// and note_released() with it or where nobody else has the block; guard_chunk() and give_up_chunk() are called
// without it.
#include <algorithm>

#include "cl/marker.hpp"
#include "pool/pool.hpp"

namespace clpool::core {

Status Pool::guard_chunk(const QueueSet& own, PoolChunk& chunk, cl::Queue& unfinished) noexcept {
  const AllocatorTraits& traits = allocator_->traits();
  Status status = guard_->fill_chunk(chunk, traits.made_behind_queue ? traits.queue : nullptr, unfinished);
  // Whatever uses the chunk comes after the fill.
  for (std::size_t i = 0; status == Status::success && unfinished && i < own.epochs.queue_count(); ++i) {
    status = cl::hand_over(unfinished.get(), own.epochs.queue(i));
  }
  if (status != Status::success) {
    const KeptError kept;
    give_up_chunk(chunk.memory, unfinished);
  }
  return status;
}

void Pool::give_up_chunk(const Chunk& memory, const cl::Queue& fill) noexcept {
  // The driver keeps buffers until their commands have ended; nothing keeps other memory under its fill.
  const bool may_run = fill && allocator_->traits().kind != MemKind::buffer;
  if (may_run && cl::finish(fill.get()) != Status::success) {
    send_message(sink_, Severity::error, "%llu bytes stay allocated, as their fill may still run: %s",
                 static_cast<unsigned long long>(memory.size), last_error_message());
  } else {
    allocator_->deallocate(memory);  // no news for who waits for memory: the request itself had it
  }
}

bool Pool::is_guarded(const Mem& mem, std::uint64_t& tag) const noexcept {
  if (guard_ != nullptr) {
    tag = std::atomic_ref(const_cast<PoolBlock&>(pool_block(mem)).tag).load(std::memory_order_relaxed);
  }
  return guard_ != nullptr;
}

void Pool::note_released(Mem& mem) const noexcept {
  if (guard_ != nullptr) {
    mark_resting(mem, std::atomic_ref(pool_block(mem).tag).load(std::memory_order_relaxed));
  } else {
    mark_released(mem);
  }
}

bool Pool::rests() const noexcept {
  return guard_ != nullptr && !guard_->empty();
}

void Pool::work_on_guard(Visit& visit) noexcept {
  if (guard_ == nullptr) {
    return;
  }
  for (bool any = true; any;) {
    for (Mem* mem = books_.take_freed(); mem != nullptr;) {
      PoolBlock& block = pool_block(*std::exchange(mem, mem->next));
      if (!guard_->enter(block)) {
        books_.free_rested(block);
      }
    }
    const bool may_rest =
        rest_enders_ == 0 && returns_.waiters == 0 && returns_.settling == 0 && books_.holding();
    const std::uint64_t part = books_.managed_bytes() / Guard::resting_part;
    const std::uint64_t bytes = std::min(std::max(Guard::least_resting_bytes, part), options_.max_held_bytes);
    Guard::ByPhase batch = guard_->take(may_rest ? Guard::most_resting : 0, may_rest ? bytes : 0);
    if (batch.empty()) {
      return;
    }
    visit.out([&] { any = guard_->work(batch); });
    guard_is_late_ = guard_is_late_ && !any;
    GuardedList done;
    guard_->put_back(batch, done);
    while (GuardedBlock* guarded = done.take()) {
      books_.free_rested(*guarded->block);
      delete guarded;
    }
  }
}

void Pool::end_rest(Visit& visit, std::uint64_t nanoseconds) noexcept {
  if (guard_ == nullptr) {
    return;
  }
  ++rest_enders_;
  work_on_guard(visit);
  if (rests() && !guard_is_late_) {
    settle(visit, nanoseconds);
  }
  --rest_enders_;
  guard_is_late_ = rests();
}

}  // namespace clpool::core
