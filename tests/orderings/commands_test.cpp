// SPDX-FileCopyrightText: The libclpool authors
// SPDX-License-Identifier: Apache-2.0
// What every command promises (transfer.h): it waits for its wait list, its event is that of its work, and it
// blocks where it is told to and nowhere else.
#include <atomic>
#include <ostream>
#include <thread>

#include "orderings/orderings.hpp"

namespace clpool::test {

std::ostream& operator<<(std::ostream& stream, const Case& tested) {
  return stream << tested.name;
}

namespace {

class EveryCommand : public testing::TestWithParam<Case> {
 protected:
  /// Runs all that may run, the newest first: an order that the library did not ask for shows.
  void run_newest_first() {
    while (const std::size_t commands = stub_runnable(scene.queue)) {
      stub_run_nth(scene.queue, commands - 1);
    }
  }
  Scene scene;
  Command command = GetParam().make(scene);
};

TEST_P(EveryCommand, WaitsForAllOfItsWaitList) {
  Gate first(scene.cl.context);
  Gate second(scene.cl.context);
  const cl_event gates[] = {first.get(), second.get()};
  OwnedEvent event;
  ASSERT_OK(command.run(2, gates, event.receive()));
  ASSERT_TRUE(event);
  run_newest_first();
  EXPECT_FALSE(command.happened());
  EXPECT_FALSE(event.is_complete());
  second.open();
  run_newest_first();
  EXPECT_FALSE(command.happened());
  EXPECT_FALSE(event.is_complete());
  first.open();
  run_newest_first();
  EXPECT_TRUE(command.happened());
  EXPECT_TRUE(event.is_complete());
}

TEST_P(EveryCommand, WaitsForAWaitListOfOne) {
  Gate gate(scene.cl.context);
  ASSERT_OK(command.run(1, gate.list(), nullptr));
  run_newest_first();
  EXPECT_FALSE(command.happened());
  gate.open();
  run_newest_first();
  EXPECT_TRUE(command.happened());
}

TEST_P(EveryCommand, DoesNotBlockUnlessItIsToldTo) {
  OwnedEvent event;
  ASSERT_OK(command.run(0, nullptr, event.receive()));
  EXPECT_FALSE(command.happened());
  EXPECT_FALSE(event.is_complete());
}

TEST_P(EveryCommand, IsDoneWhenItsEventIsCompleteTheNewestRunFirst) {
  OwnedEvent event;
  ASSERT_OK(command.run(0, nullptr, event.receive()));
  while (const std::size_t commands = stub_runnable(scene.queue)) {
    stub_run_nth(scene.queue, commands - 1);
    EXPECT_TRUE(!event.is_complete() || command.happened());
  }
  EXPECT_TRUE(event.is_complete());
}

TEST_P(EveryCommand, IsDoneWhenItsEventIsCompleteTheOldestRunFirst) {
  OwnedEvent event;
  ASSERT_OK(command.run(0, nullptr, event.receive()));
  while (stub_run_next(scene.queue) != 0) {
    EXPECT_TRUE(!event.is_complete() || command.happened());
  }
  EXPECT_TRUE(event.is_complete());
}

TEST_P(EveryCommand, LeavesItsEventIncompleteWhenWhatItWaitsForFails) {
  Gate gate(scene.cl.context);
  OwnedEvent event;
  ASSERT_OK(command.run(1, gate.list(), event.receive()));
  gate.open(CL_OUT_OF_RESOURCES);
  run_newest_first();
  EXPECT_FALSE(event.is_complete());
  const cl_event ended = event.get();
  EXPECT_NE(clWaitForEvents(1, &ended), CL_SUCCESS);
}

INSTANTIATE_TEST_SUITE_P(Transfers, EveryCommand, testing::ValuesIn(transfer_cases()),
                         [](const auto& tested) { return tested.param.name; });
INSTANTIATE_TEST_SUITE_P(Boxes, EveryCommand, testing::ValuesIn(box_cases()),
                         [](const auto& tested) { return tested.param.name; });
INSTANTIATE_TEST_SUITE_P(Maps, EveryCommand, testing::ValuesIn(map_cases()),
                         [](const auto& tested) { return tested.param.name; });
INSTANTIATE_TEST_SUITE_P(Migrations, EveryCommand, testing::ValuesIn(migrate_cases()),
                         [](const auto& tested) { return tested.param.name; });
INSTANTIATE_TEST_SUITE_P(Images, EveryCommand, testing::ValuesIn(image_cases()),
                         [](const auto& tested) { return tested.param.name; });

/// Those that have the flag.
std::vector<Case> blocking_cases() {
  std::vector<Case> found;
  for (const auto& cases : {transfer_cases(), box_cases(), map_cases(), image_cases()}) {
    for (const Case& one : cases) {
      const bool can_block =
          one.name.rfind("Read", 0) == 0 || one.name.rfind("Write", 0) == 0 || one.name.rfind("Map", 0) == 0;
      if (can_block) {
        found.push_back(one);
      }
    }
  }
  return found;
}

class EveryBlockingCommand : public EveryCommand {};

TEST_P(EveryBlockingCommand, IsDoneWhenItReturns) {
  OwnedEvent event;
  ASSERT_OK(command.run_blocking(0, nullptr, event.receive()));
  EXPECT_TRUE(command.happened());
  EXPECT_TRUE(event.is_complete());
}

TEST_P(EveryBlockingCommand, DoesNotReturnBeforeItsWaitListIsComplete) {
  stub_configure("deadlock=wait");
  Gate gate(scene.cl.context);
  std::atomic<bool> has_returned = false;
  clpool_status status = CLPOOL_SUCCESS;
  std::thread calling([&] {
    status = command.run_blocking(1, gate.list(), nullptr);
    has_returned = true;
  });
  while (stub_blocked() == 0 && !has_returned) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(has_returned);
  gate.open();
  calling.join();
  EXPECT_EQ(status, CLPOOL_SUCCESS);
  EXPECT_TRUE(command.happened());
}

INSTANTIATE_TEST_SUITE_P(, EveryBlockingCommand, testing::ValuesIn(blocking_cases()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace clpool::test
