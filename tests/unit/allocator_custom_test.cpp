// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Custom allocators, the limit decorator and direct memory: what needs no device.
#include "allocator/custom.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "allocator/direct.hpp"
#include "allocator/limit.hpp"

namespace clpool::core {
namespace {

/// A source of numbers that keeps books.
struct Source {
  std::int32_t code = 0;
  std::uint64_t next = 1 << 20;
  std::uint64_t live_bytes = 0;
  std::uint64_t last_alignment = 0;
  int destroyed = 0;

  CustomFunctions functions() {
    CustomFunctions functions;
    functions.user = this;
    functions.allocate = [](void* user, std::uint64_t size, std::uint64_t alignment,
                            std::uint64_t* chunk) -> std::int32_t {
      auto& self = *static_cast<Source*>(user);
      if (self.code != 0) {
        return self.code;
      }
      *chunk = self.next;
      self.next = (self.next + size + 4095) / 4096 * 4096;
      self.live_bytes += size;
      self.last_alignment = alignment;
      return 0;
    };
    functions.deallocate = [](void* user, std::uint64_t, std::uint64_t size) {
      static_cast<Source*>(user)->live_bytes -= size;
    };
    functions.destroy = [](void* user) { ++static_cast<Source*>(user)->destroyed; };
    return functions;
  }
};

Reference<Allocator> make(Source& source) {
  Reference<Allocator> allocator;
  EXPECT_EQ(make_custom_allocator(source.functions(), allocator), Status::success);
  return allocator;
}

TEST(CustomAllocator, HandsOutWhatItsFunctionsReturnAndTellsThemTheAlignment) {
  Source source;
  {
    const Reference<Allocator> allocator = make(source);
    EXPECT_EQ(allocator->traits().kind, MemKind::custom);
    EXPECT_EQ(allocator->traits().granularity, 256u);
    Chunk chunk;
    ASSERT_EQ(allocator->allocate(100, 4096, chunk), Status::success);
    EXPECT_EQ(chunk.value, 1u << 20);
    EXPECT_EQ(source.last_alignment, 4096u);
    allocator->deallocate(chunk);
    EXPECT_EQ(source.live_bytes, 0u);
    EXPECT_EQ(source.destroyed, 0);
  }
  EXPECT_EQ(source.destroyed, 1);
}

TEST(CustomAllocator, TakesSizesOver4GiB) {
  Source source;
  const Reference<Allocator> allocator = make(source);
  for (int k = 30; k <= 40; ++k) {
    for (int d = -5; d <= 4; ++d) {
      const std::uint64_t size = (std::uint64_t{1} << k) + static_cast<std::uint64_t>(d);
      Chunk chunk;
      ASSERT_EQ(allocator->allocate(size, 1, chunk), Status::success);
      EXPECT_EQ(source.live_bytes, size);
      allocator->deallocate(chunk);
    }
  }
  EXPECT_EQ(source.live_bytes, 0u);
}

TEST(CustomAllocator, KnowsOutOfMemoryFromOtherFailures) {
  Source source;
  const Reference<Allocator> allocator = make(source);
  const auto answer = [&](std::int32_t code) {
    source.code = code;
    Chunk chunk;
    return allocator->allocate(100, 1, chunk);
  };
  EXPECT_EQ(answer(3), Status::out_of_memory);
  EXPECT_EQ(answer(-4), Status::out_of_memory);
  EXPECT_EQ(answer(-5), Status::out_of_memory);
  EXPECT_EQ(answer(-6), Status::out_of_memory);
  EXPECT_EQ(answer(-61), Status::opencl);
  EXPECT_EQ(last_cl_error(), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(answer(77), Status::callback);
  EXPECT_NE(std::string(last_error_message()).find("77"), std::string::npos);
}

TEST(CustomAllocator, ReportsAChunkOfZeroAsTheCallbacksMistake) {
  Source source;
  source.next = 0;
  const Reference<Allocator> allocator = make(source);
  Chunk chunk;
  EXPECT_EQ(allocator->allocate(100, 1, chunk), Status::callback);
}

TEST(CustomAllocator, RefusesChunksThatOverlapOthersAndKeepsThose) {
  Source source;
  const Reference<Allocator> allocator = make(source);
  Chunk first;
  source.next = 0x10000;
  ASSERT_EQ(allocator->allocate(0x1000, 1, first), Status::success);
  for (const std::uint64_t wrong : {0x10000, 0x10fff, 0xf001, 0xffff}) {
    Chunk chunk;
    source.next = wrong;
    EXPECT_EQ(allocator->allocate(0x1000, 1, chunk), Status::callback) << wrong;
    EXPECT_NE(std::string(last_error_message()).find("overlaps 0x10000 of 4096 bytes"), std::string::npos)
        << last_error_message();
  }
  const std::uint64_t living = source.live_bytes;
  Chunk before;
  Chunk after;
  source.next = 0xf000;
  ASSERT_EQ(allocator->allocate(0x1000, 1, before), Status::success) << "it ends where the other begins";
  source.next = 0x11000;
  ASSERT_EQ(allocator->allocate(0x1000, 1, after), Status::success);
  EXPECT_EQ(source.live_bytes, living + 0x2000) << "nothing was given back";
  allocator->deallocate(first);
  source.next = 0x10800;
  EXPECT_EQ(allocator->allocate(0x800, 1, first), Status::success) << "the place is free again";
  for (const Chunk& chunk : {first, before, after}) {
    allocator->deallocate(chunk);
  }
}

TEST(CustomAllocator, RefusesAChunkThatGoesBeyondTheLargestAddress) {
  Source source;
  const Reference<Allocator> allocator = make(source);
  Chunk chunk;
  source.next = UINT64_MAX - 99;
  EXPECT_EQ(allocator->allocate(100, 1, chunk), Status::callback);
  EXPECT_NE(std::string(last_error_message()).find("beyond the largest address"), std::string::npos);
  source.next = UINT64_MAX - 100;
  EXPECT_EQ(allocator->allocate(100, 1, chunk), Status::success);
  allocator->deallocate(chunk);
}

TEST(CustomAllocator, AnExceptionOfItsIsAFailureOfTheCallback) {
  static int thrown;
  CustomFunctions functions;
  functions.allocate = [](void*, std::uint64_t, std::uint64_t, std::uint64_t*) -> std::int32_t {
    if (thrown++ == 0) {
      throw std::runtime_error("no such luck");
    }
    throw 1;
  };
  functions.deallocate = [](void*, std::uint64_t, std::uint64_t) {};
  Reference<Allocator> allocator;
  ASSERT_EQ(make_custom_allocator(functions, allocator), Status::success);
  Chunk chunk;
  EXPECT_EQ(allocator->allocate(100, 1, chunk), Status::callback);
  EXPECT_NE(std::string(last_error_message()).find("no such luck"), std::string::npos);
  EXPECT_EQ(allocator->allocate(100, 1, chunk), Status::callback);
}

TEST(CustomAllocator, NeedsAllocateAndDeallocate) {
  Source source;
  Reference<Allocator> allocator;
  CustomFunctions functions = source.functions();
  functions.deallocate = nullptr;
  EXPECT_EQ(make_custom_allocator(functions, allocator), Status::invalid_value);
  functions = source.functions();
  functions.allocate = nullptr;
  EXPECT_EQ(make_custom_allocator(functions, allocator), Status::invalid_value);
  EXPECT_EQ(source.destroyed, 0);
}

TEST(LimitAllocator, LetsTheLimitBeTakenAndNotAByteMore) {
  Source source;
  Reference<Allocator> limited;
  ASSERT_EQ(make_limit_allocator(*make(source), 1000, limited), Status::success);
  Chunk first;
  Chunk second;
  ASSERT_EQ(limited->allocate(600, 1, first), Status::success);
  EXPECT_EQ(limited->allocate(401, 1, second), Status::out_of_memory);
  EXPECT_STREQ(last_error_message(), "401 bytes asked for, limit 1000, taken 600 by all that share it");
  ASSERT_EQ(limited->allocate(400, 1, second), Status::success);
  EXPECT_EQ(limited->allocate(1, 1, second), Status::out_of_memory);
  limited->deallocate(first);
  EXPECT_EQ(limited->allocate(UINT64_MAX, 1, first), Status::out_of_memory);  // no overflow
  EXPECT_EQ(limited->allocate(600, 1, first), Status::success);
}

TEST(LimitAllocator, GivesTheReservationBackWhenTheAllocatorFails) {
  Source source;
  Reference<Allocator> limited;
  ASSERT_EQ(make_limit_allocator(*make(source), 1000, limited), Status::success);
  Chunk chunk;
  source.code = -4;
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(limited->allocate(1000, 1, chunk), Status::out_of_memory);
  }
  source.code = 0;
  EXPECT_EQ(limited->allocate(1000, 1, chunk), Status::success);
}

TEST(LimitAllocator, HasTheTraitsOfItsAllocatorAndKeepsItAlive) {
  Source source;
  Reference<Allocator> limited;
  ASSERT_EQ(make_limit_allocator(*make(source), 1000, limited), Status::success);
  EXPECT_EQ(source.destroyed, 0);
  EXPECT_EQ(limited->traits().kind, MemKind::custom);
  limited = {};
  EXPECT_EQ(source.destroyed, 1);
  EXPECT_EQ(make_limit_allocator(*make(source), 0, limited), Status::invalid_value);
}

TEST(LimitAllocator, ThreadsCannotExceedTheLimitTogether) {
  struct Shared {
    std::atomic<std::uint64_t> live{0};
    std::atomic<std::uint64_t> most{0};
    std::atomic<std::uint64_t> next{4096};
  } shared;
  CustomFunctions functions;
  functions.user = &shared;
  functions.allocate = [](void* user, std::uint64_t size, std::uint64_t,
                          std::uint64_t* chunk) -> std::int32_t {
    auto& self = *static_cast<Shared*>(user);
    const std::uint64_t live = self.live.fetch_add(size) + size;
    std::uint64_t most = self.most.load();
    while (most < live && !self.most.compare_exchange_weak(most, live)) {
    }
    *chunk = self.next.fetch_add(size);
    return 0;
  };
  functions.deallocate = [](void* user, std::uint64_t, std::uint64_t size) {
    static_cast<Shared*>(user)->live.fetch_sub(size);
  };
  Reference<Allocator> inner;
  Reference<Allocator> limited;
  ASSERT_EQ(make_custom_allocator(functions, inner), Status::success);
  ASSERT_EQ(make_limit_allocator(*inner, 1000, limited), Status::success);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        Chunk chunk;
        if (limited->allocate(400, 1, chunk) == Status::success) {
          limited->deallocate(chunk);
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_LE(shared.most.load(), 1000u);
  EXPECT_EQ(shared.live.load(), 0u);
}

TEST(DirectMemory, GoesBackToItsAllocatorWithItsLastReference) {
  Source source;
  Mem* mem = nullptr;
  ASSERT_EQ(allocate_direct(*make(source), 300, mem), Status::success);
  ASSERT_NE(mem, nullptr);
  EXPECT_EQ(mem->size, 300u);
  EXPECT_EQ(mem->capacity, 300u);
  EXPECT_EQ(mem->kind, MemKind::custom);
  EXPECT_EQ(mem->pointer, reinterpret_cast<void*>(std::uintptr_t{1} << 20));
  EXPECT_FALSE(mem->pooled());
  ASSERT_EQ(retain_mem(*mem), Status::success);
  ASSERT_EQ(release_mem(*mem), Status::success);
  EXPECT_EQ(source.live_bytes, 300u);
  EXPECT_EQ(source.destroyed, 0) << "memory keeps its allocator alive";
  ASSERT_EQ(release_mem(*mem), Status::success);
  EXPECT_EQ(source.live_bytes, 0u);
  EXPECT_EQ(source.destroyed, 1);
}

TEST(DirectMemory, ASecondReleaseAndARetainAfterItAreErrorsAndNothingCanBeReadAnyMore) {
  Source source;
  const Reference<Allocator> allocator = make(source);
  Mem* mem = nullptr;
  ASSERT_EQ(allocate_direct(*allocator, 300, mem), Status::success);
  ASSERT_EQ(release_mem(*mem), Status::success);
  EXPECT_EQ(mem->pointer, nullptr);
  EXPECT_EQ(mem->size, 0u);
  EXPECT_EQ(release_mem(*mem), Status::invalid_operation);
  EXPECT_EQ(retain_mem(*mem), Status::invalid_operation);
  EXPECT_EQ(source.live_bytes, 0u);
}

TEST(DirectMemory, KeepsTheOpenClCodeThatACustomAllocatorGives) {
  Source source;
  source.code = CL_INVALID_BUFFER_SIZE;  // of a driver it would mean that the size is over the device's limit
  Mem* mem = nullptr;
  EXPECT_EQ(allocate_direct(*make(source), 300, mem), Status::opencl);
  EXPECT_EQ(last_cl_error(), CL_INVALID_BUFFER_SIZE);
  EXPECT_EQ(mem, nullptr);
}

TEST(DirectMemory, ADescriptorRestsBeforeItIsUsedAgain) {
  Source source;
  const Reference<Allocator> allocator = make(source);
  Mem* first = nullptr;
  ASSERT_EQ(allocate_direct(*allocator, 1, first), Status::success);
  ASSERT_EQ(release_mem(*first), Status::success);
  for (int i = 0; i < 64; ++i) {
    Mem* other = nullptr;
    ASSERT_EQ(allocate_direct(*allocator, 1, other), Status::success);
    EXPECT_NE(other, first) << i;
    ASSERT_EQ(release_mem(*other), Status::success);
  }
  EXPECT_EQ(release_mem(*first), Status::invalid_operation);
}

TEST(DirectMemory, ZeroBytesAreNullAndNotAnError) {
  Source source;
  auto* mem = reinterpret_cast<Mem*>(&source);
  EXPECT_EQ(allocate_direct(*make(source), 0, mem), Status::success);
  EXPECT_EQ(mem, nullptr);
}

TEST(DirectMemory, AFailedAllocationLeavesNothingBehind) {
  Source source;
  {
    const Reference<Allocator> allocator = make(source);
    source.code = -4;
    Mem* mem = nullptr;
    EXPECT_EQ(allocate_direct(*allocator, 10, mem), Status::out_of_memory);
    EXPECT_EQ(mem, nullptr);
  }
  EXPECT_EQ(source.destroyed, 1);
}

}  // namespace
}  // namespace clpool::core
