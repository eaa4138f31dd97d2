// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Releases that were put off (clpool_mem_release_later): they serve whoever waits or is about to fail, and a
// callback of theirs may release the pool.
#include <chrono>
#include <functional>
#include <thread>

#include "support/opencl.hpp"
#include "support/pools.hpp"

namespace clpool::test {
namespace {

using Release = clpool_status (*)(clpool_mem*);

/// What finalizers do.
clpool_status try_then_later(clpool_mem* mem) {
  return clpool_mem_try_release(mem) == CLPOOL_SUCCESS ? CLPOOL_SUCCESS : clpool_mem_release_later(mem);
}

class LateReleases : public testing::TestWithParam<Release> {
 protected:
  NumberSource numbers;
  AllocatorHandle allocator = numbers.allocator();
};
std::string name_of(const testing::TestParamInfo<Release>& tested) {
  return tested.param == &clpool_mem_release ? "AtOnce"
         : tested.param == &try_then_later   ? "TriedThenLater"
                                             : "Later";
}
INSTANTIATE_TEST_SUITE_P(, LateReleases,
                         testing::Values(&clpool_mem_release, &clpool_mem_release_later, &try_then_later),
                         name_of);

TEST_P(LateReleases, WakeWhoeverWaits) {
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.max_bytes = 1'000'000;
  options.wait_ns = 60'000'000'000;
  const PoolHandle pool = make_pool(allocator.get(), options);
  // A block that waits for its event is what a request waits for.
  const OpenCl cl;
  const cl_event late = clCreateUserEvent(cl.context, nullptr);
  clpool_mem* pending = allocate(pool, 300'000).release();
  clpool_mem* const large = allocate(pool, 600'000).release();
  ASSERT_EQ(clpool_mem_release_after(pending, 1, &late), CLPOOL_SUCCESS);
  ASSERT_EQ(clpool_mem_release(pending), CLPOOL_SUCCESS);
  const auto begin = std::chrono::steady_clock::now();
  std::thread other([&] {
    while (stats_of(pool).pending_bytes == 0) {
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the other one waits by now, most likely
    EXPECT_EQ(GetParam()(large), CLPOOL_SUCCESS);
  });
  const MemHandle mem = allocate(pool, 500'000);
  EXPECT_NE(mem, nullptr) << clpool_last_error_message();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  other.join();
  EXPECT_EQ(clSetUserEventStatus(late, CL_COMPLETE), CL_SUCCESS);
  EXPECT_EQ(clReleaseEvent(late), CL_SUCCESS);
}

/// Another thread's release comes while the request has the driver asked, in vain.
TEST_P(LateReleases, ServeARequestThatIsAboutToFail) {
  struct Source {
    Release release;
    clpool_mem* mem = nullptr;
    bool is_empty = false;
    std::uint64_t next = 4096;
  } source{GetParam()};
  clpool_allocator_ops ops = CLPOOL_ALLOCATOR_OPS_INIT;
  ops.allocate = [](void* user, std::uint64_t size, std::uint64_t, std::uint64_t* chunk) -> clpool_status {
    auto& self = *static_cast<Source*>(user);
    if (self.is_empty) {
      return CLPOOL_ERROR_OUT_OF_MEMORY;
    }
    if (self.mem != nullptr) {
      self.is_empty = true;
      std::thread([&] { EXPECT_EQ(self.release(std::exchange(self.mem, nullptr)), CLPOOL_SUCCESS); }).join();
      return CLPOOL_ERROR_OUT_OF_MEMORY;
    }
    *chunk = std::exchange(self.next, self.next + size);
    return CLPOOL_SUCCESS;
  };
  ops.deallocate = [](void*, std::uint64_t, std::uint64_t) {};
  clpool_allocator* made = nullptr;
  ASSERT_EQ(clpool_allocator_create_custom(&ops, &source, &made), CLPOOL_SUCCESS);
  const AllocatorHandle own(made);
  const PoolHandle pool = make_pool(made, CLPOOL_POOL_OPTIONS_INIT);
  const MemHandle other = allocate(pool, 1'000'000);
  source.mem = allocate(pool, 1'600'000).release();
  clpool_mem* mem = nullptr;
  EXPECT_EQ(clpool_pool_allocate(pool.get(), 1'500'000, &mem), CLPOOL_SUCCESS) << clpool_last_error_message();
  clpool_mem_release(mem);
}

/// A function that works off what was put off; a callback of that takes the pool away.
struct Call {
  const char* name;
  std::function<clpool_status(clpool_pool*)> run;
};

std::vector<Call> calls() {
  return {{"allocate",
           [](clpool_pool* pool) {
             clpool_mem* mem = nullptr;
             const clpool_status status = clpool_pool_allocate(pool, 500, &mem);
             clpool_mem_release(mem);
             return status;
           }},
          {"free_held", clpool_pool_free_held},
          {"stop_holding", clpool_pool_stop_holding},
          {"trim", [](clpool_pool* pool) { return clpool_pool_trim(pool, 0); }},
          {"tick", clpool_pool_tick},
          {"statistics",
           [](clpool_pool* pool) {
             clpool_pool_stats stats = CLPOOL_POOL_STATS_INIT;
             return clpool_pool_statistics(pool, &stats);
           }},
          {"visit", [](clpool_pool* pool) {
             const auto go_on = [](void*, const clpool_pool_stretch*) -> std::int32_t { return 1; };
             return clpool_pool_visit(pool, go_on, nullptr);
           }}};
}

class LateReleasesOfAPoolThatGoes : public testing::TestWithParam<Call> {};
INSTANTIATE_TEST_SUITE_P(, LateReleasesOfAPoolThatGoes, testing::ValuesIn(calls()),
                         [](const testing::TestParamInfo<Call>& tested) { return tested.param.name; });

TEST_P(LateReleasesOfAPoolThatGoes, AreFinishedAllTheSame) {
  NumberSource numbers;
  const AllocatorHandle allocator = numbers.allocator();
  struct Owner {
    clpool_pool* pool = nullptr;
    bool gives_up = false;
  } owner;
  clpool_pool_callbacks callbacks = CLPOOL_POOL_CALLBACKS_INIT;
  callbacks.message = [](void* user, std::int32_t, const char*) {
    auto& self = *static_cast<Owner*>(user);
    if (std::exchange(self.gives_up, false)) {
      EXPECT_EQ(clpool_pool_release(std::exchange(self.pool, nullptr)), CLPOOL_SUCCESS);
    }
  };
  clpool_pool_options options = CLPOOL_POOL_OPTIONS_INIT;
  options.callbacks = &callbacks;
  options.user = &owner;
  options.trace_messages = 1;
  owner.pool = make_pool(allocator.get(), options).release();
  clpool_mem* mem = nullptr;
  ASSERT_EQ(clpool_pool_allocate(owner.pool, 1000, &mem), CLPOOL_SUCCESS);
  ASSERT_EQ(clpool_mem_release_later(mem), CLPOOL_SUCCESS);
  owner.gives_up = true;
  EXPECT_EQ(GetParam().run(owner.pool), CLPOOL_SUCCESS) << clpool_last_error_message();
  EXPECT_EQ(owner.pool, nullptr) << "the callback was not made";
  EXPECT_EQ(numbers.live_bytes(), 0U);
}

}  // namespace
}  // namespace clpool::test
