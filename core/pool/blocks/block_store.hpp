// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// BlockStore: the storage of block descriptors. With the mutex held of the pool whose store it is.
#pragma once

#include "engine/block.hpp"
#include "pool/blocks/pool_block.hpp"
#include "pool/blocks/store.hpp"

namespace clpool::core {

/// A pool's PoolBlocks. One store is used by one thread at a time.
class BlockStore final : public BlockSource {
 public:
  Block* make() override;
  void recycle(Block* block) noexcept override;

  /// Puts another descriptor in the place of one that is handed out, which then rests: no pool uses it until
  /// thousands of others have rested too. The same one where there is no host memory.
  PoolBlock& replace(PoolBlock& block) noexcept;

 private:
  Store<PoolBlock> store_;
};

}  // namespace clpool::core
