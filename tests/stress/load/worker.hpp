// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// One thread of the load: does what comes by chance with pools and blocks, for a while, and ends; another
// takes its place. What it has then goes back, at once or in the thread's very last moments.
#pragma once

#include <array>
#include <chrono>
#include <mutex>
#include <vector>

#include "held.hpp"
#include "stub_icd/stub.h"

namespace clpool::load {

/// What all threads share.
class Scene {
 public:
  using Clock = std::chrono::steady_clock;

  Scene(const Device& device, Context context, std::uint64_t seed, Clock::time_point end);

  /// A copy of one of the pools.
  Arena any_arena(Random& random);
  /// Gives up the program's references of one of them, whoever uses it, and puts a new one in its place.
  void replace_arena(Random& random);
  /// Puts one in, takes any out.
  std::vector<Held> exchange(Held held, Random& random);
  /// The last words: everything is released, and every counter must be what it has to be.
  void finish();

  bool is_over() const { return Clock::now() >= end_; }
  void count(std::uint64_t operations) { operations_ += operations; }
  std::uint64_t operations() const { return operations_; }
  std::uint64_t pools() const { return pools_; }
  std::uint64_t seed() const { return seed_; }

 private:
  struct Place {
    std::mutex mutex;
    Arena arena;
  };
  void finish(Arena& arena);
  cl_uint references() const;

  const Device device_;
  const Context context_;
  const std::uint64_t seed_;
  const Clock::time_point end_;
  const cl_uint references_;  ///< of the context, before any pool
  stub_counts before_ = {};
  std::array<Place, 12> places_;
  std::mutex box_mutex_;
  std::vector<Held> box_;
  std::atomic<std::uint64_t> operations_{0};
  std::atomic<std::uint64_t> pools_{0};
};

class Worker {
 public:
  Worker(Scene& scene, std::uint32_t lane, std::uint32_t generation);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  void run();
  /// For callbacks: gives back some of what this thread has; false if that is nothing.
  static bool relieve();

 private:
  void step();
  void allocate();
  void allocate_directly(const Arena& arena);
  void copy();
  void release_one();
  void exchange_one();
  void use_pool();
  Held& any() { return held_[random_() % held_.size()]; }
  std::size_t any_size();
  bool chance(std::uint32_t of) { return random_() % of == 0; }

  static thread_local Worker* current;
  Scene& scene_;
  Random random_;
  std::vector<Held> held_;
};

/// A pool's books while others use it.
void check_pool(const Arena& arena);

}  // namespace clpool::load
