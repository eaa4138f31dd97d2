// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Storage of flags: recycled, never returned to the host's allocator.
#include "base/lasting_flag.hpp"

#include <mutex>

#include "base/process.hpp"

namespace clpool::core {

namespace {

constinit ForkMutex mutex;

}  // namespace

constinit LastingFlag::Storage* LastingFlag::spare_ = nullptr;

LastingFlag::Storage* LastingFlag::take() {
  const std::lock_guard lock(mutex);
  if (spare_ == nullptr) {
    return new Storage;
  }
  Storage* const taken = spare_;
  spare_ = taken->next;
  return taken;
}

void LastingFlag::give_back(Storage& storage) noexcept {
  const std::lock_guard lock(mutex);
  storage.next = spare_;
  spare_ = &storage;
}

LastingFlag::LastingFlag() : storage_(take()) {}
LastingFlag::~LastingFlag() {
  give_back(*storage_);
}

}  // namespace clpool::core
