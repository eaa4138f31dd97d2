// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Memory of no pool that no driver keeps for its commands: shared virtual and page-locked memory is freed
// behind what the library itself enqueued on it, on whatever queue that was.
#include "orderings/orderings.hpp"

namespace clpool::test {
namespace {

struct Memory {
  const char* name;
  clpool_status (*make)(Scene& scene, clpool_mem** mem);
};

clpool_status from(clpool_allocator* allocator, clpool_mem** mem) {
  const clpool_status status = clpool_allocator_allocate(allocator, operand_size, mem);
  EXPECT_OK(clpool_allocator_release(allocator));
  return status;
}

const Memory memories[] = {
    {"Svm",
     [](Scene& scene, clpool_mem** mem) {
       return clpool_svm_create(scene.cl.context, 0, operand_size, 0, nullptr, mem);
     }},
    {"SvmOfAQueue",
     [](Scene& scene, clpool_mem** mem) {
       return clpool_svm_create(scene.cl.context, 0, operand_size, 0, scene.cl.queue, mem);
     }},
    {"PageLocked",
     [](Scene& scene, clpool_mem** mem) {
       clpool_allocator* allocator = nullptr;
       EXPECT_OK(clpool_allocator_create_pinned(scene.cl.queue, 0, &allocator));
       return from(allocator, mem);
     }},
    {"PageLockedOutOfOrder",
     [](Scene& scene, clpool_mem** mem) {
       clpool_allocator* allocator = nullptr;
       EXPECT_OK(clpool_allocator_create_pinned(scene.queue, 0, &allocator));
       return from(allocator, mem);
     }},
};

class DirectMemory : public testing::TestWithParam<Memory> {
 protected:
  void SetUp() override {
    target = scene.memory(Side::buffer, target_byte);
    ASSERT_OK(GetParam().make(scene, &mem));
    std::memset(clpool_mem_pointer(mem), source_byte, operand_size);
    stub_configure("protect=1");
  }
  void copy_from_it(cl_command_queue queue, Gate& gate) {
    ASSERT_OK(clpool_mem_copy(queue, target, 0, mem, 0, operand_size, 1, gate.list(), nullptr));
  }
  /// The release does not wait, and takes nothing from the command that has not run.
  void release_and_open(std::initializer_list<Gate*> gates) {
    ASSERT_OK(clpool_mem_release(mem));
    for (Gate* gate : gates) {
      stub_run_all();
      EXPECT_TRUE(Scene::has(target, target_byte));
      gate->open();
    }
    stub_run_all();
    EXPECT_TRUE(Scene::has(target, source_byte));
  }

  Scene scene;
  clpool_mem* target = nullptr;
  clpool_mem* mem = nullptr;
};
INSTANTIATE_TEST_SUITE_P(, DirectMemory, testing::ValuesIn(memories),
                         [](const auto& memory) { return std::string(memory.param.name); });

TEST_P(DirectMemory, OutlivesACommandOnItsAllocatorsQueue) {
  Gate gate(scene.cl.context);
  copy_from_it(scene.cl.queue, gate);
  release_and_open({&gate});
}

TEST_P(DirectMemory, OutlivesACommandOnAnotherQueue) {
  Gate gate(scene.cl.context);
  copy_from_it(scene.cl.another_queue(), gate);
  release_and_open({&gate});
}

TEST_P(DirectMemory, OutlivesACommandOnAnOutOfOrderQueue) {
  Gate gate(scene.cl.context);
  copy_from_it(scene.queue, gate);
  release_and_open({&gate});
}

TEST_P(DirectMemory, OutlivesCommandsOnSeveralQueues) {
  Gate first(scene.cl.context);
  Gate second(scene.cl.context);
  copy_from_it(scene.queue, first);
  cl_command_queue other = scene.cl.another_queue();
  const cl_event waits[] = {first.get(), second.get()};
  ASSERT_OK(clpool_mem_copy(other, target, 0, mem, 0, operand_size, 2, waits, nullptr));
  ASSERT_OK(clpool_mem_release(mem));
  first.open();
  stub_run_all();
  second.open();
  stub_run_all();
  EXPECT_TRUE(Scene::has(target, source_byte));
}

TEST_P(DirectMemory, OutlivesTheEndOfAMap) {
  if (clpool_mem_kind(mem) == CLPOOL_MEM_KIND_PINNED) {
    ASSERT_OK(clpool_mem_release(mem));
    GTEST_SKIP() << "page-locked memory is not mapped";
  }
  Gate gate(scene.cl.context);
  clpool_map* map = nullptr;
  cl_command_queue other = scene.cl.another_queue();
  ASSERT_OK(clpool_mem_map(other, mem, CL_MAP_WRITE, 0, operand_size, 1, 0, nullptr, nullptr, &map));
  ASSERT_OK(clpool_map_unmap(map, other, 1, gate.list(), nullptr));
  ASSERT_OK(clpool_map_release(map));
  ASSERT_OK(clpool_mem_release(mem));
  stub_run_all();
  gate.open();
  stub_run_all();
}

}  // namespace
}  // namespace clpool::test
