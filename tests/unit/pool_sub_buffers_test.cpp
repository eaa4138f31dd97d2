// The cache of sub-buffer objects: what it keeps, how much, and for how long; by itself and under a pool.
#include "pool/sub_buffers.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "allocator/immediate.hpp"
#include "pool/pool.hpp"
#include "support/driver.hpp"
#include "support/opencl.hpp"

namespace clpool::core {
namespace {

cl_mem object(std::uintptr_t number) {
  return reinterpret_cast<cl_mem>(number);
}

TEST(SubBuffers, GiveAnObjectOnceForItsExactPlace) {
  SubBuffers cache;
  HeapChunk chunk;
  HeapChunk other;
  cache.keep(chunk, 256, 512, object(1), 0);
  EXPECT_EQ(cache.take(chunk, 256, 256), nullptr);
  EXPECT_EQ(cache.take(chunk, 0, 512), nullptr);
  EXPECT_EQ(cache.take(other, 256, 512), nullptr);
  EXPECT_EQ(cache.take(chunk, 256, 512), object(1));
  EXPECT_EQ(cache.take(chunk, 256, 512), nullptr);
}

TEST(SubBuffers, GoWithTheirChunk) {
  SubBuffers cache;
  HeapChunk chunk;
  HeapChunk other;
  for (std::uintptr_t i = 1; i <= 10; ++i) {
    cache.keep(i % 2 == 0 ? chunk : other, i * 256, 256, object(i), 0);
  }
  SubBuffers::Entries removed;
  cache.take_all_of(chunk, removed);
  EXPECT_EQ(removed.size(), 5u);
  EXPECT_EQ(cache.take(chunk, 512, 256), nullptr);
  EXPECT_EQ(cache.take(other, 256, 256), object(1));
}

TEST(SubBuffers, BeyondTheBoundTheOldestGoThatNoQueueUses) {
  SubBuffers cache;
  HeapChunk chunk;
  for (std::uintptr_t i = 0; i < SubBuffers::bound + 10; ++i) {
    cache.keep(chunk, i * 256, 256, object(i + 1), i < 4 ? 1 : 5);
  }
  EXPECT_TRUE(cache.over_bound());
  SubBuffers::Entries removed;
  cache.take_excess(1, removed);
  EXPECT_EQ(removed.size(), 4u) << "the others may still be in use";
  EXPECT_EQ(removed.front().handle, object(1));
  cache.take_excess(5, removed);
  EXPECT_EQ(removed.size(), 10u);
  EXPECT_FALSE(cache.over_bound());
}

class PooledSubBuffers : public test::OpenClTest {};

TEST_F(PooledSubBuffers, StayBoundedHoweverLongAProgramVariesItsSizes) {
  const test::driver::Live before = test::driver::live();
  {
    Reference<Allocator> allocator;
    ASSERT_EQ(make_immediate_allocator(cl.queue, 0, allocator), Status::success);
    Reference<Pool> pool;
    PoolOptions options;
    options.min_chunk_bytes = 64 << 20;
    ASSERT_EQ(Pool::create(*allocator, options, pool), Status::success);
    std::mt19937 random(8);
    std::vector<Mem*> live;
    long most = 0;
    for (int i = 0; i < 60000; ++i) {
      Mem* mem = nullptr;
      ASSERT_EQ(pool->allocate(1 + random() % 100'000, mem), Status::success);
      live.push_back(mem);
      if (live.size() > 300) {
        std::swap(live[random() % live.size()], live.back());
        ASSERT_EQ(release_mem(*live.back()), Status::success);
        live.pop_back();
      }
      most = std::max(most, test::driver::live().memory - before.memory);
    }
    EXPECT_GT(pool->statistics().sub_buffers_created, SubBuffers::bound) << "the bound is reached";
    // What is live, in the threads' cache or on its way out comes on top; objects go when a marker shows them
    // idle, and from twice the bound on the pool waits a little for it.
    EXPECT_LE(most, static_cast<long>(3 * SubBuffers::bound));
    for (Mem* mem : live) {
      ASSERT_EQ(release_mem(*mem), Status::success);
    }
  }
  EXPECT_EQ(test::driver::live().memory, before.memory);
}

}  // namespace
}  // namespace clpool::core
