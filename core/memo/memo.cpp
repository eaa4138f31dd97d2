// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// The cache: a map of entries under one mutex, and the list of all caches of the process.
#include "memo/memo.hpp"

#include "base/process.hpp"
#include "base/reported.hpp"

namespace clpool::core {
namespace {

constinit ForkMutex list_mutex;
constinit Memo* first_memo = nullptr;

/// The list is the process's: a child of fork() begins with none, as it may not use the parent's caches.
void forget_the_parents() noexcept {
  first_memo = nullptr;
}

}  // namespace

/// Nodes leave the map without allocating; the user's functions and the drivers run when this goes, unlocked.
class Memo::Removed {
 public:
  Removed() = default;
  Removed(const Removed&) = delete;
  Removed& operator=(const Removed&) = delete;
  ~Removed() {
    for (auto& [key, entry] : entries_) {
      entry.value = {};
      entry.kind->release(key.object);
    }
  }
  void take(Entries& from, Entries::iterator at) { entries_.insert(from.extract(at)); }

 private:
  std::multimap<Key, Entry> entries_;
};

Memo::Memo() {
  after_fork_in_child(forget_the_parents);
  const std::lock_guard lock(list_mutex);
  next_ = first_memo;
  if (next_ != nullptr) {
    next_->previous_ = this;
  }
  first_memo = this;
}

Memo::~Memo() {
  {
    const std::lock_guard lock(list_mutex);
    (previous_ != nullptr ? previous_->next_ : first_memo) = next_;
    if (next_ != nullptr) {
      next_->previous_ = previous_;
    }
  }
  clear();
}

template <typename Predicate>
void Memo::take_done(Predicate&& wanted, Removed& removed) {
  const std::lock_guard lock(mutex_);
  for (auto at = entries_.begin(); at != entries_.end();) {
    const auto next = std::next(at);
    if (at->second.value && wanted(at->first)) {
      removed.take(entries_, at);
    }
    at = next;
  }
}

void Memo::clear() {
  Removed removed;
  take_done([](const Key&) { return true; }, removed);
}

void Memo::clear_object(void* object) {
  Removed removed;
  take_done([object](const Key& key) { return key.object == object; }, removed);
}

void Memo::clear_all() {
  Removed removed;
  // A cache leaves the list before it dies, and waits for this lock to do so.
  const std::lock_guard lock(list_mutex);
  for (Memo* memo = first_memo; memo != nullptr; memo = memo->next_) {
    memo->take_done([](const Key&) { return true; }, removed);
  }
}

std::size_t Memo::size() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [key, entry] : entries_) {
    count += entry.value ? 1 : 0;
  }
  return count;
}

Status Memo::find(void* object, const std::string& key, Reference<MemoValue>& value) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(Key{object, key});
  if (found == entries_.end() || !found->second.value) {
    clear_last_error();
    return Status::not_found;
  }
  value = found->second.value;
  return Status::success;
}

Status Memo::get(void* object, const MemoObjectKind& kind, std::string bytes, const MemoFunctions& functions,
                 void* user, Reference<MemoValue>& value) {
  const Key key{object, std::move(bytes)};
  {
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto [at, is_new] = entries_.try_emplace(key);
      if (is_new) {
        at->second.owner = std::this_thread::get_id();
        at->second.kind = &kind;
        break;
      }
      if (at->second.value) {
        value = at->second.value;
        return Status::success;
      }
      if (at->second.owner == std::this_thread::get_id()) {
        return fail(Status::invalid_operation,
                    "the computation for a key of %zu bytes asks for its own result", key.bytes.size());
      }
      done_.wait(lock);
    }
  }
  Status status = kind.retain(object);
  if (status == Status::success) {
    status = compute(key, functions, user, value);
    if (status != Status::success) {
      kind.release(object);
    }
  }
  if (status != Status::success) {
    forget(key);
  }
  return status;
}

/// Runs the user's function and keeps its result. The entry exists and is this thread's.
Status Memo::compute(const Key& key, const MemoFunctions& functions, void* user,
                     Reference<MemoValue>& value) {
  void* result = nullptr;
  std::int32_t code = 0;
  Reported reported;
  if (const Thrown thrown([&] { code = functions.compute(user, &result); }); thrown) {
    return fail(Status::callback, "the computation for a key of %zu bytes threw%s", key.bytes.size(),
                thrown.text());
  }
  if (code != 0) {
    reported.look(code);
    if (code < 0) {
      return fail_cl(code, "the computation", "a key of %zu bytes%s", key.bytes.size(), reported.text());
    }
    return fail_behind(Reported::status_of(code), reported.code(),
                       "the computation for a key of %zu bytes reports status %d (%s)%s", key.bytes.size(),
                       code, status_text(static_cast<Status>(code)), reported.text());
  }
  auto* made = new (std::nothrow) MemoValue(result, functions.destroy, user);
  if (made == nullptr) {
    if (functions.destroy != nullptr) {
      functions.destroy(user, result);
    }
    return fail(Status::out_of_host_memory, "no host memory to keep a result in");
  }
  value = Reference<MemoValue>::adopt(made);
  {
    const std::lock_guard lock(mutex_);
    entries_.find(key)->second.value = value;
  }
  done_.notify_all();
  return Status::success;
}

/// Gives up a key whose computation failed; one of those who wait tries it next.
void Memo::forget(const Key& key) noexcept {
  {
    const std::lock_guard lock(mutex_);
    entries_.erase(entries_.find(key));
  }
  done_.notify_all();
}

}  // namespace clpool::core
