// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Sleepers: threads that wait until something changes in a pool's books. With the pool's mutex held.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>

#include "base/mutex.hpp"

namespace clpool::core {

class Sleepers {
 public:
  /// Leaves the mutex for so long, or until the books have changed.
  void sleep(Mutex& mutex, std::uint64_t nanoseconds) {
    ++count_;
    changed_.wait_for(mutex, std::chrono::nanoseconds(nanoseconds));
    --count_;
  }
  /// `turn`: Books::turn().
  void wake(std::uint64_t turn) noexcept {
    if (count_ != 0 && turn != notified_turn_) [[unlikely]] {
      notified_turn_ = turn;
      changed_.notify_all();
    }
  }

 private:
  std::condition_variable_any changed_;
  std::uint64_t count_ = 0;  // these with what lies behind them in the pool, which each visit reads
  std::uint64_t notified_turn_ = 0;
};

}  // namespace clpool::core
