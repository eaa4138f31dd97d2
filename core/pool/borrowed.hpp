// Borrowed: all caches of a pool, taken from the threads that own them for as long as the object lives.
#pragma once

#include "pool/pool.hpp"

namespace clpool::core {

/// To be made with the pool's mutex held. The calling thread's own cache needs no taking: its owner is here.
class Pool::Borrowed {
 public:
  explicit Borrowed(Pool& pool) noexcept : pool_(pool) {
    bool any = false;
    for_each_foreign([&](ThreadCache& cache) {
      cache.lock.revoke();
      any = true;
    });
    if (any) {
      OwnerLock::barrier();
      for_each_foreign([](ThreadCache& cache) { cache.lock.wait(); });
    }
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() {
    for_each_foreign([](ThreadCache& cache) { cache.lock.restore(); });
  }

 private:
  template <typename Action>
  void for_each_foreign(Action&& action) noexcept {
    for (ThreadCache* cache = pool_.caches_; cache != nullptr; cache = cache->next) {
      if (cache->owner.load(std::memory_order_relaxed) != this_thread_record ||
          this_thread_record == nullptr) {
        action(*cache);
      }
    }
  }

  Pool& pool_;
};

}  // namespace clpool::core
