// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Guarded pools: what a pool does for its guard's chunks, and says of its blocks. note_released() is called with the mutex held or
// where nobody else has the block; guard_chunk() and give_up_chunk() without it.
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

}  // namespace clpool::core
