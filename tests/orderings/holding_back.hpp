// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Pools of each kind of memory in which released blocks wait for the pool's queues.
#pragma once

#include <functional>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
inline constexpr std::size_t block = 4096;

enum class Kind { buffers, page_locked, addresses };

inline std::string name_of_kind(const testing::TestParamInfo<Kind>& info) {
  switch (info.param) {
    case Kind::buffers:
      return "BuffersOfTwoQueues";
    case Kind::page_locked:
      return "PageLocked";
    case Kind::addresses:
      return "SvmOfTwoQueues";
  }
  return "";
}
inline const auto holding_back_kinds = testing::Values(Kind::buffers, Kind::page_locked, Kind::addresses);

/// A thread that has released blocks, whose uses end while another thread looks at the queues. It goes on when it is told to.
class Other {
 public:
  explicit Other(
      std::function<void()> first, std::function<void()> then = [] {}) {
    std::promise<void> done;
    std::future<void> is_done = done.get_future();
    thread_ = std::thread(
        [this, first = std::move(first), then = std::move(then), done = std::move(done)]() mutable {
          first();
          done.set_value();
          goes_on_.get_future().wait();
          then();
        });
    is_done.wait();
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;
  ~Other() { go_on(); }
  void go_on() {
    if (thread_.joinable()) {
      goes_on_.set_value();
      thread_.join();
    }
  }

 private:
  std::promise<void> goes_on_;
  std::thread thread_;
};

/// One of these, over two queues, or one where the host writes.
class HoldingBack : public testing::TestWithParam<Kind> {
 protected:
  void TearDown() override {
    // A tick looks at events for a millisecond.
    for (int i = 0; i < 1000 && pool != nullptr && stats_of(pool).pending_bytes != 0; ++i) {
      stub_run_all();
      EXPECT_OK(clpool_pool_tick(pool.get()));
    }
    if (pool != nullptr) {
      const clpool_pool_stats stats = stats_of(pool);
      EXPECT_EQ(stats.active_blocks, 0u);
      EXPECT_EQ(stats.pending_bytes, 0u);
      EXPECT_EQ(stats.held_bytes, stats.managed_bytes);
    }
    stub_run_all();
    pool.reset();
  }
  void open_pool(std::uint64_t max_bytes = UINT64_MAX) {
    clpool_allocator* made = nullptr;
    switch (GetParam()) {
      case Kind::buffers:
        ASSERT_OK(clpool_allocator_create_immediate(scene.cl.queue, 0, &made));
        break;
      case Kind::page_locked:
        ASSERT_OK(clpool_allocator_create_pinned(scene.cl.queue, 0, &made));
        break;
      case Kind::addresses:
        ASSERT_OK(clpool_allocator_create_svm(scene.cl.context, 0, 0, nullptr, &made));
        break;
    }
    const AllocatorHandle allocator(made);
    const cl_command_queue queues[] = {scene.cl.queue, other};
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.queues = queues;
    options.queue_count = GetParam() == Kind::page_locked ? 1 : 2;
    options.max_bytes = max_bytes;
    options.min_chunk_bytes = min_chunk_bytes;
    pool = make_pool(made, options);
  }
  clpool_mem* take(std::size_t size = block) {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_pool_allocate(pool.get(), size, &mem));
    return mem;
  }
  /// Bytes of the stretches that pictures show in that state.
  std::uint64_t shown(std::uint32_t state) {
    struct Sum {
      std::uint32_t state;
      std::uint64_t bytes;
    } sum{state, 0};
    const auto add = [](void* user, const clpool_pool_stretch* stretch) {
      auto& to = *static_cast<Sum*>(user);
      to.bytes += stretch->state == to.state ? stretch->size : 0;
      return 0;
    };
    EXPECT_OK(clpool_pool_visit(pool.get(), add, &sum));
    return sum.bytes;
  }
  std::uint64_t min_chunk_bytes = 0;
  std::uint64_t kept() { return stats_of(pool).cached_bytes; }

  Scene scene;
  cl_command_queue other = scene.cl.another_queue();
  PoolHandle pool;
};

}  // namespace clpool::test
