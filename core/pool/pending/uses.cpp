// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Events of blocks that are handed out. With the pool's mutex held, but for MoreEvents::ask(), which asks the driver.
#include "pool/pending/uses.hpp"

#include <iterator>

#include "cl/marker.hpp"

namespace clpool::core {

bool MoreEvents::add(Uses& uses) {
  std::vector<cl::Event>& all = uses.events;
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
                   [](const cl::Event& event) { return event.get(); });
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
  std::vector<cl::Event>& all = uses.events;
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

}  // namespace clpool::core
