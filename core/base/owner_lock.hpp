// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// OwnerLock: a lock for data that one thread uses all the time and others hardly ever. The owner's side costs
// two plain stores and a load; the others' side makes the kernel run a memory barrier on every core (Linux
// membarrier, private expedited), which is what lets the owner do without one. Where the kernel has no such
// call, and under ThreadSanitizer, which cannot see it, both sides fall back to an ordinary lock behind the
// same interface. A kernel that had the call and refuses it later (a sandbox that was entered meanwhile)
// costs the others a change of page protection, or a millisecond, instead. Nobody spins: who waits for the
// owner sleeps, so that an owner of a lower priority can go on.
#pragma once

#include <atomic>
#include <cstdint>

namespace clpool::core {

class OwnerLock {
 public:
  /// Asks the kernel once; called before the first lock is used.
  static void initialize() noexcept;

  /// Owner only. False if another thread has the data or is about to: the owner must then not touch them.
  bool try_enter() noexcept {
    if (!asymmetric_) [[unlikely]] {
      return busy_.exchange(1, std::memory_order_acquire) == 0;
    }
    busy_.store(1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (revoked_.load(std::memory_order_acquire) != 0) [[unlikely]] {
      busy_.store(0, std::memory_order_release);
      return false;
    }
    return true;
  }
  /// Owner only, after a try_enter() that succeeded.
  void leave() noexcept { busy_.store(0, std::memory_order_release); }

  /// Other threads, one at a time (the caller holds a mutex that serializes them): first revoke() each lock
  /// wanted, then barrier() once, then wait() for each. After that the caller has the data until restore().
  void revoke() noexcept {
    if (asymmetric_) {
      revoked_.store(1, std::memory_order_relaxed);
    }
  }
  static void barrier() noexcept;
  void wait() noexcept;
  void restore() noexcept {
    if (asymmetric_) {
      revoked_.store(0, std::memory_order_release);
    } else {
      busy_.store(0, std::memory_order_release);
    }
  }

 private:
  /// True if the owner's side is free of read-modify-write instructions in this process.
  static bool asymmetric_;
  std::atomic<std::uint32_t> busy_{0};
  std::atomic<std::uint32_t> revoked_{0};
};

}  // namespace clpool::core
