// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a pool tells of itself: figures, a picture of its memory, traces and leaks. Everything here but
// largest_around_cached() is called without the mutex, and takes it for as long as it copies (send_trace() not at
// all); messages are sent without it.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string_view>

#include "pool/pool.hpp"

namespace clpool::core {
namespace {

/// A block that waits in a cache for an epoch up to `completed` waits no more.
bool has_waited(Block& block, std::uint64_t completed) noexcept {
  PoolBlock& whole = pool_block(block);
  return glance_at_state(whole) == MemState::waiting && WaitingList::epoch_of(whole) <= completed;
}

/// True if the block is free or in a cache, so that it could be part of a larger free block.
bool is_available(Block* block, std::uint64_t completed) noexcept {
  return block != nullptr &&
         (block->free || has_waited(*block, completed) ||
          (glance_at_state(pool_block(*block)) == MemState::released && !is_held_back(*block)));
}

/// Bytes of the block that a cached one would be part of if all caches were emptied. 0 if another cached one
/// to its left answers for the same stretch, so that each is walked once.
std::uint64_t available_around(Block& cached, std::uint64_t completed) noexcept {
  Block* first = is_available(cached.left, completed) && cached.left->free ? cached.left : &cached;
  if (is_available(first->left, completed)) {
    return 0;
  }
  std::uint64_t bytes = 0;
  for (Block* block = first; is_available(block, completed); block = block->right) {
    bytes += block->size;
  }
  return bytes;
}

/// With more blocks than this in caches, they are not joined with what is free around them.
constexpr std::uint64_t most_cached_looked_at = 256;

}  // namespace

std::uint64_t Pool::largest_around_cached() const noexcept {
  std::uint64_t largest = 0;
  const std::uint64_t completed = pending_.own().epochs.completed();
  const auto look_around = [&](Mem& mem) {
    largest = std::max(largest, available_around(pool_block(mem), completed));
  };
  caches_.for_each([&](const ThreadCache& cache) {
    std::uint32_t left = cache.cached_blocks;
    for (std::size_t place = cache.newest_place; left != 0; place = (place + 1) % ThreadCache::bucket_count) {
      for (Mem* mem = cache.buckets[place]; mem != nullptr; mem = mem->next, --left) {
        look_around(*mem);
      }
    }
    for (Mem* mem = cache.waiting.first(); mem != nullptr && WaitingList::epoch_of(*mem) <= completed;
         mem = mem->next) {
      look_around(*mem);
    }
  });
  return largest;
}

PoolStats Pool::statistics() {
  PoolStats stats;
  Visit visit(*this);
  visit.finish_later_releases();
  returns_.bring_all_home(visit);
  const Borrowed borrowed(caches_);
  caches_.add_to(stats, pending_.own().epochs.completed());
  const std::uint64_t largest_cached =
      stats.held_blocks <= most_cached_looked_at ? largest_around_cached() : 0;
  books_.add_to(stats);
  // What threads had at different times may have been added up.
  stats.peak_active_bytes = std::min(stats.peak_active_bytes, stats.peak_managed_bytes);
  // A block that another thread is about to give back looks available already, but is not held yet.
  stats.largest_free_bytes =
      std::min(std::max(books_.strategy().largest_free(), largest_cached), stats.held_bytes);
  if (const std::uint64_t free = stats.held_bytes - books_.excess_bytes(); free != 0) {
    const double scattered =
        1.0 - static_cast<double>(std::min(stats.largest_free_bytes, free)) / static_cast<double>(free);
    stats.fragmentation_ppm = static_cast<std::uint64_t>(scattered * 1e6);
  }
  return stats;
}

std::vector<PoolStretch> Pool::snapshot() {
  Visit visit(*this);
  visit.finish_later_releases();
  returns_.bring_all_home(visit);
  const Borrowed borrowed(caches_);
  const std::uint64_t completed = pending_.own().epochs.completed();
  std::vector<PoolStretch> stretches;
  std::uint64_t number = 0;
  for (const HeapChunk* chunk = books_.strategy().chunks().first; chunk != nullptr;
       chunk = chunk->next, ++number) {
    for (Block* block = chunk->first; block != nullptr; block = block->right) {
      PoolBlock& whole = pool_block(*block);
      PoolStretch stretch{number, block->offset, block->size, 0, PoolStretch::State::free, 0};
      if (!block->free && glance_at_state(whole) == MemState::live) {
        stretch.state = PoolStretch::State::active;
        stretch.requested = whole.Mem::size;
        stretch.tag = std::atomic_ref(whole.tag).load(std::memory_order_relaxed);
      } else if (!block->free) {
        stretch.state =
            is_available(block, completed) ? PoolStretch::State::cached : PoolStretch::State::pending;
      }
      stretches.push_back(stretch);
    }
  }
  return stretches;
}

void Pool::visit(const std::function<bool(const PoolStretch&)>& visitor) {
  for (const PoolStretch& stretch : snapshot()) {
    if (!visitor(stretch)) {
      return;
    }
  }
}

void Pool::send_trace(const char* format, std::uint64_t first, std::uint64_t second) const noexcept {
  char text[160];
  std::snprintf(text, sizeof text, format, static_cast<unsigned long long>(first),
                static_cast<unsigned long long>(second));
  const KeptError kept;
  const Frame frame(*this);
  send_message(sink_, Severity::trace, "%s: %s", title_.c_str(), text);
}

void Pool::report_leaks() noexcept {
  struct Leak {
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;
  };
  std::map<std::uint64_t, Leak> leaks;
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
    const bool is_one = leak.blocks == 1;
    send_message(sink_, Severity::warning,
                 "%s was released while %llu %s of %llu bytes with tag %llu %s handed out; %s valid",
                 title_.c_str(), static_cast<unsigned long long>(leak.blocks), is_one ? "block" : "blocks",
                 static_cast<unsigned long long>(leak.bytes), static_cast<unsigned long long>(tag),
                 is_one ? "is" : "are", is_one ? "it stays" : "they stay");
  }
}

Status Pool::out_of_memory_error(const Request& request) {
  const PoolStats stats = statistics();
  char limit[32] = "none";
  if (options_.max_bytes != UINT64_MAX) {
    std::snprintf(limit, sizeof limit, "%llu", static_cast<unsigned long long>(options_.max_bytes));
  }
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  const bool is_busy = [this] {
    const Visit visit(*this);
    return !rules().outlives_release && books_.has_busy_chunk(Books::Staying::is_left_out);
  }();
  // PyOpenCL reports -4 whatever the last refusal was. The code is told once.
  const cl_int code = is_cl_out_of_memory(request.code) ? request.code : CL_MEM_OBJECT_ALLOCATION_FAILURE;
  std::string_view refusal = request.refusal;
  char told[96];
  std::snprintf(told, sizeof told, " (%s, %d)", cl_error_name(code), code);
  refusal.remove_suffix(refusal.ends_with(told) ? std::strlen(told) : 0);
  static_cast<void>(fail_cl(
      code, "clpool_pool_allocate",
      "out of memory in %s: asked for %llu bytes; active %llu, held %llu (of which %llu are still in "
      "use by queues), largest free block %llu, managed %llu, limit %s%s%s%s%s%.*s",
      title_.c_str(), number(request.size), number(stats.active_bytes), number(stats.held_bytes),
      number(stats.pending_bytes), number(stats.largest_free_bytes), number(stats.managed_bytes), limit,
      is_busy ? "; free chunks cannot go back while a queue may still use them" : "",
      request.inside ? "; asked for within a callback of the pool, where nobody is asked or waited for" : "",
      rules().uses_are_known
          ? ""
          : "; the pool was not told of its queues, and gives back only what was released by "
            "clpool_mem_release_idle(), with declared uses, or with uses that the library enqueued",
      refusal.empty() ? "" : "; the allocator: ", static_cast<int>(refusal.size()), refusal.data()));
  return Status::out_of_memory;
}

const char* Pool::check() {
  const Visit visit(*this);
  const Borrowed borrowed(caches_);
  return books_.check();
}

}  // namespace clpool::core
