// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The end of a pool: from its last reference until its memory is back, which commands may still use; till then it
// is among the EndedPools. Called without the mutex.
#include <algorithm>
#include <chrono>
#include <thread>

#include "allocator/direct.hpp"
#include "base/process.hpp"
#include "pool/pool.hpp"

namespace clpool::core {
namespace {

/// How long a pool is waited for that ends.
constexpr std::uint64_t settling_to_end_ns = 10'000'000;

/// How often a queue may refuse a marker behind what was given back before nobody waits for that any more.
constexpr int most_looks_without_marker = 16;

/// How long whoever has no memory lets others end pools before it looks again.
constexpr std::chrono::microseconds nap_while_others_end{50};

/// Says to the user that none of their functions is called any more.
void call_destroy(const PoolCallbacks& callbacks) noexcept {
  if (callbacks.destroy != nullptr) {
    callbacks.destroy(callbacks.user);
  }
}

}  // namespace

void Pool::last_reference_gone() noexcept {
  if (require_own_process("the pool") != Status::success) {
    return;  // the parent's
  }
  ended_pools.end_some(EndedPools::few);
  Visit visit(*this);
  visit.out([this] { take_back_all(later_.close()); });
  {
    const Borrowed borrowed(caches_);
    closed_ = true;
    books_.hold(false);
    std::size_t all = SIZE_MAX;
    caches_.for_each([&](ThreadCache& cache) {
      // From here on, other threads' releases find the list closed and come to the mutex.
      cache.close();
      returns_.bring_home(cache, SIZE_MAX);
      caches_.narrow(cache);
      cache.limit.store(0, std::memory_order_relaxed);
      returns_.hand_over_waiting(cache, UINT64_MAX, all);
      returns_.empty(cache, all);
    });
    // Nobody is an owner any more. One that is past looking meets a limit of 0, and comes to the mutex as
    // well.
    caches_.disown_all();
  }
  give_back_idle(visit);
  visit.out([this] { report_leaks(); });
}

void Pool::end() noexcept {
  ends_ = true;
  when_out_of_memory(end_all_ended);
  ended_pools.enter(ended_, clock_ns());
  // Whoever gave functions of their own may take away what these work on as soon as the pool is released.
  const bool is_custom = allocator_->traits().kind == MemKind::custom;
  const PoolCallbacks callbacks = options_.callbacks;
  const bool is_unused = try_end(is_custom           ? options_.wait_ns
                                 : guard_ == nullptr ? settling_to_end_ns
                                                     : resting_to_give_back_ns);
  if (is_unused && finish(settling_to_end_ns)) {
    return call_destroy(callbacks);
  }
  if (is_custom) {
    send_message(sink_, Severity::error,
                 "%s ends while commands still use its memory, which goes back when they are through",
                 title_.c_str());
  }
  // What is found from here on, the user's functions are not told: these may be gone.
  sink_ = {};
  if (guard_ != nullptr) {
    guard_->send_to({});
  }
  ended_pools.put_back(ended_);  // from here on another thread may end the object
  call_destroy(callbacks);
}

bool Pool::finish(std::uint64_t nanoseconds) noexcept {
  give_back_the_rest();
  if (is_on_its_way(nanoseconds)) {
    return false;
  }
  note_given_back();  // before nobody ends it any more, for those who wait for either
  ended_pools.leave(ended_);
  delete this;
  return true;
}

bool Pool::is_on_its_way(std::uint64_t nanoseconds) noexcept {
  if (!rules().goes_behind_queue) {
    return false;
  }
  Visit visit(*this);
  const auto is_through = [this] { return books_.gone_stamp() <= pending_.own().epochs.completed(); };
  if (!is_through()) {
    progress_.settle(visit, nanoseconds);
  }
  looks_without_marker_ += pending_.own().is_unmarked ? 1 : 0;
  return !is_through() && looks_without_marker_ < most_looks_without_marker;
}

bool Pool::try_end(std::uint64_t nanoseconds) noexcept {
  // The driver keeps buffers until their commands have ended.
  const bool outlive = allocator_->traits().kind == MemKind::buffer;
  if (outlive && guard_ == nullptr) {
    return true;
  }
  Visit visit(*this);
  ++rests_.enders;
  if (has_pending() || (!outlive && books_.has_busy_chunk())) {
    books_.forget_waits();
    progress_.settle_all(visit, nanoseconds);
  }
  --rests_.enders;
  return !has_pending() && (outlive || !books_.has_busy_chunk());
}

bool Pool::end_all_ended() noexcept {
  const std::uint64_t deadline = clock_ns() + settling_to_end_ns;
  const std::uint64_t before = given_back();
  bool waited = false;
  ended_pools.end_some(UINT64_MAX, settling_to_end_ns);
  while (given_back() == before && ended_pools.others_look() && clock_ns() < deadline) {
    std::this_thread::sleep_for(nap_while_others_end);
    waited = true;
  }
  return waited || given_back() != before;
}

void Pool::give_back_the_rest() noexcept {
  Visit visit(*this);
  pending_.end_all();
  caches_.for_each([&](ThreadCache& cache) { books_.free_completed(cache.handed_over, UINT64_MAX, 0); });
  while (books_.give_back_at_end(chunks_at_a_time)) {
    visit.tidy();
  }
}

}  // namespace clpool::core
