// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Children of fork() where the parent made nothing but an allocator, or a map. Here because each of these tests
// runs in a process of its own, in which no other test has made anything either.
#include <sys/wait.h>
#include <unistd.h>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

TEST(ForkWithOnlyAnAllocator, GivesAChildThatMayNotUseIt) {
  const Scene scene;
  clpool_allocator* allocator = nullptr;
  ASSERT_OK(clpool_allocator_create_immediate(scene.cl.queue, 0, &allocator));
  const pid_t child = fork();
  if (child == 0) {
    clpool_allocator* made = nullptr;
    clpool_mem* mem = nullptr;
    clpool_pool* pool = nullptr;
    const clpool_status refusal = CLPOOL_ERROR_INVALID_OPERATION;
    const bool refused = clpool_allocator_create_limit(allocator, 1 << 20, &made) == refusal &&
                         clpool_allocator_allocate(allocator, 100, &mem) == refusal &&
                         clpool_pool_create(allocator, nullptr, &pool) == refusal;
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_OK(clpool_allocator_release(allocator));
}

TEST(ForkWithOnlyAnAllocator, LeavesAChildFreeToMakeMemoryOfItsOwn) {
  const pid_t child = fork();
  if (child == 0) {
    NumberSource source;
    const AllocatorHandle allocator = source.allocator();
    clpool_mem* mem = nullptr;
    const bool could = clpool_allocator_allocate(allocator.get(), 100, &mem) == CLPOOL_SUCCESS &&
                       clpool_mem_retain(mem) == CLPOOL_SUCCESS &&
                       clpool_mem_release(mem) == CLPOOL_SUCCESS &&
                       clpool_mem_release(mem) == CLPOOL_SUCCESS && source.live_bytes() == 0;
    _exit(could ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// A driver's locks may be held forever in a child, by threads that it does not have.
TEST(ForkWithAMap, RefusesTheMapInTheChildWithoutACallOfTheDriver) {
  Scene scene;
  for (const Side side : {Side::buffer, Side::pooled, Side::svm}) {
    clpool_mem* const mem = scene.memory(side, source_byte);
    if (mem == nullptr) {
      continue;  // no SVM there
    }
    clpool_map* map = nullptr;
    ASSERT_OK(
        clpool_mem_map(scene.queue, mem, CL_MAP_READ, 0, operand_size, CL_TRUE, 0, nullptr, nullptr, &map));
    const pid_t child = fork();
    if (child == 0) {
      const std::uint64_t calls = stub_calls(nullptr);
      const clpool_status refusal = CLPOOL_ERROR_INVALID_OPERATION;
      const bool refused = clpool_map_unmap(map, nullptr, 0, nullptr, nullptr) == refusal &&
                           clpool_map_pointer(map) == nullptr && clpool_map_size(map) == 0 &&
                           clpool_map_release_later(map) == refusal && clpool_map_release(map) == refusal &&
                           std::strstr(clpool_last_error_message(), "made before fork()") != nullptr;
      _exit(refused && stub_calls(nullptr) == calls ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << name_of(side);
    EXPECT_OK(clpool_map_release(map));
  }
}

}  // namespace
}  // namespace clpool::test
