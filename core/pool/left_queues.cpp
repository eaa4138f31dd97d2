// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Queues that nobody else has any more.
#include "pool/left_queues.hpp"

#include <algorithm>
#include <iterator>
#include <new>
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

bool LeftQueues::begin(Uses& uses, const QueueSets& sets, MarkedQueues& marked) {
  const DeclaredQueues& declared = uses.declared;
  if (declared.queues.size() < std::max(uses.most_queues, least_queues)) {
    return false;
  }
  for (QueueSet* set = sets.first(); set != nullptr; set = set->next) {
    held_.push_back(set);
  }
  const auto sets_with = [&](cl_command_queue queue) {
    return std::count_if(held_.begin(), held_.end(),
                         [&](const QueueSet* set) { return set->epochs.has(queue); });
  };
  std::erase_if(marked, [](const auto& any) { return any.expired(); });
  std::vector<std::shared_ptr<cl::Epochs>> all;
  for (const std::weak_ptr<cl::Epochs>& any : marked) {
    all.push_back(any.lock());
  }
  for (cl_command_queue queue : declared.queues) {
    if (queue == declared.former) {  // which others come after, when they use the block
      continue;
    }
    const auto known =
        std::find_if(all.begin(), all.end(), [&](const auto& any) { return any->first_queue() == queue; });
    if (known != all.end()) {
      left_.push_back(*known);
    } else {
      asked_.push_back({queue, static_cast<cl_uint>(sets_with(queue))});
    }
  }
  ended_.reserve(left_.size());
  gone_.reserve(left_.size());
  left_.reserve(left_.size() + asked_.size());
  marked.reserve(marked.size() + asked_.size());
  for (QueueSet* const set : held_) {
    ++set->users;
  }
  uses.most_queues = SIZE_MAX;
  return true;
}

void LeftQueues::ask() noexcept {
  const KeptError kept;
  const auto runs = [](const std::shared_ptr<cl::Epochs>& left) {
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
  auto marked = std::make_shared<cl::Epochs>();
  if (marked->add_queue(asked.queue) == Status::success &&
      cl::query_or<cl_uint>(asked.queue, CL_QUEUE_REFERENCE_COUNT, 0) == asked.references + own_references &&
      marked->close() == Status::success) {
    left_.push_back(std::move(marked));
    ++marked_;
  }
}

void LeftQueues::end(Uses& uses, MarkedQueues& marked) noexcept {
  const std::size_t all = uses.declared.queues.size();
  uses.most_queues = 2 * (all - std::min(all, marked_)) + marked_ + least_new;
  for (std::size_t i = left_.size() - marked_; i < left_.size() && marked.size() < marked.capacity(); ++i) {
    marked.push_back(left_[i]);  // other threads may have marked as many: then other blocks mark it again
  }
  left_.swap(uses.left);
  for (QueueSet* const set : held_) {
    --set->users;
  }
}

}  // namespace clpool::core
