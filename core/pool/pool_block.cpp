// Storage of block descriptors.
#include "pool/pool_block.hpp"

#include <mutex>

#include "base/process.hpp"

namespace clpool::core {
namespace {

constexpr int blocks_per_page = 32;

// Blocks of pools that ended. Never destroyed, so that nothing runs at process exit.
constinit ForkMutex spare_mutex;
constinit Mem* spare_blocks = nullptr;

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
  block.next = nullptr;
  static_cast<Block&>(block) = Block{};
  return &block;
}

void BlockStore::recycle(Block* block) noexcept {
  PoolBlock& recycled = pool_block(*block);
  recycled.state = MemState::released;
  recycled.next = free_;
  free_ = &recycled;
}

}  // namespace clpool::core
