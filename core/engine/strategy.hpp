// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Strategy: how a pool finds memory in the chunks that it has, and how large a chunk it asks for next.
// Bookkeeping only: the pool calls it with its mutex held and talks to the allocator itself.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/status.hpp"
#include "engine/block.hpp"
#include "engine/chunk_list.hpp"

namespace clpool::core {

/// What a strategy plans when it has nothing for a request.
struct Growth {
  std::uint64_t chunk_bytes = 0;  ///< size of the chunk to ask for, at least what the request needs; 0:
                                  ///< better take what there is
  std::vector<HeapChunk*>
      released;  ///< wholly free chunks, already forgotten by the strategy, to be given back first
};

/// What the pool tells a strategy that plans.
struct GrowthLimits {
  std::uint64_t max_chunk_bytes = 0;       ///< largest chunk that the allocator makes; 0 = unknown
  std::uint64_t room = UINT64_MAX;         ///< bytes that the pool may still take
  std::uint64_t peak_managed_bytes = 0;    ///< the most that it ever had
  double calls_left = 0;                   ///< driver calls to spare, see CallBudget
  std::uint64_t most_blocks = UINT64_MAX;  ///< of a chunk that gets more for want of other memory
  bool is_patient = false;                 ///< rather nothing than what a larger request may need
};

class Strategy {
 public:
  /// Whether a wholly free chunk may be given back now without waiting for a device.
  using IsIdle = std::function<bool(const HeapChunk&)>;

  virtual ~Strategy() = default;

  /// Bytes that a block for `size` bytes has; 0 if that overflows.
  virtual std::uint64_t rounded(std::uint64_t size) const noexcept = 0;

  /// The free block that would serve a request, or null. `rounded` is rounded(size).
  virtual Block* find(std::uint64_t rounded) const noexcept = 0;

  /// Hands out a block at one end of the one that find() found. Throws std::bad_alloc, changing nothing.
  virtual Block* take(Block& found, std::uint64_t rounded) = 0;

  /// find() and take() when there is nothing else: looks everywhere and accepts any larger block.
  virtual Block* take_any(std::uint64_t size) = 0;

  /// find(), or null where the pool had better grow.
  virtual Block* choose(std::uint64_t rounded, const GrowthLimits& limits) const noexcept = 0;

  /// Hands out a block at `offset` of the chunk, in a free block that is large enough; null if that is no
  /// good place for it. Throws std::bad_alloc, changing nothing.
  virtual Block* take_at(Block& hole, std::uint64_t offset, std::uint64_t rounded,
                         const GrowthLimits& limits) = 0;

  /// Whether plan_growth() may give free chunks back: whether it matters which of them are idle.
  virtual bool exchanges_chunks() const noexcept = 0;

  /// Plans the next chunk for a request, taking out of the books what is to be given back.
  virtual Growth plan_growth(std::uint64_t rounded, const GrowthLimits& limits, const IsIdle& idle) = 0;

  /// Enters a new chunk and hands out a block of `rounded` bytes at one end (all of it if it is smaller).
  /// Throws std::bad_alloc, changing nothing.
  virtual Block* add_chunk(HeapChunk& chunk, std::uint64_t rounded) = 0;

  /// Takes a block back. `stamp` becomes its chunk's last_release. Returns the wholly free chunk that
  /// resulted, or null if part of its chunk is still handed out.
  virtual HeapChunk* give_back(Block& block, std::uint64_t stamp) noexcept = 0;

  /// Forgets a wholly free chunk, which is to be given back.
  virtual void remove_chunk(HeapChunk& chunk) noexcept = 0;

  /// First wholly free chunk in the order in which free_held() gives them back as long as none has to stay; null if there is none.
  virtual HeapChunk* next_free_chunk() const noexcept = 0;

  /// Walks all wholly free chunks, those of larger size classes first: the one after `chunk`, the first for
  /// null, null at the end. `chunk` may be forgotten once its successor is known.
  virtual HeapChunk* next_smaller_chunk(const HeapChunk* chunk) const noexcept = 0;

  /// All chunks; the same object as long as the strategy lives.
  virtual const ChunkList& chunks() const noexcept = 0;
  std::uint64_t managed_bytes() const noexcept { return chunks().bytes; }

  virtual std::uint64_t free_bytes() const noexcept = 0;
  virtual std::uint64_t held_blocks() const noexcept = 0;
  virtual std::uint64_t largest_free() const noexcept = 0;

  /// As Heap::check().
  virtual const char* check() const noexcept = 0;
};

}  // namespace clpool::core
