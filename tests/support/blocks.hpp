// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// For tests of the engine: descriptors that are counted, and gone after a number of them if a test wants that; a request.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <new>
#include <vector>

#include "engine/block.hpp"
#include "engine/strategy.hpp"

namespace clpool::test {

using namespace core;

class CountedBlocks final : public BlockSource {
 public:
  std::uint64_t most = UINT64_MAX;  ///< make() throws when this many are in use

  CountedBlocks() = default;
  CountedBlocks(const CountedBlocks&) = delete;
  CountedBlocks& operator=(const CountedBlocks&) = delete;

  Block* make() override {
    if (in_use_ >= most) {
      throw std::bad_alloc();
    }
    ++in_use_;
    if (unused_.empty()) {
      return &storage_.emplace_back();
    }
    Block* block = unused_.back();
    unused_.pop_back();
    *block = Block{};
    return block;
  }
  void recycle(Block* block) noexcept override {
    --in_use_;
    block->chunk = nullptr;
    unused_.push_back(block);
  }
  std::uint64_t in_use() const { return in_use_; }

 private:
  std::deque<Block> storage_;
  std::vector<Block*> unused_;
  std::uint64_t in_use_ = 0;
};

/// What a pool does with a request for `rounded` bytes.
inline Block* take(Strategy& strategy, std::uint64_t rounded) {
  Block* found = strategy.find(rounded);
  return found != nullptr ? strategy.take(*found, rounded) : nullptr;
}

}  // namespace clpool::test
