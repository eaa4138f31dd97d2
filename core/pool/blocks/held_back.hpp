// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// HeldBack: blocks that are held back until uses have ended. Changed with the pool's mutex held.
#pragma once

#include <cstdint>

#include "base/fifo.hpp"
#include "pool/blocks/by_size.hpp"
#include "pool/blocks/pool_block.hpp"

namespace clpool::core {

/// In the order of their stamps (stamp_of()), but for blocks that waited for events first.
class HeldBack {
 public:
  std::uint64_t open_blocks = 0;  ///< released since the last look at the open epoch
  std::uint64_t open_bytes = 0;

  bool empty() const noexcept { return blocks_.empty(); }
  /// The oldest one, of one at least.
  const PoolBlock& oldest() const noexcept { return pool_block(*blocks_.first); }

  /// Said before any is added: blocks are to be found by their size.
  void find_by_size() noexcept { finds_by_size_ = true; }

  void add(PoolBlock& block) noexcept {
    if (finds_by_size_) {
      block.previous = blocks_.last;
      by_size_.add(block);
    }
    blocks_.add(block);
  }
  /// The oldest one; of one at least.
  PoolBlock& take() noexcept {
    PoolBlock& block = *blocks_.take();
    if (finds_by_size_) {
      by_size_.remove(block);
      link_back(nullptr, blocks_.first);
    }
    return block;
  }
  /// The oldest of just that capacity, or null.
  PoolBlock* take(std::uint64_t capacity) noexcept {
    PoolBlock* const block = by_size_.first(capacity);
    if (block != nullptr) {
      by_size_.remove(*block);
      blocks_.remove(*block, block->previous);
      link_back(block->previous, block->next);
    }
    return block;
  }
  bool has(std::uint64_t capacity) const noexcept { return by_size_.first(capacity) != nullptr; }

 private:
  static void link_back(Mem* before, Mem* behind) noexcept {
    if (behind != nullptr) {
      behind->previous = before;
    }
  }

  Fifo<PoolBlock, Mem> blocks_;
  BySize by_size_;
  bool finds_by_size_ = false;
};

}  // namespace clpool::core
