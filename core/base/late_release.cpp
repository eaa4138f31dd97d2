// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The list is the process's. A child of fork() forgets it: these objects are the parent's.
#include "base/late_release.hpp"

#include "base/process.hpp"

namespace clpool::core {

constinit std::atomic<LateRelease*> LateRelease::first_{nullptr};

void LateRelease::put_off() noexcept {
  after_fork_in_child([]() noexcept { first_.store(nullptr); });
  if (times_.fetch_add(1, std::memory_order_acq_rel) != 0) {
    return;  // it is in the list
  }
  next_ = first_.load(std::memory_order_relaxed);
  while (!first_.compare_exchange_weak(next_, this, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

void LateRelease::finish_these() noexcept {
  for (LateRelease* object = first_.exchange(nullptr, std::memory_order_acquire); object != nullptr;) {
    LateRelease* const next = object->next_;
    // From here on it may be put off again, by whoever has another reference. After the last of these releases
    // it may be gone.
    for (std::uint32_t left = object->times_.exchange(0, std::memory_order_acq_rel); left > 0; --left) {
      object->release_(*object);
    }
    object = next;
  }
}

}  // namespace clpool::core
