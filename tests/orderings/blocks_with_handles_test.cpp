// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Small blocks that need a handle each stay in their threads' caches where a pool would make new ones else: up to a bound, and not
// so that the pool takes much more than is needed.
#include <algorithm>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "orderings/holding_back.hpp"

namespace clpool::test {
namespace {

/// Blocks of a pool over one queue, which wait for nothing, but each of which has a handle of its own.
class BlocksThatNeedHandles : public testing::Test {
 protected:
  void begin_pool(std::uint64_t max_bytes = 0) {
    const AllocatorHandle allocator = immediate_allocator(scene.cl.queue);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.max_bytes = max_bytes;
    pool = make_pool(allocator.get(), options);
  }
  /// One at a time, of 1 KiB and more.
  void take_turns(std::size_t most_kilobytes = 64) {
    for (std::size_t kilobytes = 1; kilobytes <= most_kilobytes; ++kilobytes) {
      allocate(pool, kilobytes << 10).reset();
    }
  }
  std::vector<MemHandle> small_blocks(std::size_t bytes) {
    std::vector<MemHandle> blocks;
    for (std::size_t taken = 0; taken < bytes; taken += 1024) {
      blocks.push_back(allocate(pool, 1024));
    }
    return blocks;
  }
  /// The last ones, which stay in the cache, from all over.
  static void release_scattered(std::vector<MemHandle>& blocks) {
    constexpr std::size_t step = 40;
    for (std::size_t first = 0; first < step; ++first) {
      for (std::size_t i = first; i < blocks.size(); i += step) {
        blocks[i].reset();
      }
    }
    blocks.clear();
  }
  void be_refused(std::size_t size) {
    clpool_mem* mem = nullptr;
    stub_fail_from("clCreateBuffer", 1, CL_MEM_OBJECT_ALLOCATION_FAILURE);
    EXPECT_EQ(clpool_pool_allocate(pool.get(), size, &mem), CLPOOL_ERROR_OUT_OF_MEMORY);
    stub_fail_none();
  }
  std::uint64_t made() { return stats_of(pool).sub_buffers_created; }

  Scene scene;
  PoolHandle pool;
};

TEST_F(BlocksThatNeedHandles, OfSomeSizesInTurnAreMadeOnce) {
  begin_pool();
  take_turns();
  take_turns();
  const std::uint64_t before = made();
  take_turns();
  EXPECT_EQ(made(), before);
  EXPECT_LE(stats_of(pool).managed_bytes, 4 * MiB) << "2 MiB are kept";
}

/// Blocks of 512 bytes and of 128 KiB share a place of a cache: the first to be released is under the other one.
TEST_F(BlocksThatNeedHandles, AreFoundUnderThoseOfOtherSizes) {
  begin_pool();
  const auto take_both = [&] {
    MemHandle small = allocate(pool, 512);
    MemHandle large = allocate(pool, 128 << 10);
    small.reset();
    large.reset();
  };
  take_both();
  take_both();
  const std::uint64_t before = made();
  for (int i = 0; i < 20; ++i) {
    take_both();
  }
  EXPECT_EQ(made(), before);
  EXPECT_LE(stats_of(pool).cached_bytes, (128u << 10) + 1024);
}

TEST_F(BlocksThatNeedHandles, AreKeptUpToABound) {
  begin_pool();
  std::vector<MemHandle> blocks;
  for (int i = 0; i < 1000; ++i) {
    blocks.push_back(allocate(pool, 32 << 10));
  }
  blocks.clear();
  EXPECT_GE(stats_of(pool).cached_bytes, MiB);
  EXPECT_LE(stats_of(pool).cached_bytes, 2 * MiB + stats_of(pool).managed_bytes / 100);
}

/// … for which the pool does not grow.
TEST_F(BlocksThatNeedHandles, AreThereForALargerOne) {
  begin_pool();
  take_turns(32);
  const std::uint64_t managed = stats_of(pool).managed_bytes;
  allocate(pool, 256 << 10).reset();
  EXPECT_EQ(stats_of(pool).managed_bytes, managed);
}

/// A large pool's caches hold more than what may make it larger.
TEST_F(BlocksThatNeedHandles, AreThereForASmallOneWhereThereAreMore) {
  begin_pool();
  const MemHandle large = allocate(pool, 512 * MiB);
  std::vector<MemHandle> blocks;
  for (int i = 0; i < 160; ++i) {
    blocks.push_back(allocate(pool, 32 << 10));
  }
  blocks.clear();
  EXPECT_GE(stats_of(pool).cached_bytes, 4 * MiB);
  const std::uint64_t managed = stats_of(pool).managed_bytes;
  for (int i = 0; i < 200; ++i) {
    blocks.push_back(allocate(pool, 24 << 10));
  }
  EXPECT_EQ(stats_of(pool).managed_bytes, managed);
}

TEST_F(BlocksThatNeedHandles, AreThereForItsThreadWhereAnotherReleasedThem) {
  begin_pool();
  std::vector<MemHandle> blocks;
  while (blocks.size() < 2000 || stats_of(pool).held_bytes != 0) {  // until its chunks are full
    blocks.push_back(allocate(pool, 32 << 10));
  }
  const std::uint64_t managed = stats_of(pool).managed_bytes;
  std::thread([&] { blocks.clear(); }).join();
  allocate(pool, 36 << 10).reset();
  EXPECT_EQ(stats_of(pool).managed_bytes, managed);
}

/// A cache may hold a single block of any size.
TEST_F(BlocksThatNeedHandles, AreTakenFromThreadsThatHaveEndedBeforeThePoolGrows) {
  stub_configure("mode=immediate");
  begin_pool();
  allocate(pool, block).reset();
  std::thread([&] {
    for (int i = 0; i < 3; ++i) {
      allocate(pool, 64 * MiB).reset();
    }
  }).join();
  ASSERT_GE(stats_of(pool).cached_bytes, 64 * MiB);
  std::vector<MemHandle> blocks;
  for (int i = 0; i < 1000; ++i) {
    blocks.push_back(allocate(pool, 60'000));
  }
  EXPECT_LE(stats_of(pool).peak_managed_bytes, 66 * MiB);
}

/// Blocks of 1 KiB that lie everywhere are kept: what is between them is none for larger ones.
TEST_F(BlocksThatNeedHandles, DoNotKeepApartWhatIsBetweenThem) {
  stub_configure("mode=immediate");
  begin_pool();
  for (int round = 0; round < 3; ++round) {
    std::vector<MemHandle> blocks = small_blocks(16 * MiB);
    const std::uint64_t managed = stats_of(pool).managed_bytes;
    release_scattered(blocks);
    EXPECT_GE(stats_of(pool).cached_bytes, MiB);
    for (std::size_t taken = 0; taken < 16 * MiB; taken += 128 << 10) {
      blocks.push_back(allocate(pool, 128 << 10));
    }
    EXPECT_LE(stats_of(pool).managed_bytes, managed + 3 * MiB) << "round " << round;
  }
}

/// The same for blocks of any size, where another thread's cache has them, which has nothing to do any more.
TEST_F(BlocksThatNeedHandles, OfAnIdleThreadDoNotKeepApartWhatIsBetweenThem) {
  stub_configure("mode=immediate");
  begin_pool();
  allocate(pool, block).reset();
  std::vector<MemHandle> large;
  std::uint64_t managed = 0;
  Other other([&] {
    std::vector<MemHandle> blocks = small_blocks(16 * MiB);
    managed = stats_of(pool).managed_bytes;
    release_scattered(blocks);
  });
  ASSERT_GE(stats_of(pool).cached_bytes, MiB / 2);
  for (int i = 0; i < 16; ++i) {
    large.push_back(allocate(pool, MiB));
  }
  EXPECT_LE(stats_of(pool).managed_bytes, managed + 2 * MiB);
}

/// A program in phases, each with sizes of its own: what the pool has more for them does not add up.
TEST_F(BlocksThatNeedHandles, MakeAPoolOfPhasesLittleLarger) {
  stub_configure("mode=immediate");
  begin_pool();
  std::vector<MemHandle> blocks;
  for (std::size_t phase = 0; phase < 40; ++phase) {
    const std::size_t size = phase % 2 == 0 ? std::size_t{128} << phase % 10 : (100 + phase) << 10;
    for (std::size_t taken = 0; taken < 8 * MiB; taken += size) {
      blocks.push_back(allocate(pool, size));
    }
    release_scattered(blocks);
  }
  EXPECT_LE(stats_of(pool).peak_managed_bytes, 12 * MiB);
}

/// A program that has little in use but single blocks of up to 4 MiB, for which a pool that kept all made a new chunk, and gave
/// another one back, with 0.9 % of all requests for ever.
TEST_F(BlocksThatNeedHandles, AreFewWhereLargeOnesMakeChunksForThem) {
  stub_configure("mode=immediate");
  begin_pool();
  std::mt19937 numbers(1);
  std::vector<std::size_t> sizes;
  for (double size = 8000; size < 4e6; size *= 1.18) {
    sizes.push_back(static_cast<std::size_t>(size));
  }
  std::vector<MemHandle> blocks;
  std::size_t in_use = 0;
  std::uint64_t chunks = 0;
  for (int i = 0; i < 300'000; ++i) {
    if (i == 200'000) {
      chunks = stats_of(pool).driver_allocations;
    }
    if (in_use <= 256 << 10) {
      blocks.push_back(allocate(pool, sizes[numbers() % sizes.size()]));
      in_use += clpool_mem_size(blocks.back().get());
    } else {
      std::swap(blocks[blocks.size() - 1 - numbers() % std::min<std::size_t>(blocks.size(), 5)],
                blocks.back());
      in_use -= clpool_mem_size(blocks.back().get());
      blocks.pop_back();
    }
  }
  EXPECT_LE(stats_of(pool).driver_allocations - chunks, 100U);
}

TEST_F(BlocksThatNeedHandles, AreNotKeptOnceTheDriverHasRefusedMemory) {
  begin_pool();
  be_refused(8 * MiB);
  take_turns();
  take_turns();
  EXPECT_LE(stats_of(pool).managed_bytes, MiB);
  std::vector<MemHandle> blocks;
  for (int i = 0; i < 40; ++i) {
    blocks.push_back(allocate(pool, 32 << 10));
  }
  blocks.clear();
  EXPECT_LE(stats_of(pool).cached_bytes, MiB / 4);
}

/// … but for a chunk that says nothing of whether memory is short.
TEST_F(BlocksThatNeedHandles, AreKeptWhereTheDriverHadNoHugeChunk) {
  begin_pool();
  be_refused(256 * MiB);
  take_turns();
  take_turns();
  const std::uint64_t before = made();
  take_turns();
  EXPECT_EQ(made(), before);
}

TEST_F(BlocksThatNeedHandles, AreFewerWhereThereAreManyPools) {
  std::vector<PoolHandle> others;
  for (int i = 0; i < 127; ++i) {
    begin_pool();
    others.push_back(std::move(pool));
  }
  begin_pool();
  take_turns();
  take_turns();
  EXPECT_LE(stats_of(pool).managed_bytes, 3 * MiB / 2) << "2.4 MiB, if it were alone";
  others.clear();
  begin_pool();
  take_turns();
  EXPECT_GE(stats_of(pool).managed_bytes, 2 * MiB) << "as it is now";
}

/// Pools from before hear of others when they are used.
TEST_F(BlocksThatNeedHandles, AreFewerOnceThereAreManyPools) {
  constexpr std::size_t count = 128;
  std::vector<PoolHandle> pools;
  std::uint64_t cached = 0;
  const auto use = [&](PoolHandle& used) {
    std::swap(pool, used);
    take_turns();
    take_turns();
    cached += stats_of(pool).cached_bytes;
    std::swap(pool, used);
  };
  for (std::size_t i = 0; i < count; ++i) {
    begin_pool();
    use(pools.emplace_back(std::move(pool)));
  }
  cached = 0;
  for (PoolHandle& each : pools) {
    use(each);
  }
  EXPECT_LE(cached, 64 * MiB + count * (64 << 10));
}

TEST_F(BlocksThatNeedHandles, AreNotKeptWhereALimitLeavesNoRoom) {
  constexpr std::uint64_t most = 192 << 10;
  begin_pool(most);
  take_turns();
  take_turns();
  const MemHandle all = allocate(pool, 2 * most / 3);
  allocate(pool, most / 4).reset();
  EXPECT_LE(stats_of(pool).managed_bytes, most);
}

/// Places of blocks of 4096 bytes that were released, each between two that are not, in a pool of 64 MiB.
class PlacesOfLargerBlocks : public BlocksThatNeedHandles {
 protected:
  void make_places(std::size_t count) {
    large = allocate(pool, 64 * MiB);
    for (std::size_t i = 0; i < 2 * count; ++i) {
      blocks.push_back(allocate(pool, 4096));
    }
    for (std::size_t i = 0; i < blocks.size(); i += 2) {
      blocks[i].reset();
    }
    ASSERT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS);  // also what is in the caches
  }
  static std::size_t size_of(cl_mem handle) {
    std::size_t size = 0;
    EXPECT_EQ(clGetMemObjectInfo(handle, CL_MEM_SIZE, sizeof size, &size, nullptr), CL_SUCCESS);
    return size;
  }

  MemHandle large;
  std::vector<MemHandle> blocks;
};

TEST_F(PlacesOfLargerBlocks, ServeSmallerOnesAsIfTheyWereOfTheirSize) {
  begin_pool();
  make_places(20);
  const std::uint64_t before = made();
  const std::uint64_t reserved = stats_of(pool).reserved_bytes;
  MemHandle block = allocate(pool, 3000);
  EXPECT_EQ(made(), before);
  EXPECT_EQ(clpool_mem_capacity(block.get()), 3072u);
  EXPECT_EQ(size_of(clpool_mem_handle(block.get())), 4096u);
  EXPECT_EQ(stats_of(pool).reserved_bytes, reserved + 3072);
  const clpool_mem* const same = block.get();
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t cached = stats_of(pool).cached_bytes;
    block.reset();
    EXPECT_EQ(stats_of(pool).cached_bytes, cached + 3072);
    block = allocate(pool, 3000);
    EXPECT_EQ(block.get(), same) << "by its thread's cache";
  }
  EXPECT_EQ(clpool_pool_check(pool.get()), CLPOOL_SUCCESS);
}

TEST_F(PlacesOfLargerBlocks, AreFoundAgainByTheirQueue) {
  begin_pool();
  make_places(20);
  const cl_command_queue other = scene.cl.another_queue();
  Gate gate(scene.cl.context);
  MemHandle block;
  const auto take = [&] {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_pool_allocate_on(pool.get(), other, 3000, &mem));
    block.reset(mem);
  };
  take();
  const clpool_mem* const same = block.get();
  EXPECT_EQ(size_of(clpool_mem_handle(same)), 4096u);
  const char source_byte = 1;
  EXPECT_OK(clpool_mem_fill(other, block.get(), &source_byte, 1, 0, 64, 1, gate.list(), nullptr));
  for (int i = 0; i < 10; ++i) {
    block.reset();
    take();
    EXPECT_EQ(block.get(), same);
  }
}

TEST_F(PlacesOfLargerBlocks, LeaveALimitToItsLastByte) {
  begin_pool(66 * MiB);
  large = allocate(pool, 64 * MiB);
  for (clpool_mem* mem = nullptr; clpool_pool_allocate(pool.get(), 4096, &mem) == CLPOOL_SUCCESS;) {
    blocks.emplace_back(mem);
  }
  ASSERT_EQ(blocks.size(), 512u);
  for (std::size_t i = 0; i < blocks.size(); i += 8) {
    blocks[i].reset();
  }
  ASSERT_EQ(clpool_pool_free_held(pool.get()), CLPOOL_SUCCESS);
  for (std::size_t i = 0; i < 128; ++i) {
    blocks.push_back(allocate(pool, 2048));
    ASSERT_NE(blocks.back(), nullptr) << i << ": " << clpool_last_error_message();
  }
}

}  // namespace
}  // namespace clpool::test
