// Thread records, and what happens when a thread ends.
#include "pool/thread_cache.hpp"

#include <mutex>

#include "pool/pool.hpp"

namespace clpool::core {

constinit thread_local ThreadRecord* this_thread_record = nullptr;

namespace {

constinit std::mutex registry_mutex;
constinit Pool* registered_pools = nullptr;

/// Owns the thread's record. At the thread's end its caches are left to the pools: no driver is called, and
/// no memory moves, because this may be the end of the process.
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
      for (Pool* pool = registered_pools; pool != nullptr; pool = pool->next_registered) {
        pool->abandon_caches_of(*record);
      }
    }
    delete record;
  }
};
thread_local RecordHolder record_holder;

}  // namespace

ThreadRecord* ensure_thread_record() {
  if (this_thread_record == nullptr && !record_holder.ended) {
    record_holder.record = new ThreadRecord;
    this_thread_record = record_holder.record;
  }
  return this_thread_record;
}

void register_pool(Pool& pool) {
  const std::lock_guard lock(registry_mutex);
  pool.next_registered = registered_pools;
  registered_pools = &pool;
}

void unregister_pool(Pool& pool) noexcept {
  const std::lock_guard lock(registry_mutex);
  for (Pool** link = &registered_pools; *link != nullptr; link = &(*link)->next_registered) {
    if (*link == &pool) {
      *link = pool.next_registered;
      return;
    }
  }
}

}  // namespace clpool::core
