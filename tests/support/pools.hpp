// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What tests of pools share: handles of the C ABI that release themselves, and memory that is only numbers: a
// custom allocator that keeps books, has a capacity, and fails when it is told to.
#pragma once

#include <clpool/clpool.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace clpool::test {

template <auto function>
struct Releaser {
  template <typename Handle>
  void operator()(Handle* handle) const {
    static_cast<void>(function(handle));
  }
};
using AllocatorHandle = std::unique_ptr<clpool_allocator, Releaser<clpool_allocator_release>>;
using PoolHandle = std::unique_ptr<clpool_pool, Releaser<clpool_pool_release>>;
/// Page-locked blocks are held back until commands have ended, unless one says that none uses them, which is
/// so for those of the tests' own handles.
inline clpool_status release_block(clpool_mem* mem) {
  return clpool_mem_kind(mem) == CLPOOL_MEM_KIND_PINNED ? clpool_mem_release_idle(mem)
                                                        : clpool_mem_release(mem);
}
using MemHandle = std::unique_ptr<clpool_mem, Releaser<release_block>>;

/// A custom allocator over numbers. Safe from several threads; its own lock is not held while it is called
/// back. Every chunk must come back, once, with its size.
class NumberSource {
 public:
  std::uint64_t capacity = UINT64_MAX;  ///< bytes at a time
  std::uint64_t fail_from = 0;          ///< the first call that fails, from 1; 0: none
  std::uint64_t fail_count = 1;         ///< how many calls fail from there on
  clpool_status failure = CLPOOL_ERROR_OUT_OF_MEMORY;

  NumberSource() = default;
  NumberSource(const NumberSource&) = delete;
  NumberSource& operator=(const NumberSource&) = delete;
  ~NumberSource() {
    EXPECT_TRUE(chunks_.empty()) << chunks_.size() << " chunks were never given back";
    EXPECT_EQ(wrong_releases_, 0u);
  }

  AllocatorHandle allocator() {
    clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
    ops.allocate = [](void* user, uint64_t size, uint64_t alignment, uint64_t* chunk) {
      return static_cast<NumberSource*>(user)->take(size, alignment, *chunk);
    };
    ops.deallocate = [](void* user, uint64_t chunk, uint64_t size) {
      static_cast<NumberSource*>(user)->give_back(chunk, size);
    };
    ops.destroy = [](void* user) { ++static_cast<NumberSource*>(user)->destroyed_; };
    clpool_allocator* made = nullptr;
    EXPECT_EQ(clpool_allocator_create_custom(&ops, this, &made), CLPOOL_SUCCESS);
    return AllocatorHandle(made);
  }

  std::uint64_t calls() const { return locked(calls_); }
  std::uint64_t live_bytes() const { return locked(live_bytes_); }
  std::uint64_t peak_bytes() const { return locked(peak_bytes_); }
  std::uint64_t live_chunks() const { return locked_size(chunks_); }
  std::uint64_t destroyed() const { return locked(destroyed_); }
  /// What happened: sizes asked for and got (positive), refused ("-size") and given back ("free size").
  std::vector<std::string> events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  void forget_events() {
    const std::lock_guard lock(mutex_);
    events_.clear();
  }
  /// Call counts start again from 0.
  void restart_calls() {
    const std::lock_guard lock(mutex_);
    calls_ = 0;
  }

 private:
  clpool_status take(std::uint64_t size, std::uint64_t alignment, std::uint64_t& chunk) {
    const std::lock_guard lock(mutex_);
    ++calls_;
    const bool told = fail_from != 0 && calls_ >= fail_from && calls_ - fail_from < fail_count;
    if (told || size > capacity - live_bytes_) {
      note("refused ", size);
      return told ? failure : CLPOOL_ERROR_OUT_OF_MEMORY;
    }
    note("took ", size);
    chunk = (next_ + alignment - 1) / alignment * alignment;
    next_ = chunk + size;
    chunks_.emplace(chunk, size);
    live_bytes_ += size;
    peak_bytes_ = live_bytes_ > peak_bytes_ ? live_bytes_ : peak_bytes_;
    return CLPOOL_SUCCESS;
  }
  void give_back(std::uint64_t chunk, std::uint64_t size) {
    const std::lock_guard lock(mutex_);
    const auto place = chunks_.find(chunk);
    if (place == chunks_.end() || place->second != size) {
      ++wrong_releases_;
      return;
    }
    note("gave back ", size);
    chunks_.erase(place);
    live_bytes_ -= size;
  }
  void note(const char* what, std::uint64_t size) {
    if (events_.size() < 1000) {
      events_.push_back(what + std::to_string(size));
    }
  }
  template <typename T>
  T locked(const T& value) const {
    const std::lock_guard lock(mutex_);
    return value;
  }
  template <typename T>
  std::size_t locked_size(const T& container) const {
    const std::lock_guard lock(mutex_);
    return container.size();
  }

  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> chunks_;
  std::uint64_t next_ = 1 << 20;
  std::uint64_t calls_ = 0;
  std::uint64_t live_bytes_ = 0;
  std::uint64_t peak_bytes_ = 0;
  std::uint64_t destroyed_ = 0;
  std::uint64_t wrong_releases_ = 0;
  std::vector<std::string> events_;
};

/// An allocator by one of the library's functions and its arguments but for the last, which receives it.
template <typename Create, typename... Arguments>
AllocatorHandle make_allocator(Create* create, Arguments... arguments) {
  clpool_allocator* allocator = nullptr;
  EXPECT_EQ(create(arguments..., &allocator), CLPOOL_SUCCESS) << clpool_last_error_message();
  return AllocatorHandle(allocator);
}
/// … of buffers that are there when they are had.
inline AllocatorHandle immediate_allocator(cl_command_queue queue) {
  return make_allocator(clpool_allocator_create_immediate, queue, 0);
}

inline PoolHandle make_pool(clpool_allocator* allocator,
                            const clpool_pool_options& options = CLPOOL_POOL_OPTIONS_INIT) {
  clpool_pool* pool = nullptr;
  EXPECT_EQ(clpool_pool_create(allocator, &options, &pool), CLPOOL_SUCCESS) << clpool_last_error_message();
  return PoolHandle(pool);
}

/// A block, which must be had.
inline MemHandle allocate(clpool_pool* pool, std::size_t size) {
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(pool, size, &mem), CLPOOL_SUCCESS) << clpool_last_error_message();
  return MemHandle(mem);
}
inline MemHandle allocate(const PoolHandle& pool, std::size_t size) {
  return allocate(pool.get(), size);
}

/// A later call of the library, by which it does what was put off: releases by clpool_mem_release_later(), and the
/// end of pools whose memory was still in use when their own end had waited for that long enough.
inline void call_later() {
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_allocator_allocate(allocator.get(), 1, &mem), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_mem_release(mem), CLPOOL_SUCCESS);
  EXPECT_EQ(clpool_pool_free_held(make_pool(allocator.get()).get()), CLPOOL_SUCCESS);
}

inline clpool_pool_stats stats_of(clpool_pool* pool) {
  clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
  EXPECT_EQ(clpool_pool_statistics(pool, &stats), CLPOOL_SUCCESS);
  return stats;
}
inline clpool_pool_stats stats_of(const PoolHandle& pool) {
  return stats_of(pool.get());
}

/// The books agree with a recount, and the figures with each other.
inline void expect_sound(clpool_pool* pool) {
  EXPECT_EQ(clpool_pool_check(pool), CLPOOL_SUCCESS) << clpool_last_error_message();
  const clpool_pool_stats stats = stats_of(pool);
  EXPECT_EQ(stats.reserved_bytes + stats.held_bytes, stats.managed_bytes);
  EXPECT_LE(stats.cached_bytes + stats.pending_bytes, stats.held_bytes);
  EXPECT_GE(stats.reserved_bytes, stats.active_bytes);
  EXPECT_GE(stats.peak_managed_bytes, stats.managed_bytes);
  EXPECT_GE(stats.peak_active_bytes, stats.active_bytes);
  EXPECT_EQ(stats.hits + stats.misses, stats.allocations);
  EXPECT_EQ(stats.driver_allocations - stats.driver_releases, stats.chunks);
  EXPECT_LE(stats.largest_free_bytes, stats.held_bytes);
  EXPECT_LE(stats.fragmentation_ppm, 1000000u);
}
inline void expect_sound(const PoolHandle& pool) {
  expect_sound(pool.get());
}

/// The counters of blocks and bytes that a failed call must leave alone.
struct Counters {
  std::uint64_t active_blocks, active_bytes, reserved_bytes, peak_active_bytes, allocations;
  friend bool operator==(const Counters&, const Counters&) = default;
};
inline Counters counters_of(const PoolHandle& pool) {
  const clpool_pool_stats stats = stats_of(pool);
  return {stats.active_blocks, stats.active_bytes, stats.reserved_bytes, stats.peak_active_bytes,
          stats.allocations};
}

/// Messages of pools, as they arrive.
struct Messages {
  static void receive(void* user, int32_t severity, const char* text) {
    auto& self = *static_cast<Messages*>(user);
    const std::lock_guard lock(self.mutex);
    self.all.emplace_back(severity, text);
  }
  /// How many of a severity have `part` in their text.
  std::size_t count(int32_t severity, const std::string& part) const {
    const std::lock_guard lock(mutex);
    std::size_t found = 0;
    for (const auto& [level, text] : all) {
      found += level == severity && text.find(part) != std::string::npos ? 1 : 0;
    }
    return found;
  }
  mutable std::mutex mutex;
  std::vector<std::pair<int32_t, std::string>> all;
};

/// The process's messages, as long as it lives.
class Heard : public Messages {
 public:
  Heard() { clpool_set_message_callback(&Messages::receive, static_cast<Messages*>(this)); }
  Heard(const Heard&) = delete;
  Heard& operator=(const Heard&) = delete;
  ~Heard() { clpool_set_message_callback(nullptr, nullptr); }
  std::size_t findings(const std::string& part = "") const {
    const std::lock_guard lock(mutex);
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [&](const auto& message) {
      return message.second.starts_with("guard: ") && message.second.find(part) != std::string::npos;
    }));
  }
  std::string text() const {
    const std::lock_guard lock(mutex);
    std::string result;
    for (const auto& message : all) {
      result += message.second + "\n";
    }
    return result;
  }
};

}  // namespace clpool::test
