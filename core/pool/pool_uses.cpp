// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Uses of blocks, which keep them from being reused before they are complete: declared ones, and those of
// commands that the library enqueues itself. Public functions are called without the mutex and take it for a
// moment at a time; queues and events are retained, released and enqueued on without it.
#include "pool/pending/uses.hpp"

#include <utility>

#include "cl/info.hpp"
#include "cl/marker.hpp"
#include "pool/pool.hpp"

namespace clpool::core {
/// Sets that stay while the mutex is left: another thread may end what keeps them, and the program may have given their queues up.
struct Pool::HeldSets {
  Pool& pool;
  std::vector<QueueSet*> sets;  ///< on which Pending::hold() was called

  explicit HeldSets(Pool& held_of) noexcept : pool(held_of) {}
  void hold(QueueSet* set) {
    if (set != nullptr) {
      sets.push_back(set);
      Pending::hold(*set);
    }
  }
  HeldSets(const HeldSets&) = delete;
  HeldSets& operator=(const HeldSets&) = delete;
  ~HeldSets() {
    if (!sets.empty()) {
      const Visit visit(pool);
      for (QueueSet* const set : sets) {
        pool.pending_.let_go(*set);
      }
    }
  }
};

Uses& Pool::uses_of(Mem& mem) {
  PoolBlock& block = pool_block(mem);
  if (block.attachment == nullptr) {
    auto* uses = new Uses;
    uses->block = &block;
    block.attachment = uses;
    set_mark(mem, look_mark);
  }
  return *uses_if_any(block);
}

/// Applies `change` to what is declared of a block and gives it the set of queues that follows, or changes
/// nothing. The set is made without the mutex; if another thread has changed the uses meanwhile, all is done
/// again. `change` may be called several times.
template <typename Change>
Status Pool::change_uses(Mem& mem, Change&& change) {
  std::unique_ptr<QueueSet> made;
  for (;;) {
    std::vector<cl_command_queue> missing;
    HeldSets held{*this};
    {
      Visit visit(*this);
      Uses& uses = uses_of(mem);
      DeclaredQueues declared = uses.declared;
      change(declared);
      if (pending_.declare(uses, std::move(declared), made, missing)) {
        if (pending_.has_many_sets()) {
          progress_.look(visit, Progress::Close::next);
          pending_.note_look_at_sets();
        }
        return Status::success;
      }
      held.hold(uses.set);
    }
    CLPOOL_TRY(QueueSet::make(missing, allocator_->traits().context, made));
    if (made->epochs.only_queue() != nullptr && pending_.lends()) {
      made->find_by_size();
    }
  }
}

/// Events that a caller gave; retained, or refused.
Status Pool::retain_events(std::uint32_t count, const cl_event* events, std::vector<cl::Event>& retained) {
  if (count != 0 && events == nullptr) {
    return fail(Status::invalid_value, "%u events were announced, but the list is NULL", count);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (events[i] == nullptr) {
      return fail(Status::invalid_value, "event %u of %u is NULL", i, count);
    }
  }
  retained.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    CLPOOL_TRY(cl::Event::share(events[i], retained[i]));
  }
  return Status::success;
}

/// The block is held back until they have ended, too. Throws std::bad_alloc, changing nothing.
void Pool::add_events(Mem& mem, std::vector<cl::Event>&& retained) {
  if (retained.empty()) {
    return;
  }
  MoreEvents more(std::move(retained));
  bool asks = false;
  {
    const Visit visit(*this);
    asks = more.add(uses_of(mem));
  }
  if (asks) {
    more.ask();
    const Visit visit(*this);
    more.end(uses_of(mem));
  }
}

Status Pool::release_after(Mem& mem, std::uint32_t count, const cl_event* events) {
  CLPOOL_TRY(require_own_process("the pool"));
  std::vector<cl::Event> retained;
  CLPOOL_TRY(retain_events(count, events, retained));
  add_events(mem, std::move(retained));
  return Status::success;
}

/// The queue that a block is bound to, which stays as long as `held`; null where there is none.
cl_command_queue Pool::bound_queue(const Mem& mem, HeldSets& held) {
  const Visit visit(*this);
  const Uses* const uses = uses_if_any(pool_block(mem));
  if (uses != nullptr && uses->declared.bound != nullptr) {
    held.hold(uses->set);
    return uses->declared.bound;
  }
  const cl_command_queue only = pending_.own().epochs.only_queue();
  return only != nullptr ? only : allocator_->traits().queue;
}

/// Whether what made the chunk is known to be through. One marker tells it of all chunks so far.
bool Pool::is_ready(Visit& visit, const PoolChunk& chunk) noexcept {
  QueueSet& own = pending_.own();
  if (own.epochs.completed() < chunk.ready_epoch) {
    const bool is_unmarked = own.epochs.open() <= chunk.ready_epoch;
    if (is_unmarked) {
      own.want_marker();
    }
    progress_.look_at_set(visit, own, is_unmarked ? Progress::Close::all : Progress::Close::due);
  }
  return pending_.own().epochs.completed() >= chunk.ready_epoch;
}

/// Orders commands that are enqueued on `queue` from now on behind what may still use the block's memory from
/// before it was handed out: the pool's one queue, by whose order it was handed out; the queue that it was
/// handed out to behind its earlier commands; what made its chunk, for a queue that is none of the pool's.
/// After the queue `done` it comes already. Once is enough for each queue, as long as the block is handed out;
/// how the program orders its own commands on the block is its business.
Status Pool::come_after(Mem& mem, cl_command_queue queue, cl_command_queue done) {
  cl_command_queue home = nullptr;
  cl_command_queue former = nullptr;
  std::shared_ptr<const void> made;
  {
    Visit visit(*this);
    const PoolBlock& block = pool_block(mem);
    PoolChunk& chunk = pool_chunk(*block.chunk);
    if (!pending_.holds_back()) {
      home = pending_.own().epochs.only_queue();
    } else if (rules().writes_chunks && !pending_.own().epochs.has(queue)) {
      if (is_ready(visit, chunk)) {
        made.swap(chunk.made);  // nobody needs it any more
      } else {
        made = chunk.made;
        home = pending_.own().epochs.first_queue();
      }
    }
    if (const Uses* const uses = uses_if_any(block); uses != nullptr) {
      former = uses->declared.former;
    }
  }
  if (home != nullptr && home != queue) {
    if (home != done) {
      CLPOOL_TRY(cl::hand_over(home, queue));
    }
    if (made != nullptr) {
      CLPOOL_TRY(cl::come_after(static_cast<const cl::Event*>(made.get())->get(), queue));
    }
  }
  return former != nullptr && former != queue && former != done ? cl::hand_over(former, queue)
                                                                : Status::success;
}

Status Pool::used_on(Mem& mem, cl_command_queue queue) {
  CLPOOL_TRY(require_own_process("the pool"));
  {
    const Visit visit(*this);
    const Uses* const uses = uses_if_any(pool_block(mem));
    if (uses != nullptr && uses->declared.has_use_of(queue)) {
      return Status::success;
    }
  }
  CLPOOL_TRY(meet(queue));
  CLPOOL_TRY(come_after(mem, queue));
  return change_uses(mem, [&](DeclaredQueues& declared) { declared.add_use_of(queue); });
}

/// Whether what uses the block on the queue is waited for as it is, or comes before whatever uses the memory next; that it is known
/// is noted then.
bool Pool::is_known_use(Mem& mem, cl_command_queue queue) noexcept {
  const std::lock_guard lock(mutex_);
  const Uses* const uses = uses_if_any(pool_block(mem));
  const bool is_own =
      pending_.holds_back() ? pending_.own().epochs.has(queue) : pending_.own().epochs.only_queue() == queue;
  // What a block waits for may have been made before the pool adopted its queue.
  // And what was handed to one queue is ordered on others only by a use of it there, not where a reference was given up.
  const bool is_waited_for = uses == nullptr || (!uses->declared.only_these &&
                                                 (uses->set == nullptr || uses->set->epochs.has(queue)));
  const bool is_known = is_own && is_waited_for;
  if (is_known && !rules().uses_are_known) {
    set_mark(mem, known_mark);
  }
  return is_known;
}

Status Pool::begin_use(Mem& mem, cl_command_queue queue) noexcept {
  const auto marks = static_cast<std::uint8_t>(glance_at_marks(mem) & ~larger_mark);
  if (marks == 0 && queue == home_) {
    return Status::success;
  }
  if (marks == waits_mark && returning_.waits_behind->epochs.has(queue)) {
    return Status::success;
  }
  try {
    if (!told_of_queues_ && allocator_->traits().kind != MemKind::custom) {
      CLPOOL_TRY(adopt(queue));
    }
    return is_known_use(mem, queue) ? Status::success : used_on(mem, queue);
  } catch (const std::bad_alloc&) {
    return fail(Status::out_of_host_memory, "no host memory to note that a queue uses a block");
  }
}

/// A pool that was told of no queue takes the first in-order one on which the library uses its memory for its
/// own.
Status Pool::adopt(cl_command_queue queue) {
  {
    const std::lock_guard lock(mutex_);
    if (pending_.own().epochs.has_queues()) {
      return Status::success;
    }
  }
  bool out_of_order = false;
  CLPOOL_TRY(cl::is_out_of_order(queue, out_of_order));
  if (out_of_order) {
    return Status::success;
  }
  std::unique_ptr<QueueSet> made;
  CLPOOL_TRY(QueueSet::make({queue}, allocator_->traits().context, made));
  CLPOOL_TRY(meet(queue));
  std::vector<std::unique_ptr<QueueSet>> joined;
  std::vector<std::vector<cl_command_queue>> missing;
  for (;;) {
    HeldSets held{*this};
    {
      const Visit visit(*this);
      if (pending_.own().epochs.has_queues() || pending_.adopt(made, joined, missing, held.sets)) {
        return Status::success;
      }
    }
    for (const std::vector<cl_command_queue>& queues : missing) {
      CLPOOL_TRY(QueueSet::make(queues, allocator_->traits().context, joined.emplace_back()));
    }
  }
}

/// A queue that somebody names: of the pool's context, or refused. What the first one's driver needs for
/// parts of chunks is kept in mind.
Status Pool::meet(cl_command_queue queue) {
  CLPOOL_TRY(cl::require_context(queue, allocator_->traits().context));
  if (!rules().has_handles || sub_buffers_.follows()) {
    return Status::success;
  }
  cl::SubBuffers::Needs needs;
  CLPOOL_TRY(cl::SubBuffers::needs_of(queue, needs));
  const Visit visit(*this);
  sub_buffers_.follow(needs);
  return Status::success;
}

Mem* Pool::take_from_queue(OnQueue* on, const Request& request, ThreadCache& cache) {
  QueueSet* const set = pending_.lending_set(on);
  PoolBlock* const block = set != nullptr ? books_.take_held_back(*set, request.rounded) : nullptr;
  if (block == nullptr) {
    return nullptr;
  }
  Pending::hold(*set);  // before anything else may drop it
  on->is_behind = on->uses->declared.only_these = (block->marks & alone_mark) != 0;
  hand_out(*block, request, cache);
  on->uses->set = set;
  on->uses->block = block;
  block->attachment = on->uses.release();
  set_mark(*block, look_mark);
  return block;
}

Status Pool::allocate_on(cl_command_queue queue, std::size_t size, Mem*& mem) {
  mem = nullptr;
  if (queue == home_) {  // which a release waits for, or comes after by its order, whatever is said
    mem = try_hit(size);
    return mem != nullptr ? Status::success : allocate_slowly(size, mem);
  }
  CLPOOL_TRY(require_own_process("the pool"));
  Request request;
  CLPOOL_TRY(books_.begin(size, request));
  request.account = Returns::account_of_this_thread();
  OnQueue on{std::make_unique<Uses>()};
  on.uses->declared.add_use_of(queue);
  on.uses->declared.former = queue;
  bool is_home = false;
  {
    const Visit visit(*this);
    ThreadCache& cache = returns_.cache_of_this_thread();  // may fail, so before a block is taken
    is_home = !pending_.holds_back() && pending_.own().epochs.only_queue() == queue;
    mem = is_home ? nullptr : take_from_queue(&on, request, cache);
  }
  if (mem == nullptr) {
    CLPOOL_TRY(meet(queue));  // else its set keeps it: the pool has met it
    mem = try_hit(size);
  }
  if (mem == nullptr) {
    CLPOOL_TRY(allocate_slowly(size, mem, is_home ? nullptr : &on));
  }
  if (is_home) {
    if (!rules().uses_are_known) {
      set_mark(*mem, known_mark);
    }
    return Status::success;
  }
  if (on.is_behind) {
    return Status::success;
  }
  const auto give_up = [&]() noexcept {
    const KeptError kept;
    static_cast<void>(release_idle(*std::exchange(mem, nullptr)));  // nobody has seen it
  };
  Status status = Status::success;
  try {
    status = come_after(*mem, queue);
    if (status == Status::success) {
      status = change_uses(*mem, [&](DeclaredQueues& declared) {
        declared.only_these = true;
        declared.add_use_of(queue);
      });
    }
  } catch (...) {
    give_up();
    throw;
  }
  if (status != Status::success) {
    give_up();
  }
  return status;
}

Status Pool::bind_to_queue(Mem& mem, cl_command_queue queue) {
  CLPOOL_TRY(require_own_process("the pool"));
  CLPOOL_TRY(cl::require_in_order(queue));
  CLPOOL_TRY(meet(queue));
  HeldSets held{*this};
  const cl_command_queue former = bound_queue(mem, held);
  if (former != nullptr && former != queue) {
    CLPOOL_TRY(cl::hand_over(former, queue));
  }
  CLPOOL_TRY(come_after(mem, queue, former));
  return change_uses(mem, [&](DeclaredQueues& declared) { declared.bound = queue; });
}

Status Pool::unbind_from_queue(Mem& mem) {
  CLPOOL_TRY(require_own_process("the pool"));
  HeldSets held{*this};
  const cl_command_queue bound = bound_queue(mem, held);
  if (bound == nullptr) {
    return Status::success;
  }
  CLPOOL_TRY(cl::finish(bound));
  if (held.sets.empty()) {  // it was bound to nothing but the pool's own queue
    return Status::success;
  }
  return change_uses(mem, [](DeclaredQueues& declared) { declared.bound = nullptr; });
}

Status Pool::release_on(Mem& mem, cl::Order order) {
  CLPOOL_TRY(require_own_process("the pool"));
  CLPOOL_TRY(require_held(mem));
  cl::Event done;
  {
    HeldSets held{*this};
    const cl_command_queue bound = order.queue == nullptr ? bound_queue(mem, held) : nullptr;
    CLPOOL_TRY(cl::check_order_or_bound(order, bound));
    CLPOOL_TRY(meet(order.queue));
    if (order.event != nullptr) {
      CLPOOL_TRY(cl::mark_so_far(order, done));
    }
    std::vector<cl::Event> retained;
    CLPOOL_TRY(retain_events(order.wait_count, order.waits, retained));
    if (!is_known_use(mem, order.queue)) {
      CLPOOL_TRY(
          change_uses(mem, [&](DeclaredQueues& declared) { insert_queue(declared.queues, order.queue); }));
    }
    add_events(mem, std::move(retained));
  }
  CLPOOL_TRY(release_mem(mem));
  if (order.event != nullptr) {
    *order.event = done.detach();
  }
  return Status::success;
}

void Pool::set_tag(Mem& mem, std::uint64_t tag) noexcept {
  std::atomic_ref(pool_block(mem).tag).store(tag, std::memory_order_relaxed);
  set_mark(mem, look_mark);
}

}  // namespace clpool::core
