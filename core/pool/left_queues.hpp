// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// LeftQueues: one look at the queues of a living block that nobody but the pool has any more. They get no more commands, and are
// marked, once for all blocks; later looks find those that are through with what they have, and the block need not wait for these,
// nor keep them. So a block that lives long and is used on ever new queues has few of them.
//
// begin() and end() are called with the pool's mutex, end() however it went, and ask() without it, where this goes as well.
#pragma once

#include <CL/cl.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "cl/epochs.hpp"
#include "pool/queue_sets.hpp"
#include "pool/uses.hpp"

namespace clpool::core {

/// Queues of a pool that nobody else had when they were marked, each with the one epoch that was closed then: as long as some block
/// has them among Uses::left.
using MarkedQueues = std::vector<std::weak_ptr<cl::Epochs>>;

class LeftQueues {
 public:
  /// True if the block has so many queues that there is something to ask, and then to end. `sets`: all of the pool.
  bool begin(Uses& uses, const QueueSets& sets, MarkedQueues& marked);
  void ask() noexcept;
  /// Those that the block need not wait for.
  const std::vector<cl_command_queue>& gone() const noexcept { return gone_; }
  /// Tells when to look again.
  void end(Uses& uses, MarkedQueues& marked) noexcept;
  /// All sets that there were: users of each are one less after end(). As long as they stay nobody else gives up a queue of theirs.
  const std::vector<QueueSet*>& held() const noexcept { return held_; }

 private:
  struct Asked {
    cl_command_queue queue;
    cl_uint references;  ///< that the sets have on it
  };
  void mark(const Asked& asked);

  std::vector<QueueSet*> held_;
  std::vector<Asked> asked_;
  std::vector<std::shared_ptr<cl::Epochs>> left_;  ///< see Uses::left
  std::size_t marked_ = 0;                         ///< the last so many of them: just now
  std::vector<std::shared_ptr<cl::Epochs>> ended_;
  std::vector<cl_command_queue> gone_;
};

}  // namespace clpool::core
