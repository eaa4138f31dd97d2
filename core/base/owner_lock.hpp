// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// OwnerLock: a lock for data that one thread uses all the time and others hardly ever. The owner's side costs
// two plain stores and a load; the others' side makes the kernel run a memory barrier on every core (Linux
// membarrier, private expedited), which is what lets the owner do without one. Others take all locks of a group at once,
// by one word that all owners read: a word in each would have to travel from each owner's core and back. Where the kernel has no such
// call, and under ThreadSanitizer, which cannot see it, both sides fall back to an ordinary lock behind the
// same interface. A kernel that had the call and refuses it later (a sandbox that was entered meanwhile)
// costs the others a change of page protection, or a millisecond, instead. Nobody spins without end: who waits for the
// owner sleeps, so that an owner of a lower priority can go on, and an owner that is kept out looks for the end of that for
// some microseconds at most (Revocation::look_for_end()).
#pragma once

#include <atomic>
#include <cstdint>

namespace clpool::core {

class OwnerLock {
 public:
  /// Keeps the owners of a group of locks out; beside data that is read, as a rule, and not written.
  class Revocation {
   public:
    /// Others, one at a time (the caller holds a mutex that serializes them): revoke(), then wait() for each lock wanted. After
    /// that the caller has the data of these until restore() of each and end().
    void revoke() noexcept {
      on_.store(1, std::memory_order_relaxed);
      barrier();
    }
    void end() noexcept { on_.store(0, std::memory_order_release); }

    bool is_on() const noexcept { return on_.load(std::memory_order_acquire) != 0; }
    /// Owners that were kept out: looks for some microseconds whether they still are. False if so.
    bool look_for_end() const noexcept;

   private:
    std::atomic<std::uint32_t> on_{0};
  };

  /// Asks the kernel once; called before the first lock is used.
  static void initialize() noexcept;

  /// Owner only; always with the group's `revocation`. False if another thread has the data or is about to: the owner must then
  /// not touch them.
  bool try_enter(const Revocation& revocation) noexcept {
    if (!asymmetric_) [[unlikely]] {
      return busy_.exchange(1, std::memory_order_acquire) == 0;
    }
    busy_.store(1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (revocation.is_on()) [[unlikely]] {
      busy_.store(0, std::memory_order_release);
      return false;
    }
    return true;
  }
  /// Owner only, after a try_enter() that succeeded.
  void leave() noexcept { busy_.store(0, std::memory_order_release); }

  /// Others, see Revocation.
  void wait() noexcept;
  void restore() noexcept {
    if (!asymmetric_) {
      busy_.store(0, std::memory_order_release);
    }
  }

 private:
  /// True if the owner's side is free of read-modify-write instructions in this process.
  [[gnu::visibility("hidden")]] static bool asymmetric_;
  /// All cores have seen what the calling thread wrote before, and it sees what they wrote.
  static void barrier() noexcept;

  std::atomic<std::uint32_t> busy_{0};
};

}  // namespace clpool::core
