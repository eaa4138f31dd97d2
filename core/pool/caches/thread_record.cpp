// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The calling thread's record, from its first slow path to its end. It needs no mutex, and is called with a pool's or
// without: only the thread itself makes it, changes it and ends it.
#include "pool/caches/thread_record.hpp"

#include <new>
#include <utility>

#include "base/process.hpp"

namespace clpool::core {
namespace {

/// How many living threads have each number.
constinit std::atomic<std::uint32_t> threads_of[ThreadRecord::numbers] = {};

}  // namespace

constinit thread_local ThreadRecord* this_thread_record = nullptr;

/// The thread's reference on its record. What happens at its end touches no lock, no pool and no driver,
/// because it may be the end of the process.
struct RecordHolder {
  ThreadRecord* record = nullptr;
  bool ended = false;
  ~RecordHolder() {
    ended = true;
    this_thread_record = nullptr;
    if (record != nullptr) {
      threads_of[record->number_].fetch_sub(1, std::memory_order_relaxed);
      record->ended_.store(true, std::memory_order_release);
      record->release();
    }
  }
};

namespace {

thread_local RecordHolder record_holder;

/// The record that the forking thread had in the parent. Kept, and with it its address, which the parent's
/// caches know.
constinit ThreadRecord* record_of_parent = nullptr;

/// A child of fork() has none of the parent's pools. The thread gets a new record when it makes a pool of its
/// own.
void forget_in_child() noexcept {
  this_thread_record = nullptr;
  record_of_parent = std::exchange(record_holder.record, nullptr);
  for (std::atomic<std::uint32_t>& threads : threads_of) {
    threads.store(0, std::memory_order_relaxed);  // the parent's
  }
}

}  // namespace

std::uint32_t ThreadRecord::take_number() noexcept {
  // That of the fewest threads, nearly.
  std::uint32_t least = 0;
  for (std::uint32_t i = 1; i < numbers; ++i) {
    if (threads_of[i].load(std::memory_order_relaxed) < threads_of[least].load(std::memory_order_relaxed)) {
      least = i;
    }
  }
  threads_of[least].fetch_add(1, std::memory_order_relaxed);
  return least;
}

void ThreadRecord::grow() noexcept {
  const std::size_t count = mask_ / sizeof(Slot) + 1;
  if (count == most_slots) {
    return;
  }
  std::unique_ptr<Slot[]> more(new (std::nothrow) Slot[2 * count]);
  if (more == nullptr) {
    return;
  }
  const std::uint64_t mask = (2 * count - 1) * sizeof(Slot);
  for (std::size_t i = 0; i < count; ++i) {
    if (slots_[i].pool_key != 0) {  // no pool's
      more[(slots_[i].pool_key & mask) / sizeof(Slot)] = slots_[i];
    }
  }
  many_ = std::move(more);
  slots_ = many_.get();
  mask_ = mask;
}

void make_thread_record() {
  if (!record_holder.ended) {
    after_fork_in_child(forget_in_child);
    record_holder.record = new ThreadRecord;
    this_thread_record = record_holder.record;
  }
}

}  // namespace clpool::core
