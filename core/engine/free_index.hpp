// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// FreeIndex: free blocks by size. The fit is exact for sizes below 64 granules; of larger ones the search looks at a few blocks of a
// list for the smallest that is large enough.
#pragma once

#include <cstdint>

#include "engine/block.hpp"
#include "engine/size_index.hpp"

namespace clpool::core {

class FreeIndex : public SizeIndex<Block> {
 public:
  using SizeIndex::SizeIndex;

  /// A block of at least `size` bytes, among the smallest of those; null if none was found. The search is
  /// bounded and may miss a block that differs by less than 1/64, unless it is `exhaustive`.
  Block* find(std::uint64_t size, bool exhaustive = false) const noexcept {
    const std::uint32_t bin = list_of(size);
    if (Block* block = smallest(head(bin), size, most_looks); block != nullptr) {
      return block;
    }
    if (const std::uint32_t above = next_bin(bin + 1); above != none) {
      return smallest(head(above), size, most_looks);
    }
    return exhaustive ? smallest(head(bin), size, UINT32_MAX) : nullptr;
  }

  /// The same among parts of chunks that may be shared. The search looks at a few blocks of each list, so that many in one list
  /// that do not suit do not hide the others, and gives up after a few dozen.
  Block* find_in_used(std::uint64_t size, const Sharing& sharing) const noexcept {
    std::uint32_t left = most_looks_at_chunks;
    for (std::uint32_t bin = next_bin(list_of(size)); bin != none && left > 0; bin = next_bin(bin + 1)) {
      Block* best = nullptr;
      Block* block = head(bin);
      for (std::uint32_t looks = most_looks_of_list; block != nullptr && looks > 0 && left > 0;
           --looks, --left) {
        if (block->size >= size && (best == nullptr || block->size < best->size) &&
            may_share(*block->chunk, sharing)) {
          best = block;
          if (block->size == size) {
            return best;
          }
        }
        block = block->free_next;
      }
      if (best != nullptr) {
        return best;
      }
    }
    return nullptr;
  }

  /// The largest of the first `looks` blocks of the last list, than which none is larger by 1/64. Null if empty.
  Block* largest(std::uint32_t looks = most_looks) const noexcept {
    Block* block = first_downwards();
    Block* best = block;
    for (; block != nullptr && looks > 0; --looks) {
      best = block->size > best->size ? block : best;
      block = block->free_next;
    }
    return best;
  }

 private:
  static constexpr std::uint32_t most_looks = 8;
  static constexpr std::uint32_t most_looks_at_chunks = 64;
  static constexpr std::uint32_t most_looks_of_list = 16;

  static Block* smallest(Block* block, std::uint64_t size, std::uint32_t looks) noexcept {
    Block* best = nullptr;
    for (; block != nullptr && looks > 0; block = block->free_next, --looks) {
      if (block->size == size) {
        return block;
      }
      if (block->size > size && (best == nullptr || block->size < best->size)) {
        best = block;
      }
    }
    return best;
  }
};

}  // namespace clpool::core
