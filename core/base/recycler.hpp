// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Recycler: type-stable storage of the descriptors that pools do not own. A descriptor is never returned to
// the host's allocator, so that using a released one is an error that can be reported, and it rests for a
// while before it is used again, so that most such mistakes are found.
#pragma once

#include <cstddef>
#include <mutex>

#include "base/process.hpp"

namespace clpool::core {

/// `T` has a link `next` (to itself or to a base). Meant for constant-initialized globals; has no destructor
/// to run at exit.
template <typename T>
class Recycler {
 public:
  static constexpr std::size_t slab_size = 64;
  /// A released descriptor is handed out again only after so many others were released.
  static constexpr std::size_t rest = 64;

  constexpr Recycler() = default;

  /// A descriptor in MemState::released. Throws std::bad_alloc.
  T& take() {
    const std::lock_guard lock(mutex_);
    if (count_ <= rest) {
      T* const slab = new T[slab_size];
      for (std::size_t i = slab_size; i-- > 0;) {
        push_front(slab[i]);
      }
    }
    T* const taken = first_;
    first_ = static_cast<T*>(taken->next);
    --count_;
    return *taken;
  }

  /// Takes back a descriptor, which must be MemState::released.
  void give_back(T& descriptor) noexcept {
    const std::lock_guard lock(mutex_);
    descriptor.next = nullptr;
    last_->next = &descriptor;  // it was taken here, and what rests is never taken
    last_ = &descriptor;
    ++count_;
  }

 private:
  void push_front(T& descriptor) noexcept {
    descriptor.next = first_;
    if (first_ == nullptr) {
      last_ = &descriptor;
    }
    first_ = &descriptor;
    ++count_;
  }

  ForkMutex mutex_;
  T* first_ = nullptr;
  T* last_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace clpool::core
