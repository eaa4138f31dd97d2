// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// SVM and page-locked memory of no pool whose free the driver refuses: it is freed when the commands that use it are
// done, if that can be found out; else it stays, and a message says so.
#include <cstdio>
#include <cstdlib>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

/// Once a free was refused the next call of that, too.
void refuse_behind_the_free(const char* call) {
  stub_set_hook(
      [](const char* entry_point, void* user) {
        if (std::strcmp(entry_point, static_cast<const char*>(user)) == 0 && stub_failures() == 1) {
          stub_fail(entry_point, 1, CL_OUT_OF_RESOURCES);
        }
      },
      const_cast<char*>(call));
}

class RefusedFree : public testing::Test {
 public:
  static std::int64_t living() {
    stub_counts counts;
    stub_read_counts(&counts);
    return counts.live[STUB_SVM];
  }

 protected:
  RefusedFree() {
    clpool_set_message_callback(
        [](void* user, std::int32_t, const char* text) { *static_cast<std::string*>(user) += text; }, &said);
    EXPECT_OK(clpool_svm_create(scene.cl.context, 0, operand_size, 0, nullptr, &mem));
    pointer = clpool_mem_pointer(mem);
  }
  ~RefusedFree() override {
    clpool_set_message_callback(nullptr, nullptr);
    stub_fail_none();
    stub_run_all();
    if (living() != 0) {
      clSVMFree(scene.cl.context, pointer);
    }
  }
  void fill(cl_command_queue queue) {
    ASSERT_OK(clpool_mem_fill(queue, mem, &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
  }
  Scene scene;
  std::string said;
  clpool_mem* mem = nullptr;
  void* pointer = nullptr;
};

TEST_F(RefusedFree, ComesWhenItsCommandsHaveEnded) {
  fill(scene.queue);
  stub_fail("clEnqueueSVMFree", 1, CL_OUT_OF_RESOURCES);
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(stub_pending(nullptr), 0U);
  EXPECT_EQ(living(), 0);
  EXPECT_EQ(said, "");
}

TEST_F(RefusedFree, DoesNotMarkUsesOnOtherQueuesAgain) {
  for (int i = 0; i < 2; ++i) {
    fill(scene.cl.another_queue());
  }
  const std::uint64_t before = stub_calls("clEnqueueMarkerWithWaitList");
  stub_fail("clEnqueueSVMFree", 1, CL_OUT_OF_RESOURCES);
  EXPECT_NE(clpool_mem_release_on(mem, scene.cl.queue, 0, nullptr, nullptr), CLPOOL_SUCCESS);
  EXPECT_EQ(stub_calls("clEnqueueMarkerWithWaitList"), before + 2 + 1)
      << "one of each use and one of the release";
  ASSERT_OK(clpool_mem_release_on(mem, scene.cl.queue, 0, nullptr, nullptr));
  EXPECT_EQ(stub_calls("clEnqueueMarkerWithWaitList"), before + 2 + 2);
  stub_run_all();
}

TEST_F(RefusedFree, ComesAlsoWhenACommandEndedInAnError) {
  Gate gate(scene.cl.context);
  ASSERT_OK(
      clpool_mem_fill(scene.queue, mem, &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 1, gate.list(), nullptr));
  gate.open(CL_OUT_OF_RESOURCES);
  stub_fail("clEnqueueSVMFree", 1, CL_OUT_OF_RESOURCES);
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(living(), 0);
}

TEST_F(RefusedFree, DoesNotComeWhereTheEndOfItsEventsCannotBeWaitedFor) {
  fill(scene.queue);
  stub_fail("clEnqueueSVMFree", 1, CL_OUT_OF_RESOURCES);
  refuse_behind_the_free("clWaitForEvents");
  ASSERT_OK(clpool_mem_release(mem));
  stub_set_hook(nullptr, nullptr);
  EXPECT_EQ(living(), 1);
  EXPECT_NE(said.find("stay allocated"), std::string::npos) << said;
}

TEST_F(RefusedFree, WithoutAMarkerItsQueueIsWaitedFor) {
  fill(scene.cl.queue);
  stub_fail("clEnqueueMarkerWithWaitList", 1, CL_OUT_OF_RESOURCES);
  ASSERT_OK(clpool_mem_release(mem));
  EXPECT_EQ(stub_pending(scene.cl.queue), 0U);
  EXPECT_EQ(living(), 0);
}

/// A release that fails leaves the memory as it was, and what uses it in mind.
TEST_F(RefusedFree, OnAQueueChangesNothing) {
  for (const cl_command_queue queue : {scene.cl.queue, scene.queue}) {
    SCOPED_TRACE(queue == scene.queue ? "out of order" : "in order");
    for (const char* const call : {"clEnqueueSVMFree", "clEnqueueMarkerWithWaitList"}) {
      SCOPED_TRACE(call);
      const std::int64_t before = living();
      clpool_mem* svm = nullptr;
      ASSERT_OK(clpool_svm_create(scene.cl.context, 0, operand_size, 0, nullptr, &svm));
      ASSERT_OK(clpool_mem_fill(queue, svm, &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
      stub_fail_from(call, 1, CL_OUT_OF_RESOURCES);
      const clpool_status status = clpool_mem_release_on(svm, queue, 0, nullptr, nullptr);
      stub_fail_none();
      if (status == CLPOOL_SUCCESS) {  // the call was not needed
        stub_run_all();
        continue;
      }
      ASSERT_OK(clpool_mem_release(svm));
      stub_run_all();  // the driver aborts if the memory has gone under its fill
      EXPECT_EQ(living(), before);
    }
  }
  ASSERT_OK(clpool_mem_release(mem));
  stub_run_all();
}

/// A chunk of a pool whose allocator frees behind its queue; the driver aborts if a command runs on SVM that was freed.
class RefusedFreeOfAPool : public testing::Test {
 protected:
  RefusedFreeOfAPool() {
    clpool_set_message_callback(
        [](void* user, std::int32_t, const char* text) { *static_cast<std::string*>(user) += text; }, &said);
    const AllocatorHandle allocator =
        make_allocator(clpool_allocator_create_svm, scene.cl.context, 0, 0, scene.cl.queue);
    pool = make_pool(allocator.get());
    MemHandle mem = allocate(pool, size);
    pointer = clpool_mem_pointer(mem.get());
    EXPECT_OK(clpool_mem_fill(scene.cl.queue, mem.get(), &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr,
                              nullptr));
  }
  ~RefusedFreeOfAPool() override {
    clpool_set_message_callback(nullptr, nullptr);
    stub_set_hook(nullptr, nullptr);
    pool.reset();
  }
  static constexpr std::size_t size = std::size_t{8} << 20;
  Scene scene;
  std::string said;
  PoolHandle pool;
  void* pointer = nullptr;
};

TEST_F(RefusedFreeOfAPool, ComesWhenItsCommandsHaveEnded) {
  ASSERT_NE(stub_pending(scene.cl.queue), 0U);
  stub_fail("clEnqueueSVMFree", 1, CL_OUT_OF_RESOURCES);
  ASSERT_OK(clpool_pool_free_held(pool.get()));
  EXPECT_EQ(stub_failures(), 1U);
  EXPECT_EQ(stub_pending(scene.cl.queue), 0U);
  EXPECT_EQ(RefusedFree::living(), 0);
  EXPECT_EQ(said, "");
}

TEST_F(RefusedFreeOfAPool, DoesNotComeWhereTheEndOfItsCommandsCannotBeWaitedFor) {
  stub_fail("clEnqueueSVMFree", 1, CL_OUT_OF_RESOURCES);
  refuse_behind_the_free("clFinish");
  ASSERT_OK(clpool_pool_free_held(pool.get()));
  EXPECT_EQ(RefusedFree::living(), 1);
  EXPECT_NE(said.find("stay allocated"), std::string::npos) << said;
  stub_fail_none();
  stub_run_all();
  clSVMFree(scene.cl.context, pointer);
}

/// Page-locked memory that a command reads. It goes back by an unmapping; the driver aborts if a command runs on
/// mapped memory whose buffer has gone.
struct PageLocked {
  PageLocked() {
    clpool_set_message_callback(
        [](void* user, std::int32_t, const char* text) { *static_cast<std::string*>(user) += text; }, &said);
    clpool_allocator* allocator = nullptr;
    EXPECT_OK(clpool_allocator_create_pinned(scene.cl.queue, 0, &allocator));
    EXPECT_OK(clpool_allocator_allocate(allocator, operand_size, &mem));
    EXPECT_OK(clpool_allocator_release(allocator));
    std::memset(clpool_mem_pointer(mem), source_byte, operand_size);
  }
  PageLocked(const PageLocked&) = delete;
  PageLocked& operator=(const PageLocked&) = delete;
  ~PageLocked() { clpool_set_message_callback(nullptr, nullptr); }
  void copy_from_it(cl_command_queue queue) {
    EXPECT_OK(clpool_mem_copy(queue, target, 0, mem, 0, operand_size, 0, nullptr, nullptr));
  }
  Scene scene;
  std::string said;
  clpool_mem* target = scene.memory(Side::buffer, target_byte);
  clpool_mem* mem = nullptr;
};

TEST(RefusedUnmapping, ComesWhenItsCommandsHaveEnded) {
  for (const bool elsewhere : {false, true}) {
    PageLocked memory;
    memory.copy_from_it(elsewhere ? memory.scene.cl.another_queue() : memory.scene.cl.queue);
    stub_fail("clEnqueueUnmapMemObject", 1, CL_OUT_OF_RESOURCES);
    ASSERT_OK(clpool_mem_release(memory.mem));
    EXPECT_EQ(stub_pending(memory.scene.cl.queue), elsewhere ? 1U : 0U) << "the second try, or none";
    EXPECT_TRUE(Scene::has(memory.target, source_byte));
    EXPECT_EQ(memory.said.empty(), elsewhere) << memory.said;
  }
}

TEST(RefusedUnmapping, DoesNotComeWhereTheEndOfItsCommandsCannotBeWaitedFor) {
  EXPECT_EXIT(
      {
        PageLocked memory;
        clpool_set_message_callback([](void*, std::int32_t, const char* text) { std::fputs(text, stderr); },
                                    nullptr);
        memory.copy_from_it(memory.scene.cl.queue);
        stub_fail("clEnqueueUnmapMemObject", 1, CL_OUT_OF_RESOURCES);
        stub_set_hook(
            [](const char* entry_point, void*) {
              if (std::strcmp(entry_point, "clFinish") == 0) {
                stub_fail("clFinish", 1, CL_OUT_OF_RESOURCES);
              }
            },
            nullptr);
        static_cast<void>(clpool_mem_release(memory.mem));
        stub_run_all();
        std::exit(Scene::has(memory.target, source_byte) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "stay allocated");
}

TEST(RefusedUnmapping, IsNoneWhereOnlyTheFlushFails) {
  PageLocked memory;
  memory.copy_from_it(memory.scene.cl.another_queue());
  const std::uint64_t before = stub_calls("clEnqueueUnmapMemObject");
  stub_fail("clFlush", 2, CL_OUT_OF_RESOURCES);  // the first is that of the marker on the other queue
  ASSERT_OK(clpool_mem_release(memory.mem));
  EXPECT_EQ(stub_calls("clEnqueueUnmapMemObject") - before, 1U);
  EXPECT_EQ(stub_pending(memory.scene.cl.queue), 1U) << "it waits for the copy, and nobody for it";
  EXPECT_NE(memory.said.find("clFlush after clEnqueueUnmapMemObject"), std::string::npos) << memory.said;
}

}  // namespace
}  // namespace clpool::test
