// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// SpaceHeap: the coalescing engine over number spaces that a caller owns, as clpool/heap.h offers it. Used by
// one thread at a time.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "base/status.hpp"
#include "engine/heap.hpp"

namespace clpool::core {

class SpaceHeap {
 public:
  /// A chunk that knows its number.
  struct Space : HeapChunk {
    std::uint64_t number = 0;
  };

  explicit SpaceHeap(std::uint64_t granule) : heap_(granule, ranges_) {}

  Status add_space(std::uint64_t size, std::uint64_t& number);
  Status remove_space(std::uint64_t number);
  Status allocate(std::uint64_t size, Block*& range);
  Status free(Block& range) noexcept;

  const Heap& heap() const noexcept { return heap_; }
  std::uint64_t active_ranges() const noexcept { return active_ranges_; }

 private:
  /// Range descriptors live as long as the heap, so that a second free() of one can be told.
  class Ranges final : public BlockSource {
   public:
    Block* make() override;
    void recycle(Block* block) noexcept override;

   private:
    std::deque<Block> storage_;
    Block* unused_ = nullptr;  ///< linked by free_next; their chunk is null
  };

  Ranges ranges_;
  Heap heap_;
  std::vector<std::unique_ptr<Space>> spaces_;  ///< by number; null once removed
  std::uint64_t active_ranges_ = 0;
};

}  // namespace clpool::core
