// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A pool's beginning. Called without the mutex.
#include <algorithm>
#include <bit>

#include "pool/pool.hpp"

namespace clpool::core {
namespace {

/// Of a pool.
constinit std::atomic<std::uint64_t> last_number{0};

MemoryRules rules_of(const Allocator& allocator, const PoolOptions& options, const QueueSet& own) noexcept {
  const AllocatorTraits& traits = allocator.traits();
  MemoryRules rules;
  rules.granule = std::max(traits.granularity, options.alignment);
  rules.max_chunk_bytes = traits.max_chunk_bytes;
  rules.has_handles = traits.kind == MemKind::buffer;
  // Buffers are kept by the driver until their commands have ended; addresses are gone at once (OpenCL 3.0,
  // clSVMFree), unless the allocator frees them behind just the queue that uses them. What custom memory
  // needs that no queue was given for, its own functions know.
  const bool behind_its_queue = traits.queue != nullptr && own.epochs.only_queue() == traits.queue;
  rules.uses_are_known = traits.kind != MemKind::svm || own.epochs.has_queues();
  rules.outlives_release = traits.kind == MemKind::buffer || behind_its_queue ||
                           (traits.kind == MemKind::custom && !own.epochs.has_queues());
  rules.goes_behind_queue =
      traits.queue != nullptr && traits.kind != MemKind::buffer && own.epochs.has(traits.queue);
  rules.guarded = options.guard;
  rules.writes_chunks = options.guard || (rules.has_handles && traits.made_behind_queue);
  rules.margin = options.guard ? Guard::margin(traits, own.epochs.first_queue(), rules.granule) : 0;
  return rules;
}

/// What all caches may hold, besides, of blocks that come back late: as much as comes back at once, see Pending.
constexpr std::uint64_t most_kept_bytes = std::uint64_t{16} << 20;

/// … and of others that need handles, each of which takes a driver longer than many requests take (NVIDIA: 2.5 us): as much as small
/// blocks of some dozen sizes have, or one part in so many of what a device may have in one piece.
constexpr std::uint64_t most_kept_with_handles = std::uint64_t{2} << 20;
constexpr std::uint64_t kept_part_of_device = 256;

}  // namespace

Pool::Pool(std::uint64_t number, Allocator& allocator, const PoolOptions& options, const MemoryRules& rules,
           std::unique_ptr<QueueSet> own)
    : cache_key_(ThreadRecord::key_of(number)),
      granule_(rules.granule),
      kind_(allocator.traits().kind),
      returning_{.has_caches = options.strategy == StrategyKind::coalescing &&
                               options.max_held_bytes == UINT64_MAX && options.decay_ns == 0 &&
                               !options.trace_messages && !options.guard},
      allocator_(Reference<Allocator>::share(&allocator)),
      options_(options),
      sink_{options.callbacks.message, options.callbacks.user},
      title_(options.name.empty() ? "pool " + std::to_string(number) : "pool '" + options.name + "'"),
      told_of_queues_(own->epochs.has_queues()),
      home_(own->epochs.only_queue()),
      sub_buffers_(allocator.traits().context, allocator.traits().own_queue),
      returns_(books_, pending_, caches_, returning_, come_home_.get()),
      world_(caches_, pending_, returns_, sub_buffers_, allocator.traits().sources, options_.wait_ns),
      books_(options_, rules, world_),
      pending_(books_, std::move(own), allocator.traits().host_writes),
      caches_(cache_key_, static_cast<unsigned>(std::countr_zero(rules.granule)), revocation_,
              options_.max_bytes),
      guard_(options.guard ? std::make_unique<Guard>(allocator.traits(), pending_.own().epochs.first_queue(),
                                                     title_, sink_)
                           : nullptr),
      rests_(books_, returns_, guard_.get(), options_.max_held_bytes),
      progress_(books_, pending_, returns_, rests_, sink_, allocator.traits().sources),
      ended_{this, allocator.traits().sources, [](Pool& pool, std::uint64_t nanoseconds) noexcept {
               return pool.try_end(nanoseconds) && pool.finish(nanoseconds);
             }} {
  decide_what_caches_keep();
}

Status Pool::create(Allocator& allocator, const PoolOptions& options, Reference<Pool>& pool) {
  CLPOOL_TRY(allocator.require_own_process("the allocator"));
  if (options.alignment != 0 && !std::has_single_bit(options.alignment)) {
    return fail(Status::invalid_value, "alignment is %llu, it must be a power of two",
                static_cast<unsigned long long>(options.alignment));
  }
  OwnerLock::initialize();
  ended_pools.end_some(EndedPools::few);
  std::vector<cl_command_queue> queues = options.queues;
  if (queues.empty() && allocator.traits().queue != nullptr) {
    queues.push_back(allocator.traits().queue);
  }
  std::unique_ptr<QueueSet> own;
  CLPOOL_TRY(QueueSet::make(queues, allocator.traits().context, own));
  const MemoryRules rules = rules_of(allocator, options, *own);
  cl::SubBuffers::Needs needs;
  if (rules.has_handles && own->epochs.has_queues()) {
    CLPOOL_TRY(cl::SubBuffers::needs_of(own->epochs.first_queue(), needs));
  }
  const std::uint64_t number = last_number.fetch_add(1, std::memory_order_relaxed) + 1;
  Reference<Pool> made = Reference<Pool>::adopt(new Pool(number, allocator, options, rules, std::move(own)));
  if (needs.queue) {
    made->sub_buffers_.follow(needs);
  }
  if (allocator.traits().deferred) {
    send_message(made->sink_, Severity::warning,
                 "%s is made over a deferred allocator: the driver may report out of memory when a command "
                 "first uses a block, where the pool cannot answer it; use an immediate allocator",
                 made->title_.c_str());
  }
  if (!rules.uses_are_known) {
    send_message(made->sink_, Severity::warning,
                 "%s does not know the queues on which its shared virtual memory is used: until its end it "
                 "gives back only memory whose blocks were all released by clpool_mem_release_idle(), with "
                 "declared uses, or with uses that the library enqueued; name the queues in "
                 "clpool_pool_options.queues, or give the allocator its queue",
                 made->title_.c_str());
  }
  pool = std::move(made);
  return Status::success;
}

void Pool::decide_what_caches_keep() noexcept {
  const bool may_be_in_use =
      pending_.holds_back() || allocator_->traits().host_writes || !rules().uses_are_known;
  returning_.usual_marks = may_be_in_use ? look_mark : 0;
  // A pool that takes a queue over knows its uses no better.
  if (returning_.has_caches && rules().uses_are_known && pending_.holds_back()) {
    returning_.usual_marks = waits_mark;
    returning_.waits_behind = &pending_.own();
    caches_.keep_up_to(most_kept_bytes);
  } else if (returning_.has_caches && rules().has_handles) {
    const std::uint64_t most = rules().max_chunk_bytes != 0 ? rules().max_chunk_bytes : UINT64_MAX;
    if (most >= kept_part_of_device) {
      caches_.keeper().begin(std::min(most_kept_with_handles, most / kept_part_of_device));
    }
  }
}

}  // namespace clpool::core
