// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Queues of another context than the memory's: refused, naming both, where a driver would end the program.
#include "clpool/allocator.h"
#include "clpool/buffer.h"
#include "clpool/svm.h"
#include "memory.hpp"
#include "support/pools.hpp"

namespace {

using clpool::test::finish;
using clpool::test::last_error;
using clpool::test::OpenCl;

class QueuesOfAnotherContext : public clpool::test::OpenClTest {
 protected:
  /// Expects a refusal that names both contexts.
  void refused(clpool_status status) {
    EXPECT_EQ(status, CLPOOL_ERROR_INVALID_VALUE);
    for (const cl_context context : {cl.context, other.context}) {
      char text[32];
      std::snprintf(text, sizeof text, "%p", static_cast<void*>(context));
      EXPECT_NE(last_error().find(text), std::string::npos) << last_error();
    }
  }
  clpool_allocator* immediate() {
    clpool_allocator* made = nullptr;
    EXPECT_OK(clpool_allocator_create_immediate(cl.queue, 0, &made));
    return made;
  }
  OpenCl other;
};

TEST_F(QueuesOfAnotherContext, AreRefusedForSvm) {
  clpool_mem* mem = nullptr;
  const clpool_status made = clpool_svm_create(cl.context, 0, 1000, 0, nullptr, &mem);
  if (made == CLPOOL_ERROR_NOT_SUPPORTED) {
    GTEST_SKIP() << last_error();
  }
  ASSERT_OK(made);
  refused(clpool_mem_bind_queue(mem, other.queue));
  char host[16] = {};
  clpool_map* map = nullptr;
  refused(clpool_mem_fill(other.queue, mem, host, 1, 0, 16, 0, nullptr, nullptr));
  refused(clpool_mem_read(other.queue, mem, 0, 16, host, 16, 1, 0, nullptr, nullptr));
  refused(clpool_mem_map(other.queue, mem, CL_MAP_READ, 0, 16, 1, 0, nullptr, nullptr, &map));
  refused(clpool_mem_migrate(other.queue, &mem, 1, 0, 0, nullptr, nullptr));
  refused(clpool_mem_release_on(mem, other.queue, 0, nullptr, nullptr));
  EXPECT_OK(clpool_mem_release(mem)) << "a refused release gives nothing up";
}

TEST_F(QueuesOfAnotherContext, AreRefusedForSvmOfTheProgram) {
  clpool_mem* mem = nullptr;
  const clpool_status made = clpool_svm_create(cl.context, 0, 1000, 0, nullptr, &mem);
  if (made == CLPOOL_ERROR_NOT_SUPPORTED) {
    GTEST_SKIP() << last_error();
  }
  ASSERT_OK(made);
  clpool_mem* wrapped = nullptr;
  ASSERT_OK(clpool_svm_wrap(cl.context, clpool_mem_pointer(mem), 1000, 0, &wrapped));
  char host[16] = {};
  refused(clpool_mem_fill(other.queue, wrapped, host, 1, 0, 16, 0, nullptr, nullptr));
  refused(clpool_mem_read(other.queue, wrapped, 0, 16, host, 16, 1, 0, nullptr, nullptr));
  EXPECT_OK(clpool_mem_fill(cl.queue, wrapped, host, 1, 0, 16, 0, nullptr, nullptr));
  EXPECT_EQ(finish(cl.queue), CL_SUCCESS);
  EXPECT_OK(clpool_mem_release(wrapped));
  EXPECT_OK(clpool_mem_release(mem));
}

TEST_F(QueuesOfAnotherContext, AreRefusedForPlainMemoryAsForBlocks) {
  const clpool::test::AllocatorHandle allocator(immediate());
  clpool_mem* buffer = nullptr;
  ASSERT_OK(clpool_buffer_create(cl.context, 0, 4096, nullptr, 0, &buffer));
  clpool_mem* part = nullptr;
  ASSERT_OK(clpool_mem_sub_region(buffer, 0, 1000, 0, &part));
  clpool_mem* wrapped = nullptr;
  ASSERT_OK(clpool_mem_wrap(clpool_mem_handle(buffer), 1, &wrapped));
  clpool_mem* direct = nullptr;
  ASSERT_OK(clpool_allocator_allocate(allocator.get(), 1000, &direct));
  char host[16] = {};
  for (clpool_mem* mem : {buffer, part, wrapped, direct}) {
    clpool_map* map = nullptr;
    if (cl.has_version(1, 2)) {
      refused(clpool_mem_fill(other.queue, mem, host, 1, 0, 16, 0, nullptr, nullptr));
    }
    refused(clpool_mem_read(other.queue, mem, 0, 16, host, 16, 1, 0, nullptr, nullptr));
    refused(clpool_mem_write(other.queue, mem, 0, 16, host, 16, 1, 0, nullptr, nullptr));
    refused(clpool_mem_map(other.queue, mem, CL_MAP_READ, 0, 16, 1, 0, nullptr, nullptr, &map));
    refused(clpool_mem_copy(other.queue, mem, 0, buffer, 2048, 16, 0, nullptr, nullptr));
    EXPECT_EQ(map, nullptr);
  }
  for (clpool_mem* mem : {direct, wrapped, part, buffer}) {
    EXPECT_OK(clpool_mem_release(mem));
  }
}

TEST_F(QueuesOfAnotherContext, AreRefusedForAPool) {
  const clpool::test::AllocatorHandle allocator(immediate());
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.queues = &other.queue;
  options.queue_count = 1;
  clpool_pool* pool = nullptr;
  refused(clpool_pool_create(allocator.get(), &options, &pool));
  EXPECT_EQ(pool, nullptr);
}

TEST_F(QueuesOfAnotherContext, AreRefusedForBlocks) {
  const clpool::test::AllocatorHandle allocator(immediate());
  const clpool::test::PoolHandle pool = clpool::test::make_pool(allocator.get(), CLPOOL_POOL_OPTIONS_INIT);
  clpool_mem* mem = nullptr;
  ASSERT_OK(clpool_pool_allocate(pool.get(), 1000, &mem));
  refused(clpool_mem_used_on(mem, other.queue));
  refused(clpool_mem_bind_queue(mem, other.queue));
  refused(clpool_mem_release_on(mem, other.queue, 0, nullptr, nullptr));
  clpool_mem* none = nullptr;
  refused(clpool_pool_allocate_on(pool.get(), other.queue, 1000, &none));
  EXPECT_EQ(none, nullptr);
  EXPECT_OK(clpool_mem_release(mem));
}

}  // namespace
