// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Recycler: type-stable storage of the descriptors that pools do not own. A descriptor is never returned to
// the host's allocator, so that using a released one is an error that can be reported, and it rests for a
// while before it is used again, so that most such mistakes are found.
#pragma once

#include <cstddef>
#include <mutex>
#include <type_traits>

#include "base/fifo.hpp"
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
    if (resting_.count <= rest) {
      T* const slab = new T[slab_size];
      List made;
      for (std::size_t i = 0; i < slab_size; ++i) {
        made.add(slab[i]);
      }
      resting_.add_before(made);
    }
    return *resting_.take();
  }

  /// Takes back a descriptor, which must be MemState::released.
  void give_back(T& descriptor) noexcept {
    const std::lock_guard lock(mutex_);
    resting_.add(descriptor);
  }

 private:
  using List = Fifo<T, std::remove_pointer_t<decltype(T::next)>>;

  ForkMutex mutex_;
  List resting_;
};

}  // namespace clpool::core
