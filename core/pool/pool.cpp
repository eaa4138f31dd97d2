// Blocks in and out of a pool, beyond what a thread's cache does by itself, and a pool's beginning and end.
#include "pool/pool.hpp"

#include <algorithm>
#include <bit>
#include <chrono>

#include "cl/sub_buffer.hpp"
#include "pool/binned.hpp"
#include "pool/borrowed.hpp"
#include "pool/coalescing.hpp"
#include "pool/uses.hpp"

namespace clpool::core {
namespace {

constinit std::atomic<std::uint64_t> last_pool_id{0};

std::uint64_t now_ns() noexcept {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

}  // namespace

Pool::Pool(Allocator& allocator, const PoolOptions& options)
    : id_(last_pool_id.fetch_add(1, std::memory_order_relaxed) + 1),
      granule_(std::max(allocator.traits().granularity, options.alignment)),
      allocator_(Reference<Allocator>::share(&allocator)),
      options_(options) {
  if (options_.strategy == StrategyKind::binned) {
    strategy_ = std::make_unique<Binned>(options_.leading_bits, blocks_);
  } else {
    strategy_ = std::make_unique<Coalescing>(granule_, options_.min_chunk_bytes, blocks_);
  }
}

Status Pool::create(Allocator& allocator, const PoolOptions& options, Reference<Pool>& pool) {
  if (options.alignment != 0 && !std::has_single_bit(options.alignment)) {
    return fail(Status::invalid_value, "alignment is %llu, it must be a power of two",
                static_cast<unsigned long long>(options.alignment));
  }
  if (options.leading_bits > max_leading_bits) {
    return fail(Status::invalid_value, "leading_bits_in_bin_id is %u, the largest valid number is %u (D-34)",
                options.leading_bits, max_leading_bits);
  }
  OwnerLock::initialize();
  Reference<Pool> made = Reference<Pool>::adopt(new Pool(allocator, options));
  if (options.queues.empty() && allocator.traits().queue != nullptr) {
    CLPOOL_TRY(made->epochs_.add_queue(allocator.traits().queue));
  }
  for (cl_command_queue queue : options.queues) {
    CLPOOL_TRY(made->epochs_.add_queue(queue));
  }
  register_pool(*made);
  if (allocator.traits().deferred) {
    send_message(
        {options.callbacks.message, options.callbacks.user}, Severity::warning,
        "pool '%s' is made over a deferred allocator: the driver may report out of memory when a command "
        "first uses a block, where the pool cannot answer it; use an immediate allocator",
        options.name.c_str());
  }
  pool = std::move(made);
  return Status::success;
}

Pool::~Pool() {
  unregister_pool(*this);
  if (allocator_->traits().kind != MemKind::buffer && has_pending()) {
    // Only buffers outlive their release until commands have ended; addresses are gone at once (OpenCL 3.0,
    // clSVMFree): what still uses them must end first.
    std::unique_lock lock(mutex_);
    while (wait_for_pending(lock)) {
    }
  }
  if (frees_at_once()) {
    static_cast<void>(epochs_.wait(epochs_.open()));
  }
  for (Mem* mem = pending_; mem != nullptr;) {
    PoolBlock& block = pool_block(*mem);
    mem = mem->next;
    give_block_back(block);
  }
  for (PendingUse& use : pending_uses_) {
    give_block_back(*use.block);
  }
  while (HeapChunk* chunk = strategy_->next_free_chunk()) {
    give_chunk_back(*chunk);
  }
  dispose(garbage_);
  while (caches_ != nullptr) {
    delete std::exchange(caches_, caches_->next);
  }
}

void Pool::last_reference_gone() noexcept {
  take_back_all(later_.exchange(ThreadCache::closed_list(), std::memory_order_acq_rel));
  std::unique_lock lock(mutex_);
  {
    const Borrowed borrowed(*this);
    closed_ = true;
    holding_ = false;
    ++threads_leaving_;
    for (ThreadCache* cache = caches_; cache != nullptr; cache = cache->next) {
      drain_remote(*cache);
      // From here on, other threads' releases find the list closed and come to the mutex.
      Mem* late = cache->remote.exchange(ThreadCache::closed_list(), std::memory_order_acq_rel);
      while (late != nullptr) {
        Mem* next = late->next;  // before the descriptor is recycled
        return_block(pool_block(*late));
        late = next;
      }
      cache->limit.store(0, std::memory_order_relaxed);
      flush(*cache);
      // Nobody is an owner any more. One that is past looking meets a limit of 0, and comes to the mutex as
      // well.
      cache->owner.store(ThreadCache::nobody(), std::memory_order_relaxed);
    }
  }
  give_back_all();
  report_leaks(lock);
  --threads_leaving_;
  leave_and_dispose(lock);
}

void Pool::leave_and_dispose(std::unique_lock<std::mutex>& lock) noexcept {
  if (!closed_ && garbage_.empty() && !over_held_limit()) {
    // Nothing of the pool may be touched any more: another thread may end it as soon as the mutex is free.
    lock.unlock();
    return;
  }
  ++threads_leaving_;
  if (over_held_limit()) {
    settle(lock, settling_for_a_better_fit_ns);
    give_back_beyond(options_.max_held_bytes);
  }
  unlock_and_dispose(lock);
  lock.lock();
  --threads_leaving_;
  bool last = closed_ && threads_leaving_ == 0 && central_.active_blocks() == 0;
  for (const ThreadCache* cache = caches_; last && cache != nullptr; cache = cache->next) {
    last = cache->active_blocks() == 0;
  }
  lock.unlock();
  if (last) {
    delete this;
  }
}

Status Pool::check_size(std::size_t size, Request& request) const noexcept {
  const std::uint64_t most = allocator_->traits().max_chunk_bytes;
  request.size = size;
  request.rounded = strategy_->rounded(size);
  if (size > PTRDIFF_MAX || request.rounded < size) {
    return fail(Status::invalid_value, "a block of %zu bytes was asked for, the largest possible size is %td",
                size, PTRDIFF_MAX);
  }
  if (most != 0 && size > most) {
    return fail(Status::invalid_value, "a block of %zu bytes was asked for, the device allows %llu", size,
                static_cast<unsigned long long>(most));
  }
  if (most != 0 && request.rounded > most) {
    request.rounded = size;  // D-04
  }
  return Status::success;
}

Status Pool::allocate_slowly(std::size_t size, Mem*& mem) {
  Request request;
  CLPOOL_TRY(check_size(size, request));
  if (this_thread_record == nullptr) {
    ensure_thread_record();
  }
  finish_later_releases();
  mem = take_remote(request.rounded, size);
  if (mem != nullptr) {
    return Status::success;
  }
  std::unique_lock lock(mutex_);
  ThreadCache& cache = cache_of_this_thread();
  drain_remote(cache);
  Status status = Status::success;
  mem = take_cached(cache, request);
  if (mem == nullptr) {
    if (has_pending()) {
      collect_finished(lock);
    }
    PoolBlock* block = take_block(request, lock);
    status = block != nullptr ? hand_out(*block, request, lock, mem) : grow(request, lock, mem);
    if (block != nullptr && status == Status::out_of_memory) {
      status = recover(request, lock, mem);
    }
  }
  unlock_and_dispose(lock);
  if (status == Status::success) {
    trace("block of %llu bytes handed out for a request of %llu", request.rounded, size);
  }
  return status;
}

Mem* Pool::take_cached(ThreadCache& cache, const Request& request) {
  Mem* mem = cache.take_cached(request.rounded);
  if (mem != nullptr) {
    mem->size = request.size;
    count_handed_out(cache, request.size);
    mem->state = MemState::live;
  }
  return mem;
}

Status Pool::try_allocate(std::size_t size, Mem*& mem) {
  mem = try_hit(size);
  if (mem != nullptr) {
    return Status::success;
  }
  Request request;
  CLPOOL_TRY(check_size(size, request));
  ensure_thread_record();
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) {
    return Status::would_block;
  }
  ThreadCache& cache = cache_of_this_thread();
  drain_remote(cache);
  if (mem = take_cached(cache, request); mem != nullptr) {
    return Status::success;
  }
  Block* block =
      strategy_->prefers_growth(request.rounded, growth_limits(), [](const HeapChunk&) { return true; })
          ? nullptr
          : strategy_->take(request.rounded);
  if (block == nullptr) {
    return Status::would_block;
  }
  PoolBlock& taken = pool_block(*block);
  if (!find_handle(taken)) {
    give_block_back(taken);
    return Status::would_block;
  }
  prepare(taken, request, cache);
  mem = &taken;
  return Status::success;
}

PoolBlock* Pool::take_block(const Request& request, std::unique_lock<std::mutex>& lock) {
  const auto prefers_growth = [&](bool of_idle_chunks) {
    return strategy_->prefers_growth(request.rounded, growth_limits(), [&](const HeapChunk& chunk) {
      return !of_idle_chunks || is_idle(chunk);
    });
  };
  if (strategy_->is_large(request.rounded) && prefers_growth(false)) {
    flush_all();
    if (prefers_growth(false) && !prefers_growth(true)) {
      settle(lock, settling_for_a_better_fit_ns);
    }
    if (prefers_growth(true)) {
      return nullptr;
    }
  }
  Block* block = strategy_->take(request.rounded);
  if (block == nullptr && flush_all()) {
    block = strategy_->take(request.rounded);
  }
  return block != nullptr ? &pool_block(*block) : nullptr;
}

void Pool::settle(std::unique_lock<std::mutex>& lock, std::uint64_t nanoseconds) noexcept {
  if (!epochs_.has_queues()) {
    return;
  }
  if (settlings_left_out_ > 0) {
    --settlings_left_out_;
    return;
  }
  lock.unlock();
  const bool settled = epochs_.settle(nanoseconds);
  lock.lock();
  if (settled) {
    settlings_to_leave_out_ = 1;
  } else {
    settlings_left_out_ = settlings_to_leave_out_;
    settlings_to_leave_out_ = std::min(2 * settlings_to_leave_out_, most_settlings_left_out);
  }
}

bool Pool::find_handle(PoolBlock& block) noexcept {
  const PoolChunk& chunk = pool_chunk(*block.chunk);
  if (allocator_->traits().kind != MemKind::buffer) {
    block.pointer = reinterpret_cast<void*>(static_cast<std::uintptr_t>(chunk.memory.value + block.offset));
    return true;
  }
  block.handle = block.Block::size == chunk.size
                     ? reinterpret_cast<cl_mem>(static_cast<std::uintptr_t>(chunk.memory.value))
                     : sub_buffers_.take(chunk, block.offset, block.Block::size);
  return block.handle != nullptr;
}

Status Pool::hand_out(PoolBlock& block, const Request& request, std::unique_lock<std::mutex>& lock,
                      Mem*& mem) {
  if (!find_handle(block)) {
    const auto root =
        reinterpret_cast<cl_mem>(static_cast<std::uintptr_t>(pool_chunk(*block.chunk).memory.value));
    const std::uint64_t offset = block.offset;
    const std::uint64_t size = block.Block::size;
    cl_mem handle = nullptr;
    const bool crowded = sub_buffers_.over_bound();
    if (sub_buffers_.far_over_bound()) {
      settle(lock, settling_before_a_new_peak_ns);
    }
    lock.unlock();
    if (crowded && epochs_.has_queues()) {
      // The oldest objects may be in use as far as is known: find out, so that they can go.
      epochs_.poll();
      if (!epochs_.in_flight()) {
        close_epoch();
      }
    }
    const Status status = cl::make_sub_buffer(root, offset, size, 0, &handle);
    lock.lock();
    if (status != Status::success) {
      give_block_back(block);
      return status;
    }
    ++sub_buffers_created_;
    block.handle = handle;
  }
  prepare(block, request, cache_of_this_thread());
  mem = &block;
  return Status::success;
}

void Pool::prepare(PoolBlock& block, const Request& request, ThreadCache& cache) {
  block.owner = this;
  block.Mem::size = request.size;
  block.capacity = block.Block::size;
  block.references.store(1, std::memory_order_relaxed);
  block.kind = allocator_->traits().kind;
  block.pooled = true;
  block.has_uses = false;
  block.next = nullptr;
  block.home = &cache;
  block.tag = 0;
  block.attachment = nullptr;
  block.bin = 0;
  count_handed_out(cache, request.size);
  block.state = MemState::live;
}

void Pool::count_handed_out(ThreadCache& cache, std::size_t size) {
  cache.active_bytes += size;
  cache.count_one();
  if (cache.active_bytes <= cache.active_watermark) {
    return;
  }
  // Perhaps a new peak. What every cache may add before that can happen again is shared out evenly, so that
  // the sum of all can never pass the recorded peak unseen.
  const Borrowed borrowed(*this);
  std::uint64_t total = central_.active_bytes;
  for (ThreadCache* other = caches_; other != nullptr; other = other->next) {
    drain_remote(*other);
    total += other->active_bytes;
  }
  peak_active_bytes_ = std::max(peak_active_bytes_, total);
  const std::uint64_t share = (peak_active_bytes_ - total) / (cache_count_ + 1);
  central_.active_watermark =
      central_.active_bytes + (cache_count_ == 0 ? peak_active_bytes_ - total : share);
  for (ThreadCache* other = caches_; other != nullptr; other = other->next) {
    other->active_watermark = other->active_bytes + (cache_count_ == 1 ? peak_active_bytes_ - total : share);
  }
}

Status Pool::take_back(Mem& mem) noexcept {
  auto& cache = *static_cast<ThreadCache*>(mem.home);
  PoolBlock& block = pool_block(mem);
  if (block.attachment != nullptr && block.has_uses) {
    return take_back_used(block);
  }
  trace("block of %llu bytes returned, of a request of %llu", block.capacity, block.Mem::size);
  const ThreadRecord* owner = cache.owner.load(std::memory_order_relaxed);
  mark_released(mem);
  if (&cache != &central_ && owner != this_thread_record) {
    Mem* head = cache.remote.load(std::memory_order_relaxed);
    while (head != ThreadCache::closed_list()) {
      mem.next = head;
      if (cache.remote.compare_exchange_weak(head, &mem, std::memory_order_release,
                                             std::memory_order_relaxed)) {
        return Status::success;
      }
    }
  }
  std::unique_lock lock(mutex_);
  return_block(block);
  leave_and_dispose(lock);
  return Status::success;
}

void Pool::return_block(PoolBlock& block) noexcept {
  auto& cache = *static_cast<ThreadCache*>(block.home);
  block.has_uses = false;
  block.tag = 0;
  block.next = nullptr;
  if (&cache != &central_ && !closed_ && caches_blocks()) {
    make_room(cache, block.capacity);
    if (cache.push(block)) {
      return;
    }
  }
  cache.active_bytes -= block.Mem::size;
  ++cache.returned;
  if (epochs_.must_hold_back()) {
    hold_back(block);
  } else {
    give_block_back(block);
  }
}

void Pool::give_block_back(PoolBlock& block) noexcept {
  keep_handle(block);
  block.pointer = nullptr;
  HeapChunk& chunk = *block.chunk;
  if (options_.decay_ns != 0) {
    pool_chunk(chunk).last_used_ns = now_ns();
  }
  HeapChunk* whole = strategy_->give_back(block, epochs_.open());
  if (whole != nullptr && !holding_ && may_give_back(*whole)) {
    give_chunk_back(*whole);
  } else if (whole != nullptr) {
    give_back_beyond(options_.max_held_bytes);
  }
}

void Pool::keep_handle(PoolBlock& block) noexcept {
  const cl_mem handle = std::exchange(block.handle, nullptr);
  if (handle == nullptr || block.Block::size == block.chunk->size) {
    return;
  }
  try {
    sub_buffers_.keep(*block.chunk, block.offset, block.Block::size, handle, epochs_.open());
  } catch (const std::bad_alloc&) {
    // No host memory to remember it: the one case in which a driver is called under the mutex.
    clReleaseMemObject(handle);
  }
  sub_buffers_.take_excess(epochs_.has_queues() ? epochs_.completed() : UINT64_MAX, garbage_.handles);
}

void Pool::give_chunk_back(HeapChunk& chunk) noexcept {
  sub_buffers_.take_all_of(chunk, garbage_.handles);
  strategy_->remove_chunk(chunk);
  garbage_.add(chunk);
  ++driver_releases_;
}

void Pool::unlock_and_dispose(std::unique_lock<std::mutex>& lock) noexcept {
  if (garbage_.empty()) {
    lock.unlock();
    return;
  }
  Garbage garbage = std::exchange(garbage_, {});
  for (const HeapChunk* chunk = garbage.first; chunk != nullptr; chunk = chunk->next) {
    disposing_bytes_.fetch_add(chunk->size, std::memory_order_relaxed);
  }
  lock.unlock();
  dispose(garbage);
}

void Pool::dispose(Garbage& garbage) noexcept {
  for (const SubBuffers::Entry& entry : garbage.handles) {
    if (const cl_int code = clReleaseMemObject(entry.handle); code != CL_SUCCESS) {
      send_message({options_.callbacks.message, options_.callbacks.user}, Severity::error,
                   "clReleaseMemObject failed for a sub-buffer: %s (%d)", cl_error_name(code), code);
    }
  }
  garbage.handles.clear();
  while (garbage.first != nullptr) {
    PoolChunk& chunk = pool_chunk(*std::exchange(garbage.first, garbage.first->next));
    allocator_->deallocate(chunk.memory);
    disposing_bytes_.fetch_sub(chunk.size, std::memory_order_relaxed);
    work_done_.fetch_add(1, std::memory_order_relaxed);
    delete &chunk;
  }
  garbage.last = nullptr;
}

bool Pool::is_idle(const HeapChunk& chunk) const noexcept {
  return !epochs_.has_queues() || chunk.last_release <= epochs_.completed();
}

bool Pool::frees_at_once() const noexcept {
  const AllocatorTraits& traits = allocator_->traits();
  const cl_command_queue only = epochs_.only_queue();
  return traits.kind != MemKind::buffer && only != nullptr && only != traits.queue;
}

bool Pool::may_give_back(const HeapChunk& chunk) const noexcept {
  return !frees_at_once() || is_idle(chunk);
}

cl_context Pool::context_of(const Mem&) const noexcept {
  return allocator_->traits().context;
}

Status Pool::root_of(const Mem& mem, cl_mem& root, std::size_t& offset) const noexcept {
  CLPOOL_TRY(require_handle(mem));
  const PoolBlock& block = pool_block(mem);
  const auto& chunk = static_cast<const PoolChunk&>(*block.chunk);
  root = reinterpret_cast<cl_mem>(static_cast<std::uintptr_t>(chunk.memory.value));
  offset = block.offset;
  return Status::success;
}

}  // namespace clpool::core
