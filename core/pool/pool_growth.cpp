// New chunks for a pool, and what it does when the allocator has none to give (design section 3.5).
#include <algorithm>
#include <cstdio>

#include "pool/borrowed.hpp"
#include "pool/uses.hpp"

namespace clpool {
namespace {

/// True if the failure may be answered by giving memory back or asking for less: out of memory, or a size
/// over the device's limit (-61) that rounding up made (D-04).
bool may_recover(Status status) noexcept {
  return status == Status::out_of_memory ||
         (status == Status::opencl && last_cl_error() == CL_INVALID_BUFFER_SIZE);
}

}  // namespace

std::uint64_t Pool::requests_served() const noexcept {
  std::uint64_t requests = central_.handed_out.load(std::memory_order_relaxed);
  for (const ThreadCache* cache = caches_; cache != nullptr; cache = cache->next) {
    requests += cache->handed_out.load(std::memory_order_relaxed);
  }
  return requests;
}

std::uint64_t Pool::room() const noexcept {
  const std::uint64_t taken = strategy_->managed_bytes() + reserved_for_growth_;
  return options_.max_bytes > taken ? options_.max_bytes - taken : 0;
}

GrowthLimits Pool::growth_limits() const noexcept {
  return {.max_chunk_bytes = allocator_->traits().max_chunk_bytes,
          .room = room(),
          .peak_managed_bytes = peak_managed_bytes_,
          .allocations = requests_served(),
          .driver_allocations = driver_allocations_};
}

bool Pool::may_fit(std::uint64_t bytes) const noexcept {
  if (bytes <= room()) {
    return true;
  }
  std::uint64_t can_bring = 0;
  for (const HeapChunk* chunk = strategy_->first_chunk(); chunk != nullptr; chunk = chunk->next) {
    can_bring += chunk->first->free && is_whole_chunk(*chunk->first) ? chunk->size : 0;
  }
  return bytes - room() <= can_bring;
}

Status Pool::grow(const Request& request, std::unique_lock<std::mutex>& lock, Mem*& mem) {
  give_back_aged();
  if (strategy_->largest_free_chunk() != nullptr &&
      strategy_->managed_bytes() + request.rounded > peak_managed_bytes_) {
    // Before the pool takes more than it ever had: perhaps the queues are through with what it can give back
    // for this.
    settle(lock, settling_before_a_new_peak_ns);
    if (PoolBlock* block = take_block(request, lock); block != nullptr) {
      return hand_out(*block, request, lock, mem);
    }
  }
  if (!may_fit(request.rounded)) {
    ++out_of_memory_events_;
    return recover(request, lock, mem);
  }
  Growth growth = strategy_->plan_growth(request.rounded, growth_limits(),
                                         [this](const HeapChunk& chunk) { return is_idle(chunk); });
  for (HeapChunk* chunk : growth.released) {
    sub_buffers_.take_all_of(*chunk, garbage_.handles);
    garbage_.add(*chunk);
    ++driver_releases_;
  }
  Status status = new_chunk(growth.chunk_bytes, request, lock, mem);
  if (may_recover(status) && growth.chunk_bytes > request.rounded) {
    status = new_chunk(request.rounded, request, lock, mem);
  }
  return may_recover(status) ? recover(request, lock, mem) : status;
}

Status Pool::new_chunk(std::uint64_t bytes, const Request& request, std::unique_lock<std::mutex>& lock,
                       Mem*& mem) {
  auto chunk = std::make_unique<PoolChunk>();
  if (bytes > room()) {
    ++out_of_memory_events_;
    Garbage garbage = std::exchange(garbage_, {});
    lock.unlock();
    dispose(garbage);
    lock.lock();
    return fail(Status::out_of_memory, "the pool may take %llu bytes more, %llu were needed",
                static_cast<unsigned long long>(room()), static_cast<unsigned long long>(bytes));
  }
  reserved_for_growth_ += bytes;
  Garbage garbage = std::exchange(garbage_, {});
  lock.unlock();
  dispose(garbage);
  const AllocatorTraits& traits = allocator_->traits();
  const std::uint64_t alignment =
      traits.kind == MemKind::custom ? granule_ : std::min(granule_, traits.granularity);
  trace("%llu bytes of new memory needed for a request of %llu", bytes, request.size);
  const Status status = allocator_->allocate(bytes, alignment, chunk->memory);
  if (status == Status::out_of_memory) {
    trace("out of memory: no %llu bytes for a request of %llu", bytes, request.size);
  }
  lock.lock();
  reserved_for_growth_ -= bytes;
  if (status != Status::success) {
    out_of_memory_events_ += status == Status::out_of_memory ? 1 : 0;
    return status;
  }
  chunk->size = bytes;
  Block* block = nullptr;
  try {
    block = strategy_->add_chunk(*chunk, request.rounded);
  } catch (...) {
    lock.unlock();
    allocator_->deallocate(chunk->memory);
    lock.lock();
    throw;
  }
  chunk.release();
  ++driver_allocations_;
  ++misses_;
  peak_managed_bytes_ = std::max(peak_managed_bytes_, strategy_->managed_bytes());
  share_limits();
  return hand_out(pool_block(*block), request, lock, mem);
}

Status Pool::recover(const Request& request, std::unique_lock<std::mutex>& lock, Mem*& mem) {
  for (std::uint32_t attempt = 1;; ++attempt) {
    const Status status = recover_once(request, lock, mem);
    if (!may_recover(status)) {
      return status;
    }
    if (options_.callbacks.out_of_memory == nullptr) {
      return out_of_memory_error(request, lock);
    }
    lock.unlock();
    const bool again = options_.callbacks.out_of_memory(options_.callbacks.user, request.size, attempt) != 0;
    finish_later_releases();
    lock.lock();
    if (!again) {
      return out_of_memory_error(request, lock);
    }
    // What the callback let go of may have left the pool already, by clpool_pool_trim() or a direct release.
    if (const Status retried = new_chunk(request.rounded, request, lock, mem); !may_recover(retried)) {
      return retried;
    }
  }
}

Status Pool::recover_once(const Request& request, std::unique_lock<std::mutex>& lock, Mem*& mem) {
  // Releases that have completed.
  collect_finished(lock);
  if (PoolBlock* block = take_block(request, lock); block != nullptr) {
    return hand_out(*block, request, lock, mem);
  }
  // The user's collector, then the driver once more (D-06).
  if (options_.callbacks.collect != nullptr) {
    lock.unlock();
    options_.callbacks.collect(options_.callbacks.user);
    finish_later_releases();
    lock.lock();
    collect_finished(lock);
    if (PoolBlock* block = take_block(request, lock); block != nullptr) {
      return hand_out(*block, request, lock, mem);
    }
    if (const Status status = new_chunk(request.rounded, request, lock, mem); !may_recover(status)) {
      return status;
    }
  }
  // A larger block than one would like (D-08).
  flush_all();
  if (Block* block = strategy_->take_any(request.size); block != nullptr) {
    return hand_out(pool_block(*block), request, lock, mem);
  }
  // Held chunks, largest first, no more of them than it takes.
  if (const Status status = give_back_until_served(request, lock, mem); !may_recover(status)) {
    return status;
  }
  // The exact size.
  if (request.size != 0 && request.size != request.rounded) {
    if (const Status status = new_chunk(request.size, request, lock, mem); !may_recover(status)) {
      return status;
    }
  }
  // Releases that are not complete yet, oldest first.
  while (wait_for_pending(lock)) {
    if (PoolBlock* block = take_block(request, lock); block != nullptr) {
      return hand_out(*block, request, lock, mem);
    }
    if (const Status status = give_back_until_served(request, lock, mem); !may_recover(status)) {
      return status;
    }
  }
  return Status::out_of_memory;
}

Status Pool::give_back_until_served(const Request& request, std::unique_lock<std::mutex>& lock, Mem*& mem) {
  if (!may_fit(request.rounded)) {
    return Status::out_of_memory;
  }
  while (HeapChunk* chunk = strategy_->largest_free_chunk()) {
    // The driver may wait here for commands that use the chunk: without memory, that is meant. Where it does
    // not, the pool does.
    if (!may_give_back(*chunk)) {
      const std::uint64_t epoch = chunk->last_release;
      lock.unlock();
      const Status waited = epochs_.wait(epoch);
      lock.lock();
      if (waited != Status::success) {
        return Status::out_of_memory;
      }
      continue;
    }
    give_chunk_back(*chunk);
    if (request.rounded > room()) {
      continue;
    }
    if (const Status status = new_chunk(request.rounded, request, lock, mem); !may_recover(status)) {
      return status;
    }
  }
  return Status::out_of_memory;
}

Status Pool::out_of_memory_error(const Request& request, std::unique_lock<std::mutex>& lock) {
  const cl_int code = last_cl_error();
  lock.unlock();
  const PoolStats stats = statistics();
  lock.lock();
  char limit[32] = "none";
  if (options_.max_bytes != UINT64_MAX) {
    std::snprintf(limit, sizeof limit, "%llu", static_cast<unsigned long long>(options_.max_bytes));
  }
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  // Seeds report -4 whatever the last refusal was (spec section 1.1.4, step 6).
  static_cast<void>(fail_cl(
      is_cl_out_of_memory(code) ? code : CL_MEM_OBJECT_ALLOCATION_FAILURE, "clpool_pool_allocate",
      "out of memory in pool '%s': asked for %llu bytes; active %llu, held %llu (of which %llu are still in "
      "use by "
      "queues), largest free block %llu, managed %llu, limit %s",
      options_.name.c_str(), number(request.size), number(stats.active_bytes), number(stats.held_bytes),
      number(stats.pending_bytes), number(stats.largest_free_bytes), number(stats.managed_bytes), limit));
  return Status::out_of_memory;
}

}  // namespace clpool
