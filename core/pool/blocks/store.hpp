// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Store: type-stable storage of descriptors, in host memory that the process never gives up. take() and give_back(): with
// the mutex held of the pool whose store it is, and within it one of the process's for a moment; its end: without the pool's.
#pragma once

#include <cstddef>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

#include "base/process.hpp"

namespace clpool::core {

/// So many bytes, aligned to 128, from regions of 2 MiB for which the system is asked for one page each: a pool's descriptors
/// that a request visits lie all over them, and in pages of 4 KiB the processor has to look most of these up
/// (tests/benchmarks/results/commands.md). Where there is no memory for a region, from the rest. A divisor of that size; throws
/// std::bad_alloc.
void* take_pages(std::size_t bytes);

/// Descriptors of type T, of 128 bytes, with a link `next` (to itself or to a base). An owner takes what it needs; what it has
/// when it ends goes to those that come. One store is used by one thread at a time.
template <typename T>
class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  ~Store() {
    if (free_ == nullptr) {
      return;
    }
    const std::lock_guard lock(spare_mutex);
    last_->next = std::exchange(spare, free_);
  }

  /// As it came back, or as a T begins. Throws std::bad_alloc.
  T& take() {
    if (free_ == nullptr) {
      refill();
    }
    return static_cast<T&>(*std::exchange(free_, free_->next));
  }
  void give_back(T& descriptor) noexcept {
    last_ = free_ == nullptr ? &descriptor : last_;
    descriptor.next = std::exchange(free_, &descriptor);
  }

 private:
  using Link = std::remove_pointer_t<decltype(T::next)>;
  static constexpr std::size_t few = 32;  // 4 KiB

  void refill() {
    {
      const std::lock_guard lock(spare_mutex);
      for (std::size_t i = 0; i < few && spare != nullptr; ++i) {
        give_back(static_cast<T&>(*std::exchange(spare, spare->next)));
      }
    }
    if (free_ == nullptr) {
      static_assert(sizeof(T) == 128);
      T* const page = new (take_pages(few * sizeof(T))) T[few];
      for (std::size_t i = few; i-- > 0;) {
        give_back(page[i]);
      }
    }
  }

  // Of stores that ended. Never destroyed, so that nothing runs at process exit.
  static constinit inline ForkMutex spare_mutex;
  static constinit inline Link* spare = nullptr;

  Link* free_ = nullptr;  ///< those to be taken, the last that came first
  Link* last_ = nullptr;  ///< of them, while there are any
};

}  // namespace clpool::core
