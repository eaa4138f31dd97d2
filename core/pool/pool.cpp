// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Requests that no thread's cache serves.
// Called without the mutex: public functions, make_ready(), take_larger(), and what reads nothing but constants and
// the clock. With it: everything else; what is given a Visit, and a Visit itself, may leave it in between.
#include "pool/pool.hpp"

#include <algorithm>

#include "cl/marker.hpp"

namespace clpool::core {
namespace {

/// How long a visit polls for chunks that must be idle before they go, if too many are held.
constexpr std::uint64_t settling_to_hold_less_ns = 500'000;

/// How long a request without memory polls for what rests in a guarded pool.
constexpr std::uint64_t resting_longest_ns = 100'000'000;

/// Where threads are in each other's way, a request takes a block of its thread's cache that is up to twice as large as it need be,
/// or so many granules larger …
constexpr std::uint64_t most_granules_larger = 16;

/// … as long as all that the thread has in use takes, besides rounding, one part in so many more than it asked for at most, and no
/// more than its share of what the pool allows for that (Caches).
constexpr std::uint64_t excess_part = 4;

/// How often a request that waits for nothing has its thread's cache give up some blocks.
constexpr int most_given_up_at_once = 64;

/// How many blocks of a bucket are looked at for one that needs no new handle.
constexpr int most_looks_at_buried = 64;

/// So many handles are released before whoever waits for one of them hears of it.
constexpr std::uint64_t parts_at_a_time = 16;

/// Left when the request is over, however it ends.
struct PlaceInLine {
  Books& books;
  Request& request;
  ~PlaceInLine() { books.leave_line(request); }
};

}  // namespace

constinit thread_local Pool::Frame* Pool::Frame::innermost = nullptr;

bool Pool::Frame::is_inside(const Pool& pool) noexcept {
  const Frame* frame = innermost;
  while (frame != nullptr && frame->pool != &pool) {
    frame = frame->outer;
  }
  return frame != nullptr;
}

// Visits.

void Pool::Visit::leave(void (*action)(void* context), void* context) {
  struct Relock {
    Mutex& mutex;
    ~Relock() { mutex.lock(); }
  };
  notify();
  pool_.mutex_.unlock();
  const Relock relock{pool_.mutex_};
  const Frame frame(pool_);
  action(context);
}

void Pool::Visit::leave_closed() noexcept {
  const bool last = pool_.visitors_ == 0 && pool_.caches_.active_blocks() == 0;
  // From here on another thread may end the pool.
  pool_.mutex_.unlock();
  if (last) {
    const KeptError kept;  // of the request that the user's functions ended the pool in
    pool_.end();
  }
}

void Pool::Visit::hold_less() noexcept {
  if (!pool_.world_.may_settle(nullptr, settling_to_hold_less_ns)) {
    pool_.progress_.look(*this, Progress::Close::due);  // what was waited for in vain may be through by now
  }
  if (pool_.world_.may_settle(nullptr, settling_to_hold_less_ns)) {
    pool_.progress_.settle(*this, settling_to_hold_less_ns);
  }
  pool_.books_.keep_to_held_limit();
  tidy();
}

void Pool::Visit::clear_away() noexcept {
  pool_.sub_buffers_.note_thread();
  pool_.rests_.work(*this);
  while (pool_.has_rubbish()) {
    Garbage garbage = pool_.books_.take_garbage();
    Retired retired = pool_.pending_.take_retired();
    cl_int code = CL_SUCCESS;
    const KeptError kept;
    out([&] { retired.release(); });
    while (!garbage.parts.empty()) {
      const cl_int result = clear_away_some(garbage.parts);
      code = result != CL_SUCCESS ? result : code;
    }
    // The handles are gone before anybody may run into one of them, in a callback too.
    if (garbage.chunks.empty() && code == CL_SUCCESS) {
      continue;
    }
    out([&] {
      if (code != CL_SUCCESS) {
        send_message(pool_.sink_, Severity::error, "clReleaseMemObject failed for a sub-buffer: %s (%d)",
                     cl_error_name(code), code);
      }
      while (const std::unique_ptr<PoolChunk> chunk{garbage.chunks.take()}) {
        pool_.allocator_->deallocate(chunk->memory);
        note_given_back();
      }
    });
    // At once: others would take the room piece by piece from the request that they go back for.
    pool_.books_.released(garbage.bytes);
  }
}

cl_int Pool::Visit::clear_away_some(DyingParts& parts) noexcept {
  DyingParts released;
  cl_int code = CL_SUCCESS;
  out([&] {
    while (released.count != parts_at_a_time && !parts.empty()) {
      Part* const part = parts.take();
      const cl_int result = pool_.sub_buffers_.release(static_cast<cl_mem>(part->handle));
      code = result != CL_SUCCESS ? result : code;
      released.add(*part);
    }
  });
  while (Part* part = released.take()) {
    pool_.books_.released(*part);
  }
  return code;
}

// Requests.

Status Pool::serve(Visit& visit, Request& request, OnQueue* on, ThreadCache* at_hand, Mem*& mem) {
  sub_buffers_.note_thread();
  ThreadCache& cache =
      at_hand != nullptr ? returns_.cache_of_this_thread(at_hand) : returns_.cache_of_this_thread();
  if (returns_.bring_few_home(cache) || &cache != at_hand || cache.is_beyond_limit()) {
    mem = take_from(cache, request);
    if (mem != nullptr) {
      return Status::success;
    }
  }
  if (caches_.keeper().is_one()) {  // rather than make a new handle
    mem = hand_out_cached(cache, cache.withdraw(request.rounded, most_looks_at_buried), request);
    if (mem != nullptr) {
      return Status::success;
    }
  }
  if (pending_.holds_back()) {
    returns_.count_unmarked(cache);
    if (cache.is_small(request.rounded) && pending_.is_marker_cheap()) {
      mem = take_kept(cache, request,
                      [&] { progress_.look_at_set(visit, pending_.own(), Progress::Close::due); });
      if (mem != nullptr) {
        return Status::success;
      }
      if (!caches_.is_own(cache)) {  // as the pool has been released meanwhile
        return serve_in_steps(visit, request, on, caches_.central(), mem);
      }
    }
    request.has_waiting = cache.has_waiting();
  }
  request.account = Returns::account_of_this_thread();
  if (books_.serves_at_once(request)) {
    hand_out(*request.block, request, cache);
    mem = request.block;
    return Status::success;
  }
  if (on != nullptr && request.block == nullptr) {  // released meanwhile
    mem = take_from_queue(on, request, cache);
    if (mem != nullptr) {
      return Status::success;
    }
  }
  return serve_in_steps(visit, request, on, cache, mem);
}

Status Pool::allocate_slowly(std::size_t size, Mem*& mem, OnQueue* on) {
  CLPOOL_TRY(require_own_process("the pool"));
  Request request;
  CLPOOL_TRY(books_.begin(size, request));
  if (mem = on == nullptr ? hit_after_others(size) : nullptr; mem != nullptr) {
    return Status::success;
  }
  ThreadCache* at_hand = on == nullptr ? cache_at_hand(cache_key_) : nullptr;
  if (mem = take_waited(at_hand, request, true); mem != nullptr) {
    return Status::success;
  }
  if (mem = take_larger(at_hand, request); mem != nullptr) {
    return Status::success;
  }
  ensure_thread_record();
  request.inside = Frame::is_inside(*this);
  if (!request.inside) {
    core::finish_later_releases();
  }
  Status status = Status::success;
  {
    Visit visit(*this);
    visit.keep_to_held_limit();
    if (visit.finish_later_releases()) {
      at_hand = nullptr;  // which may have more by now
    }
    status = serve(visit, request, on, at_hand, mem);
    if (status == Status::out_of_memory) {  // a callback may have released the pool, which this visit keeps
      visit.out([&] { status = out_of_memory_error(request); });
    }
  }
  if (status == Status::success) {
    trace("block of %llu bytes handed out for a request of %llu", mem->capacity, size);
  }
  return status;
}

Mem* Pool::take_larger(ThreadCache& cache, const Request& request) noexcept {
  if (!cache.lock.try_enter(revocation_)) {
    return nullptr;
  }
  const std::uint64_t more = std::min(std::max(request.rounded, most_granules_larger * granule_),
                                      cache.excess_left(request.size, excess_part));
  Mem* const mem = cache.pop_larger(request.rounded, more, request.size);
  cache.lock.leave();
  return mem;
}

Mem* Pool::hand_out_cached(ThreadCache& cache, Mem* mem, const Request& request) noexcept {
  if (mem != nullptr) {
    mem->size = request.size;
    returns_.count_handed_out(cache, *mem);
    mem->state = MemState::live;
  }
  return mem;
}

Mem* Pool::take_from(ThreadCache& cache, const Request& request) noexcept {
  Mem* const mem = hand_out_cached(cache, cache.withdraw(request.rounded), request);
  if (mem != nullptr) {
    return mem;
  }
  if (cache.is_beyond_limit()) {
    std::size_t most = 1;  // a large one whose size does not come again now: as free as any
    returns_.empty(cache, most);
  }
  return nullptr;
}

Status Pool::serve_in_steps(Visit& visit, Request& request, OnQueue* on, ThreadCache& cache, Mem*& mem) {
  const PlaceInLine place{books_, request};
  if (request.block == nullptr) {
    books_.note_beginning(request);
  }
  for (;;) {
    const Step step = books_.next(request);
    if (step.kind == Step::Kind::fail) {
      if (request.failure != Status::out_of_memory || request.inside || !later_.any()) {
        return request.failure;
      }
      visit.finish_later_releases();
      books_.begin_anew(request);
      continue;
    }
    if (step.kind == Step::Kind::done) {
      // The cache is another's by now only if the pool has been released meanwhile.
      hand_out(*request.block, request, caches_.is_own(cache) ? cache : caches_.central());
      mem = request.block;
      return Status::success;
    }
    if (step.kind == Step::Kind::poll) {
      mem = take_kept(cache, request,
                      [&] { progress_.look(visit, Progress::Close::due, Progress::few_events, &request); });
      if (mem != nullptr) {
        return Status::success;
      }
      continue;
    }
    perform(visit, request, on, step);
    if (step.kind == Step::Kind::wait && request.block == nullptr) {
      mem = take_from_queue(on, request, caches_.is_own(cache) ? cache : caches_.central());
      if (mem != nullptr) {
        return Status::success;
      }
    }
  }
}

void Pool::perform(Visit& visit, Request& request, OnQueue* on, const Step& step) {
  switch (step.kind) {
    case Step::Kind::done:
    case Step::Kind::fail:
    case Step::Kind::poll:
      return;  // serve_in_steps() does these
    case Step::Kind::empty_caches:
      return returns_.empty_caches_for(visit, request);
    case Step::Kind::empty_all_caches:
      return returns_.empty_caches(visit, Returns::Empty::to_the_last);
    case Step::Kind::release_garbage:
      return visit.tidy();
    case Step::Kind::make_handle:
      return make_handle(visit, request);
    case Step::Kind::allocate:
      return allocate_chunk(visit, request, step.amount);
    case Step::Kind::settle:
      return progress_.settle_for(visit, request, step);
    case Step::Kind::look_at_all:
      return progress_.look_at_all(visit, request);
    case Step::Kind::look_before_growth:
      return progress_.look_before_growth(visit);
    case Step::Kind::wait:
      return books_.waited(request, progress_.wait(visit, request, on, step.amount));
    case Step::Kind::end_pools: {
      bool any = false;
      visit.out([&] { any = ended_pools.end_some(UINT64_MAX); });
      return books_.pools_ended(request, any);
    }
    case Step::Kind::end_rest:
      return progress_.end_rest(visit, resting_longest_ns);
    case Step::Kind::collect:
      visit.out([&] {
        options_.callbacks.collect(options_.callbacks.user);
        finish_later_releases();
        core::finish_later_releases();
      });
      return books_.collected(request);
    case Step::Kind::ask_user: {
      bool again = false;
      visit.out([&] {
        again =
            options_.callbacks.out_of_memory(options_.callbacks.user, request.size, request.attempt++) != 0;
        finish_later_releases();
        core::finish_later_releases();
      });
      return books_.answered(request, again);
    }
  }
}

template <typename Look>
Mem* Pool::take_kept(ThreadCache& cache, const Request& request, Look&& look) noexcept {
  const std::uint64_t before = cache.cached();
  returns_.keep_for(this_thread_record);
  look();
  returns_.keep_for(nullptr);  // another thread may look by now, of which less is kept then
  if (!caches_.is_own(cache)) {
    return nullptr;
  }
  cache.end_waits(pending_.own().epochs.completed(), ThreadCache::waits_ended_at_a_time);
  return cache.cached() != before ? take_from(cache, request) : nullptr;
}

void Pool::allocate_chunk(Visit& visit, Request& request, std::uint64_t bytes) {
  const AllocatorTraits& traits = allocator_->traits();
  const std::uint64_t alignment =
      traits.kind == MemKind::custom ? granule_ : std::min(granule_, traits.granularity);
  // A chunk is touched before parts of it are handed out. Allocators over a queue have done so.
  const cl_command_queue toucher =
      rules().has_handles && traits.queue == nullptr ? pending_.own().epochs.first_queue() : nullptr;
  const QueueSet& own = pending_.own();
  std::unique_ptr<PoolChunk> chunk;
  cl::SharedEvent made;  // goes without the mutex, and so does the queue of a guard's fill that may still run
  cl::Queue fill;
  Status status = Status::success;
  cl_int code = CL_SUCCESS;
  visit.out([&] {
    trace("%llu bytes of new memory needed for a request of %llu", bytes, request.size);
    try {
      chunk = std::make_unique<PoolChunk>();
      status = allocator_->allocate(bytes, alignment, chunk->memory);
    } catch (const std::bad_alloc&) {
      status = fail(Status::out_of_host_memory, "no host memory to keep the books of a chunk");
    }
    if (status == Status::success && rules().has_handles) {
      status = make_ready(own, chunk->memory, toucher, made);
    }
    if (status == Status::success && guard_ != nullptr) {
      status = guard_chunk(own, *chunk, fill);
    }
    code = last_cl_error();
    if (status != Status::success) {
      made.reset();
      fill.reset();
    }
    if (status == Status::out_of_memory) {
      trace("out of memory: no %llu bytes for a request of %llu", bytes, request.size);
    }
  });
  if (status != Status::success) {
    if (status == Status::out_of_memory) {
      caches_.keeper().note_refused(bytes);
    }
    return books_.refused(request, status, code);
  }
  chunk->size = bytes;
  chunk->ready_epoch = pending_.own().epochs.open();
  const Chunk memory = chunk->memory;
  try {
    books_.arrived(request, std::move(chunk));
  } catch (const std::bad_alloc&) {
    books_.refused(request, Status::out_of_host_memory, CL_SUCCESS);
    visit.out([&] {
      give_up_chunk(memory, fill);
      made.reset();
      fill.reset();
    });
    throw;
  }
  pool_chunk(*request.block->chunk).made = std::move(made);
  caches_.keeper().note_exchanged(books_.exchanged_chunks());
  returns_.share_limits();
  if (fill) {
    visit.out([&] { fill.reset(); });
  }
}

Status Pool::make_ready(const QueueSet& own, const Chunk& memory, cl_command_queue toucher,
                        cl::SharedEvent& kept) noexcept {
  // Where what made the memory loses its content, or may move it, commands on the pool's other queues come after it. So they do
  // where that is under way on a queue that is none of the pool's: nobody would see when the memory is idle, nor flush what keeps
  // it. On the same queue the allocator saw to it.
  const AllocatorTraits& traits = allocator_->traits();
  const cl_command_queue maker = toucher != nullptr ? toucher : traits.queue;
  const bool is_own = maker != nullptr && own.epochs.has(maker);
  const bool others_follow =
      maker != nullptr && (traits.made_behind_queue || (traits.is_under_way && !is_own));
  const bool any_other = own.epochs.queue_count() > (is_own ? 1U : 0U);
  const bool is_kept = others_follow && traits.made_behind_queue && own.epochs.out_of_order();
  cl::SharedEvent made;
  Status status = Status::success;
  if (others_follow && (any_other || is_kept)) {
    status = sub_buffers_.touch(maker, buffer_of(memory), true, &made);  // once more, where the allocator has
  } else if (toucher != nullptr) {
    status = sub_buffers_.touch(toucher, buffer_of(memory), traits.made_behind_queue);
  }
  for (std::size_t i = 0; status == Status::success && made != nullptr && i < own.epochs.queue_count(); ++i) {
    const cl_command_queue queue = own.epochs.queue(i);
    status = queue != maker ? cl::come_after(made->get(), queue) : Status::success;
  }
  if (status != Status::success) {
    const KeptError error;
    allocator_->deallocate(memory);  // without note_given_back(): what asked for it would ask again, for ever
  } else if (is_kept) {
    kept = std::move(made);
  }
  return status;
}

void Pool::make_handle(Visit& visit, Request& request) {
  const PoolBlock& block = *request.block;
  const cl_mem root = buffer_of(pool_chunk(*block.chunk).memory);
  const std::uint64_t offset = block.offset;
  const std::uint64_t size = block.Block::size;
  cl_mem handle = nullptr;
  bool used_once = false;
  Status status = Status::success;
  visit.out([&] { status = sub_buffers_.make(root, offset, size, &handle, used_once); });
  if (status == Status::success) {
    books_.handle_made(request, handle, used_once);
  } else {
    books_.handle_failed(request, status, last_cl_error());
  }
}

void Pool::hand_out(PoolBlock& block, const Request& request, ThreadCache& cache) {
  block.owner = this;
  block.Mem::size = request.size;
  // Whatever place it has: see Part::excess. A whole chunk has none.
  block.capacity = is_whole_chunk(block) ? block.Block::size : std::min(block.Block::size, request.rounded);
  block.references.store(1, std::memory_order_relaxed);
  block.kind = kind_;
  block.made_in = static_cast<std::uint8_t>(process_generation());
  block.marks = returning_.usual_marks;
  block.home = &cache;
  block.account = static_cast<std::uint16_t>(request.account);
  clear_use(block);
  returns_.count_handed_out(cache, block);
  block.state = MemState::live;
}

PoolBlock* Pool::take_at_once(ThreadCache& cache, Request& request) {
  if (books_.would_wait_for_first(request)) {
    return nullptr;
  }
  PoolBlock* block = books_.take_at_once(request);
  for (int i = 0; i < most_given_up_at_once && block == nullptr && cache.cached() != 0; ++i) {
    returns_.give_up_some(cache, request);
    block = books_.take_at_once(request);
  }
  return block;
}

Status Pool::try_allocate(std::size_t size, Mem*& mem) {
  mem = try_hit(size);
  if (mem != nullptr) {
    return Status::success;
  }
  CLPOOL_TRY(require_own_process("the pool"));
  Request request;
  CLPOOL_TRY(books_.begin(size, request));
  ThreadCache* const at_hand = cache_at_hand(cache_key_);
  mem = take_waited(at_hand, request, false);
  if (mem != nullptr) {
    return Status::success;
  }
  ensure_thread_record();
  request.account = Returns::account_of_this_thread();
  request.inside = Frame::is_inside(*this);
  if (const std::unique_lock<Mutex> lock(mutex_, std::try_to_lock); lock.owns_lock()) {
    sub_buffers_.note_thread();
    ThreadCache& cache = returns_.cache_of_this_thread();
    returns_.bring_few_home(cache);
    mem = take_from(cache, request);
    if (PoolBlock* const block = mem == nullptr ? take_at_once(cache, request) : nullptr; block != nullptr) {
      hand_out(*block, request, cache);
      mem = block;
    }
  } else {
    mem = take_larger(at_hand, request);
  }
  if (mem == nullptr) {
    clear_last_error();
    return Status::would_block;
  }
  return Status::success;
}

Status Pool::root_of(const Mem& mem, cl_mem& root, std::size_t& offset) const noexcept {
  CLPOOL_TRY(require_handle(mem));
  const PoolBlock& block = pool_block(mem);
  const auto& chunk = static_cast<const PoolChunk&>(*block.chunk);
  root = buffer_of(chunk.memory);
  offset = block.offset;
  return Status::success;
}

}  // namespace clpool::core
