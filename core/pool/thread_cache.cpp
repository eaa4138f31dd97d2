// Thread records, and what happens when a thread ends.
#include "pool/thread_cache.hpp"

#include <mutex>
#include <utility>

#include "base/process.hpp"

namespace clpool::core {

constinit thread_local ThreadRecord* this_thread_record = nullptr;

namespace {

constinit ForkMutex registry_mutex{ForkMutex::Order::outer};  // held while pools take in a thread's caches
constinit ThreadEnds* registered = nullptr;
/// The record that the forking thread had in the parent. Kept: a new one at its address would seem to own its
/// caches.
constinit ThreadRecord* record_of_parent = nullptr;

void forget_in_child() noexcept;

}  // namespace

/// Owns the thread's record. At the thread's end its caches are left to the pools.
struct RecordHolder {
  ThreadRecord* record = nullptr;
  bool ended = false;
  ~RecordHolder() {
    ended = true;
    this_thread_record = nullptr;
    if (record == nullptr) {
      return;
    }
    {
      const std::lock_guard lock(registry_mutex);
      for (ThreadEnds* object = registered; object != nullptr; object = object->next_) {
        object->thread_ended(*record);
      }
    }
    delete record;
  }
};

namespace {

thread_local RecordHolder record_holder;

/// A child of fork() has the forking thread only, and none of the pools: their mutexes may be held for ever,
/// so that nobody may ask them. The thread gets a new record when it makes a pool of its own.
void forget_in_child() noexcept {
  registered = nullptr;
  this_thread_record = nullptr;
  record_of_parent = std::exchange(record_holder.record, nullptr);
}

}  // namespace

ThreadRecord* ensure_thread_record() {
  if (this_thread_record == nullptr && !record_holder.ended) {
    record_holder.record = new ThreadRecord;
    this_thread_record = record_holder.record;
  }
  return this_thread_record;
}

void register_for_thread_ends(ThreadEnds& object) {
  after_fork_in_child(forget_in_child);
  const std::lock_guard lock(registry_mutex);
  object.next_ = registered;
  if (registered != nullptr) {
    registered->previous_ = &object;
  }
  registered = &object;
}

void unregister_for_thread_ends(ThreadEnds& object) noexcept {
  const std::lock_guard lock(registry_mutex);
  (object.previous_ != nullptr ? object.previous_->next_ : registered) = object.next_;
  if (object.next_ != nullptr) {
    object.next_->previous_ = object.previous_;
  }
}

}  // namespace clpool::core
