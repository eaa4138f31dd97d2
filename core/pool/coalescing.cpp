// The coalescing strategy's rule of growth.
#include "pool/coalescing.hpp"

#include <algorithm>
#include <new>

namespace clpool::core {
namespace {

/// Smallest chunk once driver calls are scarce; before that, small chunks may be twice what was asked for.
constexpr std::uint64_t default_min_chunk_bytes = 1024 * 1024;

/// Driver calls that may be spent on keeping memory small: so many at first, and so many per request.
constexpr double free_driver_calls = 4;
constexpr double driver_calls_per_request = 0.008;

/// A new chunk is at least this share of what the pool has, times the pressure, up to the largest share.
constexpr double smallest_growth = 0.01;
constexpr double largest_growth = 0.2;

/// Requests of at least a certain share of what the pool has do not cut up a whole chunk that is larger by
/// more than the tolerance, while driver calls are to spare and the pool is about as large as it ever was.
constexpr std::uint64_t large_request = 50;  // one part in so many
constexpr double tolerance = 1.5;
constexpr double near_peak = 0.8;

/// A whole chunk of at least one part in so many of what the pool has is not cut up by a request that would
/// take less than one part in so many of it, as long as there are driver calls and room for a small chunk.
constexpr std::uint64_t dominant_chunk = 2;
constexpr std::uint64_t least_pinned = 16;

/// Driver calls made, as a multiple of those that may be spent: below 1 there are some to spare.
double pressure(const GrowthLimits& limits) noexcept {
  return static_cast<double>(limits.driver_allocations) /
         (free_driver_calls + driver_calls_per_request * static_cast<double>(limits.allocations));
}

std::uint64_t share(double part, std::uint64_t bytes) noexcept {
  return static_cast<std::uint64_t>(part * static_cast<double>(bytes));
}

}  // namespace

Coalescing::Coalescing(std::uint64_t granule, std::uint64_t min_chunk_bytes, BlockSource& source)
    : heap_(granule, source),
      min_chunk_bytes_(heap_.rounded(min_chunk_bytes != 0 ? min_chunk_bytes : default_min_chunk_bytes)),
      min_chunk_is_asked_for_(min_chunk_bytes != 0) {}

Block* Coalescing::take(Block& found, std::uint64_t rounded) {
  // A request near the device's limit may come with its exact size (D-04): the block then is the end of its
  // chunk.
  return heap_.take(found, std::min(heap_.rounded(rounded), found.size));
}

Block* Coalescing::take_any(std::uint64_t size) {
  const std::uint64_t whole = heap_.rounded(size);
  Block* block = heap_.find(whole, true);
  if (block != nullptr) {
    return heap_.take(*block, whole);
  }
  // The odd end of a chunk may hold the exact size though not the rounded one.
  block = heap_.find(size, true);
  return block != nullptr ? heap_.take(*block, block->size) : nullptr;
}

Preference Coalescing::preference(const Block& found, std::uint64_t rounded,
                                  const GrowthLimits& limits) const noexcept {
  if (!is_whole_chunk(found) || pressure(limits) >= 1) {
    return Preference::take;
  }
  const std::uint64_t managed = heap_.managed_bytes();
  if (rounded >= managed / large_request) {
    const bool misfit = found.size > std::max(share(tolerance, rounded), min_chunk_bytes_) &&
                        managed + rounded >= share(near_peak, limits.peak_managed_bytes);
    return misfit ? Preference::replace : Preference::take;
  }
  // A small block would keep a large chunk from ever being used whole, or given back.
  const std::uint64_t small = std::max(rounded, min_chunk_bytes_);
  const bool pins =
      found.size >= managed / dominant_chunk && found.size / least_pinned >= small && limits.room >= small;
  return pins ? Preference::spare : Preference::take;
}

Growth Coalescing::plan_growth(std::uint64_t rounded, const GrowthLimits& limits, const IsIdle& idle) {
  const double urgency = pressure(limits);
  const std::uint64_t managed = heap_.managed_bytes();
  const std::uint64_t peak = std::max(limits.peak_managed_bytes, managed);
  const std::uint64_t portion =
      heap_.rounded(share(std::min(largest_growth, smallest_growth * std::max(1.0, urgency)), managed));
  Growth growth;
  std::uint64_t wanted = std::max({rounded, portion, min_chunk_bytes_});
  std::uint64_t headroom = peak - managed;
  const auto release = [&](HeapChunk& chunk) {
    // Room for all of them at once: nothing may throw once the first is forgotten, as it would be lost.
    growth.released.reserve(heap_.chunk_count() + growth.released.size());
    growth.released.push_back(&chunk);
    headroom += chunk.size;
    heap_.remove_chunk(chunk);
  };

  const Block* found = heap_.find(rounded);
  const Preference preferred = found != nullptr ? preference(*found, rounded, limits) : Preference::take;
  const bool spares = preferred == Preference::spare;
  if (preferred == Preference::replace && idle(*found->chunk)) {
    // A whole chunk that would have been cut up goes back for one that fits.
    release(*found->chunk);
    wanted = rounded;
  }
  // Beyond the peak so far: as many whole chunks go back as it takes to stay below it.
  while (!spares && wanted > headroom && rounded > headroom) {
    Block* block = heap_.find_whole(rounded - headroom);
    block = block != nullptr ? block : heap_.largest_whole();
    if (block == nullptr || !idle(*block->chunk)) {
      break;
    }
    release(*block->chunk);
  }
  if (spares) {
    // As little as there is reason for.
  } else if (wanted > headroom) {
    const bool small_start = urgency <= 1 && !min_chunk_is_asked_for_;
    const std::uint64_t least = small_start ? std::min(min_chunk_bytes_, 2 * rounded) : min_chunk_bytes_;
    wanted = headroom >= rounded ? std::max(headroom, min_chunk_is_asked_for_ ? min_chunk_bytes_ : 0)
                                 : std::max({rounded, portion, least});
  } else if (urgency > 1) {
    // Few driver calls are left: use the headroom for chunks that last.
    wanted = std::max(wanted, std::min(headroom, 4 * wanted));
  }
  wanted &= ~(heap_.granule() - 1);

  const std::uint64_t most =
      std::min(limits.room, limits.max_chunk_bytes != 0 ? limits.max_chunk_bytes : UINT64_MAX);
  growth.chunk_bytes = std::max(rounded, std::min(wanted, most & ~(heap_.granule() - 1)));
  return growth;
}

Block* Coalescing::add_chunk(HeapChunk& chunk, std::uint64_t rounded) {
  Block* block = heap_.add_chunk(chunk);
  try {
    return heap_.take(*block, std::min(rounded, block->size));
  } catch (const std::bad_alloc&) {
    heap_.remove_chunk(chunk);  // which the caller gives back
    throw;
  }
}

HeapChunk* Coalescing::give_back(Block& block, std::uint64_t stamp) noexcept {
  Block* merged = heap_.give_back(block, stamp);
  return is_whole_chunk(*merged) ? merged->chunk : nullptr;
}

HeapChunk* Coalescing::largest_free_chunk() const noexcept {
  const Block* block = heap_.largest_whole();
  return block != nullptr ? block->chunk : nullptr;
}

HeapChunk* Coalescing::next_smaller_chunk(const HeapChunk* chunk) const noexcept {
  const FreeIndex& whole = heap_.whole_chunks();
  const Block* block = chunk != nullptr ? whole.next_downwards(*chunk->first) : whole.first_downwards();
  return block != nullptr ? block->chunk : nullptr;
}

HeapChunk* Coalescing::next_free_chunk() const noexcept {
  const Block* block = heap_.whole_chunks().first();
  return block != nullptr ? block->chunk : nullptr;
}

}  // namespace clpool::core
