// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Events and queues of blocks that are handed out. With the pool's mutex held, but for ask(), which asks the driver.
#include "pool/uses.hpp"

#include <iterator>

#include "cl/info.hpp"
#include "cl/marker.hpp"

namespace clpool::core {

bool MoreEvents::add(Uses& uses) {
  std::vector<UseEvent>& all = uses.events;
  const bool looks = all.size() + added_.size() > uses.most_events;
  if (looks) {
    asked_.reserve(all.size());
    ended_.reserve(all.size());
  }
  const std::size_t known = all.size();
  all.insert(all.end(), std::make_move_iterator(added_.begin()), std::make_move_iterator(added_.end()));
  if (looks) {
    // Those from before: the new ones tell of the block that its uses were declared, however many have ended.
    std::transform(all.data(), all.data() + known, std::back_inserter(asked_),
                   [](const UseEvent& use) { return use.event.get(); });
    uses.most_events = SIZE_MAX;
  }
  return looks;
}

void MoreEvents::ask() noexcept {
  for (cl_event& event : asked_) {
    event = cl::has_ended(event) ? nullptr : event;
  }
}

void MoreEvents::end(Uses& uses) noexcept {
  std::vector<UseEvent>& all = uses.events;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < asked_.size() && asked_[i] == nullptr) {
      ended_.push_back(std::move(all[i]));
    } else if (const std::size_t place = kept++; place != i) {
      all[place] = std::move(all[i]);
    }
  }
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(kept), all.end());
  uses.most_events = std::max(Uses::least_events, 2 * kept);
}

bool LeftQueues::begin(Uses& uses) {
  const DeclaredQueues& declared = uses.declared;
  if (declared.queues.size() < uses.most_queues) {
    return false;
  }
  std::copy_if(declared.queues.begin(), declared.queues.end(), std::back_inserter(asked_),
               [&](cl_command_queue queue) { return queue != declared.former; });
  left_.reserve(asked_.size());
  events_.reserve(asked_.size());
  uses.most_queues = SIZE_MAX;
  return true;
}

void LeftQueues::ask() {
  constexpr cl_uint own_references =
      2;  // of the block's set, which has them until it is changed, and this one
  for (cl_command_queue queue : asked_) {
    UseEvent behind;
    if (cl::Queue::share(queue, behind.queue) == Status::success &&
        cl::query_or<cl_uint>(queue, CL_QUEUE_REFERENCE_COUNT, 0) == own_references &&
        cl::mark_so_far({queue}, behind.event) == Status::success) {
      left_.push_back(queue);
      events_.push_back(std::move(behind));
    }
  }
}

void LeftQueues::end(Uses& uses) const noexcept {
  uses.most_queues = std::max(Uses::least_queues, 2 * uses.declared.queues.size());
}

}  // namespace clpool::core
