// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What a program over a pool may do with its blocks (pool.h: clpool_pool_options.queues, clpool_mem_used_on()
// and what is beside it), as a model: which queues may use a block without a word, and which with one.
#pragma once

#include <cstdint>
#include <optional>
#include <set>

namespace clpool::fuzz {

/// Queues by their index.
using Queues = std::set<std::size_t>;

/// What the pool knows of its queues.
struct Custody {
  Queues own;                ///< the pool's queues
  Queues out_of_order;       ///< of all queues
  bool host_writes = false;  ///< the host writes to the memory without a command
  bool adopts = false;       ///< the first in-order queue of a command of the library becomes its own
  /// The program uses one in-order queue, 0, and says so to nobody, as programs over PyOpenCL's pools do;
  /// only where `own` is empty. Otherwise such programs declare every use.
  bool is_silent = false;

  bool is_in_order(std::size_t queue) const { return out_of_order.count(queue) == 0; }
  /// Blocks are reused at once, protected by the order of this queue.
  std::optional<std::size_t> home() const {
    const bool one = own.size() == 1 && is_in_order(*own.begin()) && !host_writes;
    return one ? std::optional<std::size_t>(*own.begin()) : std::nullopt;
  }
  void used_by_library(std::size_t queue) {
    if (adopts && own.empty() && is_in_order(queue)) {
      own.insert(queue);
    }
  }
};

/// What was said about one block.
struct Claims {
  Queues queues;                     ///< declared
  std::optional<std::size_t> bound;  ///< the one that it is bound to
  bool only_these = false;           ///< allocated for a queue

  /// Commands on this queue may use the block.
  bool allow(const Custody& custody, std::size_t queue) const {
    if (queues.count(queue) != 0 || bound == queue) {
      return true;
    }
    if (only_these) {
      return false;
    }
    return custody.own.empty() ? custody.is_silent && queue == 0 : custody.own.count(queue) != 0;
  }
  /// Commands on this queue may use the block once that is declared: what used the memory before is through,
  /// or the library makes the queue wait for it.
  static bool may_be_declared(const Custody& custody, std::size_t queue) {
    return !custody.own.empty() || !custody.is_silent || queue == 0;
  }
};

}  // namespace clpool::fuzz
