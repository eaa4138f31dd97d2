// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Released blocks that wait for their pool's queues in their threads' caches: they need neither the mutex nor the driver, are
// handed out when the queues are through with them and not before, and are nobody's own.
#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <set>
#include <thread>
#include <vector>

#include "orderings/holding_back.hpp"

namespace clpool::test {
namespace {

class WaitingBlocks : public HoldingBack {
 protected:
  /// Has the queue wait for the gate before anything that is enqueued later.
  static void close(cl_command_queue queue, Gate& gate) {
    ASSERT_EQ(clEnqueueBarrierWithWaitList(queue, 1, gate.list(), nullptr), CL_SUCCESS);
  }
  std::vector<clpool_mem*> take_some(std::size_t count) {
    std::vector<clpool_mem*> blocks(count);
    for (clpool_mem*& mem : blocks) {
      mem = take();
    }
    return blocks;
  }
  static void release(const std::vector<clpool_mem*>& blocks) {
    for (clpool_mem* const mem : blocks) {
      EXPECT_OK(clpool_mem_release(mem));
    }
  }
  /// … behind the gate, and in an epoch of their own.
  void release_behind(Gate& gate, const std::vector<clpool_mem*>& blocks) {
    close(last_queue(), gate);
    release(blocks);
    EXPECT_OK(clpool_pool_tick(pool.get()));
  }
  std::uint64_t pending() { return stats_of(pool).pending_bytes; }
  void tick() {
    EXPECT_OK(clpool_pool_tick(pool.get()));
    stub_run_all();
    EXPECT_OK(clpool_pool_tick(pool.get()));
  }
  cl_command_queue last_queue() { return GetParam() == Kind::page_locked ? scene.cl.queue : other; }
};
INSTANTIATE_TEST_SUITE_P(, WaitingBlocks, holding_back_kinds, name_of_kind);

/// Nor is a driver called for them.
TEST_P(WaitingBlocks, AreTakenByReleasesThatNeverWait) {
  open_pool();
  const std::vector<clpool_mem*> blocks = take_some(10);
  const std::uint64_t calls = stub_calls(nullptr);
  for (clpool_mem* const mem : blocks) {
    EXPECT_OK(clpool_mem_try_release(mem));
  }
  EXPECT_EQ(stub_calls(nullptr), calls);
  EXPECT_EQ(pending(), 10 * block);
}

/// Which call no driver, and so find only what somebody has seen to have ended.
TEST_P(WaitingBlocks, ServeRequestsThatNeverWait) {
  open_pool();
  const std::vector<clpool_mem*> blocks = take_some(3);
  release(blocks);
  tick();
  clpool_mem* mem = nullptr;
  EXPECT_OK(clpool_pool_try_allocate(pool.get(), block, &mem));
  EXPECT_TRUE(std::set(blocks.begin(), blocks.end()).contains(mem));
  EXPECT_OK(clpool_mem_release(mem));
}

/// Commands that were enqueued behind the markers that are through, and before the release.
TEST_P(WaitingBlocks, WaitForMarkersBehindTheirRelease) {
  min_chunk_bytes = 16 * MiB;
  open_pool();
  const std::vector<clpool_mem*> blocks = take_some(100);
  release(blocks);
  tick();
  EXPECT_EQ(kept(), 100 * block);
  std::vector<clpool_mem*> again = take_some(100);
  EXPECT_EQ(std::set(again.begin(), again.end()), std::set(blocks.begin(), blocks.end()));
  clpool_mem* const used = again.back();
  again.pop_back();
  release(again);
  EXPECT_OK(clpool_pool_tick(pool.get()));  // the marker of these
  Gate gate(scene.cl.context);
  close(last_queue(), gate);
  EXPECT_OK(clpool_mem_release(used));
  tick();
  EXPECT_EQ(kept(), 99 * block);
  EXPECT_EQ(pending(), block);
  std::vector<clpool_mem*> then = take_some(150);
  EXPECT_FALSE(std::set(then.begin(), then.end()).contains(used));
  release(then);
  gate.open();
  tick();
  EXPECT_EQ(pending(), 0u);
  then = take_some(151);
  EXPECT_TRUE(std::set(then.begin(), then.end()).contains(used));
  release(then);
}

/// … and those of another thread that come between a marker and the end of the look that enqueued it.
TEST_P(WaitingBlocks, WaitForMarkersBehindTheirReleaseInAnotherThreadWhileOthersAreEnqueued) {
  open_pool();
  Gate gate(scene.cl.context);
  struct {
    const cl_command_queue queues[2];
    cl_command_queue marked = nullptr;
    Other* thread = nullptr;
  } meanwhile{{scene.cl.queue, other}};
  clpool_mem* used = nullptr;
  Other thread([&] { used = take(); },
               [&] {
                 close(meanwhile.marked, gate);
                 EXPECT_OK(clpool_mem_release(used));
               });
  meanwhile.thread = &thread;
  clpool_mem* const mem = take();
  stub_run_all();
  EXPECT_OK(clpool_mem_release(mem));
  stub_set_hook(
      [](const char* entry_point, void* user) {
        auto& self = *static_cast<decltype(meanwhile)*>(user);
        if (std::strcmp(entry_point, "clFlush") == 0 &&
            self.marked == nullptr) {  // the first marker is there
          self.marked = self.queues[stub_pending(self.queues[0]) != 0 ? 0 : 1];
          self.thread->go_on();
        }
      },
      &meanwhile);
  EXPECT_OK(clpool_pool_tick(pool.get()));
  stub_set_hook(nullptr, nullptr);
  ASSERT_NE(meanwhile.marked, nullptr);
  for (int i = 0; i < 3; ++i) {
    tick();
  }
  EXPECT_EQ(pending(), block) << "what was enqueued between has not ended";
  EXPECT_EQ(kept(), block);
  gate.open();
}

/// Two threads ask at the same time, and the one that asks about what is older hears it later.
TEST_P(WaitingBlocks, AreKnownToHaveWaitedWhateverIsHeardOfOlderOnesAfterThat) {
  open_pool();
  const std::vector<clpool_mem*> blocks = take_some(2);
  Gate gate(scene.cl.context);
  for (clpool_mem* const mem : blocks) {
    release_behind(gate, {mem});  // each in an epoch of its own
  }
  EXPECT_EQ(pending(), 2 * block);
  gate.open();
  stub_run_all();
  struct {
    clpool_pool* pool;
    bool has_asked = false;
  } asks{pool.get()};
  stub_set_hook(
      [](const char* entry_point, void* user) {
        auto& self = *static_cast<decltype(asks)*>(user);
        if (std::strcmp(entry_point, "clGetEventInfo") == 0 && !self.has_asked) {
          self.has_asked = true;
          std::thread([&self] { EXPECT_OK(clpool_pool_tick(self.pool)); }).join();
        }
      },
      &asks);
  EXPECT_OK(clpool_pool_tick(pool.get()));
  stub_set_hook(nullptr, nullptr);
  EXPECT_TRUE(asks.has_asked);
  EXPECT_EQ(pending(), 0u);
  EXPECT_EQ(kept(), 2 * block);
}

TEST_P(WaitingBlocks, CountAsPendingUntilTheirQueuesAreThrough) {
  open_pool();
  Gate gate(scene.cl.context);
  release(take_some(3));
  close(last_queue(), gate);
  release(take_some(4));
  tick();
  clpool_pool_stats stats = stats_of(pool);
  EXPECT_EQ(stats.active_blocks, 0u);
  EXPECT_EQ(stats.held_bytes, stats.managed_bytes);
  EXPECT_EQ(stats.pending_bytes, 7 * block) << "one marker is behind all of them";
  EXPECT_EQ(shown(CLPOOL_STRETCH_PENDING), 7 * block);
  EXPECT_EQ(shown(CLPOOL_STRETCH_CACHED), 0u);
  EXPECT_LT(stats.largest_free_bytes, stats.managed_bytes);
  const std::uint64_t blocks = stats.held_blocks;
  gate.open();
  stub_run_all();
  tick();
  stats = stats_of(pool);
  EXPECT_EQ(stats.pending_bytes, 0u);
  EXPECT_EQ(stats.cached_bytes, 7 * block);
  EXPECT_EQ(stats.held_blocks, blocks);
  EXPECT_EQ(stats.largest_free_bytes, stats.managed_bytes) << "with what is free around them";
  EXPECT_EQ(shown(CLPOOL_STRETCH_PENDING), 0u);
  EXPECT_EQ(shown(CLPOOL_STRETCH_CACHED), 7 * block);
}

/// Of several epochs, some of which are through.
TEST_P(WaitingBlocks, CountEachByItsEpoch) {
  open_pool();
  release(take_some(3));
  tick();
  EXPECT_EQ(pending(), 0u);
  Gate gate(scene.cl.context);
  close(last_queue(), gate);
  const std::vector<clpool_mem*> later = take_some(5);  // three of them from before
  release({later[3], later[4]});
  tick();
  release({later[0]});
  EXPECT_EQ(pending(), 3 * block);
  EXPECT_EQ(kept(), 0u);
  gate.open();
  stub_run_all();
  EXPECT_OK(clpool_pool_tick(pool.get()));
  EXPECT_EQ(kept(), 2 * block) << "the last one's marker is on its way";
  EXPECT_EQ(pending(), block);
  EXPECT_EQ(shown(CLPOOL_STRETCH_PENDING), block);
  release({later[1], later[2]});
}

/// Ticks of any thread mark what others have released.
TEST_P(WaitingBlocks, AreMarkedByTicksOfOtherThreads) {
  open_pool();
  const std::vector<clpool_mem*> blocks = take_some(5);
  tick();  // of what made their memory
  release(blocks);
  std::thread([&] { tick(); }).join();
  EXPECT_EQ(pending(), 0u);
}

TEST_P(WaitingBlocks, InOthersCachesServeWhoIsShortOfMemory) {
  stub_configure("mode=immediate");
  min_chunk_bytes = 4 * MiB;
  open_pool(4 * MiB);
  const Other keeper([&] { release(take_some(15)); });
  EXPECT_EQ(pending(), 15 * block);
  EXPECT_OK(clpool_mem_release(take(4 * MiB)));
}

/// A request waits for what another thread's cache has, and is served as soon as the queues are through with that.
TEST_P(WaitingBlocks, AreWaitedForInOthersCaches) {
  min_chunk_bytes = 4 * MiB;
  open_pool(4 * MiB);
  Gate gate(scene.cl.context);
  const Other keeper([&] {
    const std::vector<clpool_mem*> blocks = take_some(15);
    close(last_queue(), gate);
    release(blocks);
  });
  std::future<clpool_mem*> whole = std::async(std::launch::async, [&] { return take(4 * MiB); });
  EXPECT_EQ(whole.wait_for(std::chrono::milliseconds(20)), std::future_status::timeout);
  gate.open();
  while (whole.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
    stub_run_all();
  }
  EXPECT_OK(clpool_mem_release(whole.get()));
}

TEST_P(WaitingBlocks, OfAThreadThatHasEndedServeOthers) {
  min_chunk_bytes = 4 * MiB;
  open_pool();
  std::thread([&] { release(take_some(15)); }).join();
  EXPECT_EQ(pending(), 15 * block);
  tick();
  clpool_mem* const whole = take(4 * MiB);
  EXPECT_EQ(stats_of(pool).managed_bytes, 4 * MiB);
  EXPECT_OK(clpool_mem_release(whole));
}

TEST_P(WaitingBlocks, GoBackWhenTheQueuesAreThrough) {
  open_pool();
  Gate gate(scene.cl.context);
  std::vector<clpool_mem*> blocks = take_some(10);
  close(last_queue(), gate);
  release(blocks);
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  EXPECT_EQ(pending(), 10 * block);
  gate.open();
  stub_run_all();
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  EXPECT_EQ(stats_of(pool).managed_bytes, 0u);
}

/// A pool ends when nothing uses them any more, where the driver would not keep their memory.
TEST_P(WaitingBlocks, KeepTheirMemoryAtTheEndOfTheirPool) {
  open_pool();
  if (GetParam() != Kind::addresses) {
    GTEST_SKIP() << "the driver keeps buffers for their commands";
  }
  Gate gate(scene.cl.context);
  const std::vector<clpool_mem*> blocks = take_some(10);
  const std::uint64_t frees = stub_calls("clSVMFree");
  close(last_queue(), gate);
  release(blocks);
  pool.reset();
  EXPECT_EQ(stub_calls("clSVMFree"), frees);
  gate.open();
  stub_run_all();
  open_pool();  // which ends the other one
  EXPECT_EQ(stub_calls("clSVMFree"), frees + 1);
}

/// Of a cache that has given all of them up.
TEST_P(WaitingBlocks, ComeFreeEpochByEpochWhereTheirCacheHoldsThemNoLonger) {
  open_pool();
  const std::vector<clpool_mem*> earlier = take_some(10);
  const std::vector<clpool_mem*> later = take_some(10);
  stub_run_all();
  Gate first(scene.cl.context);
  Gate second(scene.cl.context);
  release_behind(first, earlier);
  release_behind(second, later);
  EXPECT_OK(clpool_pool_trim(pool.get(), UINT64_MAX));
  EXPECT_EQ(pending(), 20 * block);
  first.open();
  tick();
  EXPECT_EQ(pending(), 10 * block);
  second.open();
  tick();
  EXPECT_EQ(pending(), 0u);
}

TEST_P(WaitingBlocks, GoWithTheirPoolWhereTheirCacheHoldsThemNoLonger) {
  const std::uint64_t before = stub_device_bytes();
  open_pool();
  Gate gate(scene.cl.context);
  const std::vector<clpool_mem*> blocks = take_some(10);
  EXPECT_GT(stub_device_bytes(), before);
  release_behind(gate, blocks);
  EXPECT_OK(clpool_pool_trim(pool.get(), UINT64_MAX));
  pool.reset();
  gate.open();
  stub_run_all();
  open_pool();  // which ends the other one, where addresses are kept until then
  pool.reset();
  stub_run_all();  // page-locked memory goes behind the queue
  EXPECT_EQ(stub_device_bytes(), before);
}

/// Nothing comes free before what stands before it, so that they go by their epochs, not behind the others.
TEST_P(WaitingBlocks, ComeFreeBeforeLaterOnesThatTheirCachesDidNotHold) {
  min_chunk_bytes = 8 * MiB;
  open_pool(8 * MiB);
  clpool_mem* const large = take(4 * MiB);
  const std::vector<clpool_mem*> blocks = take_some(15);
  clpool_mem* const rest = take(4 * MiB - 15 * block);
  stub_run_all();
  Gate first(scene.cl.context);
  Gate second(scene.cl.context);
  release_behind(first, blocks);
  release_behind(second, {large});
  EXPECT_OK(clpool_pool_trim(pool.get(), UINT64_MAX));
  EXPECT_EQ(pending(), 4 * MiB + 15 * block);
  first.open();
  tick();
  EXPECT_EQ(pending(), 4 * MiB);
  release({take(), rest});
  second.open();
}

/// What has waited in the cache of a thread that does not come by any more is free like all that it caches.
TEST_P(WaitingBlocks, OfIdleThreadsServeOthersBeforeThePoolGrows) {
  open_pool();
  const Other keeper([&] { release(take_some(1000)); });
  tick();
  const clpool_pool_stats before = stats_of(pool);
  EXPECT_GT(before.cached_bytes, MiB);
  const std::vector<clpool_mem*> all = take_some(before.held_bytes / block);
  EXPECT_EQ(stats_of(pool).managed_bytes, before.managed_bytes);
  release(all);
}

/// A part of a block is an object of its own: whoever uses it may do so while its block is released.
TEST_P(WaitingBlocks, WaitForWhatOthersDeclareMeanwhile) {
  stub_configure("mode=immediate");
  open_pool();
  if (GetParam() == Kind::page_locked) {
    GTEST_SKIP() << "page-locked memory is not filled";
  }
  const cl_command_queue foreign = scene.cl.another_queue();
  std::atomic<int> round{0};
  std::atomic<int> used{0};
  clpool_mem* part = nullptr;
  Gate* gate = nullptr;
  constexpr int rounds = 200;
  std::thread user([&] {
    for (int i = 1; i <= rounds; ++i) {
      while (round != i) {
        std::this_thread::yield();
      }
      const char value = 1;
      EXPECT_OK(clpool_mem_fill(foreign, part, &value, 1, 0, block, 1, gate->list(), nullptr));
      EXPECT_OK(clpool_mem_release(part));
      used = i;
    }
  });
  for (int i = 1; i <= rounds; ++i) {
    clpool_mem* const mem = take();
    EXPECT_OK(clpool_mem_sub_region(mem, 0, block, 0, &part));
    Gate closed(scene.cl.context);
    gate = &closed;
    round = i;
    EXPECT_OK(clpool_mem_release(mem));
    while (used != i) {
      std::this_thread::yield();
    }
    tick();
    EXPECT_EQ(pending(), block);
    closed.open();
    EXPECT_EQ(clFinish(foreign), CL_SUCCESS);
    tick();
  }
  user.join();
}

/// So that no request takes long for all that has waited.
TEST_P(WaitingBlocks, ThatHaveWaitedGoFewAtATimeForARequestOfAnotherSize) {
  open_pool();
  release(take_some(1000));
  tick();
  ASSERT_EQ(kept(), 1000 * block);
  std::vector<clpool_mem*> blocks;
  for (std::uint64_t left = kept(); left != 0 && blocks.size() < 2000; left = kept()) {
    blocks.push_back(take(40 * block));
    ASSERT_LE(left - kept(), 128 * block) << "of " << left;
  }
  EXPECT_EQ(kept(), 0u);
  release(blocks);
}

/// However many requests a device makes wait that is far behind: seldom.
TEST_P(WaitingBlocks, AreAskedAboutSeldomInVain) {
  min_chunk_bytes = 64 * MiB;
  open_pool();
  Gate gate(scene.cl.context);
  const std::vector<clpool_mem*> first = take_some(1);
  close(last_queue(), gate);
  release(first);
  EXPECT_OK(clpool_pool_tick(pool.get()));
  const std::uint64_t before = stub_calls("clGetEventInfo");
  const std::vector<clpool_mem*> blocks = take_some(3000);
  EXPECT_LE(stub_calls("clGetEventInfo") - before, 200u);
  gate.open();
  stub_run_all();
  release(blocks);
}

/// Else each time that all of them are through new ones would be needed until a marker is.
TEST_P(WaitingBlocks, AreMarkedBeforeTheLastOfThemIsTaken) {
  min_chunk_bytes = 16 * MiB;
  open_pool();
  std::set<clpool_mem*> circulating;
  for (int i = 0; i < 60'000; ++i) {
    clpool_mem* const mem = take();
    circulating.insert(mem);
    EXPECT_OK(clpool_mem_release(mem));
    if (i % 512 == 0) {
      stub_run_all();  // so late are markers
    }
  }
  EXPECT_LE(circulating.size(), 2500u);
}

/// A new part of a buffer takes drivers as long as dozens of hits.
TEST_P(WaitingBlocks, ServeSmallerRequestsWhereTheseWouldNeedAHandle) {
  open_pool();
  const std::vector<clpool_mem*> in_use = take_some(100);  // a quarter of what is in use may be in vain
  clpool_mem* const larger = take(6 * 1024);
  EXPECT_OK(clpool_mem_release(larger));
  tick();
  const std::uint64_t parts = stats_of(pool).sub_buffers_created;
  clpool_mem* const mem = take(5 * 1024);
  EXPECT_EQ(mem == larger, GetParam() == Kind::buffers);
  EXPECT_EQ(stats_of(pool).sub_buffers_created, parts);
  EXPECT_OK(clpool_mem_release(mem));
  release(in_use);
}

/// A block that must wait for events or other queues, too, is not among them, nor one that has a mark of the user's.
TEST_P(WaitingBlocks, AreThoseOfWhichNothingElseIsKnown) {
  open_pool();
  Gate gate(scene.cl.context);
  clpool_mem* const with_event = take();
  clpool_mem* const with_tag = take();
  EXPECT_OK(clpool_mem_release_after(with_event, 1, gate.list()));
  EXPECT_OK(clpool_mem_set_tag(with_tag, 7));
  EXPECT_EQ(clpool_mem_try_release(with_event), CLPOOL_ERROR_WOULD_BLOCK);
  EXPECT_EQ(clpool_mem_try_release(with_tag), CLPOOL_ERROR_WOULD_BLOCK);
  release({with_event, with_tag});
  tick();
  EXPECT_EQ(pending(), block);
  gate.open();
  tick();
  EXPECT_EQ(pending(), 0u);
}

/// A command of the library on one of the pool's queues says nothing that the pool does not know.
TEST_P(WaitingBlocks, AreThoseThatTheLibraryUsedToo) {
  open_pool();
  if (GetParam() == Kind::page_locked) {
    GTEST_SKIP() << "page-locked memory is not filled";
  }
  clpool_mem* const mem = take();
  const char value = 1;
  EXPECT_OK(clpool_mem_fill(last_queue(), mem, &value, 1, 0, block, 0, nullptr, nullptr));
  EXPECT_OK(clpool_mem_try_release(mem));
  const cl_command_queue foreign = scene.cl.another_queue();
  clpool_mem* const elsewhere = take();
  EXPECT_OK(clpool_mem_fill(foreign, elsewhere, &value, 1, 0, block, 0, nullptr, nullptr));
  EXPECT_EQ(clpool_mem_try_release(elsewhere), CLPOOL_ERROR_WOULD_BLOCK)
      << "the pool waits for that queue, too";
  EXPECT_OK(clpool_mem_release(elsewhere));
}

/// What another thread releases waits in its own thread's cache as soon as that comes by.
TEST_P(WaitingBlocks, ComeHomeFromOtherThreads) {
  open_pool();
  const std::vector<clpool_mem*> blocks = take_some(20);
  Gate gate(scene.cl.context);
  close(last_queue(), gate);
  std::thread([&] { release(blocks); }).join();
  const std::vector<clpool_mem*> more = take_some(20);
  std::set<clpool_mem*> both(blocks.begin(), blocks.end());
  both.insert(more.begin(), more.end());
  EXPECT_EQ(both.size(), 40u);
  EXPECT_EQ(pending(), 20 * block);
  gate.open();
  tick();
  EXPECT_EQ(kept(), 20 * block);
  release(more);
}

TEST_P(WaitingBlocks, AreNoneWhereNothingIsToBeHeld) {
  open_pool();
  clpool_mem* const mem = take();
  EXPECT_OK(clpool_pool_stop_holding(pool.get()));
  EXPECT_EQ(clpool_mem_try_release(mem), CLPOOL_ERROR_WOULD_BLOCK);
  EXPECT_OK(clpool_mem_release(mem));
  stub_run_all();
  tick();
  EXPECT_EQ(stats_of(pool).managed_bytes, 0u);
}

}  // namespace
}  // namespace clpool::test
