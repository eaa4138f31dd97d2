// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What is released to a guarded pool: fill, rest, comparison. With the pool's mutex held, which it leaves for the guard's work.
#include "pool/rests.hpp"

#include <algorithm>
#include <utility>

namespace clpool::core {

void Rests::work(Way& way) noexcept {
  if (guard_ == nullptr) {
    return;
  }
  for (bool any = true; any;) {
    for (Mem* mem = books_.take_freed(); mem != nullptr;) {
      PoolBlock& block = pool_block(*std::exchange(mem, mem->next));
      if (!guard_->enter(block)) {
        books_.free_rested(block);
      }
    }
    const bool may_rest = enders == 0 && returns_.waiters == 0 && returns_.settling == 0 && books_.holding();
    const std::uint64_t part = books_.managed_bytes() / Guard::resting_part;
    const std::uint64_t bytes = std::min(std::max(Guard::least_resting_bytes, part), max_held_bytes_);
    Guard::ByPhase batch = guard_->take(may_rest ? Guard::most_resting : 0, may_rest ? bytes : 0);
    if (batch.empty()) {
      return;
    }
    way.out([&] { any = guard_->work(batch); });
    is_late_ = is_late_ && !any;
    GuardedList done;
    guard_->put_back(batch, done);
    while (GuardedBlock* guarded = done.take()) {
      books_.free_rested(*guarded->block);
      delete guarded;
    }
  }
}

}  // namespace clpool::core
