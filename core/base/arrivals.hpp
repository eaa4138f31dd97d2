// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Arrivals: released blocks that any thread leaves here without a lock, for whoever comes next with one, until it is
// closed for good. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/mem.hpp"

namespace clpool::core {

class Arrivals {
 public:
  /// False once it is closed. Sequentially consistent, like the look of take_all(): whoever leaves a block and then
  /// finds a flag raised need not raise it, where who lowers the flag looks here after that.
  bool add(Mem& mem) noexcept {
    Mem* head = first_.load(std::memory_order_relaxed);
    while (head != closed()) {
      mem.next = head;
      if (first_.compare_exchange_weak(head, &mem, std::memory_order_seq_cst, std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  bool any() const noexcept {
    const Mem* const head = first_.load(std::memory_order_relaxed);
    return head != nullptr && head != closed();
  }

  /// All that is here, linked by next; null if there is nothing, or it is closed.
  Mem* take_all() noexcept {
    Mem* head = first_.load(std::memory_order_seq_cst);
    while (head != nullptr && head != closed()) {
      if (first_.compare_exchange_weak(head, nullptr, std::memory_order_acquire, std::memory_order_relaxed)) {
        return head;
      }
    }
    return nullptr;
  }

  /// The same for the last time: from here on add() is false. Called once.
  Mem* close() noexcept { return first_.exchange(closed(), std::memory_order_acq_rel); }

 private:
  static Mem* closed() noexcept { return reinterpret_cast<Mem*>(std::uintptr_t{1}); }

  std::atomic<Mem*> first_{nullptr};
};

}  // namespace clpool::core
