// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// HeldBack: blocks that are held back until uses have ended. Changed with the pool's mutex held.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/fifo.hpp"
#include "pool/pool_block.hpp"

namespace clpool::core {

/// In the order of their stamps (stamp_of()), but for blocks that waited for events first.
class HeldBack {
 public:
  std::uint64_t open_blocks = 0;  ///< released since the last look at the open epoch
  std::uint64_t open_bytes = 0;

  bool empty() const noexcept { return blocks_.empty(); }
  std::uint64_t count() const noexcept { return blocks_.count; }
  /// The oldest one, of one at least.
  const PoolBlock& oldest() const noexcept { return pool_block(*blocks_.first); }
  const PoolBlock& newest() const noexcept { return pool_block(*blocks_.last); }

  /// From now on blocks can be found by their size. Called before any is added; throws std::bad_alloc.
  void index_sizes() { sizes_ = std::make_unique<Sizes>(); }

  void add(PoolBlock& block) noexcept {
    if (sizes_ != nullptr) {
      block.previous = blocks_.last;
      alike(block.capacity).add(block);
    }
    blocks_.add(block);
  }
  /// The oldest one; of one at least.
  PoolBlock& take() noexcept {
    PoolBlock& block = *blocks_.take();
    if (sizes_ != nullptr) {
      alike(block.capacity).remove(block, nullptr);  // the oldest of these, too
      link_back(nullptr, blocks_.first);
    }
    return block;
  }
  /// One of just that capacity, the oldest of these; null if there is none, if it is hidden by many of other sizes, or where
  /// sizes are not indexed.
  PoolBlock* take(std::uint64_t capacity) noexcept {
    const Place place = find(capacity);
    if (place.block != nullptr) {
      alike(capacity).remove(*place.block, place.before);
      blocks_.remove(*place.block, place.block->previous);
      link_back(place.block->previous, place.block->next);
    }
    return place.block;
  }
  bool has(std::uint64_t capacity) const noexcept { return find(capacity).block != nullptr; }

 private:
  /// Blocks of one size, and of a few others by chance, in the order in which they came; linked by Block::attachment.
  struct Alike {
    PoolBlock* first = nullptr;
    PoolBlock* last = nullptr;

    static PoolBlock* behind(const PoolBlock& block) noexcept {
      return static_cast<PoolBlock*>(block.attachment);
    }
    void add(PoolBlock& block) noexcept {
      block.attachment = nullptr;
      if (last != nullptr) {
        last->attachment = &block;
      } else {
        first = &block;
      }
      last = &block;
    }
    void remove(const PoolBlock& block, PoolBlock* before) noexcept {
      if (before != nullptr) {
        before->attachment = block.attachment;
      } else {
        first = behind(block);
      }
      last = last == &block ? before : last;
    }
  };
  static constexpr unsigned list_bits = 8;
  using Sizes = std::array<Alike, std::size_t{1} << list_bits>;

  /// A block, and what is before it in its list of those alike.
  struct Place {
    PoolBlock* block = nullptr;
    PoolBlock* before = nullptr;
  };

  Alike& alike(std::uint64_t capacity) const noexcept {
    return (*sizes_)[(capacity * 0x9E3779B97F4A7C15U) >> (64 - list_bits)];
  }
  Place find(std::uint64_t capacity) const noexcept {
    constexpr int most_looks = 512;
    Place place;
    if (sizes_ != nullptr) {
      place.block = alike(capacity).first;
      for (int looks = 1; place.block != nullptr && place.block->capacity != capacity; ++looks) {
        place.before = place.block;
        place.block = looks < most_looks ? Alike::behind(*place.block) : nullptr;
      }
    }
    return place;
  }
  static void link_back(Mem* before, Mem* behind) noexcept {
    if (behind != nullptr) {
      behind->previous = before;
    }
  }

  Fifo<PoolBlock, Mem> blocks_;
  std::unique_ptr<Sizes> sizes_;  ///< or none
};

}  // namespace clpool::core
