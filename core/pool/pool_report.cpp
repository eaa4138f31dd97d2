// What a pool tells of itself: figures, a picture of its memory, traces and leaks.
#include <algorithm>
#include <cstdio>
#include <map>

#include "pool/borrowed.hpp"
#include "pool/uses.hpp"

namespace clpool::core {
namespace {

/// True if the block is free or in a cache, so that it could be part of a larger free block.
bool is_available(Block* block) noexcept {
  return block != nullptr &&
         (block->free || (glance_at_state(pool_block(*block)) == MemState::released && block->bin == 0));
}

/// Bytes of the block that a cached one would be part of if all caches were emptied. 0 if another cached one
/// to its left answers for the same stretch, so that each is walked once.
std::uint64_t available_around(Block& cached) noexcept {
  Block* first = is_available(cached.left) && cached.left->free ? cached.left : &cached;
  if (is_available(first->left)) {
    return 0;
  }
  std::uint64_t bytes = 0;
  for (Block* block = first; is_available(block); block = block->right) {
    bytes += block->size;
  }
  return bytes;
}

}  // namespace

PoolStats Pool::statistics() {
  finish_later_releases();
  const std::lock_guard lock(mutex_);
  const Borrowed borrowed(*this);
  PoolStats stats;
  std::uint64_t cached_blocks = 0;
  std::uint64_t largest_cached = 0;
  stats.active_blocks = central_.active_blocks();
  stats.active_bytes = central_.active_bytes;
  stats.allocations = requests_served();
  for (ThreadCache* cache = caches_; cache != nullptr; cache = cache->next) {
    drain_remote(*cache);
    stats.active_blocks += cache->active_blocks();
    stats.active_bytes += cache->active_bytes;
    stats.cached_bytes += cache->cached_bytes;
    for (Mem* head : cache->buckets) {
      for (Mem* mem = head; mem != nullptr; mem = mem->next, ++cached_blocks) {
        largest_cached = std::max(largest_cached, available_around(pool_block(*mem)));
      }
    }
  }
  stats.managed_bytes = strategy_->managed_bytes();
  stats.held_blocks = strategy_->held_blocks() + cached_blocks + pending_blocks_;
  stats.held_bytes = strategy_->free_bytes() + stats.cached_bytes + pending_bytes_;
  stats.pending_bytes = pending_bytes_;
  stats.reserved_bytes = stats.managed_bytes - stats.held_bytes;
  stats.peak_managed_bytes = peak_managed_bytes_;
  stats.peak_active_bytes = peak_active_bytes_;
  stats.driver_allocations = driver_allocations_;
  stats.driver_releases = driver_releases_;
  // A block that another thread is about to give back looks available already, but is not held yet.
  stats.largest_free_bytes = std::min(std::max(strategy_->largest_free(), largest_cached), stats.held_bytes);
  stats.misses = misses_;
  stats.hits = stats.allocations - misses_;
  stats.out_of_memory_events = out_of_memory_events_;
  stats.chunks = strategy_->chunk_count();
  stats.sub_buffers_created = sub_buffers_created_;
  if (stats.held_bytes != 0) {
    const double scattered =
        1.0 - static_cast<double>(stats.largest_free_bytes) / static_cast<double>(stats.held_bytes);
    stats.fragmentation_ppm = static_cast<std::uint64_t>(scattered * 1e6);
  }
  return stats;
}

std::vector<PoolStretch> Pool::snapshot() {
  const std::lock_guard lock(mutex_);
  const Borrowed borrowed(*this);
  for (ThreadCache* cache = caches_; cache != nullptr; cache = cache->next) {
    drain_remote(*cache);
  }
  std::vector<PoolStretch> stretches;
  std::uint64_t number = 0;
  for (const HeapChunk* chunk = strategy_->first_chunk(); chunk != nullptr; chunk = chunk->next, ++number) {
    for (Block* block = chunk->first; block != nullptr; block = block->right) {
      PoolBlock& whole = pool_block(*block);
      PoolStretch stretch{number, block->offset, block->size, 0, PoolStretch::State::free, 0};
      if (!block->free && glance_at_state(whole) == MemState::live) {
        stretch.state = PoolStretch::State::active;
        stretch.requested = whole.Mem::size;
        stretch.tag = std::atomic_ref(whole.tag).load(std::memory_order_relaxed);
      } else if (!block->free) {
        stretch.state = block->bin != 0 ? PoolStretch::State::pending : PoolStretch::State::cached;
      }
      stretches.push_back(stretch);
    }
  }
  return stretches;
}

void Pool::visit(const std::function<bool(const PoolStretch&)>& visitor) {
  finish_later_releases();
  for (const PoolStretch& stretch : snapshot()) {
    if (!visitor(stretch)) {
      return;
    }
  }
}

void Pool::trace(const char* format, std::uint64_t first, std::uint64_t second) noexcept {
  if (!options_.trace_messages) {
    return;
  }
  char text[160];
  std::snprintf(text, sizeof text, format, static_cast<unsigned long long>(first),
                static_cast<unsigned long long>(second));
  send_message({options_.callbacks.message, options_.callbacks.user}, Severity::trace, "pool '%s': %s",
               options_.name.c_str(), text);
}

void Pool::report_leaks(std::unique_lock<std::mutex>& lock) noexcept {
  struct Leak {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
  };
  std::map<std::uint64_t, Leak> leaks;
  lock.unlock();
  try {
    for (const PoolStretch& stretch : snapshot()) {
      if (stretch.state == PoolStretch::State::active) {
        Leak& leak = leaks[stretch.tag];
        ++leak.blocks;
        leak.bytes += stretch.requested;
      }
    }
  } catch (const std::bad_alloc&) {
    // Without memory for the list there is none; the blocks stay valid all the same.
  }
  for (const auto& [tag, leak] : leaks) {
    send_message({options_.callbacks.message, options_.callbacks.user}, Severity::warning,
                 "pool '%s' was released while %llu blocks of %llu bytes with tag %llu are handed out; they "
                 "stay valid",
                 options_.name.c_str(), static_cast<unsigned long long>(leak.blocks),
                 static_cast<unsigned long long>(leak.bytes), static_cast<unsigned long long>(tag));
  }
  lock.lock();
}

const char* Pool::check() {
  const std::lock_guard lock(mutex_);
  const Borrowed borrowed(*this);
  return strategy_->check();
}

}  // namespace clpool::core
