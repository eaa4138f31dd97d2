// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// ChunkList: all chunks of a strategy, in the order of their arrival, and how much they are.
#pragma once

#include <cstdint>

#include "engine/block.hpp"

namespace clpool::core {

struct ChunkList {
  HeapChunk* first = nullptr;
  HeapChunk* last = nullptr;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;

  void add(HeapChunk& chunk) noexcept {
    chunk.previous = last;
    chunk.next = nullptr;
    (last != nullptr ? last->next : first) = &chunk;
    last = &chunk;
    ++count;
    bytes += chunk.size;
  }
  void remove(HeapChunk& chunk) noexcept {
    (chunk.previous != nullptr ? chunk.previous->next : first) = chunk.next;
    (chunk.next != nullptr ? chunk.next->previous : last) = chunk.previous;
    --count;
    bytes -= chunk.size;
  }
};

}  // namespace clpool::core
