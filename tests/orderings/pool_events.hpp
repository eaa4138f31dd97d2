// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// A pool of blocks that wait for events, and what ends these.
#pragma once

#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {

/// Questions about events: counted, and each takes a while, and one of them comes with something else, if a test wants that.
struct Questions {
  const std::chrono::microseconds each;
  const std::uint64_t before;  ///< that many come until `action`
  const std::function<void()> action;
  std::atomic<std::uint64_t> count{0};

  explicit Questions(std::chrono::microseconds time = {}, std::uint64_t number = 0,
                     std::function<void()> what = {})
      : each(time), before(number), action(std::move(what)) {
    stub_set_hook(ask, this);
  }
  Questions(const Questions&) = delete;
  Questions& operator=(const Questions&) = delete;
  ~Questions() { stub_set_hook(nullptr, nullptr); }
  static void ask(const char* entry_point, void* user) {
    auto& self = *static_cast<Questions*>(user);
    if (std::strcmp(entry_point, "clGetEventInfo") == 0) {
      const std::uint64_t number = ++self.count;
      if (self.each.count() != 0) {
        std::this_thread::sleep_for(self.each);
      }
      if (number == self.before) {
        self.action();
      }
    }
  }
};

/// A stream that ends a command in each period.
struct Stream {
  explicit Stream(std::chrono::milliseconds period)
      : worker([this, period] {
          for (auto next = std::chrono::steady_clock::now(); !is_over; std::this_thread::sleep_until(next)) {
            next += period;
            const std::lock_guard lock(mutex);
            if (!running.empty()) {
              running.front().open();
              running.pop_front();
            }
          }
        }) {}
  /// All of them have ended.
  void stop() {
    is_over = true;
    worker.join();
    for (Gate& gate : running) {
      gate.open();
    }
  }

  std::mutex mutex;
  std::deque<Gate> running;
  std::atomic<bool> is_over{false};
  std::thread worker;
};

class PoolOfManyEvents : public testing::Test {
 protected:
  static constexpr std::size_t small = 1024;     // bytes
  static constexpr std::size_t large = 1 << 22;  // 4 MiB

  void SetUp() override {
    source = numbers.allocator();
    pool = make_pool(source.get());
    EXPECT_OK(
        clpool_mem_release_idle(take(small)));  // this thread has an account of its own, before any other
    ended.emplace(scene.cl.context);
    ended->open();
  }

  clpool_mem* take(std::size_t size) {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_pool_allocate(pool.get(), size, &mem));
    return mem;
  }
  static void release_behind(clpool_mem* mem, Gate& gate) {
    EXPECT_OK(clpool_mem_release_after(mem, 1, gate.list()));
    EXPECT_OK(clpool_mem_release(mem));
  }
  /// So many blocks that are handed out at the same time.
  void release_many_behind(Gate& gate, std::size_t count, std::size_t size) {
    std::vector<clpool_mem*> blocks;
    for (std::size_t i = 0; i < count; ++i) {
      blocks.push_back(take(size));
    }
    for (clpool_mem* const mem : blocks) {
      release_behind(mem, gate);
    }
  }
  clpool_pool_stats stats() { return stats_of(pool); }

  Scene scene;
  NumberSource numbers;
  AllocatorHandle source;
  PoolHandle pool;
  std::optional<Gate> ended;
};

}  // namespace clpool::test
