// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Storage of block descriptors. make(), recycle() and replace(): with the mutex held of the pool whose store it is, and
// within it one of the process's for a moment; the store's end: without the pool's.
#include "pool/blocks/block_store.hpp"

#include <mutex>

#include "base/fifo.hpp"
#include "base/process.hpp"

namespace clpool::core {
namespace {

constexpr int blocks_per_page = 32;

// Blocks of pools that ended. Never destroyed, so that nothing runs at process exit.
constinit ForkMutex spare_mutex;
constinit Mem* spare_blocks = nullptr;

// Descriptors of blocks that were released to guarded pools, the oldest first.
constexpr std::uint64_t most_resting = 8192;
constinit ForkMutex resting_mutex;
constinit Fifo<Mem> resting;

/// Lets a descriptor rest; one that has rested enough, or null.
Mem* rest(Mem& mem) noexcept {
  const std::lock_guard lock(resting_mutex);
  resting.add(mem);
  return resting.count > most_resting ? resting.take() : nullptr;
}

}  // namespace

BlockStore::~BlockStore() {
  if (free_ == nullptr) {
    return;
  }
  Mem* last = free_;
  while (last->next != nullptr) {
    last = last->next;
  }
  const std::lock_guard lock(spare_mutex);
  last->next = spare_blocks;
  spare_blocks = free_;
}

Block* BlockStore::make() {
  if (free_ == nullptr) {
    const std::lock_guard lock(spare_mutex);
    for (int i = 0; i < blocks_per_page && spare_blocks != nullptr; ++i) {
      Mem* spare = spare_blocks;
      spare_blocks = spare->next;
      spare->next = free_;
      free_ = spare;
    }
  }
  if (free_ == nullptr) {
    auto* page = new PoolBlock[blocks_per_page];
    for (int i = blocks_per_page; i-- > 0;) {
      page[i].next = free_;
      free_ = &page[i];
    }
  }
  PoolBlock& block = pool_block(*free_);
  free_ = block.next;
  static_cast<Block&>(block) = Block{};
  return &block;
}

void BlockStore::recycle(Block* block) noexcept {
  PoolBlock& recycled = pool_block(*block);
  recycled.state = MemState::released;
  recycled.next = free_;
  free_ = &recycled;
}

PoolBlock& BlockStore::replace(PoolBlock& block) noexcept {
  Block* made = nullptr;
  try {
    made = make();
  } catch (const std::bad_alloc&) {
    return block;
  }
  *made = static_cast<Block&>(block);
  (made->left != nullptr ? made->left->right : made->chunk->first) = made;
  if (made->right != nullptr) {
    made->right->left = made;
  }
  if (Mem* rested = rest(block); rested != nullptr) {
    rested->pointer = nullptr;
    recycle(&pool_block(*rested));
  }
  return pool_block(*made);
}

}  // namespace clpool::core
