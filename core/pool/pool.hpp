// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pool: runs the books. A request that a thread's cache can serve never leaves allocate(). Everything else is
// a Visit: it takes the mutex, asks the books for the next step, leaves the mutex, does the step, and asks
// again.
//
// What is held where: the mutex guards all members but those that are constant. Public functions are called without it, and take
// it. A function that takes a Visit, or a Way, is called with it and returns with it, but may leave it in between: within out(),
// which all that leaves it goes through (also tidy(), finish_later_releases() and a Visit's end), in give_way(), or asleep. Driver calls
// and callbacks are made within out(), or in functions that are called without the mutex and say so.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "allocator/allocator.hpp"
#include "base/arrivals.hpp"
#include "base/clock.hpp"
#include "base/given_back.hpp"
#include "base/lasting_flag.hpp"
#include "base/mutex.hpp"
#include "base/reference.hpp"
#include "cl/order.hpp"
#include "cl/sub_buffer.hpp"
#include "pool/books/books.hpp"
#include "pool/caches/caches.hpp"
#include "pool/ended_pools.hpp"
#include "pool/guard.hpp"
#include "pool/pending/pending.hpp"
#include "pool/pool_options.hpp"
#include "pool/progress.hpp"
#include "pool/rests.hpp"
#include "pool/returns.hpp"
#include "pool/sleepers.hpp"
#include "pool/world.hpp"

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

  /// Hands out a block where try_hit() has nothing; `on`: also what its queue has released and still uses. Throws
  /// std::bad_alloc, changing nothing.
  Status allocate_slowly(std::size_t size, Mem*& mem, OnQueue* on = nullptr);

  /// The hit path: a block from this thread's cache, or null.
  Mem* try_hit(std::size_t size) noexcept {
    ThreadCache* const cache = cache_at_hand(cache_key_);
    if (cache == nullptr || !cache->lock.try_enter(revocation_)) [[unlikely]] {
      return nullptr;
    }
    // A size near the largest number wraps around to 0, which no block has.
    Mem* mem = cache->pop((size + (size == 0) + granule_ - 1) & ~(granule_ - 1), size);
    cache->lock.leave();
    return mem;
  }

  /// allocate_slowly() without waiting or calling a driver; WOULD_BLOCK where that is needed.
  Status try_allocate(std::size_t size, Mem*& mem);

  /// A block that commands on `queue` will use, and no others unless they are declared: one that only this
  /// queue has used is handed out without waiting for it, if the queue is in order.
  Status allocate_on(cl_command_queue queue, std::size_t size, Mem*& mem);

  /// Takes back a block that was released by its last reference, if that needs no more than its cache.
  static bool try_release(Mem& mem) noexcept {
    return (mem.marks & ~larger_mark) == 0 && push_to_own_cache(mem);
  }
  /// Whether a block may wait in its cache until the pool's queues are through with what they have now. Others may use one
  /// meanwhile that has other references: once it has none its marks are to be read again.
  static bool may_wait_in_cache(Mem& mem) noexcept {
    return (glance_at_marks(mem) & ~larger_mark) == waits_mark;
  }
  /// try_release() for such a block.
  static bool let_wait_in_own_cache(Mem& mem) noexcept;

  /// try_release() for a block that no command uses.
  static bool try_release_idle(Mem& mem) noexcept {
    const PoolBlock& block = pool_block(mem);
    if ((mem.marks & known_mark) != 0) [[unlikely]] {
      clear_mark(mem, known_mark);  // a cache hands blocks out with the marks that they had
    }
    return block.tag == 0 && block.attachment == nullptr && (mem.marks & late_mark) == 0 &&
           push_to_own_cache(mem);
  }

  /// Gives up one reference of a block; the caller knows that no command uses it.
  Status release_idle(Mem& mem) noexcept;

  // These, visit() and check() are called in the process that made the pool only, which the caller has looked at.
  PoolStats statistics();
  void free_held();
  void stop_holding();
  void resume_holding();
  void trim(std::uint64_t keep_bytes);
  void tick();

  /// Calls `visitor` for every stretch of every chunk, in the order of chunks and offsets, after copying
  /// them: the visitor may use the pool. It returns false to stop.
  void visit(const std::function<bool(const PoolStretch&)>& visitor);

  const PoolOptions& options() const noexcept { return options_; }

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
  Status begin_use(Mem& mem, cl_command_queue queue) noexcept override;
  void note_put_off_use(Mem& mem) noexcept override { set_mark(mem, late_mark); }
  bool keeps_rounding_bytes(const Mem&) const noexcept override { return guard_ != nullptr; }
  bool is_guarded(const Mem& mem, std::uint64_t& tag) const noexcept override;
  cl_context context_of(const Mem&) const noexcept override { return allocator_->traits().context; }
  Status root_of(const Mem& mem, cl_mem& root, std::size_t& offset) const noexcept override;

  /// What is wrong with the books, or null.
  const char* check();

 private:
  class Visit;
  struct Frame;

  Pool(std::uint64_t number, Allocator& allocator, const PoolOptions& options, const MemoryRules& rules,
       std::unique_ptr<QueueSet> own);
  ~Pool() override = default;
  void last_reference_gone() noexcept override;

  static bool push_to_own_cache(Mem& mem) noexcept {
    auto* cache = static_cast<ThreadCache*>(mem.home);
    if (cache->owner.load(std::memory_order_relaxed) != this_thread_record ||
        !cache->lock.try_enter(static_cast<const Pool&>(*mem.owner).revocation_)) {
      return false;
    }
    const bool pushed = cache->push(mem);
    cache->lock.leave();
    return pushed;
  }

  // Where others have all caches for a moment, as statistics do: what a hit and a release into the own cache would have done, once
  // they have done with them, rather than wait for the mutex. Null and false if that is not so, or takes long.
  Mem* hit_after_others(std::size_t size) noexcept {
    return revocation_.is_on() && revocation_.look_for_end() ? try_hit(size) : nullptr;
  }
  bool comes_back_after_others(Mem& mem) noexcept {
    const auto& cache = *static_cast<ThreadCache*>(mem.home);
    const bool might = (mem.marks & ~larger_mark) == 0 || may_wait_in_cache(mem);
    return revocation_.is_on() && might &&
           cache.owner.load(std::memory_order_relaxed) == this_thread_record && revocation_.look_for_end() &&
           (try_release(mem) || (may_wait_in_cache(mem) && let_wait_in_own_cache(mem)));
  }

  // pool_begin.cpp
  /// Whether released blocks wait in caches, and what these keep besides.
  void decide_what_caches_keep() noexcept;

  // pool.cpp: requests.
  /// `at_hand`: the thread's cache, which has been searched, or was borrowed just then; or null.
  [[gnu::always_inline]] inline Status serve(Visit& visit, Request& request, OnQueue* on,
                                             ThreadCache* at_hand, Mem*& mem);
  /// What no free block serves.
  [[gnu::noinline]] Status serve_in_steps(Visit& visit, Request& request, OnQueue* on, ThreadCache& cache,
                                          Mem*& mem);
  void perform(Visit& visit, Request& request, OnQueue* on, const Step& step);
  /// Looks at the queues for a request that its thread's cache has nothing for; what comes free meanwhile of the thread's blocks is
  /// kept there. The request's block, if that is among these.
  template <typename Look>
  Mem* take_kept(ThreadCache& cache, const Request& request, Look&& look) noexcept;
  void allocate_chunk(Visit& visit, Request& request, std::uint64_t bytes);
  /// Gives the memory back if it fails. Called without the mutex. `kept`: see PoolChunk::made.
  Status make_ready(const QueueSet& own, const Chunk& memory, cl_command_queue toucher,
                    cl::SharedEvent& kept) noexcept;
  void make_handle(Visit& visit, Request& request);
  void hand_out(PoolBlock& block, const Request& request, ThreadCache& cache);
  /// Without a step, though its thread's cache gives up some blocks for it; or null.
  PoolBlock* take_at_once(ThreadCache& cache, Request& request);

  /// Without the mutex, where threads are in each other's way, or where the cache of a pool whose parts need handles may hold
  /// much: a block of the thread's cache that is larger than it need be, or null. Not for blocks so large that a cache has at
  /// most one.
  Mem* take_larger(ThreadCache* cache, const Request& request) noexcept {
    const bool may_take =
        cache != nullptr &&
        (cache->is_crowded_by(request.rounded) ||
         ((mutex_.is_taken() || (rules().has_handles && returning_.waits_behind != nullptr)) &&
          request.rounded <= cache->limit.load(std::memory_order_relaxed)));
    return may_take ? take_larger(*cache, request) : nullptr;
  }
  Mem* take_larger(ThreadCache& cache, const Request& request) noexcept;
  /// What was withdrawn of a cache that may be touched, or null.
  Mem* hand_out_cached(ThreadCache& cache, Mem* mem, const Request& request) noexcept;
  /// Of the calling thread's cache, which is emptied where it holds just a large block of another size.
  Mem* take_from(ThreadCache& cache, const Request& request) noexcept;

  // pool_returns.cpp
  /// Whether a released block may be left in its cache's list of what other threads released, for whoever comes by with the mutex.
  bool may_leave_to_owner(ThreadCache& cache) noexcept;

  // pool_waiting.cpp: blocks that wait for the pool's own queues in their threads' caches.
  /// One that need not wait any more, of the calling thread's cache, or null; without the mutex, which it takes for a marker.
  /// `may_call`: a driver, too.
  Mem* take_waited(ThreadCache* cache, const Request& request, bool may_call) noexcept {
    return cache != nullptr && cache->has_waiting() ? take_waited(*cache, request, may_call) : nullptr;
  }
  Mem* take_waited(ThreadCache& cache, const Request& request, bool may_call) noexcept;

  const MemoryRules& rules() const noexcept { return books_.rules(); }
  bool has_pending() const noexcept { return books_.pending_blocks() != 0; }
  /// Something is to be released without the mutex.
  bool has_rubbish() const noexcept { return !books_.garbage().empty() || pending_.has_retired(); }

  // pool_uses.cpp: declared uses.
  struct HeldSets;
  static Uses& uses_of(Mem& mem);
  template <typename Change>
  Status change_uses(Mem& mem, Change&& change);
  bool is_known_use(Mem& mem, cl_command_queue queue) noexcept;
  static Status retain_events(std::uint32_t count, const cl_event* events, std::vector<cl::Event>& retained);
  void add_events(Mem& mem, std::vector<cl::Event>&& retained);
  Status adopt(cl_command_queue queue);
  Status meet(cl_command_queue queue);
  /// Hands out the oldest block that the queue of `on` still uses, and may have again; or null.
  Mem* take_from_queue(OnQueue* on, const Request& request, ThreadCache& cache);
  cl_command_queue bound_queue(const Mem& mem, HeldSets& held);
  bool is_ready(Visit& visit, const PoolChunk& chunk) noexcept;
  Status come_after(Mem& mem, cl_command_queue queue, cl_command_queue done = nullptr);

  // pool_holding.cpp: how much is held, and releases that were put off.
  /// Within Visit::out(), as callbacks may release the pool.
  void finish_later_releases() noexcept;
  void take_back_all(Mem* mem) noexcept;
  template <typename Action>
  void visit_up_to_date(Action&& action);
  void settle_to_give_back(Visit& visit) noexcept;
  void set_holding(bool holding) noexcept;
  /// After polling for what is not idle yet, or as it is.
  void give_back_all(Visit& visit) noexcept;
  void give_back_idle(Visit& visit) noexcept;
  /// Chunks that are given back between two releases of the mutex.
  static constexpr std::size_t chunks_at_a_time = 16;
  /// How long giving back waits where blocks rest: so that what was done to them is found.
  static constexpr std::uint64_t resting_to_give_back_ns = 1'000'000'000;

  // pool_end.cpp
  void end() noexcept;
  bool try_end(std::uint64_t nanoseconds) noexcept;
  /// Gives all memory back, and ends the object unless some of that is still on its way behind the pool's queue: false then.
  bool finish(std::uint64_t nanoseconds) noexcept;
  void give_back_the_rest() noexcept;
  bool is_on_its_way(std::uint64_t nanoseconds) noexcept;
  /// For whoever has no memory and no pool that could wait: also for those that other threads are ending. False: there is no
  /// use in asking the driver again.
  static bool end_all_ended() noexcept;

  // pool_guard.cpp
  /// Fills a new chunk; where the fill is not through in time, `unfinished` receives its queue. A failure gives
  /// the chunk back.
  Status guard_chunk(const QueueSet& own, PoolChunk& chunk, cl::Queue& unfinished) noexcept;
  /// Gives back a chunk that nothing but its fill uses; `fill` is the queue of one that may still run. Without
  /// the mutex.
  void give_up_chunk(const Chunk& memory, const cl::Queue& fill) noexcept;
  void note_released(Mem& mem) const noexcept;

  // pool_report.cpp
  void trace(const char* format, std::uint64_t first, std::uint64_t second) const noexcept {
    if (options_.trace_messages) [[unlikely]] {
      send_trace(format, first, second);
    }
  }
  void send_trace(const char* format, std::uint64_t first, std::uint64_t second) const noexcept;
  void report_leaks() noexcept;
  Status out_of_memory_error(const Request& request);
  std::uint64_t largest_around_cached() const noexcept;
  std::vector<PoolStretch> snapshot();

  // What hits and releases read without the mutex: on lines of memory that no visit writes, or each would take them from the
  // other processors.
  const std::uint64_t cache_key_;  ///< under which threads find their caches
  const std::uint64_t granule_;    ///< bytes: where blocks may begin
  const MemKind kind_;
  std::atomic<bool> holds_{true};     ///< as the books say; read without the mutex
  OwnerLock::Revocation revocation_;  ///< of the locks of caches_
  /// Some cache has blocks that other threads released. Raised without the mutex, after they were put there,
  /// by a thread that may have kept the pool alive by nothing else.
  const LastingFlag come_home_;
  ReturnRules returning_;
  const Reference<Allocator> allocator_;
  const PoolOptions options_;
  MessageSink sink_;           ///< the user's, until the pool has ended
  const std::string title_;    ///< as messages call the pool: by its name, or by its number
  const bool told_of_queues_;  ///< its own queues stay as they were made
  const cl_command_queue
      home_;  ///< the one in-order queue whose order protects what is reused; null if there is none

  /// Guards everything below. On a line of its own, which those that wait take from the one that has it.
  alignas(64) Mutex mutex_;
  alignas(64) cl::SubBuffers sub_buffers_;  ///< … but this, which locks for itself
  // From here on lies what each request reads and writes that no thread's cache serves: at the ends of sub_buffers_ and
  // sleepers_ and the beginnings of the others, so that it is few lines of memory (tests/benchmarks/results/commands.md).
  bool closed_ = false;  ///< no reference is left but those of blocks
  bool ends_ = false;    ///< … and somebody gives its memory back: visits of that do not end it again
  int looks_without_marker_ = 0;  ///< at a queue that refuses markers behind what was given back
  std::uint64_t visitors_ = 0;    ///< visits that have begun and not ended: the pool must stay as long
  Arrivals later_;                ///< blocks whose release was put off; closed in the end
  Returns returns_;
  Sleepers sleepers_;
  World world_;
  Books books_;
  Pending pending_;
  Caches caches_;
  const std::unique_ptr<Guard> guard_;  ///< null unless the pool is guarded
  Rests rests_;
  Progress progress_;
  EndedPool ended_;  ///< guarded by its list
};

/// The mutex of a pool, held from the beginning to the end but within out() and give_way(), and where its thread sleeps. What is to be released
/// without it is released at the end at the latest. The pool lives as long.
class Pool::Visit final : public Way {
 public:
  explicit Visit(Pool& pool) : pool_(pool), had_to_wait_(!pool.mutex_.try_lock()) {
    if (had_to_wait_) [[unlikely]] {
      pool.mutex_.lock();
    }
    ++pool.visitors_;
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  ~Visit() {
    tidy();
    if (keeps_to_held_limit_ && !pool_.closed_ && pool_.books_.over_held_limit()) [[unlikely]] {
      hold_less();
    }
    notify();
    --pool_.visitors_;
    if (pool_.closed_ && !pool_.ends_) [[unlikely]] {
      leave_closed();
    } else {
      pool_.mutex_.unlock();
    }
  }

  /// Between two pieces of work that may take long: whoever waits for the mutex has it first.
  void give_way() noexcept override {
    notify();
    pool_.mutex_.give_way();
  }

  void sleep(std::uint64_t nanoseconds) override { pool_.sleepers_.sleep(pool_.mutex_, nanoseconds); }

  /// Releases all that is to be released, without the mutex.
  void tidy() noexcept {
    if (pool_.rules().guarded || pool_.has_rubbish()) [[unlikely]] {
      clear_away();
    }
  }

  /// At the end, polls a little for chunks that must be idle before they go, if too many are held.
  void keep_to_held_limit() noexcept { keeps_to_held_limit_ = true; }

  /// Releases what was put off, without the mutex; false if nothing was.
  bool finish_later_releases() noexcept override {
    const bool any = pool_.later_.any();
    if (any) {
      out([this] { pool_.finish_later_releases(); });
    }
    return any;
  }

  /// Whether others had the mutex when the visit began.
  bool had_to_wait() const noexcept { return had_to_wait_; }

 private:
  /// Handles in pieces, as others may wait for any of them.
  void clear_away() noexcept;
  /// What a release of the driver said that failed.
  cl_int clear_away_some(DyingParts& parts) noexcept;
  void hold_less() noexcept;
  /// Its mutex, for the last time where nobody needs the pool any more.
  void leave_closed() noexcept;
  void notify() noexcept { pool_.sleepers_.wake(pool_.books_.turn()); }
  void leave(void (*action)(void* context), void* context) override;

  Pool& pool_;
  const bool had_to_wait_;
  bool keeps_to_held_limit_ = false;
};

/// Says that the calling thread is within a step of a pool, so that a request made there by a callback asks
/// nobody and waits for nobody.
struct Pool::Frame {
  explicit Frame(const Pool& entered) noexcept : pool(&entered), outer(innermost) { innermost = this; }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() { innermost = outer; }
  static bool is_inside(const Pool& pool) noexcept;

  const Pool* pool;
  Frame* outer;
  static constinit thread_local Frame* innermost
#if defined(__ELF__)
      __attribute__((tls_model("initial-exec")))  // no call of the loader's for each request
#endif
      ;
};

}  // namespace clpool::core
