// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Queues that nobody else has any more.
#include "pool/left_queues.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/status.hpp"
#include "cl/info.hpp"

namespace clpool::core {
namespace {

/// With so many queues, or twice as many as the last look left, there is another one.
constexpr std::size_t least_queues = 32;
/// What was marked by the last look counts once, and so many come until the next.
constexpr std::size_t least_new = 16;

}  // namespace

bool LeftQueues::begin(Uses& uses, const QueueSets& sets) {
  const DeclaredQueues& declared = uses.declared;
  if (declared.queues.size() < std::max(uses.most_queues, least_queues)) {
    return false;
  }
  for (QueueSet* set = sets.first(); set != nullptr; set = set->next) {
    held_.push_back(set);
  }
  for (cl_command_queue queue : declared.queues) {
    const bool is_left = std::any_of(uses.left.begin(), uses.left.end(),
                                     [&](const auto& left) { return left->first_queue() == queue; });
    if (!is_left && queue != declared.former) {
      const auto references = std::count_if(held_.begin(), held_.end(),
                                            [&](const QueueSet* set) { return set->epochs.has(queue); });
      asked_.push_back({queue, static_cast<cl_uint>(references)});
    }
  }
  ended_.reserve(uses.left.size());
  gone_.reserve(uses.left.size());
  uses.left.reserve(uses.left.size() + asked_.size());
  for (QueueSet* const set : held_) {
    ++set->users;
  }
  left_.swap(uses.left);
  uses.most_queues = SIZE_MAX;
  return true;
}

void LeftQueues::ask() noexcept {
  const KeptError kept;
  const auto runs = [](const std::unique_ptr<cl::Epochs>& left) {
    left->poll();
    return left->completed() == 0;
  };
  const auto through = std::stable_partition(left_.begin(), left_.end(), runs);
  std::transform(through, left_.end(), std::back_inserter(gone_),
                 [](const auto& left) { return left->first_queue(); });
  std::move(through, left_.end(), std::back_inserter(ended_));
  left_.erase(through, left_.end());
  try {
    for (const Asked& asked : asked_) {
      mark(asked);
    }
  } catch (const std::bad_alloc&) {
    return;  // the next look goes on
  }
}

void LeftQueues::mark(const Asked& asked) {
  constexpr cl_uint own_references = 1;
  auto left = std::make_unique<cl::Epochs>();
  if (left->add_queue(asked.queue) == Status::success &&
      cl::query_or<cl_uint>(asked.queue, CL_QUEUE_REFERENCE_COUNT, 0) == asked.references + own_references &&
      left->close() == Status::success) {
    left_.push_back(std::move(left));
    ++marked_;
  }
}

void LeftQueues::end(Uses& uses) noexcept {
  const std::size_t others =
      uses.declared.queues.size() - std::min(left_.size(), uses.declared.queues.size());
  uses.most_queues = 2 * (others + left_.size() - marked_) + marked_ + least_new;
  left_.swap(uses.left);
  for (QueueSet* const set : held_) {
    --set->users;
  }
}

}  // namespace clpool::core
