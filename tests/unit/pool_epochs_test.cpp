// What a pool knows of its queues' progress. Commands are held back by user events, so that they are
// certainly not complete.
#include "pool/epochs.hpp"

#include <chrono>
#include <thread>

#include "support/opencl.hpp"

namespace clpool::core {
namespace {

class EpochsTest : public test::OpenClTest {
 protected:
  void SetUp() override {
    OpenClTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    gate = clCreateUserEvent(cl.context, nullptr);
    other = cl.another_queue();
    out_of_order = cl.another_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  }
  void TearDown() override {
    if (gate != nullptr) {
      let_go();
      clReleaseEvent(gate);
    }
  }
  /// Makes a queue wait for let_go().
  void hold(cl_command_queue queue) {
    ASSERT_EQ(clEnqueueBarrierWithWaitList(queue, 1, &gate, nullptr), CL_SUCCESS);
  }
  void let_go() {
    if (!open) {
      open = true;
      clSetUserEventStatus(gate, CL_COMPLETE);
    }
    for (cl_command_queue queue : {cl.queue, other, out_of_order}) {
      clFinish(queue);
    }
  }

  Epochs epochs;
  cl_event gate = nullptr;
  bool open = false;
  cl_command_queue other = nullptr;
  cl_command_queue out_of_order = nullptr;
};

TEST_F(EpochsTest, OneInOrderQueueNeedsNothingHeldBack) {
  EXPECT_FALSE(epochs.has_queues());
  ASSERT_EQ(epochs.add_queue(cl.queue), Status::success);
  ASSERT_EQ(epochs.add_queue(cl.queue), Status::success) << "the same once more";
  EXPECT_TRUE(epochs.has_queues());
  EXPECT_FALSE(epochs.must_hold_back());
  EXPECT_EQ(epochs.only_queue(), cl.queue);
  ASSERT_EQ(epochs.add_queue(other), Status::success);
  EXPECT_TRUE(epochs.must_hold_back());
  EXPECT_EQ(epochs.only_queue(), nullptr);
}

TEST_F(EpochsTest, AnOutOfOrderQueueNeedsReleasesHeldBack) {
  ASSERT_EQ(epochs.add_queue(out_of_order), Status::success);
  EXPECT_TRUE(epochs.must_hold_back());
  EXPECT_EQ(epochs.only_queue(), nullptr);
}

TEST_F(EpochsTest, AnInvalidQueueIsRefused) {
  EXPECT_NE(epochs.add_queue(nullptr), Status::success);
  EXPECT_FALSE(epochs.has_queues());
}

TEST_F(EpochsTest, AnEpochIsCompleteWhenAllQueuesAre) {
  ASSERT_EQ(epochs.add_queue(cl.queue), Status::success);
  ASSERT_EQ(epochs.add_queue(other), Status::success);
  ASSERT_EQ(epochs.add_queue(out_of_order), Status::success);
  hold(other);
  const std::uint64_t epoch = epochs.open();
  ASSERT_EQ(epochs.close(), Status::success);
  EXPECT_EQ(epochs.open(), epoch + 1);
  clFinish(cl.queue);
  epochs.poll();
  EXPECT_TRUE(epochs.in_flight());
  EXPECT_LT(epochs.completed(), epoch);
  EXPECT_FALSE(epochs.settle(1'000'000)) << "which does not wait for it";
  let_go();
  epochs.poll();
  EXPECT_GE(epochs.completed(), epoch);
}

TEST_F(EpochsTest, WaitingEndsWithTheEpoch) {
  ASSERT_EQ(epochs.add_queue(out_of_order), Status::success);
  hold(out_of_order);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    clSetUserEventStatus(gate, CL_COMPLETE);
  });
  const std::uint64_t epoch = epochs.open();
  EXPECT_EQ(epochs.wait(epoch), Status::success) << "the open epoch is closed for that";
  EXPECT_GE(epochs.completed(), epoch);
  later.join();
  open = true;
}

TEST_F(EpochsTest, EpochsCompleteInOrder) {
  ASSERT_EQ(epochs.add_queue(cl.queue), Status::success);
  for (std::uint64_t i = 1; i <= 20; ++i) {
    ASSERT_EQ(epochs.open(), i);
    ASSERT_EQ(epochs.close(), Status::success);
  }
  EXPECT_EQ(epochs.wait(20), Status::success);
  EXPECT_EQ(epochs.completed(), 20u);
  EXPECT_FALSE(epochs.in_flight());
}

}  // namespace
}  // namespace clpool::core
