// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// PoolBlock and PoolChunk: what a pool keeps about a block and a chunk. Their members are read and written with the pool's
// mutex held, or by whoever alone has the block; marks, tags and counts of references, which are atomic, either way.
#pragma once

#include <atomic>
#include <memory>

#include "base/chunk.hpp"
#include "base/mem.hpp"
#include "engine/block.hpp"
#include "pool/blocks/parts.hpp"

namespace clpool::core {

/// The handle that a program holds (Mem) and the engine's view of the same memory (Block), each one cache
/// line. A hit touches the first only. Aligned as a pair, since processors fetch lines in pairs where they come
/// from beyond the second cache (Intel's Optimization Reference Manual, "Data Prefetching": spatial prefetcher).
struct alignas(128) PoolBlock : Mem, Block {};
static_assert(sizeof(PoolBlock) == 128);

// What Block::bin and Block::tag say of a block that is not free: while it is handed out or in a cache, bin is 0, and
// tag the mark of the user's, also where it waits in a cache (MemState::waiting); while it is held back (for queues, for events, or on
// its way through a guard), bin is Account's number, and tag the stamp of its release, which may be all that is left of what it was: see HeldBack. Block::account is whose Account it was handed out to last.

/// Pictures of a pool tell by it what is held back from what is cached.
inline bool is_held_back(const Block& block) noexcept {
  return block.bin != 0;
}
inline void set_stamp(PoolBlock& block, std::uint64_t stamp) noexcept {
  block.tag = stamp;
}
/// Of a block that is held back.
inline std::uint64_t stamp_of(const PoolBlock& block) noexcept {
  return block.tag;
}
/// Not held back, without a mark of the user's or anything that the pool keeps about its use.
inline void clear_use(PoolBlock& block) noexcept {
  block.tag = 0;
  block.attachment = nullptr;
  block.bin = 0;
}

/// The handle of a block that has one of its own; null for a whole chunk. Not in guarded pools, where its place is the mark's of
/// released memory.
inline Part* part_of(const PoolBlock& block) noexcept {
  return static_cast<Part*>(block.part);
}

/// A chunk with what the allocator gave for it.
struct PoolChunk : HeapChunk {
  Chunk memory;
  Parts parts;
  std::uint64_t last_used_ns = 0;  ///< when a block of it was last given back; kept only if the pool decays
  /// The epoch of the pool's own queues after which commands on any queue come after what made the chunk.
  std::uint64_t ready_epoch = 0;
  /// The cl::Event of what made it, unless the order of the pool's own queues tells all there is to know: where commands
  /// overtake each other, drivers (PoCL) end markers with any command that fails. Dropped without the mutex, which needs
  /// the driver.
  std::shared_ptr<const void> made;
  bool unknown_uses = false;  ///< some block of it may be in use by commands that nobody told of
  std::atomic<bool> pattern_is_lost{false};  ///< guarded: its free memory may hold anything
};

inline PoolBlock& pool_block(Mem& mem) noexcept {
  return static_cast<PoolBlock&>(mem);
}
inline const PoolBlock& pool_block(const Mem& mem) noexcept {
  return static_cast<const PoolBlock&>(mem);
}
inline PoolBlock& pool_block(Block& block) noexcept {
  return static_cast<PoolBlock&>(block);
}
inline PoolChunk& pool_chunk(HeapChunk& chunk) noexcept {
  return static_cast<PoolChunk&>(chunk);
}

}  // namespace clpool::core
