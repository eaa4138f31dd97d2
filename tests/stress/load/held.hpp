// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A block (or memory straight from an allocator) that one thread has, with what was written to it and the
// commands that use it. Every word of it has the same stamp, which no other block has: a word with another
// one was written by somebody who had no right to, or by nobody.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "arena.hpp"

namespace clpool::load {

class Held {
 public:
  Held(const Arena& arena, clpool_mem* mem, Queue queue, bool is_pooled);
  Held(Held&& other) noexcept { *this = std::move(other); }
  Held& operator=(Held&& other) noexcept;
  ~Held();

  /// Commands and host accesses. Each declares its use as the pool has to be told.
  void write(Random& random);
  void check();
  /// From memory of the same context that is at least as large; true if there was anything to copy.
  bool copy_from(Held& source, Random& random);
  /// Says that a command on the foreign queue uses the block, in one of the ways in which that can be said.
  void use_on_foreign(Random& random);
  void set_tag(Random& random);
  /// Waits for all commands that use it.
  void wait();
  /// Gives the block back, in one of the ways in which that can be done.
  void release(Random& random);

  bool is_stamped() const { return stamp_ != 0; }

 private:
  bool is_buffer() const { return kind_ == Kind::deferred || kind_ == Kind::immediate; }
  bool is_svm() const {
    return kind_ == Kind::svm || kind_ == Kind::svm_without_queue || kind_ == Kind::svm_fine;
  }
  bool host_may_access() const {
    return kind_ == Kind::pinned || kind_ == Kind::custom || kind_ == Kind::svm_fine;
  }
  bool is_foreign() const { return queue_ && queue_.get() == foreign_.get(); }
  bool has_commands() const { return kind_ != Kind::custom && kind_ != Kind::numbers; }
  std::size_t bytes() const { return clpool_mem_size(mem_) / 4 * 4; }
  std::uint32_t* words() const { return static_cast<std::uint32_t*>(clpool_mem_pointer(mem_)); }
  void fill_by_host();
  void fill_by_library();
  void fill_by_opencl();
  bool upload(Held& source, Random& random);
  void expect(clpool_status status, const char* what) const;

  clpool_mem* mem_ = nullptr;
  Queue queue_;    ///< for its commands; null for custom memory
  Queue foreign_;  ///< one that the pool was not told of
  Event last_;     ///< complete when all commands that use the memory are
  Context context_;
  Kind kind_ = Kind::numbers;
  bool is_pooled_ = false;
  bool is_told_queues_ = false;
  Figures* figures_ = nullptr;
  std::uint32_t stamp_ = 0;  ///< 0: nothing was written
  std::string written_;      ///< how, for messages
};

}  // namespace clpool::load
