// Uses of a block on queues that the pool does not see by itself: while the block is handed out (Pool::Uses)
// and after its release, until they are complete (Pool::PendingUse).
#pragma once

#include <vector>

#include "cl/handle.hpp"
#include "pool/pool.hpp"

namespace clpool::core {

struct Pool::Uses {
  std::vector<cl::Event> events;  ///< given by the user
  std::vector<cl::Queue> queues;  ///< a marker on each is made at the release
  cl::Queue bound;                ///< the queue that the user bound the block to; among `queues` in effect
};

struct Pool::PendingUse {
  PoolBlock* block = nullptr;
  std::vector<cl::Event> events;
};

}  // namespace clpool::core
