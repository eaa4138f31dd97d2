// New chunks for a pool, and what it does when the allocator has none to give (design section 3.5).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "pool/borrowed.hpp"
#include "pool/uses.hpp"

namespace clpool::core {
namespace {

/// True if the failure may be answered by giving memory back or asking for less: out of memory, or a size
/// over the device's limit (-61) that rounding up made (D-04).
bool may_recover(Status status) noexcept {
  return status == Status::out_of_memory ||
         (status == Status::opencl && last_cl_error() == CL_INVALID_BUFFER_SIZE);
}

/// How often a request that would fail waits for other threads that take or give back chunks, and for how
/// long it leaves them alone in between.
constexpr int most_retries_for_others = 8;
constexpr std::chrono::microseconds pause_for_others{200};

/// How long a request that would fail waits for the queues, behind which what was given back is freed.
constexpr std::uint64_t longest_wait_for_the_driver_ns = 10'000'000'000;

}  // namespace

std::uint64_t Pool::requests_served() const noexcept {
  std::uint64_t requests = central_.handed_out.load(std::memory_order_relaxed);
  for (const ThreadCache* cache = caches_; cache != nullptr; cache = cache->next) {
    requests += cache->handed_out.load(std::memory_order_relaxed);
  }
  return requests;
}

std::uint64_t Pool::room() const noexcept {
  const std::uint64_t taken = strategy_->managed_bytes() + reserved_for_growth_ + disposing_bytes_.load();
  return options_.max_bytes > taken ? options_.max_bytes - taken : 0;
}

GrowthLimits Pool::growth_limits() const noexcept {
  return {.max_chunk_bytes = allocator_->traits().max_chunk_bytes,
          .room = room(),
          .peak_managed_bytes = peak_managed_bytes_,
          .allocations = requests_served(),
          .driver_allocations = driver_allocations_};
}

bool Pool::wait_for_others(std::unique_lock<std::mutex>& lock) noexcept {
  const auto at_work = [this] {
    return reserved_for_growth_ != 0 || disposing_bytes_.load() != 0 || uses_in_hand_ != 0;
  };
  if (!at_work()) {
    return false;
  }
  // When the thread that takes a chunk or gives some back is through, there may be enough.
  for (const std::uint64_t before = work_done_.load(); at_work() && work_done_.load() == before;) {
    lock.unlock();
    std::this_thread::sleep_for(pause_for_others);
    lock.lock();
  }
  return true;
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
  if (!garbage_.empty()) {
    // What goes back goes first, so that both never exist at once.
    unlock_and_dispose(lock);
    lock.lock();
  }
  if (bytes > room()) {
    ++out_of_memory_events_;
    return fail(Status::out_of_memory, "the pool may take %llu bytes more, %llu were needed",
                static_cast<unsigned long long>(room()), static_cast<unsigned long long>(bytes));
  }
  reserved_for_growth_ += bytes;
  lock.unlock();
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
  work_done_.fetch_add(1, std::memory_order_relaxed);
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
  peak_managed_bytes_ = std::max(peak_managed_bytes_, strategy_->managed_bytes());
  share_limits();
  const Status handed_out = hand_out(pool_block(*block), request, lock, mem);
  misses_ += handed_out == Status::success ? 1 : 0;
  return handed_out;
}

Status Pool::recover(const Request& request, std::unique_lock<std::mutex>& lock, Mem*& mem) {
  int retries = 0;
  for (std::uint32_t attempt = 1;;) {
    const Status status = recover_once(request, lock, mem);
    if (!may_recover(status)) {
      return status;
    }
    if (retries < most_retries_for_others && wait_for_others(lock)) {
      ++retries;
      continue;
    }
    if (options_.callbacks.out_of_memory == nullptr) {
      return out_of_memory_error(request, lock);
    }
    lock.unlock();
    const bool again =
        options_.callbacks.out_of_memory(options_.callbacks.user, request.size, attempt++) != 0;
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
  const std::uint64_t released_before = driver_releases_;
  if (const Status status = give_back_until_served(request.rounded, request, lock, mem);
      !may_recover(status)) {
    return status;
  }
  // The exact size.
  if (request.size != 0 && request.size != request.rounded) {
    Status status = new_chunk(request.size, request, lock, mem);
    if (may_recover(status)) {
      status = give_back_until_served(request.size, request, lock, mem);
    }
    if (!may_recover(status)) {
      return status;
    }
  }
  // Releases that are not complete yet, oldest first.
  while (wait_for_pending(lock)) {
    if (PoolBlock* block = take_block(request, lock); block != nullptr) {
      return hand_out(*block, request, lock, mem);
    }
    if (const Status status = give_back_until_served(request.rounded, request, lock, mem);
        !may_recover(status)) {
      return status;
    }
  }
  // What went back may be free only when the commands before its release are through, as SVM on a queue is.
  if (driver_releases_ != released_before && epochs_.has_queues()) {
    unlock_and_dispose(lock);
    epochs_.settle(longest_wait_for_the_driver_ns);
    lock.lock();
    return new_chunk(request.rounded, request, lock, mem);
  }
  return Status::out_of_memory;
}

Status Pool::give_back_until_served(std::uint64_t bytes, const Request& request,
                                    std::unique_lock<std::mutex>& lock, Mem*& mem) {
  if (!may_fit(bytes)) {
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
    if (bytes > room()) {
      continue;
    }
    if (const Status status = new_chunk(bytes, request, lock, mem); !may_recover(status)) {
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

}  // namespace clpool::core
