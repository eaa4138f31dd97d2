// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// LastingFlag: a flag whose storage outlives its owner, for those who raise it after they have given up what
// kept the owner alive. It may by then be another owner's: who looks must bear a flag that was raised for
// nothing.
#pragma once

#include <atomic>

#include "base/recycler.hpp"

namespace clpool::core {

class LastingFlag {
 public:
  /// Storage of an owner that is gone, or new. Throws std::bad_alloc.
  LastingFlag() = default;
  ~LastingFlag() { storages_.give_back(storage_); }
  LastingFlag(const LastingFlag&) = delete;
  LastingFlag& operator=(const LastingFlag&) = delete;

  /// The flag, valid for ever.
  std::atomic<bool>& get() const noexcept { return storage_.raised; }

 private:
  struct alignas(64) Storage {
    std::atomic<bool> raised{false};
    Storage* next = nullptr;  ///< link of a list while it has no owner
  };
  static constinit Recycler<Storage> storages_;

  Storage& storage_ = storages_.take();
};

}  // namespace clpool::core
