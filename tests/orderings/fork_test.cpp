// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Children of fork() where the parent made nothing but an allocator, a map or a cache. Here because each of these
// tests runs in a process of its own, in which no other test has made anything either.
#include <unistd.h>

#include <atomic>
#include <thread>

#include "clpool/memo.h"
#include "orderings/orderings.hpp"
#include "support/child.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

TEST(ForkWithOnlyAnAllocator, GivesAChildThatMayNotUseIt) {
  const Scene scene;
  clpool_allocator* allocator = nullptr;
  ASSERT_OK(clpool_allocator_create_immediate(scene.cl.queue, 0, &allocator));
  const int end = in_child([&] {
    clpool_allocator* made = nullptr;
    clpool_mem* mem = nullptr;
    clpool_pool* pool = nullptr;
    const clpool_status refusal = CLPOOL_ERROR_INVALID_OPERATION;
    const bool refused = clpool_allocator_create_limit(allocator, 1 << 20, &made) == refusal &&
                         clpool_allocator_retain(allocator) == refusal &&
                         clpool_allocator_allocate(allocator, 100, &mem) == refusal &&
                         clpool_pool_create(allocator, nullptr, &pool) == refusal;
    _exit(refused ? 0 : 1);
  });
  EXPECT_EQ(end, 0);
  EXPECT_OK(clpool_allocator_release(allocator));
}

/// What was put off in the parent, the parent carries out.
TEST(ForkWithOnlyAnAllocator, LeavesLateReleasesToTheParent) {
  NumberSource source;
  ASSERT_OK(clpool_allocator_release_later(source.allocator().release()));
  EXPECT_EQ(source.destroyed(), 0U);
  const int end = in_child([&] {
    NumberSource own;
    own.allocator().reset();  // carries out what was put off here
    _exit(source.destroyed() == 0 && own.destroyed() == 1 ? 0 : 1);
  });
  EXPECT_EQ(end, 0);
  NumberSource().allocator().reset();
  EXPECT_EQ(source.destroyed(), 1U);
}

/// … and a child what it has put off itself.
TEST(ForkWithOnlyAnAllocator, LeavesReleasesOfMemoryToWhoeverPutThemOff) {
  NumberSource source;
  const AllocatorHandle allocator = source.allocator();
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_allocator_allocate(allocator.get(), 100, &mem));
  ASSERT_OK(clpool_mem_release_later(mem));
  const int end = in_child([&] {
    NumberSource own;
    const AllocatorHandle owns = own.allocator();
    bool could = true;
    for (int i = 0; i < 2; ++i) {
      clpool_mem* made = nullptr;
      could = could && clpool_allocator_allocate(owns.get(), 100, &made) == CLPOOL_SUCCESS &&
              clpool_mem_release_later(made) == CLPOOL_SUCCESS && own.live_bytes() != 0;
      NumberSource().allocator().reset();  // carries out what was put off here
      could = could && own.live_bytes() == 0 && source.live_bytes() != 0;
    }
    _exit(could ? 0 : 1);
  });
  EXPECT_EQ(end, 0);
  NumberSource().allocator().reset();
  EXPECT_EQ(source.live_bytes(), 0U);
}

TEST(ForkWithOnlyAnAllocator, LeavesAChildFreeToMakeMemoryOfItsOwn) {
  const int end = in_child([&] {
    NumberSource source;
    const AllocatorHandle allocator = source.allocator();
    clpool_mem* mem = nullptr;
    const bool could = clpool_allocator_allocate(allocator.get(), 100, &mem) == CLPOOL_SUCCESS &&
                       clpool_mem_retain(mem) == CLPOOL_SUCCESS &&
                       clpool_mem_release(mem) == CLPOOL_SUCCESS &&
                       clpool_mem_release(mem) == CLPOOL_SUCCESS && source.live_bytes() == 0;
    _exit(could ? 0 : 1);
  });
  EXPECT_EQ(end, 0);
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
    const int end = in_child([&] {
      const std::uint64_t calls = stub_calls(nullptr);
      const clpool_status refusal = CLPOOL_ERROR_INVALID_OPERATION;
      const bool refused = clpool_map_unmap(map, nullptr, 0, nullptr, nullptr) == refusal &&
                           clpool_map_pointer(map) == nullptr && clpool_map_size(map) == 0 &&
                           clpool_map_release_later(map) == refusal && clpool_map_release(map) == refusal &&
                           std::strstr(clpool_last_error_message(), "made before fork()") != nullptr;
      _exit(refused && stub_calls(nullptr) == calls ? 0 : 1);
    });
    EXPECT_EQ(end, 0) << name_of(side);
    EXPECT_OK(clpool_map_release(map));
  }
}

/// Results that count what is computed and destroyed.
class Counted {
 public:
  Counted() {
    ops_.compute = [](void* user, void** value) -> clpool_status {
      *value = user;
      ++static_cast<Counted*>(user)->computed;
      return CLPOOL_SUCCESS;
    };
    ops_.destroy = [](void* user, void*) { ++static_cast<Counted*>(user)->destroyed; };
  }
  clpool_status get(clpool_memo* memo, std::uint32_t kind, void* object, clpool_memo_value** value) {
    return clpool_memo_get(memo, kind, object, "key", 3, &ops_, this, value);
  }
  int computed = 0;
  int destroyed = 0;

 private:
  clpool_memo_ops ops_ = CLPOOL_MEMO_OPS_INIT;
};

TEST(ForkWithACache, RefusesTheParentsInTheChildWithoutACallOfTheDriverOrTheUsersFunctions) {
  const Scene scene;
  Counted results;
  clpool_memo* memo = nullptr;
  clpool_memo_value* value = nullptr;
  ASSERT_OK(clpool_memo_create(&memo));
  ASSERT_OK(results.get(memo, CLPOOL_MEMO_CONTEXT, scene.cl.context, &value));
  const int end = in_child([&] {
    const std::uint64_t calls = stub_calls(nullptr);
    const clpool_status refusal = CLPOOL_ERROR_INVALID_OPERATION;
    clpool_memo_value* found = value;
    size_t size = 1;
    const bool refused =
        results.get(memo, CLPOOL_MEMO_CONTEXT, scene.cl.context, &found) == refusal && found == nullptr &&
        clpool_memo_find(memo, scene.cl.context, "key", 3, &found) == refusal &&
        clpool_memo_clear(memo) == refusal && clpool_memo_clear_object(memo, scene.cl.context) == refusal &&
        clpool_memo_size(memo, &size) == refusal && size == 0 && clpool_memo_retain(memo) == refusal &&
        clpool_memo_value_release_later(value) == refusal && clpool_memo_value_release(value) == refusal &&
        clpool_memo_release_later(memo) == refusal && clpool_memo_release(memo) == refusal &&
        std::strstr(clpool_last_error_message(), "the cache was made before fork()") != nullptr;
    const bool left_alone =
        clpool_memo_value_get(value) == &results && clpool_memo_clear_all() == CLPOOL_SUCCESS;
    _exit(!refused                                          ? 1
          : !left_alone                                     ? 2
          : results.computed != 1 || results.destroyed != 0 ? 3
          : stub_calls(nullptr) != calls                    ? 4
                                                            : 0);
  });
  EXPECT_EQ(end, 0);
  EXPECT_OK(clpool_memo_value_release(value));
  EXPECT_OK(clpool_memo_release(memo));
  EXPECT_EQ(results.destroyed, 1);
}

TEST(ForkWithACache, ClearsAllOfTheChildsOwn) {
  Counted parents;
  clpool_memo* memo = nullptr;
  clpool_memo_value* value = nullptr;
  ASSERT_OK(clpool_memo_create(&memo));
  ASSERT_OK(parents.get(memo, CLPOOL_MEMO_ANY, nullptr, &value));
  ASSERT_OK(clpool_memo_value_release(value));
  const int end = in_child([&] {
    Counted results;
    clpool_memo* own = nullptr;
    const bool made = clpool_memo_create(&own) == CLPOOL_SUCCESS &&
                      results.get(own, CLPOOL_MEMO_ANY, nullptr, &value) == CLPOOL_SUCCESS &&
                      clpool_memo_value_release(value) == CLPOOL_SUCCESS;
    const bool cleared = clpool_memo_clear_all() == CLPOOL_SUCCESS && results.destroyed == 1;
    const bool gone = clpool_memo_release(own) == CLPOOL_SUCCESS && parents.destroyed == 0;
    _exit(!made ? 1 : !cleared ? 2 : !gone ? 3 : 0);
  });
  EXPECT_EQ(end, 0);
  EXPECT_OK(clpool_memo_release(memo));
}

// Another thread may be in the list of all caches when the process forks, and the child does not have it.
TEST(ForkWithACache, NeverLeavesAChildThatHangsWithOneOfItsOwn) {
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
  GTEST_SKIP() << "another thread may have a lock of the sanitizer's own memory when the process forks";
#endif
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) {
      clpool_memo* memo = nullptr;
      EXPECT_OK(clpool_memo_create(&memo));
      EXPECT_OK(clpool_memo_clear_all());
      EXPECT_OK(clpool_memo_release(memo));
    }
  });
  for (int i = 0; i < 100 && !HasFailure(); ++i) {
    const int end = in_child([&] {
      Counted results;
      clpool_memo* own = nullptr;
      clpool_memo_value* value = nullptr;
      const bool used = clpool_memo_create(&own) == CLPOOL_SUCCESS &&
                        results.get(own, CLPOOL_MEMO_ANY, nullptr, &value) == CLPOOL_SUCCESS &&
                        clpool_memo_value_release(value) == CLPOOL_SUCCESS &&
                        clpool_memo_clear_all() == CLPOOL_SUCCESS &&
                        clpool_memo_release(own) == CLPOOL_SUCCESS;
      _exit(used ? 0 : 1);
    });
    EXPECT_EQ(end, 0) << "the child of round " << i;
  }
  stop = true;
  busy.join();
}

}  // namespace
}  // namespace clpool::test
