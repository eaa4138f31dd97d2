// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A coalescing strategy as a pool uses it, for its tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "engine/call_budget.hpp"
#include "engine/coalescing.hpp"
#include "support/blocks.hpp"

namespace clpool::core {

using test::CountedBlocks;
using test::take;

const Strategy::IsIdle all_idle = [](const HeapChunk&) { return true; };
const Strategy::IsIdle none_idle = [](const HeapChunk&) { return false; };

/// A strategy with a driver that always has memory, as a pool uses it.
struct Driven {
  explicit Driven(std::uint64_t min_chunk = 0) : strategy(256, min_chunk, blocks) {}

  Block* allocate(std::uint64_t size, const Strategy::IsIdle& idle = all_idle) {
    const std::uint64_t rounded = strategy.rounded(size);
    limits.calls_left = budget.left(++requests);
    Block* block = strategy.choose(rounded, limits);
    block = block != nullptr ? strategy.take(*block, rounded) : nullptr;
    if (block == nullptr) {
      const Growth growth = strategy.plan_growth(rounded, limits, idle);
      released += growth.released.size();
      block = growth.chunk_bytes != 0 ? take_new(growth.chunk_bytes, rounded) : take(strategy, rounded);
    }
    EXPECT_GE(block->size, size);
    live_bytes += block->size;
    peak_live = std::max(peak_live, live_bytes);
    return block;
  }
  Block* take_new(std::uint64_t bytes, std::uint64_t rounded) {
    EXPECT_GE(bytes, rounded);
    ++driver_calls;
    budget.spend(requests);
    HeapChunk& chunk = chunks.emplace_back();
    chunk.size = bytes;
    Block* const block = strategy.add_chunk(chunk, rounded);
    limits.peak_managed_bytes = std::max(limits.peak_managed_bytes, strategy.managed_bytes());
    return block;
  }
  void spend_all_calls(double and_more = 0) {
    while (budget.left(requests) > -1 - and_more) {
      budget.spend(requests);
    }
  }
  void release(Block* block) {
    live_bytes -= block->size;
    strategy.give_back(*block, 0);
  }

  CountedBlocks blocks;
  Coalescing strategy;
  GrowthLimits limits;
  CallBudget budget;
  std::uint64_t requests = 0;
  std::uint64_t driver_calls = 0;
  std::deque<HeapChunk> chunks;
  std::uint64_t released = 0;
  std::uint64_t live_bytes = 0;
  std::uint64_t peak_live = 0;
};

}  // namespace clpool::core
