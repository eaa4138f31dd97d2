// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Allocators around others, where memory is freed behind the commands that use it.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "orderings/orderings.hpp"
#include "support/pools.hpp"
#include "support/temporary_file.hpp"

namespace clpool::test {
namespace {

class Decorated : public testing::Test {
 protected:
  Decorated() { svm = make_allocator(clpool_allocator_create_svm, scene.cl.context, 0, 0, nullptr); }
  clpool_status allocate(const AllocatorHandle& allocator, clpool_mem*& mem) {
    mem = nullptr;
    return clpool_allocator_allocate(allocator.get(), operand_size, &mem);
  }
  /// Memory that a command has used, so that it is freed behind a queue.
  void use_and_release(const AllocatorHandle& allocator) {
    clpool_mem* mem = nullptr;
    ASSERT_OK(allocate(allocator, mem));
    ASSERT_OK(
        clpool_mem_fill(scene.cl.queue, mem, &source_byte, 1, 0, CLPOOL_WHOLE_SIZE, 0, nullptr, nullptr));
    ASSERT_OK(clpool_mem_release(mem));
    stub_run_all();
  }
  AllocatorHandle limited(std::uint64_t bytes) {
    return make_allocator(clpool_allocator_create_limit, svm.get(), bytes);
  }
  /// True if just one allocation at a time is possible.
  void expect_room_for_one(const AllocatorHandle& allocator) {
    clpool_mem* first = nullptr;
    clpool_mem* second = nullptr;
    EXPECT_OK(allocate(allocator, first));
    EXPECT_EQ(allocate(allocator, second), CLPOOL_ERROR_OUT_OF_MEMORY);
    EXPECT_OK(clpool_mem_release(second));
    EXPECT_OK(clpool_mem_release(first));
  }
  Scene scene;
  AllocatorHandle svm;
};

TEST_F(Decorated, ALimitHasRoomAgainForWhatAQueueFrees) {
  const AllocatorHandle allocator = limited(operand_size);
  use_and_release(allocator);
  expect_room_for_one(allocator);
}

TEST_F(Decorated, ALimitCountsAFreeThatTheQueueRefusedOnce) {
  const AllocatorHandle allocator = limited(operand_size);
  stub_fail("clEnqueueSVMFree", 1, CL_OUT_OF_RESOURCES);
  use_and_release(allocator);
  EXPECT_EQ(stub_failures(), 1U);
  expect_room_for_one(allocator);
}

TEST_F(Decorated, ALimitHasRoomAgainAfterAFailure) {
  const AllocatorHandle allocator = limited(operand_size);
  clpool_mem* mem = nullptr;
  stub_fail("clSVMAlloc", 1, CL_SUCCESS);
  EXPECT_EQ(allocate(allocator, mem), CLPOOL_ERROR_OUT_OF_MEMORY);
  expect_room_for_one(allocator);
}

TEST_F(Decorated, ALogTellsWhatAQueueFreesOrRefusesToFree) {
  const std::string path = temporary_file();
  clpool_allocator* made = nullptr;
  ASSERT_OK(clpool_allocator_create_trace(svm.get(), path.c_str(), &made));
  {
    const AllocatorHandle allocator(made);
    use_and_release(allocator);
    stub_fail("clEnqueueSVMFree", 1, CL_OUT_OF_RESOURCES);
    use_and_release(allocator);
    EXPECT_EQ(stub_failures(), 1U);
  }
  std::ifstream file(path);
  std::string actions;
  for (std::string line; std::getline(file, line);) {
    actions += line.find("allocate") != std::string::npos ? "a"
               : line.find("free") != std::string::npos   ? "f"
                                                          : "";
  }
  EXPECT_EQ(actions, "afafaf");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace clpool::test
