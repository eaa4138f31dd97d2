// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// BlockStore: the storage of block descriptors. With the mutex held of the pool whose store it is, but for its end.
#pragma once

#include "engine/block.hpp"
#include "pool/blocks/pool_block.hpp"

namespace clpool::core {

/// Type-stable storage of PoolBlocks: pages that the process never gives up, of which a pool takes what it
/// needs and returns what it has when it ends. One store is used by one thread at a time.
class BlockStore final : public BlockSource {
 public:
  BlockStore() = default;
  BlockStore(const BlockStore&) = delete;
  BlockStore& operator=(const BlockStore&) = delete;
  ~BlockStore();

  Block* make() override;
  void recycle(Block* block) noexcept override;

  /// Puts another descriptor in the place of one that is handed out, which then rests: no pool uses it until
  /// thousands of others have rested too. The same one where there is no host memory.
  PoolBlock& replace(PoolBlock& block) noexcept;

 private:
  Mem* free_ = nullptr;
};

}  // namespace clpool::core
