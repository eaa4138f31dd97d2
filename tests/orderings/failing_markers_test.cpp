// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// Markers that fail, as PoCL's do with any command before them: no block is reused while another of its commands runs, none is
// lost, and no more markers are made than are needed.
#include <atomic>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "orderings/pool_order.hpp"

namespace clpool::test {
namespace {

/// Commands that fail one after the other, in a queue whose markers fail with them.
class FailingCommands : public PoolOrder, public testing::WithParamInterface<int> {
 protected:
  /// Has a block used behind `gate`.
  void use_a_block() {
    stub_configure("fails_markers=1");
    make_pool({home, overtaking});
    mem = allocate();
    stub_run_all();
    fill(overtaking, mem, 1, &gate);
  }
  const cl_command_queue overtaking = scene.queue;
  Gate gate{scene.cl.context};
  clpool_mem* mem = nullptr;
};

TEST_P(FailingCommands, DoNotFreeTheBlockOfOneThatStillRuns) {
  use_a_block();
  std::vector<std::unique_ptr<Gate>> failing;
  for (int i = 0; i < GetParam(); ++i) {
    failing.push_back(std::make_unique<Gate>(scene.cl.context));
    fill(overtaking, mem, 1, failing.back().get());
  }
  EXPECT_OK(clpool_mem_release(mem));
  for (const std::unique_ptr<Gate>& one : failing) {
    EXPECT_OK(clpool_pool_tick(pool));  // marks the queues behind them
    stub_run_all();
    ASSERT_EQ(clSetUserEventStatus(one->get(), -1), CL_SUCCESS);
    stub_run_all();
  }
  EXPECT_OK(clpool_pool_tick(pool));
  EXPECT_NE(stats_of(pool).pending_bytes, 0U);
  clpool_mem* const next = allocate();
  fill(home, next, 2);
  EXPECT_EQ(content_after(next, gate), 2);
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(clpool_pool_tick(pool));
    stub_run_all();
  }
  EXPECT_EQ(stats_of(pool).pending_bytes, 0U);
}

TEST_P(FailingCommands, DoNotFreeABlockWhileTheDriverLacksMemoryForMarkers) {
  use_a_block();
  Gate failing(scene.cl.context);
  fill(overtaking, mem, 1, &failing);
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_OK(clpool_pool_tick(pool));
  stub_run_all();
  ASSERT_EQ(clSetUserEventStatus(failing.get(), -1), CL_SUCCESS);
  stub_run_all();
  stub_fail_from("clEnqueueMarkerWithWaitList", 1, CL_OUT_OF_HOST_MEMORY);
  for (int i = 0; i < 100; ++i) {
    EXPECT_OK(clpool_pool_tick(pool));
  }
  EXPECT_NE(stats_of(pool).pending_bytes, 0U);
  stub_fail_none();
  gate.open();
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(clpool_pool_tick(pool));
    stub_run_all();
  }
  EXPECT_OK(clpool_pool_tick(pool));
  EXPECT_EQ(stats_of(pool).pending_bytes, 0U);
}

TEST_F(PoolOrder, HoweverManyMarkersFailedOneNewOneStandsForAll) {
  stub_configure("fails_markers=1");
  make_pool({home, scene.queue});
  std::vector<clpool_mem*> blocks(30);
  for (clpool_mem*& block : blocks) {
    block = allocate();
  }
  stub_run_all();
  Gate failing(scene.cl.context);
  fill(scene.queue, blocks[0], 1, &failing);
  for (clpool_mem* const block : blocks) {
    EXPECT_OK(clpool_mem_release(block));
    EXPECT_OK(clpool_pool_tick(pool));
  }
  failing.open(-1);
  stub_run_all();
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(clpool_pool_tick(pool));
    stub_run_all();
  }
  EXPECT_EQ(stats_of(pool).pending_bytes, 0U);
}

class NewMarkers : public PoolOrder, public testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(FailingQueueIsFirst, NewMarkers, testing::Bool());

TEST_P(NewMarkers, ThatStandForLaterReleasesWaitForTheirOtherQueuesToo) {
  stub_configure("fails_markers=1");
  make_pool(GetParam() ? std::vector{scene.queue, home} : std::vector{home, scene.queue});
  clpool_mem* const first = allocate();
  clpool_mem* const second = allocate();
  stub_run_all();
  Gate failing(scene.cl.context);
  Gate gate(scene.cl.context);
  fill(scene.queue, first, 1, &failing);
  EXPECT_OK(clpool_mem_release(first));
  EXPECT_OK(clpool_pool_tick(pool));
  fill(home, second, 1, &gate);
  EXPECT_OK(clpool_mem_release(second));
  EXPECT_OK(clpool_pool_tick(pool));
  stub_run_all();
  failing.open(-1);
  for (int i = 0; i < 3; ++i) {
    stub_run_all();
    EXPECT_OK(clpool_pool_tick(pool));
  }
  EXPECT_NE(stats_of(pool).pending_bytes, 0U) << "the second block is still to be filled";
  gate.open();
  stub_run_all();
  EXPECT_OK(clpool_pool_tick(pool));
  EXPECT_EQ(stats_of(pool).pending_bytes, 0U);
}

/// Two threads that look at the same time, in this order: the first has the first epoch in hand, the second takes the second
/// one, the first puts its own back, then the second.
class TwoLooks {
 public:
  explicit TwoLooks(clpool_pool* pool) {
    stub_set_hook(
        [](const char* entry, void* self) {
          static_cast<TwoLooks*>(self)->asked(std::string_view(entry) == "clGetEventInfo");
        },
        this);
    std::thread first([&] {
      which_ = 1;
      EXPECT_OK(clpool_pool_tick(pool));
      go_on(3);
    });
    std::thread second([&] {
      wait_for(1);
      which_ = 2;
      EXPECT_OK(clpool_pool_tick(pool));
    });
    first.join();
    second.join();
    stub_set_hook(nullptr, nullptr);
  }

 private:
  void asked(bool about_an_event) {
    if (about_an_event && which_ == 1 && stage_ == 0) {
      go_on(1);
      wait_for(2);
    } else if (about_an_event && which_ == 2 && stage_ == 1) {
      go_on(2);
      wait_for(3);
    }
  }
  void go_on(int stage) {
    stage_ = stage;
    stage_.notify_all();
  }
  void wait_for(int stage) {
    for (int now = stage_; now < stage; now = stage_) {
      stage_.wait(now);
    }
  }

  std::atomic<int> stage_{0};
  static thread_local int which_;
};
thread_local int TwoLooks::which_ = 0;

TEST_F(PoolOrder, NoEpochIsLostWhereTwoThreadsMarkAnew) {
  stub_configure("fails_markers=1");
  make_pool({home, scene.queue});
  clpool_mem* const first = allocate();
  clpool_mem* const second = allocate();
  stub_run_all();
  Gate failing(scene.cl.context);
  fill(scene.queue, first, 1, &failing);
  for (clpool_mem* const block : {first, second}) {
    EXPECT_OK(clpool_mem_release(block));
    EXPECT_OK(clpool_pool_tick(pool));
  }
  failing.open(-1);
  stub_run_all();
  const TwoLooks looks(pool);
  for (int i = 0; i < 6; ++i) {
    stub_run_all();
    EXPECT_OK(clpool_pool_tick(pool));
  }
  EXPECT_EQ(stats_of(pool).pending_bytes, 0U);
}

TEST_F(PoolOrder, AQueueThatTakesNoMarkersSaysNothingOfAnother) {
  stub_configure("fails_markers=1");
  const cl_command_queue dead = scene.queue;
  const cl_command_queue living = scene.cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  make_pool({dead, living});
  clpool_mem* const mem = allocate();
  clpool_mem* const scratch = allocate();
  stub_run_all();
  Gate gate(scene.cl.context);
  Gate failing_first(scene.cl.context);
  Gate failing_later(scene.cl.context);
  fill(living, mem, 1, &gate);
  fill(dead, scratch, 1, &failing_first);
  fill(living, scratch, 1, &failing_later);
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_OK(clpool_pool_tick(pool));
  stub_run_all();
  ASSERT_EQ(clSetUserEventStatus(failing_first.get(), -1), CL_SUCCESS);
  stub_run_all();
  stub_fail_from("clEnqueueMarkerWithWaitList", 1, CL_INVALID_COMMAND_QUEUE);
  for (int i = 0; i < 40; ++i) {
    EXPECT_OK(clpool_pool_tick(pool));
  }
  stub_fail_none();
  ASSERT_EQ(clSetUserEventStatus(failing_later.get(), -1), CL_SUCCESS);
  for (int i = 0; i < 3; ++i) {
    stub_run_all();
    EXPECT_OK(clpool_pool_tick(pool));
  }
  EXPECT_NE(stats_of(pool).pending_bytes, 0U);
  gate.open();
  for (int i = 0; i < 3; ++i) {
    stub_run_all();
    EXPECT_OK(clpool_pool_tick(pool));
  }
  EXPECT_EQ(stats_of(pool).pending_bytes, 0U);
  EXPECT_OK(clpool_mem_release(scratch));
}

TEST_F(PoolOrder, AQueueThatTakesNoMoreMarkersIsThroughAfterAWhile) {
  stub_configure("fails_markers=1");
  make_pool({home, scene.queue});
  clpool_mem* const mem = allocate();
  stub_run_all();
  Gate failing(scene.cl.context);
  fill(scene.queue, mem, 1, &failing);
  EXPECT_OK(clpool_mem_release(mem));
  EXPECT_OK(clpool_pool_tick(pool));
  stub_fail_from("clEnqueueMarkerWithWaitList", 1, CL_INVALID_COMMAND_QUEUE);
  failing.open(-1);
  stub_run_all();
  for (int i = 0; i < 40; ++i) {
    EXPECT_OK(clpool_pool_tick(pool));
  }
  EXPECT_EQ(stats_of(pool).pending_bytes, 0U);
  stub_fail_none();
}
INSTANTIATE_TEST_SUITE_P(HoweverMany, FailingCommands, testing::Values(1, 20));

}  // namespace
}  // namespace clpool::test
