// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Storage of block descriptors. With the mutex held of the pool whose store it is, and within it one of the process's
// for a moment.
#include "pool/blocks/block_store.hpp"

#include <mutex>

#include "base/fifo.hpp"
#include "base/process.hpp"

namespace clpool::core {
namespace {

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

Block* BlockStore::make() {
  PoolBlock& block = store_.take();
  static_cast<Block&>(block) = Block{};
  return &block;
}

void BlockStore::recycle(Block* block) noexcept {
  PoolBlock& recycled = pool_block(*block);
  recycled.state = MemState::released;
  store_.give_back(recycled);
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
