// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Binned: PyOpenCL's and PyCUDA's strategy, bit for bit: whole chunks, kept in bins by their leading bits,
// last in first out.
#pragma once

#include <map>

#include "engine/bins.hpp"
#include "engine/chunk_list.hpp"
#include "engine/strategy.hpp"

namespace clpool::core {

class Binned final : public Strategy {
 public:
  /// `leading_bits` <= max_leading_bits.
  Binned(std::uint32_t leading_bits, BlockSource& source) : bits_(leading_bits), source_(source) {}

  std::uint64_t rounded(std::uint64_t size) const noexcept override {
    return bin_alloc_size(bin_number(size, bits_), bits_);
  }
  Block* find(std::uint64_t rounded) const noexcept override;
  Block* take(Block& found, std::uint64_t rounded) override;
  Block* take_any(std::uint64_t size) override;
  Block* choose(std::uint64_t rounded, const GrowthLimits&) const noexcept override { return find(rounded); }
  Block* take_at(Block&, std::uint64_t, std::uint64_t, const GrowthLimits&) override { return nullptr; }
  bool exchanges_chunks() const noexcept override { return false; }
  Growth plan_growth(std::uint64_t rounded, const GrowthLimits& limits, const IsIdle& idle) override;
  Block* add_chunk(HeapChunk& chunk, std::uint64_t rounded) override;
  HeapChunk* give_back(Block& block, std::uint64_t stamp) noexcept override;
  void remove_chunk(HeapChunk& chunk) noexcept override;
  HeapChunk* next_free_chunk() const noexcept override;
  HeapChunk* next_smaller_chunk(const HeapChunk* chunk) const noexcept override;
  const ChunkList& chunks() const noexcept override { return chunks_; }
  std::uint64_t free_bytes() const noexcept override { return free_bytes_; }
  std::uint64_t held_blocks() const noexcept override { return free_blocks_; }
  std::uint64_t largest_free() const noexcept override;
  const char* check() const noexcept override;

 private:
  /// The bin in which a block of `size` bytes can serve every request: its own, or the one below if the block
  /// is smaller than its bin's blocks are (a chunk of the exact size). `size` > 0: those of bin 0 have one byte.
  std::uint64_t bin_for_block(std::uint64_t size) const noexcept;
  /// The bin's list; made in add_chunk(), so that give_back() never has to allocate.
  void push(Block& block) noexcept;
  Block* unlink(Block& block) noexcept;

  std::uint32_t bits_;
  BlockSource& source_;
  std::map<std::uint64_t, Block*> bins_;  ///< heads of the lists; empty ones stay
  ChunkList chunks_;
  std::uint64_t free_bytes_ = 0;
  std::uint64_t free_blocks_ = 0;
};

}  // namespace clpool::core
