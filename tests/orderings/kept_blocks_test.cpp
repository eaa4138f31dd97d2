// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Blocks that waited for queues, and whose uses have ended, stay with their thread: its next request of that size needs neither
// the mutex nor a new handle.
#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include "orderings/holding_back.hpp"

namespace clpool::test {
namespace {

class KeptBlocks : public HoldingBack {
 protected:
  /// Blocks of that size, one at a time, on a device that is soon through with everything; each behind the events, too.
  void come_and_go(int count, std::size_t size = block, const std::vector<cl_event>& events = {}) {
    for (int i = 0; i < count; ++i) {
      clpool_mem* const mem = take(size);
      EXPECT_OK(clpool_mem_release_after(mem, static_cast<std::uint32_t>(events.size()), events.data()));
      EXPECT_OK(clpool_mem_release(mem));
      if (i % 16 == 0) {
        stub_run_all();
        most_kept = std::max(most_kept, kept());
      }
    }
  }
  std::uint64_t most_kept = 0;
};
INSTANTIATE_TEST_SUITE_P(, KeptBlocks, holding_back_kinds, name_of_kind);

TEST_P(KeptBlocks, ServeRequestsOfTheirSizeWithoutANewHandle) {
  open_pool();
  come_and_go(10'000);  // until the pool has its chunks
  const clpool_pool_stats before = stats_of(pool);
  const std::uint64_t markers = stub_calls("clEnqueueMarkerWithWaitList");
  come_and_go(20'480);
  EXPECT_GT(kept(), 64 * block);
  EXPECT_EQ(stats_of(pool).sub_buffers_created, before.sub_buffers_created);
  EXPECT_EQ(stats_of(pool).managed_bytes, before.managed_bytes);
  EXPECT_LE(stub_calls("clEnqueueMarkerWithWaitList") - markers, 400u) << "160 on each queue";
}

/// Before the pool has handed out all that is free: what circulates is little.
TEST_P(KeptBlocks, AreLookedForBehindAThousandReleases) {
  min_chunk_bytes = 16 * MiB;
  open_pool();
  come_and_go(1000);
  EXPECT_EQ(most_kept, 0u);
  come_and_go(2000);
  EXPECT_GT(most_kept, 512 * block);
}

/// Each such look is a marker.
TEST_P(KeptBlocks, AreNotLookedForBehindFewLargeReleases) {
  open_pool();
  std::uint64_t markers = 0;
  for (int i = 0; i < 200; ++i) {
    clpool_mem* const large = take(17 * MiB);
    const std::uint64_t before = stub_calls("clEnqueueMarkerWithWaitList");
    EXPECT_OK(clpool_mem_release(large));
    EXPECT_OK(clpool_mem_release(take()));
    markers += stub_calls("clEnqueueMarkerWithWaitList") - before;
    stub_run_all();
  }
  EXPECT_LE(markers, 20u);
}

TEST_P(KeptBlocks, AreShownAsCachedAndComeBackWithoutATag) {
  open_pool();
  come_and_go(5000);
  const std::uint64_t cached = shown(CLPOOL_STRETCH_CACHED);
  EXPECT_GT(cached, 0u);
  EXPECT_EQ(cached, kept());
  clpool_mem* const mem = take();
  const auto tag = [](void* found, const clpool_pool_stretch* stretch) {
    *static_cast<std::uint64_t*>(found) += stretch->state == CLPOOL_STRETCH_ACTIVE ? 1 + stretch->tag : 0;
    return 0;
  };
  std::uint64_t one_and_its_tag = 0;
  EXPECT_OK(clpool_pool_visit(pool.get(), tag, &one_and_its_tag));
  EXPECT_EQ(one_and_its_tag, 1u);
  EXPECT_OK(clpool_mem_release(mem));
}

TEST_P(KeptBlocks, AreNoneThatQueuesMayUse) {
  min_chunk_bytes = 16 * MiB;  // page-locked memory is made by the queue
  open_pool();
  Gate gate(scene.cl.context);
  clpool_mem* const used = take();
  ASSERT_EQ(clEnqueueBarrierWithWaitList(scene.cl.queue, 1, gate.list(), nullptr), CL_SUCCESS);
  EXPECT_OK(clpool_mem_release(used));
  std::set<clpool_mem*> seen;
  const auto take_3000 = [&] {
    for (int i = 0; i < 3000; ++i) {
      clpool_mem* const mem = take();
      seen.insert(mem);
      EXPECT_OK(clpool_mem_release(mem));
      stub_run_all();
    }
  };
  take_3000();
  EXPECT_FALSE(seen.contains(used));
  EXPECT_EQ(seen.size(), 3000u);
  EXPECT_EQ(kept(), 0u);
  gate.open();
  stub_run_all();
  take_3000();
  EXPECT_GT(kept(), 0u);
}

/// Of which each would be much of what may be kept.
TEST_P(KeptBlocks, AreNoLargeOnes) {
  open_pool();
  come_and_go(200, 2 * MiB);
  EXPECT_EQ(most_kept, 0u);
  for (int i = 0; i < 10 && most_kept == 0; ++i) {  // none comes free for a request that had to wait
    come_and_go(1000, MiB / 4);
  }
  EXPECT_GT(most_kept, 0u);
  EXPECT_LE(most_kept, 17 * MiB);
}

/// Else requests that wait for what is held back would find nothing that has come free.
TEST_P(KeptBlocks, AreNoneOfDeclaredUsesWhileMuchIsHeldBack) {
  open_pool();
  Gate gate(scene.cl.context);
  Gate ended(scene.cl.context);
  ended.open();
  for (int i = 0; i < 5; ++i) {
    clpool_mem* const mem = take(7 * MiB);
    EXPECT_OK(clpool_mem_release_after(mem, 1, gate.list()));
    EXPECT_OK(clpool_mem_release(mem));
  }
  come_and_go(5000, block, {ended.get()});
  EXPECT_EQ(most_kept, 0u) << "35 MiB";
  clpool_mem* const last = take(7 * MiB);
  gate.open();
  stub_run_all();
  EXPECT_OK(clpool_pool_tick(pool.get()));
  Gate second(scene.cl.context);
  std::vector<clpool_mem*> rest = {last};
  while (rest.size() < 4) {
    rest.push_back(take(7 * MiB));
  }
  for (clpool_mem* const mem : rest) {
    EXPECT_OK(clpool_mem_release_after(mem, 1, second.list()));
    EXPECT_OK(clpool_mem_release(mem));
  }
  come_and_go(5000, block, {ended.get()});
#if !defined \
    __SANITIZE_THREAD__  // where on slow machines so much waits in caches, too, that it is more than 32 MiB
  EXPECT_GT(most_kept, 0u) << "28 MiB";
#endif
  second.open();
}

TEST_P(KeptBlocks, AreFewWhereALimitLeavesLittleRoom) {
  min_chunk_bytes = 4 * MiB;
  open_pool(8 * MiB);
  come_and_go(10'000);
  EXPECT_GT(most_kept, 0u);
  EXPECT_LE(most_kept, MiB / 4 + 64 * 1024) << "a sixteenth, and what every pool's caches hold";
}

/// What one thread keeps is not lost for another one that has no memory.
TEST_P(KeptBlocks, AreTakenFromTheirThreadWhereMemoryIsShort) {
  stub_configure("mode=immediate");
  open_pool(64 * MiB);
  const Other keeper([&] { come_and_go(10'000); });
  EXPECT_GT(kept(), 0u);
  EXPECT_OK(clpool_mem_release(take(64 * MiB)));
}

/// Nobody else need look for them.
TEST_P(KeptBlocks, StayWithTheirThreadWhoeverLooks) {
  stub_configure("mode=immediate");
  min_chunk_bytes = 16 * MiB;
  open_pool();
  std::set<clpool_mem*> had;
  std::uint64_t calls = 0;
  std::size_t again = 0;
  Other other_thread(
      [&] {
        std::vector<clpool_mem*> all;
        for (int i = 0; i < 200; ++i) {
          all.push_back(take());
        }
        for (clpool_mem* const mem : all) {
          had.insert(mem);
          EXPECT_OK(clpool_mem_release(mem));
        }
      },
      [&] {
        const std::uint64_t before = stub_calls("clEnqueueMarkerWithWaitList") +
                                     stub_calls("clGetEventInfo") + stub_calls("clCreateSubBuffer");
        std::vector<clpool_mem*> all;
        for (int i = 0; i < 200; ++i) {
          all.push_back(take());
          again += had.contains(all.back()) ? 1 : 0;
        }
        calls = stub_calls("clEnqueueMarkerWithWaitList") + stub_calls("clGetEventInfo") +
                stub_calls("clCreateSubBuffer") - before;
        for (clpool_mem* const mem : all) {
          EXPECT_OK(clpool_mem_release(mem));
        }
      });
  for (int i = 0; i < 3000; ++i) {
    EXPECT_OK(clpool_mem_release(take()));
  }
  other_thread.go_on();
  EXPECT_EQ(again, 200u);
  EXPECT_EQ(calls, 0u);
}

/// They are nobody's who has no memory.
TEST_P(KeptBlocks, OfOthersServeWhereMemoryIsShort) {
  stub_configure("mode=immediate");
  min_chunk_bytes = 32 * MiB;
  open_pool(64 * MiB);
  const Other other_thread([&] {
    for (int i = 0; i < 40; ++i) {
      EXPECT_OK(clpool_mem_release(take()));
    }
  });
  for (int i = 0; i < 3000; ++i) {
    EXPECT_OK(clpool_mem_release(take()));
  }
  EXPECT_OK(clpool_mem_release(take(64 * MiB)));
}

TEST_P(KeptBlocks, OfOthersGoWithAllThatIsHeld) {
  stub_configure("mode=immediate");
  min_chunk_bytes = 16 * MiB;
  open_pool();
  const Other other_thread([&] {
    std::vector<clpool_mem*> all;
    for (int i = 0; i < 100; ++i) {
      all.push_back(take());
    }
    for (clpool_mem* const mem : all) {
      EXPECT_OK(clpool_mem_release(mem));
    }
  });
  for (int i = 0; i < 3000; ++i) {
    EXPECT_OK(clpool_mem_release(take()));
  }
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  stub_run_all();
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  EXPECT_EQ(stats_of(pool).managed_bytes, 0u);
}

TEST_P(KeptBlocks, AreForTheRequestThatFoundThemWhateverItsSize) {
  min_chunk_bytes = 4 * MiB;
  open_pool();
  std::vector<clpool_mem*> blocks;
  for (int i = 0; i < 1000; ++i) {
    blocks.push_back(take());
  }
  for (clpool_mem* const mem : blocks) {
    EXPECT_OK(clpool_mem_release(mem));
  }
  EXPECT_OK(clpool_pool_tick(pool.get()));  // a marker, behind which they come free with the next look
  stub_run_all();
  EXPECT_OK(clpool_mem_release(take(3 * MiB)));
  EXPECT_EQ(stats_of(pool).managed_bytes, 4 * MiB);
}

TEST_P(KeptBlocks, GoWithAllThatIsHeld) {
  open_pool();
  come_and_go(5000);
  EXPECT_GT(kept(), 0u);
  stub_run_all();
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  stub_run_all();
  EXPECT_OK(clpool_pool_free_held(pool.get()));
  EXPECT_EQ(stats_of(pool).managed_bytes, 0u);
}

/// A few at a time, so that no request takes long for all that was kept.
TEST_P(KeptBlocks, GoFewAtATimeForARequestOfAnotherSize) {
  open_pool();
  come_and_go(20'000);
  const std::uint64_t before = kept();
  ASSERT_GT(before, 64 * block);
  std::vector<clpool_mem*> blocks;
  while (kept() == before && blocks.size() < 10'000) {
    blocks.push_back(take(2 * block));  // until nothing else is free
  }
  EXPECT_GE(kept() + 64 * block, before);
  for (clpool_mem* const mem : blocks) {
    EXPECT_OK(clpool_mem_release(mem));
  }
}

/// Where commands may use memory of which nobody told.
TEST(BlocksThatWaitForNothing, AreNotKeptWhereUsesAreUnknown) {
  Scene scene;
  const AllocatorHandle allocator =
      make_allocator(clpool_allocator_create_svm, scene.cl.context, 0, 0, nullptr);
  const PoolHandle pool = make_pool(allocator.get());
  Gate gate(scene.cl.context);
  for (int i = 0; i < 200; ++i) {
    clpool_mem* const mem = allocate(pool, block).release();
    EXPECT_OK(clpool_mem_release_after(mem, 1, gate.list()));
    EXPECT_OK(clpool_mem_release(mem));
  }
  gate.open();
  std::uint64_t most_kept = 0;
  for (int i = 0; i < 200; ++i) {
    clpool_mem* const mem = allocate(pool, (i + 1) * block).release();  // looks, as nothing else is free
    most_kept = std::max<std::uint64_t>(most_kept, stats_of(pool).cached_bytes);
    EXPECT_OK(clpool_mem_release(mem));
  }
  EXPECT_EQ(stats_of(pool).pending_bytes, 0u);
  EXPECT_EQ(most_kept, 0u);
}

/// In a pool of one queue, whose order is all that its blocks need: one that was declared to be used on another queue comes free
/// when that is through, though the pool's own may still use it. Its chunk must not go back before.
TEST(BlocksThatWaitForNothing, ComeFreeWithTheirChunkThatTheQueueStillUses) {
  Scene scene;
  stub_configure("mode=immediate");
  const AllocatorHandle allocator =
      make_allocator(clpool_allocator_create_svm, scene.cl.context, 0, 0, nullptr);
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = &scene.cl.queue;
  options.queue_count = 1;
  const PoolHandle pool = make_pool(allocator.get(), options);
  const cl_command_queue other = scene.cl.another_queue();
  Gate gate(scene.cl.context);
  std::vector<clpool_mem*> blocks;
  for (int i = 0; i < 70; ++i) {
    blocks.push_back(allocate(pool, 256).release());
    ASSERT_OK(clpool_mem_used_on(blocks.back(), other));
  }
  ASSERT_EQ(clEnqueueSVMMemFill(scene.cl.queue, clpool_mem_pointer(blocks.front()), &source_byte, 1, 256, 1,
                                gate.list(), nullptr),
            CL_SUCCESS);
  for (clpool_mem* const mem : blocks) {
    EXPECT_OK(clpool_mem_release(mem));
  }
  stub_run_all();
  std::thread([&] { allocate(pool, 64 * MiB).reset(); }).join();
  EXPECT_EQ(stats_of(pool).chunks, 2u);
  gate.open();
  stub_run_all();
}

/// WOULD_BLOCK is for what needs a wait or a driver.
TEST_P(KeptBlocks, AreForRequestsThatWaitForNothingToo) {
  open_pool();
  std::vector<clpool_mem*> blocks = {take(7 * MiB), take(MiB / 2), take(MiB / 2)};
  const std::uint64_t managed = stats_of(pool).managed_bytes;
  for (clpool_mem* const mem : blocks) {
    EXPECT_OK(clpool_mem_release_idle(mem));
  }
  EXPECT_GT(kept(), 0u);
  clpool_mem* mem = nullptr;
  if (GetParam() == Kind::buffers) {
    EXPECT_EQ(clpool_pool_try_allocate(pool.get(), 4 * MiB, &mem), CLPOOL_ERROR_WOULD_BLOCK)
        << "for a handle";
    EXPECT_OK(clpool_pool_try_allocate(pool.get(), 7 * MiB, &mem));
  } else {
    EXPECT_OK(clpool_pool_try_allocate(pool.get(), 4 * MiB, &mem));
  }
  EXPECT_EQ(stats_of(pool).managed_bytes, managed);
  EXPECT_OK(clpool_mem_release(mem));
}

/// Pools whose blocks wait for nothing, and need no handles, keep as little as before.
TEST(BlocksThatWaitForNothing, AreNotKeptByTheMegabyte) {
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  const PoolHandle pool = make_pool(allocator.get());
  std::vector<MemHandle> blocks;
  for (int i = 0; i < 1000; ++i) {
    blocks.push_back(allocate(pool, block));
  }
  blocks.clear();
  EXPECT_LE(stats_of(pool).cached_bytes, 128u * 1024);
}

}  // namespace
}  // namespace clpool::test
