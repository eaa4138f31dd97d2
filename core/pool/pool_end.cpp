// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The end of a pool: from its last reference until its memory is back, which commands may still use; till then it
// is in the list of ended pools. Called without the mutex.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "allocator/direct.hpp"
#include "base/given_back.hpp"
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

/// How deep a thread ends pools within functions of the user that the end of others calls.
constexpr int most_nested_ends = 4;

/// Pools that have ended for their users, as long as they have memory: while some thread looks whether that can go,
/// and while commands use it. Never given up at process exit.
constinit ForkMutex ended_mutex;
constinit Pool* first_ended = nullptr;
constinit Pool* last_ended = nullptr;
constinit std::atomic<std::uint64_t> ended_count{0};

/// Says to the user that none of their functions is called any more.
void call_destroy(const PoolCallbacks& callbacks) noexcept {
  if (callbacks.destroy != nullptr) {
    callbacks.destroy(callbacks.user);
  }
}

/// A child of fork() has none of the parent's pools: their mutexes may be held for ever, and their objects
/// are the parent's.
void forget_ended_in_child() noexcept {
  first_ended = nullptr;
  last_ended = nullptr;
  ended_count.store(0, std::memory_order_relaxed);
}

}  // namespace

void Pool::last_reference_gone() noexcept {
  if (require_own_process("the pool") != Status::success) {
    return;  // the parent's
  }
  end_ended(ended_at_a_time);
  Visit visit(*this);
  visit.out(
      [this] { take_back_all(later_.exchange(ThreadCache::closed_list(), std::memory_order_acq_rel)); });
  {
    const Borrowed borrowed(caches_);
    closed_ = true;
    books_.hold(false);
    caches_.for_each([this](ThreadCache& cache) {
      // From here on, other threads' releases find the list closed and come to the mutex.
      cache.close();
      bring_home(cache, SIZE_MAX);
      caches_.narrow(cache);
      cache.limit.store(0, std::memory_order_relaxed);
      empty(cache);
    });
    // Nobody is an owner any more. One that is past looking meets a limit of 0, and comes to the mutex as
    // well.
    caches_.disown_all();
  }
  do {
    visit.tidy();  // first: handles that are to go keep their chunks
  } while (books_.give_back_some(chunks_at_a_time));
  visit.out([this] { report_leaks(); });
}

void Pool::end() noexcept {
  when_out_of_memory(end_all_ended);
  after_fork_in_child(forget_ended_in_child);
  {
    const std::lock_guard lock(ended_mutex);
    ended_at_ns_ = now_ns();
    enter_ended(mark_of_this_thread());
  }
  // Whoever gave functions of their own may take away what these work on as soon as the pool is released.
  const bool is_custom = allocator_->traits().kind == MemKind::custom;
  const PoolCallbacks callbacks = was_made_ ? options_.callbacks : PoolCallbacks();
  const bool is_unused = try_end(is_custom           ? options_.wait_ns
                                 : guard_ == nullptr ? settling_to_end_ns
                                                     : resting_to_give_back_ns);
  if (is_unused && finish(settling_to_end_ns)) {
    return call_destroy(callbacks);
  }
  if (is_custom) {
    send_message(sink(), Severity::error,
                 "%s ends while commands still use its memory, which goes back when they are through",
                 title_.c_str());
  }
  // What is found from here on, the user's functions are not told: these may be gone.
  sink_ = {};
  if (guard_ != nullptr) {
    guard_->send_to({});
  }
  {
    const std::lock_guard lock(ended_mutex);
    looked_at_by_ = nullptr;
  }
  call_destroy(callbacks);
}

void Pool::enter_ended(const void* looked_at_by) noexcept {
  looked_at_by_ = looked_at_by;
  next_ended_ = nullptr;
  (first_ended != nullptr ? last_ended->next_ended_ : first_ended) = this;
  last_ended = this;
  ended_count.fetch_add(1, std::memory_order_relaxed);
}

void Pool::leave_ended() noexcept {
  Pool* previous = nullptr;
  Pool** link = &first_ended;
  while (*link != nullptr && *link != this) {
    previous = *link;
    link = &previous->next_ended_;
  }
  if (*link == this) {  // a child of fork() has no list
    *link = next_ended_;
    last_ended = last_ended == this ? previous : last_ended;
    ended_count.fetch_sub(1, std::memory_order_relaxed);
  }
}

bool Pool::finish(std::uint64_t nanoseconds) noexcept {
  give_back_the_rest();
  if (is_on_its_way(nanoseconds)) {
    return false;
  }
  note_given_back();  // before nobody ends it any more, for those who wait for either
  {
    const std::lock_guard lock(ended_mutex);
    leave_ended();
  }
  delete this;
  return true;
}

bool Pool::is_on_its_way(std::uint64_t nanoseconds) noexcept {
  if (!rules_.goes_behind_queue) {
    return false;
  }
  Visit visit(*this);
  visit.keep_pool();
  const auto is_through = [this] { return books_.gone_stamp() <= own_->epochs.completed(); };
  if (!is_through()) {
    settle(visit, nanoseconds);
  }
  looks_without_marker_ += own_->is_unmarked ? 1 : 0;
  return !is_through() && looks_without_marker_ < most_looks_without_marker;
}

bool Pool::helps(const Pool& other) const noexcept {
  const std::vector<const void*>& here = allocator_->traits().sources;
  const std::vector<const void*>& there = other.allocator_->traits().sources;
  return std::find_first_of(here.begin(), here.end(), there.begin(), there.end()) != here.end();
}

bool Pool::ended_pools_remain() const noexcept {
  if (ended_count.load(std::memory_order_relaxed) == 0) {
    return false;
  }
  const std::lock_guard lock(ended_mutex);
  for (const Pool* pool = first_ended; pool != nullptr; pool = pool->next_ended_) {
    // What this very thread is ending, from whose callback the request comes, will not end while it waits.
    if (pool->waited_for_ns_ < options_.wait_ns && pool->looked_at_by_ != mark_of_this_thread() &&
        pool->helps(*this)) {
      return true;
    }
  }
  return false;
}

void Pool::note_ended_pools_late(std::uint64_t since) const noexcept {
  const std::uint64_t waited_ns = now_ns() - since;
  const std::lock_guard lock(ended_mutex);
  for (Pool* pool = first_ended; pool != nullptr; pool = pool->next_ended_) {
    if (pool->ended_at_ns_ <= since && pool->looked_at_by_ == nullptr && pool->helps(*this)) {
      pool->waited_for_ns_ = std::max(pool->waited_for_ns_, waited_ns);
    }
  }
}

bool Pool::try_end(std::uint64_t nanoseconds) noexcept {
  // The driver keeps buffers until their commands have ended.
  const bool outlive = allocator_->traits().kind == MemKind::buffer;
  if (outlive && guard_ == nullptr) {
    return true;
  }
  Visit visit(*this);
  visit.keep_pool();
  ++rest_enders_;
  if (has_pending() || (!outlive && books_.has_busy_chunk())) {
    pauses_for_events_until_ns_ = 0;
    settle_all(visit, nanoseconds);
  }
  --rest_enders_;
  return !has_pending() && (outlive || !books_.has_busy_chunk());
}

bool Pool::end_all_ended() noexcept {
  const std::uint64_t deadline = clock_ns() + settling_to_end_ns;
  const std::uint64_t before = given_back();
  bool waited = false;
  end_ended(UINT64_MAX, settling_to_end_ns);
  while (given_back() == before && others_end_pools() && clock_ns() < deadline) {
    std::this_thread::sleep_for(nap_while_others_end);
    waited = true;
  }
  return waited || given_back() != before;
}

bool Pool::others_end_pools() noexcept {
  const std::lock_guard lock(ended_mutex);
  const void* const this_thread = mark_of_this_thread();
  const Pool* pool = first_ended;
  while (pool != nullptr && (pool->looked_at_by_ == nullptr || pool->looked_at_by_ == this_thread)) {
    pool = pool->next_ended_;
  }
  return pool != nullptr;
}

bool Pool::is_nested_deep() noexcept {
  if (ended_count.load(std::memory_order_relaxed) == 0) {
    return false;
  }
  const std::lock_guard lock(ended_mutex);
  const void* const this_thread = mark_of_this_thread();
  int nested = 0;
  for (const Pool* pool = first_ended; pool != nullptr; pool = pool->next_ended_) {
    nested += pool->looked_at_by_ == this_thread ? 1 : 0;
  }
  return nested >= most_nested_ends;
}

bool Pool::end_ended(std::uint64_t most, std::uint64_t nanoseconds) noexcept {
  bool any = false;
  const std::uint64_t deadline = nanoseconds == 0 ? 0 : clock_ns() + nanoseconds;
  const void* const this_thread = mark_of_this_thread();
  if (is_nested_deep()) {
    return false;
  }
  for (most = std::min(most, ended_count.load(std::memory_order_relaxed)); most > 0; --most) {
    Pool* pool = nullptr;
    {
      const std::lock_guard lock(ended_mutex);
      for (pool = first_ended; pool != nullptr && pool->looked_at_by_ != nullptr;) {
        pool = pool->next_ended_;
      }
      if (pool == nullptr) {
        break;
      }
      pool->looked_at_by_ = this_thread;
    }
    const std::uint64_t now = deadline == 0 ? 0 : clock_ns();
    const std::uint64_t left = deadline > now ? deadline - now : 0;
    if (pool->try_end(left) && pool->finish(left)) {
      any = true;
      continue;
    }
    const std::lock_guard lock(ended_mutex);
    pool->leave_ended();  // and in at the end: others are looked at first the next time
    pool->enter_ended(nullptr);
  }
  return any;
}

void Pool::give_back_the_rest() noexcept {
  Visit visit(*this);
  visit.keep_pool();
  for (QueueSet* set = sets_.first(); set != nullptr; set = set->next) {
    books_.free_completed(*set, UINT64_MAX, 0);
  }
  for (UsesList* list : {&events_, &late_events_}) {
    while (Uses* uses = list->take()) {
      books_.end_pending(*uses->block);
      books_.free(*uses->block, 0);
      retire(*uses);
    }
  }
  end_guard();
  while (books_.give_back_at_end(chunks_at_a_time)) {
    visit.tidy();
  }
}

Pool::~Pool() = default;

}  // namespace clpool::core
