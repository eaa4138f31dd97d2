// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Intrusive reference counting for the library's shared objects (allocators, pools, caches).
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/late_release.hpp"
#include "base/process.hpp"

namespace clpool::core {

/// Base of objects that are shared by counting. Born with one reference, which its creator owns.
class Shared : private LateRelease {
 public:
  Shared() noexcept
      : LateRelease([](LateRelease& object) noexcept { static_cast<Shared&>(object).release(); }) {}
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  /// INVALID_OPERATION, naming `what`, in a child of fork() of the process that made the object.
  Status require_own_process(const char* what) const noexcept {
    return core::require_own_process(made_in_, what);
  }

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  /// Gives up one reference; the last one destroys the object.
  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      last_reference_gone();
    }
  }
  /// Gives one up in a later call of the library that may wait and call drivers.
  void release_later() noexcept { put_off(); }

 protected:
  virtual ~Shared() = default;
  /// What the last release does: destroys the object unless a class has more to wait for.
  virtual void last_reference_gone() noexcept { delete this; }

 private:
  std::atomic<std::uint32_t> references_{1};
  const std::uint32_t made_in_ = process_generation();
};

/// Owning pointer to a Shared object.
template <typename T>
class Reference {
 public:
  Reference() = default;
  /// Takes over the caller's reference.
  static Reference adopt(T* object) noexcept {
    Reference result;
    result.object_ = object;
    return result;
  }
  /// Adds a reference of its own.
  static Reference share(T* object) noexcept {
    if (object != nullptr) {
      object->retain();
    }
    return adopt(object);
  }
  Reference(const Reference& other) noexcept : Reference(share(other.object_)) {}
  Reference(Reference&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Reference& operator=(Reference other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Reference() {
    if (object_ != nullptr) {
      object_->release();
    }
  }
  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }
  /// Hands the reference to the caller.
  T* detach() noexcept { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

}  // namespace clpool::core
