// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Blocks in and out of the books, what is held, and what leaves them. With the pool's mutex held.
#include "pool/books/books.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/binned.hpp"
#include "engine/coalescing.hpp"

namespace clpool::core {
namespace {

std::unique_ptr<Strategy> make_strategy(const PoolOptions& options, const MemoryRules& rules,
                                        BlockSource& source) {
  if (options.strategy == StrategyKind::binned) {
    return std::make_unique<Binned>(options.leading_bits, source);
  }
  return std::make_unique<Coalescing>(rules.granule, options.min_chunk_bytes, source);
}

}  // namespace

Books::Books(const PoolOptions& options, const MemoryRules& rules, Surroundings& surroundings)
    : options_(options),
      surroundings_(surroundings),
      rules_(rules),
      strategy_(make_strategy(options, rules, blocks_)),
      chunks_(strategy_->chunks()),
      shapes_(rules.has_handles
                  ? std::make_unique<Shapes>(static_cast<unsigned>(std::countr_zero(rules.granule)))
                  : nullptr) {}

void Books::free(PoolBlock& block, std::uint64_t stamp) noexcept {
  if (!rules_.guarded) {
    return free_now(block, stamp);
  }
  set_stamp(block, stamp);
  block.next = freed_;
  freed_ = &block;
  count_pending(block);
}

void Books::free_rested(PoolBlock& block) noexcept {
  note_free(block);
  end_pending(block);
  // Who kept the handle of the block keeps one that nobody else has.
  PoolBlock& other = blocks_.replace(block);
  if (&other != &block) {
    other.handle = std::exchange(block.handle, nullptr);
  }
  free_now(other, stamp_of(other));
}

void Books::free_now(PoolBlock& block, std::uint64_t stamp) noexcept {
  PoolChunk& chunk = pool_chunk(*block.chunk);
  if (rules_.has_handles && block.Block::size != chunk.size) {
    Part* const part = rules_.guarded ? chunk.parts.at(block.offset) : part_of(block);
    Block* const left = block.left;
    part->block = rules_.guarded ? nullptr : left != nullptr && left->free ? left : &block;  // it will be in
    excess_bytes_ -= chunk.parts.put_aside(*part, garbage_.parts);
  }
  block.handle = nullptr;
  if (options_.decay_ns != 0) {
    chunk.last_used_ns = surroundings_.now_ns();
  }
  ++turn_;
  ++came_free_;
  HeapChunk* whole = put_back(block, stamp);
  newest_stamp_ = std::max(newest_stamp_, stamp);
  if (whole != nullptr && !holding_ && may_give_back(*whole)) {
    discard(*whole);
    return;
  }
  if (whole != nullptr) {
    keep_to_held_limit();
  }
}

HeapChunk* Books::put_back(Block& block, std::uint64_t stamp) noexcept {
  pool_block(block).pointer = nullptr;
  HeapChunk* const whole = strategy_->give_back(block, stamp);
  if (whole != nullptr && (rules_.outlives_release || !pool_chunk(*whole).unknown_uses)) {
    next_idle_ = std::min(next_idle_, whole->last_release);
  }
  return whole;
}

void Books::count_pending(PoolBlock& block) noexcept {
  ++pending_blocks_;
  pending_bytes_ += block.capacity;
  held_back_so_far_ += block.capacity;
  block.bin = accounts_[block.account].add(block.capacity, held_back_so_far_, freed_bytes_);
}

void Books::end_pending(PoolBlock& block) noexcept {
  --pending_blocks_;
  pending_bytes_ -= block.capacity;
  accounts_[block.account].remove(block.bin, block.capacity);
}

void Books::hold_back(HeldBack& list, PoolBlock& block, std::uint64_t stamp) noexcept {
  set_stamp(block, stamp);
  list.add(block);
  ++list.open_blocks;
  list.open_bytes += block.capacity;
  count_pending(block);
}

void Books::free_completed(PoolBlock& block, std::uint64_t stamp) noexcept {
  if (!rules_.guarded) {  // else when it has rested
    note_free(block);
    if (surroundings_.keep(block)) {
      return;
    }
  }
  free(block, stamp);
}

std::size_t Books::free_completed(HeldBack& list, std::uint64_t completed, std::uint64_t stamp,
                                  std::size_t most) noexcept {
  std::size_t freed = 0;
  for (; freed < most && !list.empty() && stamp_of(list.oldest()) <= completed; ++freed) {
    PoolBlock& block = list.take();
    end_pending(block);
    free_completed(block, stamp);
  }
  return freed;
}

PoolBlock* Books::take_held_back(HeldBack& list, std::uint64_t capacity) noexcept {
  PoolBlock* const block = list.take(capacity);
  if (block != nullptr) {
    end_pending(*block);
  }
  return block;
}

void Books::discard(HeapChunk& chunk) noexcept {
  strategy_->remove_chunk(chunk);
  enter_garbage(chunk);
}

void Books::enter_garbage(HeapChunk& chunk) noexcept {
  pool_chunk(chunk).parts.put_all(garbage_.parts);
  garbage_.chunks.add(pool_chunk(chunk));
  gone_stamp_ = std::max(gone_stamp_, chunk.last_release);
  garbage_.bytes += chunk.size;
  leaving_bytes_ += chunk.size;
  ++driver_releases_;
}

Garbage Books::take_garbage() noexcept {
  leaving_parts_ += garbage_.parts.count;
  return std::exchange(garbage_, {});
}

void Books::released(std::uint64_t bytes) noexcept {
  leaving_bytes_ -= bytes;
  ++turn_;
  if (bytes != 0) {
    ++came_free_;
    ++went_back_;
    if (rules_.goes_behind_queue && surroundings_.has_queues()) {
      gone_stamp_ = surroundings_.open();
      newest_stamp_ = std::max(newest_stamp_, gone_stamp_);
    }
  }
}

void Books::released(Part& part) noexcept {
  PoolChunk& chunk = *part.chunk;
  chunk.parts.forget(part);
  --leaving_parts_;
  if (chunk.parts.in_work() == 0 && chunk.used == 0) {  // it may go now
    ++came_free_;
    next_idle_ = 0;
  }
  ++turn_;
}

bool Books::is_idle(const HeapChunk& chunk) const noexcept {
  return !surroundings_.has_queues() || chunk.last_release <= surroundings_.completed();
}

bool Books::may_give_back(const HeapChunk& chunk) const noexcept {
  const auto& own = static_cast<const PoolChunk&>(chunk);
  return own.parts.in_work() == 0 && (rules_.outlives_release || (is_idle(chunk) && !own.unknown_uses));
}

bool Books::has_busy_chunk(Staying staying) const noexcept {
  return !for_each_free_chunk([&](const HeapChunk& chunk) {
    const bool stays = static_cast<const PoolChunk&>(chunk).unknown_uses;
    return may_give_back(chunk) || is_idle(chunk) || (stays && staying == Staying::is_left_out);
  });
}

bool Books::is_held_beyond(std::uint64_t most_held) const noexcept {
  return strategy_->free_bytes() + pending_bytes_ + excess_bytes_ > most_held;
}

void Books::give_back_beyond(std::uint64_t most_held) noexcept {
  const bool some_may_be_idle =
      surroundings_.has_queues() ? next_idle_ <= surroundings_.completed() : next_idle_ != UINT64_MAX;
  if (!is_held_beyond(most_held) || !some_may_be_idle) {
    return;
  }
  std::uint64_t next_idle = UINT64_MAX;
  for_each_free_chunk([&](HeapChunk& chunk) {
    if (!is_idle(chunk)) {
      next_idle = std::min(next_idle, chunk.last_release);
    } else if (may_give_back(chunk)) {
      discard(chunk);
    }
    return is_held_beyond(most_held);
  });
  // A walk that ended early has not seen all.
  next_idle_ = is_held_beyond(most_held) ? next_idle : 0;
}

void Books::give_back_aged() noexcept {
  if (options_.decay_ns == 0 || !is_held_beyond(options_.release_threshold)) {
    return;
  }
  const std::uint64_t now = surroundings_.now_ns();
  for_each_free_chunk([&](HeapChunk& chunk) {
    if (now - pool_chunk(chunk).last_used_ns >= options_.decay_ns && is_idle(chunk) && may_give_back(chunk)) {
      discard(chunk);
    }
    return is_held_beyond(options_.release_threshold);
  });
}

bool Books::give_back_some(std::size_t most) noexcept {
  bool any = false;
  for (; most > 0; --most) {
    HeapChunk* const chunk = strategy_->next_free_chunk();
    if (chunk == nullptr) {
      return any;
    }
    if (!may_give_back(*chunk)) {
      return trim_some(0, UINT64_MAX) || any;
    }
    discard(*chunk);
    any = true;
  }
  return any;
}

bool Books::trim_some(std::uint64_t keep_bytes, std::size_t most) noexcept {
  std::size_t gone = 0;
  bool others_stay = false;
  for_each_free_chunk([&](HeapChunk& chunk) {
    if (!is_held_beyond(keep_bytes) || (gone >= most && !others_stay)) {
      return false;
    }
    if (may_give_back(chunk)) {
      discard(chunk);
      ++gone;
    } else {
      others_stay = true;
    }
    return true;
  });
  return gone != 0;
}

bool Books::give_back_at_end(std::size_t most) noexcept {
  HeapChunk* chunk = nullptr;
  for (; most > 0 && (chunk = strategy_->next_free_chunk()) != nullptr; --most) {
    discard(*chunk);
  }
  return !garbage_.empty();
}

void Books::add_to(PoolStats& stats) const noexcept {
  stats.managed_bytes = managed_bytes();
  stats.held_blocks += strategy_->held_blocks() + pending_blocks_;
  stats.pending_bytes += pending_bytes_;
  stats.held_bytes = strategy_->free_bytes() + stats.cached_bytes + stats.pending_bytes + excess_bytes_;
  stats.reserved_bytes = stats.managed_bytes - stats.held_bytes;
  stats.peak_managed_bytes = peak_managed_bytes_;
  stats.driver_allocations = driver_allocations_;
  stats.driver_releases = driver_releases_;
  stats.misses = misses_;
  stats.hits = stats.allocations - misses_;
  stats.out_of_memory_events = out_of_memory_events_;
  stats.chunks = chunks_.count;
  stats.sub_buffers_created = handles_made_;
}

const char* Books::check() const noexcept {
  std::uint64_t excess = 0;
  for (HeapChunk* chunk = chunks_.first; chunk != nullptr; chunk = chunk->next) {
    if (const char* wrong = pool_chunk(*chunk).parts.check(); wrong != nullptr) {
      return wrong;
    }
    excess += pool_chunk(*chunk).parts.excess();
  }
  if (excess != excess_bytes_) {
    return "the bytes that places have beyond their blocks are miscounted";
  }
  return strategy_->check();
}

}  // namespace clpool::core
