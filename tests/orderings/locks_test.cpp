// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// No lock is held across a call of the driver: while any call is under way, another thread uses the same pool
// and makes pools of its own, and is not held up.
#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

struct LockedPool {
  const char* name;
  bool svm;
  std::uint32_t queues;
  std::uint32_t strategy;
  clpool_status (*make)(Scene& scene, clpool_allocator** allocator);
  std::uint32_t guard = CLPOOL_GUARD_OFF;
};

clpool_status deferred(Scene& scene, clpool_allocator** allocator) {
  return clpool_allocator_create_deferred(scene.cl.context, 0, allocator);
}
clpool_status immediate(Scene& scene, clpool_allocator** allocator) {
  return clpool_allocator_create_immediate(scene.cl.queue, 0, allocator);
}
clpool_status overtaking(Scene& scene, clpool_allocator** allocator) {
  return clpool_allocator_create_immediate(scene.queue, 0, allocator);
}
clpool_status page_locked(Scene& scene, clpool_allocator** allocator) {
  return clpool_allocator_create_pinned(scene.cl.queue, 0, allocator);
}
clpool_status coarse(Scene& scene, clpool_allocator** allocator) {
  return clpool_allocator_create_svm(scene.cl.context, 0, 0, scene.cl.queue, allocator);
}
clpool_status fine(Scene& scene, clpool_allocator** allocator) {
  return clpool_allocator_create_svm(scene.cl.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 0, scene.cl.queue,
                                     allocator);
}
/// Of a pool that is told of no queue, either.
clpool_status of_no_queue(Scene& scene, clpool_allocator** allocator) {
  return clpool_allocator_create_svm(scene.cl.context, 0, 0, nullptr, allocator);
}
constexpr std::uint32_t coalescing = CLPOOL_STRATEGY_COALESCING;
constexpr std::uint32_t binned = CLPOOL_STRATEGY_BINNED;
const LockedPool kinds[] = {
    {"deferred", false, 1, coalescing, deferred},
    {"deferred_of_two_queues", false, 2, coalescing, deferred},
    {"deferred_binned", false, 1, binned, deferred},
    {"immediate", false, 1, coalescing, immediate},
    {"immediate_of_two_queues", false, 2, coalescing, immediate},
    {"immediate_binned", false, 2, binned, immediate},
    {"overtaking", false, 2, coalescing, overtaking},
    {"page_locked", false, 1, coalescing, page_locked},
    {"page_locked_binned", false, 2, binned, page_locked},
    {"coarse", true, 1, coalescing, coarse},
    {"coarse_binned", true, 2, binned, coarse},
    {"fine", true, 2, coalescing, fine},
    {"of_no_queue", true, 0, coalescing, of_no_queue},
    {"guarded", false, 1, coalescing, immediate, CLPOOL_GUARD_ON},
    {"guarded_page_locked", false, 1, coalescing, page_locked, CLPOOL_GUARD_ON},
    {"guarded_coarse", true, 1, coalescing, coarse, CLPOOL_GUARD_ON},
};

class NoLock : public testing::TestWithParam<LockedPool> {
 protected:
  void SetUp() override {
    if (GetParam().guard == CLPOOL_GUARD_ON) {
      stub_configure("mode=immediate");  // its blocks come back when commands of its own have run
    }
    ASSERT_OK(GetParam().make(scene, &allocator));
    make_pool();
    spare = allocate(3000);
    EXPECT_OK(clpool_mem_release_idle(allocate(3000)));
    stub_meanwhile(nullptr, use_elsewhere, this);
  }
  void TearDown() override {
    EXPECT_GT(stub_meanwhile_runs(), 0u);
    EXPECT_EQ(stub_meanwhile_held_up(), 0u) << "see above for the calls";
    EXPECT_EQ(failures, 0);
    stub_meanwhile(nullptr, nullptr, nullptr);
    EXPECT_OK(clpool_mem_release(spare));
    EXPECT_OK(clpool_pool_release(pool));
    EXPECT_OK(clpool_allocator_release(allocator));
    stub_run_all();
    clpool_pool* last = nullptr;  // memory of a pool that has ended is freed by a later call
    EXPECT_OK(clpool_allocator_create_deferred(scene.cl.context, 0, &allocator));
    EXPECT_OK(clpool_pool_create(allocator, nullptr, &last));
    EXPECT_OK(clpool_pool_release(last));
    EXPECT_OK(clpool_allocator_release(allocator));
  }

  void make_pool() {
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    const cl_command_queue queues[] = {scene.cl.queue, GetParam().make == overtaking ? scene.queue : other};
    options.queues = GetParam().queues != 0 ? queues : nullptr;
    options.queue_count = GetParam().queues;
    options.guard = GetParam().guard;
    options.strategy = GetParam().strategy;
    options.wait_ns = 10'000'000;  // no command runs by itself here
    clpool_pool* made = nullptr;
    ASSERT_OK(clpool_pool_create(allocator, &options, &made));
    pool = made;
  }
  clpool_mem* allocate(std::size_t size) {
    clpool_mem* mem = nullptr;
    EXPECT_OK(clpool_pool_allocate(pool, size, &mem));
    return mem;
  }

  /// What another thread does while this one is in the driver.
  static void use_elsewhere(void* user) {
    auto& self = *static_cast<NoLock*>(user);
    const auto expect = [&](bool holds) { self.failures += holds ? 0 : 1; };
    clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
    expect(clpool_pool_statistics(self.pool, &stats) == CLPOOL_SUCCESS);
    clpool_mem* mem = nullptr;
    const clpool_status status = clpool_pool_try_allocate(self.pool, 3000, &mem);
    expect(status == CLPOOL_SUCCESS || status == CLPOOL_ERROR_WOULD_BLOCK);
    if (mem != nullptr) {
      expect(clpool_mem_release_idle(mem) == CLPOOL_SUCCESS);
    }
    expect(clpool_mem_set_tag(self.spare, 7) == CLPOOL_SUCCESS);
    clpool_pool* own = nullptr;
    expect(clpool_pool_create(self.numbers.get(), nullptr, &own) == CLPOOL_SUCCESS);
    expect(clpool_pool_allocate(own, 100, &mem) == CLPOOL_SUCCESS);
    expect(clpool_mem_release(mem) == CLPOOL_SUCCESS);
    expect(clpool_pool_release(own) == CLPOOL_SUCCESS);
  }

  NumberSource source;
  AllocatorHandle numbers = source.allocator();
  Scene scene;
  cl_command_queue other = scene.cl.another_queue();
  clpool_allocator* allocator = nullptr;
  clpool_pool* pool = nullptr;
  clpool_mem* spare = nullptr;
  int failures = 0;
};
INSTANTIATE_TEST_SUITE_P(, NoLock, testing::ValuesIn(kinds),
                         [](const auto& kind) { return std::string(kind.param.name); });

TEST_P(NoLock, IsHeldWhileAPoolAllocatesAndReleases) {
  std::vector<clpool_mem*> blocks;
  for (const std::size_t size : {100, 5000, 70'000, 3 << 20, 9 << 20}) {
    blocks.push_back(allocate(size));
  }
  for (clpool_mem* block : blocks) {
    EXPECT_OK(clpool_mem_release(block));
  }
  stub_run_all();
  EXPECT_OK(clpool_mem_release(allocate(8 << 20)));
  EXPECT_OK(clpool_mem_release(allocate(200'000)));
}

TEST_P(NoLock, IsHeldWhileUsesAreDeclared) {
  Gate gate(scene.cl.context);
  clpool_mem* const on_two = allocate(5000);
  EXPECT_OK(clpool_mem_used_on(on_two, other));
  EXPECT_OK(clpool_mem_release(on_two));
  clpool_mem* const after = allocate(5000);
  EXPECT_OK(clpool_mem_release_after(after, 1, gate.list()));
  EXPECT_OK(clpool_mem_release(after));
  clpool_mem* on = nullptr;
  EXPECT_OK(clpool_pool_allocate_on(pool, other, 5000, &on));
  EXPECT_OK(clpool_mem_release(on));
  gate.open();
  stub_run_all();
  EXPECT_OK(clpool_pool_tick(pool));
  clpool_mem* const bound = allocate(6000);
  EXPECT_OK(clpool_mem_bind_queue(bound, other));
  EXPECT_OK(clpool_mem_unbind_queue(bound));
  EXPECT_OK(clpool_mem_release_on(bound, other, 0, nullptr, nullptr));
}

TEST_P(NoLock, IsHeldWhileEventsThatHaveEndedAreForgotten) {
  Gate gate(scene.cl.context);
  clpool_mem* const mem = allocate(5000);
  for (int i = 0; i < 200; ++i) {
    OwnedEvent used;
    ASSERT_EQ(clEnqueueMarkerWithWaitList(scene.cl.queue, 0, nullptr, used.receive()), CL_SUCCESS);
    stub_run_all();
    const cl_event event = i % 3 == 0 ? gate.list()[0] : used.get();  // some never end
    EXPECT_OK(clpool_mem_release_after(mem, 1, &event));
  }
  EXPECT_OK(clpool_mem_release(mem));
  gate.open();
  stub_run_all();
  EXPECT_OK(clpool_pool_tick(pool));
}

TEST_P(NoLock, IsHeldWhileMemoryIsGivenBack) {
  EXPECT_OK(clpool_mem_release(allocate(5 << 20)));
  stub_run_all();
  EXPECT_OK(clpool_pool_tick(pool));
  EXPECT_OK(clpool_pool_trim(pool, 1 << 20));
  EXPECT_OK(clpool_mem_release(allocate(5 << 20)));
  stub_run_all();
  EXPECT_OK(clpool_pool_free_held(pool));
  EXPECT_OK(clpool_pool_stop_holding(pool));
  EXPECT_OK(clpool_mem_release(allocate(100'000)));
  stub_run_all();
}

TEST_P(NoLock, IsHeldWhileAPoolIsLookedAt) {
  clpool_mem* const mem = allocate(5000);
  EXPECT_OK(clpool_mem_release_later(allocate(100'000)));
  const auto visit = [](void* user, const clpool_pool_stretch*) {
    use_elsewhere(user);  // with the pool itself
    return 0;
  };
  EXPECT_OK(clpool_pool_visit(pool, visit, this));
  std::size_t needed = 0;
  EXPECT_OK(clpool_pool_dump_json(pool, nullptr, 0, &needed));
  EXPECT_OK(clpool_pool_check(pool));
  EXPECT_OK(clpool_pool_stop_holding(pool));
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_OK(clpool_pool_resume_holding(pool));
  EXPECT_OK(clpool_mem_release(allocate(9 << 20)));
}

TEST_P(NoLock, IsHeldWhileMemoryIsShort) {
  EXPECT_OK(clpool_mem_release(allocate(8 << 20)));
  stub_fail(GetParam().svm ? "clSVMAlloc" : "clCreateBuffer", 1, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  clpool_mem* mem = nullptr;
  if (clpool_pool_allocate(pool, 40 << 20, &mem) == CLPOOL_SUCCESS) {
    EXPECT_OK(clpool_mem_release(mem));
  }
  stub_fail_none();
}

TEST_P(NoLock, IsHeldWhileCommandsUseABlock) {
  clpool_mem* const mem = allocate(4096);
  clpool_mem* const target = allocate(4096);
  std::vector<unsigned char> host(4096);
  if (clpool_mem_kind(mem) != CLPOOL_MEM_KIND_PINNED) {
    EXPECT_OK(clpool_mem_fill(scene.cl.queue, mem, &source_byte, 1, 0, 4096, 0, nullptr, nullptr));
    EXPECT_OK(clpool_mem_write(scene.cl.queue, mem, 0, 4096, host.data(), 4096, 1, 0, nullptr, nullptr));
    EXPECT_OK(clpool_mem_read(other, mem, 0, 4096, host.data(), 4096, 1, 0, nullptr, nullptr));
    EXPECT_OK(clpool_mem_copy(scene.cl.queue, target, 0, mem, 0, 4096, 0, nullptr, nullptr));
    clpool_map* map = nullptr;
    EXPECT_OK(clpool_mem_map(scene.cl.queue, mem, CL_MAP_WRITE, 0, 4096, 1, 0, nullptr, nullptr, &map));
    EXPECT_OK(clpool_map_release(map));
    clpool_mem* const both[] = {mem, target};
    EXPECT_OK(clpool_mem_migrate(scene.cl.queue, both, 2, 0, 0, nullptr, nullptr));
  }
  clpool_mem* part = nullptr;
  EXPECT_OK(clpool_mem_sub_region(mem, 0, 1024, 0, &part));
  EXPECT_OK(clpool_mem_release(part));
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_OK(clpool_mem_release(target));
}

TEST_P(NoLock, IsHeldWhileAPoolEnds) {
  clpool_mem* const block = allocate(100'000);
  clpool_pool* const ending = pool;
  clpool_mem* const last = spare;
  make_pool();
  spare = allocate(3000);
  EXPECT_OK(clpool_mem_release(last));
  EXPECT_OK(clpool_pool_release(ending));
  EXPECT_OK(clpool_mem_release(block));  // its pool ends here
}

}  // namespace
}  // namespace clpool::test
