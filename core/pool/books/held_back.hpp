// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// HeldBack: blocks that are held back until uses have ended. Changed with the pool's mutex held.
#pragma once

#include <cstdint>

#include "base/fifo.hpp"
#include "pool/pool_block.hpp"

namespace clpool::core {

/// In the order of their stamps (stamp_of()), but for blocks that waited for events first.
struct HeldBack : Fifo<PoolBlock, Mem> {
  std::uint64_t open_blocks = 0;  ///< released since the last look at the open epoch
  std::uint64_t open_bytes = 0;
};

}  // namespace clpool::core
