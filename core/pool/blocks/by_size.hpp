// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// BySize: the blocks of a list by their size, of each size in the order in which they came: a table of those sizes that there are.
// Blocks are linked by Block::attachment. Changed with the pool's mutex held.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "pool/blocks/pool_block.hpp"

namespace clpool::core {

class BySize {
 public:
  /// Behind all of its size. Where there is no host memory for one size more the block is not found by its size.
  void add(PoolBlock& block) noexcept {
    if (2 * (count_ + 1) > size_ && !grow()) {
      return;
    }
    Entry& entry = *place_of(block.capacity);
    block.attachment = nullptr;
    if (entry.first == nullptr) {
      entry.capacity = block.capacity;
      entry.first = &block;
      ++count_;
    } else {
      entry.last->attachment = &block;
    }
    entry.last = &block;
  }
  /// The first of just that size, or null.
  PoolBlock* first(std::uint64_t capacity) const noexcept {
    return size_ != 0 ? place_of(capacity)->first : nullptr;
  }
  /// Takes a block out that is the first of its size, or is not found.
  void remove(const PoolBlock& block) noexcept {
    if (first(block.capacity) != &block) {
      return;
    }
    Entry& entry = *place_of(block.capacity);
    entry.first = static_cast<PoolBlock*>(block.attachment);
    if (entry.first == nullptr) {
      erase(entry);
    }
  }
  /// Of the table: at least twice as many as there are sizes.
  std::size_t places() const noexcept { return size_; }
  /// … that a search for that size looks at: one, if all goes well.
  std::size_t looks_for(std::uint64_t capacity) const noexcept {
    return (static_cast<std::size_t>(place_of(capacity) - entries_.get()) - home_of(capacity)) % size_ + 1;
  }

 private:
  struct Entry {
    std::uint64_t capacity = 0;
    PoolBlock* first = nullptr;  ///< null: nothing is here
    PoolBlock* last = nullptr;
  };
  static constexpr std::size_t least_size = 16;

  std::size_t home_of(std::uint64_t capacity) const noexcept {
    // Twice, and the upper bits: by one product the multiples of some sizes lie together.
    const std::uint64_t once = capacity * 0x9E3779B97F4A7C15U;
    const std::uint64_t twice = (once ^ (once >> 29)) * 0xBF58476D1CE4E5B9U;
    return static_cast<std::size_t>(twice >> std::countl_zero(size_ - 1));
  }
  /// Where that size is, or would be: there is always a place with nothing.
  Entry* place_of(std::uint64_t capacity) const noexcept {
    std::size_t place = home_of(capacity);
    while (entries_[place].first != nullptr && entries_[place].capacity != capacity) {
      place = (place + 1) & (size_ - 1);
    }
    return &entries_[place];
  }
  bool grow() noexcept {
    const std::size_t size = size_ != 0 ? 2 * size_ : least_size;
    std::unique_ptr<Entry[]> larger(new (std::nothrow) Entry[size]);
    if (larger == nullptr) {
      return false;
    }
    const std::unique_ptr<Entry[]> former = std::exchange(entries_, std::move(larger));
    for (std::size_t i = 0, end = std::exchange(size_, size); i < end; ++i) {
      if (former[i].first != nullptr) {
        *place_of(former[i].capacity) = former[i];
      }
    }
    return true;
  }
  /// An entry with nothing: moves those up that are behind it only as there was something.
  void erase(const Entry& entry) noexcept {
    --count_;
    auto gap = static_cast<std::size_t>(&entry - entries_.get());
    for (std::size_t i = (gap + 1) & (size_ - 1); entries_[i].first != nullptr; i = (i + 1) & (size_ - 1)) {
      const std::size_t from_home = (i - home_of(entries_[i].capacity)) & (size_ - 1);
      if (from_home >= ((i - gap) & (size_ - 1))) {
        entries_[gap] = std::exchange(entries_[i], {});
        gap = i;
      }
    }
  }

  std::unique_ptr<Entry[]> entries_;
  std::size_t size_ = 0;   ///< 0, or a power of two
  std::size_t count_ = 0;  ///< of those with something
};

}  // namespace clpool::core
