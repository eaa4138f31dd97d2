// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// HeldBack: blocks that are held back until uses have ended.
#pragma once

#include <cstdint>

#include "base/fifo.hpp"
#include "pool/pool_block.hpp"

namespace clpool::core {

/// A list in the order of the stamps (stamp_of()), but for blocks that waited for events first. Of each stretch of one stamp the
/// last block is its end; Block::attachment of an end leads to the next one, so that a place is found without a look at all blocks.
/// Changed with the pool's mutex held.
class HeldBack : private Fifo<PoolBlock, Mem> {
 public:
  using Fifo::count;
  using Fifo::empty;
  using Fifo::first;
  using Fifo::last;

  std::uint64_t open_blocks = 0;  ///< released since the last look at the open epoch
  std::uint64_t open_bytes = 0;

  /// As the last one.
  void add(PoolBlock& block) noexcept { insert_behind({former_end_, last_end()}, block); }
  /// Blocks in the order of their stamps, between the others by stamp.
  void add_in_order(Fifo<PoolBlock, Mem>& blocks) noexcept;
  /// The first one, or null.
  PoolBlock* take() noexcept;
  /// Takes out what stands behind `previous`, or first where that is null.
  void remove(PoolBlock& block, Mem* previous) noexcept;

 private:
  /// An end, and the one before it; null where there is none.
  struct Place {
    PoolBlock* before = nullptr;
    PoolBlock* end = nullptr;
  };
  static PoolBlock* next_end(const PoolBlock& end) noexcept {
    return static_cast<PoolBlock*>(end.attachment);
  }
  PoolBlock* last_end() const noexcept { return static_cast<PoolBlock*>(last); }
  bool is_end(const PoolBlock& block) const noexcept { return block.attachment != nullptr || &block == last; }
  PoolBlock* end_behind(const PoolBlock* end) const noexcept {
    return end != nullptr ? next_end(*end) : first_end_;
  }
  /// Has `next` stand behind `end` among the ends.
  void set_end_behind(PoolBlock* end, PoolBlock* next) noexcept;
  /// The end before `end`; looks at all up to that.
  PoolBlock* end_before(const PoolBlock* end) const noexcept;
  /// Puts it behind an end, whose stretch it is of if it has its stamp; returns where it is.
  Place insert_behind(Place place, PoolBlock& block) noexcept;

  PoolBlock* first_end_ = nullptr;
  PoolBlock* former_end_ = nullptr;  ///< the last but one
};

}  // namespace clpool::core
