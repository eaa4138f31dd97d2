// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Heap: the coalescing engine. It cuts chunks into blocks, hands blocks out and merges what comes back, and
// knows nothing but numbers: no OpenCL, no clock, no lock. Every operation is O(1) in the number of blocks
// and chunks unless it says otherwise. Chunks that are wholly free are kept apart from the free parts of
// other chunks and are taken last, so that they stay whole and can be given back.
#pragma once

#include <cstdint>

#include "engine/block.hpp"
#include "engine/chunk_list.hpp"
#include "engine/free_index.hpp"

namespace clpool::core {

class Heap {
 public:
  /// `granule`: bytes, a power of two; blocks start at multiples of it and have multiples of it as their
  /// size, except the last of a chunk whose own size is odd. `source` must outlive the heap.
  Heap(std::uint64_t granule, BlockSource& source);
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  std::uint64_t granule() const noexcept { return granule_; }

  /// Bytes that a block for a request of `size` bytes has; 0 if rounding up would overflow.
  std::uint64_t rounded(std::uint64_t size) const noexcept {
    return size == 0 ? granule_ : (size + (granule_ - 1)) & ~(granule_ - 1);
  }

  /// The free block that would serve `size` bytes: best fit among parts of chunks, else among whole chunks.
  Block* find(std::uint64_t size, bool exhaustive = false) const noexcept;

  /// Takes `size` bytes of a free block, from `skipped` bytes after its start on, and keeps the rest
  /// free. Throws std::bad_alloc, changing nothing, if there is no descriptor for the rest.
  Block* take(Block& block, std::uint64_t size, std::uint64_t skipped = 0);

  /// Takes a block back and merges it with free neighbours. `stamp` is kept as its chunk's last_release.
  /// Returns the free block that it is now part of.
  Block* give_back(Block& block, std::uint64_t stamp) noexcept;

  /// Adds a chunk of `chunk.size` bytes as one free block, which is returned. Throws std::bad_alloc, changing
  /// nothing.
  Block* add_chunk(HeapChunk& chunk);

  /// Forgets a wholly free chunk.
  void remove_chunk(HeapChunk& chunk) noexcept;

  /// Wholly free chunks, and free parts of others.
  const FreeIndex& whole_chunks() const noexcept { return whole_; }
  const FreeIndex& free_parts() const noexcept { return parts_; }

  const ChunkList& chunks() const noexcept { return chunks_; }
  std::uint64_t managed_bytes() const noexcept { return chunks_.bytes; }
  std::uint64_t free_bytes() const noexcept { return free_bytes_; }
  /// Free blocks of which some part was handed out before.
  std::uint64_t used_free_blocks() const noexcept { return used_free_blocks_; }
  /// Bytes of the largest free block; of one that is smaller by less than 1/64, where more than most_looks_at_largest
  /// blocks differ by less.
  std::uint64_t largest_free() const noexcept;

  /// Recounts everything and checks every link; a text of what is wrong, or null. Linear; for tests.
  const char* check() const noexcept;

 private:
  FreeIndex& index_of(const Block& block) noexcept { return is_whole_chunk(block) ? whole_ : parts_; }
  /// Cuts a block in two; the second part, which is not marked.
  static Block& split(Block& block, Block& rest, std::uint64_t size) noexcept;
  /// Makes a block and its free right neighbour one, which is not marked.
  void merge_with_right(Block& block) noexcept;
  void mark_free(Block& block) noexcept;
  void unmark_free(Block& block) noexcept;

  std::uint64_t granule_;
  BlockSource& source_;
  ChunkList chunks_;
  std::uint64_t free_bytes_ = 0;
  std::uint64_t used_free_blocks_ = 0;
  FreeIndex parts_;  // both last, as they are large and what is before them is what each request uses
  FreeIndex whole_;
};

}  // namespace clpool::core
