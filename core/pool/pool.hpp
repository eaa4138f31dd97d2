// Pool: joins an engine (Strategy), an allocator and the caches in front of them.
//
// A request that a thread's cache can serve never leaves allocate(); everything else happens under the pool's
// mutex, which is never held across a driver call or a user's callback: what is to be given back is collected
// under the mutex (Garbage) and disposed of after it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "allocator/allocator.hpp"
#include "base/reference.hpp"
#include "cl/order.hpp"
#include "pool/epochs.hpp"
#include "pool/pool_block.hpp"
#include "pool/pool_options.hpp"
#include "pool/strategy.hpp"
#include "pool/sub_buffers.hpp"
#include "pool/thread_cache.hpp"

namespace clpool::core {

/// One stretch of a pool's memory, for visitors.
struct PoolStretch {
  enum class State : std::uint32_t { active = 1, free = 2, cached = 3, pending = 4 };
  std::uint64_t chunk;      ///< number of the chunk, from 0
  std::uint64_t offset;     ///< bytes
  std::uint64_t size;       ///< bytes
  std::uint64_t requested;  ///< bytes; 0 unless active
  State state;
  std::uint64_t tag;  ///< 0 unless active
};

class Pool final : public Shared, public MemOwner {
 public:
  static Status create(Allocator& allocator, const PoolOptions& options, Reference<Pool>& pool);

  /// Hands out a block. Throws std::bad_alloc, changing nothing.
  Status allocate(std::size_t size, Mem*& mem) {
    mem = try_hit(size);
    return mem != nullptr ? Status::success : allocate_slowly(size, mem);
  }

  /// What allocate() does when try_hit() has nothing.
  Status allocate_slowly(std::size_t size, Mem*& mem);

  /// The hit path: a block from this thread's cache, or null.
  Mem* try_hit(std::size_t size) noexcept {
    const ThreadRecord* record = this_thread_record;
    if (record == nullptr) [[unlikely]] {
      return nullptr;
    }
    const ThreadRecord::Slot& slot = record->slots[id_ % ThreadRecord::slot_count];
    if (slot.pool_id != id_ || !slot.cache->lock.try_enter()) [[unlikely]] {
      return nullptr;
    }
    // A size near the largest number wraps around to 0, which no block has.
    Mem* mem = slot.cache->pop((size + (size == 0) + granule_ - 1) & ~(granule_ - 1), size);
    slot.cache->lock.leave();
    return mem;
  }

  /// The same without waiting or calling a driver; WOULD_BLOCK, without a message, where that is needed.
  Status try_allocate(std::size_t size, Mem*& mem);

  /// Takes back a block that was released by its last reference, if that needs no more than its cache.
  static bool try_release(Mem& mem) noexcept {
    auto* cache = static_cast<ThreadCache*>(mem.home);
    if (mem.has_uses || cache->owner.load(std::memory_order_relaxed) != this_thread_record ||
        !cache->lock.try_enter()) {
      return false;
    }
    const bool pushed = cache->push(mem);
    cache->lock.leave();
    return pushed;
  }

  PoolStats statistics();
  void free_held();
  void stop_holding();
  void trim(std::uint64_t keep_bytes);
  void tick();

  /// Calls `visitor` for every stretch of every chunk, in the order of chunks and offsets, after copying
  /// them: the visitor may use the pool. It returns false to stop.
  void visit(const std::function<bool(const PoolStretch&)>& visitor);

  const PoolOptions& options() const noexcept { return options_; }
  const Allocator& allocator() const noexcept { return *allocator_; }

  /// Uses of a block, which keep it from being reused before they are complete (pool_uses.cpp).
  Status release_after(Mem& mem, std::uint32_t count, const cl_event* events);
  Status used_on(Mem& mem, cl_command_queue queue);
  Status bind_to_queue(Mem& mem, cl_command_queue queue);
  Status unbind_from_queue(Mem& mem);
  /// Releases behind everything on `order.queue` (null: the queue that the block is bound to) and its waits.
  Status release_on(Mem& mem, cl::Order order);
  void set_tag(Mem& mem, std::uint64_t tag) noexcept;

  // MemOwner
  Status take_back(Mem& mem) noexcept override;
  Status take_back_later(Mem& mem) noexcept override;
  cl_context context_of(const Mem& mem) const noexcept override;
  Status root_of(const Mem& mem, cl_mem& root, std::size_t& offset) const noexcept override;

  /// Called when a thread ends: its caches may be adopted by others.
  void abandon_caches_of(const ThreadRecord& record) noexcept;
  Pool* next_registered = nullptr;

  /// What is wrong with the books, or null; for tests.
  const char* check();

 private:
  /// What is to be given to the driver once the mutex is free.
  struct Garbage {
    HeapChunk* first = nullptr;  ///< chunks, linked by next, in the order in which they go
    HeapChunk* last = nullptr;
    SubBuffers::Entries handles;
    bool empty() const noexcept { return first == nullptr && handles.empty(); }
    void add(HeapChunk& chunk) noexcept {
      chunk.next = nullptr;
      (last != nullptr ? last->next : first) = &chunk;
      last = &chunk;
    }
  };
  struct Request {
    std::size_t size = 0;       ///< bytes, as asked for
    std::uint64_t rounded = 0;  ///< bytes that its block will have
  };
  class Borrowed;     // all caches of the pool, taken from their owners
  struct Uses;        // declared uses of one block
  struct PendingUse;  // a released block and the events that hold it back

  /// How long a call polls the queues for idle memory: where it is about to take more than the pool ever had,
  /// and where it would merely be better to give a chunk back than to cut it up. While the device is busy
  /// with what came before, polling is left out for a while, for twice as many calls each time that it
  /// failed.
  static constexpr std::uint64_t settling_before_a_new_peak_ns = 10'000'000;
  static constexpr std::uint64_t settling_for_a_better_fit_ns = 500'000;
  static constexpr std::uint64_t most_settlings_left_out = 1024;

  Pool(Allocator& allocator, const PoolOptions& options);
  ~Pool() override;
  void last_reference_gone() noexcept override;

  // pool.cpp: blocks in and out, under the mutex.
  Status check_size(std::size_t size, Request& request) const noexcept;
  Mem* take_cached(ThreadCache& cache, const Request& request);
  PoolBlock* take_block(const Request& request, std::unique_lock<std::mutex>& lock);
  void settle(std::unique_lock<std::mutex>& lock, std::uint64_t nanoseconds) noexcept;
  bool find_handle(PoolBlock& block) noexcept;
  Status hand_out(PoolBlock& block, const Request& request, std::unique_lock<std::mutex>& lock, Mem*& mem);
  void prepare(PoolBlock& block, const Request& request, ThreadCache& cache);
  void count_handed_out(ThreadCache& cache, std::size_t size);
  void return_block(PoolBlock& block) noexcept;
  void give_block_back(PoolBlock& block) noexcept;
  void keep_handle(PoolBlock& block) noexcept;
  void give_chunk_back(HeapChunk& chunk) noexcept;
  bool is_idle(const HeapChunk& chunk) const noexcept;
  /// True if memory that the pool gives back is gone before the commands on the pool's queue have ended:
  /// neither OpenCL's reference counts nor the allocator's queue protect it.
  bool frees_at_once() const noexcept;
  bool may_give_back(const HeapChunk& chunk) const noexcept;
  void unlock_and_dispose(std::unique_lock<std::mutex>& lock) noexcept;
  void leave_and_dispose(std::unique_lock<std::mutex>& lock) noexcept;
  void dispose(Garbage& garbage) noexcept;

  // pool_caches.cpp: the threads' caches, under the mutex.
  ThreadCache& cache_of_this_thread();
  bool caches_blocks() const noexcept;
  void share_limits() noexcept;
  Mem* take_remote(std::uint64_t capacity, std::size_t size) noexcept;
  void drain_remote(ThreadCache& cache) noexcept;
  void empty_bucket(ThreadCache& cache, std::size_t bucket) noexcept;
  void make_room(ThreadCache& cache, std::uint64_t needed) noexcept;
  void flush(ThreadCache& cache) noexcept;
  bool flush_all();

  // pool_growth.cpp: new chunks, and what is done when there are none.
  Status grow(const Request& request, std::unique_lock<std::mutex>& lock, Mem*& mem);
  Status new_chunk(std::uint64_t bytes, const Request& request, std::unique_lock<std::mutex>& lock,
                   Mem*& mem);
  Status recover(const Request& request, std::unique_lock<std::mutex>& lock, Mem*& mem);
  Status recover_once(const Request& request, std::unique_lock<std::mutex>& lock, Mem*& mem);
  Status give_back_until_served(std::uint64_t bytes, const Request& request,
                                std::unique_lock<std::mutex>& lock, Mem*& mem);
  bool wait_for_others(std::unique_lock<std::mutex>& lock) noexcept;
  Status out_of_memory_error(const Request& request, std::unique_lock<std::mutex>& lock);
  GrowthLimits growth_limits() const noexcept;
  std::uint64_t room() const noexcept;
  /// False if the pool's own limit shows that giving back all that is free would not make room (D-07).
  bool may_fit(std::uint64_t bytes) const noexcept;
  std::uint64_t requests_served() const noexcept;

  // pool_holding.cpp: how much is held.
  std::uint64_t cached_bytes() const noexcept;
  bool over_held_limit() const noexcept;
  void give_back_beyond(std::uint64_t most_held) noexcept;
  void give_back_aged() noexcept;
  void give_back_all() noexcept;

  // pool_uses.cpp: blocks that queues still use.
  void close_epoch() noexcept;
  void hold_back(PoolBlock& block) noexcept;
  void end_pending_use(PoolBlock& block) noexcept;
  bool has_pending() const noexcept;
  void collect_finished(std::unique_lock<std::mutex>& lock) noexcept;
  bool wait_for_pending(std::unique_lock<std::mutex>& lock) noexcept;
  cl_command_queue home_queue() const noexcept;
  Status uses_of(Mem& mem, Uses*& uses);
  Status take_back_used(PoolBlock& block) noexcept;
  void finish_later_releases() noexcept;
  void take_back_all(Mem* mem) noexcept;

  // pool_report.cpp
  void trace(const char* format, std::uint64_t first, std::uint64_t second) noexcept;
  void report_leaks(std::unique_lock<std::mutex>& lock) noexcept;
  std::vector<PoolStretch> snapshot();

  const std::uint64_t id_;
  const std::uint64_t granule_;  ///< bytes: where blocks may begin
  Reference<Allocator> allocator_;
  const PoolOptions options_;
  Epochs epochs_;

  std::mutex mutex_;  ///< guards everything below
  BlockStore blocks_;
  std::unique_ptr<Strategy> strategy_;
  SubBuffers sub_buffers_;
  ThreadCache central_;  ///< counters of the requests of threads that have no cache; caches nothing
  ThreadCache* caches_ = nullptr;
  std::uint64_t cache_count_ = 0;
  Garbage garbage_;
  std::uint64_t settlings_left_out_ = 0;      ///< still to be left out, since the last one failed
  std::uint64_t settlings_to_leave_out_ = 1;  ///< when the next one fails
  std::uint64_t threads_leaving_ =
      0;  ///< threads that dispose of garbage after a release, and may end the pool
  bool holding_ = true;
  bool closed_ = false;
  std::size_t uses_in_hand_ = 0;           ///< pending uses that some thread has taken out to ask or wait for
  std::uint64_t reserved_for_growth_ = 0;  ///< bytes of chunks being asked for
  std::uint64_t peak_managed_bytes_ = 0;
  std::uint64_t peak_active_bytes_ = 0;
  std::uint64_t driver_allocations_ = 0;
  std::uint64_t driver_releases_ = 0;
  std::uint64_t misses_ = 0;
  std::uint64_t out_of_memory_events_ = 0;
  std::uint64_t sub_buffers_created_ = 0;
  Mem* pending_ = nullptr;  ///< blocks held back for their epoch (in Block::tag), oldest first
  Mem* last_pending_ = nullptr;
  std::uint64_t pending_in_open_epoch_ = 0;
  std::uint64_t pending_blocks_ = 0;
  std::uint64_t pending_bytes_ = 0;
  std::list<PendingUse> pending_uses_;
  std::atomic<std::uint64_t> work_done_{
      0};  ///< chunks taken or given back by now, for threads that wait for others
  std::atomic<std::uint64_t> disposing_bytes_{0};  ///< of chunks that are on their way to the allocator
  std::atomic<Mem*> later_{nullptr};  ///< blocks whose release was put off; closed_list() in the end
};

}  // namespace clpool::core
