// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The coalescing strategy's rule of growth.
#include "engine/coalescing.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include "engine/call_budget.hpp"

namespace clpool::core {
namespace {

/// Least size of a chunk that many small blocks share, in all and as a multiple of the block that it is taken
/// for: a chunk of many small blocks has many handles, and drivers walk through them (see
/// Parts::most_unused).
constexpr std::uint64_t default_min_chunk_bytes = std::uint64_t{512} * 1024;
constexpr std::uint64_t most_blocks_a_chunk = 256;

/// A whole chunk of at most so many times the request serves it in any case.
constexpr std::uint64_t tolerated = 2;

/// What is little beside what the pool has, in parts of it: so much while the budget of driver calls is full,
/// and more with each call that is spent, twice as much with fourteen; for the size of new chunks no more than a certain
/// part.
constexpr double least_little = 0.004;
constexpr double one_call_more = 1.0507566386532194;  // the fourteenth root of 2
constexpr double largest_growth = 0.03;

/// A request does not go beside blocks that are, as their root mean square, larger than so many times its size, and than this
/// part of what the pool has: when these have gone, it may stay, and would pin what they leave.
constexpr std::uint64_t most_times_smaller = 16;
constexpr double largest_pinned = 0.01;

/// … unless a limit leaves less room than one part in so many of it: there it takes what holes there are.
constexpr std::uint64_t least_room = 32;

/// Before the pool takes more than it ever had, while more than this part of it is free, a request goes into a hole of any chunk that
/// has no more free than a large chunk for small blocks, but not beside larger blocks: chunks that were to drain have not. One
/// that has more free would be missed by the next large request.
constexpr double much_free = 0.35;

/// … looking at so many chunks at most that would go back.
constexpr int most_given_back = 64;

/// Without room for a chunk of its own a request may cut up one that is wholly free where so many more would do.
constexpr int least_spare = 3;

/// A request of more than one part in so many of what the pool has goes where it fits best, even if a handle
/// of its shape is alive elsewhere.
constexpr std::uint64_t large_request = 100;

/// A chunk that requests are to share takes at most one part in so many of the room that a limit leaves.
constexpr std::uint64_t least_shares = 16;

/// When no calls are left, a chunk for a request that is larger than that gets so much head-room, in parts of
/// the request: the next that is a little larger finds room in it. Not where requests of one size follow. In parts of what
/// the pool has it is less; where sizes creep up, twice as much for every few calls that are overdrawn.
constexpr double most_headroom = 0.125;
constexpr double headroom_of_all = 0.003;
constexpr double calls_a_doubling_of_headroom = 12;
constexpr double most_headroom_of_all = 0.04;

/// … unless a limit leaves less room than one part in so many of it.
constexpr std::uint64_t least_room_for_headroom = 4;

std::uint64_t share(double part, std::uint64_t bytes) noexcept {
  return static_cast<std::uint64_t>(part * static_cast<double>(bytes));
}

/// Part of what the pool has that is little, as long as so many driver calls are left: in a table, as each request asks.
constexpr std::array<double, 114> little_by_spent = [] {
  std::array<double, 114> parts{};
  double part = least_little;
  for (double& entry : parts) {
    entry = std::min(part, 1.0);
    part *= one_call_more;
  }
  return parts;
}();
static_assert(little_by_spent.back() == 1.0);

double little(double calls_left) noexcept {
  const double spent = CallBudget::most - calls_left;
  const auto whole = static_cast<std::size_t>(spent);
  if (whole + 1 >= little_by_spent.size()) {
    return 1;
  }
  const double before = little_by_spent[whole];
  return before + (little_by_spent[whole + 1] - before) * (spent - static_cast<double>(whole));
}

/// A chunk does not go back for one of less than one part in so many of it: it would be missed.
bool may_be_exchanged(std::uint64_t chunk, std::uint64_t wanted) noexcept {
  constexpr std::uint64_t least = 64;
  return chunk / least <= wanted;
}

/// Nor does one of at least so many times as much as will do: the pool rather takes a little more than it ever had, of all that it
/// has so much together. In a program that comes to the same requests again and again the two would change places each time.
constexpr std::uint64_t much_larger = 24;
constexpr double most_beyond_peak = 0.01;

std::uint64_t times(std::uint64_t bytes, std::uint64_t factor) noexcept {
  return bytes > UINT64_MAX / factor ? UINT64_MAX : bytes * factor;
}

}  // namespace

Coalescing::Coalescing(std::uint64_t granule, std::uint64_t min_chunk_bytes, BlockSource& source)
    : heap_(granule, source),
      min_chunk_bytes_(heap_.rounded(min_chunk_bytes != 0 ? min_chunk_bytes : default_min_chunk_bytes)),
      min_chunk_is_asked_for_(min_chunk_bytes != 0) {}

Block* Coalescing::take(Block& found, std::uint64_t rounded) {
  // A request near the device's limit may come with its exact size: the block then is the end of its
  // chunk.
  const std::uint64_t size = std::min(heap_.rounded(rounded), found.size);
  // Where small blocks keep to one end of a chunk and large ones to the other, what is left lies together.
  const bool is_small = size <= found.chunk->size / 2;
  const bool ends_evenly = (found.size & (heap_.granule() - 1)) == 0;
  return heap_.take(found, size, is_small && ends_evenly ? found.size - size : 0);
}

Block* Coalescing::take_any(std::uint64_t size) {
  Block* block = heap_.find(heap_.rounded(size), true);
  // The odd end of a chunk may hold the exact size though not the rounded one.
  block = block != nullptr ? block : heap_.find(size, true);
  return block != nullptr ? take(*block, size) : nullptr;
}

std::uint64_t Coalescing::most_shared(std::uint64_t rounded) const noexcept {
  const std::uint64_t most = times(rounded, most_blocks_a_chunk);
  return min_chunk_is_asked_for_ ? std::max(most, min_chunk_bytes_) : most;
}

void Coalescing::work_out_pinned(const GrowthLimits& limits) const noexcept {
  const std::uint64_t managed = heap_.managed_bytes();
  const double part = little(limits.calls_left);
  const auto bytes = [&](double most) {
    return std::max(share(std::min(most, part), managed), min_chunk_bytes_);
  };
  pinned_ = {limits.calls_left, managed, bytes(1), bytes(largest_pinned), bytes(least_little)};
}

Block* Coalescing::find_in_begun(std::uint64_t rounded, const Sharing& sharing) const noexcept {
  for (const HeapChunk* const chunk : begun_) {
    if (chunk != nullptr && chunk->first->free && !is_whole_chunk(*chunk->first) &&
        chunk->first->size >= rounded && may_share(*chunk, sharing)) {
      return chunk->first;  // as small blocks go to the end
    }
  }
  return nullptr;
}

double Coalescing::most_beside(std::uint64_t rounded, const GrowthLimits& limits) const noexcept {
  const bool may_be_choosy = limits.calls_left > -CallBudget::most &&
                             (limits.is_patient || limits.room > heap_.managed_bytes() / least_room);
  const std::uint64_t most = std::max(times(rounded, most_times_smaller), pinned(limits).beside);
  return may_be_choosy && most <= INT64_MAX ? square(most) : any_square;
}

bool Coalescing::may_cut_up(const Block& whole, std::uint64_t rounded,
                            const GrowthLimits& limits) const noexcept {
  return whole.size <= std::max(times(rounded, tolerated), rounded + pinned(limits).in_all);
}

bool Coalescing::is_much_free(std::uint64_t rounded, const GrowthLimits& limits) const noexcept {
  if (limits.is_patient || heap_.free_bytes() <= share(much_free, heap_.managed_bytes())) {
    return false;
  }
  const std::uint64_t wanted = planned(rounded, limits);
  std::uint64_t staying = heap_.managed_bytes();
  const FreeIndex& whole = heap_.whole_chunks();
  int left = most_given_back;
  for (const Block* block = whole.first_downwards(); block != nullptr && left != 0; --left) {
    staying -= may_be_exchanged(block->size, wanted) ? block->size : 0;
    block = whole.next_downwards(*block);
  }
  return staying + rounded > limits.peak_managed_bytes;
}

Block* Coalescing::choose(std::uint64_t rounded, const GrowthLimits& limits) const noexcept {
  if (limits.room < rounded) {
    if (!limits.is_patient) {
      return heap_.find(rounded);
    }
    // Else the chunks of that size would lie idle, and what is larger would never drain.
    Block* const whole = heap_.whole_chunks().find(rounded);
    if (whole != nullptr && whole->size - rounded <= share(most_headroom, rounded)) {
      return whole;
    }
  }
  // However small a request is beside a chunk's free memory: where too many calls are overdrawn it takes what
  // there is.
  const Sharing sharing{
      .most_free = limits.calls_left > -CallBudget::most ? most_shared(rounded) : UINT64_MAX,
      .most_beside = most_beside(rounded, limits)};
  if (Block* part = heap_.free_parts().find_in_used(rounded, sharing); part != nullptr) {
    return part;
  }
  if (Block* part = find_in_begun(rounded, sharing); part != nullptr) {
    return part;
  }
  Block* whole = heap_.whole_chunks().find(rounded);
  if (whole != nullptr && whole->size <= sharing.most_free && may_cut_up(*whole, rounded, limits)) {
    return whole;
  }
  if (is_much_free(rounded, limits)) {
    const Sharing any{.most_free = share(largest_growth, heap_.managed_bytes()),
                      .most_beside = sharing.most_beside,
                      .most_blocks = limits.most_blocks};
    if (Block* part = heap_.free_parts().find_in_used(rounded, any); part != nullptr) {
      return part;
    }
  }
  if (limits.room >= rounded) {
    return nullptr;
  }
  // Without room for a chunk of its own what is little may go into any that is in use, and all into one of several.
  if (rounded <= pinned(limits).at_least) {
    if (Block* part = heap_.free_parts().find_in_used(rounded, {}); part != nullptr) {
      return part;
    }
  }
  const Block* other = whole;
  for (int left = least_spare; other != nullptr && left != 0; --left) {
    other = heap_.whole_chunks().next(*other);
  }
  return other != nullptr ? whole : nullptr;
}

Block* Coalescing::take_at(Block& hole, std::uint64_t offset, std::uint64_t rounded,
                           const GrowthLimits& limits) {
  if (rounded > heap_.managed_bytes() / large_request) {
    const Block* best = choose(rounded, limits);
    if (best == nullptr || hole.size > best->size) {
      return nullptr;
    }
  } else if (is_whole_chunk(hole) ? !may_cut_up(hole, rounded, limits)
                                  : !has_blocks_up_to(*hole.chunk, most_beside(rounded, limits))) {
    return nullptr;
  }
  return heap_.take(hole, rounded, offset - hole.offset);
}

std::uint64_t Coalescing::note_growth(std::uint64_t rounded, const GrowthLimits& limits) noexcept {
  const bool is_as_before = grown_for_[last_grown_] == rounded;
  const bool creeps = std::any_of(grown_for_.begin(), grown_for_.end(), [rounded](std::uint64_t before) {
    return before < rounded && rounded - before <= share(most_headroom, before);
  });
  last_grown_ = (last_grown_ + 1) % grown_for_.size();
  grown_for_[last_grown_] = rounded;
  if (is_as_before) {
    return 0;
  }
  const double more = std::exp2(-limits.calls_left / calls_a_doubling_of_headroom);
  const double part = std::min(headroom_of_all * more, creeps ? most_headroom_of_all : headroom_of_all);
  return std::min(share(most_headroom, rounded), share(part, heap_.managed_bytes()));
}

std::uint64_t Coalescing::planned(std::uint64_t rounded, const GrowthLimits& limits) const noexcept {
  const std::uint64_t portion =
      share(std::min(largest_growth, little(limits.calls_left)), heap_.managed_bytes());
  std::uint64_t shared = std::min(std::max(portion, min_chunk_bytes_), most_shared(rounded));
  if (!min_chunk_is_asked_for_) {
    shared = std::min(shared, limits.room / least_shares);
    shared += (rounded - shared % rounded) % rounded;  // equal blocks fill it
  }
  return std::max(rounded, shared);
}

bool Coalescing::is_spared(const HeapChunk& chunk, std::uint64_t rounded, std::uint64_t headroom,
                           const GrowthLimits& limits, std::uint64_t& wanted) noexcept {
  const std::uint64_t managed = heap_.managed_bytes();
  const std::uint64_t few = share(least_little, managed);
  const std::uint64_t least =
      min_chunk_is_asked_for_ ? wanted : std::max(rounded, std::min(wanted, few - few % rounded));
  if (chunk.size / much_larger < least) {
    return false;
  }
  if (headroom > rounded) {
    return true;  // a chunk of that
  }
  if (limits.room <= managed / least_room || beyond_peak_ + least > share(most_beyond_peak, managed)) {
    return false;
  }
  beyond_peak_ += least;
  wanted = least;
  return true;
}

Growth Coalescing::plan_growth(std::uint64_t rounded, const GrowthLimits& limits, const IsIdle& idle) {
  const std::uint64_t managed = heap_.managed_bytes();
  const std::uint64_t peak = std::max(limits.peak_managed_bytes, managed);
  std::uint64_t wanted = planned(rounded, limits);
  if (const std::uint64_t more = note_growth(rounded, limits);
      wanted == rounded && limits.calls_left < 0 && limits.room > managed / least_room_for_headroom) {
    wanted += more;
  }
  wanted &= ~(heap_.granule() - 1);

  Growth growth;
  // Beyond the peak so far: as many whole chunks go back as it takes to stay below it.
  std::uint64_t headroom = peak - managed;
  bool some_are_busy = false;
  while (wanted > headroom && !some_are_busy) {
    Block* block = heap_.whole_chunks().find(wanted - headroom);
    block = block != nullptr ? block : heap_.whole_chunks().largest();
    if (block == nullptr) {
      break;
    }
    HeapChunk& chunk = *block->chunk;
    if (!may_be_exchanged(chunk.size, wanted) || is_spared(chunk, rounded, headroom, limits, wanted)) {
      break;
    }
    some_are_busy = !idle(chunk);
    if (!some_are_busy) {
      // Room for all of them at once: nothing may throw once the first is forgotten, as it would be lost.
      growth.released.reserve(heap_.chunks().count + growth.released.size());
      growth.released.push_back(&chunk);
      headroom += chunk.size;
      remove_chunk(chunk);
    }
  }
  if (some_are_busy && growth.released.empty() && heap_.find(rounded) != nullptr) {
    return growth;
  }
  if (wanted > headroom && headroom > rounded) {
    wanted = min_chunk_is_asked_for_ ? std::max(headroom, min_chunk_bytes_) : headroom;
    wanted &= ~(heap_.granule() - 1);
  }
  const std::uint64_t most =
      std::min(limits.room, limits.max_chunk_bytes != 0 ? limits.max_chunk_bytes : UINT64_MAX);
  growth.chunk_bytes = std::max(rounded, std::min(wanted, most & ~(heap_.granule() - 1)));
  return growth;
}

Block* Coalescing::add_chunk(HeapChunk& chunk, std::uint64_t rounded) {
  Block* block = heap_.add_chunk(chunk);
  try {
    block = take(*block, rounded);
  } catch (const std::bad_alloc&) {
    heap_.remove_chunk(chunk);  // which the caller gives back
    throw;
  }
  if (block->size != chunk.size) {
    last_begun_ = (last_begun_ + 1) % begun_.size();
    begun_[last_begun_] = &chunk;
  }
  return block;
}

void Coalescing::remove_chunk(HeapChunk& chunk) noexcept {
  std::replace(begun_.begin(), begun_.end(), &chunk, static_cast<HeapChunk*>(nullptr));
  heap_.remove_chunk(chunk);
}

HeapChunk* Coalescing::give_back(Block& block, std::uint64_t stamp) noexcept {
  Block* merged = heap_.give_back(block, stamp);
  return is_whole_chunk(*merged) ? merged->chunk : nullptr;
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
