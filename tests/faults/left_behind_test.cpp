// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Memory that cannot be given back, as the driver fails time and again and may still use it: it stays, which a message tells.
#include <gtest/gtest.h>

#include <string_view>

#include "conformance/memory.hpp"
#include "stub_icd/stub.h"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

TEST(GuardedChunks, ThatCannotBeGivenBackUnderTheirFillAreReported) {
  // Without a watch, which would find the memory left behind that the message is about.
  stub_reset();
  stub_configure("mode=manual");
  {
    const OpenCl cl;
    const Heard heard;
    const AllocatorHandle allocator = make_allocator(clpool_allocator_create_svm, cl.context, 0, 0, nullptr);
    clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
    options.guard = CLPOOL_GUARD_ON;
    options.queues = &cl.queue;
    options.queue_count = 1;
    const PoolHandle pool = make_pool(allocator.get(), options);
    stub_set_hook(
        [](const char* entry, void*) {
          if (std::string_view(entry) == "clFinish") {
            stub_fail("clFinish", 1, CL_OUT_OF_RESOURCES);
          }
        },
        nullptr);
    stub_fail("clEnqueueMarkerWithWaitList", 1, CL_INVALID_OPERATION);
    clpool_mem* mem = nullptr;
    EXPECT_EQ(clpool_pool_allocate(pool.get(), 1000, &mem), CLPOOL_ERROR_OPENCL);
    EXPECT_EQ(clpool_last_cl_error(), CL_INVALID_OPERATION);
    EXPECT_EQ(heard.count(CLPOOL_MESSAGE_ERROR, "stay allocated, as their fill may still run"), 1U)
        << heard.text();
    stub_set_hook(nullptr, nullptr);
    stub_fail_none();
    stub_run_all();
  }
  stub_run_all();
}

}  // namespace
}  // namespace clpool::test
