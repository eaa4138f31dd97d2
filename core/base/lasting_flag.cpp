// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Storage of flags: recycled, never returned to the host's allocator.
#include "base/lasting_flag.hpp"

#include <mutex>

#include "base/process.hpp"

namespace clpool::core {

struct alignas(64) LastingFlag::Storage {
  std::atomic<bool> raised{false};
  Storage* next = nullptr;

  static Storage* take();
  static void give_back(Storage& storage) noexcept;

 private:
  static constinit ForkMutex mutex;
  static constinit Storage* spare;
};

constinit ForkMutex LastingFlag::Storage::mutex;
constinit LastingFlag::Storage* LastingFlag::Storage::spare = nullptr;

LastingFlag::Storage* LastingFlag::Storage::take() {
  const std::lock_guard lock(mutex);
  if (spare == nullptr) {
    return new Storage;
  }
  Storage* const taken = spare;
  spare = taken->next;
  return taken;
}

void LastingFlag::Storage::give_back(Storage& storage) noexcept {
  const std::lock_guard lock(mutex);
  storage.next = spare;
  spare = &storage;
}

LastingFlag::LastingFlag() : storage_(Storage::take()) {}
LastingFlag::~LastingFlag() {
  Storage::give_back(*storage_);
}

std::atomic<bool>& LastingFlag::get() const noexcept {
  return storage_->raised;
}

}  // namespace clpool::core
