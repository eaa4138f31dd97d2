// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pools that end while commands still use their memory, and what looks on.
#pragma once

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {

/// What a pool's functions work on, and whether they were told in time that it may go.
struct Owner {
  int destroyed = 0;
  int told_too_late = 0;
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  Owner() {
    callbacks.destroy = [](void* user) { ++static_cast<Owner*>(user)->destroyed; };
    callbacks.message = [](void* user, std::int32_t, const char*) {
      auto& owner = *static_cast<Owner*>(user);
      owner.told_too_late += owner.destroyed;
    };
  }
};

class EndedPools : public testing::Test {
 protected:
  void SetUp() override {
    allocator = make_allocator(clpool_allocator_create_svm, scene.cl.context, 0, 0, nullptr);
    options.queues = &scene.cl.queue;
    options.queue_count = 1;
    options.wait_ns = 1'000'000;
  }
  void TearDown() override {
    stub_run_all();
    const PoolHandle pool = make_pool(allocator.get(), options);
    EXPECT_OK(clpool_pool_tick(pool.get()));
  }
  /// Makes a pool with one block, which a command that waits for `gate` uses, and gives up both.
  void end_a_pool(Gate& gate, std::size_t size) {
    PoolHandle pool = make_pool(allocator.get(), options);
    MemHandle mem = allocate(pool, size);
    ASSERT_OK(clpool_mem_fill(scene.cl.queue, mem.get(), &source_byte, 1, 0, 64, 1, gate.list(), nullptr));
  }
  /// Pools made from now on call `owner`'s functions. @return an allocator of buffers for them
  AllocatorHandle buffers_told_to(Owner& owner) {
    options.callbacks = &owner.callbacks;
    options.user = &owner;
    return immediate_allocator(scene.cl.queue);
  }
  /// Lets guards of ended pools come to an end: later pools of their allocator look after them.
  void end_guarded_pools_of(clpool_allocator* buffers) {
    options.callbacks = nullptr;
    options.guard = CLPOOL_GUARD_OFF;
    for (int i = 0; i < 5; ++i) {
      stub_run_all();
      make_pool(buffers, options).reset();
    }
  }

  Scene scene;
  AllocatorHandle allocator;
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
};

/// A device that gets on, past a gate, when events were asked about a few times.
struct SlowGate {
  Gate gate;
  int opens_after = 3;  ///< looks
  int queries = 0;
  static void look(const char* entry_point, void* user) {
    auto& self = *static_cast<SlowGate*>(user);
    if (std::strcmp(entry_point, "clGetEventInfo") == 0 && ++self.queries >= self.opens_after) {
      if (self.queries == self.opens_after) {
        self.gate.open();
      }
      stub_run_all();
    }
  }
};

/// A device that gets on whenever an event is asked about.
struct RunsOnLook {
  RunsOnLook() { stub_set_hook(look, nullptr); }
  RunsOnLook(const RunsOnLook&) = delete;
  RunsOnLook& operator=(const RunsOnLook&) = delete;
  ~RunsOnLook() { stub_set_hook(nullptr, nullptr); }
  static void look(const char* entry_point, void*) {
    if (std::strcmp(entry_point, "clGetEventInfo") == 0) {
      stub_run_all();
    }
  }
};

/// While a pool's end looks at an event, another thread asks for its memory; the event ends a while later.
struct AskedMeanwhile {
  Gate gate;
  std::function<clpool_status(clpool_mem**)> ask;
  std::chrono::milliseconds opens_after{20};  ///< since it asks
  clpool_status answer = CLPOOL_SUCCESS;
  std::atomic<int> queries = 0;
  std::atomic<bool> asks = false;
  std::atomic<bool> is_open = false;
  std::thread other{};
  static void look(const char* entry_point, void* user) {
    auto& self = *static_cast<AskedMeanwhile*>(user);
    if (std::strcmp(entry_point, "clGetEventInfo") != 0) {
      return;
    }
    if (++self.queries == 1) {
      self.other = std::thread([&self] {
        clpool_mem* mem = nullptr;
        self.asks = true;
        self.answer = self.ask(&mem);
        EXPECT_OK(clpool_mem_release(mem));
      });
      while (!self.asks) {
        std::this_thread::yield();
      }
      std::this_thread::sleep_for(self.opens_after);
      self.gate.open();
      self.is_open = true;
    }
    if (self.is_open) {
      stub_run_all();
    }
  }
};

/// Ends `pool`, of which an event keeps a block, while another thread asks as given, which is to be served.
inline void expect_served_while_it_ends(cl_context context, PoolHandle pool, std::size_t size,
                                        const std::function<clpool_status(clpool_mem**)>& ask) {
  AskedMeanwhile asked{.gate = Gate(context), .ask = ask};
  MemHandle mem = allocate(pool, size);
  ASSERT_OK(clpool_mem_release_after(mem.get(), 1, asked.gate.list()));
  mem.reset();
  stub_set_hook(AskedMeanwhile::look, &asked);
  pool.reset();
  asked.other.join();
  EXPECT_EQ(asked.answer, CLPOOL_SUCCESS);
  stub_set_hook(nullptr, nullptr);
}

}  // namespace clpool::test
