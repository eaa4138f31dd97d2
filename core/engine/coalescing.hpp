// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Coalescing: the default strategy. Best fit with splitting and merging (Heap), and the rule by which the
// pool grows: a request is weighed by what it would pin, against the driver calls that are left (CallBudget),
// and memory that is wholly free is given back before more is taken. tests/benchmarks/results/memory.md has what was
// measured.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/heap.hpp"
#include "engine/strategy.hpp"

namespace clpool::core {

class Coalescing final : public Strategy {
 public:
  /// `min_chunk_bytes`: 0 for the default.
  Coalescing(std::uint64_t granule, std::uint64_t min_chunk_bytes, BlockSource& source);

  std::uint64_t rounded(std::uint64_t size) const noexcept override { return heap_.rounded(size); }
  Block* find(std::uint64_t rounded) const noexcept override { return heap_.find(rounded); }
  Block* take(Block& found, std::uint64_t rounded) override;
  Block* take_any(std::uint64_t size) override;
  Block* choose(std::uint64_t rounded, const GrowthLimits& limits) const noexcept override;
  Block* take_at(Block& hole, std::uint64_t offset, std::uint64_t rounded,
                 const GrowthLimits& limits) override;
  bool exchanges_chunks() const noexcept override { return true; }
  Growth plan_growth(std::uint64_t rounded, const GrowthLimits& limits, const IsIdle& idle) override;
  Block* add_chunk(HeapChunk& chunk, std::uint64_t rounded) override;
  HeapChunk* give_back(Block& block, std::uint64_t stamp) noexcept override;
  void remove_chunk(HeapChunk& chunk) noexcept override;
  HeapChunk* next_free_chunk() const noexcept override;
  HeapChunk* next_smaller_chunk(const HeapChunk* chunk) const noexcept override;
  const ChunkList& chunks() const noexcept override { return heap_.chunks(); }
  std::uint64_t free_bytes() const noexcept override { return heap_.free_bytes(); }
  std::uint64_t held_blocks() const noexcept override { return heap_.used_free_blocks(); }
  std::uint64_t largest_free() const noexcept override { return heap_.largest_free(); }
  const char* check() const noexcept override { return heap_.check(); }

 private:
  /// Bytes that a chunk may have free if a request is to be served from it: it is not for ever more small
  /// blocks.
  std::uint64_t most_shared(std::uint64_t rounded) const noexcept;
  /// What is left of a chunk that was begun of late. The search among all holes is bounded, and does not see it behind many that
  /// do not suit: each request would begin another chunk. Null if there is none.
  Block* find_in_begun(std::uint64_t rounded, const Sharing& sharing) const noexcept;
  /// Whether the pool would take more than it ever had, though much of it is free.
  bool is_much_free(std::uint64_t rounded, const GrowthLimits& limits) const noexcept;
  /// Bytes that a request may pin: what is little as long as so many calls are left of a pool that has so much.
  struct Pinned {
    double calls_left = 0;
    std::uint64_t managed_bytes = 0;
    std::uint64_t in_all = 0;    ///< of a chunk that is wholly free
    std::uint64_t beside = 0;    ///< beside blocks that are larger
    std::uint64_t at_least = 0;  ///< what is little while the budget is full
  };
  const Pinned& pinned(const GrowthLimits& limits) const noexcept {
    if (pinned_.calls_left != limits.calls_left || pinned_.managed_bytes != heap_.managed_bytes())
        [[unlikely]] {
      work_out_pinned(limits);
    }
    return pinned_;
  }
  void work_out_pinned(const GrowthLimits& limits) const noexcept;
  /// What the squares of the blocks of a chunk may be, on average, if a request is to go beside them.
  double most_beside(std::uint64_t rounded, const GrowthLimits& limits) const noexcept;
  /// Whether a request is worth that a wholly free chunk is no longer whole.
  bool may_cut_up(const Block& whole, std::uint64_t rounded, const GrowthLimits& limits) const noexcept;

  /// Bytes of a new chunk, but for what keeps the pool below its peak.
  std::uint64_t planned(std::uint64_t rounded, const GrowthLimits& limits) const noexcept;
  /// Whether a chunk stays that might go back for one of `wanted` bytes, which becomes less where the pool takes more than it ever
  /// had instead.
  bool is_spared(const HeapChunk& chunk, std::uint64_t rounded, std::uint64_t headroom,
                 const GrowthLimits& limits, std::uint64_t& wanted) noexcept;
  /// Notes that a chunk is planned, and says how much more than asked for it would have where no calls are left.
  std::uint64_t note_growth(std::uint64_t rounded, const GrowthLimits& limits) noexcept;

  mutable Pinned pinned_;  ///< as it was asked for last, as that changes seldom and takes long to work out
  Heap heap_;
  std::uint64_t min_chunk_bytes_;
  bool min_chunk_is_asked_for_;
  std::uint64_t beyond_peak_ = 0;  ///< bytes that it took beyond its peak to spare chunks
  /// Requests that the last chunks were planned for: enough to know some arrays that grow in turn.
  std::array<std::uint64_t, 8> grown_for_ = {};
  std::size_t last_grown_ = 0;  ///< the newest of these
  /// Chunks that were larger than the request that they were made for, of late: enough for some sizes in turn.
  std::array<HeapChunk*, 16> begun_ = {};
  std::size_t last_begun_ = 0;  ///< the newest of these
};

}  // namespace clpool::core
