// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// FreeIndex: free blocks by size. Lists for sizes that differ by less than 1/64, found through two levels of
// bitmaps, so that insertion, removal and search take a bounded number of steps however many blocks there are
// (two-level segregated fit). Sizes below 64 granules have lists of their own, which makes the fit exact for
// them; in the other lists the search looks at a few blocks for the smallest that is large enough.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "engine/block.hpp"

namespace clpool::core {

class FreeIndex {
 public:
  /// `granule_shift`: base-2 logarithm of the bytes of which all sizes but odd ends of chunks are multiples.
  explicit FreeIndex(unsigned granule_shift) : granule_shift_(granule_shift) {}

  void insert(Block& block) noexcept {
    const std::uint32_t bin = bin_of(block.size >> granule_shift_);
    Block*& head = heads_[bin];
    block.bin = bin;
    block.free_link = &head;
    block.free_next = head;
    link_to(head) = &block.free_next;
    head = &block;
    levels_ |= std::uint64_t{1} << (bin / 64);
    bins_[bin / 64] |= std::uint64_t{1} << (bin % 64);
  }

  void remove(Block& block) noexcept {
    Block** const link = block.free_link;
    *link = block.free_next;
    link_to(block.free_next) = link;
    const bool is_last = block.free_next == nullptr;
    const bool is_first = link == &heads_[block.bin];
    const auto is_empty = static_cast<std::uint64_t>(is_last) & static_cast<std::uint64_t>(is_first);
    std::uint64_t& bits = bins_[block.bin / 64];
    bits &= ~(is_empty << (block.bin % 64));
    levels_ &= ~(std::uint64_t{bits == 0 ? 1U : 0U} << (block.bin / 64));
  }

  /// A block of at least `size` bytes, among the smallest of those; null if none was found. The search is
  /// bounded and may miss a block that differs by less than 1/64, unless it is `exhaustive`.
  Block* find(std::uint64_t size, bool exhaustive = false) const noexcept {
    const std::uint32_t bin = bin_of(size >> granule_shift_);
    if (Block* block = smallest(heads_[bin], size, most_looks); block != nullptr) {
      return block;
    }
    if (const std::uint32_t above = next_bin(bin + 1); above != none) {
      return smallest(heads_[above], size, most_looks);
    }
    return exhaustive ? smallest(heads_[bin], size, UINT32_MAX) : nullptr;
  }

  /// The same among parts of chunks that may be shared. The search looks at a few blocks of each list, so that many in one list
  /// that do not suit do not hide the others, and gives up after a few dozen.
  Block* find_in_used(std::uint64_t size, const Sharing& sharing) const noexcept {
    std::uint32_t left = most_looks_at_chunks;
    for (std::uint32_t bin = next_bin(bin_of(size >> granule_shift_)); bin != none && left > 0;
         bin = next_bin(bin + 1)) {
      Block* best = nullptr;
      Block* block = heads_[bin];
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
    if (levels_ == 0) {
      return nullptr;
    }
    const auto level = static_cast<std::uint32_t>(63 - std::countl_zero(levels_));
    const auto bit = static_cast<std::uint32_t>(63 - std::countl_zero(bins_[level]));
    Block* block = heads_[level * 64 + bit];
    Block* best = block;
    for (; block != nullptr && looks > 0; --looks) {
      best = block->size > best->size ? block : best;
      block = block->free_next;
    }
    return best;
  }

  /// First block of a walk over all, by rising size class; null if empty. Go on with next().
  Block* first() const noexcept {
    const std::uint32_t bin = next_bin(0);
    return bin == none ? nullptr : heads_[bin];
  }
  Block* next(const Block& block) const noexcept {
    if (block.free_next != nullptr) {
      return block.free_next;
    }
    const std::uint32_t bin = next_bin(block.bin + 1);
    return bin == none ? nullptr : heads_[bin];
  }

  /// The same walk by falling size class.
  Block* first_downwards() const noexcept {
    const std::uint32_t bin = previous_bin(level_count * 64);
    return bin == none ? nullptr : heads_[bin];
  }
  Block* next_downwards(const Block& block) const noexcept {
    if (block.free_next != nullptr) {
      return block.free_next;
    }
    const std::uint32_t bin = previous_bin(block.bin);
    return bin == none ? nullptr : heads_[bin];
  }

 private:
  static constexpr std::uint32_t level_count = 48;
  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr std::uint32_t most_looks = 8;
  static constexpr std::uint32_t most_looks_at_chunks = 64;
  static constexpr std::uint32_t most_looks_of_list = 16;

  /// Exact below 64 granules, then 64 lists for each power of two; what is beyond 2^53 granules shares the
  /// last.
  static std::uint32_t bin_of(std::uint64_t granules) noexcept {
    // Without a branch, as in link_to().
    const auto shift = static_cast<std::uint32_t>(std::bit_width(granules | 64)) - 7;
    const std::uint32_t bin = shift * 64 + static_cast<std::uint32_t>(granules >> shift);
    return std::min(bin, level_count * 64 - 1);
  }

  /// First bin at or after `bin` that has blocks.
  std::uint32_t next_bin(std::uint32_t bin) const noexcept {
    if (bin >= level_count * 64) {
      return none;
    }
    std::uint32_t level = bin / 64;
    std::uint64_t bits = bins_[level] & (~std::uint64_t{0} << (bin % 64));
    if (bits == 0) {
      const std::uint64_t levels = levels_ & (~std::uint64_t{0} << level << 1);
      if (levels == 0) {
        return none;
      }
      level = static_cast<std::uint32_t>(std::countr_zero(levels));
      bits = bins_[level];
    }
    return level * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
  }

  /// Last bin before `bin` that has blocks.
  std::uint32_t previous_bin(std::uint32_t bin) const noexcept {
    if (bin == 0) {
      return none;
    }
    std::uint32_t level = (bin - 1) / 64;
    std::uint64_t bits = bins_[level] & (~std::uint64_t{0} >> (63 - (bin - 1) % 64));
    if (bits == 0) {
      const std::uint64_t levels = levels_ & ((std::uint64_t{1} << level) - 1);
      if (levels == 0) {
        return none;
      }
      level = static_cast<std::uint32_t>(63 - std::countl_zero(levels));
      bits = bins_[level];
    }
    return level * 64 + static_cast<std::uint32_t>(63 - std::countl_zero(bits));
  }

  /// Where a block keeps what leads to it; of no block, somewhere. Without a branch, of which no processor knows beforehand where
  /// it goes.
  Block**& link_to(Block* block) noexcept { return *(block != nullptr ? &block->free_link : &no_link_); }

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

  unsigned granule_shift_;
  Block** no_link_ = nullptr;
  std::uint64_t levels_ = 0;
  std::uint64_t bins_[level_count] = {};
  Block* heads_[level_count * 64] = {};
};

}  // namespace clpool::core
