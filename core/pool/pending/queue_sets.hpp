// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// QueueSets: the sets of queues behind which blocks of a pool are held back: the pool's own, and one for each
// combination that users have declared. Each has its epochs, so that one marker serves many releases. The
// lists are guarded by the pool's mutex; sets are made and destroyed without it, as that retains and releases
// queues.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "cl/epochs.hpp"
#include "pool/blocks/held_back.hpp"

namespace clpool::core {

struct QueueSet : HeldBack {
  cl::Epochs epochs;
  std::uint64_t key = 0;  ///< of the queues, see key_of()
  std::uint32_t users =
      0;  ///< blocks with uses that refer to it, sets that have it beside them, threads that look at it
  std::uint64_t awaited = 0;    ///< the newest epoch that somebody waited for to settle
  std::uint64_t overdue = 0;    ///< an epoch that was waited for in vain…
  std::uint64_t waited_ns = 0;  ///< …for so long; while it is not complete, nobody tries as long again
  bool is_unmarked = false;     ///< the newest epoch has no markers, as the driver refused them
  /// These and the queue that the pool has adopted since: what was declared before and the pool's own queues
  /// use. Null where these are all; this one is counted among its users.
  QueueSet* with_own = nullptr;
  QueueSet* next = nullptr;  ///< all sets of a pool, or those that are to be destroyed

  /// Has the next look that closes all epochs close the open one.
  void want_marker() noexcept { open_blocks = std::max<std::uint64_t>(open_blocks, 1); }

  bool is_late(std::uint64_t nanoseconds) const noexcept {
    return overdue > epochs.completed() && waited_ns >= nanoseconds;
  }

  /// The same for the same queues in any order, and nearly always another one for others: a search among many sets reads no more
  /// of these.
  static std::uint64_t key_of(const std::vector<cl_command_queue>& queues) noexcept;

  /// A new set; retains the queues, which must be of `context`, unless that is null.
  static Status make(const std::vector<cl_command_queue>& queues, cl_context context,
                     std::unique_ptr<QueueSet>& result);
};

class QueueSets {
 public:
  QueueSets() = default;
  QueueSets(const QueueSets&) = delete;
  QueueSets& operator=(const QueueSets&) = delete;
  ~QueueSets();

  QueueSet* first() const noexcept { return first_; }
  std::size_t count() const noexcept { return count_; }
  /// The first of which `test` is true, or null.
  template <typename Test>
  QueueSet* find_if(Test&& test) const {
    QueueSet* set = first_;
    while (set != nullptr && !test(*set)) {
      set = set->next;
    }
    return set;
  }
  template <typename Test>
  bool any(Test&& test) const {
    return find_if(test) != nullptr;
  }
  QueueSet* find(const std::vector<cl_command_queue>& queues) const noexcept;
  QueueSet& add(std::unique_ptr<QueueSet> set) noexcept;
  /// Takes a set out that nobody refers to and that holds nothing back, and puts it on `retired`. Takes out no
  /// other one: whoever walks through the list may stand there.
  void drop_if_unused(QueueSet& set, QueueSet*& retired) noexcept;

 private:
  QueueSet* first_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace clpool::core
