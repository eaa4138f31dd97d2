// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A cache of results, keyed by an object and a byte string. Each key is computed once,
// whichever thread asks first; failures are not kept. No lock is held while the user's functions run. In a child of
// fork() the parent's caches are not used: callers see to it (require_own_process()).
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/reference.hpp"
#include "base/status.hpp"

namespace clpool::core {

/// How the cache keeps an object alive while results for it are kept.
struct MemoObjectKind {
  Status (*retain)(void* object) noexcept;
  void (*release)(void* object) noexcept;
};

/// The user's functions; those of clpool_memo_ops.
struct MemoFunctions {
  std::int32_t (*compute)(void* user, void** value) = nullptr;
  void (*destroy)(void* user, void* value) = nullptr;  ///< may be null
};

/// A result: kept by the cache and by everyone it was handed to; destroyed with the last of them.
class MemoValue final : public Shared {
 public:
  MemoValue(void* value, void (*destroy)(void*, void*), void* user) noexcept
      : value_(value), destroy_(destroy), user_(user) {}
  void* get() const noexcept { return value_; }

 private:
  ~MemoValue() override {
    if (destroy_ != nullptr) {
      destroy_(user_, value_);
    }
  }
  void* value_;
  void (*destroy_)(void*, void*);
  void* user_;
};

class Memo final : public Shared {
 public:
  Memo();

  /// The result for (object, key): what is kept, or what `functions.compute` gives now. Waits while another
  /// thread computes it. `user` is kept with a new result, for `functions.destroy`. CALLBACK if the
  /// computation fails; INVALID_OPERATION if it asks for its own key.
  /// Two threads that compute keys that ask for each other wait for ever: only a key's own thread is known.
  Status get(void* object, const MemoObjectKind& kind, std::string key, const MemoFunctions& functions,
             void* user, Reference<MemoValue>& value);

  /// What is kept for (object, key); NOT_FOUND without a message otherwise. Never computes, never waits.
  Status find(void* object, const std::string& key, Reference<MemoValue>& value);

  /// Forgets all results, or those of one object, and gives up the objects. What is being computed stays.
  void clear();
  void clear_object(void* object);

  /// Number of results that are kept.
  std::size_t size() const;

  /// clear() of every cache that this process made.
  static void clear_all();

 private:
  ~Memo() override;

  struct Key {
    void* object;
    std::string bytes;
    friend auto operator<=>(const Key&, const Key&) = default;  // NOLINT(modernize-use-nullptr): sees a 0
  };

  /// Either being computed by `owner`, or done with `value`.
  struct Entry {
    std::thread::id owner;
    Reference<MemoValue> value;
    const MemoObjectKind* kind = nullptr;
  };

  /// Entries that were taken out under the lock, to be destroyed after it.
  class Removed;
  using Entries = std::map<Key, Entry>;

  template <typename Predicate>
  void take_done(Predicate&& wanted, Removed& removed);
  Status compute(const Key& key, const MemoFunctions& functions, void* user, Reference<MemoValue>& value);
  void forget(const Key& key) noexcept;

  mutable std::mutex mutex_;
  std::condition_variable done_;
  Entries entries_;
  Memo* next_ = nullptr;  ///< list of all caches
  Memo* previous_ = nullptr;
};

}  // namespace clpool::core
