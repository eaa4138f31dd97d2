// Uses: what was declared about the commands that use one block, or what the library enqueued on it itself.
// Made while the block is handed out; travels with it while it waits for events after its release.
#pragma once

#include <cstdint>
#include <vector>

#include "cl/handle.hpp"
#include "pool/pool_block.hpp"
#include "pool/queue_sets.hpp"

namespace clpool::core {

/// Block::bin while a block is handed out: what its release is to know.
inline constexpr std::uint32_t idle_mark = 2;   ///< the caller says that no command uses it
inline constexpr std::uint32_t known_mark = 4;  ///< all its uses were declared

struct Uses {
  PoolBlock* block = nullptr;
  std::vector<cl::Event> events;         ///< that must have ended
  std::vector<cl_command_queue> queues;  ///< that use it, sorted; retained by `set`
  cl::Queue bound;          ///< the queue that the user bound the block to; one of those of `set`
  bool only_these = false;  ///< the pool's own queues do not use it, unless they are among them
  QueueSet* set = nullptr;  ///< the queues that must be through; counted among its users
  std::uint64_t stamp = 0;  ///< the epoch of `set` in which the block was released
  Uses* next = nullptr;     ///< link of a list
};

/// A list of uses in the order in which they came.
struct UsesList {
  Uses* first = nullptr;
  Uses* last = nullptr;
  std::uint64_t count = 0;
  std::uint64_t in_hand = 0;  ///< more of them, that some thread looks at

  bool empty() const noexcept { return first == nullptr; }
  void add(Uses& uses) noexcept {
    uses.next = nullptr;
    (last != nullptr ? last->next : first) = &uses;
    last = &uses;
    ++count;
  }
  void add_all(UsesList& other) noexcept {
    while (Uses* const uses = other.take()) {
      add(*uses);
    }
  }
  Uses* take() noexcept {
    Uses* const uses = first;
    if (uses != nullptr) {
      first = uses->next;
      last = first != nullptr ? last : nullptr;
      --count;
    }
    return uses;
  }
};

}  // namespace clpool::core
