// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// clpool/command.hpp, mem.hpp, pool.hpp: what programs with several queues, and lists made at run time, need.
#include <gtest/gtest.h>

#include <vector>

#include "clpool/clpool.hpp"
#include "support/opencl.hpp"

namespace {

class CppQueues : public clpool::test::OpenClTest {
 protected:
  /// An event that is complete when the test says so.
  clpool::Event user_event() const {
    cl_int code = CL_SUCCESS;
    clpool::Event event(clCreateUserEvent(cl.context, &code));
    EXPECT_EQ(code, CL_SUCCESS);
    return event;
  }
  static cl_uint references(const clpool::Event& event) {
    cl_uint count = 0;
    EXPECT_EQ(clGetEventInfo(event.get(), CL_EVENT_REFERENCE_COUNT, sizeof count, &count, nullptr),
              CL_SUCCESS);
    return count;
  }
  clpool::Pool pool() const { return clpool::Pool(clpool::Allocator::immediate(cl.queue)); }
};

TEST_F(CppQueues, OnHoldsTheEventsThatItWaitsFor) {
  if (!cl.has_version(1, 1)) {
    GTEST_SKIP() << "no user events";
  }
  const clpool::Event first = user_event();
  const clpool::Event second = user_event();
  const cl_uint before = references(first);
  {
    clpool::On on(cl.queue);
    on.after(first);
    EXPECT_EQ(references(first), before + 1);
    clpool::On copy = on;
    EXPECT_EQ(references(first), before + 2);
    on.after({second.get(), first.get()});
    EXPECT_EQ(on.wait_count(), 3u);
    EXPECT_EQ(references(first), before + 3);
    copy = on;
    EXPECT_EQ(references(first), before + 4);
    const clpool::On moved = std::move(copy);
    EXPECT_EQ(references(first), before + 4);
    EXPECT_EQ(moved.wait_count(), 3u);
    EXPECT_EQ(moved.waits()[1], second.get());
  }
  EXPECT_EQ(references(first), before);
  EXPECT_EQ(references(second), before);
  clSetUserEventStatus(first.get(), CL_COMPLETE);
  clSetUserEventStatus(second.get(), CL_COMPLETE);
}

TEST_F(CppQueues, OneOnServesAChainOfCommands) {
  const clpool::Pool pool = this->pool();
  clpool::Mem mem = pool.allocate(1024);
  clpool::Event done;
  int number = -1;
  mem.write(clpool::On(cl.queue).signal(done), &number, sizeof number, {0, sizeof number});
  clpool::On on(cl.queue);
  on.after(done).signal(done);
  for (int round = 0; round < 20; ++round) {
    mem.write(on, &round, sizeof round, {0, sizeof round});
  }
  mem.read(clpool::On(cl.queue).after(done), &number, sizeof number, {0, sizeof number});
  EXPECT_EQ(number, 19);
}

TEST_F(CppQueues, AnEventThatIsNoneIsRefusedByTheCommand) {
  clpool::Mem mem = clpool::Mem::buffer(cl.context, 64);
  std::error_code code;
  mem.fill(clpool::On(cl.queue).after(clpool::Event()), 1, {}, code);
  EXPECT_TRUE(code) << "an empty event is not left out";
}

TEST_F(CppQueues, BlocksWaitForListsOfEvents) {
  if (!cl.has_version(1, 1)) {
    GTEST_SKIP() << "no user events";
  }
  const clpool::Pool pool = this->pool();
  const clpool::Event first = user_event();
  const clpool::Event second = user_event();
  clpool::Mem one = pool.allocate(4096);
  clpool::Mem other = pool.allocate(4096);
  const std::vector<cl_event> events = {first.get(), second.get()};
  one.release_after(events);
  other.release_after(first);
  std::error_code code;
  other.release_after(std::vector<cl_event>{nullptr}, code);
  EXPECT_EQ(code, clpool::make_error_code(CLPOOL_ERROR_INVALID_VALUE));
  const uint64_t both = one.capacity() + other.capacity();
  one.release();
  other.release();
  EXPECT_EQ(pool.statistics().pending_bytes, both);
  clSetUserEventStatus(first.get(), CL_COMPLETE);
  pool.tick();
  EXPECT_EQ(pool.statistics().pending_bytes, both / 2) << "one of two events is not enough";
  clSetUserEventStatus(second.get(), CL_COMPLETE);
  pool.tick();
  EXPECT_EQ(pool.statistics().pending_bytes, 0u);
}

TEST_F(CppQueues, ABlockForOneQueueIsAHitForThatQueue) {
  clpool_pool_options options = clpool::pool_options();
  const cl_command_queue other = cl.another_queue();
  const cl_command_queue queues[] = {cl.queue, other};
  options.queues = queues;
  options.queue_count = 2;
  const clpool::Pool pool(clpool::Allocator::immediate(cl.queue), options);
  clpool::Mem mem = pool.allocate_on(other, 4096);
  EXPECT_EQ(mem.size(), 4096u);
  mem.release();
  const uint64_t hits = pool.statistics().hits;
  const clpool::Mem again = pool.allocate_on(other, 4096);
  EXPECT_EQ(pool.statistics().hits, hits + 1);
  std::error_code code;
  EXPECT_FALSE(pool.allocate_on(nullptr, 4096, code));
  EXPECT_EQ(code, clpool::make_error_code(CLPOOL_ERROR_INVALID_VALUE));
  EXPECT_THROW(pool.allocate_on(nullptr, 4096), clpool::Error);
}

TEST_F(CppQueues, BlocksGoBackIdleOrOnlyIfThatTakesNothing) {
  const clpool::Pool pool = this->pool();
  clpool::Mem mem = pool.allocate(4096);
  mem.release_idle();
  EXPECT_FALSE(mem);
  EXPECT_EQ(pool.statistics().active_blocks, 0u);
  mem = pool.allocate(4096);
  EXPECT_TRUE(mem.try_release());
  EXPECT_FALSE(mem);
  EXPECT_TRUE(mem.try_release()) << "nothing is left to do";
  EXPECT_EQ(pool.statistics().active_blocks, 0u);
  clpool::Mem plain = clpool::Mem::buffer(cl.context, 4096);
  EXPECT_FALSE(plain.try_release()) << "that takes a driver call";
  EXPECT_EQ(plain.size(), 4096u) << "the memory stays";
  std::error_code code = clpool::make_error_code(CLPOOL_ERROR_INTERNAL);
  plain.release_idle(code);
  EXPECT_FALSE(code);
}

TEST_F(CppQueues, ListsMadeAtRunTimeAreMigrated) {
  std::vector<clpool::Mem> mems;
  std::vector<const clpool::Mem*> addresses;
  mems.reserve(3);
  addresses.reserve(3);
  for (int index = 0; index < 3; ++index) {
    mems.push_back(clpool::Mem::buffer(cl.context, 4096));
  }
  for (const clpool::Mem& mem : mems) {
    addresses.push_back(&mem);
  }
  std::error_code code;
  clpool::Event moved;
  clpool::migrate(clpool::On(cl.queue).signal(moved), mems, 0, code);
  if (code == std::errc::not_supported) {
    GTEST_SKIP() << clpool_last_error_message();
  }
  EXPECT_FALSE(code) << clpool_last_error_message();
  EXPECT_EQ(moved.wait(), CL_SUCCESS);
  clpool::migrate(cl.queue, addresses, 0, code);
  EXPECT_FALSE(code) << clpool_last_error_message();
  addresses.push_back(nullptr);
  EXPECT_THROW(clpool::migrate(cl.queue, addresses), clpool::Error);
  mems.emplace_back();
  EXPECT_THROW(clpool::migrate(cl.queue, mems), clpool::Error);
}

TEST_F(CppQueues, DepthImagesAreFilledWithOneNumber) {
  clpool_image_options options = CLPOOL_IMAGE_OPTIONS_INIT;
  options.dimensions = 2;
  options.shape[0] = 8;
  options.shape[1] = 4;
  options.format = {CL_DEPTH, CL_FLOAT};
  std::error_code code;
  clpool::Mem image = clpool::Mem::image(cl.context, options, code);
  if (!image) {
    GTEST_SKIP() << clpool_last_error_message();
  }
  image.fill_image(cl.queue, 0.5F, {}, {8, 4, 1});
  image.fill_image(cl.queue, 0.25F, {}, {1, 1, 1}, code);
  ASSERT_FALSE(code) << clpool_last_error_message();
  std::vector<float> depths(32);
  image.read_image(cl.queue, {}, {8, 4, 1}, depths.data(), depths.size() * sizeof(float));
  EXPECT_EQ(depths[0], 0.25F);
  EXPECT_EQ(depths[31], 0.5F);
}

TEST_F(CppQueues, ADefaultPoolKnowsItsQueue) {
  clpool_pool_options options = clpool::pool_options();
  options.strategy = CLPOOL_STRATEGY_BINNED;
  const clpool::DefaultPool start(CLPOOL_MEMORY_BUFFER, {}, options);
  clpool::Mem mem = start.pool().allocate(4096);
  const int written = 7;
  mem.write(start.queue(), &written, sizeof written, {0, sizeof written});
  int read = 0;
  mem.read(start.queue(), &read, sizeof read, {0, sizeof read});
  EXPECT_EQ(read, written);
  EXPECT_EQ(mem.context(), start.context());
  EXPECT_NE(start.device(), nullptr);
  EXPECT_NE(start.pool().dump_json().find("binned"), std::string::npos);
  std::error_code code;
  const clpool::DefaultPool none(99, {}, clpool::pool_options(), code);
  EXPECT_EQ(code, clpool::make_error_code(CLPOOL_ERROR_INVALID_VALUE));
  EXPECT_FALSE(none.pool());
  EXPECT_EQ(none.queue(), nullptr);
  EXPECT_THROW(clpool::DefaultPool(99), clpool::Error);
}

}  // namespace
