// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What all of the driver's objects have in common, and who keeps them. An object lives on inside while
// something holds it, but its handle is dead for the program when the program's last reference is gone.
#pragma once

#include <CL/cl.h>
#include <CL/cl_icd.h>

#include <cstdint>
#include <utility>

#include "stub.h"

namespace stub {

enum class Kind : unsigned char {
  platform,
  device,
  context,
  queue,
  mem,
  event,
  sampler,
  program,
  kernel,
  svm,
  map
};

extern const cl_icd_dispatch dispatch_table;

/// No virtual functions: the dispatch pointer must come first.
struct Object {
  const cl_icd_dispatch* dispatch = &dispatch_table;
  Kind kind;
  bool is_destroyed = false;
  stub_kind counted_as = STUB_KINDS;  ///< STUB_KINDS: not counted
  long references = 0;                ///< of the program
  long holds = 0;                     ///< of the driver
  std::uint64_t id = 0;               ///< in the order of creation, for messages

  explicit Object(Kind k) : kind(k) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
};

/// Destroys what neither program nor driver needs any more. All of this with the driver's lock held.
void destroy_if_unused(Object& object);

/// The driver's own hold on an object.
template <typename T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* object) : object_(object) {
    if (object_ != nullptr) {
      ++object_->holds;
    }
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) {
      --object_->holds;
      destroy_if_unused(*object_);
    }
  }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

/// A new object is known, counted and has this many references of the program.
void enlist(Object& object, stub_kind counted_as, long references = 1);

/// One reference more, or less. The object of a last reference may be gone afterwards.
void add_reference(Object& object);
void drop_reference(Object& object);

/// True for what enlist() took and no destruction ended.
bool is_known(const void* handle);

const char* name_of(Kind kind);

}  // namespace stub
