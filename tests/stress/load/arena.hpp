// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// One pool under load, of any kind, with its queues. An Arena is copied by whoever works with it: each copy
// has a reference of its own on everything, so that the others may end theirs meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "handles.hpp"

namespace clpool::load {

using Random = std::mt19937;

enum class Kind { deferred, immediate, pinned, svm, svm_without_queue, svm_fine, custom, numbers };
const char* name_of(Kind kind);

/// What the device can.
struct Device {
  explicit Device(cl_device_id device);
  bool has(Kind kind) const;
  cl_device_id id;
  bool has_svm = false;
  bool has_fine_svm = false;
  bool has_out_of_order = false;
};

/// What is known beside a pool, whose counters must say the same in the end. Kept until the process ends.
struct Figures {
  std::string name;  ///< what kind of pool it is, for messages
  std::atomic<std::uint64_t> served{0};
  std::atomic<std::int64_t> active{0};
};

struct Arena {
  Kind kind = Kind::custom;
  bool is_told_queues = false;  ///< else only the library's own commands may use the memory
  bool may_fail = false;        ///< the allocator fails now and then, in any way
  std::uint64_t limit = 0;      ///< bytes; 0: none
  bool limits_allocator = false;
  Context context;
  std::vector<Queue> queues;  ///< the pool's own
  Queue foreign;              ///< one of which the pool was told nothing
  Allocator allocator;
  Pool pool;
  Figures* figures = nullptr;

  bool is_custom() const { return kind == Kind::custom || kind == Kind::numbers; }
};

/// Called by a pool's callbacks in the thread whose request they were made for. True if anything was
/// released.
using Relief = bool (*)();

/// A pool of a kind that the device has, over a context of its own or, mostly, the shared one.
Arena make_arena(const Device& device, const Context& shared, Random& random, Relief relief);

}  // namespace clpool::load
